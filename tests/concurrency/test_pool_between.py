"""A memory behind PgBouncer in transaction mode: a connection there is another one each time."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
LISTS_PREPARED = (1, 21)
"""The first version that keeps prepared statements through transactions."""

WRITE = 'UPSERT { CONCEPT { {type: "Drug", name: $name} SET ATTRIBUTES { n: $n } } }'
MORE = 'UPDATE ?c SET ATTRIBUTES { n: ADD(?c.attributes.n, 1) } WHERE { ?c {type: "Drug", name: $name} }'
COUNT = 'FIND(?c.attributes.n) WHERE { ?c {type: "Drug", name: $name} }'

pytestmark = [
    pytest.mark.sqlite_only("asks a server by itself"),
    pytest.mark.skipif(PROGRAM is None, reason="there is no pgbouncer: apt-get install pgbouncer"),
]


def version() -> tuple[int, ...]:
    said = subprocess.run([str(PROGRAM), "--version"], capture_output=True, text=True, check=True)
    return tuple(map(int, re.findall(r"PgBouncer (\d+)\.(\d+)", said.stdout)[0]))


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def owner_of(host: str) -> str | None:
    """Return who may go to the socket of a server, where we are root, who may not run the pool."""
    if os.getuid() != 0:
        return None
    return Path(host).owner() if host.startswith("/") else "nobody"


@pytest.fixture
def between(on_server: str) -> Iterator[str]:
    """The address of a new store through a pool that keeps what is prepared, if this one can."""
    keeps = version() >= LISTS_PREPARED
    with pooled(on_server, most_prepared=100) as address:
        yield address if keeps else f"{address}&prepare=off"


@contextmanager
def pooled(on_server: str, *, most_prepared: int) -> Iterator[str]:
    """Give the address of a store through a pool of two connections, which takes any user."""
    parts = urlsplit(on_server)
    given = parse_qs(parts.query)
    host = given["host"][0] if "host" in given else str(parts.hostname)
    folder, port = Path(tempfile.mkdtemp(prefix="recollect-pool-")), free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        f"""
[databases]
* = host={host} port={parts.port or 5432} user={parts.username or "postgres"}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
{f"max_prepared_statements = {most_prepared}" if version() >= LISTS_PREPARED else ""}
""",
        encoding="utf-8",
    )
    owner = owner_of(host)
    for one in (folder, settings) if owner else ():
        shutil.chown(one, user=owner)
    words = [str(PROGRAM), "--quiet", *(["--user", owner] if owner else []), settings]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as running:
        address = f"postgresql://127.0.0.1:{port}{parts.path}?schema={given['schema'][0]}"
        try:
            for _ in range(100):
                with suppress(psycopg.OperationalError):
                    psycopg.connect(address.partition("?")[0]).close()
                    break
                assert running.poll() is None, running.stderr and running.stderr.read()
                time.sleep(0.05)  # until it listens
            yield address
        finally:
            running.terminate()
            running.wait(10)
            shutil.rmtree(folder)


def test_many_threads_share_two_connections_and_no_setting_or_statement_is_lost(
    between: str,
) -> None:
    with recollect.open(f"{between}&pool=8&wait=60") as nexus:
        groups = [nexus.group(f"group {number}") for number in range(4)]
        for group in groups:
            group.write(WRITE, {"name": "a", "n": 0})
        meeting = threading.Barrier(8)

        def work(group: Nexus) -> None:
            meeting.wait(30)
            for _ in range(10):
                group.write(MORE, {"name": "a"})
                with group.snapshot():  # the settings of a block hold for all of it
                    first, second = (group.read(COUNT, {"name": "a"}) for _ in range(2))
                    assert first.results == second.results

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, groups * 2))
        for group in groups:
            found = group.read(COUNT, {"name": "a"}).results[0]
            assert found.rows == [(20,)]  # type: ignore[union-attr]
            assert group.verify().is_whole
            assert len(group.search("a").results[0].hits) == 1  # type: ignore[union-attr]
        assert nexus.doctor().is_well


def test_a_pool_that_keeps_no_prepared_statements_is_told_as_what_it_is(on_server: str) -> None:
    with pooled(on_server, most_prepared=0) as address:
        with pytest.raises(RecollectError) as caught:
            for _ in range(2):  # the second meets what the first has left on the connection
                with recollect.open(address) as nexus:
                    nexus.write(WRITE, {"name": "a", "n": 0})
        assert caught.value.code.code == "STORE_UNAVAILABLE"
        assert "prepare=off" in str(caught.value.hint)
        with recollect.open(f"{address}&prepare=off") as nexus:
            nexus.write(WRITE, {"name": "b", "n": 0})
            assert nexus.doctor().is_well


def test_a_setting_of_one_client_is_not_seen_by_the_next(between: str) -> None:
    with recollect.open(between) as nexus:
        nexus.write(WRITE, {"name": "a", "n": 0})
        nexus.read(COUNT, {"name": "a"})
        nexus.purge(recollect.Key("Drug", "a"))
        base = between.partition("?")[0]
        for _ in range(4):  # each of the two connections that the pool has
            with psycopg.connect(base, prepare_threshold=None) as connection:
                row = connection.execute(
                    "SELECT current_setting('plan_cache_mode'), current_setting('search_path'),"
                    " current_setting('lock_timeout'), current_setting('statement_timeout')"
                ).fetchone()
                assert row == ("auto", '"$user", public', "0", "0")
