"""The commands and their options, one function each; the work is done in the modules beside.

A command imports what it needs inside its body, so that every command starts fast and help
and completion never load the kernel.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli import knowledge_commands, markup_commands
from recollect.servers.cli.carry_commands import export_memory, import_files
from recollect.servers.cli.claim_commands import show_attention, use_claims
from recollect.servers.cli.erase_commands import erase_elements
from recollect.servers.cli.maintenance_commands import (
    expire_elements,
    fade_elements,
    find_twins,
    list_orphans,
)
from recollect.servers.cli.mcp_commands import serve_agents
from recollect.servers.cli.options import (
    Actor,
    AfterTransaction,
    Cursor,
    Database,
    GroupName,
    Json,
    KeyName,
    KeyType,
    Known,
    Parameters,
    Place,
    RequestId,
    Valid,
    moment,
)
from recollect.servers.cli.schema_commands import change_schema, identify, use_capsules
from recollect.servers.cli.server_commands import manage_tokens, serve_http, work_queue
from recollect.servers.cli.text_commands import check_texts, format_texts, serve_editor
from recollect.servers.cli.usage import Commands

app = typer.Typer(
    name="recollect",
    cls=Commands,
    help="A memory that learns, answers and corrects itself, in one file.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """How `--json` lays out the answer of FIND."""

    ROWS = "rows"
    COLUMNS = "columns"
    OBJECTS = "objects"


class What(StrEnum):
    """What `describe` describes."""

    PRIMER = "primer"
    DOMAINS = "domains"
    TYPES = "types"
    TYPE = "type"
    PREDICATES = "predicates"
    PREDICATE = "predicate"


class Kind(StrEnum):
    """What `search` looks for."""

    CONCEPT = "concept"
    PROPOSITION = "proposition"


class AuditAction(StrEnum):
    """What `audit` does."""

    VERIFY = "verify"


class IndexAction(StrEnum):
    """What `index` does."""

    LIST = "list"
    ADD = "add"
    DROP = "drop"


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
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """A memory that learns, answers and corrects itself, in one file."""


@app.command()
def init(
    database: Place = None,
    with_: Annotated[
        str | None,
        typer.Option("--with", metavar="NAMES", help="Capsules to load, such as core,memory."),
    ] = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Create a memory, or check that it is there."""
    from recollect.servers.cli.manage import init as start

    capsules = [] if with_ is None else [one.strip() for one in with_.split(",")]
    start(_one(database, db), group, capsules, as_json=json)


@app.command()
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A KIP text; - is standard input.")],
    db: Database = None,
    group: GroupName = None,
    param: Parameters = None,
    each: Annotated[
        bool,
        typer.Option("--each", help="Run each statement as a transaction of its own."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and keep nothing.")
    ] = False,
    actor: Actor = None,
    request_id: RequestId = None,
    json: Json = False,
) -> None:
    """Run a KIP text, such as a capsule: all of it or nothing."""
    from recollect.servers.cli.given import parameters_of
    from recollect.servers.cli.run import run_file

    run_file(
        file,
        parameters_of(param),
        db,
        group,
        each=each,
        dry_run=dry_run,
        actor=actor,
        request_id=request_id,
        as_json=json,
    )


@app.command()
def query(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="A KIP text that reads; - is standard input.")
    ],
    db: Database = None,
    group: GroupName = None,
    param: Parameters = None,
    valid: Valid = None,
    known: Known = None,
    transaction: AfterTransaction = None,
    format: Annotated[
        Format, typer.Option("--format", help="The layout of rows with --json.")
    ] = Format.ROWS,
    cursor: Cursor = None,
    json: Json = False,
) -> None:
    """Ask one question in KIP; it can change nothing."""
    from recollect.servers.cli.ask import query as answer
    from recollect.servers.cli.given import parameters_of

    as_of = moment(valid, known, transaction)
    given = parameters_of(param)
    answer(text, given, db, group, as_of, layout=format.value, cursor=cursor, as_json=json)


@app.command()
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The words to look for.")],
    db: Database = None,
    group: GroupName = None,
    type: Annotated[
        str | None,
        typer.Option(
            "--type", metavar="TYPE", help="Only concepts of this type.", autocompletion=_types
        ),
    ] = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="Only concepts, or only propositions.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="At most this many; 10.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="keyword, semantic or hybrid.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", metavar="SCORE", help="Only what scores so much, 0 to 1."),
    ] = None,
    cursor: Cursor = None,
    valid: Valid = None,
    known: Known = None,
    transaction: AfterTransaction = None,
    json: Json = False,
) -> None:
    """Find concepts and propositions by their words."""
    from recollect.servers.cli.ask import search as look_for

    options = {"type": type, "mode": mode, "threshold": threshold, "limit": limit, "cursor": cursor}
    as_of = moment(valid, known, transaction)
    look_for(text, kind.value if kind else None, options, db, group, as_of, as_json=json)


@app.command()
def explain(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="A query in KIP; - is standard input.")
    ],
    db: Database = None,
    group: GroupName = None,
    param: Parameters = None,
    valid: Valid = None,
    known: Known = None,
    transaction: AfterTransaction = None,
    json: Json = False,
) -> None:
    """Show how a query is answered: its steps, the SQL, and what running it took."""
    from recollect.servers.cli.given import parameters_of
    from recollect.servers.cli.reasons import explain as tell

    as_of = moment(valid, known, transaction)
    tell(text, parameters_of(param), db, group, as_of, as_json=json)


@app.command()
def why(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A FIND; - is standard input.")],
    row: Annotated[int, typer.Option("--row", metavar="N", min=1, help="The Nth row.")] = 1,
    db: Database = None,
    group: GroupName = None,
    param: Parameters = None,
    valid: Valid = None,
    known: Known = None,
    transaction: AfterTransaction = None,
    json: Json = False,
) -> None:
    """Show what a row of an answer stands on, and where each of it comes from."""
    from recollect.servers.cli.given import parameters_of
    from recollect.servers.cli.reasons import why as tell

    as_of = moment(valid, known, transaction)
    tell(text, row, parameters_of(param), db, group, as_of, as_json=json)


@app.command()
def describe(
    what: Annotated[
        What,
        typer.Argument(
            metavar="WHAT", help="primer, domains, types, type, predicates or predicate."
        ),
    ] = What.PRIMER,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The type or the predicate.", autocompletion=_described
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="At most this many of a list.")
    ] = None,
    cursor: Cursor = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show what the memory is about."""
    from recollect.servers.cli.ask import describe as tell

    if (what in (What.TYPE, What.PREDICATE)) != (name is not None):
        problem = "takes no name" if name else "needs a name"
        raise typer.BadParameter(f"describe {what.value} {problem}")
    if (limit, cursor) != (None, None) and what not in (What.DOMAINS, What.TYPES, What.PREDICATES):
        raise typer.BadParameter(f"describe {what.value} is not a list, so it has no pages")
    tell(what.value, name, limit, cursor, db, group, as_json=json)


@app.command()
def shell(
    database: Place = None,
    db: Database = None,
    group: GroupName = None,
    actor: Actor = None,
    json: Json = False,
) -> None:
    """Talk to a memory: history, colours, completion, many lines."""
    from recollect.servers.cli.shell.loop import talk

    talk(_one(database, db), group, actor, as_json=json)


@app.command()
def stats(
    database: Place = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Count what the memory holds."""
    from recollect.servers.cli.manage import stats as count

    count(_one(database, db), group, as_json=json)


@app.command()
def groups(database: Place = None, db: Database = None, json: Json = False) -> None:
    """List the groups of a memory."""
    from recollect.servers.cli.manage import groups as tell

    tell(_one(database, db), as_json=json)


@app.command()
def where(
    database: Place = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Tell which memory would be used, and why."""
    from recollect.servers.cli.where import where as locate

    locate(_one(database, db), group, as_json=json)


@app.command()
def backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file that is not there yet.")],
    db: Database = None,
    json: Json = False,
) -> None:
    """Copy a memory, all its groups, to a new file, while others use it."""
    from recollect.servers.cli.keep import backup as copy

    copy(path, db, as_json=json)


@app.command()
def dump(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A new file; - is standard output.")
    ] = "-",
    db: Database = None,
    group: GroupName = None,
    all_groups: Annotated[bool, typer.Option("--all", help="Every group of the memory.")] = False,
    json: Json = False,
) -> None:
    """Write a group as lines of JSON, with its past and its log: nothing is lost."""
    from recollect.servers.cli.keep import dump as write

    write(path, db, group, all_groups=all_groups, as_json=json)


@app.command()
def restore(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="What dump wrote; - is standard input.")
    ],
    db: Database = None,
    json: Json = False,
) -> None:
    """Read a dump back into groups that are empty: all of it or nothing."""
    from recollect.servers.cli.keep import restore as read_back

    read_back(path, db, as_json=json)


app.command("export")(export_memory)
app.command("import")(import_files)


@app.command()
def doctor(
    database: Place = None,
    db: Database = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Rebuild counts and indexes, and optimise.")
    ] = False,
    json: Json = False,
) -> None:
    """Examine a memory: the file, the links, the counts, the log, the text index."""
    from recollect.servers.cli.doctor import examine

    examine(_one(database, db), fix=fix, as_json=json)


@app.command()
def reindex(
    database: Place = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Make the vectors that elements lack; all of them after another model was configured."""
    from recollect.servers.cli.embed import make_vectors

    make_vectors(_one(database, db), group, as_json=json)


@app.command()
def index(
    action: Annotated[
        IndexAction, typer.Argument(metavar="ACTION", help="list, add or drop.")
    ] = IndexAction.LIST,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="TYPE.ATTRIBUTE", help="Such as Drug.risk_level, or 'Drug.\"half life\"'."
        ),
    ] = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """List the attributes that queries find by value, add one or drop one."""
    from recollect.servers.cli.indexes import change_indexes

    if (action is IndexAction.LIST) != (name is None):
        problem = "takes no name" if name else "needs a name, such as Drug.risk_level"
        raise typer.BadParameter(f"index {action.value} {problem}")
    change_indexes(action.value, name, db, group, as_json=json)


@app.command()
def history(
    identifier: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of a concept or a link.")
    ] = None,
    type: KeyType = None,
    name: KeyName = None,
    valid: Valid = None,
    known: Known = None,
    transaction: AfterTransaction = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Tell what an element was, step by step, and who changed it."""
    from recollect.model import Key
    from recollect.servers.cli.past import history as tell

    if (type is None) != (name is None) or (identifier is None) == (name is None):
        raise typer.BadParameter("give an ID, or --type and --name")
    element = Key(type, name) if type is not None and name is not None else identifier or ""
    as_of = moment(valid, known, transaction)
    tell(element, db, group, as_of, as_json=json)


@app.command()
def changes(
    since: Annotated[
        int, typer.Option("--since", metavar="N", min=0, help="Only after the Nth transaction.")
    ] = 0,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="At most this many transactions.")
    ] = 100,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Read the log: what each transaction did, and who asked for it."""
    from recollect.servers.cli.past import changes as tell

    tell(since, limit, db, group, as_json=json)


app.command("purge")(erase_elements)


@app.command()
def audit(
    action: Annotated[
        AuditAction, typer.Argument(metavar="ACTION", help="verify.")
    ] = AuditAction.VERIFY,
    head: Annotated[
        str | None, typer.Option("--head", metavar="HEAD", help="What an earlier audit printed.")
    ] = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Check that nothing was changed behind the log's back, and print its head."""
    from recollect.servers.cli.audit import verify

    match action:
        case AuditAction.VERIFY:
            verify(head, db, group, as_json=json)


@app.command()
def demo(
    db: Annotated[
        Path | None,
        typer.Option(
            "--db", metavar="PATH", help="A new file to keep; else the demo's own, made anew."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Build a memory of the world's countries and places, and put questions to it."""
    from recollect.servers.cli.demo.show import demonstrate

    demonstrate(db, as_json=json)


app.command("schema")(change_schema)
app.command("capsule")(use_capsules)
app.command("self")(identify)
app.command("expire")(expire_elements)
app.command("decay")(fade_elements)
app.command("duplicates")(find_twins)
app.command("orphans")(list_orphans)
app.command("claim")(use_claims)
app.command("attention")(show_attention)
app.add_typer(knowledge_commands.app)
app.add_typer(markup_commands.app)
app.command("check")(check_texts)
app.command("fmt")(format_texts)
app.command("lsp")(serve_editor)
app.command("serve")(serve_http)
app.command("mcp")(serve_agents)
app.command("token")(manage_tokens)
app.command("worker")(work_queue)


def _one(database: str | None, db: str | None) -> str | None:
    """Return the one way the database was named."""
    if database is not None and db is not None:
        raise typer.BadParameter("name the memory once: DATABASE or --db")
    return db if database is None else database


def _names(context: typer.Context, what: str, incomplete: str) -> list[str]:
    from recollect.servers.cli.naming import names_in

    return names_in(context.params.get("db"), context.params.get("group"), what, incomplete)


def _types(context: typer.Context, incomplete: str) -> list[str]:
    """Return the types in use that begin so, for the completion of a user's own shell."""
    return _names(context, "types", incomplete)


def _described(context: typer.Context, incomplete: str) -> list[str]:
    """Return the types or predicates in use that begin so, as `describe` wants them."""
    what = context.params.get("what")
    return _names(context, f"{what}s", incomplete) if what in (What.TYPE, What.PREDICATE) else []


def main() -> None:
    """Run the command line."""
    app()
