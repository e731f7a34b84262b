"""The bitemporal rules once more, on plain lists: what a memory of facts must answer.

Written from the rules and for clarity: every fact keeps all that was ever believed of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

EVER = -(10**18)
NEVER = 10**18


@dataclass
class Told:
    """A fact as it is told: the instants are milliseconds; None where nothing is said."""

    uuid: str
    subject: str
    relation: str
    object: str
    text: str
    valid_at: int | None = None
    invalid_at: int | None = None
    observed_at: int | None = None
    source: str | None = None

    @property
    def start(self) -> int | None:
        return self.observed_at if self.valid_at is None else self.valid_at


@dataclass
class Held:
    """A fact as it is held: `ends` has each end of its fact time with when it was learnt."""

    told: Told
    created_at: int
    ends: list[tuple[int, int]] = field(default_factory=list)
    expired_at: int | None = None
    sources: list[str] = field(default_factory=list)

    @property
    def valid_at(self) -> int:
        return EVER if self.told.valid_at is None else self.told.valid_at

    @property
    def invalid_at(self) -> int:
        return self.ends[-1][1]

    def end(self, now: int, at: int) -> None:
        at = min(self.invalid_at, max(self.valid_at, at))
        if at != self.invalid_at:
            if self.ends[-1][0] == now:
                self.ends.pop()
            self.ends.append((now, at))

    def is_visible(self, valid: int, known: int) -> bool:
        """Whether it is alive and true, as of both clocks."""
        if known < self.created_at or (self.expired_at is not None and self.expired_at <= known):
            return False
        end = [at for learnt, at in self.ends if learnt <= known][-1]
        return self.valid_at <= valid < end


class Oracle:
    """Every fact that was ever told to one memory."""

    def __init__(self, functional: frozenset[str]) -> None:
        self.functional = functional
        self.held: list[Held] = []

    def tell(self, now: int, facts: Sequence[Told]) -> list[str]:
        """Tell facts in one call; return the uuids of the facts that say them."""
        return [self._tell(now, one) for one in facts]

    def visible(self, valid: int, known: int) -> set[str]:
        return {one.told.uuid for one in self.held if one.is_visible(valid, known)}

    def _tell(self, now: int, told: Told) -> str:
        known = [one for one in self.held if one.told.uuid == told.uuid]
        new = Held(told, now, [(now, NEVER if told.invalid_at is None else told.invalid_at)])
        assert not known
        alive = [one for one in self.held if one.expired_at is None]
        rivals = [one for one in alive if _thing(one.told) == _thing(told)]
        for one in rivals:
            says_the_same = one.told.text == told.text
            when = now if told.start is None else told.start
            if says_the_same and _meet(one, new) and when < one.invalid_at:
                if told.source is not None and told.source not in one.sources:
                    one.sources.append(told.source)
                if one.invalid_at == NEVER:
                    one.end(now, new.invalid_at)
                return one.told.uuid
        self.held.append(new)
        new.sources += [] if told.source is None else [told.source]
        self._settle(now, new, rivals, is_closing=True)
        if told.relation in self.functional:
            others = [
                one
                for one in alive
                if one.expired_at is None
                and (one.told.subject, one.told.relation) == (told.subject, told.relation)
                and one.told.object != told.object
            ]
            self._settle(now, new, others, is_closing=False)
        return told.uuid

    def _settle(self, now: int, new: Held, rivals: list[Held], *, is_closing: bool) -> None:
        meeting = [one for one in rivals if _meet(one, new)]
        newer = [one for one in rivals if _meet(one, new) and not _is_newer(new, one, now)]
        for one in newer:
            if _meet(one, new):
                new.end(now, now if one.told.start is None else one.told.start)
        for one in meeting:
            if one in newer or not _meet(one, new):
                continue
            one.end(now, now if new.told.start is None else new.told.start)
            if is_closing and one.created_at < now:
                one.expired_at = now


def _thing(told: Told) -> tuple[str, str, str]:
    return told.subject, told.relation, told.object


def _meet(one: Held, other: Held) -> bool:
    return max(one.valid_at, other.valid_at) < min(one.invalid_at, other.invalid_at)


def _is_newer(new: Held, old: Held, now: int) -> bool:
    """By the start each tells of, else the one created later, else the lower uuid."""
    first, second = new.told.start, old.told.start
    if first is not None and second is not None and first != second:
        return first > second
    return old.created_at < now or new.told.uuid < old.told.uuid
