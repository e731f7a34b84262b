"""Concepts by the texts among their attributes: the newest, how many, the best for a text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import pytest

import recollect
from recollect.errors import NOT_FOUND, RecollectError
from recollect.kernel import Nexus
from recollect.kernel.search.scope import Where
from recollect.model import AsOf, PutConcept, Value

MANY = 2_100  # more than are gathered


def note(name: str, text: str, state: str, at: int, **more: str) -> PutConcept:
    return PutConcept("Note", name, {"text": text, "state": state, "at": at, **more}, id=name)


def newest(
    nexus: Nexus,
    type: str,
    by: str,
    where: Where | None = None,
    limit: int = 10,
    after: str | None = None,
    or_where: Sequence[Where] = (),
    among: Collection[str] | None = None,
) -> tuple[str, ...]:
    found = nexus.concepts.newest(type, by, where, limit, after, or_where=or_where, among=among)
    return tuple(one.name for one in found)


@pytest.fixture(params=[True, False], ids=["indexed", "plain"])
def nexus(request: pytest.FixtureRequest) -> Iterator[Nexus]:
    """A group with three notes, beside one that has the same and more."""
    with recollect.open(":memory:") as nexus:
        for group in ("default", "decoy"):
            one = nexus.group(group)
            if request.param:
                for attribute in ("state", "at"):
                    one.add_index("Note", attribute)
            one.write(
                [
                    note("a", "apples and pears", "open", 1),
                    note("b", "apples", "done", 3),
                    note("c", "pears", "open", 2),
                ]
            )
        nexus.group("decoy").write([note("d", "apples", "open", 4)])
        yield nexus


def test_the_newest_come_first(nexus: Nexus) -> None:
    assert newest(nexus, "Note", "at") == ("b", "c", "a")
    assert newest(nexus, "Note", "at", {"state": ["open"]}) == ("c", "a")
    assert newest(nexus, "Note", "at", {"state": ["open", "done"]}, 2) == ("b", "c")
    assert newest(nexus, "Note", "at", after="c") == ("a",)
    assert newest(nexus, "Note", "missing") == ()
    assert newest(nexus, "Nothing", "at") == ()


def test_they_are_whole(nexus: Nexus) -> None:
    (found,) = nexus.concepts.newest("Note", "at", limit=1)
    assert (found.id, found.type, found.name) == ("b", "Note", "b")
    assert found.attributes == {"text": "apples", "state": "done", "at": 3}


def test_they_may_fit_in_several_ways(nexus: Nexus) -> None:
    ways: list[Where] = [{"state": ["open"]}, {"text": ["apples"]}]
    assert newest(nexus, "Note", "at", ways[0], or_where=ways[1:]) == ("b", "c", "a")
    assert newest(nexus, "Note", "at", ways[0], 2, or_where=[ways[0]]) == ("c", "a")
    assert newest(nexus, "Note", "at", ways[0], 1, "b", or_where=ways[1:]) == ("c",)
    assert nexus.concepts.count("Note", ways[0], or_where=ways[1:]) == 3
    assert nexus.concepts.count("Note", ways[0], or_where=ways) == 3


def test_they_may_be_looked_for_among_some(nexus: Nexus) -> None:
    some = ["a", "c", "nobody"]
    assert newest(nexus, "Note", "at", among=some) == ("c", "a")
    assert newest(nexus, "Note", "at", {"text": ["pears"]}, among=some) == ("c",)
    assert newest(nexus, "Note", "at", limit=1, after="c", among=some) == ("a",)
    assert newest(nexus, "Note", "at", among=[]) == ()
    assert nexus.concepts.count("Note", among=some) == 2


def test_the_last_written_of_one_instant_come_first_on_every_page(nexus: Nexus) -> None:
    same = [note(f"s{at}", "plums", "same" if at % 2 else "other", 9) for at in range(7)]
    nexus.write(same)
    ways: list[Where] = [{"state": ["same"]}, {"state": ["other"]}]
    pages: list[str] = []
    while page := newest(
        nexus, "Note", "at", ways[0], 2, pages[-1] if pages else None, or_where=ways[1:]
    ):
        pages += page
    assert pages == [one.name for one in reversed(same)]


def test_numbers_are_in_order_by_number_before_texts(nexus: Nexus) -> None:
    ordered: list[Value] = ["é", "b", "Z", "10", "", 2**63 - 1, 1e9, 10, 9, 2.5, True, 0.5, -3]
    nexus.write(
        [
            PutConcept("Mark", str(place), {"at": value, "state": "open"}, id=str(place))
            for place, value in reversed([*enumerate([*ordered, None])])
        ]
    )
    expected = tuple(str(place) for place in range(len(ordered)))
    assert newest(nexus, "Mark", "at", limit=20) == expected
    assert newest(nexus, "Mark", "at", {"state": ["open"]}, 20) == expected
    assert newest(nexus, "Mark", "at", limit=20, among=expected) == expected
    for place, name in enumerate(expected, 1):
        assert newest(nexus, "Mark", "at", after=name, limit=20) == expected[place:]


@pytest.mark.parametrize("after", ["nobody", "the decoy's", "another type's", "a closed one's"])
def test_a_page_goes_on_after_what_is_there(nexus: Nexus, after: str) -> None:
    nexus.write([PutConcept("Tag", "t", {"at": 1}, id="another type's")])
    nexus.write([PutConcept("Note", "gone", {"at": 1}, id="a closed one's")])
    nexus.write('DELETE CONCEPT {type: "Note", name: "gone"} DETACH')
    nexus.group("decoy").write([PutConcept("Note", "theirs", {"at": 1}, id="the decoy's")])
    with pytest.raises(RecollectError) as caught:
        newest(nexus, "Note", "at", after=after)
    assert caught.value.code is NOT_FOUND


def test_they_are_counted(nexus: Nexus) -> None:
    assert nexus.concepts.count("Note") == 3
    assert nexus.concepts.count("Note", {"state": ["open"]}) == 2
    assert nexus.concepts.count("Note", {"state": ["open"], "text": ["pears"]}) == 1
    assert nexus.concepts.count("Nothing") == 0


def test_the_best_are_only_those_that_have_what_is_asked(nexus: Nexus) -> None:
    def best(text: str, **where: list[str]) -> list[str]:
        return [one.id for one in nexus.concepts.best(text, "Note", where)]

    assert best("apples") == ["b", "a"]
    assert best("apples", state=["open"]) == ["a"]
    assert best("apples", state=["open", "done"]) == ["b", "a"]
    assert best("apples", state=["closed"]) == []
    assert best("nothing") == []


def saying(nexus: Nexus, text: str, limit: int = 10, **where: list[str]) -> list[str]:
    return [one.name for one, _ in nexus.concepts.saying(text, "Note", where, limit)]


def test_what_says_words_equally_well_is_in_the_order_of_its_names(nexus: Nexus) -> None:
    names = ["e", "h", "g", "f"]
    nexus.write([note(one, "plums", "open", 0) for one in names])
    assert saying(nexus, "plums") == sorted(names)
    assert saying(nexus, "plums", 3) == ["e", "f", "g"]
    assert saying(nexus, "plums", state=["done"]) == []
    assert nexus.concepts.saying("plums", "Nothing") == []


def test_where_many_have_a_value_its_index_finds_the_same_as_their_contents(nexus: Nexus) -> None:
    many = [note(f"n{at:04}", "plums", ("open", "done")[at % 10 == 0], at) for at in range(5_000)]
    nexus.write(many)
    unindexed = saying(nexus, "plums", 40, state=["done", "open"])
    found = saying(nexus, "plums", 40, state=["done"])
    nexus.add_index("Note", "state")
    assert saying(nexus, "plums", 40, state=["done"]) == found
    assert found == [f"n{at:04}" for at in range(0, 400, 10)]
    assert saying(nexus, "plums", 40, state=["done", "open"]) == unindexed


def test_the_best_of_the_past_have_what_they_had_then(nexus: Nexus) -> None:
    before = AsOf(transaction=nexus.stats().transactions)
    nexus.write([note("a", "apples and pears", "done", 1)])
    (now,) = nexus.concepts.best("apples pears", "Note", {"state": ["open"]}, as_of=before)[:1]
    assert now.id == "a"
    assert [one.id for one in nexus.concepts.best("apples", "Note", {"state": ["open"]})] == []


def test_a_closed_concept_is_none_of_them(nexus: Nexus) -> None:
    nexus.write('DELETE CONCEPT {type: "Note", name: "b"} DETACH')
    assert newest(nexus, "Note", "at") == ("c", "a")
    assert nexus.concepts.count("Note") == 2
    assert [one.id for one in nexus.concepts.best("apples", "Note")] == ["a"]


def test_many_are_walked_and_few_are_gathered_alike(nexus: Nexus) -> None:
    nexus.write([note(f"n{at}", "apples", "many", 10 + at) for at in range(MANY)])
    assert newest(nexus, "Note", "at", {"state": ["many"]}, 2) == (
        f"n{MANY - 1}",
        f"n{MANY - 2}",
    )
    assert newest(nexus, "Note", "at", {"state": ["open"]}, 2) == ("c", "a")
    assert nexus.concepts.count("Note", {"state": ["many"]}) == MANY
    assert [one.id for one in nexus.concepts.best("apples", "Note", {"state": ["open"]})] == ["a"]
