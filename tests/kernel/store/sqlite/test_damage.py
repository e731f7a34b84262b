"""Damage that is found on opening, and damage that leaves a memory open to be mended."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.reference.copies import dumped

import recollect
from recollect import RecollectError
from recollect.model import Hits, PutConcept

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


@pytest.mark.parametrize("table", ["tally", "text_index", "past", "counter"])
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


MENDABLE = [
    "concept_name",
    "link_in",
    "attribute:n",
    "tally",
    "text_past_element",
    "text_past",
    "text_index_data",
    "text_index_idx",
    "text_index_docsize",
]


@pytest.mark.parametrize("tree", MENDABLE)
def test_a_broken_part_that_follows_from_the_rest_is_named_and_made_anew(
    path: Path, tree: str
) -> None:
    with recollect.open(path) as nexus:
        before = dumped(nexus, all_groups=True)
        hits = nexus.search("word7")
    overwritten(path, tree)
    with recollect.open(path, is_checked=False) as nexus:
        (finding,) = nexus.doctor().findings
        assert f" {tree} is broken: page" in finding.message
        assert nexus.doctor().is_mendable
        mended = nexus.doctor(fix=True)
        assert mended.is_well
        assert mended.is_optimised
        assert [one.message for one in mended.findings] == [finding.message]
    with recollect.open(path) as nexus:
        assert nexus.doctor().findings == ()
        assert dumped(nexus, all_groups=True) == before
        assert nexus.search("word7") == hits
        nexus.write([PutConcept("T", "later")])
        assert nexus.doctor().findings == ()


@pytest.mark.parametrize(
    "tree", ["concept", "change", "grp", "sqlite_autoindex_grp_1", "vector_text"]
)
@pytest.mark.parametrize("also", [None, "concept_type"])
def test_a_broken_part_that_nothing_else_tells_is_named_and_the_file_left_as_it_was(
    path: Path, tree: str, also: str | None
) -> None:
    if tree == "vector_text":  # the doubles that its breaking hides forbid to build it
        damage(path, "DROP INDEX vector_text; CREATE INDEX vector_text ON vector (group_id)")
        damage(
            path,
            "INSERT INTO vector (id, group_id, hash, vector)"
            " VALUES (1, 1, 'h', x''), (2, 1, 'h', x'')",
        )
    overwritten(path, tree)
    if also is not None:
        overwritten(path, also)
    before = path.read_bytes()
    with recollect.open(path, is_checked=False) as nexus:
        found = nexus.doctor()
        assert any(f" {tree} is broken: page" in one.message for one in found.findings)
        assert found.is_mendable == (tree == "vector_text")
        left = nexus.doctor(fix=True)
        assert left.findings == found.findings
        assert not left.is_optimised
    assert path.read_bytes() == before


def test_a_text_index_that_does_not_open_is_made_anew(path: Path) -> None:
    overwritten(path, "text_index_config")
    with recollect.open(path, is_checked=False) as nexus:
        assert [one.message for one in nexus.doctor().findings] == ["the text index cannot be read"]
        assert nexus.doctor(fix=True).is_well
        assert nexus.doctor().findings == ()


def test_rows_that_no_new_index_mends_leave_the_file_as_it_was(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ' TEXT,', ' TEXT NOT NULL,')")
    connection.close()
    before = path.read_bytes()
    with recollect.open(path, is_checked=False) as nexus:
        for diagnosis in (nexus.doctor(), nexus.doctor(fix=True)):
            assert "NULL value in concept.public_id" in [one.message for one in diagnosis.findings]
            assert not diagnosis.is_well
    assert path.read_bytes() == before


def test_pages_that_nothing_has_are_given_back(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
    connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))")
    connection.execute("DELETE FROM sqlite_schema WHERE name = 't'")
    connection.close()
    with recollect.open(path) as nexus:
        assert "never used" in nexus.doctor().findings[0].message
        assert nexus.doctor(fix=True).is_well
        assert nexus.doctor().findings == ()


def test_another_process_goes_on_with_what_was_made_anew(path: Path) -> None:
    with recollect.open(path) as other:
        hits = other.search("word7")
        overwritten(path, "text_index_data")
        with recollect.open(path, is_checked=False) as nexus:
            assert nexus.doctor(fix=True).is_well
        assert other.search("word7") == hits
        other.write([PutConcept("T", "later")])
        assert other.doctor().findings == ()
