"""`check`: everything that is wrong with a text, or doubtful in it, at once and in its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import recollect
import strategies
from recollect.errors import RecollectError
from recollect.kernel import check, print_text

MANY = """\
FIND(?x, ?y)
WHERE {
  ?x {type: "A}
  FILTER(?z = 3)
  NOT { (?x, knows, ?w) }
}
ORDER BY ?q desc
LIMIT "10";

UPSERT {
  CONCEPT @a { {type: "T", name: "n"} SET ATTRIBUTES {_a: 1} SET PROPOSITIONS { ("p", @b) } }
  CONCEPT @a { {type: "T"} }
}

DESCRIBE PRIMERS
"""


def told(text, parameters=None):
    """The code and the words in the text of each diagnostic."""
    return [(one.code, text[one.span.start : one.span.end]) for one in check(text, parameters)]


def test_a_text_without_faults_has_no_diagnostics():
    assert check('FIND(?x.name) WHERE { ?x {type: "A"} }') == []


def test_all_faults_of_all_statements_are_told_in_their_order_and_place():
    assert told(MANY) == [
        ("KIP_3001", "?y"),
        ("KIP_1001", '"'),
        ("KIP_3001", "?z"),
        ("KIP_1001", "="),
        ("KIP_1001", "knows"),
        ("KIP_3001", "?q"),
        ("KIP_1001", "desc"),
        ("KIP_1001", '"10"'),
        ("KIP_2002", "{_a: 1}"),
        ("KIP_3001", "@b"),
        ("KIP_3003", "@a"),
        ("KIP_1001", "PRIMERS"),
    ]


def test_fixes_are_in_the_coordinates_of_the_whole_text():
    text = "FIND(?x) WHERE { ?x {type: A} }\nFIND(?y) WHERE { ?y {type: B} FILTER(?y.name = 1) }"
    found = check(text)
    for one in reversed(found):
        text = one.fix.apply(text)
    assert text == (
        'FIND(?x) WHERE { ?x {type: "A"} }\nFIND(?y) WHERE { ?y {type: "B"} FILTER(?y.name == 1) }'
    )
    assert check(text) == []


def test_a_fault_that_no_edit_mends_hides_no_other():
    text = """\
FIND(?x, ?v, ?zz)
WHERE {
  ?x {type: "A"}
  ?v what is this supposed to be
  FILTER(?zzz == 1)
}
"""
    codes = [code for code, _ in told(text)]
    assert codes[0] == "KIP_3001"  # ?zz
    assert "KIP_1001" in codes
    assert ("KIP_3001", "?zzz") in told(text)
    assert ("KIP_3001", "?v") not in told(text)


def test_the_code_fence_of_a_model_is_one_fault():
    text = 'Here:\n```kip\nFIND(?x)\nWHERE { ?x {type: "A"} }\n```'
    (found,) = check(text)
    assert check(found.fix.apply(text)) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('MERGE CONCEPT ?a INTO ?c WHERE { ?a {name: "x"} ?b {name: "y"} }', "?c"),
        ('DELETE ATTRIBUTES {"a"} FROM ?z WHERE { ?x {type: "A"} }', "?z"),
        ('DELETE CONCEPT ?z DETACH WHERE { ?x {type: "A"} }', "?z"),
        ('DELETE PROPOSITIONS ?z WHERE { ?x (?s, "p", ?o) }', "?z"),
        ('UPDATE ?z SET ATTRIBUTES {a: 1} WHERE { ?x {type: "A"} }', "?z"),
        ('EXPORT ?z WHERE { ?x {type: "A"} }', "?z"),
        ('EXPLAIN FIND(?z) WHERE { ?x {type: "A"} }', "?z"),
        ('FIND(?x, COUNT(?z)) WHERE { ?x {type: "A"} }', "?z"),
        ('FIND(?x, ?z.name) WHERE { ?x {type: "A"} }', "?z"),
        ('FIND(?x) WHERE { ?x {type: "A"} OPTIONAL { FILTER(?z == 1) } }', "?z"),
    ],
)
def test_a_name_that_nothing_binds_is_told_in_every_statement(text, wrong):
    ((code, words),) = told(text)
    assert code == "KIP_3001"
    assert words.startswith(wrong)


def test_the_nearest_name_is_a_fix_only_where_it_must_be_meant():
    (found,) = check('FIND(?drg) WHERE { ?drug {type: "A"} }')
    assert (found.hint, found.fix.text, found.known) == ("use ?drug", "?drug", ("?drug",))
    (found,) = check('FIND(?b, ?a) WHERE { ?a {type: "A"} }')
    assert found.fix is None
    (found,) = check('FIND(?row2) WHERE { ?row1 {type: "A"} }')
    assert found.fix is None


def test_both_places_of_a_contradiction_are_told():
    text = 'FIND(?x) WHERE { ?x {type: "A"} ATTR(?x, "k", ?x) }'
    (found,) = check(text)
    assert found.first is not None
    assert text[found.first.start : found.first.end] == "?x"
    assert found.first.start < found.span.start


def test_placeholders_have_values_unless_parameters_say_otherwise():
    text = "FIND(?x) WHERE { ?x {type: $t} FILTER(IN(?x.name, $l) && REGEX(?x.name, $r)) } LIMIT $n"
    assert check(text) == []
    assert told(text, {"t": "A", "l": ["a"]}) == [("KIP_3001", "$r"), ("KIP_3001", "$n")]
    values = {"t": "A", "l": ["a"], "r": "^a", "n": 3}
    assert check(text, values) == []
    (unused,) = check(text, {**values, "m": 1})
    assert (unused.severity, unused.code) == ("warning", "unused_parameter")


def test_a_value_of_the_wrong_kind_is_told():
    text = "FIND(?x) WHERE { ?x {type: $t} FILTER(IN(?x.name, $l)) }"
    assert [code for code, _ in told(text, {"t": 3, "l": 4})] == ["KIP_2003", "KIP_2003"]


def test_a_regular_expression_is_examined():
    assert told('FIND(?x) WHERE { ?x {type: "A"} FILTER(REGEX(?x.name, "(")) }') == [
        ("KIP_1001", '"("')
    ]


def test_a_value_that_is_read_and_not_used_is_doubtful():
    text = 'FIND(?x) WHERE { ?x {type: "A"} ATTR(?x, "k", ?v) }'
    (found,) = check(text)
    assert (found.severity, found.code) == ("warning", "unused_variable")
    assert check(text.replace("FIND(?x)", "FIND(?x, ?v)")) == []
    assert check(text.replace(") }", ") FILTER(?v == 1) }")) == []


def test_a_placeholder_in_a_string_is_doubtful_in_its_place():
    text = 'FIND(?x) WHERE { ?x {type: A} };\nFIND(?x) WHERE { ?x {name: "$name"} }'
    found = check(text)
    assert [one.code for one in found] == ["KIP_1001", "placeholder_in_string"]
    assert text[found[1].span.start : found[1].span.end] == "$name"
    assert found[1].fix.apply(text).endswith("{name: $name} }")
    (inside,) = check('FIND(?x) WHERE { ?x {name: "Dr. $name"} }')
    assert inside.fix is None


@pytest.mark.parametrize("text", ["", "   ", "// only a comment"])
def test_a_text_without_a_statement_is_told_once(text):
    assert [code for code, _ in told(text)] == ["KIP_1001"]


def test_a_diagnostic_reads_as_an_error_does():
    (found,) = check('FIND(?drg) WHERE { ?drug {type: "A"} }')
    with recollect.open(":memory:") as nexus, pytest.raises(RecollectError) as refused:
        nexus.read('FIND(?drg) WHERE { ?drug {type: "A"} }')
    assert str(found) == str(refused.value)
    assert (
        found.to_wire().items()
        >= {
            "severity": "error",
            "code": "KIP_3001",
            "line": 1,
            "column": 6,
            "fix": {"start": 5, "end": 9, "text": "?drug"},
        }.items()
    )


@given(strategies.scripts)
def test_a_script_of_any_kind_is_answered(tree):
    text = print_text(tree)
    for one in check(text):
        assert one.code != "KIP_4003"
        assert 0 <= one.span.start <= one.span.end <= len(text)


@given(st.text(max_size=80))
def test_an_arbitrary_text_is_answered(text):
    for one in check(text):
        assert 0 <= one.span.start <= one.span.end <= len(text)


PAGES = sorted((Path(__file__).parents[3] / "docs" / "kip").glob("*.md"))


@pytest.mark.parametrize(
    "page", [one for one in PAGES if one.stem != "errors"], ids=lambda page: page.stem
)
def test_the_examples_of_the_documentation_have_no_errors_that_they_do_not_show(page):
    text = page.read_text(encoding="utf-8")
    for example in re.finditer(r"^```kip\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        wrong = [one for one in check(example[1]) if one.severity == "error"]
        assert not wrong or '"error"' in text[example.end() : example.end() + 400], str(wrong[0])
