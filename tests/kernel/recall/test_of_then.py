"""Recall as of a moment: whatever is written later, and elsewhere, an answer stays what it was."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
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


HOMES = [
    {"subject": "Luka Horn", "predicate": "lives_in", "object": "Linz"},
    {"subject": "Eva Stein", "predicate": "lives_in", "object": "Graz"},
    {"subject": "Tom Berg", "predicate": "lives_in", "object": "Wien"},
]


@pytest.mark.parametrize(
    ("question", "later"),
    [
        ("Wo wohnt Lukas?", "Lukas Mayr"),
        ("Where does the Lukas family live?", "Lukas Mayr"),
        ("Wo wohnt Evas Familie?", "Otto Familie"),
    ],
)
def test_a_name_that_came_later_hides_none_that_it_is_like(question: str, later: str) -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=HOMES)
        before = memory.nexus.recall(question)
        memory.remember(facts=[{"subject": later, "predicate": "likes", "object": "tea"}])
        again = memory.nexus.recall(question, as_of=before.as_of)
        assert before.memories
        assert [(one.passage, one.score) for one in again.memories] == [
            (one.passage, one.score) for one in before.memories
        ]


def test_a_turn_names_nobody_beside_it_before_it_is_said_nor_once_it_is_withdrawn() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[{"subject": "Nora Lee", "predicate": "lives_in", "object": "Graz"}])
        bought = {"role": "X", "content": "She did buy a red bike last week"}
        memory.remember(messages=[{**bought, "timestamp": "2026-01-01T10:00:00Z"}])
        before = memory.nexus.recall("What did Nora Lee buy?")
        assert before.memories == ()
        named = {"role": "X", "content": "Nora did it", "timestamp": "2026-01-01T10:01:00Z"}
        said = memory.remember(messages=[named]).episodes[0]
        assert memory.recall("What did Nora Lee buy?").memories
        assert memory.nexus.recall("What did Nora Lee buy?", as_of=before.as_of).memories == ()
        memory.forget(id=said, effect="withdraw")
        assert memory.recall("What did Nora Lee buy?").memories == ()
