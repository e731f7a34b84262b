"""The commands of the knowledge base: `recollect knowledge ...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import Database, GroupName, Json
from recollect.servers.cli.usage import Commands

app = typer.Typer(
    name="knowledge",
    cls=Commands,
    help="Bring what experts know into the prompts of agents.",
    no_args_is_help=True,
)

DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would come in; keep nothing.")]
Entity = Annotated[
    str | None, typer.Option("--entity", metavar="ID", help="Whom it is about: user:alice.")
]
TopK = Annotated[
    int | None,
    typer.Option("--top-k", metavar="N", min=1, max=1_000, help="Pieces that words find; 5."),
]
Text = Annotated[str, typer.Argument(metavar="TEXT", show_default=False)]
PieceId = Annotated[str, typer.Argument(metavar="ID", show_default=False)]


@app.command("load")
def load_knowledge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of JSON.")],
    dry_run: DryRun = False,
    strict: Annotated[bool, typer.Option("--strict", help="All of it or nothing.")] = False,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Load profiles, pieces, nodes and edges; what is invalid is skipped and told."""
    from recollect.servers.cli.knowledge import Asked, load

    load(Asked(db, group, json), file, dry_run=dry_run, strict=strict)


@app.command("ingest")
def ingest_knowledge(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A text; - is standard input.")],
    check_in: Annotated[
        Path | None,
        typer.Option("--check-in", metavar="DIR", help="Leave a record of it in this folder."),
    ] = None,
    artifact: Annotated[
        list[Path] | None,
        typer.Option("--artifact", metavar="FILE", help="Copy this into the record. Repeat it."),
    ] = None,
    dry_run: DryRun = False,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Let the model of RECOLLECT_LLM_* structure a text, and load it."""
    from recollect.servers.cli.knowledge import Asked, ingest

    ingest(Asked(db, group, json), file, check_in, artifact or (), dry_run=dry_run)


@app.command("retrieve")
def retrieve_knowledge(
    text: Text,
    entity: Entity = None,
    top_k: TopK = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show what is known for a question: profiles, pieces and relations."""
    from recollect.servers.cli.knowledge import Asked, Question, retrieve

    retrieve(Asked(db, group, json), Question(text, entity, top_k))


@app.command("provide")
def provide_knowledge(
    text: Text,
    entity: Entity = None,
    top_k: TopK = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Show the sections that an agent's prompt would get for a question."""
    from recollect.servers.cli.knowledge import Asked, Question, provide

    provide(Asked(db, group, json), Question(text, entity, top_k))


@app.command("add")
def add_knowledge(
    text: Text,
    id: Annotated[str | None, typer.Option("--id", metavar="ID", help="Its id.")] = None,
    type: Annotated[
        str,
        typer.Option("--type", metavar="TYPE", help="fact, instruction, preference, and others."),
    ] = "fact",
    info_type: Annotated[
        str, typer.Option("--info-type", metavar="NAME", help="Where it goes in a prompt.")
    ] = "context",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Repeat it for more.")
    ] = None,
    entity: Entity = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Keep a piece of knowledge."""
    from recollect.faces.knowledge import KnowledgePiece
    from recollect.servers.cli.knowledge import Asked, add
    from recollect.servers.cli.output import output

    given = {
        "content": text,
        "piece_id": id,
        "knowledge_type": type,
        "info_type": info_type,
        "tags": tag or [],
        "entity_id": entity,
    }
    with output(as_json=json):
        piece = KnowledgePiece.from_dict(
            {name: value for name, value in given.items() if value is not None}
        )
        add(Asked(db, group, json), piece)


@app.command("show")
def show_knowledge(
    id: PieceId, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Show a piece."""
    from recollect.servers.cli.knowledge import Asked, show

    show(Asked(db, group, json), id)


@app.command("list")
def list_knowledge(
    entity: Entity = None, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """List the pieces of an entity; without one those that are for everybody."""
    from recollect.servers.cli.knowledge import Asked, list_pieces

    list_pieces(Asked(db, group, json), entity)


@app.command("remove")
def remove_knowledge(
    id: PieceId, db: Database = None, group: GroupName = None, json: Json = False
) -> None:
    """Remove a piece; its past stays readable."""
    from recollect.servers.cli.knowledge import Asked, remove

    remove(Asked(db, group, json), id)
