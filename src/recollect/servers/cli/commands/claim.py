"""`recollect claim`: claims with their evidence and their lifecycle."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import Invocation, takes
from recollect.servers.cli.usage import noun

app = noun(
    "claim",
    "Keep claims with their evidence: add them, find them, settle what is disputed.",
    default="list",
)

ClaimId = Annotated[
    str, typer.Argument(metavar="ID", help="Of a claim; as much of it as tells it from others.")
]
Evidence = Annotated[
    list[str] | None,
    typer.Option(
        "--evidence",
        "-e",
        metavar="KIND=VALUE",
        help='As file=src/saga.py or user_statement="Keep it short"; or an EvidenceRef in JSON.',
    ),
]
ScopeName = Annotated[
    str | None, typer.Option("--scope", metavar="TYPE:ID", help="As repo:github.com/acme/payments.")
]
Project = Annotated[
    str | None, typer.Option("--project", metavar="NAME", help="The project it is about.")
]
Domain = Annotated[
    str | None, typer.Option("--domain", metavar="NAME", help="Such as architecture.")
]


@app.command("add")
@takes("actor", "db", "group", "json")
def add_claim(
    on: Invocation,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is claimed.")],
    evidence: Evidence = None,
    status: Annotated[
        str, typer.Option("--status", metavar="STATUS", help="observed, inferred or hypothesis.")
    ] = "observed",
    confidence: Annotated[
        float,
        typer.Option("--confidence", metavar="SHARE", help="In the claim being true, 0 to 1."),
    ] = 1.0,
    scope: ScopeName = None,
    project: Project = None,
    domain: Domain = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Repeat it for more.")
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Of the new claim; else a new one.")
    ] = None,
) -> None:
    """Write a claim, and print its id."""
    from recollect.servers.cli.claims import NewClaim, add_claim

    claim = NewClaim(text, status, confidence, scope, project, domain, tuple(tag or ()), id)
    add_claim(on, claim, evidence or ())


@app.command("list")
@takes("db", "group", "json")
def list_claims(
    on: Invocation,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="The best for it; else the newest.")
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="STATUS", help="Of this status. Repeat it for more."),
    ] = None,
    scope: ScopeName = None,
    project: Project = None,
    domain: Domain = None,
    tag: Annotated[str | None, typer.Option("--tag", metavar="TAG", help="With this tag.")] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="Learned in this run.")
    ] = None,
    show: Annotated[
        str | None, typer.Option("--show", metavar="ID", help="Written or superseded in this show.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="Learned in this session.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="ID", help="Scoped to this agent.")
    ] = None,
    artifact: Annotated[
        str | None, typer.Option("--artifact", metavar="ID", help="Citing this artifact.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most this many.")
    ] = 20,
    after: Annotated[
        str | None, typer.Option("--after", metavar="ID", help="The last one of the page before.")
    ] = None,
) -> None:
    """List claims: the best for a question, or the newest."""
    from recollect.servers.cli.claims import ClaimFilters, find_claims, list_claims

    filters = ClaimFilters(
        status=tuple(status or ()),
        scope=scope,
        project=project,
        domain=domain,
        run=run,
        show=show,
        session=session,
        agent=agent,
        tag=tag,
        artifact=artifact,
    )
    if not question:
        list_claims(on, filters, limit, after)
    elif after is not None or not filters.fit_question:
        raise typer.BadParameter("a question goes with --status, --scope, --project and --limit")
    else:
        find_claims(on, question, filters, limit)


@app.command("show")
@takes("db", "group", "json")
def show_claim(on: Invocation, id: ClaimId) -> None:
    """Show a claim, what it rests on and what happened to it."""
    from recollect.servers.cli.claims import show_claim

    show_claim(on, id)


@app.command("verify")
@takes("actor", "db", "group", "json")
def verify_claim(
    on: Invocation,
    id: ClaimId,
    evidence: Evidence = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why it is true.")
    ] = None,
) -> None:
    """Say that a claim is true, and on what grounds."""
    from recollect.servers.cli.claims import move_claim

    move_claim(on, id, "verified", evidence or (), reason)


@app.command("dispute")
@takes("actor", "db", "group", "json")
def dispute_claim(
    on: Invocation,
    id: ClaimId,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is doubtful.")],
    evidence: Evidence = None,
) -> None:
    """Say that a claim is doubtful, and why."""
    from recollect.servers.cli.claims import move_claim

    move_claim(on, id, "disputed", evidence or (), reason)


@app.command("supersede")
@takes("actor", "db", "group", "json")
def supersede_claim(
    on: Invocation,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The claim that no longer counts.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The claim that takes its place.")],
) -> None:
    """Let a claim take the place of another."""
    from recollect.servers.cli.claims import supersede_claim

    supersede_claim(on, old, new)


@app.command("history")
@takes("db", "group", "json")
def show_claim_history(on: Invocation, id: ClaimId) -> None:
    """Show what happened to a claim."""
    from recollect.servers.cli.claims import show_claim_history

    show_claim_history(on, id)


@app.command("check")
@takes("db", "group", "json")
def check_evidence(
    on: Invocation,
    id: ClaimId,
    root: Annotated[
        Path | None,
        typer.Option("--root", metavar="FOLDER", help="Where files are that name no repo."),
    ] = None,
    repo: Annotated[
        list[str] | None,
        typer.Option("--repo", metavar="NAME=FOLDER", help="Where a repo is. Repeat it for more."),
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch urls, to compare them.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="From private addresses, too.")
    ] = False,
) -> None:
    """Compare the evidence of a claim with what it refers to; refuted evidence fails."""
    from recollect.servers.cli.claims import check_evidence, checker_in

    check_evidence(on, id, checker_in(root, repo or (), fetch=fetch, allow_private=allow_private))
