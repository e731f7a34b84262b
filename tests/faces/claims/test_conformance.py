"""What every store does with its five methods, and with what ours have beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.faces.claims.conftest import REPO, Wait, claim
from tests.meanings import Meanings

import recollect
from behind import STEPS
from recollect.client import RemoteKnowledgeStore
from recollect.errors import (
    CONFLICT,
    INVALID_ARGUMENT,
    RESOURCE_EXHAUSTED,
    RESOURCE_NOT_FOUND,
    STORE_CLOSED,
    UNAVAILABLE,
    RecollectError,
)
from recollect.faces.claims import (
    STATUSES,
    Actor,
    Claim,
    EvidenceRef,
    KnowledgeStore,
    NexusKnowledgeStore,
    Scope,
    SQLiteKnowledgeStore,
    acting,
    from_artifact,
    from_file,
    from_tool_result,
    from_url,
)
from recollect.model import AsOf, Instant, Limits, PutConcept, Rows

Store = NexusKnowledgeStore


def ids(claims: list[Claim]) -> list[str]:
    return [one.id for one in claims]


def test_a_store_has_the_five_methods_of_the_protocol(store: Store) -> None:
    assert isinstance(store, KnowledgeStore)


def test_write_claim_returns_the_id_and_get_returns_what_was_written(
    store: Store, wait: Wait
) -> None:
    written = claim(
        id="c1",
        confidence=0.4,
        project="p",
        scope_type="repo",
        scope_id="github.com/acme/payments",
        session_id="s",
        branch_id="b",
        actor_type="user",
        actor_id="ann",
        created_at=12.5,
        domain="architecture",
        tags=["saga", "2pc"],
        evidence=[
            from_file("a.py", "acme/payments", "abc123"),
            from_url("https://x.org", 3.0, "ff"),
        ],
    )
    assert wait(store.write_claim(written)) == "c1"
    assert wait(store.get("c1")) == written


def test_created_at_zero_becomes_now(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c1")))
    found = wait(store.get("c1"))
    assert found is not None
    assert abs(found.created_at - store.nexus.now() / 1_000) < 60


@pytest.mark.parametrize("status", STATUSES)
def test_any_known_status_may_be_written_and_the_first_event_records_it(
    store: Store, wait: Wait, status: str
) -> None:
    wait(store.write_claim(claim(id="c1", claim_status=status)))
    (event,) = wait(store.history("c1"))
    assert (event.event, event.from_status, event.to_status) == ("created", None, status)


def test_the_same_claim_again_changes_nothing(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c1", tags=["saga"])))
    before = store.nexus.stats().transactions
    assert wait(store.write_claim(claim(id="c1", tags=["saga"]))) == "c1"
    assert store.nexus.stats().transactions == before


def test_the_same_claim_again_after_a_transition_changes_nothing(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c1")))
    wait(store.transition("c1", "verified"))
    wait(store.write_claim(claim(id="c1")))
    found = wait(store.get("c1"))
    assert found is not None
    assert found.claim_status == "verified"


@pytest.mark.parametrize(
    "other",
    [
        {"text": "something else"},
        {"confidence": 0.5},
        {"tags": ["new"]},
        {"evidence": [from_file("other.py")]},
        {"claim_status": "verified"},
        {"created_at": 5.0},
    ],
)
def test_another_claim_under_the_same_id_is_a_conflict(
    store: Store, wait: Wait, other: dict[str, object]
) -> None:
    wait(store.write_claim(claim(id="c1", created_at=4.0)))
    with pytest.raises(RecollectError) as caught:
        wait(store.write_claim(claim(**{"id": "c1", "created_at": 4.0, **other})))
    assert caught.value.code is CONFLICT


NFC, NFD = "caf\u00e9", "cafe\u0301"


def test_two_forms_of_an_id_that_look_the_same_are_one_id(store: Store, wait: Wait) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.write_claims([claim("first", id=NFC), claim("second", id=NFD)]))
    assert caught.value.code is CONFLICT
    assert wait(store.count()) == 0
    assert wait(store.write_claims([claim(id=NFD), claim(id=NFC)])) == [NFC, NFC]
    wait(store.transition(NFD, "verified"))
    assert [one.claim_id for one in wait(store.history(NFD))] == [NFC, NFC]


@pytest.mark.parametrize(("old", "new"), [(NFC, NFD), (NFD, NFC)])
def test_a_claim_supersedes_no_other_form_of_itself(
    store: Store, wait: Wait, old: str, new: str
) -> None:
    with pytest.raises(RecollectError) as caught:
        claim(id=new, supersedes=old)
    assert caught.value.code is INVALID_ARGUMENT
    wait(store.write_claim(claim(id=new)))
    with pytest.raises(RecollectError) as caught:
        wait(store.supersede(old, new))
    assert caught.value.code is INVALID_ARGUMENT


@pytest.mark.parametrize("is_one_write", [True, False])
def test_what_a_claim_supersedes_is_found_in_either_form_of_its_id(
    store: Store, wait: Wait, is_one_write: bool
) -> None:
    told = [claim(id=NFC), claim(id="new", supersedes=NFD)]
    for some in [told] if is_one_write else [told[:1], told[1:]]:
        wait(store.write_claims(some))
    assert wait(store.get("new")).supersedes == NFC  # type: ignore[union-attr]
    (rows,) = store.nexus.read(
        'FIND(?name) WHERE { ({type: "Claim", name: "new"}, "supersedes", ?old)'
        ' ATTR(?old, "name", ?name) }'
    ).results
    assert isinstance(rows, Rows)
    assert rows.rows == [(NFC,)]
    wait(store.write_claim(claim(id=NFD.upper())))
    wait(store.supersede("new", NFD.upper()))
    assert wait(store.superseded_by("new")) == NFC.upper()


def test_many_claims_are_kept_all_or_none(store: Store, wait: Wait) -> None:
    assert wait(store.write_claims([claim(id="a"), claim(id="b"), claim(id="a")])) == [
        "a",
        "b",
        "a",
    ]
    with pytest.raises(RecollectError):
        wait(store.write_claims([claim(id="c"), claim("another", id="a")]))
    assert wait(store.count()) == 2


@pytest.mark.parametrize("given", [None, 5, "ab", {"a": 1}, ["a"]])
def test_what_is_no_list_of_claims_is_refused(store: Store, wait: Wait, given: Any) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.write_claims(given))
    assert caught.value.code is INVALID_ARGUMENT


def test_returned_claims_are_copies(store: Store, wait: Wait) -> None:
    given = claim(id="c1", tags=["saga"])
    wait(store.write_claim(given))
    given.tags.append("x")
    first = wait(store.get("c1"))
    assert first is not None
    first.text, first.evidence = "changed", []
    again = wait(store.get("c1"))
    assert again is not None
    assert (again.text, again.tags, len(again.evidence)) == ("payments uses sagas", ["saga"], 1)


def test_a_claim_that_lost_its_evidence_since_is_not_written(store: Store, wait: Wait) -> None:
    given = claim(id="c1")
    given.evidence.clear()
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(store.write_claim(given))


def test_what_is_no_claim_is_refused(store: Store, wait: Wait) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.write_claim("a text"))  # type: ignore[arg-type]
    assert caught.value.code is INVALID_ARGUMENT


def test_supersedes_given_at_write_transitions_nothing(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="old")))
    wait(store.write_claim(claim("newer", id="new", supersedes="old")))
    wait(store.write_claim(claim("newest", id="newest", supersedes="nothing")))
    old, new = wait(store.get("old")), wait(store.get("new"))
    assert old is not None
    assert new is not None
    assert (old.claim_status, new.supersedes) == ("observed", "old")


def test_query_finds_by_words_and_not_by_substrings(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim("payments-service uses the saga pattern", id="a")))
    wait(store.write_claim(claim("the linter runs before every commit", id="b")))
    assert ids(wait(store.query("What patterns are used for a saga?"))) == ["a"]
    assert wait(store.query("nothing of the kind")) == []


def test_query_orders_the_best_first_and_ties_by_id(store: Store, wait: Wait) -> None:
    for name in ("d", "b", "c", "a"):
        wait(store.write_claim(claim("saga", id=name)))
    wait(store.write_claim(claim("saga pattern", id="z")))
    assert ids(wait(store.query("saga pattern"))) == ["z", "a", "b", "c", "d"]
    assert ids(wait(store.query("saga", limit=2))) == ["a", "b"]


def test_query_with_status_none_filters_nothing(store: Store, wait: Wait) -> None:
    for status in STATUSES:
        wait(store.write_claim(claim("saga", id=status, claim_status=status)))
    assert set(ids(wait(store.query("saga")))) == set(STATUSES)
    assert ids(wait(store.query("saga", status=["disputed"]))) == ["disputed"]
    assert wait(store.query("saga", status=[])) == []


class Busy(Meanings):
    """An embedder during whose answer somebody else does something."""

    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Return the vector of what is looked for, after what happens meanwhile."""
        self.meanwhile()
        return super().embed_question(text)


def test_what_is_found_by_its_status_has_it_while_others_write(tmp_path: Path, wait: Wait) -> None:
    path, embedder = tmp_path / "memory.db", Busy()
    with (
        recollect.open(path, embedder=embedder, search_mode="hybrid") as nexus,
        SQLiteKnowledgeStore(path) as other,
    ):
        store = NexusKnowledgeStore(nexus)
        wait(store.write_claim(claim(id="c1", claim_status="verified")))
        embedder.meanwhile = lambda: asyncio.run(other.transition("c1", "disputed"))
        (found,) = wait(store.query("sagas", status=["verified"]))
        assert found.claim_status == "verified"
        assert wait(store.query("sagas", status=["verified"])) == []


def test_query_takes_ten_when_nothing_is_said(store: Store, wait: Wait) -> None:
    wait(store.write_claims([claim("saga", id=f"c{number:02}") for number in range(12)]))
    assert len(wait(store.query("saga"))) == 10
    assert len(wait(store.query("saga", limit=12))) == 12


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "3"])
def test_a_limit_below_one_is_refused(store: Store, wait: Wait, limit: object) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.query("saga", limit=limit))  # type: ignore[arg-type]
    assert caught.value.code is INVALID_ARGUMENT


def test_scope_filters_are_exact(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim("saga", id="repo", scope_type="repo", scope_id="r")))
    wait(store.write_claim(claim("saga", id="other", scope_type="repo", scope_id="r/sub")))
    wait(store.write_claim(claim("saga", id="project", scope_type="project", scope_id="r")))
    wait(store.write_claim(claim("saga", id="none")))
    assert ids(wait(store.query("saga", scope=REPO))) == ["repo"]
    assert ids(wait(store.list(scope=REPO))) == ["repo"]
    assert len(wait(store.query("saga"))) == 4


def test_a_project_without_a_scope_is_the_scope(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim("saga", id="project", project="p")))
    wait(store.write_claim(claim("saga", id="other", project="q")))
    wait(store.write_claim(claim("saga", id="repo", project="p", scope_type="repo", scope_id="r")))
    assert ids(wait(store.query("saga", scope=Scope("project", "p")))) == ["project"]
    held = wait(store.get("project"))
    assert held is not None
    assert (held.scope_type, held.scope_id) == (None, None)


def test_a_limit_may_be_more_than_there_is(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c1")))
    limit = 10_000 if isinstance(store, RemoteKnowledgeStore) else 10**30
    for found in (store.query("sagas", limit=limit), store.list(limit=limit)):
        assert ids(wait(found)) == ["c1"]


def test_an_instant_of_either_clock_may_be_asked_about(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c")))
    (first, *_) = store.nexus.changes(limit=1)
    at = first.transaction.at
    for then, held in (
        (AsOf(known=Instant(at - 1)), []),
        (AsOf(known=Instant(at + 10_000)), ["c"]),
        (AsOf(valid=Instant(0)), ["c"]),
        (AsOf(), ["c"]),
    ):
        found = wait(store.recall_scored("sagas", as_of=then))
        assert ids([one for one, _ in found]) == held


@pytest.mark.parametrize("more", [0, 1])
def test_the_id_of_something_else_is_a_conflict(store: Store, wait: Wait, more: int) -> None:
    store.nexus.write([PutConcept("Drug", "Aspirin", id="taken")])
    others = [claim(id="free")] * more
    with pytest.raises(RecollectError) as caught:
        wait(store.write_claims([*others, claim(id="taken")]))
    assert caught.value.code is CONFLICT
    assert wait(store.count()) == 0


def test_an_unknown_status_is_refused_with_the_nearest(store: Store, wait: Wait) -> None:
    for asked in (store.query("saga", status=["obsreved"]), store.transition("c", "obsreved")):
        with pytest.raises(RecollectError) as caught:
            wait(asked)
        assert caught.value.known[0] == "observed"


@pytest.mark.parametrize(
    "question", ["a" * 100_000, 'OR AND NOT "', "\ud800", "*", "saga* NEAR(x)"]
)
def test_no_question_does_harm(store: Store, wait: Wait, question: str) -> None:
    wait(store.write_claim(claim(id="c1")))
    assert len(wait(store.query(question))) <= 1


def test_history_has_every_event_with_its_evidence(store: Store, wait: Wait) -> None:
    conflicting = [from_tool_result("t1"), from_url("https://x.org")]
    wait(store.write_claim(claim(id="c1")))
    wait(store.transition("c1", "verified"))
    wait(store.transition("c1", "disputed", evidence=conflicting, reason="the test says so"))
    events = wait(store.history("c1"))
    assert [(one.sequence, one.event, one.from_status, one.to_status) for one in events] == [
        (1, "created", None, "observed"),
        (2, "verified", "observed", "verified"),
        (3, "disputed", "verified", "disputed"),
    ]
    assert events[0].evidence == [from_file("src/saga.py")]
    assert (events[2].evidence, events[2].reason) == (conflicting, "the test says so")
    assert events[0].at <= events[1].at <= events[2].at
    assert {one.claim_id for one in events} == {"c1"}


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.history("nobody"),
        lambda store: store.transition("nobody", "verified"),
        lambda store: store.supersede("nobody", "c1"),
        lambda store: store.supersede("c1", "nobody"),
        lambda store: store.superseded_by("nobody"),
    ],
)
def test_an_unknown_id_is_an_error(store: Store, wait: Wait, call: object) -> None:
    wait(store.write_claim(claim(id="c1")))
    with pytest.raises(RecollectError) as caught:
        wait(call(store))  # type: ignore[operator]
    assert caught.value.code is RESOURCE_NOT_FOUND


def test_get_of_an_unknown_id_is_none(store: Store, wait: Wait) -> None:
    assert wait(store.get("nobody")) is None


def test_a_claim_of_another_group_is_not_there(store: Store, wait: Wait) -> None:
    assert wait(store.get("c0")) is None
    assert wait(store.query("decoys")) == []
    assert wait(store.list()) == []
    assert wait(store.attention()) == []


def test_lists_go_from_the_newest_to_the_oldest_page_by_page(store: Store, wait: Wait) -> None:
    for number in range(5):
        wait(store.write_claim(claim(id=f"c{number}", created_at=float(10 + number))))
    assert ids(wait(store.list(limit=2))) == ["c4", "c3"]
    assert ids(wait(store.list(limit=2, after="c3"))) == ["c2", "c1"]
    assert ids(wait(store.list(limit=2, after="c1"))) == ["c0"]
    assert wait(store.list(limit=2, after="c0")) == []


def test_lists_are_by_everything_a_page_is_about(store: Store, wait: Wait) -> None:
    wait(
        store.write_claim(
            claim(
                id="c1",
                session_id="s",
                domain="architecture",
                project="p",
                scope_type="run",
                scope_id="run-1",
                tags=["saga", "2pc"],
                evidence=[from_artifact("report")],
            )
        )
    )
    wait(store.write_claim(claim(id="c2", scope_type="agent", scope_id="pr-reviewer")))
    wait(store.transition("c2", "disputed", evidence=[from_artifact("log")]))
    for asked in (
        {"session": "s"},
        {"domain": "architecture"},
        {"project": "p"},
        {"run": "run-1"},
        {"tag": "saga"},
        {"artifact": "report"},
        {"tag": "2pc", "domain": "architecture"},
        {"scope": Scope("run", "run-1"), "status": ["observed", "verified"]},
    ):
        assert ids(wait(store.list(**asked))) == ["c1"], asked  # type: ignore[arg-type]
        assert wait(store.count(**asked)) == 1, asked  # type: ignore[arg-type]
    assert ids(wait(store.list(agent="pr-reviewer"))) == ["c2"]
    assert ids(wait(store.list(artifact="log", status=["disputed"]))) == ["c2"]
    assert wait(store.list(tag="saga", status=["disputed"])) == []
    assert wait(store.count()) == 2


def test_tagged_lists_have_pages_too(store: Store, wait: Wait) -> None:
    for number in range(3):
        wait(store.write_claim(claim(id=f"c{number}", created_at=10.0 + number, tags=["t"])))
    assert ids(wait(store.list(tag="t", limit=2))) == ["c2", "c1"]
    assert ids(wait(store.list(tag="t", limit=2, after="c1"))) == ["c0"]


def test_lists_and_counts_are_of_more_claims_than_an_answer_of_kip_may_have(wait: Wait) -> None:
    with recollect.open(":memory:", limits=Limits(max_rows=2)) as nexus:
        store, evidence = NexusKnowledgeStore(nexus), [from_artifact("r")]
        made = [
            claim(id=f"c{at}", created_at=10.0 + at, tags=["t"], evidence=evidence)
            for at in range(5)
        ]
        wait(store.write_claims(made))
        wait(NexusKnowledgeStore(nexus.group("decoy")).write_claims(made))
        then = AsOf(transaction=nexus.stats().transactions)
        newest = ["c4", "c3", "c2", "c1", "c0"]
        for lens in ({"tag": "t"}, {"artifact": "r"}, {"tag": "t", "artifact": "r"}):
            assert wait(store.count(**lens)) == 5
            assert ids(wait(store.list(**lens))) == newest
            assert ids(wait(store.list(**lens, limit=2, after="c3"))) == ["c2", "c1"]
        for limit in (1, 3, 10):
            held = wait(store.recall_scored("", limit=limit, as_of=then))
            assert ids([one for one, _ in held]) == newest[:limit]


@STEPS
def test_lists_and_counts_take_no_more_steps_than_the_memory_allows(
    tmp_path: Path, wait: Wait
) -> None:
    path = tmp_path / "memory.db"
    with SQLiteKnowledgeStore(path) as store:
        wait(store.write_claims([claim(id=f"c{at}", tags=["t"]) for at in range(1_000)]))
        assert wait(store.count(tag="t")) == 1_000
        then = AsOf(transaction=store.nexus.stats().transactions)
    with recollect.open(path, limits=Limits(max_steps=10_000)) as nexus:
        limited = NexusKnowledgeStore(nexus)
        recalled = limited.recall_scored("", as_of=then)
        for call in (limited.count(tag="t"), limited.list(tag="t"), recalled):
            with pytest.raises(RecollectError) as caught:
                wait(call)
            assert caught.value.code is RESOURCE_EXHAUSTED


def test_a_show_has_every_claim_of_one_instant_on_one_page(store: Store, wait: Wait) -> None:
    for number in range(3):
        wait(store.write_claim(claim(id=f"old{number}", created_at=5.0)))
    with acting(Actor("user", show_id="show-1")):
        for number in range(3):
            wait(store.write_claim(claim(id=f"new{number}", created_at=5.0, tags=["t"])))
            wait(store.supersede(f"old{number}", f"new{number}"))
    pages: list[str] = []
    while page := wait(store.list(show="show-1", limit=2, after=pages[-1] if pages else None)):
        pages += ids(page)
    assert pages == ["new2", "new1", "new0", "old2", "old1", "old0"]
    assert ids(wait(store.list(show="show-1", tag="t", limit=2))) == ["new2", "new1"]
    assert wait(store.list(show="show-2", tag="t")) == []
    assert (wait(store.count(show="show-1")), wait(store.count(show="show-1", tag="t"))) == (6, 3)


def test_a_page_goes_on_after_a_claim_that_left_the_list(store: Store, wait: Wait) -> None:
    for number in range(3):
        wait(store.write_claim(claim(id=f"c{number}", created_at=10.0 + number, tags=["t"])))
    wait(store.transition("c1", "verified"))
    for lens in ({}, {"tag": "t"}):
        asked = {"status": ["observed"], "limit": 1, **lens}
        assert ids(wait(store.list(after="c1", **asked))) == ["c0"]  # type: ignore[arg-type]


@pytest.mark.parametrize("lens", [{}, {"tag": "t"}, {"show": "s"}, {"artifact": "a"}], ids=str)
@pytest.mark.parametrize("after", ["nobody", "the tag"])
def test_a_page_after_what_is_no_claim_is_refused(
    store: Store, wait: Wait, lens: dict[str, str], after: str
) -> None:
    wait(store.write_claim(claim(id="c1", tags=["t"])))
    store.nexus.write([PutConcept("Tag", "tag", id="the tag")])
    with pytest.raises(RecollectError) as caught:
        wait(store.list(after=after, **lens))  # type: ignore[arg-type]
    assert caught.value.code is INVALID_ARGUMENT
    assert caught.value.message == f'no claim has the id "{after}"'


def test_what_cannot_be_asked_for_is_refused_everywhere_in_the_same_words(
    store: Store, wait: Wait
) -> None:
    calls: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
        "claim_id has 90000 characters, and 4096 is the most": lambda: store.get("x" * 90_000),
        "tag has 5000 characters, and 4096 is the most": lambda: store.list(tag="x" * 5_000),
        "claim_id has 4097 characters, and 4096 is the most": lambda: store.history("x" * 4_097),
        "old_id has 4097 characters, and 4096 is the most": lambda: store.supersede(
            "x" * 4_097, "c"
        ),
        "after is not Unicode text": lambda: store.list(after="\ud800"),
        "after is of type int, not a text": lambda: store.list(after=5),  # type: ignore[arg-type]
        "5 is not the id of an event": lambda: store.events(after=5),  # type: ignore[arg-type]
        "'\\ud800' is not the id of an event": lambda: store.events(after="\ud800"),
        "as_of is of type int, not an AsOf": lambda: store.recall_scored(
            "x",
            as_of=5,  # type: ignore[arg-type]
        ),
        f"the instant {2**80} is outside the range of the clock": lambda: store.recall_scored(
            "x", as_of=AsOf(known=Instant(2**80))
        ),
    }
    for message, call in calls.items():
        with pytest.raises(RecollectError) as caught:
            wait(call())
        assert (caught.value.code, caught.value.message) == (INVALID_ARGUMENT, message)
        assert caught.value.hint


def test_a_store_that_is_closed_says_so(store: Store, wait: Wait) -> None:
    store.close()  # type: ignore[attr-defined]
    calls = (lambda: store.query("x"), lambda: store.get("c"), lambda: store.write_claim(claim()))
    for call in calls:
        with pytest.raises(RecollectError) as caught:
            wait(call())
        assert caught.value.code is STORE_CLOSED


def test_equal_references_are_one_piece_of_evidence(store: Store, wait: Wait) -> None:
    same = EvidenceRef("url", url="https://x.org", fetched_at=1)
    equal = EvidenceRef("url", url="https://x.org", fetched_at=1.0)
    wait(store.write_claim(claim(id="a", evidence=[same, equal])))
    wait(store.write_claim(claim(id="b", evidence=[equal])))
    (rows,) = store.nexus.read('FIND(COUNT(?e)) WHERE { ?e {type: "Evidence"} }').results
    assert rows.rows == [(1,)]  # type: ignore[union-attr]
    assert len(wait(store.get("a")).evidence) == 2  # type: ignore[union-attr]


def test_references_fetched_at_either_zero_are_one_piece_of_evidence(
    store: Store, wait: Wait
) -> None:
    for name, zero in (("a", 0.0), ("b", -0.0)):
        wait(store.write_claim(claim(id=name, evidence=[from_url("https://x.org", zero)])))
    (rows,) = store.nexus.read('FIND(COUNT(?e)) WHERE { ?e {type: "Evidence"} }').results
    assert rows.rows == [(1,)]  # type: ignore[union-attr]


def test_an_unavailable_store_raises_and_is_not_an_empty_answer(store: Store, wait: Wait) -> None:
    store.nexus.close()
    with pytest.raises(RecollectError) as caught:
        wait(store.query("saga"))
    assert caught.value.code in (STORE_CLOSED, UNAVAILABLE)


def test_calls_may_overlap(store: Store, wait: Wait) -> None:
    async def many() -> list[str | None]:
        return await asyncio.gather(
            *(store.write_claim(claim("saga", id=f"c{number}")) for number in range(20))
        )

    assert wait(many()) == [f"c{number}" for number in range(20)]
    assert wait(store.count()) == 20


@pytest.mark.parametrize("path", [b"x.db", 5, None, "", "file:folder/x.db"])
def test_what_names_no_file_is_refused_and_makes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RecollectError) as caught:
        SQLiteKnowledgeStore(path)
    assert caught.value.code is INVALID_ARGUMENT
    assert list(tmp_path.iterdir()) == []
