"""Links of one key that end at an element stand in a line, by their attribute `order`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg

import recollect
from recollect.kernel import Nexus
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.kernel.store.statements.listing import AFTER, BEFORE, LINE
from recollect.model import LIVING, Change, PutConcept, PutLink

MOST = 4


def filled(nexus: Nexus) -> None:
    changes: list[Change] = [PutConcept("Node", "top", {}, id="top")]
    changes += [PutConcept("Node", f"n{one}", {}, id=f"n{one}") for one in range(300)]
    for one in range(300):
        said = {} if one % 100 == 99 else {"order": one // 2 if one < 20 else one + 0.5}
        changes.append(PutLink(f"n{one}", "parent", "top", said, key="space"))
    changes.append(PutLink("n7", "parent", "top", {"order": 1}, key="other"))
    nexus.write(changes)


def test_what_is_beside_a_place_is_read_from_there(address: str) -> None:
    with recollect.open(address) as nexus:
        filled(nexus)
        filled(nexus.group("decoy"))
        joints = nexus.joints

        def beside(order: float, *, before: bool = False) -> list[str]:
            found = joints.beside("top", "space", order, MOST, before=before)
            return [one.link.subject for one in found]

        assert beside(2) == ["n4", "n5", "n6", "n7"]
        assert beside(2, before=True) == ["n5", "n4", "n3", "n2"]
        assert beside(298.5) == ["n298", "n99", "n199", "n299"]  # those that say none come last
        assert beside(float("inf"), before=True) == ["n299", "n199", "n99", "n298"]
        assert [one.link.subject for one in joints.line("top", "space", 3, 2)] == ["n3", "n4"]


def test_a_line_is_read_by_its_index_in_a_file(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "memory.db") as nexus:
        filled(nexus)
    store = SqliteStore(str(tmp_path / "memory.db"))
    for plan in plans(store, "EXPLAIN QUERY PLAN"):
        assert "INDEX link_line " in plan
        assert "TEMP B-TREE" not in plan
    store.close()


def test_a_line_is_read_by_its_index_on_a_server(on_server: str, database: str) -> None:
    with recollect.open(on_server) as nexus:
        for _ in range(10):
            filled(nexus.group(f"g{_}"))
        filled(nexus)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ANALYZE")
    store = PostgresStore(on_server)
    for plan in plans(store, "EXPLAIN"):
        assert "using link_line " in plan
        assert "Sort" not in plan
    store.close()


def plans(store: SqliteStore | PostgresStore, word: str) -> Iterator[str]:
    given: dict[str, SqlValue] = {"group": 1, "id": 2, "living": LIVING, "key": "space"}
    asked = {**given, "most": MOST}
    for statement, more in (
        (LINE, {"start": 2}),
        (AFTER, {"order": 1.0}),
        (BEFORE, {"order": 1.0}),
    ):
        with store.reading() as session:
            sql = f"{word} {session.dialect.spelt[statement]}"
            yield "\n".join(str(row[-1]) for row in session.rows(sql, {**asked, **more}))
