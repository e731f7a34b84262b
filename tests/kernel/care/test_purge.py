"""Erasure: what goes, what stays, and that those who read meanwhile are told."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.kernel.write.ledger import verify

import behind
import recollect
from recollect import AsOf, Nexus, RecollectError
from recollect.kernel.store.opening import open_store
from recollect.model import (
    Delete,
    Found,
    Hits,
    Key,
    Local,
    LoggedChange,
    Merge,
    Operation,
    PutConcept,
    PutLink,
    Rows,
)

DECOY = """
UPSERT {
    CONCEPT @a { {type: "Drug", name: "Aspirin", id: "a"} SET ATTRIBUTES { of: "decoy" } }
    CONCEPT @b { {type: "Symptom", name: "Headache"} SET PROPOSITIONS { ("eased_by", @a) } }
}
"""
SALICYLATE = Key("Drug", "Aspirin")
NAMES = 'FIND(?name) WHERE { ?x {type: "Drug"} ATTR(?x, "name", ?name) } ORDER BY ?name'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def nexus(path: Path) -> Iterator[Nexus]:
    """A memory beside a decoy that holds the same names, and keeps them."""
    with Nexus.open(path, group="decoy") as decoy:
        decoy.write(DECOY)
        before = rows_of_group(path, 1)
        yield decoy.group("main")
        assert rows_of_group(path, 1) == before
        assert decoy.verify().is_whole
        assert found(decoy, "aspirin") == {"Aspirin", "eased_by"}


@pytest.fixture
def taught(nexus: Nexus) -> Nexus:
    """A drug that was changed, closed and made again, with links at it, and links at those."""
    head, drug = Key("Symptom", "Headache"), SALICYLATE
    nexus.write(
        [
            PutConcept("Drug", "Aspirin", {"dose": "small"}, id="a"),
            PutConcept("Symptom", "Headache"),
            PutLink(drug, "eases", head, id="eases"),
            PutConcept("Person", "Ann"),
            PutLink(Key("Person", "Ann"), "doubts", "eases", id="doubts"),
            PutConcept("Drug", "Ibuprofen"),
            PutLink(Key("Drug", "Ibuprofen"), "eases", head),
        ]
    )
    nexus.write([PutConcept("Drug", "Aspirin", {"dose": "large"})], actor="Ann", request_id="r7")
    nexus.write([Delete(drug)])
    nexus.write([PutConcept("Drug", "Aspirin", {"dose": "none"}), PutLink(head, "needs", drug)])
    return nexus


def tables(path: Path, sql: str) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: sorted(behind.rows(path, sql.format(name)), key=repr)
        for name, columns in behind.columns(path).items()
        if "group_id" in columns
    }


def rows_of_group(path: Path, group: int) -> dict[str, list[tuple[object, ...]]]:
    return tables(path, f"SELECT * FROM {{}} WHERE group_id = {group}")


def all_rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    return tables(path, "SELECT * FROM {}")


def names(nexus: Nexus, as_of: AsOf | None = None) -> list[object]:
    (rows,) = nexus.read(NAMES, as_of=as_of).results
    assert isinstance(rows, Rows)
    return [name for (name,) in rows.rows]


def found(nexus: Nexus, term: str, as_of: AsOf | None = None) -> set[str]:
    (hits,) = nexus.search(term, as_of=as_of).results
    assert isinstance(hits, Hits)
    return {getattr(hit.element, "name", "") or hit.element.predicate for hit in hits.hits}  # type: ignore[union-attr]


def at(number: int) -> AsOf:
    return AsOf(transaction=number)


# What goes, and what stays


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_receipt_of_nothing_says_whether_it_was_dry(nexus: Nexus, dry_run: bool):
    receipt = nexus.purge(Found('FIND(?x) WHERE { ?x {type: "None"} }'), dry_run=dry_run)
    assert receipt.ids == ()
    assert (receipt.is_dry_run, receipt.is_complete) == (dry_run, not dry_run)


def test_every_life_of_a_key_goes_with_every_link_at_it_and_at_those(taught: Nexus) -> None:
    receipt = taught.purge(SALICYLATE)
    assert (receipt.concepts, receipt.links) == (2, 3)
    assert {"a", "eases", "doubts"} < set(receipt.ids)
    assert (receipt.past_contents, receipt.texts, receipt.terms) == (1, 6, 2)
    assert (receipt.transaction, receipt.is_complete, receipt.is_dry_run) == (5, True, False)
    assert "backups" in receipt.note
    assert names(taught) == ["Ibuprofen"]
    for number in range(1, 6):
        assert "Aspirin" not in names(taught, at(number))
        assert found(taught, "aspirin large small doubts needs", at(number)) == set()
    assert found(taught, "headache eases", at(1)) == {"Headache", "eases"}


def test_a_write_searches_after_a_purge_as_before(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as nexus:
        nexus.write([PutConcept("T", name, {"t": "word"}) for name in ("a", "b")])
        nexus.purge(Key("T", "a"))
        with nexus.transaction():
            (found,) = nexus.search("word").results
        text = 'UPSERT { CONCEPT @c { {type: "T", name: "c"} } } SEARCH CONCEPT "word"'
        assert nexus.write(text).results[1] == found


def test_an_id_means_one_life(taught: Nexus) -> None:
    assert taught.purge("a").concepts == 1
    assert names(taught) == ["Aspirin", "Ibuprofen"]
    assert names(taught, at(2)) == ["Ibuprofen"]


def test_a_link_goes_alone(taught: Nexus) -> None:
    receipt = taught.purge("doubts")
    assert (receipt.ids, receipt.terms) == (("doubts",), 1)
    assert names(taught, at(1)) == ["Aspirin", "Ibuprofen"]


def test_what_a_query_finds_goes(taught: Nexus) -> None:
    text = "FIND(?x) WHERE { ?x {type: $type} }"
    assert taught.purge(Found(text, {"type": "Drug"})).concepts == 2
    assert names(taught) == []
    past = Found(text, {"type": "Drug"}, at(1))
    assert taught.purge(past).ids[0] == "a"
    assert names(taught, at(1)) == []


@pytest.mark.parametrize(
    "what", [Found('FIND(?l) WHERE { ?l (?s, "likes", ?o) }'), Key("Person", "Robert"), "likes"]
)
def test_a_link_that_a_merge_moved_goes_with_the_lives_it_had_elsewhere(
    taught: Nexus, path: Path, what: Found | Key | str
) -> None:
    bob, tea = Key("Person", "Bob"), Key("Drink", "Tea")
    people = [PutConcept("Person", one) for one in ("Bob", "Robert")]
    link = PutLink(bob, "likes", tea, {"how": "quixotically"}, id="likes", handle="likes")
    about = PutLink(Local("likes"), "said_by", tea, {"how": "zealously"})
    taught.write([*people, PutConcept("Drink", "Tea"), link, about])
    taught.write([Merge(bob, Key("Person", "Robert"))])
    receipt = taught.purge(what)
    assert receipt.links == 4  # two of each
    assert len(set(receipt.ids)) == len(receipt.ids)
    with pytest.raises(RecollectError, match="no element has or had the id"):
        taught.history("likes")
    left = str(all_rows(path))
    assert "quixotically" not in left
    assert "zealously" not in left
    assert taught.verify().is_whole
    assert taught.doctor().is_well


def test_a_link_that_was_given_the_id_of_another_stays_where_that_goes(taught: Nexus) -> None:
    ann, bob = Key("Person", "Ann"), Key("Person", "Bob")
    taught.write([PutConcept("Person", "Bob"), PutLink(ann, "takes", SALICYLATE, id="l")])
    taught.write([Delete("l")])
    taught.write([PutLink(bob, "likes", ann, id="l")])
    taught.purge(SALICYLATE)
    assert [life.versions[0].operation for life in taught.history("l")] == [Operation.CREATE]
    (links,) = taught.read('FIND(?l) WHERE { ?l (?s, "likes", ?o) }').results
    assert isinstance(links, Rows)
    assert len(links.rows) == 1


def test_an_id_that_was_given_again_is_refused_and_each_is_named_by_its_key(
    taught: Nexus, path: Path
) -> None:
    taught.write([PutConcept("Herb", "Willow", id="a")])
    before = all_rows(path)
    with pytest.raises(RecollectError) as caught:
        taught.purge("a")
    assert caught.value.code.code == "INVALID_ARGUMENT"
    told = '{type: "Drug", name: "Aspirin"} and of {type: "Herb", name: "Willow"}'
    assert caught.value.message == f'the id "a" is, or was, that of {told}'
    assert caught.value.hint == "name one of them: Key('Drug', 'Aspirin')"
    assert all_rows(path) == before
    assert taught.purge(Found('FIND(?x) WHERE { ?x {id: "a"} }')).concepts == 1
    assert [life.what for life in taught.history("a")] == [SALICYLATE]
    assert taught.purge("a").concepts == 1
    assert names(taught) == ["Aspirin", "Ibuprofen"]


def test_a_concept_that_is_made_again_under_its_id_goes_with_its_earlier_life(
    taught: Nexus,
) -> None:
    for _ in range(2):
        taught.write([PutConcept("Herb", "Willow", id="w")])
        taught.write([Delete("w")])
    assert taught.purge("w").concepts == 2


def test_the_id_of_a_link_that_a_concept_had_before_is_refused(taught: Nexus) -> None:
    taught.write([PutLink(Key("Person", "Ann"), "needs", Key("Symptom", "Headache"), id="a")])
    with pytest.raises(RecollectError, match="and of a link"):
        taught.purge("a")


def test_both_ends_of_a_pattern_may_be_named(taught: Nexus) -> None:
    receipt = taught.purge(Found('FIND(?a, ?l) WHERE { ?l (?a, "eases", ?b) }'))
    assert (receipt.concepts, receipt.links) == (1, 1)


def test_a_query_that_finds_nothing_erases_and_logs_nothing(taught: Nexus, path: Path) -> None:
    before = all_rows(path)
    receipt = taught.purge(Found('FIND(?x) WHERE { ?x {type: "Nix"} }'))
    assert (receipt.ids, receipt.transaction) == ((), None)
    assert all_rows(path) == before


@pytest.mark.parametrize(
    ("what", "code", "message"),
    [
        ("nix", "KIP_3002", 'no element has or had the id "nix"'),
        (Key("Drug", "Nix"), "KIP_3002", 'no concept {type: "Drug", name: "Nix"}'),
        (Key("Nix", "Aspirin"), "KIP_3002", 'type: "Nix"'),
        (Found(NAMES), "KIP_1001", "the column name holds values"),
        (Found("FIND(COUNT(?x) AS ?n) WHERE { ?x {type: \"T\"} }"), "KIP_1001", "the column n"),
        (Found("DESCRIBE PRIMER"), "KIP_1001", "the text is not one FIND"),
        (Found("FIND(?x) WHERE {"), "KIP_1001", "the text ends"),
        ("\ud800", "KIP_2003", "surrogate"),
        (Key("\0", "x"), "KIP_2003", "NUL"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(
    taught: Nexus, path: Path, what: str | Key | Found, code: str, message: str
) -> None:
    before = all_rows(path)
    with pytest.raises(RecollectError) as caught:
        taught.purge(what)
    assert caught.value.code.code == code
    assert message in str(caught.value)
    assert all_rows(path) == before


def test_another_groups_ids_are_not_found(taught: Nexus) -> None:
    (life,) = taught.group("decoy").history(Key("Symptom", "Headache"))
    with pytest.raises(RecollectError, match="no element has or had"):
        taught.purge(life.id)


def test_a_dry_run_tells_the_same_and_keeps_everything(taught: Nexus, path: Path) -> None:
    before = all_rows(path)
    told = taught.purge(SALICYLATE, dry_run=True)
    assert (told.is_dry_run, told.transaction) == (True, None)
    assert all_rows(path) == before
    done = taught.purge(SALICYLATE)
    for part in ("ids", "concepts", "links", "past_contents", "texts", "terms"):
        assert getattr(told, part) == getattr(done, part)


def test_counts_and_text_index_are_as_if_it_had_never_been(path: Path, nexus: Nexus) -> None:
    a, b, c = Key("T", "A"), Key("T", "B"), Key("T", "C")
    kept = [PutConcept("T", "A", {"x": "one"}), PutConcept("T", "B"), PutLink(a, "p", b)]
    gone = [
        PutConcept("T", "C", {"x": "two"}),
        PutLink(a, "p", b, key="second"),
        PutLink(a, "p", c),
        PutLink(a, "q", c, id="q"),
        PutLink(b, "p", "q"),
    ]
    other = nexus.group("other")
    other.write(kept)
    nexus.write(kept + gone)
    nexus.write([PutConcept("T", "C", {"x": "three"})])
    nexus.purge(c)
    nexus.purge(Found('FIND(?l) WHERE { ?l ({name: "A"}, "p", ?b) } LIMIT 2 OFFSET 1'))
    assert counted(path, 2) == counted(path, 3)
    assert nexus.doctor().is_well
    counts = "SELECT group_id, sum(count) FROM tally WHERE kind = 'documents' GROUP BY group_id"
    assert sorted(behind.rows(path, counts)) == [(1, 3), (2, 3), (3, 3)]


def counted(path: Path, group: int) -> list[tuple[object, ...]]:
    tallies = rows_of_group(path, group)["tally"]
    return [row[1:] for row in tallies if row[3]]


# Terms


def test_a_term_that_nothing_else_uses_goes_and_may_come_again(taught: Nexus, path: Path) -> None:
    with recollect.open(path, group="main") as other:
        assert names(other) == ["Aspirin", "Ibuprofen"]  # other has met the terms
        other.write([PutConcept("Person", "Bob")])
        taught.purge(Found('FIND(?x) WHERE { ?x {type: "Drug"} }'))
        taught.purge("a")
        taught.write([PutConcept("Herb", "Willow")])  # takes a code of its own
        assert names(other) == []
        other.write([PutConcept("Drug", "Codeine")])
        assert names(other) == names(taught) == ["Codeine"]
        assert described(other) == ["Drug", "Herb", "Person", "Symptom"]
        assert other.verify().is_whole


def described(nexus: Nexus) -> list[str]:
    (answer,) = nexus.read("DESCRIBE CONCEPT TYPES").results
    return sorted(item["name"] for item in answer.body["items"])  # type: ignore[union-attr]


def test_a_term_that_is_still_used_stays(taught: Nexus) -> None:
    assert taught.purge("eases").terms == 1  # doubts, and not eases
    (answer,) = taught.read('FIND(?l) WHERE { ?l (?a, "eases", ?b) }').results
    assert isinstance(answer, Rows)
    assert len(answer.rows) == 1


def test_an_index_declared_for_a_type_goes_with_it(taught: Nexus, path: Path) -> None:
    taught.add_index("Drug", "dose")
    taught.add_index("Person", "age")
    taught.group("decoy").add_index("Drug", "dose")
    assert taught.purge("a").terms == 1
    assert len(taught.declared.indexes()) == 2
    taught.purge(Found('FIND(?x) WHERE { ?x {type: "Drug"} }'))
    assert [str(one) for one in taught.declared.indexes()] == ["Person.age"]
    taught.drop_group("main")
    assert attribute_indexes(path) == ["attribute:dose"]  # the decoy's
    taught.group("decoy").drop_index("Drug", "dose")
    assert attribute_indexes(path) == []


def attribute_indexes(path: Path) -> list[str]:
    return [name for name in behind.indexes(path) if name.startswith("attribute:")]


# The log


def test_a_purge_is_logged_and_the_chain_still_holds(taught: Nexus, path: Path) -> None:
    head = taught.verify().head
    taught.purge(SALICYLATE, actor="Bob", request_id="erase-1")
    log = taught.changes(since=4)
    assert (log[0].transaction.actor, log[0].transaction.request_id) == ("Bob", "erase-1")
    assert {change.operation for change in log[0].changes} == {Operation.PURGE}
    assert {change.what for change in log[0].changes} == {None}
    assert isinstance(log[0].changes[0], LoggedChange)
    assert (taught.changes()[1].transaction.actor, taught.changes()[1].transaction.request_id) == (
        "Ann",
        "r7",
    )
    audit = taught.verify(head)
    assert (audit.is_whole, audit.transactions, audit.purged, audit.contents) == (True, 5, 6, 4)
    store = open_store(path)
    assert verify(store, 2) == 5
    store.close()


def test_history_of_what_was_purged_is_not_there(taught: Nexus) -> None:
    taught.purge(SALICYLATE)
    for what in ("a", SALICYLATE):
        with pytest.raises(RecollectError) as caught:
            taught.history(what)
        assert caught.value.code.code == "KIP_3002"


def test_life_goes_on_after_a_purge(taught: Nexus) -> None:
    taught.purge(SALICYLATE)
    taught.write([PutConcept("Drug", "Aspirin", id="a"), PutLink("a", "doubts", "a")])
    assert names(taught) == ["Aspirin", "Ibuprofen"]
    assert found(taught, "aspirin") == {"Aspirin", "doubts"}
    assert taught.purge("a").concepts == 1
    assert taught.verify().is_whole


@pytest.mark.sqlite_only("is about a memory in this process")
def test_a_purge_in_memory_is_complete() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("T", "A")])
        assert nexus.purge(Key("T", "A")).is_complete
        assert nexus.doctor().findings == ()
        assert nexus.verify().is_whole


# A whole group


def test_a_dropped_group_leaves_no_row(taught: Nexus, path: Path) -> None:
    told = taught.drop_group("main", dry_run=True)
    assert taught.groups() == ["decoy", "main"]
    receipt = taught.drop_group("main")
    assert (receipt.ids, receipt.concepts, receipt.links) == (told.ids, told.concepts, told.links)
    assert (receipt.concepts, receipt.links, receipt.terms, receipt.transaction) == (5, 4, 6, None)
    assert taught.groups() == ["decoy"]
    assert all(not rows for rows in rows_of_group(path, 2).values())
    assert (names(taught), taught.changes(), taught.verify().transactions) == ([], (), 0)


def test_the_number_of_a_dropped_group_never_comes_again(taught: Nexus, path: Path) -> None:
    with recollect.open(path, group="main") as other:
        assert names(other) == ["Aspirin", "Ibuprofen"]
        taught.drop_group("main")
        taught.group("stranger").write([PutConcept("Drug", "Secret")])
        assert names(other) == []
        other.write([PutConcept("Drug", "Codeine")])
        assert names(other) == names(taught) == ["Codeine"]
        assert names(other.group("stranger")) == ["Secret"]
        assert other.verify().is_whole


def test_an_unknown_group_is_named_with_the_nearest(taught: Nexus) -> None:
    with pytest.raises(RecollectError, match='no group is named "mian"') as caught:
        taught.drop_group("mian")
    assert (caught.value.code.code, caught.value.hint) == ("KIP_3002", 'use "main"')


# What others do meanwhile


def test_others_read_and_write_while_something_is_purged(taught: Nexus) -> None:
    taught.write([PutConcept("Step", f"step {n}", {"n": n}) for n in range(20)])
    with ThreadPoolExecutor(4) as pool:
        written = [pool.submit(taught.write, [PutConcept("Note", f"note {n}")]) for n in range(40)]
        purged = [pool.submit(taught.purge, Key("Step", f"step {n}")) for n in range(20)]
        read = [pool.submit(names, taught) for _ in range(200)]
        assert {tuple(one.result()) for one in read} == {("Aspirin", "Ibuprofen")}
        assert [one.result().concepts for one in purged] == [1] * 20
        assert all(one.result() for one in written)
    assert found(taught, "step") == set()
    (notes,) = taught.read('FIND(COUNT(?x) AS ?n) WHERE { ?x {type: "Note"} }').results
    assert isinstance(notes, Rows)
    assert notes.rows == [(40,)]
    assert taught.verify().is_whole
    assert taught.doctor().is_well


def test_a_receipt_inside_a_block_says_that_the_bytes_leave_as_that_ends(taught: Nexus) -> None:
    with taught.transaction():
        receipt = taught.purge(SALICYLATE)
        assert not receipt.is_complete
        assert receipt.note.startswith(
            "This thread is inside a block of nexus.transaction() or nexus.snapshot(), so some"
            " bytes are still in the file: they leave it as the block ends. Out of reach"
        )


def test_a_purge_in_a_block_that_is_undone_erases_nothing(taught: Nexus, path: Path) -> None:
    before = all_rows(path)
    with taught.transaction(dry_run=True):
        taught.purge(SALICYLATE)
    with suppress(KeyError), taught.transaction():
        taught.purge(SALICYLATE)
        raise KeyError
    assert all_rows(path) == before


@pytest.mark.parametrize("what", [None, Found(NAMES.replace("?name)", "?x)", 1))])
@pytest.mark.parametrize("as_of", [None, AsOf(transaction=1)])
@pytest.mark.parametrize("is_dropped", [False, True])
def test_elements_that_a_purge_meets_are_not_cut_short_in_silence(
    nexus: Nexus, what: Found | None, as_of: AsOf | None, *, is_dropped: bool
) -> None:
    names = [f"{number:04}" for number in range(1_500)]
    nexus.write([PutConcept("Drug", name, id=name) for name in names])
    records = nexus.elements.records(what, as_of=as_of)
    next(records)
    if is_dropped:
        nexus.drop_group("main")
        nexus.write([PutConcept("Drug", "another")])
    else:
        nexus.purge("1400")
    with pytest.raises(RecollectError) as caught:
        list(records)
    assert (caught.value.code.code, caught.value.code.retry) == ("STORE_BUSY", "same_request")


def test_elements_are_read_on_whatever_is_purged_in_other_groups_or_was_before(
    nexus: Nexus,
) -> None:
    nexus.write([PutConcept("Drug", f"{number:04}", id=f"{number}") for number in range(1_500)])
    nexus.group("other").write([PutConcept("Drug", "other", id="other")])
    nexus.purge("1400")
    records = nexus.elements.records(as_of=AsOf(transaction=1))
    next(records)
    nexus.group("other").purge("other")
    nexus.drop_group("other")
    nexus.write([PutConcept("Drug", "new")])
    assert len(list(records)) == 1_498
