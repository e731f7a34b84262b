"""The texts of models: ten repairs, and what is never repaired."""

from __future__ import annotations

import pytest

from recollect import RecollectError
from recollect.faces.markup import parse, parse_response, repair, repair_response

PLAIN = "- ID: new-1 [created]\n  Label: Eating\n"

DOCUMENTS = [
    ("R1", f"Here it is:\n\n{PLAIN}", PLAIN),
    ("R1", f"Sure!\n```yaml\n{PLAIN}```\nHope it helps.", PLAIN),
    (
        "R1",
        "```\n- ID: 1\n  Content: ```\n    x\n  ```\n```\nbye",
        "- ID: 1\n  Content: x\n",
    ),
    ("R2", "- Id: new-1 [Created]\n  label: Eating\n", PLAIN),
    ("R2", "- conceptual space\n  - id: 1\n", "- CONCEPTUAL SPACE\n  - ID: 1\n"),
    ("R3", "- ID: [new-1] [created]\n  Label: Eating\n", PLAIN),
    (
        "R4",
        "- ID: 1\n  Content: |\n    a\n      b\n\n    c\n",
        '- ID: 1\n  Content: "a\\n  b\\n\\nc"\n',
    ),
    ("R4", "- ID: 1\n  Content: >\n    a\n  Label: x\n", "- ID: 1\n  Content: a\n  Label: x\n"),
    (
        "R5",
        "- ID: 1\n  Content: a\n    b\n    - c\n  Label: x\n",
        '- ID: 1\n  Content: "a\\nb\\n- c"\n  Label: x\n',
    ),
    ("R6", "- ID: 1\n  Content: `a\n    b\n  `\n", '- ID: 1\n  Content: "a\\nb"\n'),
    ("R7", "-ID: new-1 [created]\n  Label: Eating\n", PLAIN),
    ("R8", "\u2013 ID: new-1 [created]\n\u00a0\u00a0Label: Eating\n", PLAIN),
    ("R8", "\u2022 ID: new-1 [created]\n  Label: Eating\n", PLAIN),
]


@pytest.mark.parametrize(
    ("rule", "text", "meant"), DOCUMENTS, ids=[repr(one[1][:40]) for one in DOCUMENTS]
)
def test_a_document_of_a_model_is_repaired(rule, text, meant):
    del rule  # names the repair in the table
    with pytest.raises(RecollectError):
        parse(text)
    repaired = repair(text)
    assert repaired.value == parse(meant)
    assert repaired.notices
    assert {one.code for one in repaired.notices} == {"repaired"}


RESPONSES = [
    ("R1", f"I did it.\n```\nContext: command\nResponse: data\nData:\n{PLAIN}```\nDone."),
    ("R1", f"Context: command\nResponse: data\nData:\n```\n{PLAIN}```\n"),
    ("R2", f"context: Command\nresponse: Data\ndata:\n{PLAIN}"),
    ("R1", f"```\nContext: command\nResponse: data\nData:\n```\n{PLAIN}```\n```"),
    ("R1", f"```\nContext: command\nResponse: data\nData:\n```yaml\n{PLAIN}```\n```\nDone."),
    ("R10", f'Context: command\nPrompt: "x"\nMessages:\n  - "y"\nResponse: data\nData:\n{PLAIN}'),
]


@pytest.mark.parametrize(("rule", "text"), RESPONSES, ids=[repr(one[1][:40]) for one in RESPONSES])
def test_a_response_of_a_model_is_repaired(rule, text):
    del rule  # names the repair in the table
    with pytest.raises(RecollectError):
        parse_response(text)
    repaired = repair_response(text, context="command")
    assert repaired.value == parse_response(f"Context: command\nResponse: data\nData:\n{PLAIN}")
    assert repaired.notices


def test_every_repair_is_told_and_at_most_a_hundred():
    text = "- id: 1\n  label: a\n- ID: [2]\n  content: b\n"
    assert len(repair(text).notices) == 5  # two headers, one of them in brackets, two fields
    assert len(repair("".join(f"- ID: [{one}]\n" for one in range(500))).notices) == 100


def test_a_missing_step_is_the_one_of_the_run():
    text = "Context: workflow\nResponse: data\n"
    assert repair_response(text, step="2").value.workflow_step == "2"
    with pytest.raises(RecollectError):
        repair_response(text)


NEVER = [
    ("KM_1005", "- ID: 1\n  Content: `\n    x\n"),
    ("KM_1006", "- ID: 1 [new]\n"),
    ("KM_1008", "- ID: 1\n  Label: a\n  Label: b\n"),
    ("KM_1004", "- ID:\n  Label: a\n"),
    ("KM_1003", "- ID: a#b [deleted]\n"),
    ("KM_1003", "- ID: issue#12\n  - ID: new-1 [created]\n"),
]


@pytest.mark.parametrize(("code", "text"), NEVER)
def test_what_would_be_guessed_is_never_repaired(code, text):
    with pytest.raises(RecollectError) as caught:
        repair(text)
    assert caught.value.code.code == code


def test_where_the_repairs_do_not_help_the_first_error_of_the_given_text_stands():
    text = "Here:\n- ID: 1 [new]\n  Label: a\n"
    with pytest.raises(RecollectError) as caught:
        repair(text)
    assert caught.value.code.code == "KM_1007"
    assert caught.value.source == text


def test_a_deep_text_is_repaired_in_linear_time():
    # each line was once searched from each of its blanks on: minutes, for a megabyte
    deep = "".join(f"{' ' * level}- ID: {level}\n" for level in range(1_500))
    with pytest.raises(RecollectError) as caught:
        repair(deep)
    assert caught.value.code.code == "KM_4002"


def test_nothing_inside_a_block_is_touched():
    text = "Here:\n- ID: 1\n  Content: `\n    label: x\n    -ID: [3]\n    ```\n  `\n"
    assert next(repair(text).value.walk()).content == "label: x\n-ID: [3]\n```"
