"""Where Maria lives, asked of every face at five moments on both clocks: one answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.faces.kinds import ALL_KINDS
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

MARIA = Key("Entity", "Maria")
TOLD = [("Munich", "2019"), ("Porto", "2024"), ("Oslo", "2030")]
MOMENTS = [  # fact time, transactions known of the three that told, where she lives then
    ("2018", 3, None),
    ("2020", 3, "Munich"),
    ("2025", 1, "Munich"),
    ("2025", 3, "Porto"),
    ("2031", 3, "Oslo"),
]


@pytest.fixture
def told() -> Iterator[tuple[Nexus, list[int]]]:
    """A memory that was told three times where Maria lives, and the transactions that did."""
    with Nexus.open(":memory:", kinds=ALL_KINDS) as nexus:
        for name in ("decoy", "default"):
            group, numbers = nexus.group(name), list[int]()
            begin_life(group)
            group.write([PutConcept("Entity", one) for one in ("Maria", "Munich", "Porto", "Oslo")])
            for town, since in TOLD:
                put = PutFact(
                    MARIA, "lives_in", Key("Entity", town), metadata={"valid_from": since}
                )
                numbers.append(group.write([put]).transaction or 0)
        yield nexus, numbers


def by_kip(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    answer = execute_kip_readonly(
        nexus,
        'FIND(?t.name) WHERE { (?p, "lives_in", ?t) }',
        as_of={"valid": instant_text(valid), "known": known},
    )
    assert "warnings" not in answer
    return {row[0] for row in answer["result"]["rows"]}


def by_search(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    (hits,) = nexus.search("lives", "link", as_of=AsOf(valid=valid, transaction=known)).results
    assert isinstance(hits, Hits)
    assert {one.standing for one in hits.hits} <= {""}
    return {str(one.element.attributes["fact"]).rpartition(" ")[2] for one in hits.hits}


def by_standing(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    (rows,) = nexus.read('FIND(?f, ?t.name) WHERE { ?f (?p, "lives_in", ?t) }').results
    assert isinstance(rows, Rows)
    towns = {one.id: town for one, town in rows.rows}  # type: ignore[union-attr]
    found = nexus.elements.look_up([*towns], as_of=AsOf(transaction=known))
    return {towns[key] for key, one in found.items() if not standing(one, valid)}


def by_why(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    query, at = 'FIND(?t.name) WHERE { (?p, "lives_in", ?t) }', AsOf(valid=valid, transaction=known)
    (rows,) = nexus.read(query, as_of=at).results
    assert isinstance(rows, Rows)
    return {nexus.why(query, place, as_of=at).row[0] for place in range(len(rows.rows))}


def by_operations(nexus: Nexus, valid: Instant, known: int) -> set[object]:
    instants = [one.transaction.at for one in nexus.changes(known - 1, 1)]
    envelope = Operations(nexus).search_facts(
        group_ids=["default"],
        query="Maria lives",
        valid_as_of=instant_text(valid),
        known_as_of=instant_text(instants[0]),
    )
    return {one["fact"].rpartition(" ")[2] for one in envelope["output"]["facts"]}


@pytest.mark.parametrize(("valid", "told_of", "town"), MOMENTS)
def test_every_face_says_the_same(
    told: tuple[Nexus, list[int]], valid: str, told_of: int, town: str | None
) -> None:
    nexus, numbers = told
    wanted = set() if town is None else {town}
    for ask in (by_kip, by_search, by_standing, by_why, by_operations):
        found = ask(nexus, instant(valid), numbers[told_of - 1])
        assert found == wanted, ask.__name__
