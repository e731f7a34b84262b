"""The attention queue, and claims as one line."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faces.claims.conftest import Wait, claim

import recollect
from behind import BYTES
from recollect.errors import INVALID_ARGUMENT, RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.claims import (
    Actor,
    Branch,
    NexusKnowledgeStore,
    SQLiteKnowledgeStore,
    acting,
    claim_line,
    from_file,
    from_human_assertion,
    from_model_inference,
    from_tool_result,
    from_url,
    from_user_statement,
)
from recollect.faces.claims.attention import MOST_REJECTED, AttentionQueue
from recollect.model import Instant, Key, Limits

DAY = 24 * 3600
START = 1_700_000_000  # seconds
Store = NexusKnowledgeStore


class Clock:
    def __init__(self) -> None:
        self.seconds = START

    def __call__(self) -> Instant:
        return Instant(self.seconds * 1_000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(clock: Clock) -> Iterator[Store]:
    """A store whose time the test sets."""
    with recollect.open(":memory:", clock=clock) as nexus:
        yield NexusKnowledgeStore(nexus)


def dispute_verified(store: Store, wait: Wait, **brought: object) -> None:
    wait(store.write_claim(claim(id="c")))
    wait(store.transition("c", "verified"))
    wait(store.transition("c", "disputed", **brought))  # type: ignore[arg-type]


def test_a_verified_claim_that_is_disputed_asks_to_review_conflicting_evidence(
    store: Store, wait: Wait
) -> None:
    dispute_verified(store, wait, evidence=[from_tool_result("t")], reason="the test fails")
    (item,) = wait(store.attention())
    assert item.fingerprint == "claim:c:knowledge.disputed.conflicting_evidence"
    assert (item.severity, item.status, item.reason) == ("warning", "disputed", "the test fails")
    assert (item.entity_type, item.entity_id, item.cluster_size) == ("claim", "c", 1)
    assert item.actions[0] == "Review conflicting evidence"
    assert item.evidence == (from_tool_result("t"),)


@pytest.mark.parametrize("by_user", [True, False])
def test_a_dispute_by_a_user_or_with_user_evidence_is_a_rejection(
    store: Store, wait: Wait, by_user: bool
) -> None:
    with acting(Actor("user" if by_user else "agent")):
        dispute_verified(store, wait, evidence=None if by_user else [from_user_statement("s", "m")])
    (item,) = wait(store.attention())
    assert item.code == "knowledge.disputed.user_rejection"


def test_a_dispute_of_what_was_never_verified_asks_for_nothing(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c")))
    wait(store.transition("c", "disputed"))
    assert wait(store.attention()) == []


def test_a_dispute_that_is_resolved_asks_for_nothing_more(store: Store, wait: Wait) -> None:
    dispute_verified(store, wait)
    wait(store.transition("c", "verified"))
    assert wait(store.attention()) == []


def test_a_low_confidence_claim_asks_to_be_verified_after_seven_days(
    timed: Store, wait: Wait, clock: Clock
) -> None:
    # Of one instant: the store's own times rise, and later ones would not be of seven days yet.
    for name, confidence in (("low", 0.49), ("half", 0.5), ("settled", 0.1)):
        wait(timed.write_claim(claim(id=name, confidence=confidence, created_at=float(START))))
    wait(timed.transition("settled", "verified"))
    clock.seconds = START + 7 * DAY - 1
    assert wait(timed.attention()) == []
    clock.seconds = START + 7 * DAY
    (item,) = wait(timed.attention())
    assert item.fingerprint == "claim:low:knowledge.stale.unverified_too_long"
    assert (item.severity, item.actions[0]) == ("info", "Verify or discard")
    assert item.first_seen == START + 7 * DAY


@pytest.mark.parametrize(
    ("status", "verbs"),
    [
        ("observed", ("verify", "dispute")),
        ("inferred", ("verify", "dispute")),
        ("hypothesis", ("dispute",)),
    ],
)
def test_a_stale_claim_suggests_what_its_status_allows(
    timed: Store, wait: Wait, clock: Clock, status: str, verbs: tuple[str, ...]
) -> None:
    wait(timed.write_claim(claim(id="low", confidence=0.1, claim_status=status)))
    clock.seconds = START + 8 * DAY
    (item,) = wait(timed.attention())
    assert item.actions == ("Verify or discard", *verbs)


@pytest.mark.parametrize(("confidence", "asks"), [(0.3, True), (0.9, False)])
def test_a_replacement_of_lower_confidence_asks_to_review_the_supersession(
    store: Store, wait: Wait, confidence: float, asks: bool
) -> None:
    wait(store.write_claim(claim(id="old", confidence=0.9)))
    wait(store.write_claim(claim("newer", id="new", confidence=confidence)))
    wait(store.supersede("old", "new"))
    codes = [one.code for one in wait(store.attention())]
    assert codes == (["knowledge.superseded.newer_observation"] if asks else [])


def test_a_write_without_evidence_is_recorded_before_it_is_refused(
    store: Store, wait: Wait
) -> None:
    branch = Branch(knowledge_store=store, actor="pr-reviewer")
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(branch.learn("a rumour", evidence=[]))
    (item,) = wait(store.attention())
    assert item.fingerprint == f"rejection:{item.entity_id}:knowledge.rejected.empty_evidence"
    assert (item.severity, item.text) == ("info", "a rumour")
    assert item.actions == ("Agent attempted knowledge write without evidence",)
    assert "pr-reviewer" in item.reason
    assert wait(store.count()) == 0


def test_a_refused_claim_is_nothing_that_the_memory_knows(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim("payments uses sagas")))
    nexus = store.nexus
    known = nexus.read("DESCRIBE PRIMER").results[0]
    wait(store.record_rejection("payments uses outboxes"))
    assert nexus.read("DESCRIBE PRIMER").results[0] == known
    (item,) = wait(store.attention())
    for words in ("outboxes", item.entity_id[:8], "RejectedClaim"):
        (found,) = nexus.read("SEARCH CONCEPT $words", {"words": words}).results
        assert "RejectedClaim" not in repr(found)
    assert nexus.doctor().findings == ()


def test_refused_claims_are_bounded_and_the_same_slip_is_one_item(store: Store, wait: Wait) -> None:
    def texts() -> list[str]:
        return [one.text for one in wait(store.attention())]

    queue, agent = AttentionQueue(store.nexus), Actor("agent", "cursor")
    first = queue.reject("slip 0", agent)
    assert queue.reject("slip 0", agent) == first
    assert queue.reject("slip 0", Actor("agent", "codex")) != first
    assert sorted(one.reason.partition(" ")[0] for one in queue.items()) == ["codex", "cursor"]
    for at in range(1, MOST_REJECTED):
        queue.reject(f"slip {at}", agent)
    assert len(texts()) == MOST_REJECTED
    assert first not in {one.fingerprint for one in queue.items()}
    told = wait(store.events(limit=1_000))
    gone = [one.fingerprint for one in told if one.event == "attention.cleared"]
    assert gone == [first]
    assert queue.reject("slip 0", agent) != first


def test_a_refused_claim_is_recorded_whatever_characters_it_has(store: Store, wait: Wait) -> None:
    branch = Branch(system="x", knowledge_store=store)
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(branch.learn("trust\0 me\ud800", evidence=[]))
    assert branch.logger.warnings == []  # type: ignore[attr-defined]
    assert [one.text for one in wait(store.attention())] == ["trust? me?"]


def test_a_dismissed_item_stays_away_until_its_status_changes(store: Store, wait: Wait) -> None:
    dispute_verified(store, wait)
    (item,) = wait(store.attention())
    wait(store.dismiss(item.fingerprint))
    assert wait(store.attention()) == []
    assert [one.fingerprint for one in wait(store.attention(aside=True))] == [item.fingerprint]
    wait(store.transition("c", "verified"))
    wait(store.transition("c", "disputed"))
    assert [one.fingerprint for one in wait(store.attention())] == [item.fingerprint]


def test_a_snoozed_item_comes_back_at_its_time(timed: Store, wait: Wait, clock: Clock) -> None:
    dispute_verified(timed, wait)
    (item,) = wait(timed.attention())
    wait(timed.snooze(item.fingerprint, START + DAY))
    assert wait(timed.attention()) == []
    clock.seconds = START + DAY
    assert [one.fingerprint for one in wait(timed.attention())] == [item.fingerprint]


@pytest.mark.parametrize("until", [START, START - DAY, -1e308, 1e308, float("nan"), "soon", True])
def test_a_snooze_until_what_is_no_time_after_now_changes_nothing(
    timed: Store, wait: Wait, until: float
) -> None:
    dispute_verified(timed, wait)
    (item,) = wait(timed.attention())
    wait(timed.dismiss(item.fingerprint))
    with pytest.raises(RecollectError) as caught:
        wait(timed.snooze(item.fingerprint, until))
    assert caught.value.code is INVALID_ARGUMENT
    assert wait(timed.attention()) == []


def test_an_unknown_fingerprint_is_refused(store: Store, wait: Wait) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.dismiss("claim:c:nothing"))
    assert caught.value.code is RESOURCE_NOT_FOUND


def test_warnings_come_first_and_alike_items_are_one_cluster(
    timed: Store, wait: Wait, clock: Clock
) -> None:
    for name in ("a", "b"):
        wait(timed.write_claim(claim(id=name, confidence=0.1, scope_type="repo", scope_id="r")))
    clock.seconds = START + 8 * DAY
    dispute_verified(timed, wait)
    items = wait(timed.attention())
    assert [one.severity for one in items] == ["warning", "info", "info"]
    assert [one.cluster_size for one in items] == [1, 2, 2]
    assert len({one.id for one in items}) == 3


def test_the_stream_of_events_can_be_taken_up_at_any_place(store: Store, wait: Wait) -> None:
    dispute_verified(store, wait)
    wait(store.write_claim(claim("newer", id="new")))
    wait(store.supersede("c", "new"))
    events = wait(store.events())
    assert [one.event for one in events] == [
        "knowledge.created",
        "knowledge.verified",
        "knowledge.disputed",
        "attention.added",
        "knowledge.created",
        "knowledge.superseded",
        "attention.cleared",
    ]
    for place in range(len(events)):
        assert wait(store.events(events[place].id)) == events[place + 1 :]
        assert wait(store.events(limit=place + 1)) == events[: place + 1]


@pytest.mark.parametrize("beyond", ["2.1", "3.0", "99999999999999999.9"])
def test_events_after_what_has_not_happened_are_refused(
    store: Store, wait: Wait, beyond: str
) -> None:
    wait(store.write_claim(claim(id="c")))
    assert wait(store.events("2.0")) == []
    with pytest.raises(RecollectError) as caught:
        wait(store.events(beyond))
    assert caught.value.code is INVALID_ARGUMENT
    assert '"0.0"' in caught.value.hint


def test_claims_render_like_status(timed: Store, wait: Wait) -> None:
    wait(
        timed.write_claim(
            claim(id="o", confidence=0.9, evidence=[from_url("u"), from_tool_result("t")])
        )
    )
    wait(
        timed.write_claim(
            claim(
                id="i",
                claim_status="inferred",
                confidence=0.6,
                evidence=[from_model_inference("s", "m", "r")],
            )
        )
    )
    wait(timed.write_claim(claim("newer", id="new")))

    def line(name: str) -> str:
        held = wait(timed.get(name))
        assert held is not None
        return claim_line(held, wait(timed.history(name)), wait(timed.superseded_by(name)))

    assert line("o") == "observed · confidence 0.9 · from tool_result"
    assert line("i") == "inferred · confidence 0.6 · from model_inference"
    wait(timed.transition("o", "disputed", evidence=[from_url("v"), from_file("b.py")]))
    assert line("o") == "disputed · 2 conflicting evidence refs"
    wait(timed.transition("o", "verified", evidence=[from_human_assertion("ann", 1.0)]))
    assert line("o") == "verified · by user · 2023-11-14"
    wait(timed.supersede("o", "new"))
    assert line("o") == "superseded · by new"


def test_only_what_a_dispute_brought_is_conflicting_evidence(store: Store, wait: Wait) -> None:
    evidence = [from_file("a.py"), from_tool_result("t")]
    written = claim(id="c", claim_status="disputed", evidence=evidence)
    wait(store.write_claim(written))
    assert claim_line(written, wait(store.history("c"))) == "disputed · 0 conflicting evidence refs"
    wait(store.transition("c", "verified", evidence=evidence))
    wait(store.transition("c", "disputed", evidence=evidence[:1]))
    assert claim_line(written, wait(store.history("c"))) == "disputed · 1 conflicting evidence ref"


@pytest.mark.parametrize("status", ["verified", "disputed", "superseded"])
def test_a_line_tells_nothing_that_is_not_known(status: str) -> None:
    assert claim_line(claim(claim_status=status)) == status


def test_the_stream_goes_on_while_claims_are_purged(tmp_path: Path, wait: Wait) -> None:
    with SQLiteKnowledgeStore(tmp_path / "memory.db") as store:
        names = [f"c{number}" for number in range(40)]
        wait(store.write_claims([claim(id=name) for name in names]))

        def purge() -> None:
            for name in names:
                store.nexus.purge(Key("Claim", name))

        purging = threading.Thread(target=purge)
        purging.start()
        while purging.is_alive():
            told = [one.claim_id for one in wait(store.events())]
            assert told == names[len(names) - len(told) :]
        purging.join()
        assert wait(store.events()) == []


def test_the_queue_is_of_one_state_while_claims_change(tmp_path: Path, wait: Wait) -> None:
    with SQLiteKnowledgeStore(tmp_path / "memory.db") as store:
        for name in ("mine", "yours"):
            wait(store.write_claim(claim(id=name, claim_status="verified")))
        wait(store.transition("mine", "disputed"))

        async def pass_on() -> None:  # one of the two asks at any time, each by a code of its own
            asks, next = ("mine", None), ("yours", [from_user_statement("s", "m")])
            for _ in range(60):
                with store.nexus.transaction():
                    await store.transition(asks[0], "verified")
                    await store.transition(next[0], "disputed", evidence=next[1])
                asks, next = next, asks

        passing = threading.Thread(target=asyncio.run, args=[pass_on()])
        passing.start()
        while passing.is_alive():
            assert len(wait(store.attention())) == 1
        passing.join()


def test_the_queue_is_of_more_items_than_an_answer_of_kip_may_have(
    clock: Clock, wait: Wait
) -> None:
    with recollect.open(":memory:", limits=Limits(max_rows=2), clock=clock) as nexus:
        store = NexusKnowledgeStore(nexus)
        disputed = [claim(id=f"c{at}", claim_status="verified") for at in range(3)]
        wait(store.write_claims([*disputed, *(claim(confidence=0.1) for _ in range(3))]))
        for one in disputed:
            wait(store.transition(one.id, "disputed"))
            wait(store.record_rejection(one.id))
        clock.seconds += 8 * DAY
        items = wait(store.attention())
        assert len(items) == 9
        for one in items:
            wait(store.dismiss(one.fingerprint))
        assert wait(store.attention()) == []


def test_somebody_who_puts_an_item_aside_is_told_of(store: Store, wait: Wait) -> None:
    dispute_verified(store, wait)
    refused = wait(store.record_rejection("a rumour"))
    (item, _) = wait(store.attention())
    seen = wait(store.events())[-1].id
    for fingerprint in (item.fingerprint, refused):
        wait(store.dismiss(fingerprint))
        wait(store.dismiss(fingerprint))  # which changes nothing
    wait(store.snooze(item.fingerprint, 4e9))
    told = [(one.event, one.fingerprint) for one in wait(store.events(seen))]
    chosen = [item.fingerprint, refused, item.fingerprint]
    assert told == [("attention.set_aside", one) for one in chosen]
    assert len(wait(store.history("c"))) == 3


def test_a_claim_of_the_longest_id_is_put_aside(store: Store, wait: Wait) -> None:
    longest = "i" * 4_096
    wait(store.write_claim(claim(id=longest, claim_status="verified")))
    wait(store.transition(longest, "disputed"))
    (item,) = wait(store.attention())
    wait(store.dismiss(item.fingerprint))
    assert wait(store.attention()) == []


@BYTES
def test_a_purge_erases_what_was_put_aside_too(tmp_path: Path, wait: Wait) -> None:
    path = tmp_path / "memory.db"
    with SQLiteKnowledgeStore(path) as store:
        for _ in range(2):
            wait(store.write_claim(claim(id="ann-has-flu", claim_status="verified")))
            wait(store.transition("ann-has-flu", "disputed"))
            (item,) = wait(store.attention())  # nobody has put this one aside
            wait(store.dismiss(item.fingerprint))
            assert wait(store.attention()) == []
            store.nexus.purge(Key("Claim", "ann-has-flu"))
            assert wait(store.events()) == []
    assert b"ann-has-flu" not in path.read_bytes()
