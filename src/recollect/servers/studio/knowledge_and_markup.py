"""Knowledge and Markup: what the two younger faces hold, and what they would tell a model.

The rule: everything comes from the calls of the faces, and a document of Knowing Markup is tried
before it is applied, as every change is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from recollect.errors import RecollectError
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece, KnowledgeProvider
from recollect.faces.knowledge.nexus_stores import PIECE
from recollect.faces.markup import Applied, Markup, parse
from recollect.kernel import Nexus
from recollect.model import Concept
from recollect.servers.studio.changing import memory_of
from recollect.servers.studio.shown import shown_ids
from recollect.servers.studio.trying import tried
from recollect.servers.studio.visit import Answered, Away, Route, StudioPage, Visit, required

_DRAWN: Final = 100_000
"""The budget of a document that is drawn as a tree."""

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
    return StudioPage("knowledge.html", "Knowledge", shows)


def brief_page(visit: Visit) -> Answered:
    """Show what an agent is told at the start of a session."""
    since, topic = visit.asked("since").strip() or None, visit.asked("topic").strip() or None
    brief = memory_of(visit, visit.nexus).brief(topic, since=since)
    return StudioPage("brief.html", "Brief", {"brief": brief})


def markup_page(visit: Visit) -> Answered:
    """Show the spaces as trees that fold, all of them, one, or the branch below a node."""
    return _markup_page(visit)


def markup_apply(visit: Visit) -> Answered:
    """Show what a document would change, or apply it."""
    text = required(visit.form, "text")
    done: list[Applied] = []

    def work(nexus: Nexus) -> None:
        markup = Markup(nexus, functions=visit.service.functions, actor=visit.actor)
        done.append(markup.apply(text))

    try:
        if visit.form.get("step") == "apply":
            work(visit.nexus)
            return Away(visit.to("/markup", root=visit.form.get("root", "")))
        effects = tried(visit, work)
        (applied,) = done
        return _markup_page(
            visit, text=text, tried=effects, reply=applied.reply, notices=applied.notices
        )
    except RecollectError as error:
        return _markup_page(visit, error.code.http, text=text, error=error)


def _markup_page(visit: Visit, status: int = 200, **more: object) -> StudioPage:
    markup = Markup(visit.nexus, functions=visit.service.functions, actor=visit.actor)
    root = visit.form.get("root") or visit.asked("root") or None
    spaces = markup.spaces(visit.then)
    shows: dict[str, object] = dict.fromkeys(("tried", "reply", "error", "rendered", "tree"))
    shows |= {"spaces": spaces, "root": root or "", "text": "", "notices": ()}
    if spaces:
        with_deleted = bool(visit.asked("deleted"))
        rendered = markup.render(root, budget=_DRAWN, as_of=visit.then, show_deleted=with_deleted)
        tree = parse(rendered.text)
        shows |= {"rendered": rendered, "text": rendered.text, "tree": tree}
    return StudioPage("markup.html", "Markup", shows | more, status)


def _ids(visit: Visit, kind: str) -> list[str]:
    rows = visit.nexus.read(_PIECES, {"type": kind}, as_of=visit.moment).rows
    return [row[0].id for row in rows if isinstance(row[0], Concept)]


ROUTES: Final = (
    Route("/knowledge", knowledge_page),
    Route("/brief", brief_page),
    Route("/markup", markup_page),
    Route("/markup", markup_apply, "POST", writes=True),
)
