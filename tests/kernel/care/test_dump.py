"""A dump holds everything, and what is restored from it is the same memory."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.faces.operations.calls import told
from tests.kernel.care.test_forged_dump import forged
from tests.kernel.write.ledger import verify
from tests.reference.copies import dumped, living, restored, tell
from tests.reference.graphs import graphs
from tests.reference.times import statements

import recollect
from recollect.errors import RecollectError
from recollect.faces.operations import Operations
from recollect.kernel.care.dump import GROUP, LINES
from recollect.kernel.lang import ast
from recollect.kernel.store.opening import open_store
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.kernel.write.element import ElementContent
from recollect.kernel.write.unit import Unit
from recollect.model import AsOf, Attributes, Delete, ElementKind, Instant, Key, PutConcept, PutLink

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=EXAMPLES // 2, suppress_health_check=LARGE)
@given(graphs(), st.lists(statements, max_size=6), st.integers(0, 7))
def test_a_restored_memory_is_the_one_that_was_dumped(
    graph: ast.Upsert, changes: list[ast.Mutation], number: int
) -> None:
    with recollect.open(":memory:") as nexus:
        tell(nexus.group("decoy"), [graph])
        tell(nexus, [graph, *changes])
        whole = dumped(nexus, all_groups=True)
        then = AsOf(transaction=number)
        with restored(whole) as copy:
            assert dumped(copy, all_groups=True) == whole
            assert copy.verify() == nexus.verify()
            assert copy.doctor().findings == ()
            assert living(copy, then) == living(nexus, then)
            assert copy.changes() == nexus.changes()
        alone = dumped(nexus)
        with restored(alone) as copy:
            assert dumped(copy) == alone
            assert copy.groups() == ["default"]


def teach(nexus: recollect.Nexus) -> recollect.Nexus:
    """Give a group two clocks, a past, given ids, a second link of one triple and a deletion."""
    a, b = Key("Drug", "A"), Key("Drug", "B")
    nexus.write([PutConcept("Drug", "A", {"n": 1.0}, id="first"), PutConcept("Drug", "B")])
    nexus.write(
        [PutLink(a, "like", b, metadata={"valid_from": "2024"}), PutLink(a, "like", b, key="2")]
    )
    nexus.write(
        [PutConcept("Drug", "A", {"n": 2, "text": "中文 \x01 words"})], actor="me", request_id="7"
    )
    nexus.write([PutConcept("Drug", "C"), PutLink(Key("Drug", "C"), "like", a)])
    nexus.write([Delete(Key("Drug", "C"))])
    nexus.add_index("Drug", "n")
    return nexus


@pytest.fixture
def dump() -> bytes:
    with recollect.open(":memory:") as nexus:
        teach(nexus.group("decoy"))
        return dumped(teach(nexus), all_groups=True)


def test_a_restored_memory_goes_on_as_the_first_would(dump: bytes) -> None:
    with restored(dump) as nexus:
        assert [life.id for life in nexus.history(Key("Drug", "A"))] == ["first"]
        assert nexus.declared.indexes() == nexus.group("decoy").declared.indexes() != ()
        assert len(nexus.search("words", ElementKind.CONCEPT).results[0].hits) == 1
        report = nexus.write([PutConcept("Drug", "D")]).results[0]
        assert report.created == 1
        assert nexus.verify().is_whole
        assert nexus.stats().transactions == 6


def test_every_column_of_a_group_is_dumped_or_made_anew() -> None:
    store = SqliteStore(":memory:")
    with store.reading() as session:
        rows = session.rows("""
            SELECT s.name, c.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c
            WHERE s.type = 'table' AND EXISTS (
              SELECT 1 FROM pragma_table_info(s.name) AS g WHERE g.name = 'group_id')
        """)
    store.close()
    derived = {"tally", "text_past", "embedding_model", "vector", "embedded"}
    passing = {"kept_answer"}  # and who works on what: neither outlives a process for long
    held = {(table, column) for table, column in rows if table not in derived | passing}
    held -= {("concept", "name_key"), ("work", "owner"), ("work", "lease_until")}
    dumped = {(line.table, field.column) for line in (GROUP, *LINES) for field in line.fields}
    assert {one for one in held if one[1] != "group_id"} == dumped


def test_a_file_is_dumped_and_restored_through_paths(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "one.db") as nexus:
        lines = teach(nexus).dump(tmp_path / "dump.jsonl")
    written = (tmp_path / "dump.jsonl").read_bytes()
    assert written.count(b"\n") == lines + 1
    with recollect.open(tmp_path / "two.db") as copy:
        assert copy.restore(tmp_path / "dump.jsonl") == ["default"]
        assert dumped(copy) == written
    store = open_store(tmp_path / "two.db")
    assert verify(store, 1) == 5
    store.close()


def test_nothing_is_overwritten_and_a_failure_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "dump.jsonl"
    path.write_text("mine")
    with recollect.open(":memory:") as nexus:
        with pytest.raises(RecollectError) as caught:
            nexus.dump(path)
        assert caught.value.code.code == "INVALID_ARGUMENT"
        with pytest.raises(RecollectError):
            nexus.dump(tmp_path / "absent" / "dump.jsonl")
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def refused(nexus: recollect.Nexus, dump: bytes) -> str:
    """Restore what must be refused, and return why; the memory must be as it was."""
    before = dumped(nexus, all_groups=True)
    with pytest.raises(RecollectError) as caught:
        nexus.restore(io.BytesIO(dump))
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert caught.value.hint
    assert dumped(nexus, all_groups=True) == before
    return caught.value.message


def test_a_group_that_is_not_empty_is_not_restored_into(dump: bytes) -> None:
    with restored(dump) as nexus:
        assert "is not empty" in refused(nexus, dump)


def test_a_group_that_declares_an_index_is_not_restored_into(dump: bytes) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.add_index("Food", "m")
        with pytest.raises(RecollectError, match="is not empty"):
            nexus.restore(io.BytesIO(dump))
        assert [one.attribute for one in nexus.declared.indexes()] == ["m"]


@pytest.mark.sqlite_only("meets ids of another group, which a server counts by group")
def test_ids_that_others_have_are_not_taken(dump: bytes) -> None:
    with recollect.open(":memory:", group="another") as nexus:
        nexus.write([PutConcept("T", "a"), PutConcept("T", "b")])
        assert "ids of the dump are in use" in refused(nexus, dump)


def test_a_dump_of_the_first_version_is_restored() -> None:
    with recollect.open(":memory:") as nexus:
        teach(nexus).write([PutLink(Key("Drug", "A"), "like", Key("Drug", "B"), {"n": 1})])
        whole = dumped(nexus)
    older = re.sub(
        rb'^\{"past":(\d+)',
        lambda found: b'{"%s_past":%s' % ((b"concept", b"link")[int(found[1]) & 1], found[1]),
        whole.replace(b'{"recollect_dump":2}', b'{"recollect_dump":1}'),
        flags=re.MULTILINE,
    )
    assert b'{"concept_past":' in older
    assert b'{"link_past":' in older
    with restored(older) as nexus:
        assert dumped(nexus) == whole


def test_a_group_that_was_opened_and_is_empty_gets_the_ids_of_the_dump(dump: bytes) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write('DELETE CONCEPT {type: "T", name: "a"} DETACH')
        assert list(nexus.elements.records()) == []
        nexus.restore(io.BytesIO(dump))
        assert dumped(nexus, all_groups=True) == dump
        with restored(dump) as other:
            assert list(nexus.elements.records()) == list(other.elements.records())


@pytest.mark.parametrize(
    "metadata",
    [{"valid_until": "9999-12-31T23:59:59-05:00"}, {"valid_from": "0001-01-01T00:00:00+14:00"}],
)
def test_a_fact_time_at_the_end_of_the_calendar_is_restored(metadata: Attributes) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("Contract", "Lease", {}, metadata)])
        with restored(dumped(nexus)) as copy:
            assert dumped(copy) == dumped(nexus)


def test_a_fact_time_beyond_the_calendar_that_an_older_build_kept_goes_on() -> None:
    with restored(forged(beyond_the_calendar)) as nexus:
        assert nexus.doctor().is_well
        (lease,) = nexus.elements.look_up(["lease"]).values()
        assert (lease.valid_at, lease.invalid_at) == (BEFORE, BEYOND)
        assert [one.earlier for one in nexus.elements.records()] == [{}] * 4
        shown = told(Operations(nexus).get_entity_edge(uuid="lease", group_id="default"))
        assert (shown["valid_at"], shown["invalid_at"]) == (None, None)
        with restored(dumped(nexus)) as copy:
            assert dumped(copy) == dumped(nexus)


BEFORE, BEYOND = Instant(-62_135_647_200_000), Instant(253_402_318_799_000)


def beyond_the_calendar(unit: Unit) -> None:
    metadata = {
        "valid_from": "0001-01-01T00:00:00+14:00",
        "valid_until": "9999-12-31T23:59:59-05:00",
    }
    ends = [unit.create_concept("Contract", name) for name in ("Lease", "Hire")]
    fact = unit.create_link((ends[0].id, unit.terms.intern("follows"), ends[1].id), "", "lease")
    for element in (ends[0], fact):
        unit.set_content(element, ElementContent({"fact": "words"}, metadata, BEFORE, BEYOND))


def altered(dump: bytes, kind: str, change: Callable[[dict[str, object]], object]) -> bytes:
    """Return a dump with one line of a kind changed."""
    lines = dump.splitlines()
    place = next(at for at, line in enumerate(lines) if next(iter(json.loads(line))) == kind)
    line = json.loads(lines[place])
    change(line)
    lines[place] = json.dumps(line, ensure_ascii=False).encode()
    return b"\n".join([*lines, b""])


@pytest.mark.parametrize(
    ("kind", "member", "value", "why"),
    [
        ("concept", "attributes", {"n": 3}, "does not agree with its log"),
        ("concept", "name", "Z", "does not agree with its log"),
        ("concept", "salt", "00" * 16, "does not agree with its log"),
        ("transaction", "actor", "somebody", "does not agree with its log"),
        ("change", "digest", "00" * 32, "does not agree with its log"),
        ("concept", "concept", "2", '"concept" is not a whole number'),
        ("concept", "concept", 2**70, '"concept" is not a whole number'),
        ("concept", "version", True, '"version" is not a whole number'),
        ("concept", "attributes", [1], '"attributes" is not an object'),
        ("concept", "attributes", {"_n": 1}, '"attributes" is not an object'),
        ("concept", "salt", "xyz", '"salt" is not 16 bytes in hexadecimal'),
        ("concept", "salt", None, '"salt" is not 16 bytes in hexadecimal'),
        ("concept", "salt", "00" * 15, '"salt" is not 16 bytes in hexadecimal'),
        ("concept", "salt", "00 " + "00" * 14 + "0", '"salt" is not 16 bytes in hexadecimal'),
        ("transaction", "chain", "00", '"chain" is not 32 bytes in hexadecimal'),
        ("group", "id_bits", "00", '"id_bits" is not 10 or 26 bytes in hexadecimal'),
        ("concept", "concept", -2, '"concept" is not a whole number'),
        ("concept", "concept", 2**48, '"concept" is not a whole number'),
        ("concept", "concept", 3, "does not hold together: 3 links end in an element"),
        ("concept", "name", "", '"name" is not a text that is not empty'),
        ("concept", "valid_at", 2**61, '"valid_at" is not milliseconds'),
        ("concept", "expired_at", 2**62 + 1, '"expired_at" is not a whole number'),
        ("concept", "born_at", 2**63 - 1, '"born_at" is not a whole number'),
        ("link", "subject", 99_998, "does not hold together: 1 link ends in"),
        ("link", "object", 13, "does not hold together"),
        ("link", "predicate", "p|q{1,3}", '"predicate" is not a plain predicate'),
        ("transaction", "at", 2**63 - 1, '"at" is not milliseconds'),
        ("transaction", "last_id", 2, "does not hold together: 1 element has an id that was not"),
        ("transaction", "last_id", 2**48, '"last_id" is not a whole number'),
        ("change", "operation", "bogus", '"operation" is not create, update, close or purge'),
        ("term", "term", "", '"term" is not a text that is not empty'),
        ("term", "code", 2**31, '"code" is not a whole number'),
        ("index", "index", "name", '"index" is not an attribute that may have an index'),
        ("index", "index", "", '"index" is not an attribute that may have an index'),
        ("recollect_dump", "recollect_dump", True, "of version True"),
        ("recollect_dump", "recollect_dump", "x" * 99, "of version 'xxx"),
        ("concept", "type", "Unknown", "type is not a term of the group"),
        ("concept", "name", "a\0", '"name" is not a text'),
        ("transaction", "actor", 1, '"actor" is not a text that is not empty, or null'),
        ("recollect_dump", "recollect_dump", 3, "of version 3"),
        ("end", "end", 3, "lines are missing"),
        ("group", "group", "a\tb", "the group name is not"),
    ],
)  # fmt: skip
def test_a_dump_that_was_changed_is_refused(
    dump: bytes, kind: str, member: str, value: object, why: str
) -> None:
    with recollect.open(":memory:") as nexus:
        assert why in refused(nexus, altered(dump, kind, lambda line: line.update({member: value})))


def test_a_member_too_many_is_refused(dump: bytes) -> None:
    with recollect.open(":memory:") as nexus:
        changed = altered(dump, "concept", lambda line: line.update(more=1))
        assert "its members are not concept, type, name" in refused(nexus, changed)


def test_a_dump_that_is_cut_off_anywhere_is_refused(dump: bytes) -> None:
    with recollect.open(":memory:") as nexus:
        for length in range(0, len(dump), 97):
            refused(nexus, dump[:length])
        refused(nexus, dump[:-1])
        assert "after the end" in refused(nexus, dump + b"{}\n")


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"[]\n", b"{}\n", b"UPSERT { }\n", b"\xff\xfe\n", b'{"format": 1}\n']
)
def test_what_is_no_dump_is_refused(text: bytes) -> None:
    with recollect.open(":memory:") as nexus:
        refused(nexus, text)


def test_a_line_that_comes_twice_is_refused(dump: bytes) -> None:
    lines = dump.splitlines(keepends=True)
    place = next(at for at, line in enumerate(lines) if line.startswith(b'{"transaction"'))
    lines.insert(place, lines[place])
    with recollect.open(":memory:") as nexus:
        assert "repeats an earlier line" in refused(nexus, b"".join(lines))


def test_a_purged_element_is_not_in_the_dump_and_the_log_still_holds() -> None:
    with recollect.open(":memory:") as nexus:
        teach(nexus).purge("first")
        dump = dumped(nexus)
        assert b"words" not in dump
        with restored(dump) as copy:
            assert dumped(copy) == dump
            assert copy.verify() == nexus.verify()
            assert copy.verify().is_whole


def test_a_group_nobody_wrote_to_gives_an_empty_dump() -> None:
    with recollect.open(":memory:") as nexus:
        assert dumped(nexus) == b'{"recollect_dump":2}\n{"end":1}\n'
        assert nexus.restore(io.BytesIO(dumped(nexus))) == []
