"""The commands of Knowing Markup: `recollect markup ...`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recollect.servers.cli.options import Actor, Database, FunctionsPlace, GroupName, Json
from recollect.servers.cli.usage import Commands

app = typer.Typer(
    name="markup",
    cls=Commands,
    help="Read and edit the memory as trees, in Knowing Markup.",
    no_args_is_help=True,
)


class Outline(StrEnum):
    """Formats of outlines that come in."""

    MARKDOWN = "markdown"
    OPML = "opml"
    ORG = "org"
    JSON = "json"


class Written(StrEnum):
    """Formats of outlines that go out."""

    MARKDOWN = "markdown"
    OPML = "opml"
    ORG = "org"
    JSON = "json"
    TANA = "tana"


class Ids(StrEnum):
    """What becomes of ids that are loaded."""

    KEEP = "keep"
    FRESH = "fresh"


class Context(StrEnum):
    """What a question is."""

    COMMAND = "command"
    CONVERSATION = "conversation"


class Step(StrEnum):
    """What is done with a run."""

    SHOW = "show"
    DRIVE = "drive"
    RESUME = "resume"
    SKIP = "skip"
    CANCEL = "cancel"


File = Annotated[
    str, typer.Argument(metavar="FILE", help="A text; - is standard input.", show_default=False)
]
Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Texts; - is standard input.")]
Root = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="A space or a node; everything without it.")
]
Attention = Annotated[
    str | None, typer.Option("--attention", metavar="ID", help="The node to show most of.")
]
Budget = Annotated[
    int | None, typer.Option("--budget", metavar="N", min=1, help="Tokens of the text, about.")
]
Depth = Annotated[
    int | None, typer.Option("--depth", metavar="N", min=0, help="Levels below the root.")
]
AsOf = Annotated[
    int | None,
    typer.Option("--transaction", metavar="N", min=0, help="As after the Nth transaction."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would change; keep nothing.")]
Target = Annotated[
    str | None, typer.Option("--target", metavar="ID", help="Where new nodes go without a place.")
]
Base = Annotated[
    int | None,
    typer.Option("--base", metavar="N", min=0, help="Refuse what changed after transaction N."),
]
Repair = Annotated[bool, typer.Option("--repair", help="Mend what models get wrong.")]
Extra = Annotated[bool, typer.Option("--extra-fields", help="Take fields of other names.")]
Functions = Annotated[
    list[str] | None,
    typer.Option("--function", metavar="ID", help="A FUNCTION that may be called. Repeat it."),
]


@app.command("check")
def check_markup(files: Files, json: Json = False) -> None:
    """Tell everything that is wrong with documents, requests or responses."""
    from recollect.servers.cli.markup import check_files

    check_files(files, as_json=json)


@app.command("fmt")
def format_markup(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE...]", help="Texts; - is standard input.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if one would change.")
    ] = False,
    json: Json = False,
) -> None:
    """Write texts in their canonical form; standard input, or none, to standard output."""
    from recollect.servers.cli.markup import format_files

    format_files(files or ["-"], is_check=check, as_json=json)


@app.command("load")
def load_markup(
    file: File,
    ids: Annotated[Ids, typer.Option("--ids", help="Keep the ids, or give new ones.")] = Ids.KEEP,
    extra_fields: Extra = False,
    dry_run: DryRun = False,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Make everything that a document holds exist."""
    from recollect.servers.cli.markup import Asked, load

    load(Asked(db, group, actor, json), file, ids.value, extra_fields, dry_run=dry_run)


@app.command("apply")
def apply_markup(
    file: File,
    target: Target = None,
    base: Base = None,
    repair: Repair = False,
    extra_fields: Extra = False,
    dry_run: DryRun = False,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Do what a document changes: nodes that are created, updated or deleted."""
    from recollect.servers.cli.markup import Asked, Changing, apply

    changing = Changing(target, base, repair, extra_fields, dry_run)
    apply(Asked(db, group, actor, json), file, changing)


@app.command("diff")
def diff_markup(
    file: File,
    target: Target = None,
    repair: Repair = False,
    extra_fields: Extra = False,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Tell what a document would change, and keep nothing."""
    from recollect.servers.cli.markup import Asked, Changing, apply

    changing = Changing(target, None, repair, extra_fields, is_dry_run=True)
    apply(Asked(db, group, None, json), file, changing)


@app.command("show")
def show_markup(
    root: Root = None,
    attention: Attention = None,
    budget: Budget = None,
    depth: Depth = None,
    transaction: AsOf = None,
    deleted: Annotated[
        bool, typer.Option("--deleted", help="Show the places that were deleted, too.")
    ] = False,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show all spaces, one, or the branch below a node."""
    from recollect.servers.cli.markup import Asked, View, show

    view = View(root, attention, budget, depth, transaction, deleted)
    show(Asked(db, group, None, json), view)


@app.command("spaces")
def list_spaces(
    transaction: AsOf = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """List the spaces."""
    from recollect.servers.cli.markup import Asked, spaces

    spaces(Asked(db, group, None, json), transaction)


@app.command("import")
def import_outline(
    file: File,
    format: Annotated[
        Outline | None, typer.Option("--format", help="Of the outline; else by its name.")
    ] = None,
    target: Target = None,
    dry_run: DryRun = False,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Take in an outline: Markdown, OPML, Org or JSON."""
    from recollect.servers.cli.markup import Asked, Changing, take_in

    changing = Changing(target, is_dry_run=dry_run, takes_extra_fields=True)
    chosen = None if format is None else format.value
    take_in(Asked(db, group, actor, json), file, chosen, changing)


@app.command("export")
def export_outline(
    root: Root = None,
    format: Annotated[Written, typer.Option("--format", help="Of the outline.")] = Written.MARKDOWN,
    transaction: AsOf = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Write spaces, or a branch, as an outline to standard output."""
    from recollect.servers.cli.markup import Asked, View, hand_out

    view = View(root, transaction=transaction)
    hand_out(Asked(db, group, None, json), view, format.value)


@app.command("ask")
def ask_model(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What is asked or commanded.")],
    root: Annotated[
        str | None, typer.Option("--root", metavar="ID", help="The space or node to show.")
    ] = None,
    context: Annotated[
        Context, typer.Option("--context", help="A command, or a conversation.")
    ] = Context.COMMAND,
    attention: Attention = None,
    budget: Budget = None,
    target: Target = None,
    function: Functions = None,
    functions: FunctionsPlace = None,
    attempts: Annotated[
        int, typer.Option("--attempts", metavar="N", min=1, max=10, help="At most.")
    ] = 3,
    dry_run: DryRun = False,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Ask the model of RECOLLECT_LLM_* about a branch, and do what it answers."""
    from recollect.faces.markup.exchanges import Beginning
    from recollect.servers.cli.markup import Asked, ask

    given = Beginning(
        context=context.value,
        root=root,
        attention_node=attention,
        budget=budget,
        target=target,
        functions=tuple(function or ()),
    )
    asked = Asked(db, group, actor, json, functions)
    ask(asked, prompt, given, attempts, dry_run=dry_run)


@app.command("start")
def start_workflow(
    workflow: Annotated[str, typer.Argument(metavar="WORKFLOW", help="The id of a WORKFLOW.")],
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Start a workflow, and show what its first step asks."""
    from recollect.servers.cli.markup import Asked, start

    start(Asked(db, group, actor, json), workflow)


@app.command("reply")
def reply_to_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run.")],
    file: File,
    functions: FunctionsPlace = None,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Take a text as the answer of the step that a run waits at."""
    from recollect.servers.cli.markup import Asked, reply

    reply(Asked(db, group, actor, json, functions), run, file)


@app.command("run")
def show_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of a run.")],
    step: Annotated[
        Step, typer.Argument(metavar="[STEP]", help="show, drive, resume, skip or cancel.")
    ] = Step.SHOW,
    functions: FunctionsPlace = None,
    actor: Actor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show a run, let the model of RECOLLECT_LLM_* drive it, resume, skip or cancel it."""
    from recollect.servers.cli.markup import Asked, use_run

    use_run(Asked(db, group, actor, json, functions), run, step.value)


@app.command("runs")
def list_runs(db: Database = None, group: GroupName = None, json: Json = False) -> None:
    """List the runs of workflows."""
    from recollect.servers.cli.markup import Asked, runs

    runs(Asked(db, group, None, json))


@app.command("card")
def show_card(json: Json = False) -> None:
    """Print Knowing Markup on one page, for the system prompt of a model."""
    from recollect.servers.cli.markup import card

    card(as_json=json)
