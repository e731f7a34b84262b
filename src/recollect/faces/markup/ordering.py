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
from typing import Final, Protocol

from recollect.faces.markup.graph import LAST
from recollect.node import node


@node(frozen=True, slots=True)
class Sibling:
    """A node of the document among those below one parent."""

    id: str
    order: float | None  # where it stands; None: it is new here
    is_updated: bool = False


_NEAR: Final = 8
"""Siblings that are read to find the next one."""

_LEAST: Final = 2.0**-32
"""Room between two that were spread, beside their size: for twenty halvings and more."""


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


class Near(Protocol):
    """Reads the siblings that stay next to a known one, the nearest first, and whether all."""

    def __call__(
        self, anchor: Sibling, most: int, *, before: bool = False
    ) -> tuple[list[tuple[str, float]], bool] | None:
        """Return at most so many; None where the sibling is not among those of its order."""


def arranged(
    siblings: Sequence[Sibling],
    near: Near,
    standing: Callable[[], Sequence[str]],
    take: Callable[[], int],
) -> dict[str, float]:
    """Return the order of what is new or moves, and of what must give way, by id.

    `standing` reads all siblings that stay, in order, which is seldom needed; `take` gives the
    next number that comes after all.
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
        if ids[0] in found:  # it was spread with those before it
            continue
        orders = _beside(anchor, ids, is_before, near, take) or _spread(groups, anchor, near, take)
        if orders is None:
            break
        found |= orders
    else:
        return found
    line = list(standing())
    for anchor, ids, is_before in groups:
        at = line.index(anchor.id) + (not is_before)
        line[at:at] = ids
    return {one: float(take()) for one in line}


def _beside(
    anchor: Sibling, ids: Sequence[str], is_before: bool, near: Near, take: Callable[[], int]
) -> dict[str, float] | None:
    """Return orders between a known sibling and the one next to it; None where there is no room."""
    own = LAST if anchor.order is None else anchor.order
    end = -math.inf if is_before else LAST
    if own != LAST:
        read = near(anchor, _NEAR, before=is_before)
        if read is None or not (read[0] or read[1]):
            return None
        end = read[0][0][1] if read[0] else end
    between = _between(*((end, own) if is_before else (own, end)), len(ids), take)
    return None if between is None else dict(zip(ids, between, strict=True))


_Group = tuple[Sibling, list[str], bool]


def _spread(
    groups: Sequence[_Group], anchor: Sibling, near: Near, take: Callable[[], int]
) -> dict[str, float] | None:
    """Return orders for what comes after a sibling, and for so many after it as make room.

    None where none do.
    """
    after = {one.id: ids for one, ids, is_before in groups if not is_before}
    first = next((ids for one, ids, is_before in groups if is_before and one is anchor), None)
    if first is not None:  # they come after the one before it
        before = near(anchor, _NEAR, before=True)
        if not before or not before[0]:
            return None
        anchor = Sibling(*before[0][0])
        after[anchor.id] = first
    low = anchor.order
    for most in (4 * _NEAR, 32 * _NEAR, 256 * _NEAR):
        read = near(anchor, most)
        if read is None or low is None:
            return None
        beside, is_end = read
        line = list(after.get(anchor.id, ()))
        for id, _ in beside if is_end else beside[:-1]:
            line += [id, *after.get(id, ())]
        if is_end:
            return {one: float(take()) for one in line}
        high = beside[-1][1] if beside else low
        step = (high - low) / (len(line) + 1)
        if step > _LEAST * max(abs(low), abs(high), 1.0):
            return {one: low + step * (at + 1) for at, one in enumerate(line)}
    return None


def _groups(siblings: Sequence[Sibling], fresh: set[str]) -> list[tuple[Sibling, list[str], bool]]:
    """Return what is new or moves with the known sibling that it goes after, or (True) before."""
    groups: list[_Group] = []
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
