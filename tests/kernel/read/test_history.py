"""What an element was, step by step, and what each transaction did."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import AsOf, Nexus, RecollectError
from recollect.model import (
    Content,
    Delete,
    ElementKind,
    Instant,
    Key,
    Operation,
    PutConcept,
    PutLink,
    RemoveKeys,
    Triple,
)

ASPIRIN, HEADACHE = Key("Drug", "Aspirin"), Key("Symptom", "Headache")
CREATE, UPDATE, CLOSE = Operation.CREATE, Operation.UPDATE, Operation.CLOSE


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """A drug with two lives and a link that was changed, beside a decoy; the clock counts tens."""
    ticks = iter(range(10, 10_000, 10))
    with recollect.open(":memory:", "decoy", clock=lambda: Instant(next(ticks))) as decoy:
        decoy.write([PutConcept("Drug", "Aspirin", {"of": "decoy"}, id="a")], actor="nobody")
        nexus = decoy.group("main")
        nexus.write(
            [
                PutConcept("Drug", "Aspirin", {"dose": 1}, {"valid_from": "1970"}, id="a"),
                PutConcept("Symptom", "Headache"),
                PutLink(ASPIRIN, "eases", HEADACHE, id="eases"),
            ],
            actor="Ann",
            request_id="r1",
        )
        nexus.write(
            [PutConcept("Drug", "Aspirin", {"dose": 2}, {"valid_until": "1970-01-02"})], actor="Bob"
        )
        nexus.write([PutLink(ASPIRIN, "eases", HEADACHE, {"how": "well"})])
        nexus.write([RemoveKeys("a", frozenset({"dose"})), PutConcept("Drug", "Aspirin")])
        nexus.write([Delete("a")], actor="Ann", request_id="r5")
        nexus.write([PutConcept("Drug", "Aspirin", {"dose": 3})])
        yield nexus


def at(number: int) -> AsOf:
    return AsOf(transaction=number)


def test_every_step_says_when_who_and_what(nexus: Nexus) -> None:
    (life,) = nexus.history("a")
    assert (life.id, life.what) == ("a", ASPIRIN)
    assert [(one.number, one.operation) for one in life.versions] == [
        (1, CREATE), (2, UPDATE), (3, UPDATE), (3, CLOSE)
    ]  # fmt: skip
    assert [(one.since.number, one.since.at, one.since.actor, one.since.request_id) for one in life.versions] == [
        (1, 20, "Ann", "r1"), (2, 30, "Bob", None), (4, 50, None, None), (5, 60, "Ann", "r5")
    ]  # fmt: skip
    assert [one.until and one.until.number for one in life.versions] == [2, 4, 5, None]
    first, second, third, closed = life.versions
    assert first.before is None
    assert first.after == Content({"dose": 1}, {"valid_from": "1970"}, Instant(0), None)
    assert second.before == first.after
    assert second.after == Content(
        {"dose": 2},
        {"valid_from": "1970", "valid_until": "1970-01-02"},
        Instant(0),
        Instant(86_400_000),
    )
    assert third.before == second.after
    assert third.after is not None
    assert third.after.attributes == {}
    assert (closed.before, closed.after) == (third.after, None)


def test_a_key_names_every_life(nexus: Nexus) -> None:
    first, second = nexus.history(ASPIRIN)
    assert first.id == "a"
    (only,) = second.versions
    assert (only.operation, only.since.number, only.until) == (CREATE, 6, None)
    assert nexus.history(second.id) == (second,)


def test_a_link_has_a_history_under_its_id(nexus: Nexus) -> None:
    (life,) = nexus.history("eases")
    headache = nexus.history(HEADACHE)[0].id
    assert life.what == Triple("a", "eases", headache)
    assert [(one.operation, one.since.number) for one in life.versions] == [
        (CREATE, 1), (UPDATE, 3), (CLOSE, 5)
    ]  # fmt: skip


def test_an_id_that_was_given_again_names_both(nexus: Nexus) -> None:
    nexus.write([PutConcept("Herb", "Willow", id="a")])
    assert [life.what for life in nexus.history("a")] == [ASPIRIN, Key("Herb", "Willow")]


def test_the_story_ends_at_what_was_known(nexus: Nexus) -> None:
    (life,) = nexus.history(ASPIRIN, as_of=at(4))
    assert [one.operation for one in life.versions] == [CREATE, UPDATE, UPDATE]
    assert life.versions[-1].until is None
    assert nexus.history(ASPIRIN, as_of=AsOf(known=Instant(35))) == nexus.history("a", as_of=at(2))
    assert nexus.history(ASPIRIN, as_of=at(0)) == ()


def test_only_the_steps_that_were_true_then_are_kept(nexus: Nexus) -> None:
    (before, after) = (
        nexus.history(ASPIRIN, as_of=AsOf(valid=Instant(-1)))[-1:],
        nexus.history(ASPIRIN, as_of=AsOf(valid=Instant(90_000_000))),
    )
    assert [life.id == "a" for life in before] == [False]
    assert [one.operation for one in after[0].versions] == [CREATE]
    assert len(nexus.history("a", as_of=AsOf(valid=Instant(5)))[0].versions) == 4


@pytest.mark.parametrize(
    "what", ["nix", "", Key("Drug", "Nix"), Key("Nix", "Aspirin"), HEADACHE.name]
)
def test_what_never_was_has_no_history(nexus: Nexus, what: str | Key) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.history(what)
    assert caught.value.code.code == "KIP_3002"


def test_another_group_has_a_history_of_its_own(nexus: Nexus) -> None:
    (life,) = nexus.group("decoy").history("a")
    assert [one.since.actor for one in life.versions] == ["nobody"]
    elsewhere = nexus.history(HEADACHE)[0].id
    with pytest.raises(RecollectError):
        nexus.group("decoy").history(elsewhere)
    with pytest.raises(RecollectError):
        nexus.group("nobody").history("a")


def test_the_log_tells_what_each_transaction_did(nexus: Nexus) -> None:
    log = nexus.changes()
    assert [one.transaction.number for one in log] == [1, 2, 3, 4, 5, 6]
    headache = nexus.history(HEADACHE)[0].id
    eases = Triple("a", "eases", headache)
    assert [(one.id, one.kind, one.operation, one.what) for one in log[0].changes] == [
        ("a", ElementKind.CONCEPT, CREATE, ASPIRIN),
        (headache, ElementKind.CONCEPT, CREATE, HEADACHE),
        ("eases", ElementKind.LINK, CREATE, eases),
    ]
    assert [(one.operation, one.what) for one in log[4].changes] == [
        (CLOSE, ASPIRIN),
        (CLOSE, eases),
    ]
    assert (log[4].transaction.actor, log[4].transaction.at) == ("Ann", 60)


def test_the_log_is_read_on_from_a_number(nexus: Nexus) -> None:
    assert [one.transaction.number for one in nexus.changes(since=2, limit=2)] == [3, 4]
    assert nexus.changes(since=6) == nexus.changes(limit=0) == ()
    assert nexus.group("nobody").changes() == ()
    assert [one.transaction.actor for one in nexus.group("decoy").changes()] == ["nobody"]


@pytest.mark.parametrize(("since", "limit"), [(-1, 1), (0, -1), (2**63, 1), (0, 2**62)])
def test_the_log_has_no_such_number(nexus: Nexus, since: int, limit: int) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.changes(since, limit)
    assert caught.value.code.code == "INVALID_ARGUMENT"


def test_of_each_transaction_only_the_first_changes_may_be_asked_for(nexus: Nexus) -> None:
    nexus.write([PutConcept("Drug", name) for name in "abcd"])
    nexus.write([PutConcept("Drug", "a", {"dose": 1})])
    whole, few = nexus.changes(), nexus.changes(most=2)
    assert [one.transaction for one in few] == [one.transaction for one in whole]
    assert [one.changes for one in few] == [one.changes[:2] for one in whole]
    assert all(one.changes == () for one in nexus.changes(most=0))
    with pytest.raises(RecollectError, match="most is not a whole number"):
        nexus.changes(most=-1)
