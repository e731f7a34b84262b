"""A question that names somebody by a relation is about them, or about nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

TOLD = (
    ("Rita Blom", "married_to", "Pol Maes"),
    ("Rita Blom", "works_at", "Barco"),
    ("Rita Blom", "born_in", "Ghent"),
    ("Rita Blom", "phone", "555-1"),
    ("Pol Maes", "works_at", "Volvo"),
    ("Pol Maes", "speaks", "Danish"),
    ("Pol Maes", "reports_to", "Ida Holm"),
    ("Ida Holm", "lives_in", "Malmö"),
    ("Ida Holm", "has_role", "plant manager"),
    ("Rita Blom", "parent_of", "Jan Blom"),
    ("Jan Blom", "attends", "Sint-Lucas"),
    ("Jan Blom", "dentist", "Dr. Vos"),
    ("Dr. Vos", "phone", "555-7"),
    ("Rita Blom", "has_pet", "Rex"),
    ("Rex", "is_a", "beagle"),
    ("Rex", "allergic_to", "chicken"),
)
SAID = [{"kind": "user_statement", "detail": "she said so"}]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    facts = [{"subject": one, "predicate": of, "object": two} for one, of, two in TOLD]
    with recollect.memory(":memory:", actor="Rita Blom", is_person=True) as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{**one, "object": "Decoy"} for one in facts])
        memory.remember(facts=facts)
        memory.remember("My neighbour keeps bees and sells the honey", evidence=SAID)
        yield memory


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where does my husband work?", "Pol Maes works at Volvo"),
        ("What is my husband's job?", "Pol Maes works at Volvo"),
        ("Wo arbeitet mein Mann?", "Pol Maes works at Volvo"),
        ("¿Dónde trabaja mi marido?", "Pol Maes works at Volvo"),
        ("Which language does Rita's husband speak?", "Pol Maes speaks Danish"),
        ("Where does my husband's boss live?", "Ida Holm lives in Malmö"),
        ("Where does the boss of Pol live?", "Ida Holm lives in Malmö"),
        ("Wo wohnt die Chefin von Pol?", "Ida Holm lives in Malmö"),
        ("Wo wohnt Pols Chefin?", "Ida Holm lives in Malmö"),
        ("¿Dónde vive la jefa de Pol?", "Ida Holm lives in Malmö"),
        ("¿Dónde vive la jefa de mi marido?", "Ida Holm lives in Malmö"),
        ("Where does the plant manager live?", "Ida Holm lives in Malmö"),
        ("Where was the mother of Jan born?", "Rita Blom born in Ghent"),
        ("Which school does my son attend?", "Jan Blom attends Sint-Lucas"),
        ("What is Jan's dentist's phone number?", "Dr. Vos phone 555-7"),
        ("What is our dog allergic to?", "Rex allergic to chicken"),
        ("Who is my husband?", "Rita Blom married to Pol Maes"),
        ("Who is Pol's boss?", "Pol Maes reports to Ida Holm"),
        ("Does Pol have a boss?", "Pol Maes reports to Ida Holm"),
        ("Which dog do I have?", "Rita Blom has pet Rex"),
        ("¿Dónde nací?", "Rita Blom born in Ghent"),
        ("What does my neighbour sell?", "My neighbour keeps bees and sells the honey"),
    ],
)
def test_a_relation_leads_to_whom_it_means(memory: Memory, question: str, told: str) -> None:
    assert memory.recall(question).memories[0].memory.text == told


@pytest.mark.parametrize(
    "question",
    [
        "Where does my sister work?",
        "Where does my father live?",
        "What is my brother's phone number?",
        "Where was my husband born?",
        "Wo arbeitet meine Schwester?",
        "¿Dónde trabaja mi hermana?",
        "Where does Ida's husband live?",
        "What is the phone number of my daughter?",
        "Was ist die Telefonnummer der Mutter von Pol?",
        "What is Pol's dentist's phone number?",
        "Does Pol have a sister?",
        "How many grandchildren do I have?",
        "¿Tiene Pol hermanos?",
    ],
)
def test_of_who_is_not_known_nothing_is_answered(memory: Memory, question: str) -> None:
    assert memory.recall(question).memories == ()


def test_what_is_told_of_a_relative_without_a_name_is_found(memory: Memory) -> None:
    memory.remember("My cousin works at the harbour of Zeebrugge", evidence=SAID)
    (first, *_) = memory.recall("Where does my cousin work?").memories
    assert first.memory.text == "My cousin works at the harbour of Zeebrugge"


def test_words_that_tell_more_than_a_relation_answer_what_is_asked_of_it() -> None:
    text = "Marek's brother Petr is a firefighter in Ostrava"
    fact = {"subject": "Marek", "predicate": "has_brother", "object": "Petr", "text": text}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[fact, {**fact, "predicate": "lives_in", "object": "Brno"}])
        assert memory.recall("What does Marek's brother do?").memories[0].memory.text == text


def test_what_was_is_told_where_the_past_is_asked_for_and_nothing_holds() -> None:
    studied = {"subject": "Ines", "predicate": "studied_at", "object": "Coimbra"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[{**studied, "valid_at": "2008", "invalid_at": "2014"}])
        assert memory.recall("Where does Ines study?").memories == ()
        (first, *_) = memory.recall("Where did Ines study?").memories
        assert (first.memory.object, first.memory.standing) == ("Coimbra", "until 2014-01-01")


def test_what_held_at_another_time_than_is_asked_for_is_no_answer() -> None:
    lives = {"subject": "Maria", "predicate": "lives_in"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[{**lives, "object": "Lisbon", "valid_at": "2020"}])
        memory.remember("Maria got 400 euros for new tyres in 2024", evidence=SAID)
        assert memory.recall("Where did Maria live in 2005?").memories == ()
        assert memory.recall("Wo hat Maria 2022 gewohnt?").memories[0].memory.object == "Lisbon"
        assert memory.recall("How much did Maria get for tyres in 2019?").memories == ()


def test_of_two_that_are_named_what_tells_of_a_third_and_one_is_no_answer() -> None:
    joined = {"predicate": "joined", "object": "Project Heron"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[{**joined, "subject": "Greta"}])
        memory.remember(facts=[{"subject": "Omar", "predicate": "likes", "object": "figs"}])
        assert memory.recall("When did Omar join Project Heron?").memories == ()
        assert memory.recall("When did Greta join Project Heron?").memories


@pytest.fixture(scope="module")
def practice() -> Iterator[Memory]:
    """A practice whose roles are told in several words."""
    managed = {"subject": "Larkfield Vets", "predicate": "practice manager"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(
            facts=[
                {**managed, "object": "Priya Nair", "valid_at": "2019", "invalid_at": "2024-03"},
                {**managed, "object": "Tom Ashby", "valid_at": "2024-03"},
                {"subject": "Clínica Sol", "predicate": "jefe de ventas", "object": "Rosa Gil"},
                {"subject": "Tom Ashby", "predicate": "lives_in", "object": "York"},
                {"subject": "Priya Nair", "predicate": "works_for", "object": "Hillcrest Hospital"},
            ]
        )
        memory.remember("Callum teaches chemistry at Larkfield High School", evidence=SAID)
        memory.remember("Pickle the cat belongs to Lucia Romero", evidence=SAID)
        yield memory


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the practice manager of Larkfield Vets?", "Tom Ashby"),
        ("Who is practice manager of Larkfield Vets now?", "Tom Ashby"),
        ("Who was practice manager of Larkfield Vets in 2022?", "Priya Nair"),
        ("¿Quién es el jefe de ventas de Clínica Sol?", "Rosa Gil"),
        ("Where does the practice manager of Larkfield Vets live?", "York"),
        ("Who is Priya Nair's employer now?", "Hillcrest Hospital"),
        ("¿Quién es el dueño de Pickle?", "Pickle the cat belongs to Lucia Romero"),
    ],
)
def test_a_relation_that_is_asked_in_the_words_of_a_fact_is_found(
    practice: Memory, question: str, told: str
) -> None:
    first, *_ = practice.recall(question).memories
    assert str(first.memory).split(" (")[0].endswith(told)


def test_who_holds_a_role_is_told_by_no_text_without_it(practice: Memory) -> None:
    assert practice.recall("Who was practice manager of Larkfield Vets in 2016?").memories == ()


@pytest.mark.parametrize("ways", ["wife of ", "x's ", "wife "])
def test_a_long_text_that_ends_in_a_question_is_answered(memory: Memory, ways: str) -> None:
    question = f"Do I have {ways * 1_000}. Where does my husband work?"
    assert "Pol Maes works at Volvo" in [str(one) for one in memory.recall(question).memories]


@pytest.mark.parametrize(
    "question",
    [
        "Who was Osric's boss?",
        "Who was Osric's manager in 2024?",
        "Who was the boss of Osric?",
        "Wer war Osrics Chefin?",
    ],
)
def test_who_somebody_was_to_another_is_found_by_the_relation_once_that_is_over(
    question: str,
) -> None:
    boss = {"subject": "Osric Pell", "predicate": "reports_to", "object": "Ilvara Quen"}
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{**boss, "valid_at": "2022", "invalid_at": "2026"}])
        memory.remember(facts=[{**boss, "predicate": "works_at", "object": "Bramble"}])
        first, *_ = memory.recall(question).memories
        assert str(first.memory) == "Osric Pell reports to Ilvara Quen (2022 to 2026)"
        memory.remember(facts=[{**boss, "object": "Cem Kaya", "valid_at": "2026-02"}])
        first, *_ = memory.recall("Who is Osric's boss?").memories
        assert first.memory.object == "Cem Kaya"


@pytest.mark.parametrize("word", ["Mann", "Ehemann"])
def test_a_german_genitive_names_whose_it_is(word: str) -> None:
    with recollect.memory(":memory:") as memory:
        wed = {"subject": "Tobren Askel", "predicate": "married_to", "object": "Ilvara Quenby"}
        memory.remember(facts=[wed, {**wed, "predicate": "works_as", "object": "carpenter"}])
        found = memory.recall(f"Wer ist Ilvaras {word}?").memories
        assert "Tobren Askel married to Ilvara Quenby" in [str(one) for one in found]
