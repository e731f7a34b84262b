"""A merge taken back through either of the two that it made one."""

from __future__ import annotations

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.faces.memory import Memory
from recollect.model import Concept, Merge, Rows

PLACES = [
    {"subject": "Bruno", "predicate": "sings_at", "object": "Zoo Leipzig"},
    {"subject": "Ilse", "predicate": "sings_at", "object": "Halle Zoo"},
]


def named(memory: Memory, name: str) -> Concept:
    (rows,) = memory.nexus.read("FIND(?x) WHERE { ?x {name: $name} }", {"name": name}).results
    assert isinstance(rows, Rows)
    (found,) = rows.rows[0]
    assert isinstance(found, Concept)
    return found


def told(memory: Memory) -> set[str]:
    return {one.text for one in memory.list("fact").memories}


@pytest.mark.parametrize("by", ["the one that went", "the one that stayed"])
def test_undo_takes_a_merge_back_with_all_that_it_moved(by: str):
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember(facts=PLACES)
        before = told(memory)
        went, stayed = named(memory, "Zoo Leipzig"), named(memory, "Halle Zoo")
        memory.nexus.write([Merge(went.id, stayed.id)])
        again = memory.undo((went if by == "the one that went" else stayed).id)
        assert again.memory.id == went.id
        assert told(memory) == before
        assert named(memory, "Halle Zoo").attributes == stayed.attributes
        assert "_merged_from" not in named(memory, "Halle Zoo").metadata
        assert named(memory, "Zoo Leipzig").id == went.id
        for one in (stayed, went):
            with pytest.raises(RecollectError, match="took two things apart"):
                memory.undo(one.id)


def test_what_was_said_after_a_merge_is_taken_back_before_it():
    with recollect.memory(":memory:", actor="agent") as memory:
        memory.remember(facts=PLACES)
        went, stayed = named(memory, "Zoo Leipzig"), named(memory, "Halle Zoo")
        memory.nexus.write([Merge(went.id, stayed.id)])
        memory.correct(stayed.id, attributes={"city": "Halle"})
        memory.undo(stayed.id)
        assert "city" not in named(memory, "Halle Zoo").attributes
        assert memory.undo(went.id).memory.id == went.id


def test_what_undo_cannot_take_back_is_answered_with_what_can_be_done():
    with recollect.memory(":memory:", is_person=True) as memory:
        first = memory.remember("Pim likes tea").claim
        assert first is not None
        second = memory.correct(first.id, text="Pim likes coffee").memory
        with pytest.raises(RecollectError, match="done to a claim") as new:
            memory.undo(memory.remember("Pim likes figs").claim.id)
        assert new.value.hint == "correct it to what is right, or forget it"
        with pytest.raises(RecollectError) as old:
            memory.undo(first.id)
        assert old.value.hint == f"undo, correct or forget {second.id}, which took its place"


@pytest.mark.parametrize(
    "correction",
    [
        {"source": "her letter"},
        {"confidence": 0.3},
        {"invalid_at": "2016"},
        {"valid_at": "2014"},
        {"object": "Zeiss"},
        None,
    ],
)
def test_undo_leaves_an_ended_fact_its_times_and_what_holds_now_as_it_is(correction):
    with recollect.memory(":memory:") as memory:
        works = {"subject": "Ann", "predicate": "works_at"}
        ended = {"valid_at": "2015", "invalid_at": "2017"}
        once = {**works, "object": "Bosch", **ended, "source": "she"}
        likes = {"subject": "Ann", "predicate": "likes", "object": "figs", **ended}
        told = memory.remember(
            facts=[once, likes, {**works, "object": "Miele", "valid_at": "2017"}]
        ).facts

        def said() -> list[tuple[object, ...]]:
            found = memory.list("fact", past=True).memories
            here = (one for one in found if one.expired_at is None)
            return sorted((str(one), one.source or "", one.confidence or 1.0) for one in here)

        before = said()
        assert "Ann works at Bosch (2015 to 2017)" in [one for one, _, _ in before]
        for one in told[:2]:
            if correction is None:
                memory.forget(id=one.id)
                memory.undo(one.id)
            else:
                memory.undo(memory.correct(one.id, **correction).memory.id)
        assert said() == before
