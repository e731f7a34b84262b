"""Of a name that is nobody's nothing is told, nor of somebody known what others say of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

FACTS = (
    ("Lucia Ferrer", "lives_in", "Valencia"),
    ("Lucia Ferrer", "has_pet", "Moka"),
    ("Hanna Vogt", "has_pet", "Biscuit"),
    ("Priya Raman", "married_to", "Arjun Raman"),
    ("Tomas Keller", "has_pet", "Rufus"),
    ("Ben Auer", "allergic_to", "walnuts"),
    ("Marlow Dental", "contact_person", "Julia Marlow"),
)
MESSAGES = (
    ("Lucia Ferrer", "Moka chewed through the cable of the projector, sorry everyone!"),
    ("Tomas Keller", "I have a spare one at home, I will bring it tomorrow."),
    ("Priya Raman", "Stand-up is at 9:45 from next week, because I take the twins to school."),
    ("Hanna Vogt", "The Christmas party is on 12 December."),
)


def told(*messages: tuple[str, str]) -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="bot") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{"subject": "Hanna Keller", "predicate": "owns", "object": "Felix"}])
        for one, of, two in FACTS:
            memory.remember(facts=[{"subject": one, "predicate": of, "object": two}])
        if messages:
            memory.remember(messages=[{"role": who, "content": text} for who, text in messages])
        yield memory


@pytest.fixture(scope="module", params=[(), MESSAGES[:1], MESSAGES], ids=["facts", "one", "chat"])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    yield from told(*request.param)


@pytest.fixture(scope="module")
def chat() -> Iterator[Memory]:
    yield from told(*MESSAGES)


@pytest.mark.parametrize(
    "question",
    [
        "Where does Zoltan Ferrer live?",
        "Where does Lucia Zoltan live?",
        "Who is Zoltan Raman married to?",
        "What does Hanna Keller own?",
        "Where does Priya Ferrer live?",
        "What does Julia Vogt do?",
        "What is Hanna Auer allergic to?",
        "Wo wohnt Priya Ferrer?",
    ],
)
def test_a_name_made_of_those_of_others_is_that_of_a_stranger(
    memory: Memory, question: str
) -> None:
    assert memory.recall(question).memories == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where does Lucia Ferrer live?", "Lucia Ferrer lives in Valencia"),
        ("Where does Lucia live?", "Lucia Ferrer lives in Valencia"),
        ("Where does Mrs Ferrer live?", "Lucia Ferrer lives in Valencia"),
        ("What is Ben Auer allergic to?", "Ben Auer allergic to walnuts"),
        ("Who is Priya married to?", "Priya Raman married to Arjun Raman"),
    ],
)
def test_who_is_named_in_full_or_in_part_is_found(memory: Memory, question: str, text: str) -> None:
    assert memory.recall(question).memories[0].memory.text == text


def test_a_name_that_a_text_holds_whole_is_no_strangers() -> None:
    for memory in told(*MESSAGES, ("Ben Auer", "Hanna Keller owns a bakery.")):
        (first, *_) = memory.recall("What does Hanna Keller own?").memories
        assert "Hanna Keller owns a bakery" in first.memory.text


@pytest.mark.parametrize(
    "question",
    [
        "Where does Hanna live?",
        "Wo wohnt Ben?",
        "In which city is Marlow Dental?",
    ],
)
def test_what_others_say_of_others_is_no_answer_about_somebody(chat: Memory, question: str) -> None:
    assert chat.recall(question).memories == ()


def test_a_turn_that_tells_what_is_asked_stands_before_a_fact_that_does_not(chat: Memory) -> None:
    (first, *_) = chat.recall("What did Moka chew?").memories
    assert "Moka chewed through the cable" in first.memory.text


@pytest.mark.parametrize("question", ["Where Does Ann Work?", "WHERE DOES ANN WORK?"])
def test_a_question_in_capitals_is_no_name(question: str) -> None:
    ann = {"type": "Person", "name": "Ann Smith"}
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{"subject": ann, "predicate": "works_at", "object": "Acme"}])
        (first, *_) = memory.recall(question).memories
    assert first.memory.text == "Ann Smith works at Acme"


def test_a_german_name_with_the_s_of_what_is_its_is_the_same_name() -> None:
    ann = {"type": "Person", "name": "Ann Smith"}
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember(facts=[{"subject": ann, "predicate": "lives_in", "object": "Ulm"}])
        memory.remember("Ann Smiths Hund heißt Rex")
        (first, *_) = memory.recall("Wie heißt der Hund von Ann Smith?").memories
    assert first.memory.text == "Ann Smiths Hund heißt Rex"


def test_a_name_that_another_language_has_as_a_word_is_a_strangers() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[{"subject": "Ben", "predicate": "lives_in", "object": "Oslo"}])
        said = "We took a trip to Rome and stayed in a hotel."
        memory.remember(messages=[{"role": "Ann", "content": said}])
        assert memory.recall("Where does Tomas live?").memories == ()


def test_a_name_is_taken_for_no_word_of_which_it_is_a_stem() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[{"subject": "Ann", "predicate": "lives_in", "object": "Leeds"}])
        memory.remember(facts=[{"subject": "Liv Berg", "predicate": "works_as", "object": "nurse"}])
        memory.remember(messages=[{"role": "Ben", "content": "Liv bought a boat."}])
        (first, *others) = memory.recall("Where does Ann live?").memories
        assert first.memory.text == "Ann lives in Leeds"
        assert all("boat" not in one.memory.text for one in others)
        assert "boat" in str(memory.recall("What did Liv buy?").memories[0])
