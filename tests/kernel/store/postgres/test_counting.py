"""The planner knows what a load brought before anybody reads it."""

from __future__ import annotations

from io import BytesIO

import psycopg

import recollect
from postgres import schema
from recollect.kernel.store.postgres.address import parse_server
from recollect.model import PutConcept


def counted(address: str) -> float:
    """Return how many concepts the planner believes there are; -1 where it never looked."""
    server = parse_server(address)
    sql = "SELECT reltuples FROM pg_class WHERE oid = %s::regclass"
    with psycopg.connect(server.conninfo) as connection:
        row = connection.execute(sql, [f"{server.schema}.concept"]).fetchone()
    assert row is not None
    return float(row[0])


def times_counted(address: str) -> int:
    """Return how often somebody had the concepts counted."""
    server = parse_server(address)
    sql = "SELECT analyze_count FROM pg_stat_user_tables WHERE relid = %s::regclass"
    with psycopg.connect(server.conninfo) as connection:
        row = connection.execute(sql, [f"{server.schema}.concept"]).fetchone()
    assert row is not None
    return int(row[0])


def test_who_opens_a_large_memory_has_it_counted_when_it_has_grown(on_server: str) -> None:
    with recollect.open(on_server) as nexus:
        nexus.write([PutConcept("T", f"name {n}") for n in range(8_000)])
    assert times_counted(on_server) == 1
    for part, times in ((1, 1), (2, 1)):
        with recollect.open(on_server) as nexus:
            nexus.write([PutConcept("T", f"part {part} {n}") for n in range(1_000)])
        assert times_counted(on_server) == times
    with recollect.open(on_server) as nexus:
        nexus.write([PutConcept("T", f"much more {n}") for n in range(3_000)])
    assert times_counted(on_server) == 2


def test_rows_of_a_load_and_of_a_restore_are_counted(on_server: str, database: str) -> None:
    dump = BytesIO()
    with recollect.open(on_server) as nexus:
        nexus.write([PutConcept("T", "one")])
        assert counted(on_server) == -1
        nexus.write([PutConcept("T", f"name {n}") for n in range(1_000)])
        assert counted(on_server) == 1_001
        nexus.dump(dump)
    dump.seek(0)
    with schema(database) as place, recollect.open(place) as again:
        again.restore(dump)
        assert counted(place) == 1_001
