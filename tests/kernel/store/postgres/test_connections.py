from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

import postgres
from recollect.errors import RecollectError
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.group import delete_group
from recollect.kernel.store.port import Budget
from recollect.kernel.store.postgres.pool import SETTLED
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sharing import part
from recollect.kernel.store.statements.rows import LOG

OTHERS = (
    "pid <> pg_backend_pid() AND application_name = 'recollect' AND datname = current_database()"
)


@pytest.fixture
def store(on_server: str) -> Iterator[PostgresStore]:
    store = PostgresStore(on_server)
    yield store
    store.close()


def end_all(database: str) -> int:
    """Let the server end every connection of ours."""
    with psycopg.connect(database, autocommit=True) as connection:
        sql = f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {OTHERS}"
        return len(connection.execute(sql).fetchall())  # type: ignore[call-overload]


def put(store: PostgresStore, number: int) -> None:
    with store.writing() as session:
        session.rows("UPDATE erasure SET last_group = ?", (number,))


def last(store: PostgresStore) -> object:
    with store.reading() as session:
        return session.rows("SELECT last_group FROM erasure")[0][0]


def test_connections_that_the_server_has_ended_are_replaced(
    store: PostgresStore, database: str
) -> None:
    put(store, 1)
    for number in range(2, 4):
        assert end_all(database) >= 1
        assert last(store) == number - 1
        assert end_all(database) >= 1
        put(store, number)
    assert last(store) == 3


def test_a_write_whose_connection_ends_is_told_and_keeps_nothing(
    store: PostgresStore, database: str
) -> None:
    with pytest.raises(RecollectError) as caught, store.writing() as session:
        session.rows("UPDATE erasure SET last_group = 1")
        end_all(database)
        session.rows("UPDATE erasure SET last_group = 2")
    assert caught.value.code.code == "STORE_UNAVAILABLE"
    assert last(store) == 0


def test_a_commit_without_an_answer_is_looked_up(store: PostgresStore, database: str) -> None:
    called: list[int] = []

    def write(number: int, *, is_kept: bool) -> None:
        with store.writing(group="ours") as session:
            if number == 1:
                session.rows("SELECT make_group('ours', '', '')")
            session.execute_many(LOG, [logged(number, chain=bytes([number, is_kept]))])
            session.on_commit(lambda: called.append(number))
            connection = session._begun()
            if is_kept:
                connection.execute("COMMIT")  # and nobody hears of it
            end_all(database)

    for number in (1, 2, 3):  # the first makes the group
        with pytest.raises(RecollectError) as caught:
            write(number, is_kept=False)  # the server has undone it before the COMMIT
        assert caught.value.code.code == "STORE_UNAVAILABLE"
        assert "does not answer" in caught.value.message or "undone" in caught.value.message
        write(number, is_kept=True)
        assert called == list(range(1, number + 1))


def test_a_commit_that_another_one_has_overtaken_is_not_taken_for_kept(
    store: PostgresStore, database: str
) -> None:
    with store.writing(group="ours") as session:
        session.rows("SELECT make_group('ours', '', '')")
    with pytest.raises(RecollectError) as caught, store.writing(group="ours") as session:
        session.execute_many(LOG, [logged(1, chain=b"mine")])
        session._begun()
        end_all(database)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(put_log, store, logged(1, chain=b"another's")).result()
    assert caught.value.code.code == "STORE_UNAVAILABLE"


def test_a_commit_is_looked_up_by_what_the_undone_parts_did_not_log(
    store: PostgresStore, database: str
) -> None:
    with store.writing(group="ours") as session:
        session.rows("SELECT make_group('ours', '', '')")
        session.execute_many(LOG, [logged(1, chain=b"kept")])
        with part(session, is_dry_run=True):
            session.execute_many(LOG, [logged(2, chain=b"undone")])
        session._begun().execute("COMMIT")
        end_all(database)
    assert last(store) == 1


def test_a_commit_whose_log_went_with_its_group_is_not_known(
    store: PostgresStore, database: str
) -> None:
    with store.writing(group="ours") as session:
        session.rows("SELECT make_group('ours', '', '')")
    with pytest.raises(RecollectError) as caught, store.writing(group="ours") as session:
        session.execute_many(LOG, [logged(1, chain=b"gone")])
        delete_group(session, 1)
        session._begun().execute("COMMIT")
        end_all(database)
    assert "is not known" in caught.value.message


def test_a_commit_that_no_log_tells_of_is_not_known(store: PostgresStore, database: str) -> None:
    with pytest.raises(RecollectError) as caught, store.writing() as session:
        session.rows("UPDATE erasure SET last_group = 2")
        connection = session._connection
        assert connection is not None
        connection.execute("COMMIT")
        end_all(database)
    assert "is not known" in caught.value.message


def logged(number: int, chain: bytes) -> dict[str, SqlValue]:
    known: dict[str, SqlValue] = {"group": 1, "number": number, "at": number, "chain": chain}
    return {**known, "last_id": 0, "actor": None, "request_id": None}


def put_log(store: PostgresStore, row: dict[str, SqlValue]) -> None:
    with store.writing(group="ours") as session:
        session.execute_many(LOG, [row])


def test_there_are_no_more_connections_than_were_allowed(on_server: str) -> None:
    store = PostgresStore(on_server, StoreSettings(busy_seconds=0.2, connections=1))
    with store.reading() as session, ThreadPoolExecutor(1) as pool:
        session.rows("SELECT 1")
        with pytest.raises(RecollectError) as caught:
            pool.submit(last, store).result()
        assert caught.value.code.code == "STORE_BUSY"
    assert last(store) == 0
    store.close()


def test_a_forked_child_has_connections_of_its_own(store: PostgresStore) -> None:
    put(store, 1)
    with store.writing() as session:
        session.rows("UPDATE erasure SET last_group = 2")
        child = os.fork()
        if child == 0:
            try:
                is_refused = _is_refused(lambda: session.rows("SELECT 1"))
                os._exit(0 if is_refused and last(store) == 1 else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert session.rows("SELECT last_group FROM erasure") == [(2,)]
    assert last(store) == 2


def _is_refused(action: object) -> bool:
    try:
        action()  # type: ignore[operator]
    except RecollectError as error:
        return error.code.code == "STORE_UNAVAILABLE"
    return False


def test_the_settings_are_told_once_where_the_server_itself_answers(on_server: str) -> None:
    store = PostgresStore(on_server, StoreSettings(connections=1))
    asked = (
        "SELECT current_setting('plan_cache_mode'), current_setting('lock_timeout'),"
        " current_setting('statement_timeout'), pg_backend_pid()"
    )
    with store.reading() as session:
        session.allow(Budget(seconds=7))
        mode, wait, limit, inside = session.rows(asked)[0]
    assert (mode, wait, limit) == ("force_generic_plan", "5s", "7s")
    connection = store._pool.take()
    assert connection.execute(asked).fetchone() == ("force_generic_plan", "5s", "0", inside)
    assert store._pool.preamble(connection, "", None) == []
    store._pool.end(connection)
    store.close()


def test_the_settings_travel_where_another_process_may_answer_next(on_server: str) -> None:
    store = PostgresStore(on_server, StoreSettings(connections=1))
    connection = store._pool.take()
    asked = connection.execute(SETTLED, (*store._pool._own, "0", "", 1))  # as a pool between tells
    assert asked.fetchone() is None
    connection.is_settled = False
    ((told, _),) = store._pool.preamble(connection, "", None)
    assert "force_generic_plan" in told
    store._pool.end(connection)
    store.close()


def test_a_statement_is_prepared_from_its_first_use_unless_the_address_says_no(
    on_server: str,
) -> None:
    for address, count in ((on_server, 1), (f"{on_server}&prepare=off", 0)):
        store = PostgresStore(address)
        with store.reading() as session:
            session.rows("SELECT 40 + :two", {"two": 2})
            sql = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT 40%'"
            assert session.rows(sql) == [(count,)]
        store.close()


def test_a_connection_that_has_prepared_many_statements_is_replaced(on_server: str) -> None:
    store = PostgresStore(on_server, StoreSettings(connections=1))
    served_by = []
    for first in (0, 0, 600, 0):
        with store.reading() as session:
            for at in range(first, first + 300):
                session.rows(f"-- the {at}th\nSELECT 1")
            served_by += session.rows("SELECT pg_backend_pid()")
    assert served_by[0] == served_by[1] == served_by[2] != served_by[3]
    store.close()


def test_an_open_memory_goes_on_when_its_server_is_back() -> None:
    place = postgres.new_place()
    try:
        with postgres.served(place) as server:
            store = PostgresStore(server, StoreSettings(busy_seconds=0.5))
        for _ in range(3):
            with pytest.raises(RecollectError), store.reading() as session:
                session.rows("SELECT 1")
        with postgres.served(place), store.reading() as session:
            assert session.rows("SELECT 1") == [(1,)]
        store.close()
    finally:
        postgres.forget_place(place)


def test_what_was_asked_ahead_is_asked_anew_after_a_write(store: PostgresStore) -> None:
    asked = "SELECT e.last_group FROM erasure AS e"
    put(store, 3)
    with store.writing() as session:
        for number in (4, 5):
            session.soon(asked, ())
            if number == 5:  # it is answered by then
                session.rows("SELECT 1")
            session.execute_many("UPDATE erasure SET last_group = ?", [(number,)])
            assert session.rows(asked) == [(number,)]
        session.soon(asked, ())
        session.rows("SELECT 1")
        assert session.rows(asked) == session.rows(asked) == [(5,)]
