"""A memory whose groups are spread by Citus answers as one on one server: `make citus DSN=...`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

import parts
import recollect
from recollect.errors import RecollectError
from recollect.kernel.store.postgres.binding import adapt
from recollect.kernel.store.postgres.distribution import distribute_tables

GROUPS = tuple(f"group {number}" for number in range(12))
WRITE = """UPSERT { CONCEPT @a { {type: "Drug", name: $name} SET PROPOSITIONS { ("treats", @b) } }
  CONCEPT @b { {type: "Symptom", name: "Headache"} } }"""
TREATS = 'FIND(?a.name) WHERE { (?a, "treats", ?b) ?b {name: "Headache"} }'


@pytest.fixture
def spread(on_server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a memory that was filled before its groups were spread."""
    if not request.config.getoption("--citus"):
        pytest.skip("there is no coordinator of Citus: make citus DSN=...")
    with recollect.open(on_server) as nexus:
        for group in GROUPS:
            nexus.group(group).write(WRITE, {"name": group})
    assert distribute_tables(on_server) != ()
    assert distribute_tables(on_server) == ()
    yield on_server


def answers(nexus: recollect.Nexus) -> list[object]:
    return [nexus.group(one).read(TREATS).results for one in GROUPS]


def test_what_was_there_before_is_there_and_what_is_asked_of_a_group_is_one_task(
    spread: str, database: str
) -> None:
    with parts.heard() as found, recollect.open(spread) as nexus:
        before = answers(nexus)
        for group in GROUPS:
            nexus.group(group).write(WRITE, {"name": "Aspirin"})
            nexus.group(group).search("Headache")
            assert nexus.group(group).read(TREATS).results != before
            nexus.group(group).verify()
        assert nexus.groups() == sorted(GROUPS)
        assert nexus.doctor().is_well
    with psycopg.connect(database, cursor_factory=psycopg.RawCursor) as connection:
        adapt(connection)
        schema = re.findall(r"schema=(\w+)", spread)[0]
        connection.execute(f"SET search_path = {schema}")  # type: ignore[call-overload]
        planned = 0
        for text, values in found.items():
            is_wide = any(re.search(one, text) for one in parts.SPANNING)
            if re.match(r"\s*SELECT", text) and not is_wide:
                lines = connection.execute(f"EXPLAIN {text}", values)  # type: ignore[arg-type]
                plan = "\n".join(str(line) for (line,) in lines.fetchall())
                assert set(re.findall(r"Task Count: (\d+)", plan)) <= {"1"}, text
                planned += "Task Count" in plan
        assert planned > 20


def test_a_worker_that_is_lost_takes_its_groups_alone(spread: str, database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        node, host, port = connection.execute(
            "SELECT nodeid, nodename, nodeport FROM pg_dist_node"
            " WHERE noderole = 'primary' AND groupid > 0 AND shouldhaveshards ORDER BY 1 LIMIT 1"
        ).fetchall()[0]
        connection.execute("SELECT citus_update_node(%s, %s, 1)", (node, host))
        try:
            told = [outcome(spread, group) for group in GROUPS]
        finally:
            connection.execute("SELECT citus_update_node(%s, %s, %s)", (node, host, port))
    assert set(told) == {"read", "STORE_UNAVAILABLE"}
    with recollect.open(spread) as nexus:
        assert all(nexus.group(one).read(TREATS).results for one in GROUPS)


def outcome(address: str, group: str) -> str:
    with recollect.open(address) as nexus:
        try:
            nexus.group(group).read(TREATS)
        except RecollectError as error:
            return error.code.code
        return "read"
