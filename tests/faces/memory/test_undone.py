"""What undo takes back where nobody dated a fact, an end was taken away, or one call told twice."""

from __future__ import annotations

import pytest

import recollect
from recollect import RecollectError


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
