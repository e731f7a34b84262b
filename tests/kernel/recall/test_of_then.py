"""Recall as of a moment: whatever is written later, and elsewhere, an answer stays what it was."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from hypothesis import given, strategies as st

import recollect
from recollect.model import AsOf, Delete, EndFact, Instant, Key, Named, PutConcept, PutFact
from recollect.node import dataclass

DAY = 86_400_000
PEOPLE = ("Ann Miller", "Bo Berg", "Cleo Green")
THINGS = ("cello", "green boat", "boat", "old mill")
QUESTIONS = (
    "What does Ann play?",
    "Who has a green boat?",
    "Where is the old mill?",
    "What did Cleo say about the boat in 2024?",
    "What did Ann have before the green boat?",
    "What did Bo formerly have?",
)


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is written: by a person, about a thing."""

    kind: str  # "fact", "summary", "alias", "turn", "reply", "end", "withdraw" or "elsewhere"
    person: str
    thing: str


STEPS = st.builds(
    Step,
    st.sampled_from(
        ["fact", "summary", "alias", "turn", "reply", "end", "withdraw", "elsewhere", "fact"]
    ),
    st.sampled_from(PEOPLE),
    st.sampled_from(THINGS),
)


def write(nexus: recollect.Nexus, step: Step, at: int) -> None:
    """Do a step; what is ended or withdrawn is the last fact that lives, if there is one."""
    put = PutFact(Named(step.person, "Person"), "has", Named(step.thing), is_settled=True)
    match step.kind:
        case "fact":
            nexus.write([put])
        case "summary":
            said = {"summary": f"knows of the {step.thing} since {2020 + at}"}
            nexus.write([PutConcept("Person", step.person, said)])
        case "alias":
            nexus.write([PutConcept("Person", step.person, {"aliases": [step.thing]})])
        case "turn" | "reply":
            said = {"body": f"I saw the {step.thing} today", "session": "talk"}
            said |= {"reference_time": f"2024-01-{1 + at:02}T09:00:00Z", "role": step.person}
            role = "user" if step.kind == "turn" else "assistant"
            nexus.write([PutConcept("Episode", f"episode-{at}", {**said, "role_type": role})])
        case "elsewhere":
            nexus.group("other").write([put, PutConcept("Person", "Ann", {"summary": "cello"})])
        case _:
            rows = nexus.read('FIND(?f) WHERE { ?f (?a, "has", ?b) }').results[0].rows
            if rows:
                last = rows[-1][0].id
                nexus.write([Delete(last) if step.kind == "withdraw" else EndFact(last)])


def answers(nexus: recollect.Nexus, as_of: AsOf) -> Iterator[object]:
    """Yield what all questions find, with every share of every score."""
    for question in QUESTIONS:
        found = nexus.recall(question, as_of=as_of, asker="$self")
        yield (
            question,
            [
                (one.element.element.id, one.passage, one.score, dict(one.why), one.holds)
                for one in found.memories
            ],
        )


@given(st.lists(STEPS, min_size=2, max_size=9))
def test_a_later_write_and_another_group_change_no_earlier_answer(steps: list[Step]) -> None:
    days = count(20_000)
    with recollect.open(":memory:", clock=lambda: Instant(next(days) * DAY)) as nexus:
        nexus.group("other").write([PutConcept("Person", "Dan", {"summary": "has a green boat"})])
        nexus.write([PutConcept("City", "Rome", {"summary": "an old city with a mill"})])
        told: list[tuple[AsOf, list[object]]] = []
        for at, step in enumerate(steps):
            write(nexus, step, at)
            moment = nexus.recall("Rome").as_of
            told.append((moment, [*answers(nexus, moment)]))
        for moment, before in told:
            assert [*answers(nexus, moment)] == before
        assert Key("Person", "Dan") not in {
            Key(one.element.type, one.element.name) for one in nexus.elements.named("Dan")
        }
