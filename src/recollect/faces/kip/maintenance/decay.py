"""What time does: what nobody has observed for long fades, and what has expired is forgotten.

The rule: a date decides, and nothing is lost. What fades is held less firmly, by
`after = max(floor, before * 0.5 ** (since / half_life))`, where `since` is the time since it was
observed, or faded last: however often it runs, a month fades an element by the same amount. What
has passed its `expires_at` is closed, so its past stays readable; but only links, and concepts of
types that are made to be forgotten: a date on anything else is more likely a slip, and reported.
KIP 1.0-RC11, sections 2.10 and 4.3, appendix 1.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Unpack

from recollect.errors import refused
from recollect.faces.kip.maintenance.carry_out import (
    CarriedOut,
    Carrying,
    Target,
    carry_out,
    quoted,
)
from recollect.faces.kip.maintenance.reading import BELONGS, META_TYPES, elements_with, rows_of
from recollect.kernel import Nexus, parse_instant
from recollect.model import Cell, Instant, Key, Progress, instant_text, silent
from recollect.node import dataclass

HALF_LIFE = timedelta(days=90)
CYCLE = timedelta(days=1)
FLOOR = 0.1
MOST = 2_000
"""So many elements one run changes, if not told otherwise: others wait about a second to write."""

MARKER = "decay_applied_at"
CONFIDENCE = "confidence"
STRENGTH = "memory_strength"

_AXIOM = 1.0
_DIGITS = 6  # of a factor: enough for any half life, and short in a text
_WEIGHED = "IS_NOT_NULL(?x.metadata.confidence) || IS_NOT_NULL(?x.metadata.memory_strength)"
_FIELDS = (
    "metadata.confidence",
    "metadata.memory_strength",
    "metadata.decay_applied_at",
    "metadata._created_at",
    "metadata.observed_at",
    "metadata.last_observed",
    "attributes.last_observed",
)


@dataclass(frozen=True, slots=True)
class Faded:
    """One value of one element, before and after."""

    target: Target
    key: str  # of its metadata
    before: float
    after: float
    factor: float
    since: Instant  # when it was observed or faded last


@dataclass(frozen=True, slots=True)
class Decay:
    """What faded, and what was done about it."""

    faded: tuple[Faded, ...]
    left: int  # due too, and left for the next run
    done: CarriedOut


def decay(
    nexus: Nexus,
    *,
    half_life: timedelta = HALF_LIFE,
    floor: float = FLOOR,
    cycle: timedelta = CYCLE,
    spare: Collection[str] = (),
    limit: int = MOST,
    progress: Progress = silent,
    **how: Unpack[Carrying],
) -> Decay:
    """Let `memory_strength`, or else `confidence`, of concepts and links fall with time.

    An element is due when a `cycle` has passed since it was observed, or faded last, which
    `decay_applied_at` says. Spared are a confidence of 1, what is at the `floor`, definitions,
    domains and belonging to them, and the types and predicates of `spare`. INVALID_ARGUMENT for
    a rule that makes nothing fall. Cost: every element once, a look-up for each that fades.
    """
    _check(half_life, floor, cycle)
    now = nexus.now()
    spared = {BELONGS, *META_TYPES, *spare}
    due: list[Faded] = []
    for target, values in elements_with(nexus, _WEIGHED, _FIELDS, progress):
        kind = target.what.type if isinstance(target.what, Key) else target.what.predicate
        is_spared = kind in spared or (
            isinstance(target.what, Key) and not nexus.kinds.is_kept_up(kind)
        )
        weight = None if is_spared else _weight(values[0], values[1])
        since = _since(values[2:])
        elapsed = timedelta(milliseconds=now - since)
        if weight is None or elapsed < cycle:
            continue
        key, before = weight
        factor = round(0.5 ** (elapsed / half_life), _DIGITS)
        after = min(max(before * factor, floor), 1.0)
        if after < before:
            due.append(Faded(target, key, before, after, factor, since))
    chosen = tuple(due[:limit])
    done = carry_out(nexus, [_fading(one, floor, now) for one in chosen], **how)
    return Decay(chosen, len(due) - len(chosen), done)


def _weight(confidence: Cell, strength: Cell) -> tuple[str, float] | None:
    """Return the key that falls and its value; an axiom has none."""
    held = _number(confidence)
    if held == _AXIOM:
        return None
    strong = _number(strength)
    if strong is not None:
        return STRENGTH, strong
    return None if held is None else (CONFIDENCE, held)


def _number(value: Cell) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _since(times: tuple[Cell, ...]) -> Instant:
    """Return when an element was last observed, else made, and faded, whichever is later."""
    faded, created, *observed = (
        parse_instant(one) if isinstance(one, str) else None for one in times
    )
    seen = observed if any(one is not None for one in observed) else [created]
    return max(one for one in (faded, *seen) if one is not None)


def _fading(one: Faded, floor: float, now: Instant) -> str:
    """Return the text that computes what the report says; the floor is for what falls below."""
    value = f"CLAMP(MUL(?x.metadata.{one.key}, {one.factor!r}), {float(floor)!r}, 1.0)"
    marker = quoted(instant_text(now))
    return one.target.update(f"{one.key}: {value}, {MARKER}: {marker}")


def _check(half_life: timedelta, floor: float, cycle: timedelta) -> None:
    if half_life <= timedelta(0):
        raise refused("the half life is not longer than zero", "give more than zero: 30d")
    if not 0 <= floor < 1:
        raise refused(f"the floor {floor} is not at least 0 and below 1", "use 0.1")
    if cycle < timedelta(0):
        raise refused("the cycle is shorter than zero", "give 1d, or 0d")


ARCHIVED = "archived"

_EVENT = "Event"
_DATED = "IS_NOT_NULL(?x.metadata.expires_at)"
_EXPIRING = ("metadata.expires_at", "metadata.status")
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
    progress: Progress = silent,
    **how: Unpack[Carrying],
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
    for target, (expires_at, status) in elements_with(nexus, _DATED, _EXPIRING, progress):
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
        **how,
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
