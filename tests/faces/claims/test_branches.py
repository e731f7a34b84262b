"""Branches and sessions: learn, recall, verify and dispute on any store of five methods."""

from __future__ import annotations

from typing import Any

import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.errors import INVALID_ARGUMENT, STORE_BUSY, RecollectError
from recollect.faces.claims import (
    Actor,
    Branch,
    Claim,
    ClaimEvent,
    DataLogger,
    EvidenceRef,
    KnowledgeStore,
    LogEntry,
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    NullKnowledgeStore,
    Scope,
    Session,
    acting,
    acting_now,
    claim_line,
    from_file,
    from_user_statement,
)
from recollect.model import Key

KEYS = {
    "event", "claim_id", "claim_status", "evidence_count", "evidence_kinds", "scope_type",
    "scope_id", "actor_type", "actor_id", "branch_id", "session_id", "timestamp",
}  # fmt: skip
FILE = [from_file("a.py")]


class Recording:
    """A store of exactly the five methods, that keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.claims: list[Claim] = []

    def __len__(self) -> int:
        return 0

    async def write_claim(self, claim: Claim) -> str:
        self.calls.append(("write_claim", (claim,), {}))
        self.claims.append(claim)
        return claim.id

    async def query(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: list[str] | None = None,
        limit: int = 10,
    ) -> list[Claim]:
        self.calls.append(
            ("query", (question,), {"scope": scope, "status": status, "limit": limit})
        )
        return self.claims[:limit]

    async def transition(
        self,
        claim_id: str,
        new_status: str,
        *,
        evidence: list[EvidenceRef] | None = None,
        reason: str | None = None,
    ) -> None:
        self.calls.append(
            ("transition", (claim_id, new_status), {"evidence": evidence, "reason": reason})
        )

    async def supersede(self, old_id: str, new_id: str) -> None:
        self.calls.append(("supersede", (old_id, new_id), {}))

    async def history(self, claim_id: str) -> list[ClaimEvent]:
        self.calls.append(("history", (claim_id,), {}))
        return []


def test_a_branch_without_a_store_costs_nothing(wait: Wait) -> None:
    branch = Branch(system="You are a researcher")
    assert isinstance(branch._knowledge_store, NullKnowledgeStore)
    assert wait(branch.learn("a fact", evidence=FILE)) is None
    assert wait(branch.recall("a fact")) == []
    wait(branch.verify("nobody"))
    wait(branch.dispute("nobody", "because"))
    assert branch.logger.entries == []


def test_a_null_store_is_a_knowledge_store_that_keeps_nothing(wait: Wait) -> None:
    null = NullKnowledgeStore()
    assert isinstance(null, KnowledgeStore)
    assert wait(null.write_claim(Claim("a fact", FILE))) is None
    assert wait(null.query("a fact", status=["observed"], limit=0)) == []
    assert wait(null.history("x")) == []
    wait(null.supersede("a", "b"))


def test_even_without_a_store_evidence_is_required(wait: Wait) -> None:
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(Branch().learn("a fact", evidence=[]))


def test_a_branch_has_the_store_of_its_session(wait: Wait) -> None:
    store = Recording()
    session = Session(knowledge_store=store)
    branch = session.new_branch(system="x")
    assert branch._knowledge_store is session._knowledge_store is store
    isolated = session.new_branch(system="x", knowledge_store=NullKnowledgeStore())
    assert wait(isolated.learn("a fact", evidence=FILE)) is None
    assert store.calls == []
    assert session.new_branch()._knowledge_store is store


def test_a_store_that_is_falsy_is_still_a_store() -> None:
    store = Recording()
    assert not store
    assert Branch(knowledge_store=store)._knowledge_store is store
    assert Session(knowledge_store=store).new_branch()._knowledge_store is store


class Shelf(dict[str, Claim]):
    """A store that is a dict, so it is false while it is empty, and has a `get` of another kind."""

    async def write_claim(self, claim: Claim) -> str:
        self[claim.id] = claim
        return claim.id

    async def query(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: list[str] | None = None,
        limit: int = 10,
    ) -> list[Claim]:
        del question, scope, status
        return list(self.values())[:limit]

    async def transition(
        self,
        claim_id: str,
        new_status: str,
        *,
        evidence: list[EvidenceRef] | None = None,
        reason: str | None = None,
    ) -> None:
        del evidence, reason
        self[claim_id].claim_status = new_status

    async def supersede(self, old_id: str, new_id: str) -> None:
        del new_id
        self[old_id].claim_status = "superseded"

    async def history(self, claim_id: str) -> list[ClaimEvent]:
        del claim_id
        return []


def test_a_store_may_be_a_dict(wait: Wait) -> None:
    store = Shelf()
    branch = Branch(knowledge_store=store)
    claim_id = wait(branch.learn("a fact", FILE))
    wait(branch.verify(claim_id))
    assert store[claim_id].claim_status == "verified"
    wait(branch.dispute(claim_id, "because"))
    assert store[claim_id].claim_status == "disputed"


class Breaking(Recording):
    """A store whose extras fail in their own way."""

    async def get(self, claim_id: str) -> Claim | None:
        raise OSError(claim_id)

    async def record_rejection(self, text: str) -> str:
        raise OSError(text)


def test_what_a_store_has_besides_never_stops_the_action(wait: Wait) -> None:
    store = Breaking()
    branch = Branch(knowledge_store=store)
    wait(branch.verify("c"))
    assert [name for name, _, _ in store.calls] == ["transition"]
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(branch.learn("a rumour", []))
    assert ["OSError" in one for one in branch.logger.warnings] == [True, True]


def test_a_branch_recalls_what_others_wrote_of_its_project(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    wait(store.write_claim(Claim("saga of ours", FILE, project="payments")))
    wait(store.write_claim(Claim("saga of theirs", FILE, project="ledger")))
    branch = Branch(knowledge_store=store, project="payments")
    assert [one.text for one in wait(branch.recall("saga"))] == ["saga of ours"]


def test_an_actor_may_name_its_session_where_there_is_none(wait: Wait) -> None:
    store = Recording()
    wait(Branch(knowledge_store=store, actor=Actor("user", "ann", "s1")).learn("a fact", FILE))
    assert store.claims[0].session_id == "s1"


@pytest.mark.parametrize("name", ["scope", "actor"])
@pytest.mark.parametrize("begin", [Branch, Session, Session().new_branch])
def test_what_is_no_scope_and_no_actor_begins_nothing(begin: Any, name: str) -> None:
    for wrong in (5, ["repo"], {}, 0, *(["repo", ""] if name == "scope" else [])):
        with pytest.raises(RecollectError, match=f"{name} is of type") as caught:
            begin(**{name: wrong})
        assert caught.value.code is INVALID_ARGUMENT


@pytest.mark.parametrize("name", ["project", "run", "show"])
@pytest.mark.parametrize("begin", [Branch, Session, Session().new_branch])
def test_what_is_no_text_begins_nothing(begin: Any, name: str) -> None:
    for wrong in (5, ["p"], "  ", "\ud800"):
        with pytest.raises(RecollectError, match=name) as caught:
            begin(**{name: wrong})
        assert caught.value.code is INVALID_ARGUMENT


@pytest.mark.parametrize("wrong", ["repo", "", 5, {}])
def test_what_is_no_scope_is_refused(wait: Wait, wrong: Any) -> None:
    store = Recording()
    branch = Branch(knowledge_store=store)
    for call in (branch.learn("saga", FILE, scope=wrong), branch.recall("saga", scope=wrong)):
        with pytest.raises(RecollectError, match="scope is of type") as caught:
            wait(call)
        assert caught.value.code is INVALID_ARGUMENT
    assert store.calls == []


def test_learn_auto_populates_the_context(wait: Wait) -> None:
    store = Recording()
    session = Session(knowledge_store=store, project="payments")
    branch = session.new_branch(system="x", actor="pr-reviewer")
    claim_id = wait(branch.learn("a fact", FILE, confidence=0.5, domain="d", tags=["t"]))
    (claim,) = store.claims
    assert claim.id == claim_id
    assert (claim.session_id, claim.branch_id) == (session.id, branch.id)
    assert (claim.actor_type, claim.actor_id, claim.project) == ("agent", "pr-reviewer", "payments")
    assert (claim.confidence, claim.domain, claim.tags) == (0.5, "d", ["t"])
    assert claim.created_at > 0


def test_a_branch_maps_to_the_store_with_the_specified_arguments_only(wait: Wait) -> None:
    store = Recording()
    branch = Branch(system="x", knowledge_store=store)
    wait(branch.recall("a question"))
    wait(branch.recall("a question", limit=2, status=["disputed"]))
    wait(branch.verify("c", FILE))
    wait(branch.dispute("c", "because", FILE))
    active = ["observed", "inferred", "verified"]
    assert store.calls == [
        ("query", ("a question",), {"scope": None, "status": active, "limit": 5}),
        ("query", ("a question",), {"scope": None, "status": ["disputed"], "limit": 2}),
        ("transition", ("c", "verified"), {"evidence": FILE, "reason": None}),
        ("transition", ("c", "disputed"), {"evidence": FILE, "reason": "because"}),
    ]


def test_recall_leaves_out_what_is_contested_unless_asked(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    branch = Branch(knowledge_store=store)
    for status in ("observed", "inferred", "hypothesis", "verified", "disputed", "superseded"):
        wait(branch.learn(f"saga {status}", FILE, status=status))
    found = wait(branch.recall("saga"))
    assert {one.claim_status for one in found} == {"observed", "inferred", "verified"}
    (disputed,) = wait(branch.recall("saga", status=["disputed"]))
    assert disputed.claim_status == "disputed"


def test_recall_takes_five_and_refuses_less_than_one(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    branch = Branch(knowledge_store=store)
    for number in range(7):
        wait(branch.learn(f"saga {number}", FILE))
    assert len(wait(branch.recall("saga"))) == 5
    with pytest.raises(RecollectError) as caught:
        wait(branch.recall("saga", limit=0))
    assert caught.value.code is INVALID_ARGUMENT


def test_a_branch_with_a_project_recalls_that_project_only(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    ours, theirs = (Branch(knowledge_store=store, project=name) for name in ("payments", "ledger"))
    wait(ours.learn("saga of ours", FILE))
    wait(theirs.learn("saga of theirs", FILE))
    assert [one.project for one in wait(ours.recall("saga"))] == ["payments"]
    assert len(wait(ours.recall("saga", widen=True))) == 2


def test_a_branch_of_a_project_recalls_what_is_of_it_whatever_its_scope(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    repo = Scope("repo", "r")
    ours, theirs = (Branch(knowledge_store=store, project=name) for name in ("payments", "ledger"))
    wait(ours.learn("saga of ours", FILE))
    wait(ours.learn("saga of our repo", FILE, scope=repo))
    wait(theirs.learn("saga of their repo", FILE, scope=repo))
    wait(Branch(knowledge_store=store).learn("saga of nobody", FILE))
    about = Scope("project", "payments")
    wait(Branch(knowledge_store=store, scope=about).learn("saga about ours", FILE))
    whole = {"saga of ours", "saga of our repo", "saga about ours"}
    assert {one.text for one in wait(ours.recall("saga"))} == whole
    assert {one.text for one in wait(store.list(project="payments"))} == whole
    assert [one.text for one in wait(ours.recall("saga", scope=repo))] == ["saga of our repo"]
    assert {one.text for one in wait(ours.recall("saga", scope=about))} == whole - {
        "saga of our repo"
    }
    plain = Recording()
    plain.claims = wait(store.query("saga"))
    other = Branch(knowledge_store=plain, project="payments")
    assert {one.text for one in wait(other.recall("saga"))} == whole


@pytest.mark.parametrize(("others", "found"), [(0, 1), (19, 1), (20, 1), (500, 1), (10_000, 0)])
def test_a_branch_of_a_project_asks_a_plain_store_for_more_until_it_has_enough(
    wait: Wait, others: int, found: int
) -> None:
    plain = Recording()
    theirs = Claim("saga of theirs", FILE, project="ledger")
    plain.claims = [*[theirs] * others, Claim("saga of ours", FILE, project="payments")]
    branch = Branch(knowledge_store=plain, project="payments", scope=Scope("repo", "r"))
    assert len(wait(branch.recall("saga"))) == found
    limits = [call[2]["limit"] for call in plain.calls]
    assert limits == [20, 80, 320, 1_280, 5_120, 10_000][: len(limits)]
    plain.calls.clear()
    assert len(wait(branch.recall("saga", limit=20_000))) == 1
    assert [call[2]["limit"] for call in plain.calls] == [80_000]


def test_a_branch_of_a_project_works_on_a_store_that_scores_without_projects(wait: Wait) -> None:
    class Scoring(Recording):
        async def recall_scored(
            self,
            question: str,
            *,
            scope: Scope | None = None,
            status: list[str] | None = None,
            limit: int = 10,
        ) -> list[tuple[Claim, float]]:
            found = await self.query(question, scope=scope, status=status, limit=limit)
            return [(one, 1.0) for one in found]

    branch = Branch(knowledge_store=Scoring(), project="payments")
    claim_id = wait(branch.learn("payments uses sagas", FILE))
    assert [one.id for one in wait(branch.recall("sagas"))] == [claim_id]


def test_a_scoped_branch_of_a_project_sees_neither_other_scopes_nor_other_projects(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    me = Scope("agent", "pr-reviewer")
    ours = Branch(knowledge_store=store, project="payments", scope=me)
    theirs = Branch(knowledge_store=store, project="ledger", scope=me)
    wait(ours.learn("saga of ours", FILE))
    wait(theirs.learn("saga of theirs", FILE))
    wait(ours.learn("saga of the project", FILE, scope=Scope("project", "payments")))
    assert [one.text for one in wait(ours.recall("saga"))] == ["saga of ours"]
    plain = Recording()
    plain.claims = wait(store.query("saga"))
    other = Branch(knowledge_store=plain, project="payments", scope=me)
    assert {one.project for one in wait(other.recall("saga"))} == {"payments"}


def test_scope_type_repo_is_queried_apart_from_project_facts(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    repo = Scope("repo", "github.com/acme/payments")
    reviewer = Branch(knowledge_store=store, scope=repo)
    wait(reviewer.learn("saga in the repo", FILE))
    wait(Branch(knowledge_store=store, project="payments-platform").learn("saga everywhere", FILE))
    assert [one.text for one in wait(reviewer.recall("saga"))] == ["saga in the repo"]


def test_who_acts_stands_in_the_history(store: NexusKnowledgeStore, wait: Wait) -> None:
    session = Session(knowledge_store=store, run="run-1")
    agent = session.new_branch(actor="pr-reviewer")
    person = session.new_branch(actor=Actor("user", "ann"))
    claim_id = wait(agent.learn("saga", FILE))
    assert claim_id is not None
    wait(person.verify(claim_id))
    created, verified = wait(store.history(claim_id))
    assert (created.actor_type, created.actor_id, created.branch_id) == (
        "agent",
        "pr-reviewer",
        agent.id,
    )
    assert (verified.actor_type, verified.actor_id, verified.session_id) == (
        "user",
        "ann",
        session.id,
    )
    assert [one.id for one in wait(store.list(run="run-1"))] == [claim_id]
    assert acting_now() == Actor()


def test_a_claim_tells_who_created_it_where_nobody_acts(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    told = {"actor_type": "user", "actor_id": "ann", "session_id": "S", "branch_id": "B"}
    wait(store.write_claim(claim(id="c", claim_status="verified", **told)))
    (created,) = wait(store.history("c"))
    assert {name: getattr(created, name) for name in told} == told
    assert claim_line(claim(claim_status="verified"), [created]).startswith("verified · by user · ")
    assert store.nexus.changes()[-1].transaction.actor == "ann"
    with acting(Actor("tool", "importer")):
        wait(store.write_claim(claim(id="d", **told)))
    (created,) = wait(store.history("d"))
    assert (created.actor_type, created.actor_id, created.session_id) == ("tool", "importer", None)
    assert store.nexus.changes()[-1].transaction.actor == "importer"


@pytest.mark.parametrize(("other", "logged"), [("ann", "ann"), ("bob", "system")])
def test_claims_of_one_write_are_each_of_who_created_them(
    store: NexusKnowledgeStore, wait: Wait, other: str, logged: str
) -> None:
    by = {"c": "ann", "d": other}
    wait(store.write_claims([claim(id=id, actor_id=name) for id, name in by.items()]))
    assert {id: wait(store.history(id))[0].actor_id for id in by} == by
    assert store.nexus.changes()[-1].transaction.actor == logged


def test_a_show_has_what_was_written_and_what_was_superseded_in_it(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    from_before = wait(Branch(knowledge_store=store).learn("saga", FILE))
    during = wait(Branch(knowledge_store=store, show="show-1").learn("2pc", FILE))
    assert from_before is not None
    assert during is not None
    assert [one.id for one in wait(store.list(show="show-1"))] == [during]
    with acting(Actor("user", show_id="show-1")):
        wait(store.supersede(from_before, during))
    assert {one.id for one in wait(store.list(show="show-1"))} == {during, from_before}
    assert wait(store.count(show="show-1")) == 2


def test_every_action_is_logged_with_exactly_the_twelve_keys(wait: Wait) -> None:
    logger = DataLogger()
    with MemoryKnowledgeStore(logger=logger) as store:
        branch = Branch(
            knowledge_store=store,
            scope=Scope("repo", "r"),
            actor="a",
            session_id="s",
            logger=logger,
        )
        claim_id = wait(branch.learn("saga", FILE))
        other = wait(branch.learn("2pc", FILE))
        assert claim_id is not None
        assert other is not None
        wait(branch.verify(claim_id, [from_user_statement("s", "m")]))
        wait(branch.dispute(claim_id, "because", [*FILE, *FILE]))
        wait(store.supersede(claim_id, other))
    learned, _, verified, disputed, superseded = logger.entries
    assert all(set(entry) == KEYS for entry in logger.entries)
    assert [entry["event"] for entry in (learned, verified, disputed, superseded)] == [
        "knowledge.learn", "knowledge.verify", "knowledge.dispute", "knowledge.supersede",
    ]  # fmt: skip
    assert [entry["claim_status"] for entry in (learned, verified, disputed, superseded)] == [
        "observed", "verified", "disputed", "superseded",
    ]  # fmt: skip
    assert (learned["evidence_count"], learned["evidence_kinds"]) == (1, ["file"])
    assert (verified["evidence_count"], verified["evidence_kinds"]) == (1, ["user_statement"])
    assert disputed["evidence_count"] == 2
    assert {(one["scope_type"], one["scope_id"]) for one in logger.entries} == {("repo", "r")}
    assert (learned["actor_type"], learned["actor_id"]) == ("agent", "a")
    assert (learned["branch_id"], learned["session_id"]) == (branch.id, "s")


def test_learn_emits_the_entry_before_delegating(wait: Wait) -> None:
    logger = DataLogger()

    class Failing(Recording):
        async def write_claim(self, claim: Claim) -> str:
            assert [entry["claim_id"] for entry in logger.entries] == [claim.id]
            raise RecollectError(STORE_BUSY, "the store is busy")

    branch = Branch(knowledge_store=Failing(), logger=logger)
    with pytest.raises(RecollectError):
        wait(branch.learn("saga", FILE))
    assert len(logger.entries) == 1


def test_a_failing_sink_never_blocks_the_write(store: NexusKnowledgeStore, wait: Wait) -> None:
    def full(entry: LogEntry) -> None:
        raise OSError(f"the disk is full at {entry['event']}")

    branch = Branch(knowledge_store=store, logger=DataLogger(full))
    claim_id = wait(branch.learn("saga", FILE))
    assert claim_id is not None
    wait(branch.verify(claim_id))
    assert wait(store.count(status=["verified"])) == 1
    assert len(branch.logger.warnings) == 2
    assert "the disk is full" in branch.logger.warnings[0]


class Silent:
    """A sink of another kind: it takes nothing, and has no `warnings`."""

    def log(self) -> None:
        raise OSError("the disk is full")


def test_a_sink_without_warnings_never_blocks_the_write(
    store: NexusKnowledgeStore, wait: Wait, caplog: pytest.LogCaptureFixture
) -> None:
    branch = Branch(knowledge_store=store, logger=Silent())  # type: ignore[arg-type]
    claim_id, newer = (wait(branch.learn(text, FILE)) for text in ("saga", "2pc"))
    wait(branch.verify(claim_id))
    wait(branch.dispute(claim_id, "because"))
    store.logger = Silent()  # type: ignore[assignment]
    wait(store.supersede(claim_id, newer))
    assert wait(store.count(status=["superseded"])) == 1
    warned = [one for one in caplog.messages if "was not logged: TypeError" in one]
    events = ("learn", "learn", "verify", "dispute", "supersede")
    assert [one.split(" of ")[0] for one in warned] == [f"knowledge.{one}" for one in events]


def test_what_a_store_has_besides_never_stops_the_action_for_any_sink(
    wait: Wait, caplog: pytest.LogCaptureFixture
) -> None:
    store = Breaking()
    branch = Branch(knowledge_store=store, logger=Silent())  # type: ignore[arg-type]
    wait(branch.verify("c"))
    assert [name for name, _, _ in store.calls] == ["transition"]
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(branch.learn("a rumour", []))
    assert ["OSError" in one for one in caplog.messages] == [True, False, True]


def test_the_log_of_the_memory_holds_the_same_in_the_transaction_of_the_write(
    store: NexusKnowledgeStore, wait: Wait
) -> None:
    branch = Branch(
        knowledge_store=store,
        scope=Scope("repo", "r"),
        actor=Actor("user", "ann"),
        session_id="s",
    )
    store.logger = branch.logger
    newer = wait(branch.learn("2pc", FILE))
    claim_id = wait(branch.learn("saga", [*FILE, from_user_statement("s", "m")]))
    assert claim_id is not None
    held = [kept(store, claim_id)]
    wait(branch.verify(claim_id))
    held.append(kept(store, claim_id))
    wait(branch.dispute(claim_id, "because", [from_user_statement("s", "m"), *FILE]))
    held.append(kept(store, claim_id))
    with acting(Actor("system", "curator", branch_id="b")):
        wait(store.supersede(claim_id, newer))
    held.append(kept(store, claim_id))
    for entry, (said, at) in zip(branch.logger.entries[1:], held, strict=True):
        assert abs(entry.pop("timestamp") - at) < 60  # type: ignore[misc]
        assert entry == said
    assert store.nexus.verify().is_whole


VERBS = {
    "created": "learn",
    "verified": "verify",
    "disputed": "dispute",
    "superseded": "supersede",
}


def kept(store: NexusKnowledgeStore, claim_id: str) -> tuple[dict[str, object], float]:
    """What the memory's log says of the last transaction, as an entry, and when that was."""
    logged = store.nexus.changes()[-1]
    assert claim_id in {one.id for one in logged.changes}
    (life,) = store.nexus.history(Key("Claim", claim_id))
    version = life.versions[-1]
    assert version.after is not None
    assert (version.since, version.since.actor) == (logged.transaction, logged.transaction.actor)
    said: Any = version.after.attributes
    event: Any = said["event"]
    assert logged.transaction.actor == event["actor_id"]
    evidence = [store.nexus.history(Key("Evidence", name))[-1] for name in event["evidence"]]
    kinds: list[Any] = [one.versions[-1].after for one in evidence]
    return {
        "event": f"knowledge.{VERBS[event['event']]}",
        "claim_id": life.id,
        "claim_status": said["claim_status"],
        "evidence_count": len(evidence),
        "evidence_kinds": [one.attributes["kind"] for one in kinds],
        "scope_type": said["scope_type"],
        "scope_id": said["scope_id"],
        "actor_type": event["actor_type"],
        "actor_id": event.get("actor_id"),
        "branch_id": event["branch_id"],
        "session_id": event.get("session_id"),
    }, logged.transaction.at / 1_000
