"""Forgetting what has expired: elements whose `expires_at` has passed.

The rule: links go, and concepts of types that are made to be forgotten; a date on anything else
is more likely a slip, and only reported. What goes is closed, so its past stays readable.
KIP 1.0-RC11, section 2.10 and appendix 1.
"""

from __future__ import annotations

from collections.abc import Collection

from recollect.faces.kip.maintenance.carry_out import CarriedOut, Target, carry_out, quoted
from recollect.faces.kip.maintenance.reading import elements_with, rows_of
from recollect.kernel import Nexus, parse_instant
from recollect.model import Cell, Instant, Key, Progress, instant_text, silent
from recollect.node import dataclass

MOST = 2_000
"""So many elements one run changes, if not told otherwise: others wait about a second to write."""

ARCHIVED = "archived"

_EVENT = "Event"
_DATED = "IS_NOT_NULL(?x.metadata.expires_at)"
_FIELDS = ("metadata.expires_at", "metadata.status")
_DECLARED = """
FIND(?type.name, ?type.attributes.episodic) WHERE { ?type {type: "$ConceptType"} }
"""


@dataclass(frozen=True, slots=True)
class Expired:
    """An element and the time it was given, as it is written."""

    target: Target
    expires_at: Cell


@dataclass(frozen=True, slots=True)
class Expiry:
    """What expired, and what was done about it."""

    expired: tuple[Expired, ...]  # closed, or archived
    suspect: tuple[Expired, ...]  # concepts of types that are not made to be forgotten
    unreadable: tuple[Expired, ...]  # times that are not ISO 8601
    left: int  # expired too, and left for the next run
    is_archived: bool
    done: CarriedOut


def expire(
    nexus: Nexus,
    types: Collection[str] = (),
    *,
    archive: bool = False,
    limit: int = MOST,
    dry_run: bool = False,
    actor: str | None = None,
    request_id: str | None = None,
    progress: Progress = silent,
) -> Expiry:
    """Close the links that have expired, and the concepts of episodic types and of `types`.

    Episodic are Event, and the types whose definition says `episodic: true`. What hangs on a
    closed concept is closed with it. `archive` sets `status` and `archived_at` instead. Nothing
    is purged. Cost: every element once, and a look-up for each that has expired.
    """
    now = nexus.now()
    forgettable = episodic_types(nexus) | set(types)
    expired: list[Expired] = []
    suspect: list[Expired] = []
    unreadable: list[Expired] = []
    for target, (expires_at, status) in elements_with(nexus, _DATED, _FIELDS, progress):
        if archive and status == ARCHIVED:
            continue
        one = Expired(target, expires_at)
        at = parse_instant(expires_at) if isinstance(expires_at, str) else None
        if at is None:
            unreadable.append(one)
        elif at <= now:
            what = target.what
            is_kept = isinstance(what, Key) and what.type not in forgettable
            (suspect if is_kept else expired).append(one)
    chosen = tuple(expired[:limit])
    done = carry_out(
        nexus,
        [_archiving(one.target, now) if archive else _closing(one.target) for one in chosen],
        dry_run=dry_run,
        actor=actor,
        request_id=request_id,
    )
    left = len(expired) - len(chosen)
    return Expiry(chosen, tuple(suspect), tuple(unreadable), left, archive, done)


def episodic_types(nexus: Nexus) -> frozenset[str]:
    """Return the types that are made to be forgotten: Event, unless it is declared otherwise."""
    declared = {str(name): value for name, value in rows_of(nexus, _DECLARED)}
    declared.setdefault(_EVENT, True)
    if declared[_EVENT] is None:
        declared[_EVENT] = True
    return frozenset(name for name, value in declared.items() if value is True)


def _closing(target: Target) -> str:
    if target.is_concept:
        return f"DELETE CONCEPT ?x DETACH {target.where()}"
    return f"DELETE PROPOSITIONS ?x {target.where()}"


def _archiving(target: Target, now: Instant) -> str:
    return target.update(f"status: {quoted(ARCHIVED)}, archived_at: {quoted(instant_text(now))}")
