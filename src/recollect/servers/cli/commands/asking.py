"""The commands that ask a memory, in KIP or by words."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from recollect.servers.cli.options import Cursor, Invocation, KeyName, KeyType, argument, option
from recollect.servers.cli.usage import verbs
from recollect.servers.cli.wanted import SearchOptions, names_in_use

app = verbs()


Layout = Literal["rows", "columns", "objects"]
"""How `--json` lays out the answer of FIND."""

Subject = Literal["primer", "domains", "types", "type", "predicates", "predicate"]
"""What `describe` describes."""


def _described(context: typer.Context, incomplete: str) -> list[str]:
    """Return the types or predicates in use that begin so, as `describe` wants them."""
    what = context.params.get("what")
    if what not in ("type", "predicate"):
        return []
    return names_in_use(context, f"{what}s", incomplete)


@app.verb("query", "param", "as_of", "db", "group", "json")
def ask_query(
    on: Invocation,
    text: Annotated[str, argument("TEXT", "A KIP text that reads; - is standard input.")],
    format: Annotated[Layout, option("--format", "The layout of rows with --json.")] = "rows",
    cursor: Cursor = None,
) -> None:
    """Ask one question in KIP; it can change nothing."""
    from recollect.servers.cli.ask import answer_query

    answer_query(on, text, format, cursor)


@app.verb("search", "as_of", "db", "group", "json")
def search_words(
    on: Invocation,
    text: Annotated[str, argument("TEXT", "The words to look for.")],
    wanted: SearchOptions,
) -> None:
    """Find concepts and propositions by their words."""
    from recollect.servers.cli.ask import answer_search

    answer_search(on, text, wanted)


@app.verb("describe", "db", "group", "json")
def describe_memory(
    on: Invocation,
    what: Annotated[
        Subject, argument("WHAT", "primer, domains, types, type, predicates or predicate.")
    ] = "primer",
    name: Annotated[
        str | None, argument("NAME", "The type or the predicate.", autocompletion=_described)
    ] = None,
    limit: Annotated[
        int | None, option("--limit", "N", "At most this many of a list.", min=0)
    ] = None,
    cursor: Cursor = None,
) -> None:
    """Show what the memory is about."""
    from recollect.servers.cli.ask import answer_describe

    if (what in ("type", "predicate")) != (name is not None):
        problem = "takes no name" if name else "needs a name"
        raise typer.BadParameter(f"describe {what} {problem}")
    lists = ("domains", "types", "predicates")
    if (limit, cursor) != (None, None) and what not in lists:
        raise typer.BadParameter(f"describe {what} is not a list, so it has no pages")
    answer_describe(on, what, {"name": name, "limit": limit, "cursor": cursor})


@app.verb("explain", "param", "as_of", "db", "group", "json")
def explain_query(
    on: Invocation, text: Annotated[str, argument("TEXT", "A query in KIP; - is standard input.")]
) -> None:
    """Show how a query is answered: its steps, the SQL, and what running it took."""
    from recollect.servers.cli.reasons import tell_how

    tell_how(on, text)


@app.verb("why", "param", "as_of", "db", "group", "json")
def explain_row(
    on: Invocation,
    text: Annotated[str, argument("TEXT", "A FIND, or the id of a memory; - is standard input.")],
    row: Annotated[int, option("--row", "N", "The Nth row.", min=1)] = 1,
    limit: Annotated[int, option("--limit", "N", "Steps of a memory.", min=1, max=50)] = 10,
    cursor: Cursor = None,
) -> None:
    """Show what a row or a memory stands on, and where each of it comes from."""
    from recollect.servers.cli.memory import explain
    from recollect.servers.cli.reasons import tell_why

    if text != "-" and not set(text) & set("({?\n"):
        explain(on, text, limit, cursor)
    else:
        tell_why(on, text, row)


@app.verb("history", "as_of", "db", "group", "json")
def show_history(
    on: Invocation,
    identifier: Annotated[str | None, argument("ID", "The id of a concept or a link.")] = None,
    type: KeyType = None,
    name: KeyName = None,
) -> None:
    """Tell what an element was, step by step, and who changed it."""
    from recollect.model import Key
    from recollect.servers.cli.past import tell_history

    if (type is None) != (name is None) or (identifier is None) == (name is None):
        raise typer.BadParameter("give an ID, or --type and --name")
    element = Key(type, name) if type is not None and name is not None else identifier or ""
    tell_history(on, element)


@app.verb("changes", "db", "group", "json")
def show_changes(
    on: Invocation,
    since: Annotated[int, option("--since", "N", "Only after the Nth transaction.", min=0)] = 0,
    limit: Annotated[int, option("--limit", "N", "At most this many transactions.", min=0)] = 100,
) -> None:
    """Read the log: what each transaction did, and who asked for it."""
    from recollect.servers.cli.past import tell_changes

    tell_changes(on, since, limit)


@app.verb("shell", "place", "actor", "db", "group", "json")
def open_shell(on: Invocation) -> None:
    """Talk to a memory: history, colours, completion, many lines."""
    from recollect.servers.cli.shell.loop import talk

    talk(on)
