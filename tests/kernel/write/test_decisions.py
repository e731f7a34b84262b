"""Changes that are decided of what is there, inside the transaction that writes them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import recollect
from recollect.errors import CONFLICT, INVALID_ARGUMENT, RecollectError
from recollect.kernel import Nexus
from recollect.model import (
    BatchReport,
    Change,
    Concept,
    Decision,
    Instant,
    Key,
    Link,
    Present,
    PutConcept,
    PutLink,
)


@pytest.fixture
def nexus(tmp_path: Path) -> Iterator[Nexus]:
    """Two notes and a link with ids of their own; another group has the same and one more."""
    with recollect.open(tmp_path / "memory.db") as nexus:
        for group in (nexus, nexus.group("decoy")):
            group.write(
                [
                    PutConcept("Note", "a", {"count": 0}, id="a"),
                    PutConcept("Note", "b", {"count": 0}),
                    PutLink(Key("Note", "a"), "precedes", Key("Note", "b"), id="l"),
                ]
            )
        nexus.group("decoy").write([PutConcept("Note", "c", id="c")])
        yield nexus


def count(nexus: Nexus) -> object:
    return nexus.elements.look_up(["a"])["a"].element.attributes["count"]


def risen(present: Present) -> list[Change]:
    before = present.elements["a"].attributes["count"]
    assert isinstance(before, int)
    return [PutConcept("Note", "a", {"count": before + 1})]


def test_a_decision_sees_the_living_elements_it_asks_for(nexus: Nexus) -> None:
    seen: list[Present] = []

    def look(present: Present) -> list[Change]:
        seen.append(present)
        return []

    (joint,) = nexus.joints.at(["a"], predicates=["precedes"])
    b = joint.far
    assert b is not None
    answer = nexus.write(Decision(["a", b.id, "l", "c", "nobody", ""], look))
    (present,) = seen
    assert present.elements == {
        "a": Concept("a", "Note", "a", {"count": 0}, {}),
        b.id: b,
        "l": Link("l", "a", "precedes", b.id, {}, {}),
    }
    assert answer.transaction is None
    assert nexus.stats().transactions == 1


def test_what_is_closed_is_not_there(nexus: Nexus) -> None:
    nexus.write('DELETE CONCEPT {type: "Note", name: "a"} DETACH')

    def look(present: Present) -> list[Change]:
        assert present.elements == {}
        return [PutConcept("Note", "a", id="a")]

    assert nexus.write(Decision(["a", "l"], look)).results == (BatchReport(("a",), 1, 0, 0),)


def test_its_changes_have_the_instant_it_was_told(nexus: Nexus) -> None:
    told: list[Instant] = []

    def stamp(present: Present) -> list[Change]:
        told.append(present.at)
        return [PutConcept("Note", "a", {"at": present.at})]

    nexus.write(Decision([], stamp), actor="ann")
    (logged,) = nexus.changes(since=1)
    assert (logged.transaction.at, logged.transaction.actor) == (told[0], "ann")


def test_nobody_writes_between_the_look_and_the_write(nexus: Nexus) -> None:
    with ThreadPoolExecutor(8) as threads:
        for _ in range(40):
            threads.submit(nexus.write, Decision(["a"], risen))
    assert count(nexus) == 40


def test_what_it_raises_undoes_the_write(nexus: Nexus) -> None:
    def refuse(_: Present) -> list[Change]:
        raise RecollectError(CONFLICT, "it is so already")

    with pytest.raises(RecollectError, match="it is so already"):
        nexus.write(Decision(["a"], refuse))
    nexus.write(Decision(["a"], risen))
    assert count(nexus) == 1


def test_a_dry_run_of_it_keeps_nothing(nexus: Nexus) -> None:
    answer = nexus.write(Decision(["a"], risen), dry_run=True)
    assert answer.results == (BatchReport(("a",), 0, 1, 0),)
    assert count(nexus) == 0


def test_it_is_part_of_a_transaction_and_sees_what_that_wrote(nexus: Nexus) -> None:
    with nexus.transaction():
        nexus.write([PutConcept("Note", "a", {"count": 10})])
        nexus.write(Decision(["a"], risen))
    assert count(nexus) == 11


def test_what_is_no_change_is_refused(nexus: Nexus) -> None:
    def nonsense(_: Present) -> list[Change]:
        return ["UPSERT"]  # type: ignore[list-item]

    with pytest.raises(RecollectError) as caught:
        nexus.write(Decision([], nonsense))
    assert caught.value.code is INVALID_ARGUMENT


def test_changes_that_come_one_by_one_are_all_written(nexus: Nexus) -> None:
    def yielded(_: Present) -> list[Change]:
        return (PutConcept("Note", name) for name in "xy")  # type: ignore[return-value]

    (report,) = nexus.write(Decision([], yielded)).results
    assert isinstance(report, BatchReport)
    assert report.created == 2


@pytest.mark.parametrize("changes", [0, 5_000])
def test_the_collector_rests_while_a_decision_makes_many_changes(
    nexus: Nexus, changes: int
) -> None:
    collects: list[bool] = []

    def decide(_: Present) -> list[Change]:
        collects.append(gc.isenabled())
        return []

    nexus.write(Decision([], decide, changes))
    assert collects == [changes == 0]
    assert gc.isenabled()
