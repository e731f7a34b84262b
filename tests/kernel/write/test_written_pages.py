"""What a transaction touches of the file: a change of contents leaves what names elements alone."""

from __future__ import annotations

import struct
from pathlib import Path

import apsw
import pytest

from recollect.kernel import Nexus
from recollect.model import LIVING, Delete, Key, PutConcept, PutLink

pytestmark = pytest.mark.sqlite_only("counts the pages of a file that a write changes")

_LOG_HEADER, _PAGE_HEADER = 32, 24
A, B = Key("T", "A"), Key("T", "B")
NAMES = {"concept_name", "concept_type", "concept_public", "link_out", "link_in", "link_predicate"}


def empty_log(path: Path) -> None:
    """Let the log begin anew."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def written(path: Path) -> set[str]:
    """Return the tables and indexes that have a page in the log."""
    log = path.with_name(path.name + "-wal").read_bytes()
    connection = apsw.Connection(str(path))
    (size,) = connection.execute("PRAGMA page_size").fetchone() or (0,)
    starts = range(_LOG_HEADER, len(log), _PAGE_HEADER + size)
    pages = {struct.unpack_from(">I", log, start)[0] for start in starts}
    names = connection.execute("SELECT pageno, name FROM dbstat").fetchall()
    connection.close()
    return {name for page, name in names if page in pages}


def test_new_content_leaves_the_indexes_of_names_and_ends_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Nexus.open(path) as nexus:
        nexus.write([PutConcept("T", "A", {"x": 1}, id="a"), PutConcept("T", "B")])
        nexus.write([PutLink(A, "p", B, {"y": 1})])
        empty_log(path)
        nexus.write([PutConcept("T", "A", {"x": 2}), PutLink(A, "p", B, {"y": 2})])
        touched = written(path)
        assert {"concept", "link", "past"} <= touched
        assert not NAMES & touched
        nexus.write([Delete(A)])
        assert written(path) >= NAMES
    connection = apsw.Connection(str(path))
    living = connection.execute("SELECT name FROM concept WHERE expired_at = ?", (LIVING,))
    assert living.fetchall() == [("B",)]
    connection.close()
