"""Two memories are copies of each other only where they say the same."""

from __future__ import annotations

import pytest

import recollect

SAID = [{"kind": "user_statement", "detail": "said"}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Toni Gasser owes Mena Rauch 20 euros.", "Mena Rauch owes Toni Gasser 20 euros."),
        ("Jonas is older than Sabine.", "Sabine is older than Jonas."),
        ("The guide told the warden about the storm.", "The warden told the guide about the storm"),
        ("The Ferner bridge is open to hikers.", "The Ferner bridge is not open to hikers."),
        ("Dogs are allowed in the Gamsjoch hut.", "No dogs are allowed in the Gamsjoch hut."),
        ("Die Brücke am Ferner ist offen.", "Die Brücke am Ferner ist nicht offen."),
        ("Kilian Rauch broke his new ski.", "Kilian Rauch didn't break his new ski."),
    ],
)
def test_what_says_the_opposite_is_no_copy_and_is_not_forgotten_along(one: str, other: str) -> None:
    with recollect.memory(":memory:") as memory:
        for text in (one, other):
            memory.remember(text, evidence=SAID)
        found = {each.memory.text for each in memory.recall(one).memories}
        assert {one, other} <= found
        gone = memory.forget(one, effect="erase", dry_run=True)
        assert [each.text for each in gone.memories] == [one]


def test_what_says_the_same_in_other_small_words_is_one_memory() -> None:
    with recollect.memory(":memory:") as memory:
        for text in ("The Ferner bridge is open to hikers.", "Ferner bridge: open to hikers"):
            memory.remember(text, evidence=SAID)
        (found,) = memory.recall("Is the Ferner bridge open to hikers?").memories
        assert found.copies == 1


def test_what_differs_in_its_marks_alone_is_one_memory_however_short() -> None:
    with recollect.memory(":memory:") as memory:
        for many in range(20):
            memory.remember(f"When is the dentist appointment{'!' * many}", evidence=SAID)
        (found,) = memory.recall("When is the dentist appointment?").memories
        assert found.copies == 19
