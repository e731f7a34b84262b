"""The loops of a query are the compiler's, whatever the server knows or believes of the rows.

The rule: each join of a plan is a nested loop whose outer side stands first in the text, and links
are met by their ends. That holds for a plan of these values and for one of any, for tables that were
never counted, that were counted when they were all but empty, and that were counted as they are:
skewed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from bench.graph import Builder, Size
from bench.shapes import SHAPES, Shape
from psycopg import sql

import parts
import recollect
from postgres import schema
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.pool import SETTINGS
from recollect.model import AsOf, Key, PutConcept, PutLink

SIZE = Size(400, 3_000)
HUB, HANGING = "drug 0", 2_000
"""A drug that has most of the links there are."""

COUNTED = ("never", "when empty", "as it is")
TABLES = ("concept", "link", "past", "term")
JOINS = ("Hash Join", "Merge Join")
PLACED = re.compile(r"\b(?:FROM|JOIN)\s+(?:\w+)\s+(?:AS\s+)?([a-z]+\d+)\b")
ALONE = ("point lookup", "group-by")
"""Shapes of one table."""

Plan = dict[str, Any]


@pytest.fixture(scope="module")
def place(database: str) -> Iterator[str]:
    with schema(database) as address:
        built = Builder(address, SIZE).run()
        with recollect.open(address) as nexus:
            nexus.write(
                [
                    change
                    for n in range(HANGING)
                    for change in (
                        PutConcept("Symptom", f"hanging {n}", {"severity": n % 10}),
                        PutLink(Key("Drug", HUB), "treats", Key("Symptom", f"hanging {n}")),
                    )
                ]
            )
            nexus.group("decoy").write([PutConcept("Drug", HUB)])
        assert built.known
        yield address


@pytest.fixture(params=COUNTED)
def connection(place: str, request: pytest.FixtureRequest) -> Iterator[psycopg.Connection[Any]]:
    """A connection to the tables, of which the server has counted what the name says."""
    server = parse_server(place)
    with psycopg.connect(server.conninfo) as connection:
        connection.execute("SET jit = off")
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(server.schema)))
        pages, rows = {"never": (0, -1), "when empty": (1, 3), "as it is": (None, None)}[
            request.param
        ]
        for table in TABLES if pages is not None else ():
            connection.execute("DELETE FROM pg_statistic WHERE starelid = %s::regclass", [table])
            connection.execute(
                "UPDATE pg_class SET relpages = %s, reltuples = %s WHERE oid = %s::regclass"
                " OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = %s::regclass)",
                [pages, rows, table, table],
            )
        yield connection
        connection.rollback()


def asked(place: str, shape: Shape, as_of: AsOf | None) -> dict[str, Any]:
    """Return the statements by which a shape is answered, with their values."""
    with parts.heard() as heard, recollect.open(place) as nexus:
        parameters = {"name": HUB if shape.start == "drug" else f"{shape.start} 0"}
        nexus.read(shape.kip, parameters if "$name" in shape.kip else {}, as_of=as_of)
    return {text: values for text, values in heard.items() if PLACED.search(text)}


def plans(connection: psycopg.Connection[Any], text: str, values: Any) -> Iterator[Plan]:
    """Yield what the server plans for a statement with these values, and for any."""
    connection.execute(f"PREPARE asked AS {text}".encode(), prepare=False)
    for mode in ("force_custom_plan", "force_generic_plan"):
        connection.execute(f"SET LOCAL plan_cache_mode = {mode}".encode())
        given = sql.SQL(", ").join(
            sql.Literal(int(one) if one is True or one is False else one) for one in values
        )
        called = sql.SQL("asked({})").format(given) if values else sql.SQL("asked")
        row = connection.execute(
            sql.SQL("EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE {}").format(called), prepare=False
        ).fetchone()
        assert row is not None
        yield row[0][0]["Plan"]
    connection.execute("DEALLOCATE asked")


def nodes(plan: Plan) -> Iterator[Plan]:
    yield plan
    for one in plan.get("Plans", ()):
        yield from nodes(one)


def tables(plan: Plan) -> list[str]:
    """Return the tables of a side of a join by their names in the text, without subplans."""
    sides = [
        one
        for one in plan.get("Plans", ())
        if one["Parent Relationship"] in ("Outer", "Inner", "Subquery", "Member")
    ]
    own = [plan["Alias"]] if "Relation Name" in plan else []
    return own + [name for one in sides for name in tables(one)]


@pytest.mark.parametrize("is_past", [False, True], ids=["now", "past"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.title)
def test_a_shape_runs_as_nested_loops_in_the_order_of_its_text(
    place: str, connection: psycopg.Connection[Any], shape: Shape, is_past: bool
) -> None:
    statements = asked(place, shape, AsOf(transaction=5) if is_past else None)
    assert statements
    joins = 0
    for text, values in statements.items():
        order = {name: at for at, name in enumerate(PLACED.findall(text))}
        for plan in plans(connection, text, values):
            for node in nodes(plan):
                assert node["Node Type"] not in JOINS, text
                if node["Node Type"] != "Nested Loop":
                    continue
                outer, inner = node["Plans"][:2]
                before, after = (
                    [order[one] for one in tables(side) if one in order] for side in (outer, inner)
                )
                joins += 1
                assert not before or not after or max(before) < min(after), text
                for one in nodes(inner):
                    if one.get("Relation Name") == "link":
                        assert re.search(r"\b(subject|object|id) = ", one.get("Index Cond", "")), (
                            text
                        )
    assert joins or shape.title in ALONE


WRITE = 'UPSERT { CONCEPT { {type: "Drug", name: $name} SET ATTRIBUTES { n: 1 } } }'
LARGE = ("concept", "link", "change")


@pytest.mark.parametrize("connection", ["as it is"], indirect=True)
def test_what_is_said_beside_queries_reads_no_table_from_end_to_end(
    place: str, connection: psycopg.Connection[Any]
) -> None:
    with parts.heard() as heard, recollect.open(place) as nexus:
        for _ in range(2):  # made, then found
            nexus.write(WRITE, {"name": "one more"})
        nexus.write([PutLink(Key("Drug", "one more"), "treats", Key("Symptom", "hanging 7"))])
        assert nexus.history(Key("Drug", "one more"))
        assert nexus.search("hanging 7").results
    for name, value in SETTINGS.items():
        connection.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
    counted = 0
    for text, values in heard.items():
        if not re.match(r"\s*(SELECT|WITH|UPDATE|DELETE)\b", text) or "set_config" in text:
            continue
        for plan in plans(connection, text, values):
            for node in nodes(plan):
                assert node["Node Type"] != "Seq Scan" or node["Relation Name"] not in LARGE, text
            counted += 1
    assert counted > 10
