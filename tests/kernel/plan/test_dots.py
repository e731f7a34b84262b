"""Dots: they compile to what ATTR and META compile to, and drop, join and bind nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Nexus, RecollectError
from recollect.kernel.lang import ast, parse
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import plan_find
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.rows import Clock
from recollect.kernel.store.sqlite.dialect import SQLITE
from recollect.model import Cell, Rows

COUNTS = Statistics(concepts={"Drug": 4, "Symptom": 4}, links={"treats": 16})


def sql(query: str) -> str:
    (find,) = parse(query).statements
    assert isinstance(find, ast.Find)
    shape = ast.Find(find.columns, Lifting(Bindings({})).clauses(find.where), find.order_by)
    return compile_plan(plan_find(shape, COUNTS), COUNTS, Clock(), SQLITE).sql


@pytest.mark.parametrize(
    ("clauses", "dots"),
    [
        (
            'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }',
            'FIND(?d.name) WHERE { ?d {type: "Drug"} }',
        ),
        (
            'FIND(?n, ?c) WHERE { ?l (?d, "treats", ?s) ATTR(?d, "name", ?n) '
            'META(?l, "confidence", ?c) FILTER(?c > 0.5) } ORDER BY ?c DESC',
            'FIND(?d.name, ?l.metadata.confidence) WHERE { ?l (?d, "treats", ?s) '
            "FILTER(?l.metadata.confidence > 0.5) } ORDER BY ?l.metadata.confidence DESC",
        ),
        (
            'FIND(?d) WHERE { ?d {type: "Drug"} ATTR(?d, "risk", ?r) '
            'FILTER(IN(?r, [1, 2]) || ?r == null) META(?d, "_version", ?v) } ORDER BY ?v',
            'FIND(?d) WHERE { ?d {type: "Drug"} '
            "FILTER(IN(?d.attributes.risk, [1, 2]) || ?d.attributes.risk == null) } "
            "ORDER BY ?d.metadata._version",
        ),
        (
            'FIND(?t, COUNT(?r) AS ?n) WHERE { (?d, "treats", ?s) ATTR(?s, "id", ?t) '
            'ATTR(?d, "risk", ?r) } ORDER BY ?n DESC',
            'FIND(?s.id, COUNT(?d.attributes.risk)) WHERE { (?d, "treats", ?s) } '
            "ORDER BY COUNT(?d.attributes.risk) DESC",
        ),
        (
            'FIND(?n, ?m) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } '
            'ATTR(?d, "name", ?n) ATTR(?s, "k", ?m) }',
            'FIND(?d.name, ?s.attributes.k) WHERE { ?d {type: "Drug"} '
            'OPTIONAL { (?d, "treats", ?s) } }',
        ),
        (
            'FIND(?d) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) ATTR(?s, "id", ?i) '
            'FILTER(?i == "x") } }',
            'FIND(?d) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) FILTER(?s.id == "x") } }',
        ),
        (
            'FIND(?a, ?b) WHERE { ?l (?d, ?p, ?s) ATTR(?l, "subject", ?a) ATTR(?l, "object", ?b) }',
            "FIND(?l.subject, ?l.object) WHERE { ?l (?d, ?p, ?s) }",
        ),
    ],
)
def test_dots_and_clauses_are_one_statement(clauses: str, dots: str) -> None:
    assert sql(dots) == sql(clauses)


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    text = """
    UPSERT {
      CONCEPT ?s { {type: "Symptom", name: "s"} }
      CONCEPT ?a {
        {type: "Drug", name: "a"} SET ATTRIBUTES { risk: 1, name: "shadowed", type: "odd" }
        SET PROPOSITIONS { ("treats", ?s) WITH METADATA { confidence: 0.5 } }
      }
      CONCEPT ?b { {type: "Drug", name: "b"} }
    }
    """
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write(text)
        nexus.write(text)
        yield nexus


def rows(nexus: Nexus, text: str) -> list[tuple[Cell, ...]]:
    (found,) = nexus.read(text).results
    assert isinstance(found, Rows)
    return found.rows


def test_a_field_and_an_attribute_of_its_name_are_two(nexus: Nexus) -> None:
    shown = "?d.name, ?d.attributes.name, ?d.type, ?d.attributes.type"
    assert rows(nexus, f'FIND({shown}) WHERE {{ ?d {{type: "Drug"}} }}') == [
        ("a", "shadowed", "Drug", "odd"),
        ("b", None, "Drug", None),
    ]


def test_a_whole_section_is_what_is_stored(nexus: Nexus) -> None:
    query = 'FIND(?l.metadata, ?d.attributes) WHERE { ?l (?d, "treats", ?s) }'
    attributes = {"risk": 1, "name": "shadowed", "type": "odd"}
    assert rows(nexus, query) == [({"confidence": 0.5}, attributes)]


def test_a_field_of_the_other_kind_is_null(nexus: Nexus) -> None:
    query = 'FIND(?l.name, ?l.type, ?d.subject, ?d.predicate) WHERE { ?l (?d, "treats", ?s) }'
    assert rows(nexus, query) == [(None, None, None, None)]


def test_a_field_of_a_value_is_null(nexus: Nexus) -> None:
    query = "FIND(?p, ?p.name, ?p.attributes.k) WHERE { (?d, ?p, ?s) }"
    assert rows(nexus, query) == [("treats", None, None)]


def test_the_ends_of_a_link_are_ids(nexus: Nexus) -> None:
    query = 'FIND(?l.subject, ?d.id, ?l.object, ?s.id) WHERE { ?l (?d, "treats", ?s) }'
    ((subject, drug, target, symptom),) = rows(nexus, query)
    assert (subject, target) == (drug, symptom)


def test_a_missing_value_drops_no_row_however_often_it_is_read(nexus: Nexus) -> None:
    query = (
        'FIND(?d.name, ?d.attributes.risk) WHERE { ?d {type: "Drug"} '
        "FILTER(?d.attributes.risk == null || ?d.attributes.risk > 0) "
        "FILTER(?d.attributes.risk != 9) } ORDER BY ?d.attributes.risk"
    )
    assert rows(nexus, query) == [("a", 1), ("b", None)]


def test_a_branch_without_the_variable_shows_null(nexus: Nexus) -> None:
    query = (
        'FIND(?d.name, ?s.name) WHERE { ?d {type: "Drug"} FILTER(?d.name == "a") '
        'UNION { ?s {type: "Symptom"} FILTER(?s.name == "s") } }'
    )
    assert rows(nexus, query) == [("a", None), (None, "s")]


def test_a_test_of_one_branch_makes_no_solution_of_its_own(nexus: Nexus) -> None:
    query = (
        'FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk == 1) '
        'UNION { ?d {type: "Drug"} } }'
    )
    assert rows(nexus, query) == [(2,)]


def test_a_filter_may_stand_before_what_binds_its_variable(nexus: Nexus) -> None:
    assert rows(nexus, 'FIND(?d.name) WHERE { FILTER(?d.name != "a") ?d {type: "Drug"} }') == [
        ("b",)
    ]


def test_an_aggregate_of_a_field_sorts_its_groups(nexus: Nexus) -> None:
    query = (
        "FIND(?d.name, MAX(?d.attributes.risk), COUNT(?d.attributes.risk)) "
        'WHERE { ?d {type: "Drug"} } ORDER BY COUNT(?d.attributes.risk), ?d.name'
    )
    assert rows(nexus, query) == [("b", None, 0), ("a", 1, 1)]


@pytest.mark.parametrize(
    "text",
    [
        'FIND(?dru.name) WHERE { ?drug {type: "Drug"} FILTER(?drug.attributes.risk > 1) }',
        'FIND(?drug) WHERE { ?drug {type: "Drug"} FILTER(?dru.attributes.risk > 1) }',
        'FIND(?drug) WHERE { ?drug {type: "Drug"} } ORDER BY ?dru.name',
        'FIND(COUNT(?dru.name)) WHERE { ?drug {type: "Drug"} }',
    ],
)
def test_a_dot_of_what_nothing_binds_names_the_nearest(nexus: Nexus, text: str) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.read(text)
    error = caught.value
    assert (error.code.code, error.known) == ("KIP_3001", ("?drug",))
    assert error.span is not None
    assert text[error.span.start : error.span.end].startswith("?dru")


def test_a_dot_of_what_only_not_binds_says_so(nexus: Nexus) -> None:
    text = 'FIND(?s.name) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) } }'
    with pytest.raises(RecollectError) as caught:
        nexus.read(text)
    assert caught.value.message == "variable ?s exists only inside NOT"


def test_why_and_explain_know_dots(nexus: Nexus) -> None:
    text = 'FIND(?d.name, ?l.metadata.confidence) WHERE { ?l (?d, "treats", ?s) }'
    why = nexus.why(text)
    assert why.row == ("a", 0.5)
    assert [one.names for one in why.grounds] == [("l",), ("d",), ("s",)]
    counted = 'FIND(?s.name, COUNT(?d.name)) WHERE { (?d, "treats", ?s) }'
    assert nexus.why(counted).solutions == 1
    assert any("?d.name" in line for line in nexus.explain(text).plan)


def test_a_link_is_found_by_its_id_wherever_a_link_may_stand(nexus: Nexus) -> None:
    ((id_,),) = rows(nexus, 'FIND(?l.id) WHERE { ?l (?d, "treats", ?s) }')
    for where in (
        "?l (id: $id)",
        "?l (id: $id) ?l (?d, ?p, ?s)",
        'META((id: $id), "confidence", ?c) ?l (id: $id)',
        "?x (?y, ?p, ?z) UNION { ?l (id: $id) }",
        'OPTIONAL { ?l (id: $id) } ?d {name: "a"}',
    ):
        (found,) = nexus.read(f"FIND(?l.id) WHERE {{ {where} }}", {"id": id_}).results
        assert isinstance(found, Rows)
        assert (id_,) in found.rows
    (none,) = nexus.group("decoy").read("FIND(?l) WHERE { ?l (id: $id) }", {"id": id_}).results
    assert isinstance(none, Rows)
    assert none.rows == []


def test_a_link_named_by_its_id_is_read_as_of_then(nexus: Nexus) -> None:
    ((id_,),) = rows(nexus, 'FIND(?l.id) WHERE { ?l (?d, "treats", ?s) }')
    number = nexus.write('DELETE PROPOSITIONS ?l WHERE { ?l (?d, "treats", ?s) }').transaction
    assert number is not None
    query = "FIND(?l.metadata.confidence) WHERE { ?l (id: $id) }"
    then = recollect.AsOf(transaction=number - 1)
    (now,) = nexus.read(query, {"id": id_}).results
    (before,) = nexus.read(query, {"id": id_}, as_of=then).results
    assert isinstance(now, Rows)
    assert isinstance(before, Rows)
    assert (now.rows, before.rows) == ([], [(0.5,)])
