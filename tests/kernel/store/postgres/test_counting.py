"""The planner knows what a load brought before anybody reads it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import LiteralString

import psycopg

import recollect
from postgres import schema
from recollect.kernel.store.postgres.address import parse_server
from recollect.model import PutConcept

HELD = """
CREATE FUNCTION {0}.held(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN PERFORM pg_advisory_xact_lock_shared(42); RETURN value; END $$;
CREATE STATISTICS {0}.held ON ({0}.held(name)), group_id FROM {0}.concept
"""
WAITING = "SELECT 1 FROM pg_locks AS l WHERE l.locktype = 'advisory' AND NOT l.granted"
COUNTED = "SELECT sum(analyze_count) FROM pg_stat_all_tables WHERE schemaname = %s"


def counted(address: str) -> float:
    """Return how many concepts the planner believes there are; -1 where it never looked."""
    return known_of_concepts(address, "SELECT reltuples FROM pg_class WHERE oid = %s::regclass")


def times_counted(address: str) -> float:
    """Return how often somebody had the concepts counted."""
    of_table = "SELECT analyze_count FROM pg_stat_user_tables WHERE relid = %s::regclass"
    return known_of_concepts(address, of_table)


def known_of_concepts(address: str, sql: LiteralString) -> float:
    """Return the one number that a server knows of the table of concepts."""
    server = parse_server(address)
    with psycopg.connect(server.conninfo) as connection:
        row = connection.execute(sql, [f"{server.schema}.concept"]).fetchone()
    assert row is not None
    return float(row[0])


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


def test_one_load_is_counted_once_while_others_write(on_server: str, database: str) -> None:
    schema = parse_server(on_server).schema
    with (
        recollect.open(on_server) as nexus,
        psycopg.connect(database, autocommit=True) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        server.execute(HELD.format(schema).encode())
        server.execute("SELECT pg_advisory_lock(42)")
        load = [PutConcept("Drug", f"{n}") for n in range(1_500)]
        loaded = pool.submit(nexus.group("other").write, load)
        for _ in range(600):  # until the server has begun to count
            if server.execute(WAITING).fetchall():
                break
            server.execute("SELECT pg_sleep(0.05)")
        before = server.execute(COUNTED, (schema,)).fetchall()
        for n in range(3):
            nexus.write([PutConcept("Drug", f"{n}")])
        after = server.execute(COUNTED, (schema,)).fetchall()
        is_waiting = not loaded.done()
        server.execute("SELECT pg_advisory_unlock(42)")
        loaded.result(60)
        assert is_waiting
        assert after == before
