"""What other languages say: each idiom is known, and its edit says the same or there is none."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel import parse

IN = "FIND(?a) WHERE {{ {} }}"
NEW = 'UPSERT {{ CONCEPT ?d {{ {{type: "Drug", name: "a"}} SET ATTRIBUTES {{ {} }} }} }}'

MENDED = [
    (IN.format('(?a, !"treats", ?b)'), IN.format('NOT { (?a, "treats", ?b) }')),
    (IN.format('(?a, NOT "treats", ?b)'), IN.format('NOT { (?a, "treats", ?b) }')),
    (IN.format('(?a, ^"treats", ?b)'), IN.format('(?b, "treats", ?a)')),
    (IN.format('(?a, ["x", "y"], ?b)'), IN.format('(?a, "x" | "y", ?b)')),
    (IN.format('?a NOT {type: "Drug"}'), IN.format('NOT { ?a {type: "Drug"} }')),
    (IN.format('?a.type == "Drug"'), IN.format('FILTER(?a.type == "Drug")')),
    (
        IN.format('?a {type: "D"} ?a.risk > 3'),
        IN.format('?a {type: "D"} FILTER(?a.attributes.risk > 3)'),
    ),
    (
        IN.format('?a {type: "Drug", risk: 3}'),
        IN.format('?a {type: "Drug"} FILTER(?a.attributes.risk == 3)'),
    ),
    (
        IN.format('?a {type: "D"} FILTER(?a.attributes.v BETWEEN 1 AND 3)'),
        IN.format('?a {type: "D"} FILTER(?a.attributes.v >= 1 && ?a.attributes.v <= 3)'),
    ),
    (
        IN.format('?a {type: "D"}') + " ORDER BY -?a.name",
        IN.format('?a {type: "D"}') + " ORDER BY ?a.name DESC",
    ),
    (
        IN.format('?a {type: "D"}') + " LIMIT 5, 10",
        IN.format('?a {type: "D"}') + " LIMIT 10 OFFSET 5",
    ),
    (NEW.format("v: - 5"), NEW.format("v: -5")),
    (NEW.format("v == 5"), NEW.format("v : 5")),
    (NEW.format("at: 2024-01-01"), NEW.format('at: "2024-01-01"')),
    (NEW.format("at: 2024-01-01T10:00:00Z"), NEW.format('at: "2024-01-01T10:00:00Z"')),
    (NEW.format('q: "he said "hi""'), NEW.format(r'q: "he said \"hi\""')),
    (NEW.format('q: "he said "hi" now", p: 1'), NEW.format(r'q: "he said \"hi\" now", p: 1')),
    (NEW.format('q: "two\nlines"'), NEW.format(r'q: "two\nlines"')),
    (
        'UPSERT { CONCEPT ?d { {type: "Drug", name: "a", risk_level: 3} } }',
        'UPSERT { CONCEPT ?d { {type: "Drug", name: "a"} SET ATTRIBUTES { risk_level: 3 } } }',
    ),
    (
        'UPSERT { CONCEPT ?d { {type: "Drug", name: "a", r: 3} SET ATTRIBUTES { s: 1 } } }',
        'UPSERT { CONCEPT ?d { {type: "Drug", name: "a"} SET ATTRIBUTES { r: 3,  s: 1 } } }',
    ),
    ('SEARCH FOR "x" IN CONCEPT', 'SEARCH CONCEPT "x"'),
    ('SEARCH CONCEPT FOR "x" IN Drug', 'SEARCH CONCEPT "x" WITH TYPE "Drug"'),
    (
        "UPDATE Drug SET ATTRIBUTES { a: 1 }",
        'UPDATE ?x SET ATTRIBUTES { a: 1 } WHERE { ?x {type: "Drug"} }',
    ),
    (
        'UPDATE {type: "Drug", name: "b"} SET ATTRIBUTES { a: 1 }',
        'UPDATE ?x SET ATTRIBUTES { a: 1 } WHERE { ?x {type: "Drug", name: "b"} }',
    ),
]

ONLY_TOLD = [
    ('DELETE PROPOSITIONS ?l WHERE { ?l (?a, !"treats", ?b) }', "not negated"),
    (IN.format('?a {type: "D"} FILTER(?a.attributes.v > 10%)'), "`10%` is no number"),
    (
        'DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Drug", name != "Aspirin"} }',
        "a pattern compares nothing, found `!=`",
    ),
    ('DELETE CONCEPT ?d DETACH WHERE { ?d {type != "Drug"} }', "compares nothing"),
    (IN.format('?a {type: "D", risk >= 3}'), "compares nothing, found `>=`"),
    (IN.format('?a {type: "D", risk < 3}'), "compares nothing, found `<`"),
    (NEW.format("v != 5"), "found `!=`"),
    (NEW.format("v <= 5"), "found `<=`"),
    ('FIND(?a, COUNT(?b)) WHERE { (?a, "x", ?b) } HAVING COUNT(?b) > 2', "no HAVING"),
    (IN.format('(?a, "x", ?b)') + " RETURN ?b", "no RETURN"),
    (IN.format('(?a, "x", ?b)') + ' AS OF "2024-01-01"', "as of when"),
    (IN.format('(?a, "x", ?b)') + " GROUP BY ?b", "no GROUP BY"),
    ("Never run this: " + IN.format('(?a, "x", ?b)'), "words stand before"),
]

NEWER = [
    "ASSERT {}",
    "MUTATE {}",
    "BELIEF ?x",
    "LIST CONCEPTS",
    "HISTORY ?x",
    "VERIFY ?x",
    "RETRACT ?x",
]


def refused(text: str) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        parse(text)
    return caught.value


@pytest.mark.parametrize(("text", "meant"), MENDED, ids=[text for text, _ in MENDED])
def test_an_idiom_is_mended_to_what_says_the_same(text, meant):
    error = refused(text)
    assert error.fix is not None, error
    assert error.fix.apply(text) == meant
    parse(meant)


@pytest.mark.parametrize(("text", "said"), ONLY_TOLD, ids=[text for text, _ in ONLY_TOLD])
def test_what_no_edit_can_say_is_told_in_a_hint(text, said):
    error = refused(text)
    assert said in error.message
    assert error.hint
    assert error.fix is None


@pytest.mark.parametrize("text", NEWER)
def test_a_word_of_kip_2_is_known_by_name(text):
    error = refused(text)
    assert "is KIP 2.0" in error.message
    assert error.hint.startswith("here, ")
    assert error.fix is None


@pytest.mark.parametrize(
    "text",
    [
        IN.format('(?a, "x", ?b) FILTER(! ?a.name)'),
        IN.format('?a {type: "D"} FILTER(?a.attributes.v > 5 6)'),
        IN.format('(?a, "x" "y", ?b)'),
        IN.format('?a {type: "D"}') + " ORDER BY ?a.name NOT",
        NEW.format("v: ~ 5"),
        NEW.format("v: 5 mg"),
    ],
)
def test_no_edit_takes_a_word_a_number_or_an_operator_away(text):
    fix = refused(text).fix
    if fix is not None and not fix.text:
        assert set(text[fix.span.start : fix.span.end]) <= set("(){}[],;:|\"'`. ")


@pytest.mark.parametrize(
    ("text", "undenied"),
    [
        (IN.format('?a {type: "D"} FILTER(NOT_CONTAINS(?a.name, "x"))'), "(CONTAINS("),
        (IN.format('?a {type: "D"} FILTER(NOTCONTAINS(?a.name, "x"))'), "(CONTAINS("),
        (IN.format('?a {type: "D"} FILTER(NIN(?a.name, ["x"]))'), "(IN("),
        (IN.format('?a {type: "D"} FILTER(NOT_IS_NULL(?a.name))'), "(IS_NULL("),
        (IN.format('?a {type: "D"} FILTERNOT(?a.attributes.v > 5)'), "FILTER("),
        (IN.format('?a {type: "D"} FILTER_NOT(?a.attributes.v > 5)'), "FILTER("),
        ('UPDATE ?a UNSET ATTRIBUTES { v: 5 } WHERE { ?a {type: "D"} }', " SET"),
        (IN.format('?a {type: "D"}') + " ORDER BY -?a.name DESC", "BY ?a.name DESC"),
        (IN.format('?a {type: "D"} FILTER(< ?a.attributes.v > 5)'), "(?a"),
    ],
)
def test_no_row_of_edits_takes_a_denial_or_a_direction_away(text, undenied):
    for _ in range(5):
        try:
            parse(text)
        except RecollectError as error:
            if error.fix is None:
                return
            text = error.fix.apply(text)
        else:
            break
    assert undenied not in text


def test_a_quote_is_removed_only_where_one_is_too_many():
    text = IN.format('?a {type: "D"} NOT NOT { (?a, "x", ?b) }')
    fix = refused(text).fix
    assert fix is None or '"' not in text[fix.span.start : fix.span.end]
