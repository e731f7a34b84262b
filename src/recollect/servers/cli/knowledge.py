"""What the commands of the knowledge base do: one call of the face each, as text or as JSON."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from rich import box
from rich.table import Table

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.knowledge import (
    KnowledgeBase,
    KnowledgeDataLoader,
    KnowledgeIngestionCLI,
    KnowledgePiece,
    KnowledgeProvider,
    LoadReport,
)
from recollect.faces.knowledge.ingestion import Structured
from recollect.faces.knowledge.secrets import Secrets
from recollect.servers.cli.cells import counted
from recollect.servers.cli.given import text_of
from recollect.servers.cli.opening import opened, warn_of_absent_group
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import shown
from recollect.servers.cli.wanted import KnowledgeQuestion, NewPiece
from recollect.servers.learning import make_structuring
from recollect.servers.settings import Settings

_UNHEARD = logging.NullHandler()
_COUNTED = ("profile", "piece", "graph node", "graph edge")


@contextmanager
def _on(on: Invocation, *, writes: bool = False) -> Iterator[tuple[Output, KnowledgeBase]]:
    """Give a command its output and its base, whose memory only one that writes makes."""
    with output(on) as out, opened(on, create=writes) as nexus, KnowledgeBase(nexus=nexus) as kb:
        if not writes:
            warn_of_absent_group(out, nexus)
        yield out, kb


def load_knowledge(on: Invocation, file: Path, *, dry_run: bool, strict: bool) -> None:
    """Load a file of JSON."""
    _load(on, partial(KnowledgeDataLoader().load, source=file, strict=strict), dry_run=dry_run)


def ingest_text(
    on: Invocation, file: str, folder: Path | None, artifacts: Sequence[Path], *, dry_run: bool
) -> None:
    """Structure a text by a model, and load it."""
    with output(on) as out:
        llm = make_structuring(Settings().learning())
        ingestion = KnowledgeIngestionCLI(llm, check_in_dir=folder)
        for one in artifacts:
            if folder is None:
                out.warn(f"{one} is not kept: name a folder with --check-in")
            elif not one.is_file():
                out.warn(f"{one} is not kept: it is no file")

    @cache  # a model is asked once, after what can be opened is open
    def structured() -> Structured:
        return ingestion.structure(text_of(file, "a text"), Secrets())

    def load(kb: KnowledgeBase, *, dry_run: bool) -> LoadReport:
        return ingestion.keep(structured(), kb, artifacts, dry_run=dry_run)

    _load(on, load, dry_run=dry_run)


def _load(on: Invocation, load: Callable[..., LoadReport], *, dry_run: bool) -> None:
    """Load, and tell it; a memory that is not there is an empty one, made to keep something."""
    logging.getLogger("recollect.knowledge").addHandler(_UNHEARD)  # a report tells the same
    if not Settings().database(on.database).exists:
        with output(on) as out, KnowledgeBase() as empty:
            report = load(empty, dry_run=True)
            if dry_run or not any(report.values()):
                _tell(out, report, dry_run=True)
                return
    with _on(on, writes=not dry_run) as (out, kb):
        _tell(out, load(kb, dry_run=dry_run), dry_run=dry_run)


def retrieve_pieces(on: Invocation, question: KnowledgeQuestion) -> None:
    """Show what is known for a question."""
    with _on(on) as (out, kb):
        found = kb.retrieve(question.text, question.entity, question.top_k)
        if out.give_json(found.to_dict()):
            return
        text = kb.formatter.format(found)
        _say(out, text or "nothing is known for it")


def provide_sections(on: Invocation, question: KnowledgeQuestion) -> None:
    """Show the sections of a prompt for a question."""
    with _on(on) as (out, kb):
        provider = KnowledgeProvider(kb, entity_id=question.entity, top_k=question.top_k)
        sections = provider(question.text)
        if out.give_json(sections):
            return
        for name, text in sections.items():
            out.say(f"{name}:", "bold")
            _say(out, text)
        if not sections:
            out.say("nothing is known for it", "dim")


def add_piece(on: Invocation, new: NewPiece) -> None:
    """Keep a piece."""
    with output(on):
        piece = KnowledgePiece.from_dict(told(new))
        Secrets().refuse(piece)  # what is wrong with it makes no memory
    with _on(on, writes=True) as (out, kb):
        piece_id = kb.add_piece(piece)
        kept = kb.get_piece(piece_id)
        if on.as_json and kept is not None:
            out.json({"result": kept.to_dict()})
            return
        out.say(piece_id, "green")


def show_piece(on: Invocation, piece_id: str) -> None:
    """Show a piece."""
    with _on(on) as (out, kb):
        piece = kb.get_piece(piece_id)
        if piece is None:
            raise _absent(piece_id)
        if out.give_json(piece.to_dict()):
            return
        for name, value in piece.to_dict().items():
            if value not in (None, []):
                text = ", ".join(value) if isinstance(value, list) else value
                out.say(f"{name}: {text}")


def list_pieces(on: Invocation, entity: str | None) -> None:
    """List the pieces of an entity, or the global ones."""
    with _on(on) as (out, kb):
        pieces = kb.piece_store.list_all(entity)
        if out.give_json({"pieces": [one.to_dict() for one in pieces]}):
            return
        table = Table("id", "type", "goes to", "content", "tags", box=box.SIMPLE_HEAD)
        for one in pieces:
            cells = (one.piece_id, one.knowledge_type.value, one.info_type, one.content)
            table.add_row(*map(shown, cells), shown(", ".join(one.tags)))
        out.show(table)


def remove_piece(on: Invocation, piece_id: str) -> None:
    """Remove a piece."""
    with _on(on) as (out, kb):
        if not kb.remove_piece(piece_id):
            raise _absent(piece_id)
        if out.give_json({"removed": True}):
            return
        out.say("removed; its past stays readable", "green")


def _tell(out: Output, report: LoadReport, *, dry_run: bool) -> None:
    if out.give_json(report.to_dict()):
        return
    for one in report.skipped:
        out.warn(f"{one.section} {one.key} is skipped: {one.reason}")
    out.say(", ".join(map(counted, report.values(), _COUNTED)), "" if dry_run else "green")
    if dry_run:
        out.say("nothing was kept", "dim")


def _say(out: Output, text: str) -> None:
    for line in text.split("\n"):
        out.say(line)


def _absent(piece_id: str) -> RecollectError:
    return RESOURCE_NOT_FOUND.error(
        f'no piece has the id "{piece_id[:256]}"', "see their ids with: recollect knowledge list"
    )
