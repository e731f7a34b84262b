"""However much one author says, others are heard beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory
from recollect.model import PutConcept

SAID = [{"kind": "user_statement", "detail": "said"}]
ASKED = "Where is the spare key of the Berlin flat?"
OWN = "The spare key of the Berlin flat is with Mrs Novak"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="mallory") as memory:
        decoy = Memory.open(memory.nexus, "decoy", actor="decoy")
        decoy.remember("The spare key of the Berlin flat is with a decoy", evidence=SAID)
        yield memory


@pytest.mark.parametrize("is_person", [False, True])
@pytest.mark.parametrize("many", [15, 20, 40, 520])
def test_an_author_of_many_answers_leaves_the_third_place_to_another(
    memory: Memory, many: int, is_person: bool
) -> None:
    memory.nexus.write(
        [
            PutConcept("Note", f"n{at}", {"label": f"{ASKED} In box {at}"}, {"source": "mallory"})
            for at in range(many)
        ]
    )
    own = Memory.open(memory.nexus, "default", actor="ann", is_person=is_person)
    own.remember(OWN, evidence=None if is_person else SAID)
    found = [one.memory.text for one in memory.recall(ASKED).memories]
    assert found.index(OWN) == 2
    assert len(found) == 10


def test_what_is_far_from_the_question_takes_no_place_of_an_author_with_more_to_say(
    memory: Memory,
) -> None:
    memory.remember(facts=[fact("Ann", "owns_boat", f"boat {at}") for at in range(20)])
    other = Memory.open(memory.nexus, "default", actor="ben")
    for at in range(20):
        other.remember(f"The weather of day {at} was fine", evidence=SAID)
    found = memory.recall("Which boats does Ann own?").memories
    assert len(found) == 10
    assert all("owns boat" in one.memory.text for one in found)


def fact(subject: str, predicate: str, end: str) -> dict[str, object]:
    return {"subject": subject, "predicate": predicate, "object": end}
