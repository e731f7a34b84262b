"""Where Maria lives, asked of every face at five moments on both clocks: one answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.servers.doors import DOORS, Door
from tests.serving import Stage, stage

import recollect
from recollect.faces.kip import begin_life, execute_kip_readonly
from recollect.faces.operations import Operations
from recollect.kernel import Nexus, instant
from recollect.model import (
    AsOf,
    Hits,
    Instant,
    Key,
    PutConcept,
    PutFact,
    Rows,
    instant_text,
    standing,
)

__all__ = ["stage"]

MARIA = Key("Entity", "Maria")
TOLD = [("Munich", "2019"), ("Porto", "2024"), ("Oslo", "2130")]
MOMENTS = [  # fact time, transactions known of the three that told, where she lives then
    ("2018", 3, None),
    ("2020", 3, "Munich"),
    ("2025", 1, "Munich"),
    ("2025", 3, "Porto"),
    ("2131", 3, "Oslo"),
]
NOW = "Porto"
LIVES = 'FIND(?t.name) WHERE { (?p, "lives_in", ?t) }'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("maria") / "memory.db"


@pytest.fixture(scope="module")
def numbers(path: Path) -> list[int]:
    """The transactions that told a memory where Maria lives."""
    with recollect.open(str(path)) as nexus:
        for name in ("decoy", "default"):
            group, numbers = nexus.group(name), list[int]()
            begin_life(group)
            group.write([PutConcept("Entity", one) for one in ("Maria", "Munich", "Porto", "Oslo")])
            for town, since in TOLD:
                put = PutFact(
                    MARIA, "lives_in", Key("Entity", town), metadata={"valid_from": since}
                )
                numbers.append(group.write([put]).transaction or 0)
    return numbers


@pytest.fixture
def nexus(path: Path, numbers: list[int]) -> Iterator[Nexus]:
    del numbers  # the memory is told
    with recollect.open(str(path)) as nexus:
        yield nexus


@pytest.fixture(scope="module")
def doors(path: Path, numbers: list[int], stage: Stage) -> Iterator[dict[str, Door]]:
    """Every door to the memory, all of them open."""
    del numbers  # the memory is told
    with ExitStack() as opened:
        yield {name: opened.enter_context(door(path, stage)) for name, door in DOORS.items()}


def by_search(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    (hits,) = nexus.search("lives", "link", as_of=AsOf(valid=valid, transaction=known)).results
    assert isinstance(hits, Hits)
    assert {one.standing for one in hits.hits} <= {""}
    return {town_in(str(one.element.attributes["fact"])) for one in hits.hits}


def by_standing(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    (rows,) = nexus.read('FIND(?f, ?t.name) WHERE { ?f (?p, "lives_in", ?t) }').results
    assert isinstance(rows, Rows)
    towns = {one.id: town for one, town in rows.rows}  # type: ignore[union-attr]
    found = nexus.elements.look_up([*towns], as_of=AsOf(transaction=known))
    return {towns[key] for key, one in found.items() if not standing(one, valid)}


def by_recall(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    at = AsOf(valid=valid, transaction=known)
    found = nexus.recall("Where does Maria live?", kinds=["fact"], as_of=at).memories
    return {town_in(one.passage) for one in found}


def by_why(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    at = AsOf(valid=valid, transaction=known)
    (rows,) = nexus.read(LIVES, as_of=at).results
    assert isinstance(rows, Rows)
    return {nexus.why(LIVES, place, as_of=at).row[0] for place in range(len(rows.rows))}


def by_operations(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    instants = [one.transaction.at for one in nexus.changes(known - 1, 1)]
    envelope = Operations(nexus).search_facts(
        group_ids=["default"],
        query="Maria lives",
        valid_as_of=instant_text(valid),
        known_as_of=instant_text(instants[0]),
    )
    return {town_in(one["fact"]) for one in envelope["output"]["facts"]}


def town_in(fact: str) -> str:
    return fact.removeprefix("Maria lives in ")


@pytest.mark.parametrize(("valid", "told_of", "town"), MOMENTS)
def test_every_face_and_every_door_says_the_same(
    nexus: Nexus,
    doors: dict[str, Door],
    numbers: list[int],
    valid: str,
    told_of: int,
    town: str | None,
) -> None:
    at, known = instant(valid), numbers[told_of - 1]
    wanted = set() if town is None else {town}
    for ask in (by_search, by_standing, by_recall, by_why, by_operations):
        assert ask(nexus, at, known) == wanted, ask.__name__
    as_of = {"valid": instant_text(at), "known": known}
    for name, door in doors.items():
        answer = door.kip(LIVES, as_of)
        assert "warnings" not in answer, name
        assert {row[0] for row in answer["result"]["rows"]} == wanted, name
        found = door.memory.recall("Where does Maria live?", kinds=["fact"], as_of=as_of)
        assert {town_in(one.memory.text) for one in found.memories} == wanted, name


@pytest.mark.parametrize("told_of", [1, 2, 3])
def test_a_list_of_describe_counts_what_was_known(
    nexus: Nexus, numbers: list[int], told_of: int
) -> None:
    answer = execute_kip_readonly(
        nexus, "DESCRIBE PROPOSITION TYPES", as_of={"known": numbers[told_of - 1]}
    )
    counts = {one["name"]: one["count"] for one in answer["result"]["items"]}
    assert counts["lives_in"] == told_of


def test_what_tells_of_now_alone_says_the_same_through_every_door(doors: dict[str, Door]) -> None:
    for name, door in doors.items():
        listed = door.memory.list("fact", about="Maria").memories
        assert [town_in(one.text) for one in listed] == [NOW], name
        every = door.memory.list("fact", about="Maria", past=True).memories
        told = {town_in(door.memory.why(one.id).memory.text): one for one in every}
        standings = {town: door.memory.why(one.id).memory.standing for town, one in told.items()}
        assert [town for town, one in standings.items() if not one] == [NOW], name
        held, _, others = door.memory.brief("Maria").text.partition("What holds no longer")
        assert [town for town, _ in TOLD if town in held] == [NOW], name
        assert [town for town, _ in TOLD if town in others] == ["Munich", "Oslo"], name
