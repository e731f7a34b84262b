"""An index of an attribute is made while others write, and what is half made is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.model import AttributeIndex, Key, PutConcept

WRITE = 'UPSERT { CONCEPT { {type: "Drug", name: $name} SET ATTRIBUTES { code: $code } } }'
FIND = 'FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.code == $code) }'
STATE = """
SELECT i.indisvalid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = 'attribute:code'
"""
WAITING = """
SELECT 1 FROM pg_stat_activity AS a
WHERE a.query LIKE 'CREATE INDEX CONCURRENTLY%%' AND a.wait_event_type = 'Lock' AND a.query LIKE %s
"""
Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def schema(on_server: str) -> str:
    with recollect.open(on_server) as nexus:
        nexus.write(WRITE, {"name": "first", "code": "x" * 4_000})
    return parse_qs(urlsplit(on_server).query)["schema"][0]


@pytest.fixture
def server(database: str) -> Iterator[Connection]:
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


def states(server: Connection, schema: str) -> list[bool]:
    return [bool(one) for (one,) in server.execute(STATE, (schema,)).fetchall()]


def test_others_write_while_an_index_is_made(
    on_server: str, schema: str, server: Connection, database: str
) -> None:
    with (
        recollect.open(f"{on_server}&wait=60") as nexus,
        psycopg.connect(database) as open_for_long,
        ThreadPoolExecutor(1) as pool,
    ):
        open_for_long.execute(f"UPDATE {schema}.concept SET version = version".encode())
        made = pool.submit(nexus.add_index, "Drug", "code")
        for _ in range(600):  # until it waits for the transaction that was open before
            if server.execute(WAITING, ("%attribute:code%",)).fetchall():
                break
            server.execute("SELECT pg_sleep(0.05)")
        assert states(server, schema) == [False]
        for group in ("default", "other"):
            nexus.group(group).write(WRITE, {"name": "second", "code": "y"})
        assert not made.done()
        open_for_long.commit()
        made.result(60)
        assert states(server, schema) == [True]
        more = (
            f'CONCEPT {{ {{type: "Drug", name: "{n}"}} SET ATTRIBUTES {{ code: "{n}" }} }}'
            for n in range(1_500)
        )
        nexus.write(f"UPSERT {{ {' '.join(more)} }}")  # enough for the server to count rows
        for code in ("x" * 4_000, "y"):  # a long value is found by its index as well
            assert len(nexus.read(FIND, {"code": code}).results[0].rows) == 1
            assert "attribute:code" in "\n".join(nexus.explain(FIND, {"code": code}).engine)
        nexus.drop_index("Drug", "code")
        assert states(server, schema) == []


VALUES = (
    *(f"{'x' * 10_000}{last}" for last in "abc"),
    *("x" * 499, "x" * 500, "x" * 501, "", "\U0001f600" * 600 + "a", "\uffff", "Z", "a", "\u00e4"),
    *(0, -0.0, -1, 1, 1.5, -2.25, 1e300, -1e300, 2**53, 2**53 + 1, 2**63 - 1, 9.3e18, -(2**63)),
    *(True, False, [1, 2], [1.0, 2], {"a": 1}, ["x" * 10_000]),
)
ASKED = 'FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} FILTER(?d.attributes.code {} $code) }} ORDER BY ?d.name'


def test_values_of_any_length_and_kind_are_found_and_compared_by_their_index(
    on_server: str,
) -> None:
    with recollect.open(on_server) as served, recollect.open(":memory:") as file:
        for nexus in (served, file):
            nexus.write(
                [PutConcept("Drug", f"{n:04}", {"code": one}) for n, one in enumerate(VALUES)]
            )
            nexus.write([PutConcept("Drug", f"more {n}", {"code": f"m{n}"}) for n in range(1_500)])
        served.add_index("Drug", "code")
        for value in VALUES:
            for operator in ("==", "<", "<=", ">", ">="):
                text, given = ASKED.format(operator), {"code": value}
                found = served.read(text, given).results[0].rows
                assert found == file.read(text, given).results[0].rows, (operator, value)
                if isinstance(value, str | float) or type(value) is int or operator == "==":
                    plan = "\n".join(served.explain(text, given).engine)
                    is_found = re.search(r'using "attribute:code".*\n +Index Cond: .*indexed', plan)
                    assert is_found or isinstance(value, list | dict), (operator, value)


def test_what_is_half_made_is_found_and_made_by_the_next(
    on_server: str, schema: str, server: Connection, database: str
) -> None:
    with recollect.open(f"{on_server}&wait=1") as nexus:
        with psycopg.connect(database) as open_for_long:
            open_for_long.execute(f"UPDATE {schema}.concept SET version = version".encode())
            with pytest.raises(RecollectError) as caught:
                nexus.add_index("Drug", "code")
            assert caught.value.code.code == "INDEX_PENDING"
            assert caught.value.message.startswith("the write is kept")
            assert states(server, schema) == [False]
        assert nexus.declared.indexes() == (AttributeIndex("Drug", "code"),)
        found = nexus.doctor()
        assert "attribute:code" in "\n".join(str(one) for one in found.findings)
        nexus.add_index("Drug", "code")
        assert states(server, schema) == [True]
        assert nexus.doctor().is_well
        server.execute(
            f"UPDATE pg_index SET indisvalid = false"
            f" WHERE indexrelid = '{schema}.\"attribute:code\"'::regclass".encode()
        )
        assert not nexus.doctor().is_well
        nexus.doctor(fix=True)
        assert states(server, schema) == [True]
        assert nexus.doctor().is_well


def test_an_index_that_no_connection_is_left_for_is_told_as_one_that_waits(
    on_server: str, schema: str, server: Connection, database: str
) -> None:
    admits = f'ALTER DATABASE "{urlsplit(database).path[1:]}" ALLOW_CONNECTIONS {{}}'
    beside = urlsplit(database)._replace(path="/postgres").geturl()
    with (
        recollect.open(on_server) as nexus,
        psycopg.connect(beside, autocommit=True) as other,
    ):
        nexus.read(FIND, {"code": ""})
        other.execute(admits.format("false").encode())
        try:
            with pytest.raises(RecollectError, match="the write is kept") as caught:
                nexus.add_index("Drug", "code")
        finally:
            other.execute(admits.format("true").encode())
        assert caught.value.code.code == "INDEX_PENDING"
        assert nexus.declared.indexes() == (AttributeIndex("Drug", "code"),)
        assert states(server, schema) == []
        assert nexus.doctor(fix=True).is_well
        assert states(server, schema) == [True]


def test_what_follows_a_commit_is_done_though_an_index_is_not_made(
    on_server: str, schema: str, database: str
) -> None:
    called: list[str] = []
    with recollect.open(f"{on_server}&wait=1") as nexus:
        with psycopg.connect(database) as open_for_long:
            open_for_long.execute(f"UPDATE {schema}.concept SET version = version".encode())
            with pytest.raises(RecollectError) as caught, nexus.transaction():
                nexus.group("other").write(WRITE, {"name": "second", "code": "y"})
                nexus.add_index("Drug", "code")
                nexus.queue.put(["an item"], "new", "r", then=lambda: called.append("then"))
            assert caught.value.code.code == "INDEX_PENDING"
        assert called == ["then"]
        assert len(nexus.group("other").read(FIND, {"code": "y"}).results[0].rows) == 1


def test_a_dropped_index_that_cannot_go_yet_is_erased_as_far_as_may_be(
    on_server: str, schema: str, server: Connection, database: str
) -> None:
    vacuumed = (
        f"SELECT vacuum_count FROM pg_stat_all_tables WHERE relid = '{schema}.concept'::regclass"
    )
    with recollect.open(f"{on_server}&wait=1") as nexus:
        nexus.add_index("Drug", "code")
        with psycopg.connect(database) as open_for_long:
            open_for_long.execute(f"SELECT 1 FROM {schema}.concept".encode())
            with pytest.raises(RecollectError) as caught:
                nexus.drop_index("Drug", "code")
        assert caught.value.code.code == "INDEX_PENDING"
        assert nexus.declared.indexes() == ()
        assert server.execute(vacuumed.encode()).fetchall() == [(1,)]
        assert nexus.doctor(fix=True).is_well
        assert states(server, schema) == []


def test_a_purge_is_kept_and_says_so_though_its_index_cannot_go_yet(
    on_server: str, schema: str, server: Connection, database: str
) -> None:
    with recollect.open(f"{on_server}&wait=1") as nexus:
        nexus.add_index("Drug", "code")
        nexus.group("other").write('UPSERT { CONCEPT { {type: "Cat", name: "kept"} } }')
        with psycopg.connect(database) as open_for_long:
            open_for_long.execute(f"SELECT 1 FROM {schema}.concept".encode())
            receipts = [nexus.purge(Key("Drug", "first"))]
            nexus.write(WRITE, {"name": "second", "code": "y"})
            with suppress(RecollectError):
                nexus.add_index("Drug", "code")
            receipts.append(nexus.drop_group("default"))
        for one in receipts:
            assert not one.is_complete
            assert one.note.count("recollect doctor --fix") == 1
        assert nexus.groups() == ["other"]
        assert len(states(server, schema)) == 1
        assert not nexus.doctor().is_well
        assert nexus.doctor(fix=True).is_well
        assert states(server, schema) == []


def test_what_is_half_made_goes_with_its_declaration(
    on_server: str, schema: str, server: Connection, database: str
) -> None:
    with recollect.open(f"{on_server}&wait=1") as nexus:
        with psycopg.connect(database) as open_for_long, pytest.raises(RecollectError):
            open_for_long.execute(f"UPDATE {schema}.concept SET version = version".encode())
            nexus.add_index("Drug", "code")
        assert states(server, schema) == [False]
        nexus.drop_index("Drug", "code")
        assert states(server, schema) == []


def test_an_index_leaves_one_alone_whose_name_it_begins_with(
    on_server: str, schema: str, server: Connection
) -> None:
    with recollect.open(on_server) as nexus:
        nexus.add_index("Drug", "code")
        nexus.group("other").add_index("Drug", 'code"x')
        assert states(server, schema) == [True]


def test_a_role_that_does_not_have_the_tables_declares_nothing(
    on_server: str, schema: str, server: Connection
) -> None:
    role = f"{schema}_app"
    server.execute(f"CREATE ROLE {role} LOGIN".encode())
    try:
        server.execute(f"GRANT USAGE ON SCHEMA {schema} TO {role}".encode())
        server.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {role}".encode())
        host = urlsplit(on_server).netloc.rpartition("@")[2]
        address = urlsplit(on_server)._replace(netloc=f"{role}@{host}").geturl()
        with recollect.open(address) as nexus:
            with pytest.raises(RecollectError) as caught:
                nexus.add_index("Drug", "code")
            assert "does not own" in caught.value.message
            assert nexus.declared.indexes() == ()
    finally:
        server.execute(f"DROP OWNED BY {role}".encode())
        server.execute(f"DROP ROLE {role}".encode())
