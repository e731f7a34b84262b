"""Where among its siblings a place comes, as a number that stays free on both sides.

The rule: a new sibling goes after the nearest known one before it in the document, else before
the next known one, else to the end. Known siblings stay, unless they are marked `[updated]` and
stand elsewhere than the document has them. The end is a number that the group never gave before,
so nothing is read to append.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    beside: Callable[[Sibling, bool], float | None],
    standing: Callable[[], Sequence[tuple[str, float]]],
    take: Callable[[], int],
) -> dict[str, float]:
    """Return the order of what is new or moves, and of what must give way, by id.

    `beside` returns the order of what stays next to a known sibling, after it or (True) before it:
    infinite at either end, None where that is not known at once. `standing` reads all siblings that
    stay, in order, for where there is no room; `take` gives the next number that comes after all.
    """
    moved = moved_siblings(siblings)
    fresh = {one.id for one in siblings if one.order is None} | moved
    if not fresh:
        return {}
    if all(one.id in fresh for one in siblings):
        return {one.id: float(take()) for one in siblings}
    groups = _groups(siblings, fresh)
    found: dict[str, float] = {}
    for anchor, ids, is_before in groups:
        own = LAST if anchor.order is None else anchor.order
        end = -math.inf if is_before else LAST
        near = end if own == LAST else beside(anchor, is_before)
        if near is None:
            break
        between = _between(*((near, own) if is_before else (own, near)), len(ids), take)
        if between is None:
            break
        found.update(zip(ids, between, strict=True))
    else:
        return found
    line = [one for one, _ in standing() if one not in fresh]
    for anchor, ids, is_before in groups:
        at = line.index(anchor.id) + (not is_before)
        line[at:at] = ids
    return {one: float(take()) for one in line}


def _groups(siblings: Sequence[Sibling], fresh: set[str]) -> list[tuple[Sibling, list[str], bool]]:
    """Return what is new or moves with the known sibling that it goes after, or (True) before."""
    groups: list[tuple[Sibling, list[str], bool]] = []
    anchor: Sibling | None = None
    first: list[str] = []
    for one in siblings:
        if one.id not in fresh:
            if anchor is None and first:
                groups.append((one, first, True))
            anchor = one
        elif anchor is None:
            first.append(one.id)
        elif groups and groups[-1][0] is anchor and not groups[-1][2]:
            groups[-1][1].append(one.id)
        else:
            groups.append((anchor, [one.id], False))
    return groups


def _between(low: float, high: float, count: int, take: Callable[[], int]) -> list[float] | None:
    """Return so many numbers between two, in order; None where there is no room."""
    if high == LAST:
        return [LAST if low == LAST else float(take()) for _ in range(count)]
    if low == -math.inf:
        return [high - count + one for one in range(count)]
    step = (high - low) / (count + 1)
    found = [low + step * (one + 1) for one in range(count)]
    line = [low, *found, high]
    is_roomy = all(one < other for one, other in pairwise(line))
    return found if is_roomy else None
