"""Concepts by the texts among their attributes: the newest, how many, the best for a text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import NOT_FOUND, RecollectError
from recollect.kernel import Nexus
from recollect.model import AsOf, PutConcept

MANY = 2_100  # more than are gathered


def note(name: str, text: str, state: str, at: int, **more: str) -> PutConcept:
    return PutConcept("Note", name, {"text": text, "state": state, "at": at, **more}, id=name)


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
    assert nexus.concepts.newest("Note", "at") == ("b", "c", "a")
    assert nexus.concepts.newest("Note", "at", {"state": ["open"]}) == ("c", "a")
    assert nexus.concepts.newest("Note", "at", {"state": ["open", "done"]}, 2) == ("b", "c")
    assert nexus.concepts.newest("Note", "at", after="c") == ("a",)
    assert nexus.concepts.newest("Note", "missing") == ()
    assert nexus.concepts.newest("Nothing", "at") == ()


def test_a_page_goes_on_after_what_is_there(nexus: Nexus) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.concepts.newest("Note", "at", after="nobody")
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


def test_the_best_of_the_past_have_what_they_had_then(nexus: Nexus) -> None:
    before = AsOf(known=nexus.stats().transactions, known_is_transaction=True)
    nexus.write([note("a", "apples and pears", "done", 1)])
    (now,) = nexus.concepts.best("apples pears", "Note", {"state": ["open"]}, as_of=before)[:1]
    assert now.id == "a"
    assert [one.id for one in nexus.concepts.best("apples", "Note", {"state": ["open"]})] == []


def test_a_closed_concept_is_none_of_them(nexus: Nexus) -> None:
    nexus.write('DELETE CONCEPT {type: "Note", name: "b"} DETACH')
    assert nexus.concepts.newest("Note", "at") == ("c", "a")
    assert nexus.concepts.count("Note") == 2
    assert [one.id for one in nexus.concepts.best("apples", "Note")] == ["a"]


def test_many_are_walked_and_few_are_gathered_alike(nexus: Nexus) -> None:
    nexus.write([note(f"n{at}", "apples", "many", 10 + at) for at in range(MANY)])
    assert nexus.concepts.newest("Note", "at", {"state": ["many"]}, 2) == (
        f"n{MANY - 1}",
        f"n{MANY - 2}",
    )
    assert nexus.concepts.newest("Note", "at", {"state": ["open"]}, 2) == ("c", "a")
    assert nexus.concepts.count("Note", {"state": ["many"]}) == MANY
    assert [one.id for one in nexus.concepts.best("apples", "Note", {"state": ["open"]})] == ["a"]
