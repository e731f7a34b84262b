"""lionagi's sessions and branches with a knowledge store, by every way lionagi makes branches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lionagi
import pytest
from lionagi.operations.builder import OperationGraphBuilder
from lionagi.operations.node import create_operation
from lionagi.protocols.action.tool import Tool
from lionagi.protocols.messages import AssistantResponse, RoledMessage
from lionagi.protocols.types import Graph
from tests.integrations.lionagi.conftest import Wait, scripted

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.claims import (
    Actor,
    Claim,
    KnowledgeStore,
    MemoryKnowledgeStore,
    NullKnowledgeStore,
    Scope,
    SQLiteKnowledgeStore,
    from_file,
    from_message,
    from_tool_result,
    from_user_statement,
)
from recollect.integrations.lionagi import Branch, Session, on_message
from recollect.integrations.lionagi.branch import Work

Opened = Callable[..., Session]
EVIDENCE = [from_file("src/saga.py")]


class Empty(NullKnowledgeStore):
    """A store that counts as false."""

    def __len__(self) -> int:
        return 0


def shown(branch: lionagi.Branch, original: lionagi.Branch) -> list[tuple[object, ...]]:
    """What a clone's messages are, but for their ids."""
    names = {str(branch.id): "clone", str(original.id): "original"}
    return [
        (
            type(one).__name__,
            one.content.rendered,
            names.get(str(one.sender), one.sender),
            names.get(str(one.recipient), one.recipient),
        )
        for one in branch.messages
    ]


def test_a_branch_has_the_store_of_its_session(session: Session, store: KnowledgeStore):
    branch = session.new_branch(system="You are a researcher")
    assert branch._knowledge_store is session._knowledge_store is store
    assert isinstance(branch, lionagi.Branch)
    assert branch.system.content.system_message == "You are a researcher"


def test_the_default_branch_has_it_too(session: Session, store: KnowledgeStore):
    assert isinstance(session.default_branch, Branch)
    assert session.default_branch._knowledge_store is store


def test_a_branch_can_opt_out_alone(session: Session, store: KnowledgeStore, wait: Wait):
    isolated = session.new_branch(system="Sandbox", knowledge_store=NullKnowledgeStore())
    assert isinstance(isolated._knowledge_store, NullKnowledgeStore)
    assert wait(isolated.learn("payments use sagas", EVIDENCE)) is None
    assert session.new_branch()._knowledge_store is store


def test_a_store_that_is_false_is_still_a_store(opened: Opened):
    store = Empty()
    session = opened(knowledge_store=store)
    assert session._knowledge_store is session.new_branch()._knowledge_store is store


def test_without_a_store_nothing_is_kept_and_nothing_found(opened: Opened, wait: Wait):
    for branch in (Branch(system="You are a researcher"), opened().new_branch()):
        assert isinstance(branch._knowledge_store, NullKnowledgeStore)
        assert wait(branch.learn("payments use sagas", EVIDENCE)) is None
        assert wait(branch.recall("payments")) == []
        assert len(branch.logs) == 0


def test_a_branch_without_a_session_learns(store: MemoryKnowledgeStore, wait: Wait):
    branch = Branch(system="...", knowledge_store=store)
    claim_id = wait(branch.learn("payments use sagas", EVIDENCE))
    (claim,) = wait(branch.recall("sagas"))
    assert (claim.id, claim.session_id, claim.branch_id) == (claim_id, None, str(branch.id))
    branch.logs.clear()


def test_what_is_learned_says_where_and_by_whom(
    session: Session, branch: Branch, store: MemoryKnowledgeStore, wait: Wait
):
    claim = wait(store.get(wait(branch.learn("payments use sagas", EVIDENCE))))
    assert (claim.session_id, claim.branch_id) == (str(session.id), str(branch.id))
    assert (claim.project, claim.scope_type, claim.scope_id) == (
        "payments",
        "project",
        "payments",
    )
    assert (claim.actor_type, claim.actor_id) == ("agent", "reviewer")
    assert [one.id for one in wait(store.list(run="run-1"))] == [claim.id]


def test_a_branch_may_work_on_something_else(session: Session):
    branch = session.new_branch(scope=Scope("repo", "acme/payments"), actor=Actor("user", "ann"))
    assert branch.work.about() == Scope("repo", "acme/payments")
    assert (branch.work.project, branch.work.run) == ("payments", "run-1")
    assert branch.work.acting_in(None, "b").name == "ann"


@pytest.mark.parametrize("begin", [Branch, Session, Session().new_branch])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"actor": 5}, "actor is of type int, not an Actor"),
        ({"actor": "  "}, "actor_id is blank"),
        ({"scope": "repo:x"}, "scope is of type str, not a Scope"),
        ({"project": "  "}, "project is blank"),
        ({"run": 5}, "run_id is of type int, not a text"),
        ({"show": ""}, "show_id is blank"),
    ],
)
def test_what_a_branch_cannot_work_on_is_refused_when_it_begins(
    begin: Callable[..., object], given: dict[str, Any], message: str
):
    with pytest.raises(RecollectError) as caught:
        begin(**given)
    assert (caught.value.code, caught.value.message) == (INVALID_ARGUMENT, message)


def test_verify_and_dispute_move_a_claim(branch: Branch, store: MemoryKnowledgeStore, wait: Wait):
    claim_id = wait(branch.learn("payments use sagas", EVIDENCE))
    wait(branch.verify(claim_id, [from_user_statement("s", "m")]))
    wait(branch.dispute(claim_id, "the saga is gone", [from_file("src/2pc.py")]))
    statuses = [event.to_status for event in wait(store.history(claim_id))]
    assert statuses == ["observed", "verified", "disputed"]
    assert wait(branch.recall("sagas")) == []


def test_a_claim_without_evidence_is_refused(
    branch: Branch, store: MemoryKnowledgeStore, wait: Wait
):
    with pytest.raises(ValueError, match="A Claim requires at least one EvidenceRef"):
        wait(branch.learn("payments use sagas", []))
    (item,) = wait(store.attention())
    assert item.code == "knowledge.rejected.empty_evidence"


def test_every_action_is_in_the_log_of_the_branch(session: Session, branch: Branch, wait: Wait):
    claim_id = wait(branch.learn("payments use sagas", EVIDENCE))
    wait(branch.verify(claim_id))
    wait(branch.dispute(claim_id, "the saga is gone"))
    entries = [log.content for log in branch.logs]
    assert [one["event"] for one in entries] == [
        "knowledge.learn",
        "knowledge.verify",
        "knowledge.dispute",
    ]
    assert all(len(one) == 12 for one in entries)
    assert {one["session_id"] for one in entries} == {str(session.id)}
    assert {one["branch_id"] for one in entries} == {str(branch.id)}
    assert branch.logger.warnings == []


def test_a_session_gives_a_store_to_a_branch_that_has_none(opened: Opened, store: KnowledgeStore):
    own = NullKnowledgeStore()
    alone, stubborn = Branch(), Branch(knowledge_store=own)
    session = opened(knowledge_store=store, project="payments")
    session.include_branches(iter([alone, stubborn]))
    assert (alone._knowledge_store, stubborn._knowledge_store) == (store, own)
    assert alone.work.project == "payments"


def test_a_branch_keeps_its_store_when_it_leaves(
    session: Session, branch: Branch, store: MemoryKnowledgeStore, opened: Opened, wait: Wait
):
    session.remove_branch(branch)
    claim = wait(store.get(wait(branch.learn("payments use sagas", EVIDENCE))))
    assert claim.session_id is None
    other = opened(knowledge_store=NullKnowledgeStore())
    other.include_branches(branch)
    assert branch._knowledge_store is store


def test_a_plain_branch_of_lionagi_may_take_part(session: Session):
    plain = lionagi.Branch()
    session.include_branches(plain)
    assert plain in session.branches
    assert not hasattr(plain, "learn")


def test_a_plain_session_of_lionagi_takes_ours(store: MemoryKnowledgeStore, wait: Wait):
    branch = Branch(knowledge_store=store)
    session = lionagi.Session(default_branch=branch)
    claim = wait(store.get(wait(branch.learn("payments use sagas", EVIDENCE))))
    assert claim.session_id == str(session.id)
    assert isinstance(session.split(branch.id), Branch)
    branch.logs.clear()


def test_a_split_branch_knows_what_the_first_knows(session: Session, branch: Branch, wait: Wait):
    wait(branch.learn("payments use sagas", EVIDENCE))
    for half in (session.split(branch.id), wait(session.asplit(branch.id))):
        assert isinstance(half, Branch)
        assert half.id != branch.id
        assert half.id in session.branches
        assert [one.text for one in wait(half.recall("sagas"))] == ["payments use sagas"]
        assert half.work == branch.work


def test_a_clone_is_what_a_clone_of_lionagi_is(wait: Wait):
    def talked(made: lionagi.Branch) -> lionagi.Branch:
        wait(made.communicate("Review #1842"))
        made.metadata["current_progression"] = type(made.progression)(order=[*made.progression][1:])
        made.logs.clear()
        return made

    made = {"system": "You review.", "name": "one", "tools": [Tool(func_callable=abs)]}
    plain = talked(lionagi.Branch(chat_model=scripted(), **made))
    ours = talked(Branch(chat_model=scripted(), project="payments", run="run-1", **made))
    for sender in (None, lionagi.Branch().id):
        expected, clone = plain.clone(sender), ours.clone(sender)
        assert isinstance(clone, Branch)
        assert shown(clone, ours) == shown(expected, plain)
        assert [*clone.tools] == [*expected.tools] == ["abs"]
        assert len(clone.progression) == len(expected.progression)
        assert set(clone.progression) <= {one.id for one in clone.messages}
        assert clone.metadata["clone_from"] is ours
        assert clone.chat_model is clone.parse_model
        assert clone.name == expected.name
        assert clone.work == ours.work == Work("payments", run="run-1")


def test_a_restored_branch_is_given_a_store_again(
    branch: Branch, store: MemoryKnowledgeStore, wait: Wait
):
    wait(branch.communicate("Review #1842"))
    snapshot = branch.to_dict(mode="json", include_logs=False)
    restored = Branch.from_dict(snapshot, knowledge_store=store)
    assert restored._knowledge_store is store
    assert (restored.id, restored.work) == (branch.id, branch.work)
    assert [one.id for one in restored.messages] == [one.id for one in branch.messages]
    assert restored.system.id == branch.system.id
    assert isinstance(Branch.from_dict(snapshot)._knowledge_store, NullKnowledgeStore)
    assert isinstance(
        Branch.from_dict(restored.clone().to_dict())._knowledge_store, NullKnowledgeStore
    )


def test_a_restored_session_is_given_a_store_again(
    session: Session, branch: Branch, store: MemoryKnowledgeStore, wait: Wait
):
    wait(branch.learn("payments use sagas", EVIDENCE))
    restored = Session.from_dict(session.to_dict(mode="json"), knowledge_store=store)
    assert isinstance(restored, Session)
    assert (restored.id, restored.work) == (session.id, session.work)
    assert all(one._knowledge_store is store for one in restored.branches)
    again = restored.branches[branch.id]
    assert [one.text for one in wait(again.recall("sagas"))] == ["payments use sagas"]
    again.logs.clear()


@pytest.mark.parametrize("mode", ["python", "json"])
def test_a_restored_branch_that_opted_out_stays_without_a_store(
    session: Session, store: KnowledgeStore, wait: Wait, mode: str
):
    sandbox = session.new_branch(knowledge_store=NullKnowledgeStore())
    copied = session.split(sandbox.id)
    other = session.new_branch()
    for original in (session, Session.from_dict(session.to_dict(mode=mode))):
        restored = Session.from_dict(original.to_dict(mode=mode), knowledge_store=store)
        for one in (sandbox, copied):
            assert isinstance(restored.branches[one.id]._knowledge_store, NullKnowledgeStore)
            assert wait(restored.branches[one.id].learn("payments use sagas", EVIDENCE)) is None
        assert restored.branches[other.id]._knowledge_store is store
    alone = Branch.from_dict(sandbox.to_dict(mode=mode), knowledge_store=store)
    assert alone._knowledge_store is store
    session.include_branches(again := Branch.from_dict(sandbox.to_dict(mode=mode)))
    assert isinstance(again._knowledge_store, NullKnowledgeStore)


def test_clones_have_the_store_of_their_branch_and_its_opting_out(
    session: Session, branch: Branch, store: KnowledgeStore, opened: Opened, wait: Wait
):
    own = MemoryKnowledgeStore()
    sandbox = session.new_branch(knowledge_store=NullKnowledgeStore())
    lender = session.new_branch(knowledge_store=own)
    assert branch.clone()._knowledge_store is store  # in no session, so nothing gives it one
    assert lender.clone()._knowledge_store is own
    for one, its in ((branch, store), (lender, own)):
        for half in (session.split(one.id), wait(session.asplit(one.id))):
            assert half._knowledge_store is its
    for half in (sandbox.clone(), session.split(sandbox.id), wait(session.asplit(sandbox.id))):
        assert isinstance(half._knowledge_store, NullKnowledgeStore)
    other = opened(knowledge_store=own)
    other.include_branches(clone := sandbox.clone())
    assert isinstance(clone._knowledge_store, NullKnowledgeStore)
    other.include_branches(clone := branch.clone())
    assert clone._knowledge_store is store
    own.close()


def test_a_clone_of_a_branch_of_a_session_that_keeps_nothing_has_not_opted_out(
    opened: Opened, store: KnowledgeStore
):
    session = opened(knowledge_store=NullKnowledgeStore())
    half = session.split(session.new_branch().id)
    assert not half.opted_out
    restored = Session.from_dict(session.to_dict(), knowledge_store=store)
    assert {one._knowledge_store is store for one in restored.branches} == {True}


def test_every_node_of_a_parallel_flow_learns(
    opened: Opened, store: MemoryKnowledgeStore, wait: Wait
):
    async def learn(branch: Branch, message: RoledMessage) -> None:
        if isinstance(message, AssistantResponse):
            said = from_message(str(branch.id), str(message.id))
            await branch.learn(f"the answer of {branch.id}", [said])

    first = Branch(system="You review.", chat_model=scripted(7))
    session = opened(knowledge_store=store, actor="reviewer", default_branch=first)
    on_message(first, learn)
    graph = OperationGraphBuilder()
    root = graph.add_operation("communicate", instruction="Which files are there?")
    for number in range(6):
        graph.add_operation("communicate", depends_on=[root], instruction=f"Read file {number}")

    def prepared(branch: Branch) -> None:
        on_message(branch, learn)

    outcome = wait(session.flow(graph.get_graph(), max_concurrent=6, on_branch_created=prepared))
    assert set(outcome["operation_results"].values()) == {"done"}
    claims = wait(store.list(session=str(session.id)))
    assert {one.text for one in claims} == {f"the answer of {one.id}" for one in session.branches}
    assert {one.branch_id for one in claims} == {str(one.id) for one in session.branches}
    assert len(claims) == 7
    assert {one.actor_id for one in claims} == {"reviewer"}


def test_learning_is_an_operation_of_a_flow(
    session: Session, store: MemoryKnowledgeStore, wait: Wait
):
    graph = Graph()
    for number in range(4):
        asked = {"claim": f"file {number} uses sagas", "evidence": EVIDENCE}
        graph.add_node(create_operation("learn", parameters=asked))
    outcome = wait(session.flow(graph))
    claims = wait(store.list(project="payments"))
    assert {one.id for one in claims} == set(outcome["operation_results"].values())
    assert len(claims) == 4


def test_knowledge_accumulates_across_sessions(opened: Opened, tmp_path: Path, wait: Wait):
    path = tmp_path / "knowledge" / "payments.db"

    with SQLiteKnowledgeStore(path) as monday:
        session = opened(knowledge_store=monday)
        branch = session.new_branch(
            system="You review pull requests for the payments service.", chat_model=scripted()
        )
        assert wait(branch.communicate("Review PR #1842, focus on transactions")) == "done"
        claim_id = wait(
            branch.learn(
                "payments-service uses the saga pattern for multi-step transactions",
                evidence=[
                    from_file("src/sagas/payment_saga.py", repo="acme/payments", commit="abc123"),
                    from_tool_result("tc_pr1842_001", "saga.compensate() in the error path"),
                ],
                domain="architecture",
                tags=["saga", "transactions"],
            )
        )

    with SQLiteKnowledgeStore(path) as wednesday:
        session2 = opened(knowledge_store=wednesday)
        branch2 = session2.new_branch(system="You review pull requests.")
        question = "What patterns does this codebase use for transactions?"
        context: list[Claim] = wait(branch2.recall(question))
        assert [one.id for one in context] == [claim_id]
        new_id = wait(
            branch2.learn(
                "PR #1851 introduces 2PC alongside saga for cross-service transactions",
                evidence=[from_file("src/coordinators/two_phase.py", commit="def456")],
                domain="architecture",
                tags=["2pc", "transactions"],
            )
        )
        statement = from_user_statement(session_id=str(session2.id), message_id="m1")
        wait(branch2.verify(new_id, evidence=[statement]))

    with SQLiteKnowledgeStore(path) as friday:
        branch3 = opened(knowledge_store=friday).new_branch()
        found = {one.id: one.claim_status for one in wait(branch3.recall("transactions"))}
        assert found == {claim_id: "observed", new_id: "verified"}
