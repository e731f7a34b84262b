"""What a memory replaced: what it said itself before, and what it was put in the place of.

The rule: only what the past says is told. A link took the place of another of its predicate, with
an end in common, if the other was closed for it, or ended as it was made, where it begins.
"""

from __future__ import annotations

from typing import Final

from recollect.faces.claims import Claim
from recollect.model import REPLACED_BY, Dated, Instant, Link, Operation, Triple
from recollect.node import dataclass
from recollect.servers.studio.shown import Shown, shown_ids
from recollect.servers.studio.trying import TriedPart, differences
from recollect.servers.studio.visit import Visit

_MOST_PARTS: Final = 4
_MOST_CHANGES: Final = 20  # of a transaction, those that are looked at: of the oldest elements
_LOOKED_BACK: Final = 2  # transactions: the one that made it, and the one that ended the other


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stood before a memory."""

    parts: tuple[TriedPart, ...]  # what its last version says otherwise than the one before
    since: Instant  # when that version was written
    others: tuple[Shown, ...]  # what it took the place of


def replaced_of(visit: Visit, dated: Dated, claim: Claim | None) -> Replaced:
    """Return what a memory replaced. Cost: its history; of a link a page of the log as well."""
    element = dated.element
    versions = visit.nexus.history(element.id, as_of=visit.then)[-1].versions
    last = versions[-1]
    is_owned = not isinstance(element, Link) and element.type in visit.nexus.kinds.owned
    is_changed = last.operation is Operation.UPDATE and not is_owned
    parts = differences(last.before, last.after)[:_MOST_PARTS] if is_changed else ()
    others: tuple[Shown, ...] = ()
    if isinstance(element, Link):
        others = _stood_before(visit, dated, element, versions[0].since.number)
    elif claim is not None and claim.supersedes:
        others = shown_ids(visit.nexus, [claim.supersedes], visit.then)
    return Replaced(parts, last.since.at, others)


def _stood_before(visit: Visit, dated: Dated, link: Link, number: int) -> tuple[Shown, ...]:
    """Return the links that end where one begins, or were closed for it, as it was made."""
    logged = visit.nexus.changes(max(0, number - _LOOKED_BACK), _LOOKED_BACK, most=_MOST_CHANGES)
    ids = [
        one.id
        for made in logged
        for one in made.changes
        if one.operation is not Operation.CREATE
        and isinstance(one.what, Triple)
        and one.what.predicate == link.predicate
        and (one.what.subject == link.subject or one.what.object == link.object)
    ]
    return tuple(
        one
        for one in shown_ids(visit.nexus, list(dict.fromkeys(ids)), visit.then)
        if one.dated.element.metadata.get(REPLACED_BY) == link.id
        or (one.until is not None and one.until == dated.valid_at)
    )
