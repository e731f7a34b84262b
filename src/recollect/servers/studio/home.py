"""Home: what a memory is about, what changed in it, what wants attention, how it is, how it grew.

The rule: it shows counts and names that the memory keeps anyway, so it costs the same however
large the memory is. The curve of elements over time is drawn on the server from what the log
counts; it only rises, since what was closed had been made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from recollect.faces.claims import AttentionQueue
from recollect.kernel import Nexus
from recollect.model import (
    AsOf,
    Description,
    ElementKind,
    Grown,
    Key,
    Kind,
    LoggedChange,
    LoggedTransaction,
    Triple,
    Value,
)
from recollect.node import dataclass
from recollect.servers.studio.shown import Shown, shown_ids
from recollect.servers.studio.visit import Answered, Route, StudioPage, Visit, transaction_of

WIDTH: Final = 900  # of the box that the template draws in
HEIGHT: Final = 160
_TOP: Final = 8


@dataclass(frozen=True, slots=True)
class Curve:
    """Two areas on one another as points of SVG, and what their edges stand for."""

    concepts: str
    elements: str
    first: Grown
    last: Grown


def curve_of(growth: Sequence[Grown]) -> Curve | None:
    """Return the curve of some growth; None where there is none yet."""
    if not growth:
        return None
    first, last = growth[0], growth[-1]
    span = max(1, last.at - first.at)
    most = last.concepts + last.links

    def points(counts: Sequence[int]) -> str:
        """Return the corners of the area below some counts, which rise in steps."""
        corners, height = [(0.0, float(HEIGHT))], float(HEIGHT)
        for one, count in zip(growth, counts, strict=True):
            x = (one.at - first.at) / span * WIDTH
            corners.append((x, height))
            height = HEIGHT - count / most * (HEIGHT - _TOP)
            corners.append((x, height))
        corners += [(WIDTH, height), (WIDTH, HEIGHT)]
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)

    concepts = [one.concepts for one in growth]
    elements = [one.concepts + one.links for one in growth]
    return Curve(points(concepts), points(elements), first, last)


MOST_CHANGES: Final = 15
_MOST_TYPES: Final = 24
_MOST_SHOWN: Final = 8
_MOST_ATTENTION: Final = 5
_MARKS: Final = 60
_OF_TYPE: Final = "FIND(COUNT(?x)) WHERE { ?x {type: $name} }"
_OF_PREDICATE: Final = "FIND(COUNT(?l)) WHERE { ?l (?s, $name, ?o) }"


@dataclass(frozen=True, slots=True)
class Changed:
    """What one transaction did, in lines."""

    logged: LoggedTransaction
    lines: tuple[tuple[LoggedChange, str], ...]
    has_more: bool


def home(visit: Visit) -> Answered:
    """Show the first page."""
    nexus, moment = visit.nexus, visit.moment
    stats = nexus.stats()
    with nexus.snapshot():
        last = transaction_of(nexus, visit.known, stats.transactions, stats.transactions)
        types, predicates, domains = (
            described(nexus, f"DESCRIBE {one}", visit.then)
            for one in ("CONCEPT TYPES", "PROPOSITION TYPES", "DOMAINS")
        )
        types = about_types(nexus, types)[:_MOST_TYPES]
        predicates = predicates[:_MOST_TYPES]
        if visit.valid:
            types = _counted(visit, types, _OF_TYPE)
            predicates = _counted(visit, predicates, _OF_PREDICATE)
        shows = {
            "stats": stats,
            "last": last,
            "domains": domains[:_MOST_TYPES],
            "types": types,
            "predicates": predicates,
            "changes": newest_changes(nexus, last),
            "newest": _newest(nexus, last, visit.then),
            "word": visit.last_word if visit.is_whole else None,
            "attention": AttentionQueue(nexus).items(as_of=moment)[:_MOST_ATTENTION],
        }
    return StudioPage("home.html", "Home", shows)


def growth_page(visit: Visit) -> Answered:
    """Show how the memory grew. Cost: its whole log."""
    stats = visit.nexus.stats(_MARKS)
    shows = {"stats": stats, "curve": curve_of(stats.growth)}
    return StudioPage("growth.html", "How it grew", shows)


def connected_page(visit: Visit) -> Answered:
    """Show the concepts with the most links of each domain. Cost: every link of the memory."""
    result = visit.nexus.read("DESCRIBE PRIMER").only(Description)
    regions, kinds = result.body["domain_map"], visit.nexus.kinds
    assert isinstance(regions, list)
    told = [
        one
        for one in regions
        if isinstance(one, dict) and not kinds.of(str(one["domain"])).names_are_ids
    ]
    shows = {"domains": told}
    return StudioPage("connected.html", "Most connected", shows)


def _counted(
    visit: Visit, items: Sequence[Mapping[str, Value]], text: str
) -> list[Mapping[str, Value]]:
    """Return types or predicates with how many of what was held were true then."""
    found: list[Mapping[str, Value]] = []
    for one in items:
        rows = visit.nexus.read(text, {"name": one["name"]}, as_of=visit.moment).rows
        found.append({**one, "count": cast(int, rows[0][0])})
    return found


def described(
    nexus: Nexus, command: str, as_of: AsOf | None = None
) -> Sequence[Mapping[str, Value]]:
    """Return the items that a DESCRIBE lists, those with something in them first."""
    result = nexus.read(command, as_of=as_of).only(Description)
    items = result.body.get("items")
    found = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
    return sorted(found, key=lambda one: not one.get("count"))


def newest_changes(nexus: Nexus, count: int, most: int = MOST_CHANGES) -> tuple[Changed, ...]:
    """Return what the last transactions did in lines, the newest first: of each the first few."""
    logged = nexus.changes(max(0, count - most), min(most, count), most=_MOST_SHOWN + 1)
    few = dict.fromkeys(change.id for one in logged for change in one.changes[:_MOST_SHOWN])
    shown = {one.id: one for one in shown_ids(nexus, list(few))}

    def changed(one: LoggedTransaction) -> Changed:
        some = one.changes[:_MOST_SHOWN]
        lines = tuple((change, _line(change, shown.get(change.id))) for change in some)
        return Changed(one, lines, len(one.changes) > len(some))

    return tuple(map(changed, reversed(logged)))


def _line(change: LoggedChange, shown: Shown | None) -> str:
    if shown is not None:
        return shown.line
    match change.what:
        case Key(name=name):
            return name
        case Triple(predicate=predicate):
            return predicate
        case None:
            return "erased"


def _newest(nexus: Nexus, count: int, then: AsOf | None) -> tuple[Shown, ...]:
    """Return the concepts that were made last, but for those that only hold others."""
    far = min(2 * MOST_CHANGES, count)
    logged = nexus.changes(count - far, far, most=_MOST_SHOWN)
    ids = [
        change.id
        for one in reversed(logged)
        for change in one.changes[:_MOST_SHOWN]
        if change.kind is ElementKind.CONCEPT and change.operation == "create"
    ]
    found = shown_ids(nexus, list(dict.fromkeys(ids))[: 2 * _MOST_SHOWN], then)
    return tuple(
        one
        for one in found
        if one.dated.expired_at is None and _is_statement(nexus.kinds.of(one.type))
    )[:_MOST_SHOWN]


def about_types(
    nexus: Nexus, types: Sequence[Mapping[str, Value]]
) -> Sequence[Mapping[str, Value]]:
    """Return the types that a memory is about, not those of what a face keeps beside them."""
    kinds = [(one, nexus.kinds.of(str(one["name"]))) for one in types]
    return [one for one, kind in kinds if kind.is_memory and kind.is_known]


def _is_statement(kind: Kind) -> bool:
    """Whether a concept of a kind says something by itself."""
    return kind.is_memory and bool(kind.text or not kind.names_are_ids)


def keys_page(visit: Visit) -> Answered:
    """Show which keys do what, and what words mean."""
    del visit
    return StudioPage("keys.html", "Keys")


ROUTES: Final = (
    Route("/", home),
    Route("/growth", growth_page),
    Route("/connected", connected_page),
    Route("/keys", keys_page),
)
