"""The commands of the memory itself: remember, recall, correct, forget, list and brief."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recollect.servers.cli.options import Invocation, argument, option
from recollect.servers.cli.usage import check_fact, verbs
from recollect.servers.cli.wanted import ToCorrect, ToForget, ToRemember

app = verbs()


class MemoryKind(StrEnum):  # an option that is repeated takes no Literal
    """What `list` and `recall` keep to."""

    FACT = "fact"
    CLAIM = "claim"
    CONCEPT = "concept"
    EPISODE = "episode"
    PIECE = "piece"


MemoryId = Annotated[str, argument("ID", "Of a memory, as list and recall show.")]
Past = Annotated[bool, option("--past", "What has ended or was corrected, too.")]


@app.verb("remember", "actor", "db", "group", "json")
def remember_something(on: Invocation, new: ToRemember) -> None:
    """Keep a claim, facts or messages; a newer fact ends the one whose place it takes."""
    from recollect.servers.cli.memory import read_messages, remember

    check_fact(new.fact or ())
    if not new.text and new.fact is None and not new.message and new.messages is None:
        raise typer.BadParameter("say a claim, --fact, --message or --messages")
    if new.fact is None and any(new.of_fact.values()):
        raise typer.BadParameter("--from, --until, --source and --replaces are said of a --fact")
    remember(on, new, read_messages(new.message or [], new.messages))


@app.verb("recall", "as_of", "db", "group", "json")
def recall_memories(
    on: Invocation,
    question: Annotated[str, typer.Argument(help="In plain words.")],
    kind: Annotated[list[MemoryKind] | None, option("--kind", "Only these.")] = None,
    limit: Annotated[int, option("--limit", "Memories.", min=1, max=100)] = 10,
    past: Past = False,
    why: Annotated[bool, option("--why", "What each score is made of.")] = False,
) -> None:
    """Find what a question in plain words is about, best first."""
    from recollect.servers.cli.memory import recall

    kinds = None if not kind else [one.value for one in kind]
    recall(on, question, kinds, limit, past=past, why=why)


@app.verb("correct", "actor", "db", "group", "json")
def correct_memory(on: Invocation, id: MemoryId, right: ToCorrect) -> None:
    """Put a memory right; what is left out stays as it was."""
    from recollect.servers.cli.memory import correct

    correct(on, id, right)


@app.verb("undo", "actor", "db", "group", "json")
def undo_last(on: Invocation, id: MemoryId) -> None:
    """Take back the last thing that was done to a memory."""
    from recollect.servers.cli.memory import take_back

    take_back(on, id)


@app.verb("forget", "actor", "db", "group", "json")
def forget_memories(
    on: Invocation,
    wanted: ToForget,
    yes: Annotated[
        bool, option("--yes", "-y", "Do it; else what would be forgotten is shown.")
    ] = False,
) -> None:
    """Let a memory end, withdraw it, or erase it; by anything but an id it is shown first."""
    from recollect.servers.cli.memory import forget

    forget(on, wanted, is_sure=yes)


@app.verb("list", "db", "group", "json")
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


@app.verb("brief", "actor", "db", "group", "json")
def brief_agent(
    on: Invocation,
    topic: Annotated[str | None, typer.Argument(help="A name, or a question.")] = None,
    max_tokens: Annotated[int, option("--max-tokens", "About so many.", min=100, max=20_000)] = 800,
    since: Annotated[str | None, option("--since", "INSTANT", "When the last session was.")] = None,
) -> None:
    """Say what to know at the start of a session, in words."""
    from recollect.servers.cli.memory import brief

    brief(on, topic, max_tokens, since)
