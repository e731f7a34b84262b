"""What is said about variables and parameters that do not fit."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

import recollect


@pytest.fixture
def refusal():
    with recollect.open(":memory:") as nexus:

        def shown(text, **parameters):
            with pytest.raises(recollect.RecollectError) as refused:
                nexus.write(text, {name.replace("_", "$"): one for name, one in parameters.items()})
            return str(refused.value)

        yield shown


def test_a_variable_of_two_kinds_is_shown_in_both_places(refusal):
    text = 'FIND(?n)\nWHERE { ?n {type: "Drug"}\n  ATTR(?n, "name", ?n) }'
    assert refusal(text) == snapshot("""\
KIP_1001 InvalidSyntax: variable ?n is a value here and an element before
   3 |   ATTR(?n, "name", ?n) }
     |                    ^^
  before: line 2, column 9
  hint: use two variables: an element and a value never compare equal\
""")


@pytest.mark.parametrize("find", ["FIND(?x)", "FIND(?z)"])
def test_a_variable_bound_in_not_exists_only_there(refusal, find):
    text = f'{find} WHERE {{ ?x {{type: "T"}} NOT {{ ?z {{type: "U"}} }} FILTER(?z == ?x) }}'
    assert "variable ?z exists only inside NOT" in refusal(text)
    assert "hint: move what uses ?z into the block of NOT" in refusal(text)


def test_a_parameter_given_with_its_sign_is_named_without(refusal):
    assert refusal("FIND(?x) WHERE { ?x {type: $t} }", _t="Drug") == snapshot("""\
KIP_3001 ReferenceError: parameter $t has no value: its name is "t", not "$t"
   1 | FIND(?x) WHERE { ?x {type: $t} }
     |                            ^^
  hint: pass parameters={"t": ...}\
""")


def test_a_parameter_with_its_sign_that_is_not_used_is_named_without():
    with recollect.open(":memory:") as nexus:
        (notice,) = nexus.read('FIND(?x) WHERE { ?x {name: "a"} }', {":t": 1}).notices
        assert (notice.code, notice.hint) == ("unused_parameter", "name it t")


@pytest.mark.parametrize(
    "text",
    [
        'SEARCH CONCEPT ""',
        'FIND(?x) WHERE { ?x {type: ""} }',
        'FIND(?x) WHERE { ?x {type: "T", name: ""} }',
        'UPSERT { CONCEPT { {type: "", name: "a"} } }',
        'UPSERT { CONCEPT { {type: "T", name: ""} } }',
    ],
)
def test_an_empty_text_is_asked_for_words(refusal, text):
    shown = refusal(text)
    assert "hint: give " in shown
    assert "^^" in shown
