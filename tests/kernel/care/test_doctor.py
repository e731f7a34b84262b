"""The doctor finds each thing that can be wrong, mends what follows from the rest, and no more."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.kernel.care.test_dump import teach
from tests.reference.copies import dumped

import behind
import postgres
import recollect
from recollect.kernel.store.sqlite.functions import register_functions
from recollect.model import Diagnosis, PutConcept

TYPELESS = pytest.mark.sqlite_only("puts what the column of a server does not take")
WORDS = pytest.mark.sqlite_only("changes the tables of FTS5")
IDS = pytest.mark.sqlite_only("is about the one counter of a file")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with recollect.Nexus.open(path) as nexus:
        teach(nexus.group("decoy"))
        teach(nexus)
    return path


def broken(path: Path, *statements: str) -> None:
    """Change a memory behind its back."""
    if postgres.standing(path):
        for statement in statements:
            behind.changed(path, statement)
        return
    connection = apsw.Connection(str(path))
    register_functions(connection)
    connection.execute("PRAGMA ignore_check_constraints = 1")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def examined(path: Path, *, fix: bool = False) -> Diagnosis:
    with recollect.Nexus.open(path) as nexus:
        return nexus.doctor(fix=fix)


GROUP = "(SELECT group_id FROM grp WHERE name = 'default')"
LIVING = 2**62

MENDABLE = {
    "a count": f"UPDATE tally SET count = count + 1 WHERE group_id = {GROUP} AND kind = 'link'",
    "a lost count": f"DELETE FROM tally WHERE group_id = {GROUP} AND kind = 'concept'",
    "a count of documents": f"UPDATE tally SET count = 7 WHERE group_id = {GROUP} AND kind = 'documents'",
    "a document": f"DELETE FROM text_index WHERE rowid IN (SELECT id FROM concept WHERE group_id = {GROUP})",
    "a stray document": "INSERT INTO text_index (rowid, body) VALUES (999999, '1bstray')",
    "another text": f"""INSERT OR REPLACE INTO text_index (rowid, body)
        SELECT min(id), {GROUP} || 'bother' FROM concept WHERE group_id = {GROUP}""",
    "a text in a wrong partition": f"""INSERT OR REPLACE INTO text_index (rowid, body)
        SELECT min(id), {GROUP} || 'dA' FROM concept WHERE group_id = {GROUP}""",
    "a superseded text": f"DELETE FROM text_past WHERE group_id = {GROUP}",
    "an element of a superseded text": f"UPDATE text_past SET element = element + 2 WHERE group_id = {GROUP}",
    "the time of a superseded text": f"UPDATE text_past SET until = until + 1 WHERE group_id = {GROUP}",
    "the document of a superseded text": f"UPDATE text_past SET doc = doc + 99 WHERE group_id = {GROUP}",
    "a count of nothing": f"INSERT INTO tally VALUES ({GROUP}, 'multiple', 1, 1)",
    "an index": 'DROP INDEX "attribute:n"',
    "an index nobody declared": 'CREATE INDEX "attribute:m" ON concept (group_id)',
}


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(one, marks=WORDS) if "text_index" in sql else one
        for one, sql in MENDABLE.items()
    ],
)
def test_what_follows_from_the_rest_is_found_and_mended(path: Path, wrong: str) -> None:
    with recollect.Nexus.open(path) as nexus:
        before = dumped(nexus, all_groups=True)
    broken(path, MENDABLE[wrong])
    found = examined(path)
    assert found.findings
    assert not found.is_well
    assert not any(finding.is_mended for finding in found.findings)
    assert examined(path).findings == found.findings  # to look changes nothing
    mended = examined(path, fix=True)
    assert mended.is_well
    assert len(mended.findings) == len(found.findings)
    assert all(finding.is_mended for finding in mended.findings)
    assert examined(path).findings == ()
    with recollect.Nexus.open(path) as nexus:
        assert dumped(nexus, all_groups=True) == before
        assert [hit.element.id for hit in nexus.search("words").results[0].hits][:1] == ["first"]


def own_indexes(path: Path) -> dict[str, str]:
    """The indexes of a memory that are its own, not declared, with their definitions."""
    connection = apsw.Connection(str(path))
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        " AND name NOT LIKE 'attribute:%'"
    ).fetchall()
    connection.close()
    return dict(rows)


@pytest.mark.sqlite_only("drops the indexes that SQLite lists")
def test_each_index_of_the_memory_that_is_gone_is_named_and_built_anew(path: Path) -> None:
    before = own_indexes(path)
    assert {"concept_name", "link_in", "tx_at", "work_item", "vector_text"} <= before.keys()
    broken(path, *(f"DROP INDEX {name}" for name in before))
    found = examined(path).findings
    assert {(one.check, one.message) for one in found} == {
        ("indexes", f"the index {name} is not there") for name in before
    }
    mended = examined(path, fix=True)
    assert mended.is_well
    assert own_indexes(path) == before
    assert examined(path).findings == ()


def test_a_unique_index_that_rows_forbid_is_told_and_the_others_are_built(path: Path) -> None:
    broken(
        path,
        "DROP INDEX link_out",
        "DROP INDEX link_in",
        f"UPDATE link SET key = '' WHERE group_id = {GROUP}",
    )
    for fix in (False, True, True):
        findings = {one.message: one for one in examined(path, fix=fix).findings}
        told = "the index link_out is not there, and rows repeat what it keeps unique"
        assert not findings[told].is_mended
        assert findings[told].check == "doubles"
    assert "link_in" in behind.indexes(path)
    assert "link_out" not in behind.indexes(path)


@pytest.mark.parametrize(
    "table", ["work", "vector", pytest.param("text_index_docsize", marks=WORDS), "schema_mode"]
)
def test_a_table_that_is_gone_is_named_and_nothing_is_made_up_for_it(
    path: Path, table: str
) -> None:
    with recollect.Nexus.open(path) as nexus:
        broken(path, f"DROP TABLE {table}")
        for fix in (False, True):
            diagnosis = nexus.doctor(fix=fix)
            assert f"the table {table} is not there" in [one.message for one in diagnosis.findings]
            assert not diagnosis.is_well


FIRST_LINK = f"(SELECT min(id) FROM link WHERE group_id = {GROUP})"
FIRST = f"(SELECT min(id) FROM concept WHERE group_id = {GROUP})"

BEYOND = {
    "ends": f"UPDATE link SET object = 99998 WHERE id = {FIRST_LINK}",
    "terms": f"UPDATE concept SET type = 99 WHERE id = {FIRST}",
    "contents": f"UPDATE concept SET metadata = '[]' WHERE id = {FIRST}",
    "clocks": f"UPDATE concept SET changed_at = 99 WHERE id = {FIRST}",
    "past": "UPDATE past SET until = 99",
    "log": f"UPDATE concept SET attributes = '{{\"n\":3}}' WHERE id = {FIRST}",
    "ids": f"UPDATE link SET public_id = 'first' WHERE id = {FIRST_LINK}",
    "triples": f"""UPDATE link SET key = '' WHERE group_id = {GROUP}""",
}


@pytest.mark.parametrize("check", list(BEYOND))
def test_what_the_rows_say_wrongly_is_found_and_left_alone(path: Path, check: str) -> None:
    statements = ["DROP INDEX link_out"] if check == "triples" else []
    broken(path, *statements, BEYOND[check])
    found = examined(path)
    assert check in {finding.check for finding in found.findings}
    assert "default" in {finding.group for finding in found.findings}
    mended = examined(path, fix=True)
    assert not mended.is_well
    assert check in {finding.check for finding in mended.findings if not finding.is_mended}


WRONGLY_TYPED = {
    "a name": f"UPDATE concept SET name = x'ff' WHERE id = {FIRST}",
    "a text that is none": f"UPDATE concept SET name = CAST(x'ff' AS TEXT) WHERE id = {FIRST}",
    "a given id": f"UPDATE concept SET public_id = x'ff' WHERE id = {FIRST}",
    "a key": f"UPDATE link SET key = x'ff' WHERE id = {FIRST_LINK}",
    "the element of a content": "UPDATE past SET id = 'x'",
    "a salt": f"UPDATE concept SET salt = 'salt' WHERE id = {FIRST}",
    "a term": f"UPDATE term SET text = x'ff' WHERE code = 1 AND group_id = {GROUP}",
    "attributes": f"UPDATE concept SET attributes = x'ff' WHERE id = {FIRST}",
    "id bits": "UPDATE grp SET id_bits = 7",
    "the name of a group": "UPDATE grp SET name = x'ff' WHERE name = 'decoy'",
    "an operation": "UPDATE change SET operation = x'ff' WHERE tx = 1",
}


@TYPELESS
@pytest.mark.parametrize("what", list(WRONGLY_TYPED))
def test_a_cell_of_a_wrong_type_is_found_and_nothing_is_raised(path: Path, what: str) -> None:
    broken(path, 'DROP INDEX "attribute:n"', WRONGLY_TYPED[what])
    with recollect.Nexus.open(path, group="other") as nexus:
        assert nexus.doctor().findings
        mended = nexus.doctor(fix=True)
        assert not mended.is_well


def test_the_text_index_is_mended_where_contents_have_lost_their_element(path: Path) -> None:
    lost = f"(SELECT min(id) FROM past JOIN concept USING (id) WHERE concept.group_id = {GROUP})"
    broken(path, f"DELETE FROM concept WHERE id = {lost}")
    found = examined(path)
    assert {"past", "text"} <= {one.check for one in found.findings}
    assert found.is_mendable
    examined(path, fix=True)
    left = examined(path)
    assert "past" in {one.check for one in left.findings}
    assert "text" not in {one.check for one in left.findings}
    assert not left.is_mendable


@TYPELESS
def test_times_of_the_past_that_are_none_leave_the_text_index_as_it_is(path: Path) -> None:
    broken(path, "UPDATE past SET until = 'x'", MENDABLE["a document"])
    assert not examined(path).is_mendable
    assert "text" in {one.check for one in examined(path, fix=True).findings if not one.is_mended}


@TYPELESS
def test_what_cannot_be_mended_is_told_and_not_raised(path: Path) -> None:
    broken(
        path,
        'DROP INDEX "attribute:n"',
        f"UPDATE concept SET attributes = '{{' WHERE id = {FIRST}",
        "DELETE FROM tally",
    )
    mended = examined(path, fix=True)
    assert {one.check for one in mended.findings if not one.is_mended} >= {"contents", "log"}
    assert {one.check for one in mended.findings if one.is_mended} == {"counts"}
    assert "indexes" in {one.check for one in mended.findings if not one.is_mended}


@pytest.mark.sqlite_only("changes what SQLite says of its tables")
def test_rows_that_no_index_can_hold_are_told_and_not_raised(path: Path) -> None:
    with recollect.Nexus.open(path) as nexus:
        respelled(path, "CREATE INDEX", "CREATE UNIQUE INDEX")
        mended = nexus.doctor(fix=True)
        assert not mended.is_well
        assert not mended.is_optimised
        assert {one.check for one in mended.findings} == {"file"}
        respelled(path, "CREATE UNIQUE INDEX", "CREATE INDEX")


@pytest.mark.parametrize(
    "back",
    [
        pytest.param("UPDATE counter SET last_n = 0", marks=IDS),
        "UPDATE erasure SET finished = begun + 1",
        pytest.param("DELETE FROM counter", marks=IDS),
        "DELETE FROM erasure",
    ],
)
def test_a_counter_that_is_behind_is_found(path: Path, back: str) -> None:
    broken(path, back)
    assert "counters" in {one.check for one in examined(path).findings}


@IDS
def test_a_counter_that_is_ahead_is_found_unless_a_group_was_dropped(path: Path) -> None:
    with recollect.Nexus.open(path, group="last") as nexus:
        nexus.write([PutConcept("T", "x")])
        nexus.drop_group("last")
        assert nexus.doctor().findings == ()
    broken(path, "UPDATE erasure SET last_group = 0")
    assert {one.check for one in examined(path).findings} == {"counters"}
    broken(path, "UPDATE counter SET last_n = (SELECT max(last_id) >> 1 FROM tx)")
    assert examined(path).findings == ()


@pytest.mark.parametrize(
    "over",
    [
        "UPDATE erasure SET begun = 9223372036854775807, finished = 9223372036854775807",
        pytest.param("UPDATE erasure SET begun = 9.3e18", marks=TYPELESS),
        pytest.param("UPDATE erasure SET begun = 'many', finished = 0", marks=TYPELESS),
        pytest.param("UPDATE counter SET last_n = 'many'", marks=IDS),
    ],
)
def test_a_counter_that_cannot_count_on_is_found(path: Path, over: str) -> None:
    with recollect.Nexus.open(path) as nexus:
        broken(path, over)
        messages = [one.message for one in nexus.doctor().findings]
        assert "a counter is above the largest number there can be" in messages


def test_a_counter_of_purges_that_is_ahead_does_no_harm(path: Path) -> None:
    broken(path, "UPDATE erasure SET begun = 2000, finished = 1000")
    with recollect.Nexus.open(path) as nexus:
        assert nexus.purge("first").is_complete
        assert nexus.doctor().findings == ()


@pytest.mark.parametrize(
    "gone",
    ["DELETE FROM grp WHERE name = 'decoy'", "UPDATE grp SET group_id = 7 WHERE group_id = 1"],
)
def test_rows_of_a_group_that_is_not_there_are_found(path: Path, gone: str) -> None:
    broken(path, gone)
    found = examined(path, fix=True)
    assert ("groups", False) in {(one.check, one.is_mended) for one in found.findings}


@pytest.mark.parametrize("name", ["", "a\tb", "Cafe\u0301", "x" * 129])
def test_a_group_that_nobody_can_ask_for_is_found_and_examined(path: Path, name: str) -> None:
    broken(path, f"UPDATE grp SET name = '{name}' WHERE name = 'decoy'", MENDABLE["a count"])
    found = examined(path)
    assert [one.check for one in found.findings] == ["groups", "counts"]
    assert examined(path, fix=True).groups == 2


def test_a_link_that_outlives_its_end_is_found(path: Path) -> None:
    broken(path, f"UPDATE concept SET expired_at = changed_at + 1 WHERE id = {FIRST}")
    messages = [finding.message for finding in examined(path).findings]
    assert any("alive after an end" in message for message in messages)


def test_one_of_a_kind_is_told_as_one_and_more_as_more(path: Path) -> None:
    broken(path, BEYOND["contents"], BEYOND["ends"])
    messages = [one.message for one in examined(path).findings]
    assert any(one.startswith("1 element has attributes or metadata") for one in messages)
    assert any(one.startswith("1 link ends in an element") for one in messages)
    assert any("not there; it is " in one for one in messages)
    broken(path, f"UPDATE link SET object = 99998 WHERE group_id = {GROUP}")
    messages = [one.message for one in examined(path).findings]
    assert any(" links end in an element that is not there" in one for one in messages)


@pytest.mark.sqlite_only("changes what SQLite says of its tables")
def test_an_index_of_the_engine_that_lost_rows_is_built_anew(path: Path) -> None:
    with recollect.Nexus.open(path) as nexus:
        assert nexus.doctor().findings == ()
        respelled(path, "expired_at)", "expired_at) WHERE id < 5")
        broken(path, "REINDEX concept_type")
        respelled(path, "expired_at) WHERE id < 5", "expired_at)")
        findings = nexus.doctor().findings
        assert {finding.check for finding in findings} == {"file"}
        assert "concept_type" in findings[0].message
        assert nexus.doctor(fix=True).is_well
        assert nexus.doctor().findings == ()


def respelled(path: Path, old: str, new: str) -> None:
    """Make the file say something else of an index than what is in it."""
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
    connection.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'concept_type'", (old, new)
    )
    connection.execute(f"PRAGMA schema_version = {connection.pragma('schema_version') + 1}")
    connection.close()


@pytest.mark.sqlite_only("looks at what SQLite has counted, and at the file of its log")
def test_a_healthy_memory_is_optimised(path: Path) -> None:
    diagnosis = examined(path, fix=True)
    assert diagnosis == Diagnosis(groups=2, elements=12, findings=(), is_optimised=True)
    connection = apsw.Connection(str(path))
    assert list(connection.execute("SELECT count(*) > 0 FROM sqlite_stat1")) == [(1,)]
    connection.close()
    with recollect.Nexus.open(path) as nexus:
        nexus.write([PutConcept("T", "after")])
        assert nexus.doctor(fix=True).is_well
        assert path.with_name("memory.db-wal").stat().st_size == 0


def test_the_doctor_tells_how_far_it_is(path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    with recollect.Nexus.open(path) as nexus:
        nexus.doctor(fix=True, progress=lambda *step: told.append(step))
    assert {step for step, _, _ in told} == {
        "file",
        "groups",
        "transactions",
        "texts",
        "optimising",
    }
    for step in ("transactions", "texts"):
        ends = [done == total for one, done, total in told if one == step and total]
        assert ends.count(True) >= 2  # of each group
    assert all(0 <= done <= total for _, done, total in told)
