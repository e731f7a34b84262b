"""Many processes at one server: nothing is lost, nothing is partial, whoever dies when."""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.kernel.store.postgres import round_trip
from recollect.kernel.store.postgres.session import PostgresSession
from recollect.model import Delete, Key, PutConcept, PutLink

GROUPS = ("one", "two", "three", "four")
PROCESSES = 8
MORE = 'UPDATE ?c SET ATTRIBUTES { n: ADD(?c.attributes.n, 1) } WHERE { ?c {type: "T", name: "c"} }'
COUNTED = 'FIND(?n) WHERE { ?c {type: "T", name: "c"} ATTR(?c, "n", ?n) }'

pytestmark = [
    pytest.mark.sqlite_only("asks a server by itself"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a platform without fork"),
]


def write_on(address: str, group: str, seconds: float, told: Any) -> None:
    written, until = 0, time.monotonic() + seconds
    with recollect.open(address, group=group) as nexus:
        while time.monotonic() < until:
            try:
                nexus.write(MORE)
            except RecollectError as error:
                assert error.code.code == "STORE_BUSY", error
            else:
                written += 1
    told.put((group, written))


WAITING = """
SELECT w.application_name, b.application_name, l.locktype, coalesce(l.relation::regclass::text, '')
FROM pg_locks AS l JOIN pg_stat_activity AS w ON w.pid = l.pid
CROSS JOIN LATERAL unnest(pg_blocking_pids(l.pid)) AS p(pid)
JOIN pg_stat_activity AS b ON b.pid = p.pid
WHERE NOT l.granted AND w.datname = current_database()
"""


def test_no_write_of_many_processes_is_lost_no_chain_has_a_gap_and_groups_do_not_wait(
    on_server: str, database: str, is_long: bool
) -> None:
    with recollect.open(on_server) as nexus:
        for group in GROUPS:
            nexus.group(group).write([PutConcept("T", "c", {"n": 0})])
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    running = [
        context.Process(
            target=write_on,
            args=(
                f"{on_server}&application_name={GROUPS[at % 4]}",
                GROUPS[at % 4],
                60 if is_long else 4,
                told,
            ),
        )
        for at in range(PROCESSES)
    ]
    for process in running:
        process.start()
    waits: set[tuple[str, ...]] = set()
    counted: list[tuple[str, int]] = []
    with psycopg.connect(database, autocommit=True) as connection:
        while len(counted) < PROCESSES and any(one.exitcode is None for one in running):
            waits.update(connection.execute(WAITING).fetchall())
            with suppress(queue.Empty):
                counted.append(told.get(timeout=0.001))
    counted += [told.get(timeout=180) for _ in range(PROCESSES - len(counted))]
    for process in running:
        process.join()
    assert {who for who, *_ in waits} == set(GROUPS)  # two of each group, who do wait
    # The server makes a table's file larger for one at a time, and for no longer than that.
    assert [one for one in waits if one[0] != one[1] and one[2] != "extend"] == []
    assert [process.exitcode for process in running] == [0] * PROCESSES
    with recollect.open(on_server) as nexus:
        for name in GROUPS:
            group, written = nexus.group(name), sum(n for one, n in counted if one == name)
            assert group.read(COUNTED).results[0].rows == [(written,)]  # type: ignore[union-attr]
            assert written > 0
            audit = group.verify()
            assert (audit.is_whole, audit.transactions) == (True, written + 1)
        assert nexus.doctor().findings == ()


def in_parts(nexus: Nexus) -> None:
    with nexus.transaction():
        nexus.write([PutConcept("T", "x")])
        nexus.write([PutConcept("T", "y"), PutLink(Key("T", "x"), "p", Key("T", "y"))])


WRITES: dict[str, Callable[[Nexus], object]] = {
    "new types": lambda nexus: nexus.write(
        [
            PutConcept("New", "x"),
            PutConcept("T", "y"),
            PutLink(Key("New", "x"), "new", Key("T", "y")),
        ]
    ),
    "what is known": lambda nexus: nexus.write(
        [PutConcept("T", "x"), PutConcept("T", "y"), PutLink(Key("T", "x"), "p", Key("T", "y"))]
    ),
    "other contents": lambda nexus: nexus.write(
        [PutConcept("T", name, {"n": 2}) for name in ("a", "b")]
    ),
    "a delete": lambda nexus: nexus.write([Delete(Key("T", "a")), Delete(Key("T", "b"))]),
    "a purge": lambda nexus: nexus.purge(Key("T", "a")),
    "a transaction of parts": in_parts,
}


@pytest.mark.parametrize("write", list(WRITES))
def test_who_is_killed_amid_a_write_leaves_all_of_it_or_nothing(on_server: str, write: str) -> None:
    with recollect.open(on_server) as nexus:
        killed = 0
        while True:
            group = nexus.group(f"g{killed}")
            group.write([PutConcept("T", name, {"n": 1}) for name in ("a", "b")])
            group.write([PutLink(Key("T", "a"), "p", Key("T", "b"))])
            before = shape(group)
            if not dies(on_server, group.group_name, WRITES[write], killed):
                after = shape(group)
                break
            assert shape(group) in (before, *seen_after(nexus, write)), killed
            assert group.verify().is_whole
            killed += 1
        assert before != after
        assert killed >= 8  # before and after each of three round trips and the commit
        assert nexus.doctor().findings == ()


def shape(nexus: Nexus) -> list[tuple[object, ...]]:
    """Return what there is, without what is drawn anew in each group."""
    found = [
        getattr(one, "concept", None) or getattr(one, "link", None)
        for one in nexus.elements.records()
    ]
    return sorted(
        (type(one).__name__, getattr(one, "name", ""), str(one.attributes)) for one in found if one
    )


def seen_after(nexus: Nexus, write: str) -> list[list[tuple[object, ...]]]:
    """Return what there is where the same write ends."""
    group = nexus.group("whole")
    if group.group_name not in nexus.groups():
        group.write([PutConcept("T", name, {"n": 1}) for name in ("a", "b")])
        group.write([PutLink(Key("T", "a"), "p", Key("T", "b"))])
        WRITES[write](group)
    return [shape(group)]


def dies(address: str, group: str, write: Callable[[Nexus], object], at: int) -> bool:
    """Let a child write that kills itself at its step `at`; return whether it came so far."""
    child = os.fork()
    if child == 0:
        try:
            with recollect.open(address, group=group) as nexus:
                nexus.read('FIND(?x) WHERE { ?x {type: "T"} }')
                kill_at(at)
                write(nexus)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def kill_at(step: int) -> None:
    """Kill this process before or after one of its next round trips."""
    sent, end, steps = round_trip.sent, PostgresSession._end, iter(range(step, -1, -1))

    def passed() -> None:
        if next(steps, None) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def send(connection: Any, queries: Sequence[Any]) -> Any:
        passed()
        found = sent(connection, queries)
        passed()
        return found

    def finish(session: PostgresSession, last: str) -> None:
        passed()
        end(session, last)
        passed()

    round_trip.sent = send
    PostgresSession._end = finish  # type: ignore[method-assign]
