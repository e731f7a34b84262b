"""What a question forgets is of whom it names, and of nobody else."""

from __future__ import annotations

import pytest

import recollect
from recollect import Memory

FACTS = (
    ("Kim", "wife", "Ann"),
    ("Ann", "phone", "111"),
    ("Bob", "phone", "222"),
    ("Kim", "phone", "333"),
    ("Bob", "dentist", "Dr Vos"),
    ("Dr Vos", "phone", "444"),
    ("Ann", "mother", "Bea"),
    ("Bea", "phone", "555"),
    ("Ann", "works_at", "Audi"),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("my wife's phone", ["Ann phone 111"]),
        ("Bob's phone", ["Bob phone 222"]),
        ("Tom's phone", []),
        ("Tom’s wife", []),
        ("my sister's phone", []),
        ("das Telefon meiner Schwester", []),
        ("the emperor's phone", []),
    ],
)
def test_a_question_forgets_nothing_of_others(question: str, told: list[str]) -> None:
    with recollect.memory(":memory:", actor="Kim", is_person=True) as memory:
        decoy = Memory(memory.nexus.group("decoy"), actor="Tom", is_person=True)
        for one in (memory, decoy):
            facts = [{"subject": of, "predicate": by, "object": to} for of, by, to in FACTS]
            one.remember("My phone is red", facts=facts if one is memory else None)
        done = memory.forget(question, dry_run=False)
        assert [one.text for one in done.memories] == told
