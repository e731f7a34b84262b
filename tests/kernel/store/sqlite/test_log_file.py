from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import recollect
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import PutConcept

MEGABYTE = 2**20


def load(store: SqliteStore, turn: int) -> None:
    """Write four megabytes of texts, which an index repeats, in one transaction."""
    with store.writing() as session:
        numbers = range(4 * turn, 4 * turn + 4)
        rows = [(1, code, f"{code} {'x' * MEGABYTE}") for code in numbers]
        session.execute_many("INSERT INTO term (group_id, code, text) VALUES (?, ?, ?)", rows)


def count_on(store: SqliteStore) -> None:
    with store.writing() as session:
        session.execute_many("UPDATE counter SET last_n = last_n + 1", [()])


def writer(store: SqliteStore) -> SqliteSession:
    with store.writing(is_dry_run=True) as session:
        return session


def test_small_writes_begin_the_log_anew_when_it_is_short(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", StoreSettings("normal"))
    for _ in range(3_000):
        count_on(store)
    assert (tmp_path / "memory.db-wal").stat().st_size < 6 * MEGABYTE
    store.close()


def test_what_a_load_writes_stays_in_the_log_for_several_transactions(tmp_path: Path) -> None:
    path, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    store = SqliteStore(path, StoreSettings("normal"))
    store.checkpoint()
    before = path.stat().st_size
    for at in range(5):
        load(store, at)
    assert path.stat().st_size == before
    assert log.stat().st_size > 40 * MEGABYTE
    store.close()


def test_the_log_of_a_long_load_is_copied_and_begun_anew(tmp_path: Path) -> None:
    path, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    store = SqliteStore(path, StoreSettings("normal"))
    for at in range(20):
        load(store, at)
        assert log.stat().st_size < (64 + 9) * MEGABYTE
    assert path.stat().st_size > 80 * MEGABYTE
    store.close()


def test_a_small_write_after_a_load_copies_what_that_left(tmp_path: Path) -> None:
    path, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    store = SqliteStore(path, StoreSettings("normal"))
    load(store, 0)
    load(store, 1)
    count_on(store)
    assert path.stat().st_size > 16 * MEGABYTE
    full = log.stat().st_size
    for at in range(2, 4):
        load(store, at)
    assert log.stat().st_size < full + MEGABYTE
    store.close()


def test_another_connection_writes_once_a_load_is_over(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", StoreSettings("normal"))
    load(store, 0)
    loading = writer(store)
    load(store, 1)
    assert writer(store) is loading  # a load may go on
    count_on(store)
    descriptors = len(os.listdir("/dev/fd"))
    fresh = writer(store)
    assert fresh is not loading
    for _ in range(1_500):  # more than a load writes, but not at once
        count_on(store)
    assert writer(store) is fresh
    with store.reading() as session:
        assert session.rows("SELECT last_n FROM counter") == [(1_501,)]
        assert session.rows("SELECT count(*) FROM term") == [(8,)]
    assert len(os.listdir("/dev/fd")) <= descriptors + 3  # of a reader: the file, its log and index
    store.close()
    assert [one.name for one in tmp_path.iterdir()] == ["memory.db"]


def test_what_others_load_is_no_load_of_this_connection(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store, other = (SqliteStore(path, StoreSettings("normal")) for _ in range(2))
    own = writer(store)
    for turn in range(3):
        load(other, turn)
        count_on(store)
        count_on(store)
    assert writer(store) is own
    store.close()
    other.close()


def test_several_writes_of_one_transaction_may_be_a_load(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", StoreSettings("normal"))
    with store.together():
        load(store, 0)
        count_on(store)
        with store.writing() as session:
            loading = session
    count_on(store)
    assert writer(store) is not loading
    store.close()


@contextmanager
def without_descriptors() -> Iterator[None]:
    """Let nothing more be opened."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_connection_that_cannot_be_replaced_writes_on(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", StoreSettings("normal"))
    load(store, 0)
    loading = writer(store)
    with without_descriptors():
        count_on(store)
        count_on(store)
    assert writer(store) is loading
    load(store, 1)
    count_on(store)
    assert writer(store) is not loading
    with store.reading() as session:
        assert session.rows("SELECT last_n FROM counter") == [(3,)]
    store.close()


def test_a_memory_whose_file_was_taken_away_has_no_size(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus:
        nexus.write([PutConcept("T", "x")])
        assert nexus.stats().log_bytes > 0
        for left in tmp_path.iterdir():
            left.unlink()
        stats = nexus.stats()
    assert (stats.size_bytes, stats.log_bytes, stats.concepts) == (0, 0, 1)
