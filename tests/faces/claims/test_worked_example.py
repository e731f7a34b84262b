"""The specification's worked example: three sessions, in three processes, on one file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.together import ENVIRONMENT

BEGIN = """
import asyncio, sys
from recollect.faces.claims import (
    Session, SQLiteKnowledgeStore, from_file, from_tool_result, from_user_statement,
)

path, *given = sys.argv[1:]

async def main():
    session = Session(knowledge_store=SQLiteKnowledgeStore(path))
    branch = session.new_branch(system="You review pull requests for the payments service.")
"""

MONDAY = """
    claim_id = await branch.learn(
        "payments-service uses the saga pattern for multi-step transactions",
        evidence=[
            from_file("src/sagas/payment_saga.py", repo="acme/payments", commit="abc123"),
            from_tool_result("tc_pr1842_001", "GitHub PR shows saga.compensate() in error path"),
        ],
        domain="architecture",
        tags=["saga", "transactions"],
    )
    print(claim_id)
"""

WEDNESDAY = """
    context = await branch.recall("What patterns does this codebase use for transactions?")
    (claim,) = context
    assert claim.id == given[0]
    assert claim.text.startswith("payments-service uses the saga pattern")
    assert (claim.confidence, claim.claim_status) == (1.0, "observed")
    new_claim_id = await branch.learn(
        "PR #1851 introduces 2PC alongside saga for cross-service transactions",
        evidence=[
            from_file("src/coordinators/two_phase.py", repo="acme/payments", commit="def456"),
            from_tool_result("tc_pr1851_003", "PR description: explicitly mentions 2PC"),
        ],
        domain="architecture",
        tags=["2pc", "transactions"],
    )
    print(new_claim_id)
"""

FRIDAY = """
    await branch.verify(given[1], evidence=[
        from_user_statement(session_id=str(session.id), message_id="operator-1"),
    ])
    found = {one.id: one for one in await branch.recall("transactions")}
    assert set(found) == set(given)
    assert (found[given[0]].claim_status, found[given[1]].claim_status) == ("observed", "verified")
    events = await session._knowledge_store.history(given[1])
    assert [one.event for one in events] == ["created", "verified"]
    print("done")
"""


def session(path: Path, day: str, *given: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BEGIN + day + "\nasyncio.run(main())", path, *given],
        capture_output=True,
        check=False,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_agents_accumulate_and_recall_and_humans_verify(tmp_path: Path) -> None:
    path = tmp_path / "knowledge" / "payments.db"
    first = session(path, MONDAY)
    second = session(path, WEDNESDAY, first)
    assert session(path, FRIDAY, first, second) == "done"
