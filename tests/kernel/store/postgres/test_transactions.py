from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.blocks import opened
from recollect.kernel.store.port import Budget
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.settings import Settings

MAKE = """
INSERT INTO grp (group_id, name, id_bits, number, at, chain) VALUES (?, ?, '', 0, 0, '')
"""


@pytest.fixture
def store(on_server: str) -> Iterator[PostgresStore]:
    store = PostgresStore(on_server)
    yield store
    store.close()


def last(store: PostgresStore) -> object:
    with store.reading() as session:
        return session.rows("SELECT last_group FROM erasure")[0][0]


def put(store: PostgresStore, number: int, is_dry_run: bool = False) -> None:
    with store.writing(is_dry_run) as session:
        session.execute_many("UPDATE erasure SET last_group = ?", [(number,)])


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(RecollectError) as caught:
        action()
    return caught.value.code.code


def test_what_is_written_is_read_afterwards(store: PostgresStore) -> None:
    put(store, 5)
    assert last(store) == 5


def test_an_exception_and_a_dry_run_keep_nothing(store: PostgresStore) -> None:
    with pytest.raises(KeyboardInterrupt), store.writing() as session:
        session.rows("UPDATE erasure SET last_group = 5")
        raise KeyboardInterrupt
    put(store, 6, is_dry_run=True)
    assert last(store) == 0


def test_a_statement_that_fails_keeps_nothing_of_the_write(store: PostgresStore) -> None:
    def swallow() -> None:
        with store.writing() as session:
            session.rows("UPDATE erasure SET last_group = 5")
            assert code_of(lambda: session.rows("SELECT 1 / 0")) == "KIP_4003"

    assert code_of(swallow) == "STORE_UNAVAILABLE"
    assert last(store) == 0


def test_actions_wait_for_the_commit_and_never_follow_a_rollback(store: PostgresStore) -> None:
    called: list[str] = []
    with store.writing() as session:
        session.on_commit(lambda: called.append("committed"))
        assert called == []
    with store.writing(is_dry_run=True) as session:
        session.on_commit(lambda: called.append("dry run"))
    with store.together():
        with pytest.raises(ValueError), store.writing() as session:
            session.on_commit(lambda: called.append("failed"))
            raise ValueError
        with store.writing() as session:
            session.on_commit(lambda: called.append("a part"))
    assert called == ["committed", "a part"]


def test_a_snapshot_does_not_see_a_later_commit(store: PostgresStore) -> None:
    with store.reading() as outer, store.reading() as inner:
        assert outer is inner
        assert outer.rows("SELECT last_group FROM erasure") == [(0,)]
        with ThreadPoolExecutor(1) as pool:
            pool.submit(put, store, 5).result()
        assert outer.rows("SELECT last_group FROM erasure") == [(0,)]
    assert last(store) == 5


def test_a_block_that_reads_cannot_write(store: PostgresStore) -> None:
    with store.reading() as session:
        refused = code_of(lambda: session.rows("UPDATE erasure SET last_group = 1"))
    assert refused == "STORE_UNAVAILABLE"
    with opened(store, store.reading(), only_reads=True):
        assert code_of(lambda: put(store, 1)) == "INVALID_ARGUMENT"
    assert last(store) == 0


def test_a_write_inside_a_write_is_refused_at_once(store: PostgresStore) -> None:
    with store.writing():
        assert code_of(lambda: put(store, 1)) == "KIP_4003"
    put(store, 2)
    assert last(store) == 2


def test_a_part_that_fails_undoes_itself_alone(store: PostgresStore) -> None:
    with store.together():
        put(store, 1)
        with pytest.raises(ValueError), store.writing() as session:
            session.rows("UPDATE erasure SET last_group = 2")
            raise ValueError
        with store.writing() as session:
            assert code_of(lambda: session.rows("SELECT 1 / 0")) == "KIP_4003"
            session.roll_back()
        put(store, 3, is_dry_run=True)
        assert last(store) == 1
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(last, store).result() == 0
    assert last(store) == 1


def test_many_threads_write_one_after_another(store: PostgresStore) -> None:
    def add(_: int) -> None:
        with store.writing() as session:
            session.rows("UPDATE erasure SET last_group = last_group + 1")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(60)))
    assert last(store) == 60


def test_writers_of_different_groups_do_not_wait_for_each_other(on_server: str) -> None:
    store = PostgresStore(on_server, Settings(busy_seconds=0.2))
    for number, name in enumerate(("one", "two")):
        with store.writing(group=name) as session:
            session.execute_many(MAKE, [(number, name)])
    written = "UPDATE grp SET at = at + 1 WHERE name = ?"

    def write(name: str | None) -> str:
        with store.writing(group=name) as session:
            session.rows(written, (name or "two",))
        return "written"

    with store.writing(group="one") as session, ThreadPoolExecutor(1) as pool:
        session.rows(written, ("one",))
        assert pool.submit(write, "two").result() == "written"
        for name in ("one", None, "three"):  # the last is not there: to make it takes them all
            assert pool.submit(code_of, lambda name=name: write(name)).result() == "STORE_BUSY"
    with store.reading() as session:
        assert session.rows("SELECT name, at FROM grp ORDER BY name") == [("one", 1), ("two", 1)]
    store.close()


def test_the_wait_for_a_writer_has_an_end(on_server: str) -> None:
    one = PostgresStore(on_server, Settings(busy_seconds=0.05))
    two = PostgresStore(on_server, Settings(busy_seconds=0.05))
    with one.writing():
        began = time.monotonic()
        assert code_of(lambda: put(two, 1)) == "STORE_BUSY"
        assert 0.04 < time.monotonic() - began < 4
        assert last(two) == 0  # who reads does not wait
    put(two, 2)
    assert last(one) == 2
    one.close()
    two.close()


def test_two_writers_that_wait_for_each_other_are_told_to_come_again(on_server: str) -> None:
    store = PostgresStore(on_server, Settings(busy_seconds=20))
    for number, name in enumerate(("one", "two")):
        with store.writing() as session:
            session.execute_many(MAKE, [(number, name)])
    meeting = threading.Barrier(2)

    def both(first: str, second: str) -> str:
        try:
            with store.together(group=first):
                meeting.wait(10)
                with store.writing(group=second):
                    return "written"
        except RecollectError as error:
            return error.code.code

    with ThreadPoolExecutor(2) as pool:
        found = sorted(pool.map(both, ("one", "two"), ("two", "one")))
    assert found == ["STORE_BUSY", "written"]
    store.close()


def test_a_statement_beyond_its_time_is_ended(store: PostgresStore) -> None:
    with store.reading() as session:
        session.allow(Budget(seconds=0.05))
        assert code_of(lambda: session.rows("SELECT pg_sleep(20)")) == "KIP_4001"
    with store.reading() as session:
        session.allow(Budget(seconds=5, spent=6))
        assert code_of(lambda: session.rows("SELECT 1")) == "KIP_4001"
    with store.writing() as session:
        session.allow(Budget(seconds=0.05))
        session.allow(None)
        assert session.rows("SELECT pg_sleep(0.1)") == [("",)]


def test_no_statement_of_the_engine_reaches_an_error(store: PostgresStore) -> None:
    with store.reading() as session, pytest.raises(RecollectError) as caught:
        session.rows("SELECT secret FROM nowhere WHERE password = ?", ("hunter2",))
    assert caught.value.code.code == "KIP_4003"
    for word in ("secret", "nowhere", "hunter2", "SELECT"):
        assert word not in str(caught.value.to_wire())


def test_explain_shows_the_index_that_is_used(store: PostgresStore) -> None:
    with store.reading() as session:
        lines = session.plan("SELECT c.id FROM concept AS c WHERE c.group_id = ?", (1,))
    assert any("concept_" in line for line in lines)


def test_a_closed_store_says_so(store: PostgresStore) -> None:
    store.close()
    assert code_of(lambda: last(store)) == "STORE_CLOSED"
    assert code_of(lambda: put(store, 1)) == "STORE_CLOSED"
    store.close()


def test_a_store_that_is_closed_inside_a_block_is_closed_after_it(store: PostgresStore) -> None:
    with store.writing() as session:
        session.rows("UPDATE erasure SET last_group = 3")
        store.close()
        assert session.rows("SELECT last_group FROM erasure") == [(3,)]
    assert code_of(lambda: last(store)) == "STORE_CLOSED"


def test_a_thread_knows_whether_it_is_inside_a_block(store: PostgresStore) -> None:
    with ThreadPoolExecutor(1) as pool:
        for block in (store.reading, store.together):
            assert not store.is_inside()
            with block():
                assert store.is_inside()
                assert not pool.submit(store.is_inside).result()
        assert not store.is_inside()


def test_rows_come_as_they_are_asked_for_beside_other_statements(store: PostgresStore) -> None:
    with store.reading() as session:
        rows = session.each("SELECT n FROM generate_series(1, :most) AS n", {"most": 2_500})
        assert next(rows) == (1,)
        assert session.row("SELECT 7") == (7,)
        assert sum(n for (n,) in rows) == 2_500 * 2_501 // 2 - 1  # type: ignore[misc]
        left = session.each("SELECT n FROM generate_series(1, 10) AS n")
        assert next(left) == (1,)
        left.close()


def test_what_a_server_cannot_do_is_refused_with_the_way_that_there_is(
    store: PostgresStore,
) -> None:
    with pytest.raises(RecollectError) as caught:
        store.back_up("memory.db")
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert "pg_dump" in str(caught.value.hint)
    with store.together():
        assert code_of(lambda: store.refuse_together("a mend")) == "INVALID_ARGUMENT"


def test_an_erasure_is_vacuumed_and_tells_what_the_server_still_holds(
    store: PostgresStore,
) -> None:
    with store.writing() as session:
        session.begin_erasure()
    with store.reading():
        assert "snapshot" in str(store.finish_erasure())
    assert "replicas and backups" in str(store.finish_erasure())
    with store.reading() as session:
        assert session.rows("SELECT begun, finished FROM erasure") == [(1, 1)]
