"""The commands of the memory itself: remember, recall, correct, forget, list and brief."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import typer

from recollect.servers.cli.options import Invocation, Known, Valid, argument, option, takes
from recollect.servers.cli.usage import check_fact, verbs

app = verbs()


class MemoryKind(StrEnum):  # an option that is repeated takes no Literal
    """What `list` and `recall` keep to."""

    FACT = "fact"
    CLAIM = "claim"
    CONCEPT = "concept"
    EPISODE = "episode"
    PIECE = "piece"


ForgetEffect = Literal["end", "withdraw", "erase"]
"""What `forget` does."""

MemoryId = Annotated[str, argument("ID", "Of a memory, as list and recall show.")]
Since = Annotated[str | None, option("--from", "INSTANT", "True since then.")]
Until = Annotated[str | None, option("--until", "INSTANT", "True until then.")]
Confidence = Annotated[
    float | None, option("--confidence", "How sure it is, from 0 to 1.", min=0, max=1)
]
Source = Annotated[str | None, option("--source", "Where it comes from.")]
EvidenceWords = Annotated[
    list[str] | None,
    option(
        "--evidence",
        "-e",
        "KIND=VALUE",
        "What a claim rests on, as user_statement='Keep it short'; kinds: message, "
        "user_statement, tool_result, artifact, url, file, model_inference, human_assertion. "
        "Typed at a terminal, a claim is your word and needs none; in a script it needs one.",
    ),
]
Past = Annotated[bool, option("--past", "What has ended or was corrected, too.")]


@app.command("remember")
@takes("actor", "db", "group", "json")
def remember_something(
    on: Invocation,
    text: Annotated[list[str] | None, typer.Argument(help="One claim, in a sentence.")] = None,
    fact: Annotated[
        tuple[str, str, str] | None,
        option("--fact", "SUBJECT PREDICATE OBJECT", "As: Maria works_at BMW."),
    ] = None,
    message: Annotated[
        list[str] | None, option("--message", "'NAME: WORDS'", "What was said; repeat it for more.")
    ] = None,
    messages: Annotated[
        str | None, option("--messages", "FILE", "Messages as lines of JSON; - for standard input.")
    ] = None,
    since: Since = None,
    until: Until = None,
    evidence: EvidenceWords = None,
    confidence: Confidence = None,
    source: Source = None,
    replaces: Annotated[str | None, option("--replaces", "ID", "The fact that it ends.")] = None,
) -> None:
    """Keep a claim, facts or messages; a newer fact ends the one whose place it takes."""
    from recollect.servers.cli.memory import read_messages, remember

    check_fact(fact or ())
    members = {"valid_at": since, "invalid_at": until, "source": source, "replaces": replaces}
    if not text and fact is None and not message and messages is None:
        raise typer.BadParameter("say a claim, --fact, --message or --messages")
    if fact is None and any(members.values()):
        raise typer.BadParameter("--from, --until, --source and --replaces are said of a --fact")
    said = read_messages(message or [], messages)
    remember(on, text or [], fact, {**members, "confidence": confidence}, evidence or [], said)


@app.command("recall")
@takes("db", "group", "json")
def recall_memories(
    on: Invocation,
    question: Annotated[str, typer.Argument(help="In plain words.")],
    kind: Annotated[list[MemoryKind] | None, option("--kind", "Only these.")] = None,
    limit: Annotated[int, option("--limit", "Memories.", min=1, max=100)] = 10,
    past: Past = False,
    valid: Valid = None,
    known: Known = None,
    why: Annotated[bool, option("--why", "What each score is made of.")] = False,
) -> None:
    """Find what a question in plain words is about, best first."""
    from recollect.servers.cli.memory import recall

    moments = {"valid": valid, "known": known}
    kinds = None if not kind else [one.value for one in kind]
    recall(on, question, kinds, limit, moments, past=past, why=why)


@app.command("correct")
@takes("actor", "db", "group", "json")
def correct_memory(
    on: Invocation,
    id: MemoryId,
    object: Annotated[
        str | None, option("--object", "Of a fact: a name, a number, true or false.")
    ] = None,
    text: Annotated[str | None, option("--text", "What it says.")] = None,
    since: Since = None,
    until: Until = None,
    confidence: Confidence = None,
    source: Source = None,
    attribute: Annotated[
        list[str] | None, option("--attribute", "NAME=VALUE", "Of a concept; JSON, or else text.")
    ] = None,
    same_as: Annotated[
        str | None, option("--same-as", "NAME", "Of a concept: what it is, by name or id.")
    ] = None,
    evidence: EvidenceWords = None,
) -> None:
    """Put a memory right; what is left out stays as it was."""
    from recollect.servers.cli.memory import correct

    said = {
        "object": object,
        "text": text,
        "valid_at": since,
        "invalid_at": until,
        "confidence": confidence,
        "source": source,
        "same_as": same_as,
    }
    correct(on, id, said, attribute or [], evidence or [])


@app.command("undo")
@takes("actor", "db", "group", "json")
def undo_last(on: Invocation, id: MemoryId) -> None:
    """Take back the last thing that was done to a memory."""
    from recollect.servers.cli.memory import take_back

    take_back(on, id)


@app.command("forget")
@takes("actor", "db", "group", "json")
def forget_memories(
    on: Invocation,
    question: Annotated[
        str | None, typer.Argument(help="What is to be forgotten, in plain words.")
    ] = None,
    id: Annotated[str | None, option("--id", "ID", "Of one memory.")] = None,
    effect: Annotated[
        ForgetEffect,
        option(
            "--how",
            "end: true no longer; withdraw: not to be believed, the past keeps it; "
            "erase: gone for ever.",
        ),
    ] = "withdraw",
    at: Annotated[str | None, option("--at", "INSTANT", "With --how end: until then.")] = None,
    source: Annotated[str | None, option("--source", "All that came from it.")] = None,
    session: Annotated[
        str | None, option("--session", "All that was said in it, or learnt there alone.")
    ] = None,
    since: Annotated[str | None, option("--since", "INSTANT", "All that came since then.")] = None,
    until: Annotated[str | None, option("--until", "INSTANT", "All that came before then.")] = None,
    happened_since: Annotated[
        str | None, option("--happened-since", "INSTANT", "All that was said or began since then.")
    ] = None,
    happened_until: Annotated[
        str | None, option("--happened-until", "INSTANT", "All that was said or began before then.")
    ] = None,
    limit: Annotated[int, option("--limit", "At most so many.", min=1, max=200)] = 10,
    yes: Annotated[
        bool, option("--yes", "-y", "Do it; else what would be forgotten is shown.")
    ] = False,
) -> None:
    """Let a memory end, withdraw it, or erase it; by anything but an id it is shown first."""
    from recollect.servers.cli.memory import forget

    by = {"source": source, "session": session, "since": since, "until": until, "at": at}
    by |= {"happened_since": happened_since, "happened_until": happened_until}
    forget(on, question, id, effect, by, limit, is_sure=yes)


@app.command("list")
@takes("db", "group", "json")
def list_memories(
    on: Invocation,
    kind: Annotated[MemoryKind | None, typer.Argument(help="Of which kind.")] = None,
    about: Annotated[str | None, option("--about", "A name or an id.")] = None,
    limit: Annotated[int, option("--limit", "Memories.", min=1, max=200)] = 20,
    cursor: Annotated[str | None, option("--cursor", "The cursor of the page before.")] = None,
    past: Past = False,
) -> None:
    """List memories, the newest first."""
    from recollect.servers.cli.memory import list_all

    list_all(on, None if kind is None else kind.value, about, limit, cursor, past=past)


@app.command("brief")
@takes("actor", "db", "group", "json")
def brief_agent(
    on: Invocation,
    topic: Annotated[str | None, typer.Argument(help="A name, or a question.")] = None,
    max_tokens: Annotated[int, option("--max-tokens", "About so many.", min=100, max=20_000)] = 800,
    since: Annotated[str | None, option("--since", "INSTANT", "When the last session was.")] = None,
) -> None:
    """Say what to know at the start of a session, in words."""
    from recollect.servers.cli.memory import brief

    brief(on, topic, max_tokens, since)
