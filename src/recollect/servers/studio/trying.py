"""What a change would do, seen before it is kept.

The rule: the change itself runs, in a transaction that is undone at the end, so what is shown is
what would be, whichever call makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from recollect.kernel import Nexus
from recollect.model import (
    REPLACED_BY,
    SEARCH_ATTRIBUTES,
    SEARCH_NAME,
    Attributes,
    Content,
    LoggedChange,
    Operation,
    Value,
)
from recollect.node import dataclass
from recollect.servers.studio.rendering import as_json
from recollect.servers.studio.shown import Shown, shown_ids
from recollect.servers.studio.visit import Visit

MOST_EFFECTS: Final = 50
UNTOLD: Final = (SEARCH_ATTRIBUTES, SEARCH_NAME, REPLACED_BY)
"""Keys that say nothing to a person; raw JSON has them."""


@dataclass(frozen=True, slots=True)
class TriedPart:
    """One key of an element that changes; None where it is not there."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to one element."""

    change: LoggedChange
    line: str
    name: str  # of a link its ends and predicate, whatever its words are
    parts: tuple[TriedPart, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """What a change does, all told."""

    effects: tuple[Effect, ...]
    more: int


def tried(visit: Visit, work: Callable[[Nexus], object]) -> Tried:
    """Return what some work on a group would do, and keep nothing of it."""
    nexus = visit.nexus
    with nexus.transaction(dry_run=True):
        number = nexus.stats().transactions
        work(nexus)
        # The last of what is done to an element is what becomes of it.
        by_id = {one.id: one for logged in nexus.changes(number) for one in logged.changes}
        changes = list(by_id.values())
        few = changes[:MOST_EFFECTS]
        shown = {one.id: one for one in shown_ids(nexus, [one.id for one in few])}
        effects = tuple(_effect(nexus, one, shown.get(one.id)) for one in few)
    return Tried(effects, len(changes) - len(few))


def _effect(nexus: Nexus, change: LoggedChange, shown: Shown | None) -> Effect:
    parts: tuple[TriedPart, ...] = ()
    if change.what is not None and change.operation is not Operation.CLOSE:
        last = nexus.history(change.id)[-1].versions[-1]
        parts = differences(last.before, last.after)
    line, name = (change.id, change.id) if shown is None else (shown.line, shown.name)
    return Effect(change, line, name, parts)


def differences(before: Content | None, after: Content | None) -> tuple[TriedPart, ...]:
    """Return the keys that differ between two contents, attributes first."""
    empty: Attributes = {}
    parts: list[TriedPart] = []
    for one, other in (
        (
            empty if before is None else before.attributes,
            empty if after is None else after.attributes,
        ),
        (empty if before is None else before.metadata, empty if after is None else after.metadata),
    ):
        parts += _parts(one, other)
    return tuple(parts)


def _parts(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[TriedPart]:
    found = []
    for name in dict.fromkeys((*before, *after)):
        if name in UNTOLD:
            continue
        old = _text(before[name]) if name in before else None
        new = _text(after[name]) if name in after else None
        if old != new:
            found.append(TriedPart(name, old, new))
    return found


def _text(value: Value) -> str:
    return value if isinstance(value, str) else as_json(value)
