"""Two moments of either clock side by side: what came, what went, what changed.

The rule: of what the memory held, only elements that the log names between the two moments are
looked at, so it costs what happened; of what was true, those that began or ended between them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from recollect.kernel import Nexus
from recollect.model import AsOf, Concept, Content, Dated, Instant, Link, Value, instant_text
from recollect.node import dataclass
from recollect.servers.studio.home import described
from recollect.servers.studio.shown import Shown, shown_of
from recollect.servers.studio.trying import TriedPart, differences
from recollect.servers.studio.visit import (
    Answered,
    Route,
    StudioPage,
    Visit,
    moment_of,
    transaction_of,
)

MOST_TRANSACTIONS: Final = 1_000
MOST_ELEMENTS: Final = 300
_MOST_TYPES: Final = 40


_BETWEEN: Final = (
    'FIND(?x) WHERE {{ ?x {pattern} META(?x, "{bound}", ?at)'
    " FILTER(?at > $from && ?at <= $to) }} LIMIT {most}"
)
_YEAR: Final = 365 * 86_400_000


@dataclass(frozen=True, slots=True)
class ComparedStates:
    """What differs between two moments."""

    earlier: str  # as a field of the page has it
    later: str
    came: tuple[Shown, ...]
    went: tuple[Shown, ...]
    changed: tuple[tuple[Shown, tuple[TriedPart, ...]], ...]
    passed: tuple[Shown, ...]  # what came and went between the two
    is_whole: bool  # whether all that happened was looked at


def compare_page(visit: Visit) -> Answered:
    """Show what differs between two moments; without any, between the last two transactions.

    By the clock of facts it is what was true a year ago, and what is true now.
    """
    last = visit.transactions
    by_facts = visit.asked("clock") == "facts"
    if by_facts:
        later = _instant_of(visit.asked("to"), visit.nexus.now())
        earlier = _instant_of(visit.asked("from"), Instant(later - _YEAR))
        found = compared_true(visit, min(earlier, later), max(earlier, later))
    else:
        before = transaction_of(visit.nexus, visit.asked("from"), max(0, last - 1), last)
        after = transaction_of(visit.nexus, visit.asked("to"), last, last)
        found = compared(visit.nexus, min(before, after), max(before, after))
    return StudioPage(
        "compare.html", "Compare", {"compared": found, "last": last, "by_facts": by_facts}
    )


def _instant_of(given: str, otherwise: Instant) -> Instant:
    """Return the instant that a field names; INVALID_VALUE for what is none."""
    moment = moment_of(given.strip(), "")
    return otherwise if moment is None or moment.valid is None else moment.valid


def compared_true(visit: Visit, earlier: Instant, later: Instant) -> ComparedStates:
    """Return what began and ended to be true, as the memory holds it at the moment asked about.

    A fact that ended while another of its subject and predicate began has changed into that.
    Cost: all elements, since no index is of the times of facts.
    """
    nexus, given = visit.nexus, {"from": instant_text(earlier), "to": instant_text(later)}
    began, ended = (_between(visit, bound, given) for bound in ("_valid_at", "_invalid_at"))
    found = nexus.elements.look_up({*began, *ended}, as_of=visit.then)
    both = {one for one in began & ended if one in found}
    came = {_subjects_of(found[one]): one for one in began - both if one in found}
    went = {_subjects_of(found[one]): one for one in ended - both if one in found}
    turned = [(found[went[one]], found[came[one]]) for one in came if one in went]
    lines = [
        shown_of(nexus, some, visit.then)
        for some in (
            [found[one] for said, one in came.items() if said not in went],
            [found[one] for said, one in went.items() if said not in came],
            [found[one] for one in both],
            [one for one, _ in turned],
            [one for _, one in turned],
        )
    ]
    parts = [
        (new, (TriedPart("true", old.line, new.line),))
        for old, new in zip(lines[3], lines[4], strict=True)
    ]
    is_whole = max(len(began), len(ended)) <= MOST_ELEMENTS
    day = (given["from"], given["to"])
    return ComparedStates(*day, lines[0], lines[1], tuple(parts), lines[2], is_whole)


def _between(visit: Visit, bound: str, given: Mapping[str, Value]) -> set[str]:
    """Return the ids of links and concepts that have a bound between two instants."""
    types = [one["name"] for one in described(visit.nexus, "DESCRIBE CONCEPT TYPES")]
    patterns = ["(?s, ?p, ?o)", *(f"{{type: {json.dumps(one)}}}" for one in types[:_MOST_TYPES])]
    found: set[str] = set()
    for pattern in patterns:
        text = _BETWEEN.format(pattern=pattern, bound=bound, most=MOST_ELEMENTS + 1)
        rows = visit.nexus.read(text, given, as_of=visit.then).rows
        found |= {one.id for (one,) in rows if isinstance(one, Concept | Link)}
    return found


def _subjects_of(dated: Dated) -> tuple[str, ...]:
    """Return what a fact says something of; two of the same follow each other."""
    element = dated.element
    if isinstance(element, Link):
        return (element.subject, element.predicate)
    return (element.id,)


def compared(nexus: Nexus, earlier: int, later: int) -> ComparedStates:
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
    before, after = nexus.elements.look_up(few, as_of=then), nexus.elements.look_up(few, as_of=now)
    came = [after[one] for one in few if one in after and one not in before]
    went = [before[one] for one in few if one in before and one not in after]
    both = [one for one in few if one in before and one in after]
    parts = {one: differences(_content(before[one]), _content(after[one])) for one in both}
    moved = [one for one in both if parts[one]]
    shown = shown_of(nexus, [after[one] for one in moved], now)
    return ComparedStates(
        f"#{earlier}",
        f"#{later}",
        shown_of(nexus, came, now),
        shown_of(nexus, went, then),
        tuple((one, parts[one.id]) for one in shown),
        (),
        later - earlier <= MOST_TRANSACTIONS and len(ids) <= MOST_ELEMENTS,
    )


def _content(dated: Dated) -> Content:
    element = dated.element
    return Content(element.attributes, element.metadata, dated.valid_at, dated.invalid_at)


ROUTES: Final = (Route("/compare", compare_page),)
