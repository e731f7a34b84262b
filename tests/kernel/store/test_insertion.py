"""Rows come into a table as they are, one by one or by the thousand."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import recollect
from recollect.kernel.store.port import Parameters, Sql, SqlRow
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.statement import Insertion
from recollect.model import Key, PutConcept, PutLink

TABLE = "CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT, number INTEGER, salt BLOB)"

rows = st.lists(
    st.tuples(
        st.none() | st.text(),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.binary(max_size=40),
    ),
    max_size=60,
).map(lambda drawn: [(at, *one) for at, one in enumerate(drawn)])


@given(rows)
def test_rows_are_the_same_one_by_one_and_all_at_once(drawn: list[SqlRow]):
    session = SqliteSession(":memory:", StoreSettings(), query_only=False, creates=True)
    session.rows(TABLE)
    insertion = Insertion("kept", "bigint text bigint bytea")
    for slow in (-1.0, 1_000.0):  # as if every row had waited, and none
        session.put(insertion, drawn, slow)
        assert session.rows("SELECT * FROM kept ORDER BY id") == drawn
        session.execute_many("DELETE FROM kept", [()])
    session.close()


class Counting(SqliteSession):
    """A session that counts how often each statement runs."""

    def __init__(self) -> None:
        super().__init__(":memory:", StoreSettings(), query_only=False, creates=True)
        self.counted: Counter[Sql] = Counter()

    def execute_many(self, sql: Sql, parameters: Iterable[Parameters]) -> None:
        made = list(parameters)
        self.counted[sql] += len(made)
        super().execute_many(sql, made)


@pytest.mark.parametrize(
    ("slow", "text", "one", "many"),
    [
        (1_000.0, "short", 2_016, 0),  # nobody else had the turn
        (-1.0, "short", 16, 2),
        (-1.0, "x" * 2_000, 2_016, 0),  # the engine takes longer than a turn
    ],
)
def test_rows_go_by_the_thousand_where_others_take_the_turn(
    slow: float, text: str, one: int, many: int
):
    session = Counting()
    session.rows(TABLE)
    insertion = Insertion("kept", "bigint text bigint bytea")
    session.put(insertion, [(at, text, at, b"salt") for at in range(2_016)], slow)
    assert (session.counted[insertion.one], session.counted[insertion.many]) == (one, many)
    assert session.row("SELECT count(*), min(text) FROM kept") == (2_016, text)
    session.close()


@contextmanager
def busy_thread() -> Iterator[None]:
    """Keep another thread at work, which gives Python's turn away only when it must."""
    ends = threading.Event()

    def work() -> None:
        while not ends.is_set():
            pass

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        ends.set()
        worker.join()


def test_what_is_written_beside_a_busy_thread_is_whole(tmp_path: Path):
    note = {"note": 'naïve "quotes" \\ and 𝄞', "ratio": 1.0, "none": None, "deep": [[{}]]}
    with recollect.open(tmp_path / "a.db") as nexus:
        nexus.write([PutConcept("Drug", f"drug {at}", note, note) for at in range(200)])
        with busy_thread():
            links = [
                PutLink(
                    Key("Drug", f"drug {at % 200}"), f"p{at // 200}", Key("Drug", "drug 0"), note
                )
                for at in range(2_000)
            ]
            nexus.write(links)
        assert nexus.doctor().is_well
        assert nexus.verify().is_whole
        found = nexus.read('FIND(?l) WHERE { ?l (?d, "p9", {name: "drug 0"}) }').results[0].rows
        assert len(found) == 200
        assert {one.attributes["note"] for (one,) in found} == {note["note"]}
