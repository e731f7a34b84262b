"""Nobody is answered for by another who shares a part of the name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

SAID = [{"kind": "user_statement", "detail": "she said so"}]
FACTS = (
    ("Harold Finch", "phone", "01555 220147"),
    ("Biscuit", "owner", "Harold Finch"),
    ("Anna Weiss", "plays", "viola"),
    ("Anna Weiss", "works_at", "Stadtbibliothek"),
)
TEXTS = (
    "Biscuit is allergic to chicken",
    "Harold Finch's sister is Maude Finch",
    "Maude Finch lives in Whitby",
    "Pickle the cat belongs to Lucia Romero",
    "Anna Kowalski is allergic to peanuts",
    "Anna Weiss has a dog called Pizzicato",
)


def told(*facts: tuple[str, str, str]) -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="bot") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{"subject": "Maude Finch", "predicate": "phone", "object": "0000"}])
        for one, of, two in facts:
            memory.remember(facts=[{"subject": one, "predicate": of, "object": two}])
        for text in TEXTS:
            memory.remember(text, evidence=SAID)
        yield memory


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    yield from told(*FACTS)


@pytest.mark.parametrize(
    "question",
    [
        "What is Maude Finch's phone number?",
        "Maude Finch's phone",
        "Where does Anna Finch live?",
        "What is Pickle allergic to?",
        "What does Anna Nobody play?",
        "What does Anna Kowalski play?",
        "Where does Anna Kowalski work?",
        "What is Anna Kowalski's dog called?",
    ],
)
def test_of_whom_only_texts_tell_no_namesake_answers(memory: Memory, question: str) -> None:
    assert memory.recall(question).memories == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is Mr Finch's phone number?", "Harold Finch phone 01555 220147"),
        ("Wie ist die Telefonnummer von Frau Finch?", "Harold Finch phone 01555 220147"),
        ("Where does Maude Finch live?", "Maude Finch lives in Whitby"),
        ("Where does Maude live?", "Maude Finch lives in Whitby"),
        ("What is Anna Kowalski allergic to?", "Anna Kowalski is allergic to peanuts"),
        ("Who does Pickle belong to?", "Pickle the cat belongs to Lucia Romero"),
        ("What does Anna play?", "Anna Weiss plays viola"),
    ],
)
def test_who_is_named_in_part_or_by_texts_is_found(
    memory: Memory, question: str, text: str
) -> None:
    assert memory.recall(question).memories[0].memory.text == text


def test_of_two_with_one_first_name_no_text_of_the_other_answers() -> None:
    for memory in told(*FACTS, ("Anna Kowalski", "plays", "bassoon")):
        assert memory.recall("What is Anna Kowalski's dog called?").memories == ()
        found = [one.memory.object for one in memory.recall("What does Anna play?").memories[:2]]
        assert sorted(found) == ["bassoon", "viola"]
        (first, *_) = memory.recall("What is Anna Weiss's dog called?").memories
        assert first.memory.text == "Anna Weiss has a dog called Pizzicato"


def test_a_text_that_holds_the_last_names_of_both_is_found() -> None:
    for memory in told(("Project Apollo", "lead", "Ann"), ("Project Zeus", "lead", "Bob")):
        memory.remember("Zeus replaced Apollo in June", evidence=SAID)
        memory.remember("Project Hera was cancelled by Ann", evidence=SAID)
        (first, *_) = memory.recall("What replaced Project Apollo?").memories
        assert first.memory.text == "Zeus replaced Apollo in June"


def test_what_is_told_of_a_first_name_hides_nothing_of_the_one_whose_it_may_be() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        job = {"subject": "Greta Olsen", "predicate": "works_at", "object": "Volvo"}
        child = {"subject": "Greta", "predicate": "has_daughter", "object": "Nerea"}
        memory.remember(facts=[job])
        memory.remember(facts=[child])
        for question in ("Where does Greta work?", "Who employs Greta?"):
            found = memory.recall(question)
            assert found.memories[0].memory.text == "Greta Olsen works at Volvo"
            assert [one.code for one in found.warnings] == ["first_name"]
        (daughter, *_) = memory.recall("Which daughter does Greta Olsen have?").memories
        assert daughter.memory.text == "Greta has daughter Nerea"
