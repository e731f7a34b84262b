"""Where among its siblings a place comes, as a number that stays free on both sides.

The rule: a new sibling goes after the nearest known one before it in the document, else before
the next known one, else to the end. Known siblings stay, unless they are marked `[updated]` and
stand elsewhere than the document has them. The end is a number that the group never gave before,
so nothing is read to append.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from recollect.faces.markup.records import LAST
from recollect.node import node


@node(frozen=True, slots=True)
class Sibling:
    """A node of the document among those below one parent."""

    id: str
    order: float | None  # where it stands; None: it is new here
    is_updated: bool = False


def moved_siblings(siblings: Sequence[Sibling]) -> set[str]:
    """Return the known siblings that are updated and contradicted by the document's order.

    >>> a, b = Sibling("a", 2.0, True), Sibling("b", 1.0)
    >>> moved_siblings([a, b]), moved_siblings([b, a])
    ({'a'}, set())
    """
    known = [(one, one.order) for one in siblings if one.order is not None]
    moved: set[str] = set()
    before = -math.inf
    for at, (one, order) in enumerate(known):
        after = known[at + 1][1] if at + 1 < len(known) else math.inf
        if one.is_updated and not before <= order <= after:
            moved.add(one.id)
        else:
            before = order
    return moved


def arranged(
    siblings: Sequence[Sibling],
    standing: Callable[[], Sequence[tuple[str, float]]],
    take: Callable[[], int],
) -> dict[str, float]:
    """Return the order of what is new or moves, and of what must give way, by id.

    `standing` reads the siblings that are there, in order; `take` gives the next number that comes
    after all.
    """
    moved = moved_siblings(siblings)
    fresh = {one.id for one in siblings if one.order is None} | moved
    if not fresh:
        return {}
    anchors = [one.id for one in siblings if one.id not in fresh]
    if not anchors:
        return {one.id: float(take()) for one in siblings if one.id in fresh}
    line = _line(siblings, fresh, anchors, [one for one in standing() if one[0] not in fresh])
    return _numbered(line, take)


_Spot = tuple[str, float | None]


def _line(
    siblings: Sequence[Sibling],
    fresh: set[str],
    anchors: Sequence[str],
    standing: Sequence[tuple[str, float]],
) -> list[_Spot]:
    """Return all siblings in their new order; those that have no number yet have None."""
    after: dict[str | None, list[str]] = {}
    anchor: str | None = None
    for one in siblings:
        if one.id in fresh:
            after.setdefault(anchor, []).append(one.id)
        else:
            anchor = one.id
    first = after.pop(None, [])  # before the first known one
    line: list[_Spot] = []
    for id, order in standing:
        if id == anchors[0]:
            line += [(one, None) for one in first]
        line.append((id, order))
        line += [(one, None) for one in after.get(id, ())]
    return line


def _numbered(line: Sequence[_Spot], take: Callable[[], int]) -> dict[str, float]:
    """Return numbers for those that have none; for all where there is no room between two."""
    found: dict[str, float] = {}
    before = -math.inf
    waiting: list[str] = []
    for id, order in [*line, (None, LAST)]:
        if order is None:
            waiting.append(str(id))
            continue
        between = _between(before, order, len(waiting), take)
        if between is None:
            return {one: float(take()) for one, _ in line}
        found.update(zip(waiting, between, strict=True))
        waiting, before = [], order
    return found


def _between(
    low: float, high: float, count: int, take: Callable[[], int]
) -> Iterable[float] | None:
    """Return so many numbers between two, in order; None where there is no room."""
    if not count:
        return ()
    if low == LAST:
        return (LAST,) * count
    if high == LAST:
        return [float(take()) for _ in range(count)]
    if low == -math.inf:
        return [high - count + one for one in range(count)]
    step = (high - low) / (count + 1)
    found = [low + step * (one + 1) for one in range(count)]
    line = [low, *found, high]
    is_roomy = all(one < other for one, other in pairwise(line))
    return found if is_roomy else None
