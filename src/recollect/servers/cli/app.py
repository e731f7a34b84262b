"""The commands of the program by what they are for; each is loaded when it is used."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from recollect.servers.cli.usage import LazyCommands, Row

PANELS: Final = {
    "Remember and recall": (
        Row(
            "remember",
            "remembering",
            "Keep a claim or a fact; a newer fact ends the one it takes the place of.",
        ),
        Row("recall", "remembering", "Find what a question in plain words is about, best first."),
        Row("correct", "remembering", "Put a memory right; what is left out stays as it was."),
        Row(
            "forget",
            "remembering",
            "Let a memory end, withdraw it, or erase it; by anything but an id it is shown first.",
        ),
        Row("list", "remembering", "List memories, the newest first."),
        Row("brief", "remembering", "Say what to know at the start of a session, in words."),
    ),
    "Begin and teach": (
        Row("init", "teaching", "Create a memory, or check that it is there."),
        Row("run", "teaching", "Run a KIP text, such as a capsule: all of it or nothing."),
        Row(
            "import",
            "teaching",
            "Take in files of KIP or of other programs, each all or nothing, and nothing twice.",
        ),
        Row(
            "capsule",
            "capsule",
            "List the capsules that come with Recollect, show one, or load some into a memory.",
        ),
        Row(
            "self", "teaching", "Show who the agent is, or tell it: DESCRIBE PRIMER begins with it."
        ),
    ),
    "Ask": (
        Row("query", "asking", "Ask one question in KIP; it can change nothing."),
        Row("search", "asking", "Find concepts and propositions by their words."),
        Row("describe", "asking", "Show what the memory is about."),
        Row(
            "explain",
            "asking",
            "Show how a query is answered: its steps, the SQL, and what running it took.",
        ),
        Row(
            "why",
            "asking",
            "Show what a row of an answer stands on, and where each of it comes from.",
        ),
        Row("history", "asking", "Tell what an element was, step by step, and who changed it."),
        Row("changes", "asking", "Read the log: what each transaction did, and who asked for it."),
        Row("shell", "asking", "Talk to a memory: history, colours, completion, many lines."),
    ),
    "Look around": (
        Row("stats", "keeping", "Count what the memory holds."),
        Row("groups", "keeping", "List the groups of a memory."),
        Row("where", "keeping", "Tell which memory would be used, and why."),
        Row(
            "demo",
            "keeping",
            "Build a memory of the world's countries and places, and put questions to it.",
        ),
    ),
    "Claims, knowledge and trees": (
        Row(
            "claim",
            "claim",
            "Keep claims with their evidence: add them, find them, settle what is disputed.",
        ),
        Row(
            "attention",
            "attention",
            "List what about the claims a person should look at, or put an item aside.",
        ),
        Row("knowledge", "knowledge", "Bring what experts know into the prompts of agents."),
        Row("markup", "markup", "Read and edit the memory as trees, in Knowing Markup."),
    ),
    "Declare and write": (
        Row(
            "schema",
            "schema",
            "Show what a group declares, or let it take only that (strict), or everything (open).",
        ),
        Row(
            "index", "index", "List the attributes that queries find by value, add one or drop one."
        ),
        Row(
            "check",
            "texts",
            "Examine KIP texts without running them: all that is wrong with them, at once.",
        ),
        Row(
            "fmt",
            "texts",
            "Lay out KIP texts in their files; standard input, or none, to standard output.",
        ),
    ),
    "Keep fresh": (
        Row(
            "expire",
            "keeping",
            "Close what its expires_at says has expired: links, and episodic concepts.",
        ),
        Row(
            "decay",
            "keeping",
            "Let memory_strength, or else confidence, fall where nothing was observed for long.",
        ),
        Row(
            "duplicates",
            "keeping",
            "Find concepts that are likely one thing, and propose the MERGE of each.",
        ),
        Row(
            "orphans",
            "keeping",
            "List concepts without links or domain, and declarations that nothing uses.",
        ),
        Row(
            "reindex",
            "keeping",
            "Make the vectors that elements lack; all of them after another model was configured.",
        ),
    ),
    "Keep safe": (
        Row(
            "backup",
            "keeping",
            "Copy a memory, all its groups, to a new file, while others use it.",
        ),
        Row(
            "dump",
            "keeping",
            "Write a group as lines of JSON, with its past and its log: nothing is lost.",
        ),
        Row(
            "restore",
            "keeping",
            "Read a dump back into groups that are empty: all of it or nothing.",
        ),
        Row(
            "export",
            "teaching",
            "Write what a group holds now, for another memory or another program.",
        ),
        Row(
            "doctor",
            "keeping",
            "Examine a memory: the file, the links, the counts, the log, the text index.",
        ),
        Row(
            "audit",
            "audit",
            "Check that nothing was changed behind the log's back, and print its head.",
        ),
        Row(
            "purge",
            "keeping",
            "Erase elements and all links at them, for all times; it cannot be undone.",
        ),
    ),
    "Serve": (
        Row("serve", "serving", "Serve a memory over HTTP; see docs/http.md."),
        Row(
            "studio",
            "serving",
            "See a memory, question it and correct it in the browser; see docs/studio.md.",
        ),
        Row(
            "mcp",
            "mcp",
            "Serve an agent's program over MCP, install this memory in one, or try that;"
            " docs/mcp.md.",
        ),
        Row(
            "lsp",
            "serving",
            "Serve an editor over standard input and output, as the language server of KIP.",
        ),
        Row(
            "worker",
            "serving",
            "Learn from the episodes that wait in a memory; see docs/operations.md.",
        ),
        Row("token", "token", "Make a bearer token for a server."),
    ),
}
"""What each command is for, in the order of the help; the words are those of its own help."""


class _Program(LazyCommands):
    panels = PANELS


app = typer.Typer(
    name="recollect",
    cls=_Program,
    help="A memory that learns, answers and corrects itself, in one file.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"recollect {version('recollect')}")
        except PackageNotFoundError:
            typer.echo("recollect, run from its sources")
        raise typer.Exit


@app.callback()
def _recollect(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """A memory that learns, answers and corrects itself, in one file."""


def main() -> None:
    """Run the command line."""
    app()
