"""A way to the server that ends in the middle of a message, wherever that is."""

from __future__ import annotations

import multiprocessing
import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import parse_qs, urlencode, urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel.store.postgres.faults import is_lost
from recollect.kernel.store.postgres.round_trip import ServerConnection, sent
from recollect.model import Key, PutConcept, PutLink

STARTING = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
NAMES = 'FIND(?c.name) WHERE { ?c {type: "T"} (?c, "p", ?o) }'
AT_ONCE = struct.pack("ii", 1, 0)  # a close of the socket that the other end takes for a fault


class Way:
    """What passes between programs and a server, and ends one connection where it is told to."""

    def __init__(self, host: str, port: int) -> None:
        self.server = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.is_to_server = self.is_at_once = False
        self.left: int | None = None  # bytes that still pass in that direction
        threading.Thread(target=self._accept, daemon=True).start()

    def end_after(self, left: int, *, is_to_server: bool, is_at_once: bool) -> None:
        """Let so many bytes more pass in a direction, and end the connection there."""
        self.is_to_server, self.is_at_once, self.left = is_to_server, is_at_once, left

    def _accept(self) -> None:
        with suppress(OSError):  # nobody listens any more
            while True:
                program, _ = self.listening.accept()
                server = socket.socket(
                    socket.AF_UNIX if isinstance(self.server, str) else socket.AF_INET
                )
                server.connect(self.server)
                threading.Thread(target=self._pass, args=(program, server), daemon=True).start()

    def _pass(self, program: socket.socket, server: socket.socket) -> None:
        with program, server, suppress(OSError):
            while True:
                for one in select.select([program, server], [], [])[0]:
                    if not (message := one.recv(65_536)):
                        return
                    other = server if one is program else program
                    if self.left is not None and (one is program) == self.is_to_server:
                        passing = message[: self.left]
                        self.left -= len(passing)
                        if len(passing) < len(message):
                            self.left = None
                            other.sendall(passing)
                            if self.is_at_once:
                                program.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
                            return
                        other.sendall(passing)
                    else:
                        other.sendall(message)


@contextmanager
def way_to(address: str) -> Iterator[tuple[Way, str]]:
    """Give a way to the server of an address, and the address by which it is gone."""
    parts = urlsplit(address)
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    host = options.pop("host", parts.hostname or "127.0.0.1")
    way = Way(host, parts.port or 5432)
    port = way.listening.getsockname()[1]
    at = f"{parts.username or 'postgres'}@127.0.0.1:{port}"
    try:
        yield way, parts._replace(netloc=at, query=urlencode(options)).geturl()
    finally:
        way.listening.close()


@pytest.mark.parametrize("is_at_once", [False, True])
@pytest.mark.parametrize("is_to_server", [False, True])
def test_wherever_a_write_is_cut_off_it_is_kept_or_told_as_what_it_is(
    on_server: str, is_to_server: bool, is_at_once: bool
) -> None:
    kept: set[str] = set()
    unknown: set[str] = set()
    refused: set[str] = set()
    with way_to(on_server) as (way, address), recollect.open(address, busy_seconds=2) as nexus:
        nexus.group("decoy").write([PutConcept("T", "decoy")])
        left = 0
        while True:
            name = f"name {left}"
            nexus.write([PutConcept("T", f"before {left}")])  # there is a connection
            way.end_after(left, is_to_server=is_to_server, is_at_once=is_at_once)
            try:
                nexus.write([PutConcept("T", name), PutLink(Key("T", name), "p", Key("T", name))])
            except RecollectError as error:
                assert error.code.code == "STORE_UNAVAILABLE", (left, error)
                (unknown if "not known" in error.message else refused).add(name)
            else:
                kept.add(name)
            is_over = way.left is not None
            way.left = None
            if is_over:
                break
            left += 61
        there = [row[0] for row in nexus.read(NAMES).results[0].rows]  # type: ignore[union-attr]
        assert kept
        assert len(there) == len(set(there))
        assert kept <= set(there) <= kept | unknown
        assert not refused & set(there)
        assert nexus.verify().is_whole


def test_a_server_that_starts_up_is_told_as_one_that_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = multiprocessing.Process(target=say_that_it_starts, args=(listening,), daemon=True)
        server.start()  # in its own process: the driver keeps the others' threads from answering
        port = listening.getsockname()[1]
        with pytest.raises(RecollectError) as caught:
            recollect.open(f"postgresql://postgres@127.0.0.1:{port}/postgres?sslmode=disable")
        server.terminate()
        server.join()
        assert caught.value.code.code == "STORE_UNAVAILABLE"
        assert "does not answer" in caught.value.message


def say_that_it_starts(listening: socket.socket) -> None:
    while True:
        program, _ = listening.accept()
        with program:
            program.recv(65_536)
            program.sendall(b"E" + struct.pack("!i", len(STARTING) + 4) + STARTING)


@pytest.mark.parametrize("place", [0, 1, 40])
def test_a_connection_that_the_server_ends_in_the_middle_of_a_message_is_lost(
    database: str, place: int
) -> None:
    queries = [("SELECT 1", ())] * 41
    queries[place] = ("SELECT pg_terminate_backend(pg_backend_pid())", ())
    with connected(database) as connection:
        with pytest.raises(psycopg.OperationalError) as caught:
            sent(connection, queries)
        assert is_lost(caught.value)
        assert connection.closed


@pytest.mark.parametrize("place", [0, 1, 2_999])
@pytest.mark.parametrize("size", [1, 1_000])
def test_a_fault_belongs_to_the_first_statement_of_a_message_that_has_one(
    database: str, place: int, size: int
) -> None:
    queries = [("SELECT $1::text", ("x" * size,))] * 3_000
    queries[place] = ("SELECT 1 / $1::bigint", (0,))
    with connected(database) as connection:
        for _ in range(3):
            with pytest.raises(psycopg.errors.DivisionByZero):
                sent(connection, [("BEGIN", ()), *queries])
            sent(connection, [("ROLLBACK", ())])
        assert sent(connection, [("SELECT 1", ()), ("SELECT 2", ())])[1].rows == [(2,)]


def test_a_text_is_prepared_once_for_the_types_of_its_values_whatever_fails_after_it(
    database: str,
) -> None:
    one = "SELECT $1::text"
    with connected(database) as connection:
        for _ in range(2):
            with pytest.raises(psycopg.errors.DivisionByZero):
                sent(connection, [(one, ("a",)), (one, ("b",)), ("SELECT 1 / 0", ()), (one, (1,))])
        told = sent(connection, [(one, ("c",)), (one, (2,)), (one, (None,))])
        assert [each.rows for each in told] == [[("c",)], [("2",)], [(None,)]]
        asked = "SELECT parameter_types::text FROM pg_prepared_statements WHERE statement = $1"
        (found,) = sent(connection, [(asked, (one,))])
        assert sorted(found.rows) == [("{smallint}",), ("{text}",)]


def test_what_is_no_value_of_the_server_is_told_before_anything_is_sent(database: str) -> None:
    with connected(database) as connection:
        for fault in ("\0", "\ud800"):
            with pytest.raises((psycopg.DataError, UnicodeEncodeError)):
                sent(connection, [("BEGIN", ()), ("SELECT $1::text", (fault,))])
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def connected(database: str) -> ServerConnection:
    return ServerConnection.connect(database, autocommit=True, prepare_threshold=0)
