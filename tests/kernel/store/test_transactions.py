"""What every store promises of its blocks, in a file, in memory and on a server.

What one of them alone promises stands in `sqlite` and `postgres`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.opening import open_store
from recollect.kernel.store.port import Budget, Store
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sharing import opened
from recollect.kernel.store.statement import Statement

COUNTED = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n {}) SELECT {} FROM n"
WRITTEN = "/* a test's */ UPDATE tally SET count = ?"
ASKED = "/* a test's */ SELECT count FROM tally"

FILE, MEMORY = (
    pytest.param(name, marks=pytest.mark.sqlite_only("asks a server by itself"))
    for name in ("file", "memory")
)

Opened = Callable[[StoreSettings], Store]


@pytest.fixture(params=[FILE, "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new store that several may open."""
    if request.param == "server":
        return str(request.getfixturevalue("on_server"))
    return str(tmp_path / "memory.db")


@pytest.fixture
def another(place: str) -> Iterator[Opened]:
    """Opens the store of `place` once more, as another process would."""
    with ExitStack() as stack:

        def opens(settings: StoreSettings) -> Store:
            store = open_store(place, settings)
            stack.callback(store.close)
            return store

        begin(opens(StoreSettings()))
        yield opens


@pytest.fixture
def shared(another: Opened) -> Store:
    """A store whose readers and writers do not wait for each other."""
    return another(StoreSettings())


@pytest.fixture(params=[FILE, MEMORY, "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    address = {"file": str(tmp_path / "memory.db"), "memory": ":memory:"}.get(request.param)
    store = open_store(address or request.getfixturevalue("on_server"))
    begin(store)
    yield store
    store.close()


def begin(store: Store) -> None:
    with store.writing() as session:
        session.rows("INSERT INTO tally (group_id, kind, term, count) VALUES (1, 'test', 0, 0)")


def last(store: Store) -> object:
    with store.reading() as session:
        ((found,),) = session.rows(ASKED)
    return found


def put(store: Store, number: int, is_dry_run: bool = False) -> None:
    with store.writing(is_dry_run) as session:
        session.execute_many(WRITTEN, [(number,)])


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(RecollectError) as caught:
        action()
    return caught.value.code.code


def test_what_is_written_is_read_afterwards(store: Store) -> None:
    put(store, 5)
    assert last(store) == 5


def test_what_was_committed_is_there_when_the_store_is_opened_again(place: str) -> None:
    store = open_store(place)
    begin(store)
    put(store, 7)
    store.close()
    store = open_store(place)
    assert last(store) == 7
    store.close()


def test_an_exception_rolls_the_write_back(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt), store.writing() as session:
        session.rows(WRITTEN, (5,))
        raise KeyboardInterrupt
    assert last(store) == 0
    put(store, 6)
    assert last(store) == 6


ONCE = Statement(ASKED)


def test_what_is_asked_once_is_asked_anew_in_every_other_state(store: Store) -> None:
    def once() -> list[object]:
        with store.reading() as session:
            return [count for (count,) in session.once(ONCE, {})]

    with store.together():
        assert once() == once() == [0]
        put(store, 5)
        assert once() == [5]
        with pytest.raises(KeyError), store.writing() as session:
            session.execute_many(WRITTEN, [(6,)])
            assert once() == [6]
            raise KeyError
        assert once() == [5]
    assert once() == [5]
    put(store, 7)
    assert once() == [7]


def test_what_is_asked_once_in_a_block_is_its_state(store: Store) -> None:
    with store.reading() as session:
        first = session.once(ONCE, {})
        assert session.once(ONCE, {}) is first
    reader = store.reader()
    assert reader is not None
    assert reader.once(ONCE, {}) is not first
    with store.reading() as session:
        assert session.once(ONCE, {}) is not first


def test_a_dry_run_rolls_back_at_its_end(store: Store) -> None:
    put(store, 5, is_dry_run=True)
    assert last(store) == 0


def test_a_block_that_is_rolled_back_inside_keeps_nothing(store: Store) -> None:
    with store.writing() as session:
        session.rows(WRITTEN, (9,))
        session.on_commit(lambda: pytest.fail("it is not committed"))
        session.roll_back()
    assert last(store) == 0


def test_actions_wait_for_the_commit_and_never_follow_a_rollback(store: Store) -> None:
    called: list[str] = []
    with store.writing() as session:
        session.on_commit(lambda: called.append("committed"))
        assert called == []
    with store.writing(is_dry_run=True) as session:
        session.on_commit(lambda: called.append("dry run"))
    with pytest.raises(ValueError), store.writing() as session:
        session.on_commit(lambda: called.append("failed"))
        raise ValueError
    with store.together():
        with pytest.raises(ValueError), store.writing() as session:
            session.on_commit(lambda: called.append("a part that failed"))
            raise ValueError
        with store.writing() as session:
            session.on_commit(lambda: called.append("a part"))
        assert called == ["committed"]
    assert called == ["committed", "a part"]


def test_a_part_that_fails_undoes_itself_alone(store: Store) -> None:
    with store.together():
        put(store, 1)
        with pytest.raises(ValueError), store.writing() as session:
            session.rows(WRITTEN, (2,))
            raise ValueError
        with store.writing() as session:
            assert code_of(lambda: session.rows("SELECT nothing FROM nowhere")) == "KIP_4003"
            session.roll_back()
        put(store, 3, is_dry_run=True)
        assert last(store) == 1
    assert last(store) == 1


def test_nobody_else_sees_a_part_before_the_whole_is_kept(shared: Store) -> None:
    with shared.together():
        put(shared, 1)
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(last, shared).result() == 0
    assert last(shared) == 1


def test_a_read_inside_a_read_sees_the_same_snapshot(store: Store) -> None:
    with store.reading() as outer, store.reading() as inner:
        assert outer is inner
        assert inner.rows(ASKED) == [(0,)]
    assert last(store) == 0


def test_a_snapshot_does_not_see_a_later_commit(shared: Store) -> None:
    with shared.reading() as session:
        assert session.rows(ASKED) == [(0,)]
        with ThreadPoolExecutor(1) as pool:
            pool.submit(put, shared, 5).result()
        assert session.rows(ASKED) == [(0,)]
    assert last(shared) == 5


def test_a_block_that_reads_cannot_write(shared: Store) -> None:
    with shared.reading() as session:
        assert code_of(lambda: session.rows(WRITTEN, (1,))) == "STORE_UNAVAILABLE"
    with opened(shared, shared.reading(), only_reads=True):
        assert code_of(lambda: put(shared, 1)) == "INVALID_ARGUMENT"
    assert last(shared) == 0


def test_a_write_inside_a_write_is_refused_at_once(store: Store) -> None:
    with store.writing():
        assert code_of(lambda: put(store, 1)) == "KIP_4003"
    put(store, 2)
    assert last(store) == 2


def test_many_threads_write_one_after_another(store: Store) -> None:
    def add(_: int) -> None:
        with store.writing() as session:
            session.rows("/* a test's */ UPDATE tally SET count = count + 1")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(100)))
    assert last(store) == 100


def test_a_busy_store_answers_after_the_time_it_was_given(another: Opened) -> None:
    one, two = (another(StoreSettings(busy_seconds=0.05)) for _ in range(2))
    with one.writing():
        began = time.monotonic()
        assert code_of(lambda: put(two, 1)) == "STORE_BUSY"  # as another process would
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(code_of, lambda: put(one, 1)).result() == "STORE_BUSY"
        assert 0.09 < time.monotonic() - began < 4
        assert last(two) == 0  # who reads does not wait
    put(two, 2)
    assert last(one) == 2


def test_a_thread_knows_whether_it_is_inside_a_block(store: Store) -> None:
    with ThreadPoolExecutor(1) as pool:
        for block in (store.reading, store.together):
            assert not store.is_inside()
            with block():
                assert store.is_inside()
                assert not pool.submit(store.is_inside).result()
        assert not store.is_inside()


def test_what_no_part_can_do_is_refused_inside_a_transaction(store: Store) -> None:
    store.refuse_together("a mend")
    with store.together():
        assert code_of(lambda: store.refuse_together("a mend")) == "INVALID_ARGUMENT"


def test_a_statement_beyond_its_time_is_ended(store: Store) -> None:
    with store.reading() as session:
        session.allow(Budget(seconds=0.05))
        assert code_of(lambda: session.rows(COUNTED.format("", "count(*)"))) == "KIP_4001"


def test_rows_come_as_they_are_asked_for_beside_other_statements(store: Store) -> None:
    with store.reading() as session:
        rows = session.each(COUNTED.format("WHERE i < :most", "i"), {"most": 2_500})
        assert next(rows) == (1,)
        assert session.row("SELECT 7") == (7,)
        assert sum(n for (n,) in rows) == 2_500 * 2_501 // 2 - 1  # type: ignore[misc]
        left = session.each(COUNTED.format("WHERE i < 10", "i"))
        assert next(left) == (1,)
        left.close()


def test_no_statement_of_the_engine_reaches_an_error(store: Store) -> None:
    with store.reading() as session, pytest.raises(RecollectError) as caught:
        session.rows("SELECT secret FROM nowhere WHERE password = ?", ("hunter2",))
    assert caught.value.code.code == "KIP_4003"
    for word in ("secret", "nowhere", "hunter2", "SELECT"):
        assert word not in str(caught.value.to_wire())


def test_explain_shows_the_index_that_is_used(store: Store) -> None:
    asked = "SELECT c.id FROM concept AS c WHERE c.group_id = ? AND c.type = ?"
    with store.reading() as session:
        lines = session.plan(asked, (1, 2))
    assert any("concept_" in line for line in lines)


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    assert code_of(lambda: last(store)) == "STORE_CLOSED"
    assert code_of(lambda: put(store, 1)) == "STORE_CLOSED"
    store.close()


@pytest.mark.parametrize("kind", ["reading", "writing"])
def test_a_store_that_is_closed_inside_a_block_is_closed_after_it(store: Store, kind: str) -> None:
    with getattr(store, kind)() as session:
        assert session.rows(ASKED) == [(0,)]
        store.close()
        assert session.rows(ASKED) == [(0,)]
    assert code_of(lambda: last(store)) == "STORE_CLOSED"
