"""The queue and the kept answers: once each, in order, under leases, gone with their elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import recollect
from behind import BYTES, STEPS
from recollect.errors import CONFLICT, RecollectError
from recollect.kernel import Nexus
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.kernel.work.queue import Queue
from recollect.model import BEGINNING, FOREVER, Instant, PutConcept, WorkItem

NOW, LATER = Instant(1_000), Instant(2_000)


def fill(nexus: Nexus) -> Nexus:
    nexus.write([PutConcept("Task", name, id=name) for name in ("a", "b", "c")])
    nexus.queue.put(["b", "a"], "new", "r1")
    nexus.queue.put(["a", "c"], "new", "r2")
    return nexus


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        fill(nexus.group("decoy"))
        yield fill(nexus)


def names(items: tuple[WorkItem, ...]) -> list[str]:
    return [one.item for one in items]


def claimed(nexus: Nexus, owner: str = "me", now: Instant = NOW) -> WorkItem:
    (item,) = nexus.queue.claim(owner, now, Instant(now + 100))
    return item


def refused(nexus: Nexus, owner: str, item: WorkItem) -> None:
    assert nexus.queue.held(owner, [item]) == frozenset()
    assert nexus.queue.settle(owner, [item], LATER) == ()


def test_an_item_is_in_the_queue_once_and_on_every_receipt_it_is_put_with(nexus: Nexus) -> None:
    assert names(nexus.queue.in_state("new")) == ["b", "a", "c"]
    assert names(nexus.queue.receipt("r1")) == ["b", "a"]
    assert names(nexus.queue.receipt("r2")) == ["a", "c"]
    assert nexus.queue.receipt("r3") == ()
    assert nexus.queue.counts() == {"new": 3}
    assert nexus.group("nobody").queue.counts() == {}


def test_items_are_claimed_in_the_order_of_acceptance(nexus: Nexus) -> None:
    order = []
    while items := nexus.queue.claim("me", NOW, LATER):
        order.extend(names(items))
        done = [replace(one, state="done", due_at=FOREVER) for one in items]
        assert nexus.queue.settle("me", done, LATER) == tuple(done)
    assert order == ["b", "a", "c"]
    assert nexus.queue.due_groups("other", NOW) == ["decoy"]


def test_several_items_of_one_state_are_claimed_and_settled_together(nexus: Nexus) -> None:
    items = nexus.queue.claim("me", NOW, LATER, 2)
    assert names(items) == ["b", "a"]
    assert nexus.queue.claim("other", NOW, LATER, 2) == ()
    again, done = replace(items[0], attempts=1), replace(items[1], state="done", due_at=FOREVER)
    nexus.purge("a")
    assert nexus.queue.settle("me", [again, done], LATER) == (again,)
    assert nexus.queue.find("a") is None
    items = nexus.queue.claim("me", NOW, LATER, 9)
    assert items[0] == again
    assert names(items) == ["b", "c"]
    seen = replace(again, state="seen")
    nexus.queue.settle("me", [seen], LATER)
    assert nexus.queue.claim("me", NOW, LATER, 9) == (seen,)
    nexus.queue.give_back("me", items)
    assert nexus.queue.claim("other", NOW, LATER, 9) == (seen,)
    assert nexus.queue.held("other", items) == {"b"}
    assert {one.payload["x"] for one in keeping(nexus, "other", seen)} == {'"\\\n\U0001f600'}


def keeping(nexus: Nexus, owner: str, item: WorkItem) -> tuple[WorkItem, ...]:
    """Settle an item with a text that is hard to spell, and read it again."""
    kept = replace(item, payload={"x": '"\\\n\U0001f600'})
    nexus.queue.settle(owner, [kept], LATER)
    return nexus.queue.in_state(item.state)


def test_an_item_that_is_due_later_waits(nexus: Nexus) -> None:
    item = claimed(nexus)
    later = replace(item, attempts=1, due_at=LATER, payload={"why": "busy"})
    nexus.queue.settle("me", [later], LATER)
    assert nexus.queue.find("b") == later
    item = claimed(nexus)
    assert item.item == "a"
    nexus.queue.give_back("me", [item])
    assert claimed(nexus, now=LATER).item == "b"


def test_the_lease_on_an_item_that_waits_ends_though_it_is_due_by_now(nexus: Nexus) -> None:
    item = claimed(nexus)
    soon = replace(item, attempts=1, due_at=Instant(NOW - 1))
    assert nexus.queue.settle("me", [soon], LATER) == (soon,)
    assert nexus.queue.claim("other", NOW, LATER) == (soon,)


@STEPS
def test_claiming_and_settling_cost_the_same_beside_many_items_that_are_done(
    tmp_path: Path,
) -> None:
    few, many = (steps(tmp_path / f"{count}.db", count) for count in (10, 1_000))
    assert many < 2 * few


def steps(path: Path, done: int) -> int:
    """Return what the engine does to claim, settle and give back two items, beside some done."""
    with recollect.open(path) as nexus:
        names = [f"t{at}" for at in range(done + 3)]
        nexus.write([PutConcept("Task", name, id=name) for name in names])
        nexus.queue.put(names, "new", "r")
        finished = nexus.queue.claim("me", NOW, LATER, done)
        nexus.queue.settle(
            "me", [replace(one, state="done", due_at=FOREVER) for one in finished], LATER
        )
    store = SqliteStore(path)
    queue = Queue(store, "default")
    with store.together(), store.writing() as session, session.measured() as work:
        items = queue.claim("me", NOW, LATER, 3)
        queue.settle("me", [replace(items[0], state="seen"), *items[1:2]], LATER)
        queue.renew("me", LATER)
        queue.give_back("me", items)
    store.close()
    assert len(items) == 3
    return work.steps


def test_one_owner_works_on_a_group_until_its_lease_ends(nexus: Nexus) -> None:
    item = claimed(nexus, "me")
    assert nexus.queue.claim("other", NOW, LATER) == ()
    assert nexus.queue.due_groups("other", NOW) == ["decoy"]
    assert nexus.queue.due_groups("me", NOW) == ["decoy", "default"]
    nexus.queue.renew("me", Instant(1_500))
    assert nexus.queue.claim("other", Instant(1_499), LATER) == ()
    assert nexus.queue.due_groups("other", Instant(1_500)) == ["decoy", "default"]
    assert nexus.queue.claim("other", Instant(1_500), LATER) == (item,)
    refused(nexus, "me", item)
    assert nexus.queue.settle("other", [item], LATER) == (item,)


def test_who_has_no_lease_settles_nothing(nexus: Nexus) -> None:
    item = nexus.queue.find("b")
    assert item is not None
    refused(nexus, "me", item)
    refused(nexus, "", item)
    claimed(nexus)
    nexus.queue.give_back("me", [item])
    refused(nexus, "me", item)
    refused(nexus.group("nobody"), "me", item)


def test_items_at_rest_may_be_due_again(nexus: Nexus) -> None:
    item = claimed(nexus)
    parked = replace(item, state="parked", attempts=4, due_at=FOREVER)
    nexus.queue.settle("me", [parked], LATER)
    nexus.queue.again([replace(parked, state="new", due_at=BEGINNING)])
    assert nexus.queue.find("b") == item


def test_what_is_erased_leaves_the_queue_and_its_receipts(nexus: Nexus) -> None:
    claimed(nexus)
    nexus.purge("b")
    assert names(nexus.queue.receipt("r1")) == ["a"]
    assert nexus.queue.find("b") is None
    assert claimed(nexus).item == "a"
    assert names(nexus.group("decoy").queue.receipt("r1")) == ["b", "a"]
    nexus.drop_group("default")
    assert nexus.queue.counts() == {}
    assert nexus.doctor().findings == ()


@pytest.mark.sqlite_only("changes rows of a file behind the log's back")
def test_the_doctor_drops_work_about_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as nexus:
        fill(nexus)
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE work SET item = 'z' WHERE item = 'b'")
    connection.close()
    with recollect.open(path) as nexus:
        (finding,) = nexus.doctor().findings
        assert (finding.check, finding.is_mended) == ("queue", False)
        (finding,) = nexus.doctor(fix=True).findings
        assert finding.is_mended
        assert names(nexus.queue.receipt("r1")) == ["a"]
        assert nexus.doctor().findings == ()


def test_calls_of_one_transaction_happen_all_or_not_at_all(nexus: Nexus) -> None:
    before = nexus.stats().transactions
    with pytest.raises(RecollectError), nexus.transaction():
        nexus.write([PutConcept("Task", "d", id="d")])
        nexus.queue.put(["d"], "new", "r9")
        assert "d" in nexus.elements.look_up(["d"])
        assert names(nexus.queue.receipt("r9")) == ["d"]
        nexus.write([PutConcept("Task", "e", id="d")])
    assert nexus.elements.look_up(["d"]) == {}
    assert nexus.queue.receipt("r9") == ()
    assert nexus.stats().transactions == before
    assert nexus.verify().is_whole


def test_a_transaction_reads_what_it_wrote_and_its_parts_may_fail(nexus: Nexus) -> None:
    with nexus.transaction():
        nexus.write('UPSERT { CONCEPT { {type: "Fruit", name: "Apple"} } }')
        with pytest.raises(RecollectError):
            nexus.write([PutConcept("Stone", "x", id="x"), PutConcept("Stone", "y", id="x")])
        with nexus.transaction():
            nexus.write('UPSERT { CONCEPT { {type: "Fruit", name: "Pear"} } }')
        nexus.write('UPSERT { CONCEPT { {type: "Root", name: "Beet"} } }', dry_run=True)
        (rows,) = nexus.read('FIND(?n) WHERE { ?f {type: "Fruit"} ATTR(?f, "name", ?n) }').results
        assert sorted(rows.rows) == [("Apple",), ("Pear",)]  # type: ignore[union-attr]
    for kind, count in (("Fruit", 2), ("Stone", 0), ("Root", 0)):
        (rows,) = nexus.read("FIND(COUNT(?f)) WHERE { ?f {type: $kind} }", {"kind": kind}).results
        assert rows.rows == [(count,)]  # type: ignore[union-attr]
    nexus.write('UPSERT { CONCEPT { {type: "Root", name: "Beet"} } }')
    assert nexus.doctor().findings == ()


def test_a_file_is_seen_by_others_only_when_a_transaction_ends(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as nexus, recollect.open(tmp_path / "m.db") as other:
        with nexus.transaction():
            nexus.write([PutConcept("Task", "a", id="a")])
            assert "a" in nexus.elements.look_up(["a"])
            assert other.elements.look_up(["a"]) == {}
        assert "a" in other.elements.look_up(["a"])
        nexus.write([PutConcept("Task", "b", id="b")])
        assert set(nexus.elements.look_up(["a", "b"])) == {"a", "b"}


def test_a_group_of_a_transaction_that_failed_is_not_there(nexus: Nexus) -> None:
    new = nexus.group("new")
    with pytest.raises(RecollectError), nexus.transaction():
        new.write([PutConcept("Task", "a", id="a")])
        assert len(new.elements.look_up(["a"])) == 1
        nexus.drop_group("unknown")
    assert "new" not in nexus.groups()
    new.write([PutConcept("Other", "b", id="b")])
    (rows,) = new.read('FIND(COUNT(?t)) WHERE { ?t {type: "Task"} }').results
    assert rows.rows == [(0,)]  # type: ignore[union-attr]


def test_an_answer_is_kept_until_its_time(nexus: Nexus) -> None:
    answers = nexus.answers
    assert answers.find("op", "k", b"1", NOW) is None
    answers.keep("op", "k", b"1", ["OK", {"n": 1}], now=NOW, until=LATER)
    kept = answers.find("op", "k", b"1", NOW)
    assert kept is not None and kept.answer == ["OK", {"n": 1}]
    assert answers.find("other", "k", b"1", NOW) is None
    assert nexus.group("decoy").answers.find("op", "k", b"2", NOW) is None
    with pytest.raises(RecollectError) as caught:
        answers.find("op", "k", b"2", NOW)
    assert caught.value.code is CONFLICT
    assert answers.find("op", "k", b"2", LATER) is None
    answers.keep("op", "k", b"2", None, now=LATER, until=FOREVER)
    kept = answers.find("op", "k", b"2", LATER)
    assert kept is not None and kept.answer is None


def test_a_kept_answer_goes_with_what_it_names(nexus: Nexus) -> None:
    nexus.answers.keep("op", "k1", b"", {"id": "b"}, now=NOW, until=LATER)
    nexus.answers.keep("op", "k2", b"", {"id": "a"}, now=NOW, until=LATER)
    nexus.purge("b")
    assert nexus.answers.find("op", "k1", b"", NOW) is None
    assert nexus.answers.find("op", "k2", b"", NOW) is not None


@BYTES
def test_a_purge_in_a_transaction_leaves_its_bytes_to_the_next_opening(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("Task", "a", {"text": "SECRETWORD"}, id="a")])
        with nexus.transaction():
            assert not nexus.purge("a").is_complete
        assert nexus.elements.look_up(["a"]) == {}
    recollect.open(path).close()
    assert b"SECRETWORD" not in path.read_bytes()
