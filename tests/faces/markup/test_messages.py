"""Requests and responses: what they must hold, and what is refused."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings, strategies as st

from faces.markup import examples, trees
from recollect import RecollectError
from recollect.faces.markup import (
    Action,
    Request,
    Response,
    check,
    format_text,
    parse_request,
    parse_response,
    print_text,
    repair_response,
    syntax_card,
)


def refused(text: str, read=parse_response, **given) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        read(text, **given)
    assert caught.value.hint
    return caught.value


def code_of(text: str, read=parse_response, **given) -> str:
    return refused(text, read, **given).code.code


@pytest.mark.parametrize("text", examples.REQUESTS.values(), ids=examples.REQUESTS)
def test_a_request_of_the_specification_is_read_and_printed_stably(text):
    request = parse_request(text)
    assert parse_request(print_text(request)) == request
    assert print_text(request) == print_text(parse_request(print_text(request)))
    assert check(text) == ()


@pytest.mark.parametrize("text", examples.RESPONSES.values(), ids=examples.RESPONSES)
def test_a_response_of_the_specification_is_read_and_printed_stably(text):
    response = parse_response(text)
    assert parse_response(print_text(response)) == response
    assert check(text) == ()
    assert repair_response(text).notices == ()


@given(trees.REQUESTS)
def test_what_is_printed_is_read_as_the_same_request(request):
    text = print_text(request)
    assert parse_request(text) == request
    assert format_text(text) == text


@given(trees.RESPONSES)
def test_what_is_printed_is_read_as_the_same_response(response):
    text = print_text(response)
    assert parse_response(text) == response
    assert repair_response(text).notices == ()
    assert format_text(text) == text


@settings(max_examples=300)
@given(trees.RESPONSES, st.integers(0, 10_000), st.sampled_from([*trees.FORGED, "", "x", "\n  "]))
def test_a_changed_response_raises_errors_of_knowing_markup_only(response, at, text):
    given_text = print_text(response)
    place = at % (len(given_text) + 1)
    changed = given_text[:place] + text + given_text[place + 1 :]
    for read in (parse_response, repair_response):
        try:
            read(changed)
        except RecollectError as error:
            assert error.code.code.startswith("KM_")
    for one in check(changed):
        assert one.code.startswith("KM_")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("KM_2001", "Prompt: x"),
        ("KM_2001", "Context: chat\nPrompt: x"),
        ("KM_2002", "Context: command\nPrompt: x\nMood: good"),
        ("KM_2003", "Context: command\nPrompt: x\nPrompt: y"),
        ("KM_2004", "Context: command\n"),
        ("KM_2004", "Context: workflow\n"),
        ("KM_2004", "Context: command\nPrompt: x\nInstructions: y"),
        ("KM_2007", "Context: command\nPrompt: x\nData:\n- ID: 1\nAttentionNode: 2"),
        (
            "KM_2007",
            "Context: command\nPrompt: x\nData:\n- ID: 1\n- ID: 2\nAttentionBranch: 1\nAttentionNode: 2",
        ),
        ("KM_1009", "Context: command\nPrompt: x\nData: - ID: 1"),
        ("KM_1005", "Context: command\nPrompt: `\nx"),
    ],
)
def test_a_request_with_a_fault_is_refused(code, text):
    assert code_of(text, parse_request) == code


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("KM_2001", "Response: data"),
        ("KM_2004", "Context: command\n"),
        ("KM_2004", "Context: command\nResponse: data"),
        ("KM_2004", "Context: command\nResponse: action"),
        ("KM_2004", "Context: command\nResponse: error"),
        ("KM_2004", "Context: command\nResponse: data\nData:\nError: x"),
        ("KM_2004", "Context: command\nResponse: action\nAction:\n- ID: 1"),
        ("KM_2004", "Context: conversation\nResponse: data"),
        ("KM_2004", "Context: workflow\nResponse: data"),
        ("KM_2005", "Context: command\nResponse: Data"),
        ("KM_2005", "Context: command\nResponse: Finished workflow"),
        ("KM_2005", "Context: workflow\nWorkflow step: 1\nResponse: data\nWorkflow status: done"),
        ("KM_1009", "Context: command\nResponse: action\nAction: call me {"),
        (
            "KM_1009",
            f'Context: command\nResponse: action\nAction: f {{"a":{"[" * 5000}{"]" * 5000}}}',
        ),
    ],
)
def test_a_response_with_a_fault_is_refused(code, text):
    assert code_of(text) == code


FIXES = [
    ("Context: command\nPrompt: x\nPrompt: y\n", None),
    ("Context: Command\nPrompt: x", "Context: command\nPrompt: x"),
    ("Context: comment\nPrompt: x", None),
    ("Context: conversation\nMessage: hi", None),
    ("Context: conversation\nAction: hi", None),
    ("Prompt: x\n", None),
    ("Context: chat\nPrompt: x", None),
    ("Context: command\nprompt: x\n", "Context: command\nPrompt: x\n"),
    ("Context: command\nPromt: x\n", None),
    ("Context: command\nPrompt: x\nMood: `\n  good\n`\n", None),
    ("Context: command\nPrompt: x\nInstructions: y\n", None),
    ("Context: command\nPrompt: x\nData: - ID: 1", "Context: command\nPrompt: x\nData: \n- ID: 1"),
    ("Context: workflow\nMessages: hi\n", "Context: workflow\nMessages: \n- hi\n"),
    ("Context: command\nPrompt: a\nb\nc\n", "Context: command\nPrompt: `\n  a\n  b\n  c\n`\n"),
    ("Context: command\nPrompt: `\nx", "Context: command\nPrompt: `\nx\n`"),
    ("Context: command\nWell\nPrompt: x", "Context: command\n# Well\nPrompt: x"),
    (
        "Context: command\nPrompt: x\nData:\n- ID: 1\nHope it helps",
        "Context: command\nPrompt: x\nData:\n- ID: 1\n# Hope it helps",
    ),
    ("Context: command\nResponse: Data\nData:\n", "Context: command\nResponse: data\nData:\n"),
    ("Context: command\nResponse: no data", None),
    (
        "Context: command\nResponse: data\n  a text\nData:\n",
        "Context: command\nResponse: data\n# a text\nData:\n",
    ),
    ("Context: command\nData:\n", "Context: command\nResponse: data\nData:\n"),
    ("Context: conversation\nMessage: x\nAction: f\nError: x\n", None),
    ("Context: command\nError: x\n", "Context: command\nResponse: error\nError: x\n"),
    (
        "Context: workflow\nWorkflow step: 1\nResponse: data\nWorkflow status: Finished",
        "Context: workflow\nWorkflow step: 1\nResponse: data\nWorkflow status: finished",
    ),
    *(
        (f"Context: workflow\nWorkflow step: 1\nResponse: data\nWorkflow status: {one}", None)
        for one in ("pending", "failed", "not finished", "done")
    ),
]


@pytest.mark.parametrize(("text", "mended"), FIXES, ids=[one[:40] for one, _ in FIXES])
def test_a_fault_of_a_message_has_an_edit_where_one_mends_it(text, mended):
    is_response = any(one in text for one in ("Response", "Error", "command\nData"))
    error = refused(text, parse_response if is_response else parse_request)
    assert (error.fix and error.fix.apply(text)) == mended
    if mended is not None:
        (parse_response if is_response else parse_request)(mended)


def test_an_answer_without_its_context_begins_with_that_of_its_request():
    error = refused("Response: no-data-available", partial(parse_response, context="workflow"))
    assert error.fix and error.fix.apply("Response: x") == "Context: workflow\nResponse: x"


@pytest.mark.parametrize("context", ["command", "workflow", "conversation"])
def test_the_context_is_one_of_three(context):
    entry = "Instructions" if context == "workflow" else "Prompt"
    assert parse_request(f"Context: {context}\n{entry}: x").context == context
    assert set(refused("Context: chat\nPrompt: x", parse_request).known) == {
        *("command", "workflow", "conversation")
    }


@pytest.mark.parametrize(
    "head", ["command", "workflow\nWorkflow step: 1", "conversation\nMessage: m"]
)
def test_the_answers_of_every_context_are_of_four_types(head):
    for response, more in (
        ("data", "Data:\n- ID: 1\n"),
        ("action", "Action: callMe\n"),
        ("error", "Error: no\n"),
        ("no-data-available", ""),
    ):
        text = f"Context: {head}\nResponse: {response}\n{more}"
        assert parse_response(text).response == response


def test_a_conversation_holds_a_prompt_and_may_hold_data():
    assert parse_request("Context: conversation\nPrompt: x").data is None
    assert parse_request("Context: conversation\nPrompt: x\nData:\n- ID: 1").data is not None
    assert code_of("Context: conversation\nData:\n- ID: 1", parse_request) == "KM_2004"
    assert parse_response("Context: conversation\nResponse: data\nMessage: x").data is None


def test_an_answer_is_of_the_context_of_its_request():
    text = "Context: command\nResponse: no-data-available"
    assert code_of(text, context="workflow") == "KM_2009"
    assert parse_response(text, context="command").context == "command"


def test_data_beside_an_error_is_ignored():
    text = "Context: command\nResponse: error\nError: no\nData:\n- ID: 1\n"
    assert parse_response(text).data is None


def test_data_of_an_entry_ends_at_the_next_key_at_column_zero_outside_a_block():
    text = "Context: command\nPrompt: x\nData:\n- ID: 1\n  Content: `\nPrompt: no\n  `\nAttentionNode: 1\n"
    request = parse_request(text)
    assert request.data is not None
    assert next(request.data.walk()).content == "Prompt: no"
    assert request.attention_node == "1"


def test_a_call_on_one_line_is_read_as_its_document():
    text = 'Context: command\nResponse: action\nAction: callMe {"Email-address": "a@b.c", "n": 3}\n'
    response = parse_response(text)
    assert response.actions == (Action("callMe", {"Email-address": "a@b.c", "n": "3"}),)
    assert parse_response(print_text(response)) == response


def test_several_calls_are_told_in_order():
    text = (
        "Context: command\nResponse: action\nAction:\n"
        "- ACTION ID: new-1 [created]\n  Use function: a\n  - ID: x\n    Value: 1\n"
        "- ACTION ID: new-2 [created]\n  Use function: b\n"
    )
    assert parse_response(text).actions == (Action("a", {"x": "1"}), Action("b", {}))


@pytest.mark.parametrize(
    "text", ["Response: Finished workflow", "Response: data\nWorkflow status: finished"]
)
def test_a_workflow_is_finished_in_either_form(text):
    assert parse_response(f"Context: workflow\nWorkflow step: 1\n{text}").is_finished


def test_prompts_and_messages_are_printed_in_quotes_or_as_blocks():
    request = Request("command", prompt="a\nb", messages=("one", "two\nlines"))
    assert print_text(request) == (
        'Context: command\nPrompt: `\n  a\n  b\n`\nMessages:\n  - "one"\n  - "two\\nlines"\n'
    )
    assert 'Message: "yes"' in print_text(Response("conversation", "data", message="yes"))


def test_the_comments_of_a_message_stay():
    text = "Context: command\n# why\nPrompt: x\n# of data\nData:\n# a lion\n- ID: 1\n# the end\n"
    formatted = format_text(text)
    assert format_text(formatted) == formatted
    assert [one for one in formatted.split("\n") if one.lstrip().startswith("#")] == [
        "# why",
        "# of data",
        "# a lion",
        "# the end",
    ]


def test_every_example_on_the_card_is_strict():
    card = syntax_card()
    assert len(card) < 8_000
    blocks = [
        one
        for one in card.split("\n\n")
        if one.startswith(("Context:", "---\n", "- ID:", "- ARTICLE"))
    ]
    assert len(blocks) >= 8
    for block in blocks:
        if "`- ID" in block.split("\n")[0] or block.startswith("- ID: new-1 [created]`"):
            continue
        assert check(block) == (), block
