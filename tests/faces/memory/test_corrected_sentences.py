"""The sentence of a fact whose object is put right, and what why says of what was put right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

FIGMA = {
    "subject": "Lucia",
    "predicate": "uses",
    "object": "Figma",
    "text": "Lucia draws all in Figma, or thinks of Figmatics",
}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="agent") as opened:
        Memory(opened.nexus.group("decoy")).remember(facts=[{**FIGMA, "object": "decoy"}])
        yield opened


@pytest.mark.parametrize("named", ["Penpot", {"type": "Tool", "name": "Penpot"}, None])
def test_a_sentence_names_the_new_object_where_it_named_the_old(
    memory: Memory, named: object
) -> None:
    if named is None:
        memory.remember(facts=[{"subject": "Penpot", "predicate": "kind", "object": "tool"}])
        named = {"id": memory.nexus.elements.named("Penpot")[0].element.id}
    (fact,) = memory.remember(facts=[FIGMA]).facts
    done = memory.correct(fact.id, object=named)
    assert done.memory.text == "Lucia draws all in Penpot, or thinks of Figmatics"
    assert done.warnings == ()
    assert memory.undo(done.memory.id).memory.text == FIGMA["text"]


@pytest.mark.parametrize(
    "fact",
    [
        {**FIGMA, "text": "Lucia draws with the usual tool"},
        {**FIGMA, "subject": "Paris Hilton", "object": "Paris", "text": "Paris Hilton is there"},
        {**FIGMA, "object": 42, "text": "Lucia uses 423 of them"},
    ],
)
def test_a_sentence_that_cannot_follow_is_left_out_and_the_answer_says_so(
    memory: Memory, fact: dict[str, object]
) -> None:
    (told,) = memory.remember(facts=[fact]).facts
    done = memory.correct(told.id, object="Penpot")
    assert done.memory.text == f"{fact['subject']} uses Penpot"
    (notice,) = done.warnings
    assert notice.code == "text_left_out"
    assert str(fact["text"]) in notice.message
    hint = f'correct with {{"id": "{done.memory.id}", "text": "{fact["text"]}"}}'
    assert notice.hint == hint


@pytest.mark.parametrize("fact", [FIGMA, {**FIGMA, "text": None, "subject": "Figma Smith"}])
def test_nothing_is_said_of_a_sentence_that_is_told_or_was_none(
    memory: Memory, fact: dict[str, object]
) -> None:
    (told,) = memory.remember(facts=[fact]).facts
    said = "Lucia likes Penpot" if fact["text"] else None
    done = memory.correct(told.id, object="Penpot", text=said)
    assert done.warnings == ()
    assert done.memory.text == (said or "Figma Smith uses Penpot")


def test_why_says_what_a_fact_corrects_with_who_did_it_and_the_reason(memory: Memory) -> None:
    (first,) = memory.remember(facts=[FIGMA]).facts
    memory.remember(facts=[{**FIGMA, "object": "paper", "text": "Lucia has paper"}])
    second = memory.correct(first.id, object="Penpot", reason="she wrote so").memory
    third = memory.correct(second.id, text="Lucia sketches").memory
    assert memory.why(first.id).corrects == ()
    told = memory.why(third.id).corrects
    assert [{key: one[key] for key in one if key != "at"} for one in told] == [
        {"id": first.id, "text": first.text, "actor": "agent", "reason": "she wrote so"},
        {"id": second.id, "text": second.text, "actor": "agent"},
    ]
    assert [one["at"] for one in told] == [second.created_at, third.created_at]


@pytest.mark.parametrize(
    ("fact", "object"),
    [
        ({"predicate": "has_rooms", "object": 3, "text": "The flat at Weg 3 has 3 rooms"}, 4),
        ({"predicate": "likes", "object": "Ulm", "text": "Ida likes Ulm, not New Ulm"}, "Bonn"),
        ({"predicate": "aged", "object": 1, "text": "Ida's son is 1.5 years old"}, 2),
    ],
)
def test_a_sentence_that_holds_the_old_name_elsewhere_too_is_left_out(
    fact: dict[str, object], object: object
) -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        (told,) = memory.remember(facts=[{"subject": "Ida", **fact}]).facts
        done = memory.correct(told.id, object=object)
    assert [one.code for one in done.warnings] == ["text_left_out"]


def test_the_same_object_said_once_more_leaves_the_sentence() -> None:
    fact = {"subject": "Bob", "predicate": "said", "object": "hello", "text": "Bob: hello, hello"}
    with recollect.memory(":memory:", is_person=True) as memory:
        (told,) = memory.remember(facts=[fact]).facts
        done = memory.correct(told.id, object="hello", valid_at="2020")
    assert (done.memory.text, done.warnings) == ("Bob: hello, hello", ())
