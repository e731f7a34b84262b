"""`recollect knowledge`: what experts know, for the prompts of agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import DryRun, Invocation, argument, option
from recollect.servers.cli.usage import noun
from recollect.servers.cli.wanted import Entity, KnowledgeQuestion, NewPiece

app = noun("knowledge", "Bring what experts know into the prompts of agents.")

PieceId = Annotated[str, typer.Argument(metavar="ID", show_default=False)]


@app.verb("load", "db", "group", "json")
def load_knowledge(
    on: Invocation,
    file: Annotated[Path, argument("FILE", "A file of JSON.")],
    dry_run: DryRun = False,
    strict: Annotated[bool, option("--strict", "All of it or nothing.")] = False,
) -> None:
    """Load profiles, pieces, nodes and edges; what is invalid is skipped and told."""
    from recollect.servers.cli.knowledge import load_knowledge

    load_knowledge(on, file, dry_run=dry_run, strict=strict)


@app.verb("ingest", "db", "group", "json")
def ingest_knowledge(
    on: Invocation,
    file: Annotated[str, argument("FILE", "A text; - is standard input.")],
    check_in: Annotated[
        Path | None, option("--check-in", "DIR", "Leave a record of it in this folder.")
    ] = None,
    artifact: Annotated[
        list[Path] | None, option("--artifact", "FILE", "Copy this into the record. Repeat it.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Let the model of RECOLLECT_LLM_* structure a text, and load it."""
    from recollect.servers.cli.knowledge import ingest_text

    ingest_text(on, file, check_in, artifact or (), dry_run=dry_run)


@app.verb("retrieve", "db", "group", "json")
def retrieve_knowledge(on: Invocation, question: KnowledgeQuestion) -> None:
    """Show what is known for a question: profiles, pieces and relations."""
    from recollect.servers.cli.knowledge import retrieve_pieces

    retrieve_pieces(on, question)


@app.verb("provide", "db", "group", "json")
def provide_knowledge(on: Invocation, question: KnowledgeQuestion) -> None:
    """Show the sections that an agent's prompt would get for a question."""
    from recollect.servers.cli.knowledge import provide_sections

    provide_sections(on, question)


@app.verb("add", "db", "group", "json")
def add_knowledge(on: Invocation, new: NewPiece) -> None:
    """Keep a piece of knowledge."""
    from recollect.servers.cli.knowledge import add_piece

    add_piece(on, new)


@app.verb("show", "db", "group", "json")
def show_knowledge(on: Invocation, id: PieceId) -> None:
    """Show a piece."""
    from recollect.servers.cli.knowledge import show_piece

    show_piece(on, id)


@app.verb("list", "db", "group", "json")
def list_knowledge(on: Invocation, entity: Entity = None) -> None:
    """List the pieces of an entity; without one those that are for everybody."""
    from recollect.servers.cli.knowledge import list_pieces

    list_pieces(on, entity)


@app.verb("remove", "db", "group", "json")
def remove_knowledge(on: Invocation, id: PieceId) -> None:
    """Remove a piece; its past stays readable."""
    from recollect.servers.cli.knowledge import remove_piece

    remove_piece(on, id)
