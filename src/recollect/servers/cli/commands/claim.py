"""`recollect claim`: claims with their evidence and their lifecycle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import Invocation, argument, option
from recollect.servers.cli.usage import noun
from recollect.servers.cli.wanted import ClaimFilters, Evidence, NewClaim

app = noun(
    "claim",
    "Keep claims with their evidence: add them, find them, settle what is disputed.",
    default="list",
)

ClaimId = Annotated[str, argument("ID", "Of a claim; as much of it as tells it from others.")]


@app.verb("add", "actor", "db", "group", "json")
def add_claim(on: Invocation, new: NewClaim) -> None:
    """Write a claim, and print its id."""
    from recollect.servers.cli.claims import add_claim

    add_claim(on, new)


@app.verb("list", "db", "group", "json")
def list_claims(
    on: Invocation,
    filters: ClaimFilters,
    question: Annotated[
        str | None, argument("QUESTION", "The best for it; else the newest.")
    ] = None,
    limit: Annotated[int, option("--limit", "N", "At most this many.", min=1)] = 20,
    after: Annotated[
        str | None, option("--after", "ID", "The last one of the page before.")
    ] = None,
) -> None:
    """List claims: the best for a question, or the newest."""
    from recollect.servers.cli.claims import find_claims, list_claims

    if not question:
        list_claims(on, filters, limit, after)
    elif after is not None or not filters.fit_question:
        raise typer.BadParameter("a question goes with --status, --scope, --project and --limit")
    else:
        find_claims(on, question, filters, limit)


@app.verb("show", "db", "group", "json")
def show_claim(on: Invocation, id: ClaimId) -> None:
    """Show a claim, what it rests on and what happened to it."""
    from recollect.servers.cli.claims import show_claim

    show_claim(on, id)


@app.verb("verify", "actor", "db", "group", "json")
def verify_claim(
    on: Invocation,
    id: ClaimId,
    evidence: Evidence = None,
    reason: Annotated[str | None, option("--reason", "TEXT", "Why it is true.")] = None,
) -> None:
    """Say that a claim is true, and on what grounds."""
    from recollect.servers.cli.claims import move_claim

    move_claim(on, id, "verified", evidence or (), reason)


@app.verb("dispute", "actor", "db", "group", "json")
def dispute_claim(
    on: Invocation,
    id: ClaimId,
    reason: Annotated[str, option("--reason", "TEXT", "Why it is doubtful.")],
    evidence: Evidence = None,
) -> None:
    """Say that a claim is doubtful, and why."""
    from recollect.servers.cli.claims import move_claim

    move_claim(on, id, "disputed", evidence or (), reason)


@app.verb("supersede", "actor", "db", "group", "json")
def supersede_claim(
    on: Invocation,
    old: Annotated[str, argument("OLD", "The claim that no longer counts.")],
    new: Annotated[str, argument("NEW", "The claim that takes its place.")],
) -> None:
    """Let a claim take the place of another."""
    from recollect.servers.cli.claims import supersede_claim

    supersede_claim(on, old, new)


@app.verb("history", "db", "group", "json")
def show_claim_history(on: Invocation, id: ClaimId) -> None:
    """Show what happened to a claim."""
    from recollect.servers.cli.claims import show_claim_history

    show_claim_history(on, id)


@app.verb("check", "db", "group", "json")
def check_evidence(
    on: Invocation,
    id: ClaimId,
    root: Annotated[
        Path | None, option("--root", "FOLDER", "Where files are that name no repo.")
    ] = None,
    repo: Annotated[
        list[str] | None, option("--repo", "NAME=FOLDER", "Where a repo is. Repeat it for more.")
    ] = None,
    fetch: Annotated[bool, option("--fetch", "Fetch urls, to compare them.")] = False,
    allow_private: Annotated[
        bool, option("--allow-private", "From private addresses, too.")
    ] = False,
) -> None:
    """Compare the evidence of a claim with what it refers to; refuted evidence fails."""
    from recollect.servers.cli.claims import check_evidence, checker_in

    check_evidence(on, id, checker_in(root, repo or (), fetch=fetch, allow_private=allow_private))
