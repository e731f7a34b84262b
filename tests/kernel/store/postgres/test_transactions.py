from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel.store.port import Budget
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.settings import StoreSettings
from recollect.model import PutConcept, Retype

MAKE = "SELECT make_group(?, '', '')"


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


def test_a_statement_that_fails_keeps_nothing_of_the_write(store: PostgresStore) -> None:
    def swallow() -> None:
        with store.writing() as session:
            session.rows("UPDATE erasure SET last_group = 5")
            assert code_of(lambda: session.rows("SELECT 1 / 0")) == "KIP_4003"

    assert code_of(swallow) == "STORE_UNAVAILABLE"
    assert last(store) == 0


def test_writers_of_different_groups_do_not_wait_for_each_other(on_server: str) -> None:
    store = PostgresStore(on_server, StoreSettings(busy_seconds=0.2))
    for name in ("one", "two"):
        with store.writing(group=name) as session:
            session.execute_many(MAKE, [(name,)])
    written = "/* a test's */ UPDATE grp SET at = at + 1 WHERE name = ?"

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
        assert session.rows("/* a test's */ SELECT name, at FROM grp ORDER BY name") == [
            ("one", 1),
            ("two", 1),
        ]
    store.close()


def test_what_was_asked_of_a_group_before_it_is_locked_is_asked_anew(on_server: str) -> None:
    with recollect.open(on_server) as nexus, ThreadPoolExecutor(1) as another:
        ours, theirs = nexus.group("ours"), nexus.group("theirs")
        ours.write([PutConcept("Person", "Ann")])
        theirs.write([PutConcept("Entity", "Maria", id="m")])
        with ours.transaction():
            assert len(theirs.history("m")) == 1
            another.submit(theirs.write, [Retype("m", "Person")]).result()
            assert theirs.purge("m").concepts == 2
        assert theirs.stats().concepts == 0


def test_two_writers_that_wait_for_each_other_are_told_to_come_again(on_server: str) -> None:
    store = PostgresStore(on_server, StoreSettings(busy_seconds=20))
    for name in ("one", "two"):
        with store.writing() as session:
            session.execute_many(MAKE, [(name,)])
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
