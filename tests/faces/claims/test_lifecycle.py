"""The lifecycle: exactly the table of the specification, whoever comes first."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import apsw
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from tests.faces.claims.conftest import Wait, claim

import recollect
from recollect.errors import CONFLICT, INVALID_ARGUMENT, RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.claims import (
    STATUSES,
    TRANSITIONS,
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    from_tool_result,
)
from recollect.model import PutConcept

Store = NexusKnowledgeStore

TABLE = {
    ("observed", "verified"),
    ("observed", "disputed"),
    ("observed", "superseded"),
    ("inferred", "verified"),
    ("inferred", "disputed"),
    ("hypothesis", "observed"),
    ("hypothesis", "disputed"),
    ("verified", "disputed"),
    ("disputed", "verified"),
    ("disputed", "superseded"),
    *((status, "superseded") for status in STATUSES if status != "superseded"),
}


@pytest.mark.parametrize("old", STATUSES)
@pytest.mark.parametrize("new", STATUSES)
def test_a_status_follows_another_exactly_where_the_table_says_so(
    store: Store, wait: Wait, old: str, new: str
) -> None:
    wait(store.write_claim(claim(id="c", claim_status=old)))
    if (old, new) in TABLE:
        wait(store.transition("c", new))
        expected = new
    else:
        with pytest.raises(RecollectError) as caught:
            wait(store.transition("c", new))
        assert caught.value.code is CONFLICT
        assert set(caught.value.known) == {one for before, one in TABLE if before == old}
        expected = old
    found = wait(store.get("c"))
    assert found is not None
    assert found.claim_status == expected


def test_compare_and_swap_refuses_a_claim_that_has_moved(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c")))
    wait(store.transition("c", "verified", expected_status="observed"))
    with pytest.raises(RecollectError, match="is verified, not observed"):
        wait(store.transition("c", "disputed", expected_status="observed"))
    wait(store.write_claim(claim("newer", id="c2")))
    with pytest.raises(RecollectError, match="is verified, not disputed"):
        wait(store.supersede("c", "c2", expected_status="disputed"))
    assert len(wait(store.history("c"))) == 2


def test_a_claim_may_be_named_by_the_beginning_of_its_id(store: Store, wait: Wait) -> None:
    for id in ("older-claim", "newer-claim"):
        wait(store.write_claim(claim(id=id)))
    wait(store.transition("older", "verified"))
    wait(store.supersede("older", "newer"))
    assert wait(store.superseded_by("older-claim")) == "newer-claim"
    assert [one.event for one in wait(store.history("older-claim"))] == [
        "created", "verified", "superseded",
    ]  # fmt: skip


def test_supersede_is_readable_in_both_directions(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="old")))
    wait(store.write_claim(claim("newer", id="new")))
    wait(store.supersede("old", "new"))
    old, new = wait(store.get("old")), wait(store.get("new"))
    assert old is not None
    assert new is not None
    assert (old.claim_status, old.supersedes) == ("superseded", None)
    assert (new.claim_status, new.supersedes) == ("observed", "old")
    assert wait(store.superseded_by("old")) == "new"
    assert wait(store.superseded_by("new")) is None
    last = wait(store.history("old"))[-1]
    assert (last.event, last.reason) == ("superseded", "superseded by new")
    assert len(wait(store.history("new"))) == 1


def test_both_of_two_claims_may_be_replaced_by_one(store: Store, wait: Wait) -> None:
    for name in ("a", "b", "both"):
        wait(store.write_claim(claim(name, id=name)))
    wait(store.transition("a", "disputed"))
    wait(store.supersede("a", "both"))
    wait(store.supersede("b", "both"))
    assert [wait(store.superseded_by(one)) for one in ("a", "b")] == ["both", "both"]


def test_a_claim_in_the_place_of_its_own_follower_is_refused_with_what_to_do(
    store: Store, wait: Wait
) -> None:
    wait(store.write_claims([claim(id="old"), claim(id="new")]))
    wait(store.supersede("old", "new"))
    with pytest.raises(RecollectError) as caught:
        wait(store.supersede("new", "old"))
    assert caught.value.code is CONFLICT
    assert caught.value.hint == "write a new claim, and let it supersede the old one"


def test_a_claim_does_not_come_to_stand_for_itself(store: Store, wait: Wait) -> None:
    for name in ("a", "b", "c"):
        wait(store.write_claim(claim(name, id=name)))
    with pytest.raises(RecollectError) as itself:
        wait(store.supersede("a", "a"))
    assert itself.value.code is INVALID_ARGUMENT
    wait(store.supersede("a", "b"))
    wait(store.supersede("b", "c"))
    with pytest.raises(RecollectError) as circle:
        wait(store.supersede("c", "a"))
    assert circle.value.code is CONFLICT
    with pytest.raises(RecollectError) as again:
        wait(store.supersede("a", "c"))
    assert again.value.code is CONFLICT


def test_what_is_superseded_takes_no_place(store: Store, wait: Wait) -> None:
    for name in ("live", "dead", "b", "c"):
        wait(store.write_claim(claim(name, id=name)))
    wait(store.transition("dead", "superseded"))
    with pytest.raises(RecollectError, match='"dead" is superseded') as caught:
        wait(store.supersede("live", "dead"))
    assert (caught.value.code, caught.value.hint) == (CONFLICT, "write a new claim")
    wait(store.supersede("b", "c"))
    with pytest.raises(RecollectError) as caught:
        wait(store.supersede("live", "b"))
    assert (caught.value.code, caught.value.hint) == (CONFLICT, 'name what took its place: "c"')
    assert wait(store.get("live")).claim_status == "observed"  # type: ignore[union-attr]
    wait(store.supersede("live", "c"))


CIRCLES = [{"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "a"}, {"x": "a", "a": "b", "b": "a"}]


@pytest.mark.parametrize("names", CIRCLES, ids=str)
def test_claims_of_one_write_do_not_supersede_each_other(
    store: Store, wait: Wait, names: dict[str, str]
) -> None:
    with pytest.raises(RecollectError, match="supersede each other") as caught:
        wait(store.write_claims([claim(id=id, supersedes=old) for id, old in names.items()]))
    assert caught.value.code is CONFLICT
    assert wait(store.count()) == 0


def test_what_is_there_may_be_told_again_whatever_it_names(store: Store, wait: Wait) -> None:
    told = [claim(id=id, supersedes=old) for id, old in (("b", "c"), ("c", "a"), ("a", "b"))]
    for one in told:
        wait(store.write_claim(one))
    wait(store.write_claims(told))
    wait(store.write_claims([*told, claim(id="new")]))
    assert wait(store.count()) == 4


def test_a_claim_does_not_supersede_what_names_it(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="old", supersedes="new")))
    with pytest.raises(RecollectError, match="supersede each other") as caught:
        wait(store.write_claim(claim(id="new", supersedes="old")))
    assert caught.value.code is CONFLICT
    wait(store.write_claim(claim(id="new")))
    with pytest.raises(RecollectError, match="supersede each other") as caught:
        wait(store.supersede("old", "new"))
    assert caught.value.code is CONFLICT
    wait(store.supersede("new", "old"))
    assert wait(store.superseded_by("new")) == "old"


def test_a_claim_that_superseded_two_is_superseded_by_neither(store: Store, wait: Wait) -> None:
    told = [claim(id="old1"), claim(id="old2"), claim(id="new", supersedes="old1")]
    wait(store.write_claims(told))
    wait(store.supersede("old2", "new"))
    with pytest.raises(RecollectError, match="supersede each other") as caught:
        wait(store.supersede("new", "old1"))
    assert caught.value.code is CONFLICT
    wait(store.supersede("old1", "new"))
    assert wait(store.superseded_by("old1")) == "new"


def test_a_transition_that_is_refused_leaves_nothing(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c", claim_status="superseded")))
    before = store.nexus.stats()
    with pytest.raises(RecollectError):
        wait(store.transition("c", "verified", evidence=[from_tool_result("t")]))
    assert store.nexus.stats().concepts == before.concepts
    assert len(wait(store.history("c"))) == 1


def test_moving_a_claim_that_is_not_there_makes_no_group(wait: Wait) -> None:
    with recollect.open(":memory:") as nexus:
        store = NexusKnowledgeStore(nexus)
        for moved in (store.transition("a", "verified"), store.supersede("a", "b")):
            with pytest.raises(RecollectError) as caught:
                wait(moved)
            assert caught.value.code is RESOURCE_NOT_FOUND
        assert nexus.groups() == []


def test_claims_that_are_refused_make_no_group(wait: Wait) -> None:
    with recollect.open(":memory:") as nexus:
        store = NexusKnowledgeStore(nexus)
        circle = [claim(id="a", supersedes="b"), claim(id="b", supersedes="a")]
        with pytest.raises(RecollectError):
            wait(store.write_claims(circle))
        assert wait(store.write_claims([])) == []
        assert nexus.groups() == []
        wait(store.write_claim(claim(id="a")))
        assert nexus.groups() == ["default"]


@pytest.mark.parametrize("others", [[], ["Aspirin"]])
def test_claims_are_found_by_their_indexes_after_their_group_was_dropped(
    store: Store, wait: Wait, others: list[str]
) -> None:
    wait(store.write_claim(claim(id="a")))
    store.nexus.drop_group("default")
    for name in others:
        store.nexus.write([PutConcept("Drug", name)])
    wait(store.write_claim(claim(id="a")))
    assert (
        store.nexus.declared.indexes() == ()
    )  # no group declares them: they are made with the file
    assert [one.id for one in wait(store.list())] == ["a"]


@pytest.mark.sqlite_only("is about an older file")
def test_a_file_of_claims_that_was_made_without_kinds_gets_its_indexes_when_it_is_opened(
    tmp_path: Path, wait: Wait
) -> None:
    place = tmp_path / "old.db"
    with recollect.Nexus.open(place) as bare:
        wait(NexusKnowledgeStore(bare).write_claim(claim(id="c")))
    assert not built(place)
    with recollect.open(place) as nexus:
        assert [one.id for one in wait(NexusKnowledgeStore(nexus).list())] == ["c"]
        assert nexus.doctor().is_well
    assert "attribute:claim_status" in built(place)


def built(place: Path) -> list[str]:
    connection = apsw.Connection(str(place))
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema")]
    connection.close()
    return sorted(name for name in names if name.startswith("attribute:"))


def test_concurrent_verify_and_dispute_never_lose_an_event(store: Store, wait: Wait) -> None:
    async def race(name: str) -> int:
        results = await asyncio.gather(
            *(
                store.transition(name, status, evidence=[from_tool_result(f"{status}{turn}")])
                for turn in range(4)
                for status in ("verified", "disputed")
            ),
            return_exceptions=True,
        )
        refused = [one for one in results if one is not None]
        assert all(isinstance(one, RecollectError) and one.code is CONFLICT for one in refused)
        return len(results) - len(refused)

    for name in ("a", "b", "c"):
        wait(store.write_claim(claim(name, id=name)))
        moved = wait(race(name))
        events = wait(store.history(name))
        assert [one.sequence for one in events] == list(range(1, moved + 2))
        assert all(after.from_status == before.to_status for before, after in pairwise(events))
        assert all((one.from_status, one.to_status) in TABLE for one in events[1:])
        assert all(one.evidence for one in events)


class Lifecycle(RuleBasedStateMachine):
    """Random lives of claims beside a model of them: a dict of statuses and events."""

    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store = MemoryKnowledgeStore()
        self.events: dict[str, list[tuple[str | None, str]]] = {}
        self.follower: dict[str, str] = {}

    @rule(target=claims, status=st.sampled_from(STATUSES))
    def write(self, status: str) -> str:
        name = f"c{len(self.events)}"
        self.runner.run(self.store.write_claim(claim(name, id=name, claim_status=status)))
        self.events[name] = [(None, status)]
        return name

    @rule(name=claims, status=st.sampled_from(STATUSES), brings=st.booleans())
    def transition(self, name: str, status: str, brings: bool) -> None:
        evidence = [from_tool_result(f"{name}{status}")] if brings else None
        self.attempt(
            self.store.transition(name, status, evidence=evidence),
            name,
            status,
            (self.status(name), status) in TABLE,
        )

    @rule(old=claims, new=claims)
    def supersede(self, old: str, new: str) -> None:
        allowed = old != new and "superseded" not in (self.status(old), self.status(new))
        self.attempt(self.store.supersede(old, new), old, "superseded", allowed)
        if allowed:
            self.follower[old] = new

    @invariant()
    def the_store_tells_what_the_model_does(self) -> None:
        for name, told in self.events.items():
            events = self.runner.run(self.store.history(name))
            assert [(one.from_status, one.to_status) for one in events] == told
            held = self.runner.run(self.store.get(name))
            assert held is not None
            assert held.claim_status == told[-1][1]
            assert self.runner.run(self.store.superseded_by(name)) == self.follower.get(name)

    def status(self, name: str) -> str:
        return self.events[name][-1][1]

    def attempt(self, call: object, name: str, status: str, allowed: bool) -> None:
        if allowed:
            self.runner.run(call)  # type: ignore[arg-type]
            self.events[name].append((self.status(name), status))
            return
        with pytest.raises(RecollectError):
            self.runner.run(call)  # type: ignore[arg-type]

    def teardown(self) -> None:
        self.store.close()
        self.runner.close()


TestLifecycle = Lifecycle.TestCase
TestLifecycle.settings = settings(
    max_examples=max(10, settings.default.max_examples // 10), stateful_step_count=15, deadline=None
)


def test_the_table_that_is_exported_is_the_specified_one() -> None:
    assert {(old, new) for old, allowed in TRANSITIONS.items() for new in allowed} == TABLE


@pytest.mark.sqlite_only("damages a file")
def test_a_damaged_file_without_the_indexes_is_opened_so_that_the_doctor_can_tell(
    tmp_path: Path,
) -> None:
    place = tmp_path / "old.db"
    with recollect.Nexus.open(place) as bare:
        bare.write([PutConcept("Drug", "Aspirin", {"dose": 1})])
    connection = apsw.Connection(str(place))
    connection.execute("UPDATE concept SET attributes = '{'")
    connection.close()
    with recollect.open(place) as nexus:
        assert {one.check for one in nexus.doctor().findings} >= {"contents"}
