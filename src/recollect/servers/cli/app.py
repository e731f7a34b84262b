"""The commands of the program by what they are for; each is loaded when it is used."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from recollect.servers.cli.options import option
from recollect.servers.cli.usage import LazyCommands, panels

PANELS: Final = panels("""
Remember and recall
  remember   remembering Keep a claim, facts or messages; a newer fact ends the one it replaces.
  recall     remembering Find what a question in plain words is about, best first.
  correct    remembering Put a memory right; what is left out stays as it was.
  undo       remembering Take back the last thing that was done to a memory.
  forget     remembering End, withdraw or erase a memory; by anything but an id it is shown first.
  list       remembering List memories, the newest first.
  brief      remembering Say what to know at the start of a session, in words.
Begin and teach
  init       teaching    Create a memory, or check that it is there.
  run        teaching    Run a KIP text, such as a capsule: all of it or nothing.
  import     teaching    Take in files of KIP or of other programs, each all or nothing, and once.
  capsule    declaring   List the capsules that come with Recollect, show one, or load some.
  self       teaching    Show who the agent is, or tell it: DESCRIBE PRIMER begins with it.
Ask
  query      asking      Ask one question in KIP; it can change nothing.
  search     asking      Find concepts and propositions by their words.
  describe   asking      Show what the memory is about.
  explain    asking      Show how a query is answered: its steps, the SQL, and what running it took.
  why        asking      Show what a row or a memory stands on, and where each of it comes from.
  history    asking      Tell what an element was, step by step, and who changed it.
  changes    asking      Read the log: what each transaction did, and who asked for it.
  shell      asking      Talk to a memory: history, colours, completion, many lines.
Look around
  stats      keeping     Count what the memory holds.
  groups     keeping     List the groups of a memory.
  where      keeping     Tell which memory would be used, and why.
  demo       keeping     Build a memory of the world's countries and places, and question it.
Claims, knowledge and trees
  claim      claim       Keep claims with their evidence: add them, find them, settle what is
                         disputed.
  attention  attention   List what about the claims a person should look at, or put an item aside.
  knowledge  knowledge   Bring what experts know into the prompts of agents.
  markup     markup      Read and edit the memory as trees, in Knowing Markup.
Declare and write
  schema     declaring   Show what a group declares, or let it take only that (strict), or
                         everything (open).
  index      declaring   List the attributes that queries find by value, add one or drop one.
  check      texts       Examine KIP texts without running them: all that is wrong, at once.
  fmt        texts       Lay out KIP texts in their files; standard input, or none, to standard
                         output.
Keep fresh
  expire     keeping     Close what its expires_at says has expired: links, and episodic concepts.
  decay      keeping     Let memory_strength, or else confidence, fall where nothing was observed
                         for long.
  duplicates keeping     Find concepts that are likely one thing, and propose the MERGE of each.
  orphans    keeping     List concepts without links or domain, and declarations that nothing uses.
  reindex    keeping     Make the vectors that elements lack; all of them after another model was
                         configured.
Keep safe
  backup     keeping     Copy a memory, all its groups, to a new file, while others use it.
  dump       keeping     Write a group as lines of JSON, with its past and its log: nothing is lost.
  restore    keeping     Read a dump back into groups that are empty: all of it or nothing.
  export     teaching    Write what a group holds now, for another memory or another program.
  doctor     keeping     Examine a memory: its place, links, counts, log and text index.
  audit      guarding    Check that nothing was changed behind the log's back, and print its head.
  purge      keeping     Erase elements and all links at them, for all times; it cannot be undone.
Serve
  serve      serving     Serve a memory over HTTP; see docs/http.md.
  studio     serving     See a memory, question it and correct it in the browser; docs/studio.md.
  mcp        mcp         Serve an agent's program over MCP, install this memory in one, or try that;
                         docs/mcp.md.
  lsp        texts       Serve an editor over standard input and output as a language server.
  worker     serving     Learn from the episodes that wait in a memory; see docs/operations.md.
  token      guarding    Make a bearer token for a server.
  database   guarding    Print the roles of a memory on a server, or spread it over machines.
""")
"""What each command is for, in the order of the help; the words are those of its own help."""


class _Program(LazyCommands):
    panels = PANELS


app = typer.Typer(
    name="recollect",
    cls=_Program,
    help="A memory that learns, answers and corrects itself, in one file or on a server.",
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
        bool, option("--version", "Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """A memory that learns, answers and corrects itself, in one file or on a server."""


def main() -> None:
    """Run the command line."""
    app()
