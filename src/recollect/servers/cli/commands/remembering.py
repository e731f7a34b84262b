"""The commands of the memory itself: remember, recall, correct, forget, list and brief."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.servers.cli.options import Invocation, argument, option
from recollect.servers.cli.usage import check_facts, verbs
from recollect.servers.cli.wanted import ToBrief, ToCorrect, ToForget, ToList, ToRecall, ToRemember

app = verbs()


MemoryId = Annotated[str, argument("ID", "Of a memory, as list and recall show.")]


@app.verb("remember", "actor", "db", "group", "json")
def remember_something(on: Invocation, new: ToRemember) -> None:
    """Keep a claim, facts or messages; a newer fact ends the one it replaces."""
    from recollect.servers.cli.memory import read_messages, remember

    check_facts(new.fact or ())
    if not new.text and new.fact is None and not new.message and new.messages is None:
        raise typer.BadParameter("say a claim, --fact, --message or --messages")
    if new.fact is None and any(new.of_fact.values()):
        raise typer.BadParameter("--from, --until, --source and --replaces are said of a --fact")
    if new.replaces is not None and len(new.fact or ()) > 1:
        raise typer.BadParameter(
            "it is ended by one --fact, not by several", param_hint="--replaces"
        )
    remember(on, new, read_messages(new.message or [], new.messages))


@app.verb("recall", "as_of", "db", "group", "json")
def recall_memories(on: Invocation, wanted: ToRecall) -> None:
    """Find what a question in plain words is about, best first."""
    from recollect.servers.cli.memory import recall

    recall(on, wanted)


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
    """End, withdraw or erase a memory; by anything but an id it is shown first."""
    from recollect.servers.cli.memory import forget

    forget(on, wanted, is_sure=yes)


@app.verb("list", "db", "group", "json")
def list_memories(on: Invocation, wanted: ToList) -> None:
    """List memories, the newest first."""
    from recollect.servers.cli.memory import list_all

    list_all(on, wanted)


@app.verb("brief", "actor", "db", "group", "json")
def brief_agent(on: Invocation, wanted: ToBrief) -> None:
    """Say what to know at the start of a session, in words."""
    from recollect.servers.cli.memory import brief

    brief(on, wanted)
