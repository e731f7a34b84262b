"""The commands about claims and about what in them asks for attention."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from recollect.servers.cli.options import Actor, Database, GroupName, Json


class ClaimAction(StrEnum):
    """What `claim` does."""

    ADD = "add"
    LIST = "list"
    SHOW = "show"
    VERIFY = "verify"
    DISPUTE = "dispute"
    SUPERSEDE = "supersede"
    HISTORY = "history"
    CHECK = "check"


class AttentionAction(StrEnum):
    """What `attention` does."""

    LIST = "list"
    DISMISS = "dismiss"
    SNOOZE = "snooze"


_USED: Final = {
    ClaimAction.ADD: "evidence status confidence scope project domain tag id actor",
    ClaimAction.LIST: (
        "status scope project domain tag run show session agent artifact limit after"
    ),
    ClaimAction.SHOW: "",
    ClaimAction.VERIFY: "evidence reason actor",
    ClaimAction.DISPUTE: "evidence reason actor",
    ClaimAction.SUPERSEDE: "actor",
    ClaimAction.HISTORY: "",
    ClaimAction.CHECK: "root repo fetch allow_private",
}
"""The options that each action takes."""

_WORDS: Final = {ClaimAction.LIST: (0, 1), ClaimAction.SUPERSEDE: (2, 2)}
"""How many words each action takes, where it is not one."""


Action = Annotated[
    ClaimAction,
    typer.Argument(
        metavar="ACTION",
        help="add, list, show, verify, dispute, supersede, history or check.",
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORD...", help="add: the text; list: a question; supersede: OLD NEW; else ID."
    ),
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
Statuses = Annotated[
    list[str] | None,
    typer.Option("--status", metavar="STATUS", help="Of a claim; list takes several."),
]
Confidence = Annotated[
    float | None,
    typer.Option("--confidence", metavar="SHARE", help="In the claim being true, 0 to 1."),
]
Reason = Annotated[
    str | None,
    typer.Option("--reason", metavar="TEXT", help="Why it is disputed, or verified."),
]
ScopeName = Annotated[
    str | None,
    typer.Option("--scope", metavar="TYPE:ID", help="As repo:github.com/acme/payments."),
]
Project = Annotated[
    str | None, typer.Option("--project", metavar="NAME", help="The project it is about.")
]
Domain = Annotated[
    str | None, typer.Option("--domain", metavar="NAME", help="Such as architecture.")
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="A tag; add takes several."),
]
NewId = Annotated[
    str | None, typer.Option("--id", metavar="ID", help="Of the new claim; else a new one.")
]
Run = Annotated[str | None, typer.Option("--run", metavar="ID", help="Learned in this run.")]
Show = Annotated[
    str | None,
    typer.Option("--show", metavar="ID", help="Written or superseded in this show."),
]
SessionId = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Learned in this session.")
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="ID", help="Scoped to this agent.")]
Artifact = Annotated[
    str | None, typer.Option("--artifact", metavar="ID", help="Citing this artifact.")
]
Limit = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most this many; 20.")
]
After = Annotated[
    str | None, typer.Option("--after", metavar="ID", help="The last one of the page before.")
]
Root = Annotated[
    Path | None,
    typer.Option("--root", metavar="FOLDER", help="Where files are that name no repo."),
]
Repos = Annotated[
    list[str] | None,
    typer.Option("--repo", metavar="NAME=FOLDER", help="Where a repo is. Repeat it for more."),
]
Fetch = Annotated[bool, typer.Option("--fetch", help="Fetch urls, to compare them.")]
AllowPrivate = Annotated[bool, typer.Option("--allow-private", help="From private addresses, too.")]


def use_claims(
    context: typer.Context,
    action: Action = ClaimAction.LIST,
    words: Words = None,
    evidence: Evidence = None,
    status: Statuses = None,
    confidence: Confidence = None,
    reason: Reason = None,
    scope: ScopeName = None,
    project: Project = None,
    domain: Domain = None,
    tag: Tags = None,
    id: NewId = None,
    run: Run = None,
    show: Show = None,
    session: SessionId = None,
    agent: Agent = None,
    artifact: Artifact = None,
    limit: Limit = None,
    after: After = None,
    root: Root = None,
    repo: Repos = None,
    fetch: Fetch = False,
    allow_private: AllowPrivate = False,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Keep claims with their evidence: add them, find them, settle what is disputed."""
    from recollect.servers.cli import claims

    named = words or []
    _refuse_misplaced(action, named, context.params)
    asked = claims.Asked(db, group, actor, as_json=json)
    about = claims.About(scope, project, domain, tag or (), status or ())
    match action:
        case ClaimAction.ADD:
            claims.add(asked, named[0], evidence or (), about, confidence, id)
        case ClaimAction.LIST:
            lens = claims.Lens(run, show, session, agent, artifact)
            claims.show_list(asked, "".join(named), about, lens, limit or 20, after)
        case ClaimAction.SHOW:
            claims.show_claim(asked, named[0])
        case ClaimAction.VERIFY:
            claims.move(asked, named[0], "verified", evidence or (), reason)
        case ClaimAction.DISPUTE:
            claims.move(asked, named[0], "disputed", evidence or (), reason)
        case ClaimAction.SUPERSEDE:
            claims.supersede(asked, *named)
        case ClaimAction.HISTORY:
            claims.show_history(asked, named[0])
        case ClaimAction.CHECK:
            claims.check(asked, named[0], root, repo or (), fetch, allow_private)


def show_attention(
    action: Annotated[
        AttentionAction, typer.Argument(metavar="ACTION", help="list, dismiss or snooze.")
    ] = AttentionAction.LIST,
    fingerprint: Annotated[
        str | None, typer.Argument(metavar="FINGERPRINT", help="Of the item to put aside.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="INSTANT", help="With snooze: as 2026-07-01.")
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="What was put aside, too.")] = False,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """List what about the claims a person should look at, or put an item aside."""
    from recollect.servers.cli import attention, claims

    if (action is AttentionAction.LIST) != (fingerprint is None):
        problem = "takes no fingerprint" if fingerprint else "needs a fingerprint"
        raise typer.BadParameter(f"attention {action.value} {problem}")
    if action is AttentionAction.SNOOZE and until is None:
        raise typer.BadParameter("attention snooze needs an instant: add --until 2100-01-01")
    if action is not AttentionAction.SNOOZE and until is not None:
        raise typer.BadParameter("--until is for: recollect attention snooze FINGERPRINT")
    asked = claims.Asked(db, group, actor, as_json=json)
    attention.attend(asked, fingerprint, until, all_items=all)


def _refuse_misplaced(action: ClaimAction, words: list[str], given: dict[str, object]) -> None:
    """Refuse options that the action does not take, and a wrong number of words."""
    used = _USED[action].split()
    for name, value in given.items():
        fitting = [one.value for one in ClaimAction if name in _USED[one].split()]
        is_given = bool(value) or isinstance(value, float | str)  # 0 and "" are given too
        if is_given and fitting and name not in used:
            option = "--" + name.replace("_", "-")
            raise typer.BadParameter(f"{option} is for: recollect claim {fitting[0]}")
    least, most = _WORDS.get(action, (1, 1))
    if not least <= len(words) <= most:
        wanted = "a text" if action is ClaimAction.ADD else "an id"
        wanted = {ClaimAction.LIST: "one question", ClaimAction.SUPERSEDE: "OLD and NEW"}.get(
            action, wanted
        )
        raise typer.BadParameter(f"claim {action.value} takes {wanted}")
    if action is ClaimAction.DISPUTE and given["reason"] is None:
        raise typer.BadParameter("claim dispute needs a --reason")
    for name in ("status", "tag"):
        several = given[name]
        single = ClaimAction.ADD if name == "status" else ClaimAction.LIST
        if action is single and isinstance(several, list) and len(several) > 1:
            raise typer.BadParameter(f"claim {action.value} takes one --{name}")
