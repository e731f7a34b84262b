"""Two moments of a memory side by side: what came, what went, what changed.

The rule: only elements that the log names between the two moments are looked at, so a comparison
costs what happened, not what there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel import Nexus
from recollect.model import AsOf, Content, Dated
from recollect.servers.studio.shown import Shown, shown_of
from recollect.servers.studio.trying import Part, differences
from recollect.servers.studio.visit import Answered, Page, Route, Visit, moment_of

MOST_TRANSACTIONS: Final = 1_000
MOST_ELEMENTS: Final = 300


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs between two moments."""

    earlier: int
    later: int
    came: tuple[Shown, ...]
    went: tuple[Shown, ...]
    changed: tuple[tuple[Shown, tuple[Part, ...]], ...]
    is_whole: bool  # whether all that happened was looked at


def compare_page(visit: Visit) -> Answered:
    """Show what differs between two moments; without any, between the last two transactions."""
    last = visit.nexus.stats().transactions
    earlier = transaction_of(visit.nexus, visit.asked("from"), max(0, last - 1), last)
    later = transaction_of(visit.nexus, visit.asked("to"), last, last)
    if earlier > later:
        earlier, later = later, earlier
    shows = {"compared": compared(visit.nexus, earlier, later), "last": last}
    return Page("compare.html", "Compare", shows)


def transaction_of(nexus: Nexus, given: str, otherwise: int, last: int) -> int:
    """Return the last transaction that a text names or an instant saw. Cost: a few reads."""
    if not given.strip():
        return otherwise
    moment = moment_of("", given.strip())
    if moment is None:
        return otherwise
    if moment.transaction is not None:
        return min(moment.transaction, last)
    instant = moment.known
    if instant is None:
        raise RecollectError(INVALID_ARGUMENT, "the moment names no time", hint="from=2026-01-31")
    low, high = 0, last  # transactions up to `low` were there by then
    while low < high:
        middle = (low + high + 1) // 2
        (logged,) = nexus.changes(middle - 1, 1, most=0)
        low, high = (middle, high) if logged.transaction.at <= instant else (low, middle - 1)
    return low


def compared(nexus: Nexus, earlier: int, later: int) -> Compared:
    """Return what differs between the states after two transactions."""
    ids: dict[str, None] = {}
    logged = (
        nexus.changes(earlier, min(later - earlier, MOST_TRANSACTIONS), most=MOST_ELEMENTS + 1)
        if later > earlier
        else ()
    )
    for one in logged:
        ids |= dict.fromkeys(change.id for change in one.changes if change.what is not None)
    few = list(ids)[:MOST_ELEMENTS]
    then, now = AsOf(transaction=earlier), AsOf(transaction=later)
    before, after = nexus.look_up(few, as_of=then), nexus.look_up(few, as_of=now)
    came = [after[one] for one in few if one in after and one not in before]
    went = [before[one] for one in few if one in before and one not in after]
    both = [one for one in few if one in before and one in after]
    parts = {one: differences(_content(before[one]), _content(after[one])) for one in both}
    moved = [one for one in both if parts[one]]
    shown = shown_of(nexus, [after[one] for one in moved], now)
    return Compared(
        earlier,
        later,
        shown_of(nexus, came, now),
        shown_of(nexus, went, then),
        tuple((one, parts[one.id]) for one in shown),
        later - earlier <= MOST_TRANSACTIONS and len(ids) <= MOST_ELEMENTS,
    )


def _content(dated: Dated) -> Content:
    element = dated.element
    return Content(element.attributes, element.metadata, dated.valid_at, dated.invalid_at)


ROUTES: Final = (Route("/compare", compare_page),)
