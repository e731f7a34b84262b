"""The page of one element: what it says, its two clocks, its past, and what it stands beside.

The rule: a page shows the element as of the moment asked about, its past always whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from recollect.errors import INVALID_ARGUMENT, NOT_FOUND, RecollectError
from recollect.faces.claims import Claim
from recollect.faces.claims.records import claim_events, claims_of, known_at
from recollect.faces.claims.viewing import viewed
from recollect.faces.memory.undoing import changes_back, merged_into
from recollect.kernel import Nexus
from recollect.model import (
    FACT,
    SOURCES,
    AsOf,
    Attributes,
    Concept,
    Dated,
    Exported,
    Instant,
    Life,
    Limits,
    Link,
    Version,
)
from recollect.node import dataclass
from recollect.servers.studio.clocks import picture_of
from recollect.servers.studio.shown import Shown, shown_ids, shown_of
from recollect.servers.studio.trying import UNTOLD, TriedPart, differences
from recollect.servers.studio.visit import (
    Answered,
    Download,
    Route,
    StudioPage,
    Visit,
    absent,
    required,
)

_MOST_VERSIONS: Final = 50
_MOST_SOURCES: Final = 20
_BESIDE: Final = "FIND(?l, ?far) WHERE {{ ?x {one} ?l {ends} }} LIMIT 60"
_ENDS: Final = (("(?x, ?p, ?far)", True), ("(?far, ?p, ?x)", False))
_SAID: Final = "EXPORT ?x WHERE {{ ?x {one} }}"
_MOST_SAME: Final = 20
_IN_WORDS: Final = (FACT, "valid_from", "valid_until")
"""What the page of a link says in its title and its clocks."""
_BRIEFLY: Final = Limits(max_seconds=2.0)


@dataclass(frozen=True, slots=True)
class LifeStep:
    """One version with what it changed."""

    version: Version
    parts: tuple[TriedPart, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The links of one predicate and direction, each with what is at its other end."""

    predicate: str
    is_outward: bool
    joined: tuple[tuple[Shown, Shown], ...]  # each link, and what it leads to


def element_page(visit: Visit) -> Answered:
    """Show an element."""
    nexus, identifier = visit.nexus, required(visit.query, "id")
    dated, is_held = held(visit, identifier)
    lives = nexus.history(identifier)
    (shown,) = shown_of(nexus, [dated], visit.then)
    element = dated.element
    claim = _claim(nexus, element, visit.then) if isinstance(element, Concept) else None
    is_owned = isinstance(element, Concept) and element.type in nexus.kinds.owned
    same, steps = same_predicate(visit, element), steps_of(lives)
    shows = {
        "one": shown,
        "element": element,
        "dated": dated,
        "is_held": is_held,
        "ends": _ends(visit, element),
        "picture": picture_of(lives, nexus.now()),
        "steps": steps,
        "written": _written(steps, known_at(nexus, visit.then)),
        "events": [] if claim is None else claim_events(nexus, claim.id, visit.then),
        "marks": [one.since.number for life in lives for one in life.versions][-_MOST_VERSIONS:],
        "neighbours": neighbours(visit, element),
        "sources": shown_ids(nexus, _sources(element.metadata)),
        "claim": None if claim is None else viewed(nexus, claim, visit.then),
        "capsule": _capsule(visit, element),
        "is_owned": is_owned,
        "untold": (*UNTOLD, *(_IN_WORDS if isinstance(element, Link) else ())),
        "same": same,
        "merged_into": _merged(visit, dated, lives[-1]),
        "can_undo": visit.moment is None and not is_owned and _can_undo(nexus, identifier),
        "is_living": dated.expired_at is None and is_held and visit.moment is None,
        "done": visit.number("done", 0, 10**15),
    }
    return StudioPage("element.html", shown.name, shows)


def _merged(visit: Visit, dated: Dated, life: Life) -> tuple[Shown, ...]:
    """Return the concept that a closed one was merged into, if it was."""
    element, nexus = dated.element, visit.nexus
    if dated.expired_at is None or not isinstance(element, Concept):
        return ()
    into = merged_into(nexus, element, life.versions[-1].since.number)
    return () if into is None else shown_ids(nexus, [into])


def _can_undo(nexus: Nexus, identifier: str) -> bool:
    """Whether there is something to take back."""
    try:
        changes_back(nexus, identifier)
    except RecollectError as error:
        if error.code is not INVALID_ARGUMENT:
            raise
        return False
    return True


def held(visit: Visit, identifier: str) -> tuple[Dated, bool]:
    """Return an element as of the moment asked about, else as it was last, and whether it was."""
    moment = visit.moment
    found = visit.nexus.elements.look_up([identifier], as_of=moment).get(identifier)
    if found is not None:
        return found, True
    last = visit.nexus.elements.look_up([identifier], closed=True).get(identifier)
    if last is None:
        raise absent(identifier)
    return last, moment is None


def steps_of(lives: Sequence[Life]) -> tuple[LifeStep, ...]:
    """Return the versions of an element with what each changed, the newest first."""
    versions = [one for life in lives for one in life.versions]
    return tuple(
        LifeStep(one, differences(one.before, one.after))
        for one in reversed(versions[-_MOST_VERSIONS:])
    )


def _written(steps: Sequence[LifeStep], known: Instant) -> Version | None:
    """Return the version that was believed at an instant; None before the first."""
    found = (one.version for one in steps if one.version.since.at <= known)
    return next(found, None)


def neighbours(visit: Visit, element: Concept | Link) -> tuple[Neighbours, ...]:
    """Return what is joined to an element by links, by predicate and direction."""
    found: list[Neighbours] = []
    for ends, is_outward in _ENDS:
        text = _BESIDE.format(one=_one(element), ends=ends)
        rows = visit.nexus.read(text, {"id": element.id}, as_of=visit.moment).rows
        pairs = [
            (row[0], row[1])
            for row in rows
            if isinstance(row[0], Link) and isinstance(row[1], Concept | Link)
        ]
        ids = [one.id for pair in pairs for one in pair]
        shown = {one.id: one for one in shown_ids(visit.nexus, ids, visit.then)}
        predicates = dict.fromkeys(link.predicate for link, _ in pairs)
        for predicate in predicates:
            joined = tuple(
                (shown[link.id], shown[end.id])
                for link, end in pairs
                if link.predicate == predicate and link.id in shown and end.id in shown
            )
            found.append(Neighbours(predicate, is_outward, joined))
    return tuple(found)


def same_predicate(visit: Visit, element: Concept | Link) -> tuple[Shown, ...]:
    """Return what else the predicate of a link says, or said, of its subject, the oldest first.

    Among it is the same fact as it was held before. Cost: every link of the subject by it.
    """
    if isinstance(element, Concept):
        return ()
    told = visit.nexus.joints.at(
        [element.subject], "subject", [element.predicate], as_of=visit.then, closed=True
    )
    others = [one.link.id for one in told if one.link.id != element.id]
    return shown_ids(visit.nexus, others[-_MOST_SAME:], visit.then)


def raw(visit: Visit) -> Answered:
    """Return an element as JSON."""
    dated, _ = held(visit, required(visit.query, "id"))
    laid = orjson.dumps(dated, option=orjson.OPT_INDENT_2)
    return Download("element.json", "application/json", laid)


def _one(element: Concept | Link) -> str:
    return "{id: $id}" if isinstance(element, Concept) else "(id: $id)"


def _claim(nexus: Nexus, concept: Concept, as_of: AsOf | None) -> Claim | None:
    if concept.type != "Claim":
        return None
    found = claims_of(nexus, [concept], as_of)
    return found[0] if found else None


def _ends(visit: Visit, element: Concept | Link) -> tuple[Shown, ...]:
    if isinstance(element, Concept):
        return ()
    return shown_ids(visit.nexus, [element.subject, element.object], visit.then)


def _sources(metadata: Attributes) -> list[str]:
    sources = metadata.get(SOURCES)
    found = [one for one in sources if isinstance(one, str)] if isinstance(sources, list) else []
    return found[:_MOST_SOURCES]


def _capsule(visit: Visit, element: Concept | Link) -> str:
    """Return the KIP that makes an element; empty where KIP cannot say it."""
    text = _SAID.format(one=_one(element))
    try:
        answer = visit.nexus.read(text, {"id": element.id}, as_of=visit.moment, limits=_BRIEFLY)
    except RecollectError as error:
        if error.code is NOT_FOUND or error.code.category == "limit":
            return ""
        raise
    result = answer.only(Exported)
    return result.capsule if result.concepts or result.links else ""


ROUTES: Final = (Route("/element", element_page), Route("/element/raw", raw))
