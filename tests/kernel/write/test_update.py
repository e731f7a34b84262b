"""UPDATE: what is computed, what is skipped, and what follows of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.model import AsOf, Hits, Instant, Rows, UpdateReport, Value

GRAPH = """
UPSERT {
  CONCEPT ?a { {type: "T", name: "A"} SET ATTRIBUTES { n: 1, f: 0.5, s: "text", b: true } }
  CONCEPT ?b { {type: "T", name: "B"} SET ATTRIBUTES { n: 2 } }
  CONCEPT ?c { {type: "T", name: "C"} }
  PROPOSITION ?l { (?a, "p", ?b) SET ATTRIBUTES { n: 10 } } WITH METADATA { confidence: 0.5 }
}
"""


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write(GRAPH)
        nexus.write(GRAPH)
        before = rows(nexus.group("decoy"), "FIND(?x) WHERE { ?x {type: $t} }", t="T")
        yield nexus
        after = rows(nexus.group("decoy"), "FIND(?x) WHERE { ?x {type: $t} }", t="T")
        assert after == before
        assert nexus.verify().is_whole
        assert nexus.doctor().findings == ()


def update(nexus: recollect.Nexus, text: str, **parameters: Value) -> tuple[int, int]:
    (report,) = nexus.write(text, parameters).results
    assert isinstance(report, UpdateReport)
    return report.updated, report.matched


def rows(nexus: recollect.Nexus, text: str, **parameters: Value) -> list[tuple[object, ...]]:
    (result,) = nexus.read(text, parameters).results
    assert isinstance(result, Rows)
    return [tuple(row) for row in result.rows]


def attribute(nexus: recollect.Nexus, name: str, key: str) -> object:
    text = 'FIND(?v) WHERE { ?x {type: "T", name: $name} ATTR(?x, $key, ?v) }'
    ((value,),) = rows(nexus, text, name=name, key=key)
    return value


def refused(nexus: recollect.Nexus, text: str, **parameters: Value) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        nexus.write(text, parameters)
    assert caught.value.span is not None
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("ADD(?x.attributes.n, 1)", 2),
        ("ADD(?x.attributes.n, 1.0)", 2.0),
        ("ADD(1, -3)", -2),
        ("MUL(?x.attributes.f, 3)", 1.5),
        ("MUL(?x.attributes.n, 2)", 2),
        ("CLAMP(?x.attributes.n, 2, 5)", 2),
        ("CLAMP(?x.attributes.n, 0.0, 1.0)", 1),
        ("CLAMP(9.5, 0, 5)", 5),
        ("COALESCE(?x.attributes.none, 7)", 7),
        ("COALESCE(?x.attributes.n, 7)", 1),
        ("COALESCE(ADD(?x.attributes.none, 1), 7)", 7),
        ("COALESCE(ADD(?x.attributes.s, 1), 7)", 7),
        ("ADD(COALESCE(?x.metadata.none, 0), MUL(2, MUL(3, 4)))", 24),
        ("ADD(?x.metadata._version, 0)", 1),
        ("ADD($p, 1)", 6),
    ],
)
def test_a_value_is_computed_from_the_element_itself(
    nexus: recollect.Nexus, expression: str, expected: float
) -> None:
    text = f'UPDATE ?x SET ATTRIBUTES {{ v: {expression} }} WHERE {{ ?x {{type: "T", name: "A"}} }}'
    assert update(nexus, text, **({"p": 5} if "$p" in expression else {})) == (1, 1)
    value = attribute(nexus, "A", "v")
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    "expression",
    [
        "ADD(?x.attributes.none, 1)",
        "MUL(2, ?x.attributes.s)",
        "ADD(?x.attributes.b, 1)",
        "ADD(?x.name, 1)",
        "COALESCE(?x.attributes.s, 1)",
        "COALESCE(?x.metadata._created_at, 1)",
        "CLAMP(1, 0, ?x.attributes.none)",
        "COALESCE(?x.attributes.none, ?x.attributes.s)",
    ],
)
def test_a_key_without_a_number_is_left_and_the_others_are_set(
    nexus: recollect.Nexus, expression: str
) -> None:
    where = 'WHERE { ?x {type: "T", name: "A"} }'
    assert update(nexus, f"UPDATE ?x SET ATTRIBUTES {{ n: {expression} }} {where}") == (0, 1)
    text = f"UPDATE ?x SET ATTRIBUTES {{ n: {expression} }} SET METADATA {{ seen: true }} {where}"
    assert update(nexus, text) == (1, 1)
    assert attribute(nexus, "A", "n") == 1


def test_a_fact_time_that_is_there_is_no_number_and_one_that_is_not_is_null(
    nexus: recollect.Nexus,
) -> None:
    nexus.write("""
        UPDATE ?x SET METADATA { valid_from: "2020", valid_until: "2030" }
        WHERE { ?x {type: "T", name: "A"} }
    """)
    nexus.write("""
        UPDATE ?x SET ATTRIBUTES {
            n: COALESCE(?x.metadata._valid_at, 8), f: COALESCE(?x.metadata._invalid_at, 8)
        } WHERE { ?x {type: "T"} }
    """)
    found = rows(nexus, 'FIND(?x.attributes.n, ?x.attributes.f) WHERE { ?x {type: "T"} }')
    assert found == [(1, 0.5), (8, 8), (8, 8)]


def test_every_element_counts_once_however_often_it_is_found(nexus: recollect.Nexus) -> None:
    text = """
        UPDATE ?x SET ATTRIBUTES { n: ADD(COALESCE(?x.attributes.n, 0), 1) }
        WHERE { ?x {type: "T"} ?y {type: "T"} }
    """
    assert update(nexus, text) == (3, 3)
    assert [attribute(nexus, name, "n") for name in "ABC"] == [2, 3, 1]


def test_a_limit_takes_what_find_would_show_first(nexus: recollect.Nexus) -> None:
    clauses = '?y {type: "T"} ?x {type: "T"} FILTER(?x != ?y)'
    shown = rows(nexus, f'FIND(?n) WHERE {{ {clauses} ATTR(?x, "name", ?n) }} LIMIT 1')
    where = f"WHERE {{ {clauses} }}"
    assert shown == [("B",)]
    assert update(nexus, f"UPDATE ?x SET ATTRIBUTES {{ hit: 1 }} {where} LIMIT $n", n=1) == (1, 1)
    assert [(name,) for name in "ABC" if attribute(nexus, name, "hit") == 1] == shown
    assert update(nexus, f"UPDATE ?x SET ATTRIBUTES {{ hit: 2 }} {where} LIMIT 0") == (0, 0)


def test_an_element_that_an_optional_part_lacks_is_no_element(nexus: recollect.Nexus) -> None:
    text = """
        UPDATE ?x SET ATTRIBUTES { hit: 1 }
        WHERE { ?y {type: "T"} OPTIONAL { ?link (?y, "p", ?x) } } LIMIT 1
    """
    assert update(nexus, text) == (1, 1)
    assert attribute(nexus, "B", "hit") == 1


def test_a_link_is_updated_as_a_concept_is(nexus: recollect.Nexus) -> None:
    text = """
        UPDATE ?l SET ATTRIBUTES { n: ADD(?l.attributes.n, 1) }
        SET METADATA { confidence: CLAMP(MUL(?l.metadata.confidence, 0.5), 0.3, 1.0), at: $at }
        WHERE { ?l (?s, "p", ?o) }
    """
    assert update(nexus, text, at="2026") == (1, 1)
    ((link,),) = rows(nexus, 'FIND(?l) WHERE { ?l (?s, "p", ?o) }')
    assert isinstance(link, recollect.Link)
    assert (link.attributes, link.metadata) == ({"n": 11}, {"confidence": 0.3, "at": "2026"})


def test_what_changes_nothing_is_not_updated(nexus: recollect.Nexus) -> None:
    text = 'UPDATE ?x SET ATTRIBUTES { n: 2 } WHERE { ?x {type: "T"} }'
    assert update(nexus, text) == (2, 3)
    assert update(nexus, text) == (0, 3)
    assert nexus.stats().transactions == 2


def test_an_update_creates_nothing(nexus: recollect.Nexus) -> None:
    assert update(nexus, 'UPDATE ?x SET ATTRIBUTES { n: 1 } WHERE { ?x {type: "U"} }') == (0, 0)
    assert nexus.stats().concepts == 3


def test_fact_time_and_history_follow(nexus: recollect.Nexus) -> None:
    where = 'WHERE { ?x {type: "T", name: "A"} }'
    update(nexus, f'UPDATE ?x SET METADATA {{ valid_from: "2030" }} {where}')
    found = 'FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) }'
    (now,) = nexus.read(found, as_of=AsOf(valid=Instant(0))).results
    (then,) = nexus.read(found, as_of=AsOf(Instant(0), transaction=1)).results
    assert isinstance(now, Rows)
    assert isinstance(then, Rows)
    assert (now.rows, then.rows) == ([("B",), ("C",)], [("A",), ("B",), ("C",)])
    update(nexus, f"UPDATE ?x SET METADATA {{ valid_from: null }} {where}")
    assert len(rows(nexus, found)) == 3


def test_what_it_says_is_found_by_search(nexus: recollect.Nexus) -> None:
    update(nexus, 'UPDATE ?x SET ATTRIBUTES { note: "quark" } WHERE { ?x {name: "C"} }')
    (hits,) = nexus.search("quark").results
    assert isinstance(hits, Hits)
    assert [getattr(hit.element, "name", None) for hit in hits.hits] == ["C"]


def test_a_number_that_64_bits_cannot_hold_is_refused_and_nothing_is_changed(
    nexus: recollect.Nexus,
) -> None:
    for expression in (
        "ADD(9223372036854775807, ?x.attributes.n)",
        "MUL(-9223372036854775807, 2)",
        "MUL(1e308, 10)",
        "CLAMP(?x.attributes.n, 2, 1)",
    ):
        text = f'UPDATE ?x SET ATTRIBUTES {{ n: {expression} }} WHERE {{ ?x {{type: "T"}} }}'
        assert refused(nexus, text).code.code == "KIP_2003"
    assert attribute(nexus, "A", "n") == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('UPDATE ?x SET METADATA { _version: 1 } WHERE { ?x {type: "T"} }', "KIP_2002"),
        ('UPDATE ?x SET METADATA { _n: ADD(1, 1) } WHERE { ?x {type: "T"} }', "KIP_2002"),
        ('UPDATE ?x SET ATTRIBUTES { n: ADD($p, 1) } WHERE { ?x {type: "T"} }', "KIP_2003"),
        ('UPDATE ?y SET ATTRIBUTES { n: 1 } WHERE { ?x {type: "T"} }', "KIP_3001"),
        (
            'UPDATE ?v SET ATTRIBUTES { n: 1 } WHERE { ?x {name: "A"} ATTR(?x, "n", ?v) }',
            "KIP_1001",
        ),
    ],
)
def test_what_cannot_be_is_refused(nexus: recollect.Nexus, text: str, code: str) -> None:
    parameters: dict[str, Value] = {"p": "five"} if "$p" in text else {}
    assert refused(nexus, text, **parameters).code.code == code
