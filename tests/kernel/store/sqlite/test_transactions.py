from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.port import Budget
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sharing import opened
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.forks import FORKS
from recollect.kernel.store.sqlite.store import SqliteStore

ENDLESS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
"""


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    store = SqliteStore(":memory:" if request.param == "memory" else tmp_path / "memory.db")
    yield store
    store.close()


def last(store: SqliteStore) -> object:
    with store.reading() as session:
        row = session.row("SELECT max(last_n) FROM counter")
    assert row is not None
    return row[0]


def put(store: SqliteStore, number: int, is_dry_run: bool = False) -> None:
    with store.writing(is_dry_run) as session:
        session.execute_many("UPDATE counter SET last_n = ?", [(number,)])


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(RecollectError) as caught:
        action()
    return caught.value.code.code


def test_in_memory_a_thread_waits_for_a_block_no_longer_than_it_was_given() -> None:
    store = SqliteStore(":memory:", StoreSettings(busy_seconds=0.05))
    with ThreadPoolExecutor(1) as pool:
        for block in (store.reading, store.together):
            with opened(store, block()):
                assert pool.submit(code_of, lambda: last(store)).result() == "STORE_BUSY"
                assert pool.submit(code_of, lambda: put(store, 1)).result() == "STORE_BUSY"
        assert pool.submit(last, store).result() == 0
    store.close()


def test_in_memory_a_reader_waits_for_a_write_to_its_end() -> None:
    store = SqliteStore(":memory:", StoreSettings(busy_seconds=0))
    begun, may_end = threading.Event(), threading.Event()

    def write() -> None:
        with store.writing() as session:
            begun.set()
            may_end.wait()
            session.rows("UPDATE counter SET last_n = 1")

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(write)
        begun.wait()
        reading = pool.submit(last, store)
        with pytest.raises(TimeoutError):
            reading.result(0.2)
        may_end.set()
        writing.result()
        assert reading.result() == 1
    store.close()


def test_a_writer_finds_its_turn_beside_one_that_never_rests(tmp_path: Path) -> None:
    settings = StoreSettings(
        busy_seconds=10.0
    )  # of a busy machine: alone it takes some milliseconds
    restless = SqliteStore(tmp_path / "memory.db")
    other = SqliteStore(tmp_path / "memory.db", settings)  # as another process would
    is_over = threading.Event()

    def write_on() -> None:
        while not is_over.is_set():
            with restless.writing() as session:
                for _ in range(500):
                    session.rows("UPDATE counter SET last_n = last_n + 1")

    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write_on) for _ in range(4)]
        try:
            for at in range(20):
                put(other, at)
        finally:
            is_over.set()
        for one in writing:
            one.result()
    restless.close()
    other.close()


def test_a_large_write_reaches_the_log_when_it_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    log = tmp_path / "memory.db-wal"
    store = SqliteStore(path, StoreSettings(cache_bytes=2**20))
    store.checkpoint()
    with store.writing() as session:
        rows = [(1, code, f"{code} {'x' * 1_000}") for code in range(2_000)]
        session.execute_many("INSERT INTO term (group_id, code, text) VALUES (?, ?, ?)", rows)
        assert log.stat().st_size == 0  # else some pages would be written to it twice
    assert log.stat().st_size > 8 * 2**20
    store.close()


def test_closing_waits_for_a_block_that_reads(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    is_reading, may_end = threading.Event(), threading.Event()

    def read() -> object:
        with store.reading() as session:
            is_reading.set()
            may_end.wait(5)
            return session.rows("SELECT last_n FROM counter")

    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(read)
        is_reading.wait(5)
        closing = pool.submit(store.close)
        may_end.set()
        assert reading.result() == [(0,)]
        closing.result()
    assert code_of(lambda: last(store)) == "STORE_CLOSED"


def test_connections_of_ended_threads_are_closed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db")
    last(store)

    def descriptors() -> int:
        gc.collect()
        return len(os.listdir("/dev/fd"))

    before = descriptors()
    for _ in range(20):
        thread = threading.Thread(target=last, args=(store,))
        thread.start()
        thread.join()
    assert descriptors() <= before + 2
    store.close()
    assert descriptors() < before


def test_a_statement_beyond_its_steps_is_ended_with_the_number(store: SqliteStore) -> None:
    with store.reading() as session:
        with pytest.raises(RecollectError) as caught:
            session.allow(Budget(steps=100_000))
            session.rows(ENDLESS)
        assert caught.value.code.code == "KIP_4002"
        assert "100000" in caught.value.message
        assert session.rows("SELECT 1") == [(1,)]


def test_a_budget_is_for_all_statements_of_a_block_together(store: SqliteStore) -> None:
    once = ENDLESS.replace("FROM n)", "FROM n LIMIT 30000)")
    with store.reading() as session:
        session.allow(Budget(steps=3_000_000))
        assert code_of(lambda: [session.row(once) for _ in range(100)]) == "KIP_4002"
    with store.reading() as session:
        assert session.rows(once)


def test_the_same_statement_takes_the_same_steps_every_time(store: SqliteStore) -> None:
    counted = ENDLESS.replace("FROM n)", "FROM n LIMIT 30000)")

    def is_enough(steps: int) -> bool:
        try:
            session.allow(Budget(steps=steps))
            session.rows(counted)
        except RecollectError:
            return False
        return True

    with store.reading() as session:
        first = [is_enough(steps) for steps in range(0, 1_000_000, 50_000)]
        assert first == [is_enough(steps) for steps in range(0, 1_000_000, 50_000)]
        assert (first[0], first[-1]) == (False, True)


def test_the_file_keeps_what_was_committed(tmp_path: Path) -> None:
    store = SqliteStore(f"sqlite:///{tmp_path}/memory.db")
    put(store, 7)
    store.close()
    assert [one.name for one in tmp_path.iterdir()] == ["memory.db"]
    store = SqliteStore(str(tmp_path / "memory.db"))
    assert last(store) == 7
    store.close()


@pytest.mark.parametrize("synchronous", ["full", "normal"])
def test_the_settings_reach_every_connection(tmp_path: Path, synchronous: str) -> None:
    settings = StoreSettings(synchronous=synchronous)  # type: ignore[arg-type]
    store = SqliteStore(tmp_path / "memory.db", settings)
    number = {"full": 2, "normal": 1}[synchronous]
    for block in (store.reading, store.writing):
        with block() as session:
            assert session.rows("PRAGMA synchronous") == [(number,)]
            assert session.rows("PRAGMA journal_mode") == [("wal",)]
    store.close()


@pytest.mark.parametrize("kind", ["reading", "writing"])
def test_a_store_that_is_closed_inside_a_block_is_closed_after_it(
    store: SqliteStore, kind: str
) -> None:
    with getattr(store, kind)() as session:
        session.rows("SELECT * FROM grp")
        store.close()
        assert session.rows("SELECT 1") == [(1,)]
    with pytest.raises(apsw.ConnectionClosedError):
        session.connection.execute("SELECT 1")
    assert code_of(lambda: store.reading().__enter__()) == "STORE_CLOSED"


def test_a_reader_makes_no_file_where_the_store_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    store.checkpoint()
    for one in tmp_path.iterdir():
        one.unlink()
    assert code_of(lambda: store.reading().__enter__()) == "STORE_UNAVAILABLE"
    assert list(tmp_path.iterdir()) == []
    store.close()


def test_no_part_follows_once_the_engine_has_undone_the_transaction(store: SqliteStore) -> None:
    def go_on() -> None:
        with store.together():
            with suppress(KeyError), store.writing() as session:
                session.rows("ROLLBACK")  # as the engine does where memory or disk runs out
                raise KeyError
            put(store, 8)

    assert code_of(go_on) == "STORE_UNAVAILABLE"
    assert last(store) == 0
    put(store, 9)
    assert last(store) == 9


@pytest.mark.parametrize("begins", ["begin_writing", "begin_reading"])
def test_who_is_interrupted_as_a_block_begins_leaves_no_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: str
) -> None:
    begin = getattr(SqliteSession, begins)

    def interrupted(*arguments: object) -> None:
        begin(*arguments)
        raise KeyboardInterrupt

    store, other = (SqliteStore(tmp_path / "m.db", StoreSettings(busy_seconds=0)) for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(SqliteSession, begins, interrupted)
        block = store.writing() if begins == "begin_writing" else store.reading()
        with pytest.raises(KeyboardInterrupt), block:
            pytest.fail("the block is not reached")
    for one in (other, store):
        put(one, 7)
        assert last(one) == 7
        one.close()


def test_a_write_that_could_not_be_undone_is_undone_before_what_comes_next(
    store: SqliteStore,
) -> None:
    def refuse(operation: int, what: str | None, *_: object) -> int:
        is_end = operation == apsw.SQLITE_TRANSACTION and what == "ROLLBACK"
        return apsw.SQLITE_DENY if is_end else apsw.SQLITE_OK

    def is_left_open() -> None:
        with pytest.raises(RecollectError), store.writing() as session:
            session.rows("UPDATE counter SET last_n = 99")
            session.connection.authorizer = refuse
            raise ZeroDivisionError
        session.connection.authorizer = None

    is_left_open()
    assert last(store) == 0
    is_left_open()
    put(store, 7)
    assert last(store) == 7
    is_left_open()
    store.checkpoint()
    is_left_open()
    assert store.finish_erasure() is None
    assert last(store) == 7


def test_who_is_interrupted_amid_the_begin_of_a_write_bars_no_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "m.db")
    run = SqliteSession.rows

    def interrupted(session: SqliteSession, sql: str, *arguments: object) -> object:
        run(session, sql, *arguments)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(SqliteSession, "rows", interrupted)
        with store.writing():
            pytest.fail("the block is not reached")
    put(store, 7)
    assert not FORKS.writers
    store.close()
