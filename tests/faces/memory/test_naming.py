"""How memories and things are named: by ids and parts of them, by names, by "me"."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory, RecollectError

LEA = {"subject": "Lea Roth", "predicate": "lives_in", "object": "Ulm"}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="bot") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[LEA, {**LEA, "subject": "Lea", "object": "Decoy"}])
        yield memory


def lines(memory: Memory, about: str) -> list[str]:
    return [str(one) for one in memory.list("fact", about=about).memories]


def test_me_is_whom_the_agent_serves_else_who_acts(memory: Memory) -> None:
    with pytest.raises(RecollectError, match='nothing is called "me"'):
        memory.list(about="me")
    memory.remember(facts=[LEA, {**LEA, "subject": "bot", "object": "a rack"}])
    assert lines(memory, "me") == ["bot lives in a rack"]
    memory.remember(facts=[{"subject": "$self", "predicate": "serves", "object": "Lea Roth"}])
    memory.remember(facts=[{"subject": "me", "predicate": "likes", "object": "figs"}])
    assert "Lea Roth likes figs" in lines(memory, "Me")
    assert "Lea Roth lives in Ulm" in str(memory.brief("me"))
    person = Memory(memory.nexus, actor="bot", is_person=True)
    assert lines(person, "me") == ["bot lives in a rack"]


def test_a_fact_of_me_is_told_of_nobody_until_it_is_known_who_that_is(memory: Memory) -> None:
    told = memory.remember(facts=[{"subject": "me", "predicate": "likes", "object": "figs"}])
    (notice,) = told.warnings
    assert notice.code == "nobody_is_me"
    me = memory.list("concept", about="me").memories[-1]
    memory.remember(facts=[{"subject": "$self", "predicate": "serves", "object": "Lea Roth"}])
    memory.correct(me.id, same_as="Lea Roth")
    assert "me likes figs" in lines(memory, "Lea Roth")
    again = memory.remember(facts=[{"subject": "me", "predicate": "likes", "object": "tea"}])
    assert (again.warnings, again.facts[0].subject) == ((), "Lea Roth")


def test_whom_the_agent_serves_is_known_by_the_first_name(memory: Memory) -> None:
    memory.remember(facts=[{"subject": "$self", "predicate": "serves", "object": "Noor Haddad"}])
    told = memory.remember(facts=[{"subject": "Noor", "predicate": "plays", "object": "oud"}])
    assert [one.code for one in told.warnings] == ["first_name"]


def test_as_much_of_an_id_as_tells_it_from_others_means_it_everywhere(memory: Memory) -> None:
    told = memory.remember(facts=[{**LEA, "predicate": f"saw_{at}"} for at in range(30)]).facts
    one = next(one for one in told if any(map(str.isdigit, one.id[24:32])))
    part, ulm = one.id[24:32], memory.list("concept", about="Ulm").memories[-1]
    assert memory.why(part).memory.id == one.id
    assert memory.why(one.id[:33]).memory.id == one.id
    assert one.text in lines(memory, part)
    with pytest.raises(RecollectError, match="is how several ids begin") as refused:
        memory.why(one.id[:12])
    assert refused.value.hint == "pass more of the one that is meant"  # and none by chance
    assert all(known.startswith(one.id[:12]) for known in refused.value.known)
    with pytest.raises(RecollectError, match="named by its whole id"):
        memory.forget(id=part, effect="erase")
    said = {**LEA, "predicate": "left", "object": {"id": ulm.id[:34]}, "replaces": part}
    (ended,) = memory.remember(facts=[said]).ended
    assert ended.id == one.id
    right = memory.correct(told[0].id[:35], object="Bonn")
    assert memory.undo(right.memory.id[:35]).memory.text == told[0].text
    assert memory.forget(id=told[1].id[:35]).memories[0].id == told[1].id


def test_a_part_of_an_id_means_what_is_gone_where_nothing_there_has_it(memory: Memory) -> None:
    (fact,) = memory.remember(
        facts=[{"subject": "Bo", "predicate": "plays", "object": "oud"}]
    ).facts
    (said,) = memory.remember(messages=[{"content": "Pickle is a cat"}]).episodes
    right = memory.correct(fact.id, object="lute")
    memory.forget(id=said)
    assert memory.why(said[:8]).memory.standing.startswith("withdrawn")
    assert memory.undo(said[:8]).memory.id == said
    with pytest.raises(RecollectError) as caught:
        memory.correct(fact.id[24:], object="cello")
    assert right.memory.id in caught.value.hint
    assert memory.undo(fact.id[24:]).memory.text == "Bo plays oud"
    (bo,) = [one for one in memory.list("concept").memories if one.name == "Bo"]
    memory.remember(facts=[{"subject": "Robert", "predicate": "likes", "object": "figs"}])
    memory.correct(bo.id, same_as="Robert")
    assert memory.undo(bo.id[24:]).memory.id == bo.id


def test_two_that_a_link_keeps_apart_are_not_shown_together(memory: Memory) -> None:
    memory.remember(facts=[LEA])
    memory.remember(facts=[{"subject": "Lea", "predicate": "likes", "object": "figs"}])
    assert "Lea likes figs" in lines(memory, "Lea Roth")
    (warned,) = memory.recall("What does Lea Roth like?").warnings
    assert json.loads(warned.hint.removeprefix("correct with ")).keys() == {"id", "same_as"}
    memory.remember(facts=[{"subject": "Lea", "predicate": "knows", "object": "Lea Roth"}])
    found = memory.recall("What does Lea Roth like?")
    assert (memory.list(about="Lea Roth").warnings, found.warnings) == ((), ())


def test_what_a_concept_is_must_be_there_and_be_one(memory: Memory) -> None:
    memory.remember(facts=[LEA, {**LEA, "subject": {"type": "Person", "name": "Ulm"}}])
    memory.remember(facts=[{**LEA, "object": {"type": "City", "name": "Ulm"}}])
    (lea, *_) = [one for one in memory.list("concept").memories if one.name == "Lea Roth"]
    with pytest.raises(RecollectError, match="several are called"):
        memory.correct(lea.id, same_as="Ulm")
    with pytest.raises(RecollectError, match='nothing is called "Nobody"'):
        memory.correct(lea.id, same_as="Nobody")


@pytest.mark.parametrize("length", [8, 12])
def test_a_part_of_an_id_names_what_was_withdrawn_lately(memory: Memory, length: int) -> None:
    (fact,) = memory.remember(facts=[LEA]).facts
    short = fact.id.rpartition("-")[2][:length]
    memory.forget(id=short)
    assert memory.why(short).memory.id == fact.id
    back = memory.undo(short)
    assert lines(memory, "Lea Roth") == ["Lea Roth lives in Ulm"]
    assert back.undo == f"forget {back.memory.id}"
    with pytest.raises(RecollectError, match="no living memory") as refused:
        memory.forget(id=short, effect="end")
    assert refused.value.hint == f"use {back.memory.id}: what it said stands there now"


def test_a_part_of_an_id_names_a_message_that_was_withdrawn(memory: Memory) -> None:
    (said,) = memory.remember(messages=[{"content": "The roof leaks"}]).episodes
    memory.forget(id=said[:10])
    memory.undo(said[:10])
    assert [one.id for one in memory.list("episode").memories] == [said]


def test_what_is_called_by_its_name_where_an_id_is_asked_is_told_its_id() -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{"subject": "Tobs", "predicate": "likes", "object": "tea"}])
        (tobs,) = memory.list("concept", about="Tobs").memories[:1]
        with pytest.raises(RecollectError, match="has this id: Tobs") as caught:
            memory.correct("Tobs", same_as="Tobren")
        assert caught.value.hint == f"use {tobs.id}, the id of Tobs"
        with pytest.raises(RecollectError, match="Tobs is that already"):
            memory.correct(tobs.id, same_as="Tobs")


@pytest.mark.parametrize(
    ("told", "near"),
    [("work_at", "works_at"), ("lives at in", "lives_in"), ("maried_to", "married_to")],
)
def test_a_new_predicate_that_is_nearly_a_known_one_is_told_of(
    memory: Memory, told: str, near: str
) -> None:
    memory.remember(facts=[LEA])
    (notice,) = memory.remember(facts=[{**LEA, "predicate": told, "object": "Bonn"}] * 2).warnings
    assert (notice.code, notice.known) == ("new_predicate", (near,))
    assert f'nearly "{near}"' in notice.message
    gone = memory.forget(**json.loads(notice.hint.removeprefix("forget with ")))
    assert (gone.memories[0].predicate, gone.effect) == (told.replace(" ", "_"), "withdraw")
    again = memory.remember(facts=[{**LEA, "predicate": told, "object": "Bonn"}])
    assert again.warnings == ()  # it is new no more


def test_a_predicate_of_its_own_is_no_slip(memory: Memory) -> None:
    own = ["works_at", "Works_At", "works_on", "lives_with", "likes", "saw_1", "saw_2", "isnt_age"]
    for one in own:
        assert memory.remember(facts=[{**LEA, "predicate": one}]).warnings == ()
    (notice,) = memory.remember(facts=[{**LEA, "predicate": "liks"}]).warnings
    assert notice.known == ("likes",)


def test_of_predicates_that_are_near_the_one_most_used_is_named(memory: Memory) -> None:
    likes = [{**LEA, "predicate": "likes", "object": one} for one in ("figs", "tea")]
    memory.remember(facts=likes)
    for slip in ("likse", "lieks", "liks"):
        (notice,) = memory.remember(facts=[{**LEA, "predicate": slip}]).warnings
        assert (notice.code, notice.known) == ("new_predicate", ("likes",)), slip


@pytest.mark.parametrize("predicate", ["same_as", "nickname", "also known as", "Nickname"])
def test_a_fact_that_two_names_are_of_one_says_how_to_join_them(
    memory: Memory, predicate: str
) -> None:
    fact = {"subject": "Kat", "predicate": predicate, "object": "Katrin Vogel"}
    (notice,) = memory.remember(facts=[LEA, fact]).warnings
    assert notice.code == "two_names"
    assert "Kat" in notice.message
    joined = memory.correct(**json.loads(notice.hint.removeprefix("correct with ")))
    assert joined.memory.name == ("Katrin Vogel" if predicate == "same_as" else "Kat")
    memory.remember(facts=[{"subject": "Kat", "predicate": "likes", "object": "jam"}])
    (name,) = {one.subject for one in memory.list("fact", about="Katrin Vogel").memories}
    assert name == joined.memory.name
    assert memory.remember(facts=[fact]).warnings == ()  # they are one already


@pytest.mark.parametrize("predicate", ["same_as", "Same_As"])
def test_of_two_that_are_the_same_the_other_name_stays(memory: Memory, predicate: str) -> None:
    fact = {"subject": "Kat", "predicate": predicate, "object": "Katrin Vogel"}
    (notice,) = memory.remember(facts=[fact]).warnings
    joined = memory.correct(**json.loads(notice.hint.removeprefix("correct with ")))
    assert joined.memory.name == "Katrin Vogel"


@pytest.mark.parametrize("other", [3, "2020-01-01"])
def test_a_number_or_a_day_is_no_other_name(memory: Memory, other: int | str) -> None:
    fact = {"subject": "Lea", "predicate": "alias", "object": other}
    assert memory.remember(facts=[fact]).warnings == ()


def test_who_is_told_in_full_may_be_one_who_was_told_by_the_first_name(memory: Memory) -> None:
    likes = {"predicate": "likes", "object": "tea"}
    leo = memory.remember(facts=[{"subject": "Leo", **likes, "object": "jam"}])
    memory.remember(facts=[{**likes, "subject": "Ada", "object": "Siemens"}])
    (notice,) = memory.remember(facts=[{"subject": "Leo Blum", **likes}]).warnings
    assert notice.code == "first_name" and '"Leo" may be "Leo Blum"' in notice.message
    told = memory.remember(facts=[{"subject": "Leo Blum", **likes, "object": "figs"}])
    assert told.warnings == ()  # nobody new
    other = memory.remember(facts=[{"subject": "Siemens Energy", **likes}])
    assert other.warnings == ()  # what nothing is told of is no person
    memory.correct(**json.loads(notice.hint.removeprefix("correct with ")))
    assert "Leo Blum likes figs" in lines(memory, "Leo")
    assert leo.facts[0].text in lines(memory, "Leo Blum")
