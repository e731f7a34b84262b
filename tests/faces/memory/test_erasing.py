"""What is erased, and what stays: the whole of a memory, and of others nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from behind import BYTES
from recollect.errors import RecollectError
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece
from recollect.faces.memory import Memory

_PLAYS = {"subject": "Ida", "predicate": "plays", "object": "theorbo"}
_SAID = [{"kind": "user_statement", "detail": "she said so"}]


def _concept(memory: Memory, name: str) -> str:
    return next(one.id for one in memory.list("concept").memories if one.name == name)


def _told_anew(memory: Memory) -> str:
    (fact,) = memory.remember(facts=[_PLAYS]).facts
    memory.forget(id=fact.id)
    return memory.undo(fact.id).memory.id


def _corrected(memory: Memory) -> str:
    (fact,) = memory.remember(facts=[_PLAYS]).facts
    return memory.correct(fact.id, object="lute").memory.id


def _corrected_and_back(memory: Memory) -> str:
    return memory.undo(_corrected(memory)).memory.id


def _corrected_twice_and_back_and_withdrawn(memory: Memory) -> str:
    lute = memory.undo(memory.correct(_corrected(memory), object="oud").memory.id).memory.id
    memory.forget(id=lute)
    again = memory.undo(lute).memory.id
    return memory.correct(again, valid_at="2020").memory.id


def _corrected_with_its_subject_told_anew(memory: Memory) -> str:
    _corrected(memory)
    ida = _concept(memory, "Ida")
    memory.forget(id=ida)
    memory.undo(ida)
    (fact,) = memory.list("fact").memories
    return fact.id


def _claim(memory: Memory) -> str:
    claim = memory.remember("Ida plays theorbo", evidence=_SAID).claim
    assert claim is not None
    first = memory.correct(claim.id, text="Ida plays lute", evidence=_SAID).memory
    return memory.correct(first.id, text="Ida plays oud", evidence=_SAID).memory.id


def _thing(memory: Memory) -> str:
    memory.remember(facts=[_PLAYS])
    ida = _concept(memory, "Ida")
    memory.forget(id=ida)
    return memory.undo(ida).memory.id


def _merged_thing(memory: Memory) -> str:
    memory.remember(facts=[_PLAYS, {"subject": "Ida Oud", "predicate": "plays", "object": "lute"}])
    memory.correct(_concept(memory, "Ida"), same_as="Ida Oud")
    return _concept(memory, "Ida Oud")


def _piece(memory: Memory) -> str:
    with KnowledgeBase(nexus=memory.nexus) as pieces:
        pieces.bulk_load([KnowledgePiece("Ida plays theorbo", "one", entity_id="e")])
        (found,) = memory.recall("theorbo", kinds=["piece"]).memories
        memory.forget(id=found.memory.id)
        pieces.add_piece(KnowledgePiece("Ida plays lute", "one", entity_id="e"))
        return memory.recall("lute", kinds=["piece"]).memories[0].memory.id


@BYTES
@pytest.mark.parametrize(
    "told",
    [
        _told_anew,
        _corrected,
        _corrected_and_back,
        _corrected_twice_and_back_and_withdrawn,
        _corrected_with_its_subject_told_anew,
        _claim,
        _thing,
        _merged_thing,
        _piece,
    ],
)
def test_what_is_erased_is_gone_with_all_that_it_said_before(
    told: Callable[[Memory], str], tmp_path: Path
) -> None:
    with recollect.memory(tmp_path / "me.db") as memory:
        id = told(memory)
        shown = memory.forget(id=id, effect="erase", dry_run=True)
        done = memory.forget(id=id, effect="erase")
        assert done.receipts[0]["ids"] == shown.receipts[0]["ids"]
        assert {one.id for one in done.memories} <= {*done.receipts[0]["ids"]}
        assert memory.list(past=True).memories == ()
    held = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    words = (b"Ida", b"theorbo", b"lute", b"oud")
    assert [one for one in words if one in held] == []


def test_what_stands_by_itself_is_not_erased_with_what_was_once_put_in_its_place():
    with recollect.memory(":memory:") as memory:
        theorbo = _corrected_and_back(memory)
        lute = {**_PLAYS, "object": "lute"}
        memory.remember(facts=[lute, {**_PLAYS, "predicate": "likes", "object": "figs"}])
        memory.forget(id=theorbo, effect="erase")
        left = sorted(str(one) for one in memory.list(past=True).memories if one.kind == "fact")
        assert left == ["Ida likes figs", "Ida plays lute"]


def test_what_was_corrected_is_erased_alone_where_it_said_something_else():
    with recollect.memory(":memory:") as memory:
        lute = _corrected(memory)
        (theorbo,) = (one for one in memory.list(past=True).memories if one.id != lute)
        memory.forget(id=theorbo.id, effect="erase")
        assert [one.id for one in memory.list(past=True).memories] == [lute]


@pytest.mark.parametrize("told", [_told_anew, _corrected_and_back])
def test_an_id_of_before_erases_nothing_where_what_it_said_stands_under_another(
    told: Callable[[Memory], str],
) -> None:
    with recollect.memory(":memory:") as memory:
        now = told(memory)
        before = [one.id for one in memory.list(past=True).memories if one.object == "theorbo"][-1]
        assert before != now
        with pytest.raises(RecollectError, match="no living memory has this id") as refused:
            memory.forget(id=before, effect="erase")
        assert refused.value.hint == f"use {now}: what it said stands there now"
        assert memory.recall("What does Ida play?").memories


@pytest.mark.parametrize("names", ["claim", "message"])
def test_a_person_stays_whom_a_claim_or_a_message_names_when_a_fact_is_erased(names: str):
    others = {"subject": "Anna Weiss", "predicate": "plays", "object": "viola"}
    with recollect.memory(":memory:") as memory:
        fact, _ = memory.remember(
            facts=[{"subject": "Anna Kowalski", "predicate": "plays", "object": "bassoon"}, others]
        ).facts
        if names == "claim":
            memory.remember("Anna Kowalski is allergic to peanuts", evidence=_SAID)
        else:
            memory.remember(messages=[{"role": "Anna Kowalski", "content": "No peanuts for me."}])
        memory.forget(id=fact.id, effect="erase")
        assert "peanuts" in str(memory.list(about="Anna Kowalski").memories)
        assert "viola" not in str(memory.brief("Anna Kowalski"))
        found = [one.memory.text for one in memory.recall("What does Anna Kowalski play?").memories]
        assert "Anna Weiss plays viola" not in found
        assert "bassoon" not in str(memory.list("concept").memories)
