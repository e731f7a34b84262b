"""A day in several spellings is one value, as it was called first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory
from recollect.errors import RecollectError

BORN = {"subject": "Ann", "predicate": "birthday"}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="bot") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{**BORN, "object": "May 12, 1990"}])
        yield memory


@pytest.mark.parametrize("first", ["12 May 1990", "1990-05-12", "May 12, 1990"])
@pytest.mark.parametrize("again", ["12 May 1990", "1990-05-12", "May 12, 1990", "12 may 1990"])
def test_a_day_in_another_spelling_is_told_already(memory: Memory, first: str, again: str) -> None:
    told = memory.remember(facts=[{**BORN, "object": first}, {**BORN, "object": again}])
    assert told.ended == ()
    once_more = memory.remember(facts=[{**BORN, "object": again}])
    assert (once_more.ended, once_more.transaction) == ((), None)
    (fact,) = memory.list("fact", past=True).memories
    assert (fact.object, fact.id) == (first, told.facts[0].id)


def test_another_day_and_what_is_no_day_are_values_of_their_own(memory: Memory) -> None:
    memory.remember(facts=[{**BORN, "object": "12 May 1990"}])
    (ended,) = memory.remember(facts=[{**BORN, "object": "1990-05-13"}]).ended
    assert ended.line == "Ann birthday 12 May 1990"
    for one in ("12/05/1990", "May 1990", "1990-13-40", "about 13 May 1990"):
        assert memory.remember(facts=[{**BORN, "object": one}]).facts[0].object == one


def test_a_correction_finds_the_day_in_another_spelling(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Bo", "predicate": "moved_on", "object": "3 June 2001"}])
    (fact,) = memory.remember(facts=[{**BORN, "object": "1990-05-12"}]).facts
    assert memory.correct(fact.id, object="2001-06-03").memory.object == "3 June 2001"


def test_a_day_is_not_what_has_a_type_and_another_spelling(memory: Memory) -> None:
    album = {"type": "Album", "name": "May 12, 1990"}
    memory.remember(facts=[{"subject": "Band", "predicate": "released", "object": album}])
    (told,) = memory.remember(facts=[{**BORN, "object": "1990-05-12"}]).facts
    assert told.object == "1990-05-12"
    (again,) = memory.remember(facts=[{**BORN, "object": "12 May 1990"}]).facts
    assert again.id == told.id


def test_a_version_is_not_the_day_it_looks_like(memory: Memory) -> None:
    for version in ("2024-1-1", "2024-01-01"):
        said = {"subject": "Lib", "predicate": "version", "object": version}
        assert memory.remember(facts=[said]).facts[0].object == version


@pytest.mark.parametrize("about", ["12 May 1990", "1990-05-12", "May 12, 1990"])
def test_what_is_about_a_day_is_listed_by_any_of_its_spellings(memory: Memory, about: str) -> None:
    (told,) = memory.remember(facts=[{**BORN, "object": "1990-05-12"}]).facts
    assert told.id in {one.id for one in memory.list(about=about).memories}
    with pytest.raises(RecollectError, match="nothing is called"):
        memory.list(about="13 May 1990")
