"""What the commands about claims do: one call of a store each, shown as a line or a table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, Literal, TypeVar

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from recollect.errors import RESOURCE_NOT_FOUND
from recollect.faces.beginnings import whole_id
from recollect.faces.claims import (
    Actor,
    Checker,
    Claim,
    ClaimEvent,
    EvidenceRef,
    NexusKnowledgeStore,
    Scope,
    acting,
    claim_line,
)
from recollect.faces.claims.model import SUPERSEDED
from recollect.model import Instant, instant_text
from recollect.node import dataclass
from recollect.servers.cli.evidence import asserted, cited, given_evidence, kept_evidence, referred
from recollect.servers.cli.opening import opened, warn_of_absent_group
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import shown
from recollect.servers.cli.wanted import ClaimFilters, NewClaim
from recollect.servers.settings import Settings

ResultT = TypeVar("ResultT")

_COLOURS: Final = {  # of a status, and of how a piece of evidence compares
    "observed": "cyan",
    "inferred": "cyan",
    "hypothesis": "dim",
    "verified": "green",
    "disputed": "yellow",
    "superseded": "dim",
    "confirmed": "green",
    "refuted": "red",
    "unknown": "dim",
}


@dataclass(frozen=True, slots=True)
class _ClaimPage:
    """A claim with all that its page shows."""

    claim: Claim
    events: list[ClaimEvent]
    superseded_by: str | None


def _scope_named(text: str | None) -> Scope | None:
    """Return the scope of TYPE:ID, if one is named."""
    if text is None:
        return None
    kind, colon, name = text.partition(":")
    return Scope(kind, name if colon else None)


def ask_claims(
    on: Invocation,
    out: Output,
    work: Callable[[NexusKnowledgeStore], Awaitable[ResultT]],
    *,
    create: bool = False,
) -> ResultT:
    """Return what a store answers to the person at the terminal."""
    with opened(on, create=create) as nexus:
        if not create:
            warn_of_absent_group(out, nexus)
        store = NexusKnowledgeStore(nexus)

        async def run() -> ResultT:
            with acting(Actor("user", Settings().actor(on.actor))):
                return await work(store)

        return asyncio.run(run())


def add_claim(on: Invocation, new: NewClaim) -> None:
    """Write a claim, and print its id."""
    actor = Settings().actor(on.actor)
    refs = given_evidence(new.evidence or (), actor) or asserted(Settings().person(on.actor))
    if not refs:
        raise typer.BadParameter("a claim needs --evidence, such as --evidence file=src/saga.py")
    with output(on) as out:
        scope = _scope_named(new.scope)
        claim = Claim(
            new.text,
            kept_evidence(out, refs),
            claim_status=new.status,
            confidence=new.confidence,
            project=new.project,
            scope_type=None if scope is None else scope.scope_type,
            scope_id=None if scope is None else scope.scope_id,
            actor_type="user",
            actor_id=actor,
            domain=new.domain,
            tags=new.tags or [],
        )
        if new.id is not None:
            claim.id = new.id

        async def written(store: NexusKnowledgeStore) -> Claim | None:
            there = await store.get(claim.id)  # what says the same is not written again
            await store.write_claim(claim)
            return there

        there = ask_claims(on, out, written, create=True)
        if there is None:
            _settled(out, claim.id, claim.claim_status, verb="is added as")
        else:
            _settled(out, claim.id, there.claim_status, verb="is there already:")


def list_claims(on: Invocation, filters: ClaimFilters, limit: int, after: str | None) -> None:
    """List claims, the newest first."""

    async def matching(store: NexusKnowledgeStore) -> list[Claim]:
        return await store.list(
            **{**told(filters), "scope": _scope_named(filters.scope)},
            limit=limit,
            after=None if after is None else whole_id(store.nexus, after),
        )

    _show_claims(on, matching)


def find_claims(on: Invocation, question: str, filters: ClaimFilters, limit: int) -> None:
    """List the claims that answer a question, the best first."""

    async def matching(store: NexusKnowledgeStore) -> list[Claim]:
        scored = await store.recall_scored(
            question,
            scope=_scope_named(filters.scope),
            status=filters.status,
            project=filters.project,
            limit=limit,
        )
        return [claim for claim, _ in scored]

    _show_claims(on, matching)


def _show_claims(
    on: Invocation, matching: Callable[[NexusKnowledgeStore], Awaitable[list[Claim]]]
) -> None:
    async def found(store: NexusKnowledgeStore) -> tuple[list[Claim], Mapping[str, str]]:
        claims = await matching(store)
        ended = [one.id for one in claims if one.claim_status == SUPERSEDED]
        followers = {one: await store.superseded_by(one) for one in ended}
        return claims, {one: new for one, new in followers.items() if new is not None}

    with output(on) as out:
        claims, followers = ask_claims(on, out, found)
        out.give_json({"claims": [asdict(one) for one in claims]})
        if claims:
            out.show(_table(claims, followers))
        else:
            out.say("no claims", "dim")


def show_claim(on: Invocation, claim_id: str) -> None:
    """Show a claim, what it rests on and what happened to it."""
    with output(on) as out:
        standing = ask_claims(
            on, out, lambda store: _standing(store, whole_id(store.nexus, claim_id))
        )
        claim = standing.claim
        page = {"claim": asdict(claim), "history": [asdict(one) for one in standing.events]}
        if out.give_json({**page, "superseded_by": standing.superseded_by}):
            return
        out.say(claim.text, "bold")
        line = claim_line(claim, standing.events, standing.superseded_by)
        out.say(line, _COLOURS[claim.claim_status])
        scope = _scope(claim)
        rows = {
            "id": claim.id,
            "about": scope,
            "project": None if scope == claim.project else claim.project,
            "domain": claim.domain,
            "tags": ", ".join(claim.tags),
            "supersedes": claim.supersedes,
            "created": time_text(claim.created_at),
            "by": claim.actor_id or claim.actor_type,
        }
        grid = Table.grid(padding=(0, 2))
        for name, value in rows.items():
            if value:
                grid.add_row(Text(name, "dim"), shown(value))
        out.show(grid)
        out.show(_evidence_table(claim.evidence))
        out.show(_history_table(standing.events))


def move_claim(
    on: Invocation,
    claim_id: str,
    status: Literal["verified", "disputed"],
    evidence: Sequence[str],
    reason: str | None,
) -> None:
    """Verify or dispute a claim."""
    given = given_evidence(evidence, Settings().actor(on.actor))
    with output(on) as out:
        refs = kept_evidence(out, given)

        async def moved(store: NexusKnowledgeStore) -> str:
            id = whole_id(store.nexus, claim_id)
            await store.transition(id, status, evidence=refs, reason=reason)
            return id

        _settled(out, ask_claims(on, out, moved), status)


def supersede_claim(on: Invocation, old_id: str, new_id: str) -> None:
    """Let a claim take the place of another."""
    with output(on) as out:

        async def superseded(store: NexusKnowledgeStore) -> tuple[str, str]:
            old, new = (whole_id(store.nexus, one) for one in (old_id, new_id))
            await store.supersede(old, new)
            return old, new

        old, new = ask_claims(on, out, superseded)
        _settled(out, old, "superseded", by=new)


def show_claim_history(on: Invocation, claim_id: str) -> None:
    """Show what happened to a claim."""
    with output(on) as out:
        events = ask_claims(on, out, lambda store: store.history(claim_id))
        if not out.give_json({"history": [asdict(one) for one in events]}):
            out.show(_history_table(events))


def checker_in(
    root: Path | None, repos: Sequence[str], *, fetch: bool, allow_private: bool
) -> Checker:
    """Return what compares evidence with folders, and with what urls hold."""
    folders: dict[str, Path] = {}
    for one in repos:
        name, equals, folder = one.partition("=")
        if not (name and equals and folder):
            raise typer.BadParameter(f"{one!r} is not NAME=FOLDER", param_hint="--repo")
        folders[name] = Path(folder)
    if root is not None:
        _require_folder(root, "--root")
    for place in folders.values():
        _require_folder(place, "--repo")
    return Checker(root or Path.cwd(), folders, fetch=fetch, allow_private=allow_private, now=True)


def check_evidence(on: Invocation, claim_id: str, checker: Checker) -> None:
    """Compare the evidence of a claim with what it refers to; refuted evidence fails."""
    with output(on) as out:
        reports = ask_claims(
            on, out, lambda store: store.check(whole_id(store.nexus, claim_id), checker)
        )
        out.failed = any(one.outcome == "refuted" for one in reports)
        if out.give_json({"evidence": [asdict(one) for one in reports]}):
            return
        table = headed("evidence", "outcome", "what was found")
        for report in reports:
            outcome = Text(report.outcome, _COLOURS[report.outcome])
            table.add_row(Text(report.evidence.kind), outcome, shown(report.message))
        out.show(table)


def _require_folder(path: Path, option: str) -> None:
    if not path.is_dir():
        raise typer.BadParameter(f"{path} is not a folder", param_hint=option)


async def _standing(store: NexusKnowledgeStore, claim_id: str) -> _ClaimPage:
    claim = await store.get(claim_id)
    if claim is None:
        raise RESOURCE_NOT_FOUND.error(
            f'no claim has the id "{claim_id}"', "list them: recollect claim list"
        )
    events = await store.history(claim_id)
    return _ClaimPage(claim, events, await store.superseded_by(claim_id))


def _settled(
    out: Output, claim_id: str, status: str, *, verb: str = "is now", by: str | None = None
) -> None:
    members = {"claim_id": claim_id, "claim_status": status}
    out.give_json(members if by is None else {**members, "superseded_by": by})
    out.say(f"claim {claim_id} {verb} {status}" + ("" if by is None else f" by {by}"))


def headed(*headings: str) -> Table:
    """Return an empty table under headings, whose cells fold."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _table(claims: Sequence[Claim], followers: Mapping[str, str]) -> Table:
    table = headed("id", "status", "confidence", "evidence", "about", "claim")
    for one in claims:
        table.add_row(
            shown(one.id),
            shown(_status(one, followers), _COLOURS[one.claim_status]),
            f"{one.confidence:g}",
            str(len(one.evidence)),
            shown(_scope(one) or ""),
            shown(one.text),
        )
    return table


def _status(claim: Claim, followers: Mapping[str, str]) -> str:
    follower = followers.get(claim.id)
    return claim.claim_status if follower is None else f"{claim.claim_status} · by {follower}"


def _evidence_table(evidence: Sequence[EvidenceRef]) -> Table:
    table = headed("evidence", "what it refers to")
    for one in evidence:
        table.add_row(Text(one.kind), shown(referred(one)))
    return table


def _history_table(events: Sequence[ClaimEvent]) -> Table:
    table = headed("", "when", "status", "by", "evidence", "reason")
    for one in events:
        table.add_row(
            str(one.sequence),
            time_text(one.at),
            Text(one.to_status, _COLOURS[one.to_status]),
            shown(one.actor_id or one.actor_type),
            Text("\n").join(shown(cited(ref)) for ref in one.evidence),
            shown(one.reason or ""),
        )
    return table


def _scope(claim: Claim) -> str | None:
    if claim.scope_type is None:
        return claim.project
    return claim.scope_type if claim.scope_id is None else f"{claim.scope_type}:{claim.scope_id}"


def time_text(seconds: float) -> str:
    """Return a time in seconds since 1970 as it is shown."""
    try:
        return instant_text(Instant(int(seconds * 1_000)))
    except OverflowError:
        return f"{seconds:g}"  # outside of the years 1 to 9999
