"""What other languages and half-remembered texts write, and the edit that mends it."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel import parse

FIND = 'FIND(?p.name) WHERE { ?p {type: "Person"} '
UPDATE = "UPDATE ?p SET ATTRIBUTES { v: "
WHERE = 'WHERE { ?p {type: "Person"} }'
BLOCK = 'UPSERT { CONCEPT ?a { {type: "P", name: "1"} '

MENDED = [
    (FIND + 'FILTER(?p.name LIKE "A%") }', FIND + 'FILTER(STARTS_WITH(?p.name, "A")) }'),
    (FIND + 'FILTER(?p.name like "%A") }', FIND + 'FILTER(ENDS_WITH(?p.name, "A")) }'),
    (FIND + 'FILTER(?p.name LIKE "%A%") }', FIND + 'FILTER(CONTAINS(?p.name, "A")) }'),
    (FIND + 'FILTER(?p.name CONTAINS "A") }', FIND + 'FILTER(CONTAINS(?p.name, "A")) }'),
    (FIND + "FILTER(?p.name IN [1, 2]) }", FIND + "FILTER(IN(?p.name, [1, 2])) }"),
    (FIND + "FILTER(?p.name NOT IN $n) }", FIND + "FILTER(!IN(?p.name, $n)) }"),
    (FIND + 'FILTER(IN(?p.name, "x")) }', FIND + 'FILTER(IN(?p.name, ["x"])) }'),
    (FIND + "FILTER(?p.name IS NULL) }", FIND + "FILTER(IS_NULL(?p.name)) }"),
    (FIND + "FILTER(?p.name IS NOT NULL) }", FIND + "FILTER(IS_NOT_NULL(?p.name)) }"),
    (FIND + 'FILTER NOT EXISTS { (?p, "k", ?q) } }', FIND + 'NOT { (?p, "k", ?q) } }'),
    (FIND + 'MINUS { (?p, "k", ?q) } }', FIND + 'NOT { (?p, "k", ?q) } }'),
    (FIND + "} ORDER BY ?p.name DESCENDING", FIND + "} ORDER BY ?p.name DESC"),
    (FIND + "} ORDER_BY ?p.name", FIND + "} ORDER BY ?p.name"),
    (FIND + "} LIMIT 3 CURSOR null", FIND + "} LIMIT 3 "),
    (
        'FIND(?p) WHERE { { ?p {type: "A"} } UNION { ?p {type: "B"} } }',
        'FIND(?p) WHERE { ?p {type: "A"} UNION { ?p {type: "B"} } }',
    ),
    ('FIND(?p.attributes["age"]) ' + WHERE, "FIND(?p.attributes.age) " + WHERE),
    ('FIND(?p["two words"]) ' + WHERE, 'FIND(?p.attributes."two words") ' + WHERE),
    ('FIND(?p) WHERE { ?p (type: "A") }', 'FIND(?p) WHERE { ?p {type: "A"} }'),
    ('FIND(?p) WHERE { (?p, "k", (name = "A")) }', 'FIND(?p) WHERE { (?p, "k", {name : "A"}) }'),
    ('FIND(?l) WHERE { ?l (id = "y") }', 'FIND(?l) WHERE { ?l (id : "y") }'),
    ('SEARCH "a" MODE semntic', 'SEARCH "a" MODE "semantic"'),
    ('DESCRIBE DOMAIN "x"', "DESCRIBE DOMAINS"),
    ("EXPORT ?p.name " + WHERE, "EXPORT ?p " + WHERE),
    ("DELETE ?p " + WHERE, "DELETE CONCEPT ?p DETACH " + WHERE),
    (
        'DELETE ?l WHERE { ?l (?a, "k", ?b) }',
        'DELETE PROPOSITIONS ?l WHERE { ?l (?a, "k", ?b) }',
    ),
    (UPDATE + "?p.attributes.n + 1 } " + WHERE, UPDATE + "ADD(?p.attributes.n, 1) } " + WHERE),
    (UPDATE + "?p.attributes.n -1 } " + WHERE, UPDATE + "ADD(?p.attributes.n, -1) } " + WHERE),
    (UPDATE + "?p.attributes.n * 0.5 } " + WHERE, UPDATE + "MUL(?p.attributes.n, 0.5) } " + WHERE),
    (
        UPDATE + "1 } WITH METADATA { a: 1 } " + WHERE,
        UPDATE + "1 } SET METADATA { a: 1 } " + WHERE,
    ),
    (BLOCK + "EXPECT_VERSION 1 } }", BLOCK + "EXPECT VERSION 1 } }"),
    (BLOCK + "WITH METADATA { a: 1 } } }", BLOCK + "} WITH METADATA { a: 1 } }"),
    (
        BLOCK + 'SET PROPOSITIONS { (?a, "k", ?a) } } }',
        BLOCK + 'SET PROPOSITIONS { ("k", ?a) } } }',
    ),
]
TOLD = [
    (FIND + 'FILTER(?p.name LIKE "A_B") }', "CONTAINS(?p.name"),
    (FIND + 'FILTER EXISTS { (?p, "k", ?q) } }', "by themselves"),
    ("FIND(?p.attributes.) " + WHERE, "?p.attributes.key"),
    ("FIND(?p.) " + WHERE, "after the dot"),
    ('SEARCH "a" MODE fuzzy', "one of keyword, semantic, hybrid"),
    ('DELETE ?p WHERE { (?p, "k", ?q) }', "CONCEPT ?p DETACH or PROPOSITIONS ?p"),
    (UPDATE + "{ deep: ADD(1, 2) } } " + WHERE, "compute in UPDATE"),
    (UPDATE + "?p.attributes.n / 2 } " + WHERE, "MUL(?p.attributes.n, 0.5)"),
    (BLOCK + "SET METADATA { a: 1 } } }", "WITH METADATA"),
    ("DELETE CONCEPT ?p DETACH " + WHERE + " LIMIT 3", "remove LIMIT"),
]


def refused(text: str) -> RecollectError:
    with pytest.raises(RecollectError) as raised:
        parse(text)
    return raised.value


@pytest.mark.parametrize(("text", "mended"), MENDED, ids=[text for text, _ in MENDED])
def test_it_is_mended(text: str, mended: str):
    error = refused(text)
    assert error.hint
    assert error.fix is not None
    assert error.fix.apply(text) == mended
    parse(mended)


@pytest.mark.parametrize(("text", "hint"), TOLD, ids=[text for text, _ in TOLD])
def test_where_no_edit_helps_the_form_is_told(text: str, hint: str):
    error = refused(text)
    assert hint in error.hint
    assert error.fix is None


def test_an_unknown_word_is_not_moved_into_a_bracket():
    error = refused('UPSERT { CONCEPT ?a { {type: "P", name: "1"} with_typo } }')
    assert error.fix is None or "with_typo }" not in error.fix.text
