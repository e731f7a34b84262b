"""Sentences of specification 002 that no other test is named after, in its order."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.errors import CONFLICT, INVALID_ARGUMENT, RecollectError
from recollect.faces.claims import (
    ACTOR_TYPES,
    SCOPE_TYPES,
    Branch,
    EvidenceRef,
    KnowledgeStore,
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    NullKnowledgeStore,
    Scope,
    SQLiteKnowledgeStore,
    claim_line,
    from_artifact,
    from_file,
    from_human_assertion,
    from_message,
    from_model_inference,
    from_tool_result,
    from_url,
    from_user_statement,
)

Store = NexusKnowledgeStore

PROTOCOL = {
    "write_claim": "(self, claim: 'Claim') -> 'str | None'",  # None where nothing is kept
    "query": "(self, question: 'str', *, scope: 'Scope | None' = None, "
    "status: 'list[str] | None' = None, limit: 'int' = 10) -> 'list[Claim]'",
    "transition": "(self, claim_id: 'str', new_status: 'str', *, "
    "evidence: 'list[EvidenceRef] | None' = None, reason: 'str | None' = None) -> 'None'",
    "supersede": "(self, old_id: 'str', new_id: 'str') -> 'None'",
    "history": "(self, claim_id: 'str') -> 'list[ClaimEvent]'",
}

STRONGEST_FIRST = [
    (from_file("a.py"), from_artifact("report")),
    (from_tool_result("t"), from_human_assertion("ann", 1.0)),
    (from_url("https://x.org"),),
    (from_message("s", "m"), from_user_statement("s", "m")),
    (from_model_inference("s", "m", "it seems so"),),
]

LIBRARY_MODE = """
import asyncio, os, sys
from recollect.faces.claims import Branch, from_file
branch = Branch(system="You are a researcher")
assert asyncio.run(branch.learn("a fact", [from_file("a.py")])) is None
assert asyncio.run(branch.recall("a fact")) == []
assert os.listdir() == []
"""


def test_the_protocol_is_five_async_methods_of_specified_arguments() -> None:
    methods = {
        name: member
        for name, member in vars(KnowledgeStore).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }
    assert {name: str(inspect.signature(one)) for name, one in methods.items()} == PROTOCOL
    assert all(inspect.iscoroutinefunction(one) for one in methods.values())


def test_a_memory_store_is_in_process_alone(wait: Wait) -> None:
    with MemoryKnowledgeStore() as first, MemoryKnowledgeStore() as second:
        wait(first.write_claim(claim(id="c")))
        assert wait(second.get("c")) is None
        assert (first.nexus.path, second.nexus.path) == (None, None)


@pytest.mark.sqlite_only("looks for a file")
@pytest.mark.parametrize("path", ["~/.lionagi/knowledge.db", "sqlite:///~/.lionagi/knowledge.db"])
def test_a_store_of_a_local_file_is_found_again(
    wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    with SQLiteKnowledgeStore(path) as store:
        wait(store.write_claim(claim(id="c")))
    assert (tmp_path / ".lionagi" / "knowledge.db").is_file()
    with SQLiteKnowledgeStore(path) as store:
        assert wait(store.get("c")).id == "c"


@pytest.mark.parametrize("scope_type", ["project", "repo", "agent", "run"])
def test_a_scope_is_one_of_four_types(store: Store, wait: Wait, scope_type: str) -> None:
    assert scope_type in SCOPE_TYPES and len(SCOPE_TYPES) == 4
    for one in SCOPE_TYPES:
        wait(store.write_claim(claim(id=one, scope_type=one, scope_id="x")))
    (found,) = wait(store.query("sagas", scope=Scope(scope_type, "x")))
    assert (found.scope_type, found.scope_id) == (scope_type, "x")


@pytest.mark.parametrize("actor_type", ["agent", "user", "system", "tool"])
def test_an_actor_is_one_of_four_types(store: Store, wait: Wait, actor_type: str) -> None:
    assert actor_type in ACTOR_TYPES and len(ACTOR_TYPES) == 4
    wait(store.write_claim(claim(id="c", actor_type=actor_type)))
    assert wait(store.get("c")).actor_type == actor_type  # type: ignore[union-attr]


def test_weak_evidence_is_allowed_but_empty_evidence_is_not(store: Store, wait: Wait) -> None:
    branch = Branch(knowledge_store=store)
    weak = [from_model_inference("s", "m", "it seems so")]
    assert wait(branch.learn("a guess", weak, status="hypothesis", confidence=0.1))
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        wait(branch.learn("a guess", [], status="hypothesis", confidence=0.1))


def test_transition_validation_is_in_the_store_and_not_in_the_protocol(
    store: Store, wait: Wait
) -> None:
    wait(NullKnowledgeStore().transition("c", "of no list"))
    wait(store.write_claim(claim(id="c")))
    with pytest.raises(RecollectError) as unknown:
        wait(store.transition("c", "of no list"))
    with pytest.raises(RecollectError) as refused:
        wait(store.transition("c", "observed"))
    assert (unknown.value.code, refused.value.code) == (INVALID_ARGUMENT, CONFLICT)


def test_four_user_facing_methods_on_branch() -> None:
    methods = {
        name
        for name, member in inspect.getmembers(Branch, inspect.isfunction)
        if not name.startswith("_")
    }
    assert methods == {"learn", "recall", "verify", "dispute"}


def test_supersede_and_history_are_store_only(store: Store) -> None:
    branch = Branch(knowledge_store=store)
    for name in ("supersede", "history"):
        assert hasattr(store, name)
        assert not hasattr(branch, name)


def test_the_next_observation_creates_a_new_claim(store: Store, wait: Wait) -> None:
    branch = Branch(knowledge_store=store)
    first = wait(branch.learn("payments uses sagas", [from_file("a.py")]))
    second = wait(branch.learn("payments uses sagas", [from_file("a.py")]))
    assert first != second
    assert wait(store.superseded_by(first)) is None
    wait(store.supersede(first, second))
    assert wait(store.superseded_by(first)) == second


def test_library_mode_opens_nothing_and_needs_no_database(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LIBRARY_MODE],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("place", range(len(STRONGEST_FIRST)))
def test_the_naming_makes_the_strength_hierarchy_visible(place: int) -> None:
    weaker = [one for kinds in STRONGEST_FIRST[place + 1 :] for one in kinds]
    for strongest in STRONGEST_FIRST[place]:
        held = claim(evidence=[*weaker, strongest])
        assert claim_line(held, [], None).endswith(f"from {strongest.kind}")


def test_nothing_is_learnt_but_by_learn(store: Store, wait: Wait) -> None:
    branch = Branch(system="payments uses sagas", knowledge_store=store)
    wait(branch.recall("payments uses sagas"))
    assert wait(store.count()) == 0
    wait(branch.learn("payments uses sagas", [from_file("a.py")]))
    assert wait(store.count()) == 1


async def used(branch: Branch, evidence: list[EvidenceRef]) -> list[str]:
    """What a developer writes, whatever the tier."""
    claim_id = await branch.learn("payments uses sagas", evidence=evidence)
    await branch.verify(claim_id or "none", evidence)
    await branch.dispute(claim_id or "none", "the code says otherwise", evidence)
    return [one.text for one in await branch.recall("sagas", status=["disputed"])]


def test_the_code_is_identical_across_tiers(store: Store, wait: Wait) -> None:
    evidence = [from_file("a.py")]
    assert wait(used(Branch(system="x"), evidence)) == []
    assert wait(used(Branch(system="x", knowledge_store=store), evidence)) == [
        "payments uses sagas"
    ]
