"""What is equal to the eye is one name, whichever change gives it and however it is spelled."""

from __future__ import annotations

import io
from collections.abc import Callable
from unicodedata import normalize

import pytest

import recollect
from recollect.kernel import Nexus
from recollect.model import (
    Change,
    ConceptRecord,
    Delete,
    Key,
    Local,
    Merge,
    PutConcept,
    PutFact,
    PutLink,
    Record,
    RemoveKeys,
)

NFC, NFD = "caf\u00e9", "cafe\u0301"
A, B = Key("Person", "A"), Key("Person", "B")
BEFORE = [
    PutConcept("Person", "A", id="a"),
    PutConcept("Person", "B", id="b"),
    PutConcept(NFC, NFC, {"x": 1}, id=NFC),
    PutConcept(NFC, "other", id="other"),
]

CHANGES: dict[str, Callable[[str], Change]] = {
    "PutConcept.type": lambda name: PutConcept(name, "new", id="new"),
    "PutConcept.name": lambda name: PutConcept("Person", name, id="new"),
    "PutConcept.id": lambda name: PutConcept("Person", "new", id=f"new {name}"),
    "PutConcept.new_id": lambda name: PutConcept("Person", "new", new_id=f"new {name}"),
    "PutConcept.source": lambda name: PutConcept("Person", "A", source=name),
    "PutLink.subject": lambda name: PutLink(Key(name, name), "knows", A, id="new"),
    "PutLink.predicate": lambda name: PutLink(A, name, B, id="new"),
    "PutLink.object": lambda name: PutLink(A, "knows", name, id="new"),
    "PutLink.key": lambda name: PutLink(A, "knows", B, key=name, id="new"),
    "PutLink.id": lambda name: PutLink(A, "knows", B, id=f"new {name}"),
    "PutLink.new_id": lambda name: PutLink(A, "knows", B, new_id=f"new {name}"),
    "PutFact.subject": lambda name: PutFact(name, "knows", A, "words", id="new"),
    "PutFact.predicate": lambda name: PutFact(A, name, B, "words", id="new"),
    "PutFact.object": lambda name: PutFact(A, "knows", Key(name, name), "words", id="new"),
    "PutFact.key": lambda name: PutFact(A, "knows", B, "words", key=name, id="new"),
    "PutFact.source": lambda name: PutFact(A, "knows", B, "words", source=name, id="new"),
    "PutFact.id": lambda name: PutFact(A, "knows", B, "words", id=f"new {name}"),
    "RemoveKeys.element": lambda name: RemoveKeys(name, frozenset({"x"})),
    "Delete.element": lambda name: Delete(Key(name, name)),
    "Merge.source": lambda name: Merge(name, Key(name, "other")),
    "Merge.target": lambda name: Merge("other", Key(name, name)),
}


def id_of(record: Record) -> str:
    return record.concept.id if isinstance(record, ConceptRecord) else record.link.id


def restored(nexus: Nexus) -> Nexus:
    stream = io.BytesIO()
    nexus.dump(stream)
    stream.seek(0)
    other = recollect.open(":memory:")
    other.restore(stream)
    return other


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_memory_is_the_same_however_a_name_is_spelled(change: Callable[[str], Change]) -> None:
    memories: list[list[Record]] = []
    for spelling in (NFC, NFD):
        with recollect.open(":memory:") as nexus:
            nexus.group("decoy").write(BEFORE)
            nexus.write(BEFORE)
            nexus.write([change(spelling)])
            memories.append([*nexus.elements.records()])
            with restored(nexus) as other:
                assert [*other.elements.records()] == memories[-1]
                for record in reversed(memories[-1]):
                    other.purge(normalize("NFD", id_of(record)))
                assert [*other.elements.records()] == []
    assert memories[0] == memories[1]


@pytest.mark.parametrize("name", ["predicate", "key", "id"])
def test_a_fact_in_another_spelling_is_the_fact_itself(name: str) -> None:
    given = {"predicate": "knows", "id": "f"}
    first, second = (PutFact(A, object=B, text="words", **given | {name: it}) for it in (NFD, NFC))  # type: ignore[arg-type]
    with recollect.open(":memory:") as nexus:
        nexus.write([*BEFORE, Delete(NFC), first])
        assert nexus.write([second]).transaction is None


def test_facts_contradict_each_other_when_their_keys_look_alike() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([*BEFORE, PutFact(A, "knows", B, "as a friend", key=NFD, id="f")])
        nexus.write([PutFact(A, "knows", B, "as a foe", key=NFC)])
        assert nexus.elements.look_up(["f"]) == {}


def test_a_predicate_of_a_fact_is_found_by_its_name() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write(
            [*BEFORE, PutFact(A, NFD, B, "words", handle="f"), PutLink(Local("f"), "is", A)]
        )
        for spelling in (NFC, NFD):
            (rows,) = nexus.read("FIND(?a) WHERE { (?a, $p, ?b) }", {"p": spelling}).results
            assert len(rows.rows) == 1  # type: ignore[union-attr]
