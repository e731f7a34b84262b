"""Reasons: why something was put right or forgotten, as the memory keeps it."""

from __future__ import annotations

import pytest

import recollect
from recollect import Memory
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece
from recollect.faces.memory import EFFECTS

IDA = {"subject": "Ida", "predicate": "lives_in", "object": "Ulm", "valid_at": "2020"}


@pytest.mark.parametrize("said", [{"object": "Bonn"}, {"confidence": 0.5}, {"valid_at": "2021"}])
def test_the_reason_of_a_correction_is_shown_by_why_and_gone_when_it_is_undone(
    said: dict[str, object],
) -> None:
    with recollect.memory(":memory:") as memory:
        (told,) = memory.remember(facts=[IDA]).facts
        corrected = memory.correct(told.id, **said, reason="she wrote so").memory  # type: ignore[arg-type]
        assert reasons(memory, told.id)[-1] == "she wrote so"
        back = memory.undo(corrected.id).memory
        assert "because" not in memory.why(back.id).history[-1].metadata
        assert (back.text, back.valid_at) == (told.text, told.valid_at)


def test_the_reason_why_a_thing_is_put_right_or_is_another_is_shown_by_why() -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[IDA, {**IDA, "subject": "Ida Falk"}])
        short, whole = (
            memory.nexus.elements.named(one)[0].element.id for one in ("Ida", "Ida Falk")
        )
        memory.correct(short, attributes={"born": 1990}, reason="her pass")
        assert reasons(memory, short)[-1] == "her pass"
        memory.undo(short)
        assert memory.why(short).memory.attributes == {}
        memory.correct(short, same_as=whole, reason="one letter")
        assert reasons(memory, short)[-1] == "one letter"
        memory.undo(short)
        assert len(memory.list("fact").memories) == 2


def test_the_reason_why_a_claim_is_put_right_is_shown_by_why() -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        claim = memory.remember("Ida lives in Ulm").claim
        assert claim is not None
        memory.correct(claim.id, text="Ida lives in Bonn", reason="she wrote so")
        assert reasons(memory, claim.id)[-1] == "she wrote so"


def test_the_reason_why_a_piece_is_put_right_or_withdrawn_is_shown_by_why() -> None:
    with recollect.memory(":memory:") as memory:
        with KnowledgeBase(nexus=memory.nexus) as kb:
            kb.add_piece(KnowledgePiece(content="Ida lives in Ulm"))
        (piece,) = memory.list("piece").memories
        memory.correct(piece.id, text="Ida lives in Bonn", reason="she wrote so")
        assert reasons(memory, piece.id)[-1] == "she wrote so"
        memory.forget(id=piece.id, reason="she asked")
        assert reasons(memory, piece.id)[-1] == "she asked"


@pytest.mark.parametrize("effect", EFFECTS)
def test_the_reason_of_an_erasure_stands_in_its_receipt_alone(effect: str) -> None:
    with recollect.memory(":memory:") as memory:
        (told,) = memory.remember(facts=[IDA]).facts
        done = memory.forget(id=told.id, effect=effect, reason="she asked")  # type: ignore[arg-type]
        assert [one["reason"] for one in done.receipts] == ["she asked"] * (effect == "erase")


def test_why_tells_that_a_fact_was_restored_and_what_stands_in_place_of_one() -> None:
    with recollect.memory(":memory:") as memory:
        (ulm,) = memory.remember(facts=[IDA]).facts
        bonn = memory.correct(ulm.id, object="Bonn").memory
        assert memory.why(ulm.id).memory.superseded_by == bonn.id
        assert steps(memory, bonn.id) == ["create"]
        again = memory.undo(bonn.id).memory
        assert (again.superseded_by, steps(memory, again.id)) == (None, ["restore"])
        memory.forget(id=again.id, effect="end")
        memory.undo(again.id)
        assert steps(memory, again.id) == ["restore", "update", "restore"]
        assert steps(memory, ulm.id) == ["create", "update", "close"]


def test_a_fact_that_is_told_anew_while_it_lives_is_updated_and_not_restored() -> None:
    with recollect.memory(":memory:") as memory:
        for confidence in (0.5, 0.9, 0.5):
            (ulm,) = memory.remember(facts=[{**IDA, "confidence": confidence}]).facts
        assert steps(memory, ulm.id) == ["create", "update", "update"]


def steps(memory: Memory, id: str) -> list[str]:
    return [one.operation for one in memory.why(id).history]


def reasons(memory: Memory, id: str) -> list[object]:
    """Return the reasons that the steps of a memory give."""
    steps = memory.why(id).history
    return [one.metadata["because"] for one in steps if "because" in one.metadata]


def test_what_was_withdrawn_is_told_again_unless_an_undo_restores_it() -> None:
    fact = {"subject": "Pia", "predicate": "likes", "object": "figs"}
    with recollect.memory(":memory:") as memory:
        (figs,) = memory.remember(facts=[fact]).facts
        memory.forget(id=figs.id)
        (again,) = memory.remember(facts=[fact]).facts
        assert [one.operation for one in memory.why(again.id).history] == ["told again"]
        memory.forget(id=again.id)
        back = memory.undo(again.id).memory
        assert [one.operation for one in memory.why(back.id).history] == ["restore"]


def test_an_end_stays_where_the_object_is_corrected() -> None:
    fact = {"subject": "Pia", "predicate": "works_at", "object": "Zeiss", "valid_at": "2020"}
    with recollect.memory(":memory:") as memory:
        (zeiss,) = memory.remember(facts=[{**fact, "invalid_at": "2022"}]).facts
        done = memory.correct(zeiss.id, object="Leica")
        assert str(done.memory) == "Pia works at Leica (2020 to 2022)"
        opened = memory.correct(done.memory.id, invalid_at="never").memory
        assert (str(opened), opened.id) == ("Pia works at Leica (since 2020)", done.memory.id)
        both = memory.correct(opened.id, object="Bosch", invalid_at="never").memory
        assert str(both) == "Pia works at Bosch (since 2020)"


def test_what_a_correction_leaves_as_it_is_has_nothing_to_take_back() -> None:
    fact = {"subject": "Pia", "predicate": "works_at", "object": "Zeiss", "valid_at": "2020"}
    with recollect.memory(":memory:") as memory:
        (zeiss,) = memory.remember(facts=[{**fact, "source": "a card"}]).facts
        assert memory.correct(zeiss.id, source="a card").undo == "nothing was changed"
        assert memory.correct(zeiss.id, source="a letter").undo == f"undo {zeiss.id}"


def test_what_a_question_leaves_alone_since_it_begins_later_is_not_said_to_be_past() -> None:
    fact = {"subject": "Pia", "predicate": "lives_in", "object": "Jena", "valid_at": "2998"}
    with recollect.memory(":memory:") as memory:
        (jena,) = memory.remember(facts=[fact]).facts
        (told,) = memory.forget("Pia lives in Jena").warnings
        assert told.message == f'"{jena}" does not hold now, so it is forgotten by its id alone'


def test_a_step_says_in_words_because_of_what_it_was_made() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        fact = {"subject": "Ann", "predicate": "likes", "object": "tea"}
        (tea,) = memory.remember(facts=[fact]).facts
        memory.forget(id=tea.id, reason="it was a joke")
        assert any("because it was a joke" in str(one) for one in memory.why(tea.id).history)
