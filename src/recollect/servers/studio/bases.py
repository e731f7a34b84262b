"""Knowledge and Markup: what the two younger faces hold, and what they would tell a model.

The rule: everything comes from the calls of the faces, and a document of Knowing Markup is tried
before it is applied, as every change is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from recollect.errors import Notice, RecollectError
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece, KnowledgeProvider
from recollect.faces.knowledge.records import PIECE
from recollect.faces.markup import Markup
from recollect.kernel import Nexus
from recollect.model import AsOf, Concept, Rows
from recollect.servers.studio.shown import shown_ids
from recollect.servers.studio.trying import Tried, tried
from recollect.servers.studio.visit import Answered, Away, Page, Route, Visit, required

_PIECES: Final = "FIND(?x) WHERE { ?x {type: $type} } LIMIT 100"


def knowledge_page(visit: Visit) -> Answered:
    """Show pieces and entities, and the prompt that a question would get, section by section."""
    question, entity = visit.asked("q").strip(), visit.asked("entity").strip() or None
    sections: Mapping[str, str] = {}
    pieces: Sequence[tuple[KnowledgePiece, float]] = ()
    if question:
        base = KnowledgeBase(nexus=visit.nexus).at(visit.moment)
        found = base.retrieve(question, entity)
        sections = KnowledgeProvider(base).routed(found, entity)
        pieces = found.pieces
    shows = {
        "question": question,
        "sections": sections,
        "pieces": pieces,
        "held": shown_ids(visit.nexus, _ids(visit, PIECE), visit.then),
        "entities": shown_ids(visit.nexus, _ids(visit, "KnowledgeEntity"), visit.then),
    }
    return Page("knowledge.html", "Knowledge", shows)


def markup_page(visit: Visit) -> Answered:
    """Show the spaces, and one of them, or a branch, as text."""
    return _markup_page(visit, None, None)


def markup_apply(visit: Visit) -> Answered:
    """Show what a document would change, or apply it."""
    text = required(visit.form, "text")
    notices: list[Notice] = []

    def work(nexus: Nexus) -> object:
        markup = Markup(nexus, functions=visit.service.functions, actor=visit.actor)
        applied = markup.apply(text, request_id=visit.request_id)
        notices.extend(applied.notices)
        return applied

    try:
        if visit.form.get("step") == "apply":
            work(visit.nexus)
            return Away(visit.to("/markup", root=visit.form.get("root", "")))
        effects = tried(visit, work)
        return _markup_page(visit, text, effects, notices=notices)
    except RecollectError as error:
        return _markup_page(visit, text, None, error=error)


def _markup_page(
    visit: Visit,
    text: str | None,
    effects: Tried | None,
    *,
    notices: Sequence[Notice] = (),
    error: RecollectError | None = None,
) -> Page:
    markup = Markup(visit.nexus, functions=visit.service.functions, actor=visit.actor)
    root = visit.form.get("root") or visit.asked("root") or None
    moment: AsOf | None = visit.then
    spaces = markup.spaces(moment)
    rendered = markup.render(root, as_of=moment) if spaces else None
    shows = {
        "spaces": spaces,
        "root": root or "",
        "rendered": rendered,
        "text": text if text is not None else ("" if rendered is None else rendered.text),
        "tried": effects,
        "notices": notices,
        "error": error,
    }
    return Page("markup.html", "Markup", shows, status=200 if error is None else error.code.http)


def _ids(visit: Visit, kind: str) -> list[str]:
    (rows,) = visit.nexus.read(_PIECES, {"type": kind}, as_of=visit.moment).results
    assert isinstance(rows, Rows)
    return [row[0].id for row in rows.rows if isinstance(row[0], Concept)]


ROUTES: Final = (
    Route("/knowledge", knowledge_page),
    Route("/markup", markup_page),
    Route("/markup", markup_apply, "POST", writes=True),
)
