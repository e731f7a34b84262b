"""What the compiler makes answers alike in both dialects, on the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from bench.graph import Builder, Built, Size
from bench.shapes import SHAPES, Shape
from hypothesis import HealthCheck, given, note, settings, strategies as st
from tests.cases.test_cases import CAPSULE, HERE, read_case
from tests.kernel.sql.twin import Twin
from tests.reference.engine import comparable, pair
from tests.reference.graphs import graphs
from tests.reference.queries import Question, questions, shortened

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.kernel.lang import ast, print_text
from recollect.model import AsOf, Key, PutConcept, PutLink

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.fixture(scope="module")
def cases() -> Iterator[Nexus]:
    """The graph of the cases, beside a decoy group that holds the same."""
    with recollect.open(":memory:", "cases") as nexus:
        nexus.group("decoy").write(CAPSULE)
        nexus.write(CAPSULE)
        yield nexus


@pytest.mark.parametrize("path", sorted(HERE.rglob("*.case")), ids=lambda path: path.stem)
def test_a_case_has_the_same_rows_on_a_server(path: Path, cases: Nexus, twin: Twin) -> None:
    ours, theirs = twin.both(cases, read_case(path)["query"])
    assert ours.rows == theirs.rows


VALUES = [
    *(1, 1.0, 2**53, 2.0**53, 2**53 + 1, 1.2345678901234568e18, 1234567890123456768),
    *(1234567890123456790, -(2**63), -(2.0**63), 2.0**63, 2**63 - 1, 0, -0.0, 0.1, 1e-7, 1e22),
    *("", "1", "a", "A", "b", "ä", "é", "e\u0301", 'quote" \\ \n', True, False, None),
    *([], [1], [1.0], [1.2345678901234568e18], [1234567890123456768], [1e22, 1e-7, 1e-5]),
    *({}, {"b": 1, "a": [True, None]}, {"a": [True, None], "b": 1.0}, {"a": "x"}, {"é": "\t"}),
]
QUERIES = (
    'FIND(?n, ?v) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) ATTR(?c, "name", ?n) } ORDER BY ?v',
    'FIND(?n, ?v) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) ATTR(?c, "name", ?n) } ORDER BY ?v DESC',
    'FIND(?v, COUNT(?c) AS ?k) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) } ORDER BY ?v, ?k',
    'FIND(?n, ?m) WHERE { ?c {type: "V"} ?d {type: "V"} ATTR(?c, "v", ?v) ATTR(?d, "v", ?w)'
    ' ATTR(?c, "name", ?n) ATTR(?d, "name", ?m) FILTER(?v == ?w) }',
    'FIND(?n, ?m) WHERE { ?c {type: "V"} ?d {type: "V"} ATTR(?c, "v", ?v) ATTR(?d, "v", ?w)'
    ' ATTR(?c, "name", ?n) ATTR(?d, "name", ?m) FILTER(?v < ?w) }',
    "FIND(MIN(?v) AS ?a, MAX(?v) AS ?b, COUNT(DISTINCT ?v) AS ?k, COLLECT(DISTINCT ?v) AS ?all)"
    ' WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) }',
    'FIND(?i) WHERE { ?c {type: "V"} ?c2 {type: "V"} ATTR(?c, "id", ?i) } ORDER BY ?i LIMIT 5',
)


@pytest.fixture(scope="module")
def values() -> Iterator[Nexus]:
    """A concept for each value that is hard to compare, and an older one of each."""
    with recollect.open(":memory:", "values") as nexus:
        for group in (nexus.group("decoy"), nexus):
            group.write([PutConcept("V", f"{at}", {"v": one}) for at, one in enumerate(VALUES)])
            group.write([PutConcept("V", f"{at}", {"v": at}) for at in range(0, len(VALUES), 3)])
            group.write([PutLink(Key("V", "0"), "next", Key("V", "1"))])
        yield nexus


@pytest.mark.parametrize("as_of", [None, AsOf(transaction=1)], ids=["now", "then"])
@pytest.mark.parametrize("query", QUERIES)
def test_values_compare_as_they_do_in_a_file(
    query: str, as_of: AsOf | None, values: Nexus, twin: Twin
) -> None:
    ours, theirs = twin.both(values, query, as_of=as_of)
    assert ours.rows
    assert ours.rows == theirs.rows


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("value", [one for one in VALUES if one is not None], ids=repr)
def test_values_compare_with_constants_as_they_do_in_a_file(
    operator: str, value: recollect.Value, values: Nexus, twin: Twin
) -> None:
    query = (
        'FIND(?n) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) ATTR(?c, "name", ?n)'
        f" FILTER(?v {operator} $value) }}"
    )
    ours, theirs = twin.both(values, query, {"value": value}, AsOf(transaction=1))
    assert ours.rows == theirs.rows


@pytest.mark.parametrize("value", [VALUES, VALUES[:9], ["a", "1", "é"], [None, True]], ids=len)
def test_lists_hold_what_they_do_in_a_file(
    value: list[recollect.Value], values: Nexus, twin: Twin
) -> None:
    query = (
        'FIND(?n) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) ATTR(?c, "name", ?n)'
        " FILTER(IN(?v, $value)) }"
    )
    ours, theirs = twin.both(values, query, {"value": value}, AsOf(transaction=1))
    assert ours.rows
    assert ours.rows == theirs.rows


@pytest.mark.parametrize(
    "test",
    [
        r'REGEX(?v, "(?i)^\\pL$")',
        'REGEX(?v, "e. ")',
        "REGEX(?v, $pattern)",
        '!REGEX(?v, "a")',
        "REGEX(?v, 1)",
        'CONTAINS(?v, "")',
        'STARTS_WITH(?v, "")',
        'ENDS_WITH(?v, "")',
        'ENDS_WITH(?v, "a")',
        "CONTAINS(?n, ?v)",
    ],
)
def test_texts_are_searched_as_they_are_in_a_file(test: str, values: Nexus, twin: Twin) -> None:
    query = (
        'FIND(?n) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) ATTR(?c, "name", ?n)'
        f" FILTER({test}) }}"
    )
    ours, theirs = twin.both(values, query, {"pattern": "^[ab]?$"}, AsOf(transaction=1))
    assert bool(ours.rows) == (test != "REGEX(?v, 1)")
    assert ours.rows == theirs.rows


def test_an_expression_of_the_graph_is_refused_on_a_server(values: Nexus, twin: Twin) -> None:
    query = 'FIND(?n) WHERE { ?c {type: "V"} ATTR(?c, "name", ?n) FILTER(REGEX(?n, ?n)) }'
    with pytest.raises(RecollectError, match="read from the graph"):
        twin.answer(values, query, {}, on_server=True)


PAGED = (
    'FIND(?c, ?v) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) } ORDER BY ?v LIMIT 4',
    'FIND(?v) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) } ORDER BY ?v DESC LIMIT 4',
    'FIND(?n) WHERE { UNION { ?c {type: "V"} ATTR(?c, "v", ?n) } UNION { ?c {type: "V"}'
    ' ATTR(?c, "name", ?n) } } ORDER BY ?n LIMIT 4',
)


@pytest.mark.parametrize("query", PAGED)
def test_pages_go_on_where_those_of_a_file_do(query: str, values: Nexus, twin: Twin) -> None:
    cursor, count = "", 0
    while True:
        ours, theirs = twin.both(values, query + cursor)
        assert ours.rows == theirs.rows
        count += len(ours.rows)
        assert (ours.next_cursor is None) == (theirs.next_cursor is None)
        if ours.next_cursor is None:
            break
        one, other = twin.both(values, query + f' CURSOR "{theirs.next_cursor}"')
        assert one.rows == other.rows  # a place is one in either engine, whatever its keys are
        cursor = f' CURSOR "{ours.next_cursor}"'
    assert count > 20


RANDOM = st.lists(
    st.one_of(questions(2, is_grouped=False, names_links=True), questions(1, is_grouped=True)),
    min_size=4,
    max_size=4,
)


@settings(max_examples=2 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), RANDOM)
def test_random_questions_have_the_same_rows_on_a_server(
    twin: Twin, graph: ast.Upsert, asked: list[Question]
) -> None:
    with pair(decoy=[graph]) as both:
        both.build(graph)
        note(print_text(graph))
        for question in asked:
            query, parameters = question.query, {**both.link_ids(), **question.parameters}
            while True:
                note(f"{print_text(query)} with {parameters}")
                asked = partial(twin.answer, both.nexus, print_text(query), parameters)
                ours, theirs = (comparable(partial(asked, on_server=on)) for on in (False, True))
                assert ours == theirs
                shorter = shortened(query)
                if shorter == query:
                    break
                query = shorter


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The graph of the bench, small."""
    path = tmp_path_factory.mktemp("bench") / "memory.db"
    return Builder(path, Size(1_000, 5_000)).run()


@pytest.fixture(scope="module")
def measured(built: Built) -> Iterator[Nexus]:
    """The memory that the bench asks."""
    with recollect.open(built.path) as nexus:
        yield nexus


@pytest.mark.parametrize("is_past", [False, True], ids=["now", "then"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.title)
def test_the_shapes_of_the_bench_have_the_same_rows_on_a_server(
    shape: Shape, twin: Twin, built: Built, measured: Nexus, *, is_past: bool
) -> None:
    as_of = AsOf(transaction=built.known) if is_past else None
    names = [f"{shape.start} {at}" for at in range(5)] if "$name" in shape.kip else [None]
    for name in names:
        given = {} if name is None else {"name": name}
        ours, theirs = twin.both(measured, shape.kip, given, as_of)
        assert ours.rows == theirs.rows


OF_RISK = 'FIND(?d) WHERE { ?d {type: "Drug"} ATTR(?d, "risk_level", ?r) FILTER(?r %s $risk) }'


@pytest.mark.parametrize(("operator", "risk"), [("==", 4.5), (">", 100), ("<", -1), ("==", "no")])
def test_an_index_of_an_attribute_leads_to_its_values(
    operator: str, risk: recollect.Value, twin: Twin, measured: Nexus
) -> None:
    given = {"risk": risk}
    with twin.indexed(measured, "risk_level"):
        assert "attribute:risk_level" in twin.plan(measured, OF_RISK % operator, given)


def test_an_index_holds_values_of_any_length(twin: Twin) -> None:
    query = (
        'FIND(?n) WHERE { ?c {type: "V"} ATTR(?c, "v", ?v) ATTR(?c, "name", ?n) FILTER(?v == $v) }'
    )
    chance = Random(1)
    long = ["".join(chance.choices("abcdefghijklmnop", k=9_000)) for _ in range(3)]
    said = [*long, long, long[:2], {"a": long}, {"a": long, "b": 1}, {"b": 1.0, "a": long}]
    with recollect.open(":memory:", "long") as nexus:
        nexus.write([PutConcept("V", f"{at}", {"v": one}) for at, one in enumerate(said)])
        with twin.indexed(nexus, "v"):
            for one in said:
                ours, theirs = twin.both(nexus, query, {"v": one})
                assert ours.rows
                assert ours.rows == theirs.rows
