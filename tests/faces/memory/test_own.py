"""Questions of somebody about themselves, and what followed what has ended."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.faces.memory import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="Rita Blom", is_person=True) as memory:
        told = [
            {"subject": "Otto Wirth", "predicate": "address", "object": "Ringweg 3"},
            {"subject": "Rita Blom", "predicate": "address", "object": "Kouter 12"},
            {"subject": "Rita Blom", "predicate": "lives_in", "object": "Ghent"},
            {"subject": "Rita Blom", "predicate": "works_at", "object": "Barco"},
        ]
        memory.remember(facts=told)
        yield memory


@pytest.mark.parametrize("asked", ["What is my address?", "Was ist meine address?"])
def test_my_address_is_that_of_who_asks(memory: Memory, asked: str) -> None:
    first = memory.recall(asked).memories[0]
    assert (first.memory.subject, first.memory.object) == ("Rita Blom", "Kouter 12")
    assert "named" in first.why


def test_whom_a_question_names_comes_before_who_asks(memory: Memory) -> None:
    assert memory.recall("Can I have Otto's address?").memories[0].memory.object == "Ringweg 3"


@pytest.mark.parametrize("asked", ["Where did I live in 2017?", "Where did I live before Antwerp?"])
def test_i_am_meant_though_the_question_names_a_time_or_a_place(memory: Memory, asked: str) -> None:
    lives = {"subject": "Rita Blom", "predicate": "lives_in"}
    memory.remember(
        facts=[
            {**lives, "object": "Rotterdam", "valid_at": "2015", "invalid_at": "2019"},
            {**lives, "object": "Antwerp", "valid_at": "2019", "invalid_at": "2021"},
            {"subject": "Otto Wirth", "predicate": "vegetarian_since", "object": "2017"},
            {"subject": "Otto Wirth", "predicate": "lives_in", "object": "Antwerp"},
        ]
    )
    assert memory.recall(asked).memories[0].memory.object == "Rotterdam"


def test_my_address_is_forgotten_and_nobody_elses(memory: Memory) -> None:
    forgotten = memory.forget("my address", limit=1, dry_run=False)
    assert [one.object for one in forgotten.memories] == ["Kouter 12"]
    assert memory.recall("What is Otto's address?").memories[0].memory.object == "Ringweg 3"


def test_only_what_a_question_means_is_forgotten(memory: Memory) -> None:
    assert [one.object for one in memory.forget("my address").memories] == ["Kouter 12"]
    assert memory.forget("my trombone").memories == ()


def test_what_is_only_near_a_question_is_not_forgotten(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "Otto Wirth", "predicate": "drives", "object": "Volvo"}])
    for asked in ("my car", "Rita's brother", "Otto's birthplace"):
        assert memory.forget(asked).memories == ()
    assert [one.object for one in memory.forget("Otto's car").memories] == ["Volvo"]


def test_what_an_agent_calls_mine_is_of_whom_it_serves() -> None:
    served = [
        {"subject": "Otto Wirth", "predicate": "works_at", "object": "Miele"},
        {"subject": "Rita Blom", "predicate": "works_at", "object": "Barco"},
        {"subject": "$self", "predicate": "serves", "object": "Rita Blom"},
    ]
    with recollect.memory(":memory:", actor="mcp") as memory:
        memory.remember(facts=served)
        assert memory.recall("Where do I work?").memories[0].memory.object == "Barco"
        assert [one.object for one in memory.forget("where I work").memories] == ["Barco"]
        assert "- you serve Rita Blom" in str(memory.brief())
        memory.remember(facts=[{**served[2], "object": "Otto Wirth"}])  # now it is no one's
        shares = [one.why for one in memory.recall("Where do I work?").memories]
        assert not any("named" in one for one in shares)


def test_what_has_ended_says_what_came_then(memory: Memory) -> None:
    begins = {"valid_at": "2026-05-01"}
    memory.remember(
        facts=[{"subject": "Rita Blom", "predicate": "lives_in", "object": "Lyon"} | begins]
    )
    memory.remember(
        facts=[{"subject": "Rita Blom", "predicate": "works_at", "object": "Dassault"} | begins]
    )
    found = memory.recall("Where did I live?", past=True).memories
    (ended,) = [one for one in found if one.memory.object == "Ghent"]
    assert ended.why["past"][1] == "until 2026-05-01, then: Rita Blom lives in Lyon"


def test_a_brief_tells_what_is_so_of_whom_the_agent_serves_once(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "$self", "predicate": "serves", "object": "Rita Blom"}])
    lines = [one for one in str(memory.brief()).splitlines() if one.startswith("- ")]
    assert "- Rita Blom works at Barco" in lines
    assert len(lines) == len(set(lines))


def test_me_is_whom_the_agent_serves_though_a_thing_was_called_so_before() -> None:
    likes = {"subject": "me", "predicate": "likes", "object": "tea"}
    serves = {"subject": "$self", "predicate": "serves", "object": "Ilse Renner"}
    with recollect.memory(":memory:", actor="mcp") as memory:
        (unknown,) = memory.remember(facts=[likes]).warnings
        assert unknown.code == "nobody_is_me"
        (thing,) = [one for one in memory.list("concept").memories if one.name == "me"]
        (told,) = memory.remember(facts=[serves]).warnings
        beer = memory.remember(facts=[{**likes, "object": "beer"}, {**likes, "subject": "I"}])
        assert {one.subject for one in beer.facts} == {"Ilse Renner"}
        assert beer.warnings == (told,) == memory.list(about="me").warnings
        assert "Ilse Renner likes beer" in str(memory.brief("me"))
        (ilse,) = [one for one in memory.list("concept").memories if one.name == "Ilse Renner"]
        assert told.hint == f'correct with {{"id": "{thing.id}", "same_as": "{ilse.id}"}}'
        memory.correct(thing.id, same_as=ilse.id)
        mine = memory.remember(facts=[{**likes, "object": "cake"}])
        assert mine.warnings == () and mine.facts[0].subject == "Ilse Renner"
        assert memory.list(about="me").warnings == ()


def test_a_thing_whose_name_is_written_large_is_not_who_says_me(memory: Memory) -> None:
    station = {"subject": {"type": "Station", "name": "Mir"}, "predicate": "built_in"}
    memory.remember(facts=[{**station, "object": "Baikonur"}])
    told = memory.remember(facts=[{"subject": "Mir", "predicate": "orbits", "object": "Earth"}])
    assert told.facts[0].subject == "Mir"
