"""The doctor finds a change of any column of what has a second source, each in turn."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.kernel.care.test_dump import teach
from tests.meanings import Meanings

import recollect
from recollect import Nexus
from recollect.kernel.store.sqlite.functions import register_functions
from recollect.model import Delete, Key, PutConcept, PutLink

pytestmark = pytest.mark.sqlite_only("changes every column of a file")

TABLES = {
    "elements": ("concept", "link"),
    "past": ("past",),
    "log": ("tx", "change", "grp"),
    "terms": ("term",),
    "counts": ("tally",),
    "text index": (
        "text_past",
        "text_index_data",
        "text_index_idx",
        "text_index_docsize",
        "text_index_config",
    ),
    "vectors": ("vector", "embedded", "embedding_model"),
}
"""What the doctor compares with something else, by table."""

WITHOUT_SECOND_SOURCE = {("grp", "name")}
"""Columns of these whose change no other row tells of: see docs/keeping.md."""

COLUMNS = [
    ("concept", "id group_id type name public_id attributes metadata valid_at invalid_at version"),
    ("concept", "born_at changed_at expired_at salt name_key"),
    ("link", "id group_id subject predicate object key public_id attributes metadata valid_at"),
    ("link", "invalid_at version born_at changed_at expired_at salt"),
    ("past", "group_id id until attributes metadata valid_at invalid_at version changed_at"),
    ("tx", "group_id number at last_id actor request chain"),
    ("change", "group_id tx element operation digest"),
    ("grp", "group_id id_bits number at chain"),
    ("term", "group_id code text"),
    ("tally", "group_id kind term count"),
    ("text_past", "doc group_id element until"),
    ("text_index_data", "id block"),
    ("text_index_idx", "segid term pgno"),
    ("text_index_docsize", "id sz origin"),
    ("text_index_config", "k v"),
    ("vector", "id group_id hash vector digest"),
    ("embedded", "group_id number element vector digest"),
    ("embedding_model", "group_id name dimension"),
]
CASES = [(table, column) for table, columns in COLUMNS for column in columns.split()]


def fill(nexus: Nexus) -> None:
    """Give a group some of everything that columns hold."""
    teach(nexus)
    a, b = Key("Drug", "A"), Key("Drug", "B")
    nexus.write([PutConcept("Entity", "Ann", {"summary": "a doctor"}), PutConcept("Entity", "Bo")])
    nexus.write([PutConcept("Entity", "Ann", {"summary": "a nurse"})])
    nexus.write([PutLink(a, "note", b, {"fact": "A helps B"}, key="k", id="given")])
    nexus.write([PutLink(a, "note", b, {"fact": "A hurts B"}, key="k", id="given")])
    nexus.write([PutConcept("Drug", "Z"), PutConcept("Drug", "Y")])
    nexus.write([Delete(Key("Drug", "Z"))])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "memory.db"
    with recollect.open(path, embedder=Meanings(dimension=4)) as nexus:
        fill(nexus.group("decoy"))
        fill(nexus)
        nexus.vectors.reindex()
        nexus.group("decoy").vectors.reindex()
        assert not nexus.doctor().findings
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(whole, tmp_path / "memory.db"))


def opened(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    register_functions(connection)
    return connection


def others(cell: apsw.SQLiteValue) -> Iterator[apsw.SQLiteValue]:
    """Yield what a damaged cell might hold, that is of its kind."""
    match cell:
        case int():
            yield cell + 1
            yield cell - 1
        case str():
            yield f"{cell}x"
            yield '{"x":1}' if cell.startswith("{") else cell[:-1]
        case bytes():
            yield bytes([*cell[:-1], cell[-1] ^ 1]) if cell else b"\1"
            yield bytes([cell[0] ^ 64, *cell[1:]]) if cell else b"\2"
        case float():
            yield cell + 1.0
        case None:
            yield "x"


OTHER = {("text_index_docsize", "origin"): 1_000_000}
"""Changes of columns that have harmless ones: inside a piece of the index, origins are alike."""


def damaged(path: Path, table: str, column: str) -> Iterator[str]:
    """Change a column of one row after the other; yield what was done, and take it back."""
    connection = opened(path)
    key = "rowid" if "rowid" in keys(connection, table) else None
    primary = [key] if key else keys(connection, table)
    rows = connection.execute(f"SELECT {', '.join(primary)}, {column} FROM {table}").fetchall()
    connection.close()
    assert rows
    for row in (rows[0], rows[len(rows) // 2], rows[-1]):
        *place, cell = row
        for other in [OTHER[table, column]] if (table, column) in OTHER else others(cell):
            if other == cell:
                continue
            copy = Path(shutil.copyfile(path, path.with_name("copy.db")))
            connection = opened(copy)
            where = " AND ".join(f"{one} IS ?" for one in primary)
            try:
                connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {where}", (other, *place)
                )
            except (apsw.ConstraintError, apsw.SQLError):  # no such row can be
                continue
            finally:
                connection.close()
            yield f"{table}.{column} of {place}: {cell!r} to {other!r}"


def keys(connection: apsw.Connection, table: str) -> list[str]:
    found = connection.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()
    try:
        connection.execute(f"SELECT rowid FROM {table} LIMIT 1").fetchall()
    except apsw.SQLError:
        return [name for name, place in found if place]
    return ["rowid"]


def is_found(path: Path) -> bool:
    """Whether the doctor has something to say, or the file is refused as damaged."""
    try:
        with recollect.open(path, is_checked=False) as nexus:
            return bool(nexus.doctor().findings)
    except recollect.RecollectError as error:
        assert error.code.code in ("STORE_CORRUPT", "STORE_FOREIGN", "STORE_NEWER")
        return True


@pytest.mark.parametrize(("table", "column"), CASES, ids=[f"{one}.{two}" for one, two in CASES])
def test_a_change_of_a_column_is_found(path: Path, table: str, column: str) -> None:
    unseen, count = [], 0
    for what in damaged(path, table, column):
        count += 1
        if not is_found(path.with_name("copy.db")):
            unseen.append(what)
    assert count
    assert not unseen


def test_every_column_is_tried_or_named(path: Path) -> None:
    connection = opened(path)
    found = {
        (table, column)
        for tables in TABLES.values()
        for table in tables
        for (column,) in connection.execute(f"SELECT name FROM pragma_table_info('{table}')")
    }
    connection.close()
    assert found == {*CASES, *WITHOUT_SECOND_SOURCE}


STRUCTURE = 10
"""The number of the row in which the engine lists the pieces of the index."""


def test_no_page_of_the_text_index_is_left_out(path: Path) -> None:
    with recollect.open(path) as nexus:
        nexus.doctor(fix=True)  # no page keeps words of documents that are not there any more
    connection = opened(path)
    blocks = connection.execute("SELECT id, block FROM text_index_data ORDER BY id").fetchall()
    connection.close()
    unseen = []
    for number, block in blocks:
        if number == STRUCTURE:  # its first bytes and three of its numbers are for hurry alone
            continue
        for at in range(0, len(block), max(1, len(block) // 30)):
            copy = Path(shutil.copyfile(path, path.with_name("copy.db")))
            connection = opened(copy)
            turned = block[:at] + bytes([block[at] ^ 16]) + block[at + 1 :]
            changed = "UPDATE text_index_data SET block = ? WHERE id = ?"
            connection.execute(changed, (turned, number))
            connection.close()
            if not is_found(copy):
                unseen.append((number, at, block.hex()))
    assert not unseen


def searched(path: Path) -> list[str]:
    with recollect.open(path) as nexus:
        hits = nexus.search("nurse words helps Drug").results[0].hits  # type: ignore[union-attr]
        return [hit.element.id for hit in hits]


PERMUTED = """
UPDATE text_index_docsize SET sz = (
  SELECT o.sz FROM text_index_docsize AS o WHERE o.id != text_index_docsize.id
  ORDER BY o.sz = text_index_docsize.sz, o.id LIMIT 1)
"""


@pytest.mark.parametrize(
    "change",
    [
        PERMUTED,
        "UPDATE text_index_docsize SET sz = 7",
        "UPDATE text_index_docsize SET sz = NULL",
        "UPDATE text_index_docsize SET sz = 'x'",
        "UPDATE text_index_docsize SET sz = x''",
        "UPDATE text_index_docsize SET sz = x'ffffffffffffffffffff'",
        "DELETE FROM text_index_docsize WHERE id > 10",
        "UPDATE text_index_docsize SET origin = 0",
        "UPDATE text_index_data SET block = zeroblob(4) WHERE id = 1",
    ],
)
def test_sizes_of_documents_that_are_wrong_are_damage_and_can_be_mended(
    path: Path, change: str
) -> None:
    before = searched(path)
    connection = opened(path)
    connection.execute(change)
    assert connection.changes()
    connection.close()
    try:
        searched(path)
    except recollect.RecollectError as error:
        assert error.code.code == "STORE_CORRUPT"
    with recollect.open(path, embedder=Meanings(dimension=4)) as nexus:
        assert {one.check for one in nexus.doctor().findings} == {"text"}
        assert nexus.doctor(fix=True).is_well
        assert not nexus.doctor().findings
    assert searched(path) == before


def test_a_document_without_words_is_no_damage(path: Path) -> None:
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("Drug", "!")])
        assert not nexus.doctor().findings
        nexus.write([PutConcept("Drug", "?")])
        nexus.write([PutConcept("Drug", "plain")])
        assert not nexus.doctor().findings
        nexus.doctor(fix=True)
        nexus.write([PutConcept("Drug", "...")])
        assert not nexus.doctor().findings
