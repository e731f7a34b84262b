"""A question whose evidence stands in two passages finds both, though only one has its words."""

from __future__ import annotations

import random
from itertools import product

import pytest

import recollect
from recollect.faces.operations import Operations
from recollect.faces.operations.inputs import Message
from recollect.kernel.search.tokens import tokens

ADJECTIVES = tokens("Silent Golden Broken Hidden Distant Burning Northern Paper Winter Lonely")
NOUNS = tokens("Harbor River Garden Tower Mirror Letter Bridge Island Orchard Voyage")
FIRST = ("Anna", "Mark", "Leila", "Tomas", "Irene", "Paul", "Nadia", "Hugo")
LAST = ("Kamori", "Tenvas", "Ludor", "Pelsha", "Nimbro", "Farlen", "Golwim", "Ostard")
MANY = 30


def passages() -> list[tuple[str, str]]:
    """Return a title and a text for each film, and then for each who made it."""
    people = [" ".join(name) for name in product(FIRST, LAST)]
    random.Random(7).shuffle(people)
    films = [
        f"The {ADJECTIVES[at % 10]} {NOUNS[(at + at // 10) % 10]}".title() for at in range(MANY)
    ]
    made = zip(films, people, people[MANY:] + people, strict=False)
    return [
        (film, f"{film} is a {1901 + at} drama directed by {maker}. It stars {star} as a sailor.")
        for at, (film, maker, star) in enumerate(made)
    ] + [
        (maker, f"{maker} ({1860 + at} in Port {name[::-1].title()}) was praised for a calm style.")
        for at, (maker, name) in enumerate(zip(people[:MANY], LAST * 4, strict=False))
    ]


def message(at: int, title: str, text: str, way: str) -> Message:
    told: Message = {
        "uuid": f"p{at}",
        "role_type": "user",
        "content": f"{title}: {text}" if way == "before it" else text,
        "timestamp": "2024-01-01T00:00:00Z",
        "source_description": title if way == "its source" else f"document {at}",
    }
    return told | {"name": title} if way == "its name" else told


@pytest.mark.parametrize("way", ["its name", "before it", "its source", "nowhere"])
def test_both_passages_are_found_wherever_a_title_stands(way: str) -> None:
    told = passages()
    with recollect.open(":memory:", group="texts") as nexus:
        with Operations(nexus, worker=False) as operations:
            messages = [message(at, *one, way) for at, one in enumerate(told)]
            for first in range(0, len(messages), 80):
                operations.add_messages(group_id="texts", messages=messages[first : first + 80])
        found = 0
        for at, (film, _) in enumerate(told[:MANY]):
            memories = nexus.recall(f"Where was the director of {film} born?", limit=8).memories
            found += {f"p{at}", f"p{MANY + at}"} <= {one.element.element.id for one in memories}
        first, *_ = nexus.recall("When was Port Dratso founded?").memories or (None,)
    assert found >= 0.9 * MANY
    assert first is None or "Dratso" in first.passage


def test_what_is_led_to_stands_by_the_score_that_it_is_told_with() -> None:
    with recollect.open(":memory:", group="texts") as nexus:
        with Operations(nexus, worker=False) as operations:
            messages = [message(at, *one, "nowhere") for at, one in enumerate(passages())]
            operations.add_messages(group_id="texts", messages=messages)
        memories = nexus.recall("Where was the director of The Silent Harbor born?").memories
    assert any("led" in one.why for one in memories)
    assert [one.score for one in memories] == sorted((one.score for one in memories), reverse=True)
