"""Damage that is found on opening, and damage that leaves a memory open to be mended."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

import recollect
from recollect import RecollectError
from recollect.model import Hits

CAPSULE = (
    "UPSERT {"
    + " ".join(
        f'CONCEPT @a{at} {{ {{type: "T", name: "word{at} other"}} SET ATTRIBUTES {{n: {at}}} }}'
        for at in range(300)
    )
    + "}"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write(CAPSULE)
        nexus.add_index("T", "n")
    return path


def damage(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM text_index_data WHERE id > 10",
        "UPDATE text_index_data SET block = zeroblob(10) WHERE id > 10",
    ],
)
def test_a_damaged_text_index_is_found_and_made_anew(path: Path, sql: str) -> None:
    damage(path, sql)
    with recollect.open(path) as nexus:
        assert nexus.doctor().findings
        nexus.doctor(fix=True)
        assert not nexus.doctor().findings
        (result,) = nexus.search("word7").results
        assert isinstance(result, Hits)
        assert len(result.hits) == 1


@pytest.mark.parametrize("table", ["tally", "text_index", "concept_past", "counter"])
def test_a_file_that_lacks_a_table_is_refused(path: Path, table: str) -> None:
    damage(path, f"DROP TABLE {table}")
    with pytest.raises(RecollectError) as caught:
        recollect.open(path)
    assert caught.value.code.code == "STORE_CORRUPT"


def overwritten(path: Path, tree: str) -> None:
    """Write nonsense over a leaf of a table or index."""
    connection = apsw.Connection(str(path))
    page = connection.execute(
        "SELECT max(pageno) FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (tree,)
    ).get
    size = connection.pragma("page_size")
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


TREES = [
    "concept_name",
    "attribute:n",
    "text_index_data",
    "tally",
    "concept",
    "sqlite_autoindex_grp_1",
]


@pytest.mark.parametrize("tree", TREES)
def test_a_small_file_with_a_broken_page_opens_for_the_doctor_alone(path: Path, tree: str) -> None:
    overwritten(path, tree)
    with pytest.raises(RecollectError) as caught:
        recollect.open(path)
    assert caught.value.code.code == "STORE_CORRUPT"
    assert caught.value.hint == f"see what is broken: recollect doctor {path}"
    with recollect.open(path, is_checked=False) as nexus:
        assert nexus.doctor().findings
