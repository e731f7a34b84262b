"""`recollect markup`: the memory as trees, in Knowing Markup."""

from __future__ import annotations

from typing import Annotated, Literal

from recollect.servers.cli.options import (
    AfterTransaction,
    DryRun,
    FunctionsPlace,
    Invocation,
    argument,
    option,
)
from recollect.servers.cli.usage import noun
from recollect.servers.cli.wanted import (
    ApplyOptions,
    Extra,
    OutlineView,
    Prompted,
    Repair,
    Root,
    Target,
)

app = noun("markup", "Read and edit the memory as trees, in Knowing Markup.")


OutlineFormat = Literal["markdown", "opml", "org", "json"]
WrittenFormat = Literal["markdown", "opml", "org", "json", "tana"]
LoadedIds = Literal["keep", "fresh"]
RunStep = Literal["show", "drive", "resume", "skip", "cancel"]

File = Annotated[str, argument("FILE", "A text; - is standard input.", show_default=False)]
Files = Annotated[list[str], argument("FILE...", "Texts; - is standard input.")]


@app.verb("check", "json")
def check_markup(on: Invocation, files: Files) -> None:
    """Tell everything that is wrong with documents, requests or responses."""
    from recollect.servers.cli.markup import check_documents

    check_documents(files, as_json=on.as_json)


@app.verb("fmt", "json")
def format_markup(
    on: Invocation,
    files: Annotated[list[str] | None, argument("[FILE...]", "Texts; - is standard input.")] = None,
    check: Annotated[bool, option("--check", "Write nothing; fail if one would change.")] = False,
) -> None:
    """Write texts in their canonical form; standard input, or none, to standard output."""
    from recollect.servers.cli.markup import format_documents

    format_documents(files or ["-"], is_check=check, as_json=on.as_json)


@app.verb("load", "actor", "db", "group", "json")
def load_markup(
    on: Invocation,
    file: File,
    ids: Annotated[LoadedIds, option("Keep the ids, or give new ones.")] = "keep",
    extra_fields: Extra = False,
    dry_run: DryRun = False,
) -> None:
    """Make everything that a document holds exist."""
    from recollect.servers.cli.markup import load_document

    load_document(on, file, ids, extra_fields, dry_run=dry_run)


@app.verb("apply", "actor", "db", "group", "json")
def apply_markup(on: Invocation, file: File, changing: ApplyOptions) -> None:
    """Do what a document changes: nodes that are created, updated or deleted."""
    from recollect.servers.cli.markup import apply_document

    apply_document(on, file, changing)


@app.verb("diff", "db", "group", "json")
def diff_markup(
    on: Invocation,
    file: File,
    target: Target = None,
    repair: Repair = False,
    extra_fields: Extra = False,
) -> None:
    """Tell what a document would change, and keep nothing."""
    from recollect.servers.cli.markup import apply_document

    apply_document(on, file, ApplyOptions(target, None, repair, extra_fields, dry_run=True))


@app.verb("show", "db", "group", "json")
def show_markup(on: Invocation, view: OutlineView) -> None:
    """Show all spaces, one, or the branch below a node."""
    from recollect.servers.cli.markup import show_outline

    show_outline(on, view)


@app.verb("spaces", "db", "group", "json")
def list_spaces(on: Invocation, transaction: AfterTransaction = None) -> None:
    """List the spaces."""
    from recollect.servers.cli.markup import list_spaces

    list_spaces(on, transaction)


@app.verb("import", "actor", "db", "group", "json")
def import_outline(
    on: Invocation,
    file: File,
    format: Annotated[
        OutlineFormat | None, option("--format", "Of the outline; else by its name.")
    ] = None,
    target: Target = None,
    ids: Annotated[
        LoadedIds | None, option("Keep the ids of the outline, or give new ones.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Take in an outline: Markdown, OPML, Org or JSON; --ids for one that has ids."""
    from recollect.servers.cli.markup import import_outline

    changing = ApplyOptions(target, dry_run=dry_run, extra_fields=True)
    import_outline(on, file, format, ids, changing)


@app.verb("export", "db", "group", "json")
def export_outline(
    on: Invocation,
    root: Root = None,
    format: Annotated[WrittenFormat, option("Of the outline.")] = "markdown",
    transaction: AfterTransaction = None,
) -> None:
    """Write spaces, or a branch, as an outline to standard output."""
    from recollect.servers.cli.markup import export_outline

    export_outline(on, root, format, transaction)


@app.verb("ask", "actor", "db", "group", "json")
def ask_model(
    on: Invocation,
    prompt: Annotated[str, argument("PROMPT", "What is asked or commanded.")],
    given: Prompted,
    module: FunctionsPlace = None,
    attempts: Annotated[int, option("--attempts", "N", "At most.", min=1, max=10)] = 3,
    dry_run: DryRun = False,
) -> None:
    """Ask the model of RECOLLECT_LLM_* about a branch, and do what it answers."""
    from recollect.servers.cli.markup import ask_model

    ask_model(on, prompt, given, attempts, functions=module, dry_run=dry_run)


@app.verb("start", "actor", "db", "group", "json")
def start_workflow(
    on: Invocation, workflow: Annotated[str, argument("WORKFLOW", "The id of a WORKFLOW.")]
) -> None:
    """Start a workflow, and show what its first step asks."""
    from recollect.servers.cli.markup import start_workflow

    start_workflow(on, workflow)


@app.verb("reply", "actor", "db", "group", "json")
def reply_to_run(
    on: Invocation,
    run: Annotated[str, argument("RUN", "The id of a run.")],
    file: File,
    functions: FunctionsPlace = None,
) -> None:
    """Take a text as the answer of the step that a run waits at."""
    from recollect.servers.cli.markup import answer_step

    answer_step(on, run, file, functions)


@app.verb("run", "actor", "db", "group", "json")
def show_run(
    on: Invocation,
    run: Annotated[str, argument("RUN", "The id of a run.")],
    step: Annotated[RunStep, argument("[STEP]", "show, drive, resume, skip or cancel.")] = "show",
    functions: FunctionsPlace = None,
) -> None:
    """Show a run, let the model of RECOLLECT_LLM_* drive it, resume, skip or cancel it."""
    from recollect.servers.cli.markup import use_run

    use_run(on, run, step, functions)


@app.verb("runs", "db", "group", "json")
def list_runs(on: Invocation) -> None:
    """List the runs of workflows."""
    from recollect.servers.cli.markup import list_runs

    list_runs(on)


@app.verb("card", "json")
def show_card(on: Invocation) -> None:
    """Print Knowing Markup on one page, for the system prompt of a model."""
    from recollect.servers.cli.markup import print_card

    print_card(as_json=on.as_json)
