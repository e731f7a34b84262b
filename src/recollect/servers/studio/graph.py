"""The graph: from an element, a search or all there is, as far as a picture can be read.

The rule: the server gives nodes and links, at most 2,000 nodes, and says where it left some out;
the picture is drawn in the browser, and a list of the same stands below it for who reads without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from recollect.errors import refused
from recollect.faces.beginnings import near_names
from recollect.kernel import asked_instant
from recollect.model import Concept, Dated, Hits, Instant, Link
from recollect.node import dataclass
from recollect.servers.studio.asking import given_parameters, page_moment, paged
from recollect.servers.studio.home import described
from recollect.servers.studio.shown import Shown, shown_ids, standing_of
from recollect.servers.studio.visit import Answered, Download, Route, StudioPage, Visit

MOST_NODES: Final = 2_000
_MOST_LINKS: Final = 6_000
_MOST_FOUND: Final = 5
_MOST_LISTED: Final = 300
_OUTWARD: Final = "FIND(?l) WHERE { ?x {id: $id} ?l (?x, ?p, ?o) } LIMIT 200"
_INWARD: Final = "FIND(?l) WHERE { ?x {id: $id} ?l (?s, ?p, ?x) } LIMIT 200"
_MOST_NEAR: Final = 3
_ALL: Final = "FIND(?l) WHERE { ?l (?s, ?p, ?o) } LIMIT 6000"


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a picture shows."""

    nodes: tuple[Shown, ...]
    links: tuple[tuple[Link, str], ...]  # each with what it says of its end: "until 2026-11-01"
    is_whole: bool  # whether nothing was left out
    types: Sequence[str]  # of all that the filters chose from
    predicates: Sequence[str]  # of all there are, to add what is beside a node by

    def as_json(self) -> bytes:
        """Return it as the script of the page reads it."""
        nodes = [
            {
                "id": one.id,
                "name": one.name,
                "type": one.type,
                "kind": one.kind,
                "ended": one.standing,
            }
            for one in self.nodes
        ]
        links = [
            {
                "id": one.id,
                "from": one.subject,
                "to": one.object,
                "predicate": one.predicate,
                "ended": standing,
            }
            for one, standing in self.links
        ]
        bounds = {"whole": self.is_whole, "most": MOST_NODES}
        return orjson.dumps({"nodes": nodes, "links": links, **bounds})


def graph_page(visit: Visit) -> Answered:
    """Show the graph around something."""
    drawn = drawn_of(visit)
    shows = {
        "drawn": drawn,
        "listed": drawn.links[:_MOST_LISTED],
        "names": {one.id: one.name for one in drawn.nodes},
        "is_asked": any(visit.asked(one) for one in ("q", "id", "all")),
        "near": () if drawn.nodes else _near(visit),
        "most": MOST_NODES,
    }
    return StudioPage("graph.html", "Graph", shows)


def graph_data(visit: Visit) -> Answered:
    """Return the same as JSON."""
    content = drawn_of(visit).as_json()
    return Download("graph.json", "application/json", content, is_attached=False)


def drawn_of(visit: Visit) -> Drawn:
    """Return what is around the elements that the address names, through its filters."""
    starts, found, is_all = _beginning(visit)
    links = list({one.id: one for one in found if _is_wanted(visit, one)}.values())
    is_narrowed = len(links) < len({one.id for one in found})  # then only what is joined is drawn
    ids: dict[str, None] = dict.fromkeys([] if is_narrowed and links else starts)
    kept: list[Link] = []
    for link in links:
        ends = [end for end in (link.subject, link.object) if end not in ids]
        if len(ids) + len(ends) > MOST_NODES or len(kept) >= _MOST_LINKS:
            continue
        ids |= dict.fromkeys(ends)
        kept.append(link)
    nexus, wanted = visit.nexus, visit.asked("type")
    shown = shown_ids(nexus, list(ids), visit.then)
    types = sorted({one.type for one in shown})
    if wanted:
        shown = tuple(one for one in shown if one.type == wanted or one.id in starts)
    there = {one.id for one in shown}
    kept = [one for one in kept if one.subject in there and one.object in there]
    is_whole = is_all and len(kept) == len(links) and len(links) < _MOST_LINKS
    now = nexus.now()
    told = tuple((one, _standing(one, now)) for one in kept)
    known = described(nexus, "DESCRIBE PROPOSITION TYPES", visit.then)[:_MOST_LISTED]
    predicates = sorted({one.predicate for one in found} | {str(one["name"]) for one in known})
    return Drawn(shown, told, is_whole or bool(wanted), types, predicates)


def _standing(link: Link, now: Instant) -> str:
    """Return whether a link has ended or not begun; both stand in its metadata."""
    since, until = (
        asked_instant(str(link.metadata[name])) if name in link.metadata else None
        for name in ("valid_from", "valid_until")
    )
    return standing_of(Dated(link, since, until, now, None), now)


def _beginning(visit: Visit) -> tuple[list[str], list[Link], bool]:
    """Return what a picture begins with: the ids of nodes, links, and whether that is all."""
    if text := visit.asked("kip"):
        given = given_parameters(visit, text)
        why = visit.nexus.why(paged(visit, text), None, given, as_of=page_moment(visit))
        held = [one.element for one in why.grounds]
        concepts = [one.id for one in held if isinstance(one, Concept)]
        links = [one for one in held if isinstance(one, Link)]
        return concepts, links, not why.omitted
    if visit.asked("all"):
        return [], _links(visit, _ALL, {}), True
    starts = _starts(visit)
    asked = ((text, {"id": one}) for one in starts for text in (_OUTWARD, _INWARD))
    return starts, [link for text, given in asked for link in _links(visit, text, given)], True


def _starts(visit: Visit) -> list[str]:
    """Return the ids that a picture begins with."""
    given = visit.asked("id")
    if given:
        return [given]
    text = visit.asked("q").strip()
    if not text:
        return []
    hits = visit.nexus.search(text, "concept", limit=_MOST_FOUND, as_of=visit.moment).only(Hits)
    return [hit.element.id for hit in hits.hits]


def _near(visit: Visit) -> tuple[str, ...]:
    """Return the names that are like what is searched for, or a word of which is."""
    text = visit.asked("q").strip()
    near = near_names(visit.nexus, text, as_of=visit.moment) if text else {}
    return tuple(dict.fromkeys(near.values()))[:_MOST_NEAR]


def _links(visit: Visit, text: str, parameters: dict[str, str]) -> list[Link]:
    rows = visit.nexus.read(text, {**parameters}, as_of=visit.moment).rows
    return [row[0] for row in rows if isinstance(row[0], Link)]


def _is_wanted(visit: Visit, link: Link) -> bool:
    """Whether a link passes the filters of predicate and confidence."""
    predicate = visit.asked("predicate")
    if predicate and link.predicate != predicate:
        return False
    least = visit.asked("confidence")
    if not least:
        return True
    try:
        share = float(least)
    except ValueError:
        raise refused("confidence is not a number", "confidence=0.5") from None
    held = link.metadata.get("confidence")
    return not isinstance(held, int | float) or held >= share


ROUTES: Final = (Route("/graph", graph_page), Route("/graph/data", graph_data))
