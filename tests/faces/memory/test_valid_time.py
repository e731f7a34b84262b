"""Whatever is told, ended, corrected and taken back, what holds on a day is what a small model says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

import recollect
from recollect import Memory, RecollectError
from recollect.faces.memory import Effect, MemoryRecord
from recollect.model import instant_text

CITIES = ("Bergen", "Graz", "Lisbon", "Kobe")
YEARS = range(2001, 2030)

NOW = 2100  # of what begins or ends as it is told
YEARS_AND_NOW = (*YEARS, NOW)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.sampled_from(CITIES)),
        st.tuples(st.just("tell undated"), st.sampled_from(CITIES)),
        st.tuples(st.just("end"), st.none()),
        st.tuples(st.just("correct"), st.sampled_from(CITIES)),
        st.tuples(st.just("undo"), st.none()),
    ),
    max_size=8,
)


@dataclass(frozen=True)
class Home:
    """Where somebody lives, and of which years that is true; `until` is the first of no longer.

    It `is_guessed` where nobody told since when: from where the last before ended.
    """

    city: str
    since: int
    until: int | None = None
    is_guessed: bool = False

    def ended(self, year: int) -> tuple[Home, ...]:
        """Return it as it is where the next begins: what has no time then was never true."""
        return () if year <= self.since else (replace(self, until=year),)


def told(homes: tuple[Home, ...], city: str, year: int) -> tuple[Home, ...]:
    """Return the homes once somebody is told to live in a city since a year, the latest told."""
    *past, last = homes or (Home("", 0, 0),)
    if last.until is None and not last.is_guessed:
        return (*past, *last.ended(year), Home(city, year))
    if last.until is None:  # a guess gives way, and with it where the one before it ended
        before = [each for one in past for each in (one.ended(min(one.until or NOW, year)))]
        guess = () if last.city == city else last.ended(year)
        return (*before, *guess, Home(city, year))
    return (*homes, Home(city, year))


def told_undated(homes: tuple[Home, ...], city: str) -> tuple[Home, ...]:
    """Return the homes once somebody is told to live in a city, now, and not since when."""
    over = [one.until or NOW for one in homes if one.city != city]
    ended = tuple(replace(one, until=one.until or NOW) for one in homes)
    left = [one for one in ended if one.city != city or (one.until or NOW) <= max(over)]
    return (*left, Home(city, max(over), is_guessed=True))


def held(homes: tuple[Home, ...]) -> dict[int, str]:
    """Return the city of each year."""
    return {
        year: one.city
        for one in homes
        for year in YEARS_AND_NOW
        if one.since <= year and (one.until is None or year < one.until)
    }


def held_by(memory: Memory) -> dict[int, str]:
    """Return the same as the memory has it; no year has two."""
    found: dict[int, str] = {}
    for one in memory.list("fact", past=True).memories:
        if one.expired_at is None and one.predicate == "lives_in":
            assert one.valid_at is not None
            since, until = (
                9999 if at is None else NOW if int(at[:4]) > YEARS.stop - 5 else int(at[:4])
                for at in (one.valid_at, one.invalid_at)
            )
            for year in (each for each in YEARS_AND_NOW if since <= each < until):
                assert year not in found
                found[year] = str(one.object)
    return found


@given(STEPS)
def test_what_holds_in_a_year_is_what_a_model_of_valid_time_says(
    steps: list[tuple[str, str | None]],
) -> None:
    homes: tuple[Home, ...] = ()
    before: tuple[Home, ...] | None = None  # what taking back the last step leads to
    last = ""  # the id of the fact that it changed
    with recollect.memory(":memory:", actor="agent") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{"subject": "Ann", "predicate": "lives_in", "object": "Decoy"}])
        for year, (step, city) in enumerate(steps, 2002):
            open_home = homes[-1] if homes and homes[-1].until is None else None
            is_guessed = open_home is not None and open_home.is_guessed
            is_there = open_home is not None and open_home.city == city
            fact = {"subject": "Ann", "predicate": "lives_in", "object": city}
            if step == "tell" and (is_guessed or not is_there):
                assert city is not None
                done = memory.remember(facts=[{**fact, "valid_at": str(year)}])
                before = homes if open_home is not None else None
                homes, last = told(homes, city, year), done.facts[0].id
            elif step == "tell undated" and not is_there and any(one.city != city for one in homes):
                assert city is not None
                last = memory.remember(facts=[fact]).facts[0].id
                before = homes if open_home is not None else None
                homes = told_undated(homes, city)
            elif step == "end" and open_home is not None and not is_guessed:
                memory.forget(id=last, effect="end", at=str(year))
                before, homes = homes, (*homes[:-1], replace(open_home, until=year))
            elif step == "correct" and open_home is not None and open_home.city != city:
                assert city is not None
                last = memory.correct(last, object=city).memory.id
                before, homes = homes, (*homes[:-1], replace(open_home, city=city))
            elif step == "undo" and before is not None:
                last = memory.undo(last).memory.id
                homes, before = before, None
            assert held_by(memory) == held(homes)


SINCES = st.lists(st.integers(2003, 2009), max_size=6, unique=True)


@given(
    SINCES,
    st.integers(0, 6),
    st.sampled_from((*CITIES, "Turin", "Cork")),
    st.permutations(range(7)),
)
def test_facts_that_are_told_together_hold_alike_in_whatever_order_they_are_told(
    sinces: list[int], count: int, undated: str, order: list[int]
) -> None:
    """Those with a beginning and one without, after others; of two without, the last stands."""
    dated = [*zip((*CITIES, "Turin", "Malmö"), sinces, strict=False)]
    together: list[tuple[str, int | None]] = [*dated[count:], (undated, None)]
    found = []
    for places in (range(7), order):
        with recollect.memory(":memory:") as memory:
            for one in dated[:count]:
                memory.remember(facts=[moved_to(*one)])
            told = [together[at] for at in places if at < len(together)]
            memory.remember(facts=[moved_to(*one) for one in told])
            held = [f"{one} {one.invalid_at}"[:60] for one in facts_of(memory)]
            found.append(sorted(re.sub(r"20[23]\d-.*", "now", one) for one in held))
    assert found[0] == found[1]


def test_a_fact_that_is_told_again_beside_the_one_that_takes_its_place_is_closed() -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[moved_to("Graz", 2003)])
        told = memory.remember(facts=[moved_to("Graz", 2004), moved_to("Kobe", 2003)])
        assert held_from(memory) == {"Kobe": ("2003-01-01", "")}
        assert [one.standing.partition(" ")[0] for one in told.facts] == ["corrected", ""]


def test_what_is_replaced_ends_where_its_successor_is_told_again_to_have_begun() -> None:
    likes = {"subject": "Ida", "predicate": "likes"}
    with recollect.memory(":memory:") as memory:
        (tea,) = memory.remember(facts=[{**likes, "object": "tea", "valid_at": "2015"}]).facts
        memory.remember(facts=[{**likes, "object": "figs", "valid_at": "2020"}])
        as_told = held_from(memory)
        again = {**likes, "object": "figs", "valid_at": "2018", "replaces": tea.id}
        told = memory.remember(facts=[again])
        after = {"tea": ("2015-01-01", "2018-01-01"), "figs": ("2018-01-01", "")}
        assert held_from(memory) == after
        assert [one.until for one in told.ended] == ["2018-01-01T00:00:00.000Z"]
        undone = memory.undo(told.facts[0].id).memory
        assert held_from(memory) == as_told
        memory.undo(undone.id)
        assert held_from(memory) == after


def moved_to(city: str, since: int | None) -> dict[str, Any]:
    said = {"subject": "Ann", "predicate": "lives_in", "object": city}
    return said | ({} if since is None else {"valid_at": str(since)})


def test_what_is_told_without_a_beginning_begins_where_the_last_that_was_told_ended() -> None:
    """Until it is told since when, or that it was over before, or of another that holds."""
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{**moved_to("Graz", 2003), "invalid_at": "2006"}])
        bergen = memory.remember(facts=[moved_to("Bergen", None)])
        assert (held_from(memory), bergen.warnings) == (
            {"Graz": ("2003-01-01", "2006-01-01"), "Bergen": ("2006-01-01", "")},
            (),
        )
        assert memory.remember(facts=[moved_to("Bergen", None)]).transaction is None
        memory.remember(facts=[moved_to("Kobe", 2008)])
        assert held_from(memory)["Bergen"] == ("2006-01-01", "2008-01-01")
        memory.remember(facts=[moved_to("Lisbon", None)])
        today = memory.nexus.now()
        now = held_from(memory)
        assert now["Kobe"][1] == now["Lisbon"][0] == instant_text(today)[:10]
        over = memory.remember(facts=[{**moved_to("Lisbon", None), "invalid_at": "2025"}])
        assert over.facts[0].id == memory.list("fact", about="Lisbon", past=True).memories[0].id
        assert held_from(memory)["Lisbon"] == ("", "2025-01-01")
        memory.undo(over.facts[0].id)
        assert held_from(memory) == now
        memory.remember(facts=[moved_to("Lisbon", 2010)])
        assert held_from(memory)["Kobe"] == ("2008-01-01", "2010-01-01")
        memory.undo(over.facts[0].id)
        assert held_from(memory) == now


WHEN = st.none() | st.sampled_from(("2003", "2006", "2010"))
WHICH = st.integers(0, 9)
DONE = st.one_of(
    st.tuples(
        st.just("tell"),
        st.sampled_from(("lives_in", "likes")),
        st.sampled_from(CITIES),
        WHEN,
        WHEN,
        st.booleans(),  # whether it replaces another
    ),
    st.tuples(st.just("end"), WHICH, WHEN),
    st.tuples(st.just("withdraw"), WHICH),
    st.tuples(st.just("correct"), WHICH, st.sampled_from(CITIES)),
    st.tuples(st.just("date"), WHICH, st.sampled_from(("valid_at", "invalid_at"))),
)


def facts_of(memory: Memory) -> list[MemoryRecord]:
    """Return the facts that nobody corrected or withdrew, oldest first."""
    found = memory.list("fact", past=True, limit=200).memories
    return [one for one in reversed(found) if one.expired_at is None]


def said_by(memory: Memory) -> list[str]:
    return sorted(f"{one.text} {one.valid_at} {one.invalid_at}" for one in facts_of(memory))


def do(memory: Memory, step: tuple[Any, ...], facts: list[MemoryRecord]) -> str:
    """Do one thing to a memory, and return the id by which it is taken back."""
    word, *given = step
    if word == "tell":
        predicate, city, since, until, is_other = given
        fact = {"subject": "Ann", "predicate": predicate, "object": city}
        fact |= {"valid_at": since, "invalid_at": until}
        replaced = facts[-1].id if is_other and facts else None
        done = memory.remember(facts=[{**fact, "replaces": replaced}])
        return done.facts[0].id
    which, *given = given
    id = facts[which % len(facts)].id
    if word in ("end", "withdraw"):
        return memory.forget(id=id, effect=word, at=given[0] if given else None).memories[0].id
    said = {"object": given[0]} if word == "correct" else {given[0]: "2005"}
    return memory.correct(id, **said).memory.id


@given(st.lists(DONE, max_size=6))
def test_whatever_was_done_last_is_taken_back_whole_and_done_again(
    steps: list[tuple[Any, ...]],
) -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        for step in steps:
            facts, before = facts_of(memory), said_by(memory)
            if step[0] != "tell" and not facts:
                continue
            try:
                id = do(memory, step, facts)
            except RecollectError:  # such as an end before the beginning
                assert said_by(memory) == before
                continue
            after = said_by(memory)
            if set(before) <= set(after):
                continue  # nothing but told: that is taken back by forget
            undone = memory.undo(id)
            assert said_by(memory) == before
            verb, _, again = undone.undo.partition(" ")
            if verb == "undo":
                memory.undo(again)
                assert said_by(memory) == after


@given(st.lists(st.one_of(DONE, st.tuples(st.just("undo"), WHICH)), max_size=9))
def test_nobody_lives_in_two_places_at_a_time_whatever_is_taken_back_by_whatever_id(
    steps: list[tuple[Any, ...]],
) -> None:
    """And what can be taken back no more says by which id something can be, or that nothing can."""
    with recollect.memory(":memory:", actor="agent") as memory:
        ids = list[str]()
        for step in steps:
            facts, before = facts_of(memory), said_by(memory)
            try:
                if step[0] == "undo" and ids:
                    ids.append(memory.undo(ids[step[1] % len(ids)]).memory.id)
                elif step[0] == "tell" or (facts and step[0] != "undo"):
                    ids.append(do(memory, step, facts))
            except RecollectError as error:
                assert said_by(memory) == before
                verb, _, id = error.hint.partition(" ")
                if step[0] == "undo" and verb == "undo":
                    memory.undo(id)
                elif step[0] == "undo":
                    assert verb in ("forget", "remember"), error
            now = [one.text for one in memory.list("fact").memories if one.predicate == "lives_in"]
            assert len(now) < 2


ROOM = {"subject": "The choir", "predicate": "rehearses_in"}


def lines(memory: Memory, **given: Any) -> list[str]:
    return [str(one) for one in memory.list("fact", **given).memories]


def test_what_also_holds_ends_where_the_newer_begins_as_the_answer_says() -> None:
    with recollect.memory(":memory:") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{**ROOM, "object": "the decoy", "valid_at": "2027-01"}])
        memory.remember(facts=[{**ROOM, "object": "the hall", "valid_at": "2025-06"}])
        told = memory.remember(facts=[{**ROOM, "object": "the gym", "valid_at": "2027-02"}])
        (hall,) = told.also_holds
        memory.forget(**json.loads(hall.hint.removeprefix("forget with ")))
        assert "The choir rehearses in the hall (2025-06 to 2027-02-01)" in lines(memory)
        older = memory.remember(facts=[{**ROOM, "object": "the yard", "valid_at": "2024"}])
        for one in older.also_holds[::-1]:  # the yard itself ends, where each of the others begins
            memory.forget(**json.loads(one.hint.removeprefix("forget with ")))
        assert "The choir rehearses in the yard (2024 to 2025-06-01)" in lines(memory, past=True)


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize("begins", ["2027-03", "2026-03"])
def test_what_ended_for_a_successor_ends_where_that_one_is_corrected_to_begin(
    begins: str, *, is_replaced: bool
) -> None:
    said = {"subject": "Ida", "predicate": "sings_with" if is_replaced else "lives_in"}
    with recollect.memory(":memory:") as memory:
        before = memory.remember(facts=[{**said, "object": "Ulm", "valid_at": "2020"}]).facts[0]
        ends = {"replaces": before.id} if is_replaced else {}
        told = {**said, "object": "Bonn", "valid_at": "2027-02", **ends}
        bonn = memory.correct(memory.remember(facts=[told]).facts[0].id, object="Köln").memory
        apart = {**said, "object": "Graz", "valid_at": "2010", "invalid_at": "2020"}
        memory.remember(facts=[apart])
        as_told = held_from(memory)
        moved = memory.correct(bonn.id, valid_at=begins)
        assert held_from(memory) == {
            "Graz": ("2010-01-01", "2020-01-01"),
            "Ulm": ("2020-01-01", f"{begins}-01"),
            "Köln": (f"{begins}-01", ""),
        }
        memory.undo(moved.memory.id)
        assert held_from(memory) == as_told


@pytest.mark.parametrize("effect", ["withdraw", "erase"])
@pytest.mark.parametrize("since", [None, "2020"])
def test_what_a_fact_ended_that_was_wrong_is_told_with_how_it_holds_on(
    since: str | None, effect: Effect
) -> None:
    lives = {"subject": "Ida", "predicate": "lives_in"}
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{**lives, "object": "Ulm", "valid_at": "2010"}])
        alone = held_from(memory)
        (bonn,) = memory.remember(facts=[{**lives, "object": "Bonn", "valid_at": since}]).facts
        bonn = memory.undo(memory.correct(bonn.id, object="Köln").memory.id).memory
        (shown,) = memory.forget(id=bonn.id, effect=effect, dry_run=True).warnings
        (told,) = memory.forget(id=bonn.id, effect=effect).warnings
        assert told.message == shown.message
        assert shown.hint == "" and told.message.startswith('"Ida lives in Ulm (2010 to ')
        memory.correct(**json.loads(told.hint.removeprefix("correct with ")))
        assert held_from(memory) == alone


def test_what_ended_for_one_that_was_wrong_holds_until_the_next_as_the_answer_says() -> None:
    lives = {"subject": "Ida", "predicate": "lives_in"}
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{**lives, "object": "Ulm", "valid_at": "2010"}])
        (bonn,) = memory.remember(facts=[{**lives, "object": "Bonn", "valid_at": "2015"}]).facts
        memory.remember(facts=[{**lives, "object": "Graz", "valid_at": "2020"}])
        (told,) = memory.forget(id=bonn.id).warnings
        memory.correct(**json.loads(told.hint.removeprefix("correct with ")))
        assert held_from(memory) == {
            "Ulm": ("2010-01-01", "2020-01-01"),
            "Graz": ("2020-01-01", ""),
        }
        assert memory.forget(id=memory.list("fact").memories[0].id, effect="end").warnings == ()


def test_what_ended_for_one_that_was_corrected_since_holds_on_as_the_answer_says() -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[moved_to("Ulm", 2010)])
        alone = held_from(memory)
        (bonn,) = memory.remember(facts=[moved_to("Bonn", 2020)]).facts
        bonn = memory.correct(bonn.id, valid_at="2018").memory
        (ulm,) = memory.list("fact", about="Ulm", past=True).memories[:1]
        ulm = memory.correct(ulm.id, object="Ulm an der Donau").memory  # which ends there still
        assert str(ulm) == "Ann lives in Ulm an der Donau (2010 to 2018-01-01)"
        (told,) = memory.forget(id=bonn.id).warnings
        opened = memory.correct(**json.loads(told.hint.removeprefix("correct with ")))
        assert held_from(memory) == {"Ulm an der Donau": alone["Ulm"]}
        memory.undo(opened.memory.id)
        assert held_from(memory) == {"Ulm an der Donau": ("2010-01-01", "2018-01-01")}


def test_with_a_concept_that_is_withdrawn_is_told_what_holds_on_for_it() -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[moved_to("Ulm", 2010)])
        memory.remember(facts=[moved_to("Bonn", 2020)])
        bonn = memory.list("concept", about="Bonn").memories[0]
        told = [one.message for one in memory.forget(id=bonn.id).warnings]
        assert told[1:] == [
            '"Ann lives in Ulm (2010 to 2020-01-01)" ends still where what is forgotten began'
        ]


def test_what_is_taken_back_of_one_that_ended_is_the_telling_that_ended_it() -> None:
    with recollect.memory(":memory:") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[moved_to("Decoy", 2010)])
        (ulm,) = memory.remember(facts=[moved_to("Ulm", 2010)]).facts
        memory.remember(facts=[moved_to("Bonn", 2020)])
        both = held_from(memory)
        undone = memory.undo(ulm.id)
        assert held_from(memory) == {"Ulm": ("2010-01-01", "")}
        memory.undo(undone.memory.id)
        assert held_from(memory) == both


def test_by_the_id_of_before_nothing_is_taken_back_and_the_one_that_can_be_is_named() -> None:
    likes = {"subject": "Ida", "predicate": "likes", "object": "tea"}
    with recollect.memory(":memory:") as memory:
        (tea,) = memory.remember(facts=[likes]).facts
        with pytest.raises(RecollectError, match="nothing was done") as caught:
            memory.undo(tea.id)
        assert caught.value.hint == f"forget {tea.id}"
        figs = memory.correct(tea.id, object="figs").memory
        again = memory.undo(memory.undo(figs.id).memory.id).memory
        for id in (tea.id, figs.id):
            with pytest.raises(RecollectError, match=f"this goes on as {again.id}") as caught:
                memory.undo(id)
            assert caught.value.hint == f"undo {again.id}"
        assert lines(memory) == ["Ida likes figs"]
        assert str(memory.undo(again.id).memory) == "Ida likes tea"


@pytest.mark.parametrize("since", [None, "2020"])
@pytest.mark.parametrize("before", [None, "2010"])
def test_what_is_told_again_in_the_place_of_another_is_taken_back(
    since: str | None, before: str | None
) -> None:
    likes = {"subject": "Ida", "predicate": "likes"}
    figs = {**likes, "object": "figs", "valid_at": since}
    with recollect.memory(":memory:") as memory:
        (tea,) = memory.remember(facts=[{**likes, "object": "tea", "valid_at": before}]).facts
        memory.remember(facts=[figs])
        as_told = held_from(memory)
        told = memory.remember(facts=[{**figs, "replaces": tea.id}, {**likes, "object": "jazz"}])
        after = held_from(memory)
        undone = memory.undo(told.facts[0].id)
        assert held_from(memory) == {**as_told, "jazz": ("", "")}  # which was told beside
        memory.undo(undone.undo.removeprefix("undo "))
        assert held_from(memory) == after != as_told


@pytest.mark.parametrize("begins", ["2018", "2019-04"])
def test_an_earlier_beginning_that_is_told_anew_is_put_right_and_that_is_undone(
    begins: str,
) -> None:
    works = {"subject": "Ida", "predicate": "works_at"}
    zeiss = {**works, "object": "Zeiss", "valid_at": "2020", "source": "a card", "confidence": 0.8}
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{**works, "object": "Bosch", "valid_at": "2015"}])
        (first,) = memory.remember(facts=[zeiss]).facts
        as_told = held_from(memory)
        again = {**works, "object": "Zeiss", "valid_at": begins}
        told = memory.remember(facts=[again, again])
        (now, same) = told.facts
        day = f"{begins}-01-01"[:10]
        assert now == same and (now.source, now.confidence) == ("a card", 0.8)
        assert held_from(memory) == {"Bosch": ("2015-01-01", day), "Zeiss": (day, "")}
        (notice,) = told.warnings
        assert (notice.code, notice.hint) == ("begins_anew", f"undo {now.id}")
        assert f'"{first.text}" was told before, to begin 2020' in notice.message
        assert begins in notice.message
        assert memory.remember(facts=[again]).warnings == ()
        memory.undo(now.id)
        assert held_from(memory) == as_told
        assert memory.remember(facts=[{**again, "valid_at": "2020-01"}]).warnings == ()


def test_a_later_beginning_that_is_told_anew_is_left_out_and_corrected_by_what_is_proposed() -> (
    None
):
    works = {"subject": "Ida", "predicate": "works_at"}
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[{**works, "object": "Bosch", "valid_at": "2015"}])
        zeiss = {**works, "object": "Zeiss", "valid_at": "2020"}
        (first,) = memory.remember(facts=[zeiss]).facts
        as_told = held_from(memory)
        told = memory.remember(facts=[{**zeiss, "valid_at": "2026-04-05", "source": "a card"}])
        assert held_from(memory) == as_told
        assert (told.facts[0].id, told.facts[0].source) == (first.id, "a card")
        (notice,) = told.warnings
        assert notice.code == "began_before" and "2026-04-05" in notice.message
        memory.correct(**json.loads(notice.hint.removeprefix("correct with ")))
        assert held_from(memory) == {
            "Bosch": ("2015-01-01", "2026-04-05"),
            "Zeiss": ("2026-04-05", ""),
        }


def test_an_end_that_was_told_stays_where_the_next_is_corrected_to_begin() -> None:
    said = {"subject": "Ida", "predicate": "lives_in"}
    with recollect.memory(":memory:") as memory:
        memory.remember(
            facts=[{**said, "object": "Ulm", "valid_at": "2020", "invalid_at": "2027-02"}]
        )
        told = memory.remember(facts=[{**said, "object": "Bonn", "valid_at": "2027-02"}])
        memory.correct(told.facts[0].id, valid_at="2027-03")
        assert held_from(memory)["Ulm"] == ("2020-01-01", "2027-02-01")


@pytest.mark.parametrize("is_known", [True, False])
def test_an_end_that_is_told_beside_the_next_stays_where_that_is_corrected_to_begin(
    *, is_known: bool
) -> None:
    with recollect.memory(":memory:") as memory:
        bonn = moved_to("Bonn", 2015)
        if is_known:
            memory.remember(facts=[bonn])
        ulm = {**moved_to("Ulm", 2010), "invalid_at": "2015"}
        told = memory.remember(facts=[{**bonn, "confidence": 0.9}, ulm])
        assert memory.forget(id=told.facts[0].id, dry_run=True).warnings == ()
        memory.correct(told.facts[0].id, valid_at="2016")
        assert held_from(memory) == {
            "Ulm": ("2010-01-01", "2015-01-01"),
            "Bonn": ("2016-01-01", ""),
        }


def test_a_beginning_that_is_told_of_what_had_none_ends_what_it_meets() -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[moved_to("Bonn", None)])
        memory.remember(facts=[{**moved_to("Ulm", 2012), "invalid_at": "2021"}])
        memory.remember(facts=[moved_to("Bonn", 2017)])
        assert held_from(memory) == {
            "Ulm": ("2012-01-01", "2017-01-01"),
            "Bonn": ("2017-01-01", ""),
        }


@pytest.mark.parametrize("is_corrected", [False, True])
def test_a_later_beginning_than_was_guessed_moves_the_fact_and_the_end_of_the_one_before(
    *, is_corrected: bool
) -> None:
    with recollect.memory(":memory:") as memory:
        memory.remember(facts=[moved_to("Ulm", 2015)])
        (bonn,) = memory.remember(facts=[moved_to("Bonn", None)]).facts
        as_told = held_from(memory)
        if is_corrected:
            id = memory.correct(bonn.id, valid_at="2998").memory.id
        else:
            told = memory.remember(facts=[moved_to("Bonn", 2998)])
            assert [str(one) for one in told.ended] == ["Ann lives in Ulm (until 2998-01-01)"]
            id = told.facts[0].id
        after = {"Ulm": ("2015-01-01", "2998-01-01"), "Bonn": ("2998-01-01", "")}
        assert held_from(memory) == after
        id = memory.undo(id).memory.id
        assert held_from(memory) == as_told
        memory.undo(id)
        assert held_from(memory) == after


def held_from(memory: Memory) -> dict[str, tuple[str, str]]:
    """Return from when to when what is believed was true, by what it says."""
    return {
        str(one.object): ((one.valid_at or "")[:10], (one.invalid_at or "")[:10])
        for one in memory.list("fact", past=True).memories
        if one.expired_at is None
    }
