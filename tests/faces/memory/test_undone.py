"""What undo takes back where nobody dated a fact, an end was taken away, or one call told twice."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

import recollect
from recollect import Memory, RecollectError


def test_undo_of_two_that_nobody_dated_leaves_the_older_whichever_is_named() -> None:
    for place in (0, 1):
        with recollect.memory(":memory:", actor="bot") as memory:
            ann = {"subject": "Ann", "predicate": "lives_in"}
            ids = [
                memory.remember(facts=[{**ann, "object": town}]).facts[0].id
                for town in ("Oslo", "Bergen")
            ]
            memory.undo(ids[place])
            assert [one.text for one in memory.list(kind="fact").memories] == ["Ann lives in Oslo"]


@pytest.mark.parametrize("begins", [{}, {"valid_at": "2018"}])
def test_what_never_ends_again_can_be_ended_and_that_be_undone(begins: dict[str, str]) -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        works = {"subject": "Ann", "predicate": "works_at", "object": "Bosch", **begins}
        (fact,) = memory.remember(facts=[works]).facts
        memory.forget(id=fact.id, effect="end", at="2021")
        before = memory.correct(fact.id, invalid_at="never").memory
        assert before.invalid_at is None
        memory.forget(id=before.id, effect="end", at="2022")
        assert memory.undo(before.id).memory.text == before.text
        assert [one.invalid_at for one in memory.list(kind="fact").memories] == [None]


def test_what_one_call_told_twice_can_be_undone() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        bosch = {"subject": "Ann", "predicate": "works_at", "object": "Bosch"}
        twice = [{**bosch, "valid_at": year} for year in ("2021", "2019")]
        memory.remember(facts=[{**bosch, "object": "Siemens", "valid_at": "2018"}])
        fact = memory.remember(facts=twice).facts[-1]
        memory.undo(fact.id)
        (memory_left,) = memory.list(kind="fact").memories
        assert (memory_left.object, memory_left.invalid_at) == ("Siemens", None)


def test_what_has_ended_is_not_ended_anew_without_a_time() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        bosch = {"subject": "Ann", "predicate": "works_at", "object": "Bosch"}
        (fact,) = memory.remember(facts=[{**bosch, "valid_at": "2018", "invalid_at": "2020"}]).facts
        with pytest.raises(RecollectError, match="has ended already") as caught:
            memory.forget(id=fact.id, effect="end")
        assert fact.id in caught.value.hint
        (ended,) = memory.forget(id=fact.id, effect="end", at="2019").memories
        assert ended.when == "2018 to 2019-01-01"


def job(at: str, since: str | None = None, until: str | None = None) -> dict[str, str | None]:
    said = {"subject": "Ann", "predicate": "works_at", "object": at}
    return {**said, "valid_at": since, "invalid_at": until}


@pytest.mark.parametrize("place", [0, 1])
def test_what_one_call_did_to_several_is_taken_back_whole_by_either(place: int) -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[job("Bosch", "2018")])
        memory.remember(facts=[job("Siemens", "2021")])
        before = believed(memory)
        told = memory.remember(facts=[job("Siemens", "2018"), job("BMW", "2022", "2023")])
        assert [one.code for one in told.warnings] == ["begins_anew"]
        after = believed(memory)
        undone = memory.undo(told.facts[place].id)
        assert believed(memory) == before
        others = {"Bosch", "Siemens", "BMW"} - {undone.memory.object, undone.before.object}
        assert {one.code for one in undone.warnings} == {"taken_back_too"}
        assert all(any(one in each.message for each in undone.warnings) for one in others)
        again = undone.undo if undone.undo.startswith("undo ") else f"undo {told.facts[0].id}"
        memory.undo(again.removeprefix("undo "))
        assert believed(memory) == after


def test_what_is_told_to_have_begun_before_another_had_its_turn_is_a_turn_of_its_own() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[job("Bosch", "2017"), job("BMW", "2019")])
        memory.remember(facts=[job("BMW", "2015")])
        assert believed(memory) == [
            "Ann works at BMW (2015 to 2017-01-01)",
            "Ann works at BMW (since 2019)",
            "Ann works at Bosch (2017 to 2019-01-01)",
        ]


def test_what_nobody_dated_begins_where_what_is_over_ended_in_whatever_order_they_are_told() -> (
    None
):
    told = [job("Bosch", "2015", "2019"), job("BMW"), job("Audi", "2020", "2021")]
    for facts in (told, [told[1], told[0], told[2]], [told[2], told[0], told[1]]):
        with recollect.memory(":memory:", actor="bot") as memory:
            for fact in facts:
                memory.remember(facts=[fact])
            (now,) = memory.list(kind="fact").memories
            assert (now.object, now.when) == ("BMW", "since 2021-01-01"), facts
            assert len(believed(memory)) == 3


WORKS = st.tuples(
    st.sampled_from("ABCD"),
    st.none() | st.integers(2010, 2020),
    st.none() | st.integers(1, 5),
)
CALLS = st.lists(st.lists(WORKS, min_size=1, max_size=3), min_size=2, max_size=4)


@given(CALLS, st.integers(0, 2))
def test_the_last_call_is_taken_back_whole_and_nobody_works_at_two_places_at_a_time(
    calls: list[list[tuple[str, int | None, int | None]]], place: int
) -> None:
    """But where nobody dated one of them: of those it is known only that they held when told."""
    with recollect.memory(":memory:", actor="bot") as memory:
        states = [believed(memory)]
        for call in calls:
            told = memory.remember(facts=[job(*_years(one)) for one in call])
            states.append(believed(memory))
            assert len(memory.list(kind="fact").memories) < 2
            assert not _meeting(memory) or any(
                since is None for each in calls for _, since, _ in each
            )
        changed = [one.id for one in told.facts if _changed_in(memory, one.id) == told.transaction]
        if set(states[-2]) <= set(states[-1]) or not changed:
            return  # nothing but told: that is taken back by forget
        memory.undo(changed[place % len(changed)])
        assert believed(memory) == states[-2]


def _years(one: tuple[str, int | None, int | None]) -> tuple[str, str | None, str | None]:
    at, since, years = one
    until = None if since is None or years is None else str(since + years)
    return at, None if since is None else str(since), until


def _changed_in(memory: Memory, id: str) -> int:
    return memory.nexus.history(id)[-1].versions[-1].since.number


def _meeting(memory: Memory) -> bool:
    """Whether two of what is believed were true at a time."""
    found = memory.list("fact", past=True, limit=200).memories
    stays = sorted(
        (one.valid_at or "", one.invalid_at or "9999")
        for one in found
        if one.expired_at is None and one.valid_at != one.invalid_at
    )
    return any(until > since for (_, until), (since, _) in pairwise(stays))


def believed(memory: Memory) -> list[str]:
    """Return what is believed, of any time, in order."""
    found = memory.list("fact", past=True, limit=200).memories
    return sorted(str(one) for one in found if one.expired_at is None)


def test_of_one_call_only_what_is_of_the_same_subject_and_predicate_goes_back() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        bob = {"subject": "Bob", "predicate": "works_at", "object": "Bosch"}
        memory.remember(facts=[job("Bosch", "2010"), {**bob, "valid_at": "2010"}])
        told = memory.remember(facts=[job("Bosch", "2005"), {**bob, "valid_at": "2005"}])
        memory.undo(told.facts[0].id)
        assert believed(memory) == [
            "Ann works at Bosch (since 2010)",
            "Bob works at Bosch (since 2005)",
        ]


def test_what_would_stand_beside_what_was_told_since_is_not_taken_back() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        first = memory.remember(facts=[job("Bosch", "2010")]).facts[0]
        told = memory.remember(facts=[job("BMW", "2015"), job("Siemens", "2012", "2013")])
        memory.correct(told.facts[1].id, invalid_at="2014")
        before = believed(memory)
        for id in (first.id, told.facts[0].id):
            with pytest.raises(RecollectError, match="would stand beside") as caught:
                memory.undo(id)
            assert caught.value.hint == f"undo {told.facts[1].id}"
        assert believed(memory) == before


@pytest.mark.parametrize(
    "calls",
    [
        [[job("Bosch")], [job("BMW", "2016"), job("Bosch", "2019")]],
        [[job("Bosch", "2010")], [job("Bosch"), job("BMW", "2018")]],
        [[job("BMW", "2013", "2014")], [job("VW")], [job("VW", "2011"), job("BMW"), job("Ulm")]],
    ],
)
def test_a_turn_of_the_same_object_is_not_lost_by_undo_and_redo(
    calls: list[list[dict[str, str | None]]],
) -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        states = [believed(memory)]
        for call in calls:
            told = memory.remember(facts=call)
            states.append(believed(memory))
        undone = memory.undo(told.facts[0].id)
        assert believed(memory) == states[-2]
        memory.undo(undone.undo.removeprefix("undo "))
        assert believed(memory) == states[-1]


def test_a_guess_that_was_told_anew_in_other_words_moves_the_end_of_the_one_before() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[job("Bosch", "2010")])
        guess = memory.remember(facts=[job("BMW")]).facts[0]
        memory.correct(guess.id, text="Ann is with BMW")
        memory.remember(facts=[job("BMW", "2998")])
        assert believed(memory) == [
            "Ann is with BMW (from 2998)",
            "Ann works at Bosch (2010 to 2998-01-01)",
        ]


def test_what_holds_now_stays_where_a_turn_before_anothers_is_told() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        for told in (job("Bosch", "2015"), job("BMW"), job("BMW", "2012")):
            memory.remember(facts=[told])
        (now,) = memory.list(kind="fact").memories
        assert now.object == "BMW"
        assert "Ann works at BMW (2012 to 2015-01-01)" in believed(memory)


def test_what_lives_again_stands_beside_what_says_the_same() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        told = memory.remember(facts=[job("Bosch", "2011", "2014"), job("Bosch")])
        before = believed(memory)
        memory.forget(id=told.facts[0].id)
        memory.undo(told.facts[0].id)
        assert believed(memory) == before and len(before) == 2


def test_a_guess_begins_no_later_than_the_end_that_is_put_right() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[job("Bosch", "2020")])
        guess = memory.remember(facts=[job("BMW")]).facts[0]
        right = memory.correct(guess.id, object="VW", invalid_at="2021").memory
        assert right.invalid_at is not None and (right.valid_at or "") < right.invalid_at


def test_a_thing_that_lives_again_is_not_brought_back_once_more() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        likes = {"subject": "Tom", "predicate": "likes", "object": "jam"}
        memory.remember(facts=[likes])
        (tom,) = [one for one in memory.list("concept").memories if one.name == "Tom"]
        memory.forget(id=tom.id)
        back = memory.undo(tom.id).memory
        held = [one.id for one in memory.list(past=True).memories]
        with pytest.raises(RecollectError, match=f"goes on as {back.id}") as refused:
            memory.undo(tom.id)
        assert refused.value.hint == f"forget {back.id}"
        assert [one.id for one in memory.list(past=True).memories] == held
        memory.forget(id=back.id)
        assert memory.undo(back.id).memory.name == "Tom"


PET = {"subject": "Uwe", "predicate": "has_pet", "object": "Rex"}
SINCE = {"valid_at": "2022"}


@pytest.mark.parametrize(
    ("forgotten", "told", "named"),
    [
        ("Uwe has pet Rex", {**PET, **SINCE}, "Uwe has pet Rex (since 2022)"),
        ("Rex", {**PET, **SINCE}, "Rex"),
        ("Rex", {**PET, "subject": "Ada"}, "Rex"),
        ("BMW", job("BMW", "2022"), "BMW"),
        ("BMW", job("Siemens", "2022"), "Ann works at Siemens (since 2022)"),
        ("Ann works at BMW", job("Siemens", "2022"), "Ann works at Siemens (since 2022)"),
    ],
)
def test_what_was_forgotten_does_not_come_back_over_what_was_told_since(
    forgotten: str, told: dict[str, str | None], named: str
) -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[PET, job("BMW")])
        (gone,) = [one for one in memory.list().memories if one.text == forgotten] or [
            one for one in memory.list("concept").memories if one.name == forgotten
        ]
        memory.forget(id=gone.id)
        memory.remember(facts=[told])
        before = memory.list(past=True, limit=200).memories
        with pytest.raises(RecollectError, match=r"told since|goes on as") as refused:
            memory.undo(gone.id)
        assert memory.list(past=True, limit=200).memories == before
        by_id = {one.id: str(one) for one in (*before, *memory.list("concept").memories)}
        newer = refused.value.hint.removeprefix("forget ")
        assert by_id[newer] == named
        memory.forget(id=newer)
        assert memory.undo(gone.id).memory.text == forgotten


def test_undo_by_the_id_of_what_was_corrected_tells_nothing_of_the_correction_and_why_of_it() -> (
    None
):
    with recollect.memory(":memory:", actor="bot") as memory:
        old = memory.remember(facts=[PET]).facts[0].id
        new = memory.correct(old, object="Rox").memory.id
        assert memory.why(old).memory.superseded_by == new
        undone = memory.undo(old)
        assert undone.warnings == ()
        assert memory.why(old).memory.superseded_by == undone.memory.id
