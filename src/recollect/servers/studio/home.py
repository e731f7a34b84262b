"""Home: what a memory is about, what changed in it, what wants attention, and how it is.

The rule: it shows counts and names that the memory keeps anyway, so it costs the same however
large the memory is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.faces.claims import AttentionQueue
from recollect.kernel import Nexus
from recollect.model import (
    Description,
    ElementKind,
    Key,
    LoggedChange,
    LoggedTransaction,
    Triple,
    Value,
)
from recollect.servers.studio.shown import Shown, shown_ids
from recollect.servers.studio.visit import Answered, Page, Route, Visit

MOST_CHANGES: Final = 15
_MOST_TYPES: Final = 24
_MOST_SHOWN: Final = 8
_MOST_ATTENTION: Final = 5


@dataclass(frozen=True, slots=True)
class Changed:
    """What one transaction did, in lines."""

    logged: LoggedTransaction
    lines: tuple[tuple[LoggedChange, str], ...]
    has_more: bool


def home(visit: Visit) -> Answered:
    """Show the first page."""
    nexus = visit.nexus
    stats = nexus.stats()
    with nexus.snapshot():
        shows = {
            "stats": stats,
            "domains": described(nexus, "DESCRIBE DOMAINS"),
            "types": described(nexus, "DESCRIBE CONCEPT TYPES")[:_MOST_TYPES],
            "predicates": described(nexus, "DESCRIBE PROPOSITION TYPES")[:_MOST_TYPES],
            "changes": newest_changes(nexus, stats.transactions),
            "newest": _newest(nexus, stats.transactions),
            "attention": AttentionQueue(nexus).items()[:_MOST_ATTENTION],
        }
    return Page("home.html", "Home", shows)


def changes_part(visit: Visit) -> Answered:
    """Return the newest changes alone, for a page that shows them as they come."""
    count = visit.nexus.stats().transactions
    shows = {"changes": newest_changes(visit.nexus, count)}
    return Page("changes_part.html", "Changes", shows, is_part=True)


def described(nexus: Nexus, command: str) -> Sequence[Mapping[str, Value]]:
    """Return the items that a DESCRIBE lists, those with something in them first."""
    (result,) = nexus.read(command).results
    assert isinstance(result, Description)
    items = result.body.get("items")
    found = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
    return sorted(found, key=lambda one: not one.get("count"))


def newest_changes(nexus: Nexus, count: int, most: int = MOST_CHANGES) -> tuple[Changed, ...]:
    """Return what the last transactions did, the newest first."""
    logged = nexus.changes(max(0, count - most), most, most=_MOST_SHOWN + 1)
    return tuple(changed(nexus, one) for one in reversed(logged))


def changed(nexus: Nexus, logged: LoggedTransaction) -> Changed:
    """Return what a transaction did in lines, the first few of them."""
    few = logged.changes[:_MOST_SHOWN]
    shown = {one.id: one for one in shown_ids(nexus, [change.id for change in few])}
    lines = tuple((one, _line(one, shown.get(one.id))) for one in few)
    return Changed(logged, lines, len(logged.changes) > len(few))


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


def _newest(nexus: Nexus, count: int) -> tuple[Shown, ...]:
    """Return the concepts that were made last."""
    logged = nexus.changes(max(0, count - 2 * MOST_CHANGES), 2 * MOST_CHANGES, most=_MOST_SHOWN)
    ids = [
        change.id
        for one in reversed(logged)
        for change in one.changes[:_MOST_SHOWN]
        if change.kind is ElementKind.CONCEPT and change.operation == "create"
    ]
    found = shown_ids(nexus, list(dict.fromkeys(ids))[: 2 * _MOST_SHOWN])
    return tuple(one for one in found if one.dated.expired_at is None)[:_MOST_SHOWN]


def keys_page(visit: Visit) -> Answered:
    """Show which keys do what, and what words mean."""
    del visit
    return Page("keys.html", "Keys")


ROUTES: Final = (
    Route("/", home),
    Route("/changes/part", changes_part),
    Route("/keys", keys_page),
)
