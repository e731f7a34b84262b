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


@dataclass
class Held:
    """A fact as it is held: each bound of its fact time with when it was learnt."""

    told: Told
    created_at: int
    starts: list[tuple[int, int]] = field(default_factory=list)
    ends: list[tuple[int, int]] = field(default_factory=list)
    told_at: int = 0
    expired_at: int | None = None
    sources: list[str] = field(default_factory=list)
    is_guessed: bool = False  # whether nobody told when it begins

    @property
    def valid_at(self) -> int:
        return self.starts[-1][1]

    @property
    def start(self) -> int | None:
        is_told = self.valid_at != EVER and not self.is_guessed
        return self.valid_at if is_told else self.told.observed_at

    def begins(self, now: int) -> int:
        """When it begins beside others of a functional relation."""
        if self.start is not None:
            return self.start
        return now if self.told_at == now < self.invalid_at else EVER

    @property
    def invalid_at(self) -> int:
        return self.ends[-1][1]

    def end(self, now: int, at: int) -> None:
        self.set_end(now, min(self.invalid_at, max(self.valid_at, at)))

    def set_end(self, now: int, at: int) -> None:
        _learn(self.ends, now, at)

    def set_start(self, now: int, at: int) -> None:
        _learn(self.starts, now, at)

    def is_visible(self, valid: int, known: int) -> bool:
        """Whether it is alive and true, as of both clocks."""
        if known < self.created_at or (self.expired_at is not None and self.expired_at <= known):
            return False
        start, end = (
            [at for learnt, at in bounds if learnt <= known][-1]
            for bounds in (self.starts, self.ends)
        )
        return start <= valid < end


class Oracle:
    """Every fact that was ever told to one memory."""

    def __init__(self, functional: frozenset[str]) -> None:
        self.functional = functional
        self.held: list[Held] = []

    def tell(self, now: int, facts: Sequence[Told]) -> list[str]:
        """Tell facts in one call; return the uuids of the facts that say them."""
        places = range(len(facts))
        late = [one for one in places if self._is_guessed(facts[one])]
        told = {one: self._tell(now, facts[one]) for one in (*(set(places) - {*late}), *late)}
        return [told[one] for one in places]

    def _is_guessed(self, told: Told) -> bool:
        """Whether a fact is told without the beginning that it must have."""
        return told.relation in self.functional and told.valid_at is None

    def _since(self, now: int, new: Held) -> int:
        """Where the last of others ended, or ends; no earlier than the same was told to begin."""
        begins = new.begins(now)
        alive = [one for one in self.held if one.expired_at is None]
        told = new.told
        beside = [
            one
            for one in alive
            if (one.told.subject, one.told.relation) == (told.subject, told.relation)
        ]
        over = [
            min(one.invalid_at, begins)
            for one in beside
            if one.told.object != told.object and EVER < one.valid_at < begins
        ]
        held = [
            one.valid_at
            for one in beside
            if one.told.object == told.object and one.valid_at <= begins < one.invalid_at
        ]
        since = max([*over, *held]) if over and begins != EVER else EVER
        return since if since < new.invalid_at else EVER

    def visible(self, valid: int, known: int) -> set[str]:
        return {one.told.uuid for one in self.held if one.is_visible(valid, known)}

    def _tell(self, now: int, told: Told) -> str:
        known = [one for one in self.held if one.told.uuid == told.uuid]
        new = Held(
            told,
            now,
            [(now, EVER if told.valid_at is None else told.valid_at)],
            [(now, NEVER if told.invalid_at is None else told.invalid_at)],
            told_at=now,
        )
        assert not known
        alive = [one for one in self.held if one.expired_at is None]
        rivals = [one for one in alive if _thing(one.told) == _thing(told)]
        when = now if new.start is None else new.start
        is_end = new.start is None and told.invalid_at is not None
        for one in rivals:
            meets = _meet(one, new) or (is_end and one.is_guessed)
            is_same = one.told.text == told.text and meets
            if is_same and (is_end or when < one.invalid_at):
                self._tell_again(now, one, new)
                return one.told.uuid
        if self._is_guessed(told) and (since := self._since(now, new)) != EVER:
            new.starts, new.is_guessed = [(now, since)], True
        self.held.append(new)
        new.sources += [] if told.source is None else [told.source]
        self._settle_all(now, new)
        return told.uuid

    def _tell_again(self, now: int, one: Held, new: Held) -> None:
        """What is left out stays; what is said is set, but a beginning that is known."""
        one.told_at = now
        if new.told.source is not None and new.told.source not in one.sources:
            one.sources.append(new.told.source)
        since, until = one.valid_at, one.invalid_at
        if one.valid_at == EVER or (one.is_guessed and new.valid_at != EVER):
            one.set_start(now, new.valid_at)
            one.is_guessed = False
        is_same_stay = new.valid_at in (EVER, one.valid_at)
        if new.told.invalid_at is not None and (until == NEVER or is_same_stay):
            if one.is_guessed and new.told.invalid_at <= one.valid_at:
                one.set_start(now, EVER)
                one.is_guessed = False
            one.set_end(now, new.told.invalid_at)
        if one.invalid_at > until or EVER < one.valid_at < since:
            self._settle_all(now, one)

    def _settle_all(self, now: int, new: Held) -> None:
        told = new.told
        alive = [one for one in self.held if one.expired_at is None and one is not new]
        self._settle(now, new, [one for one in alive if _thing(one.told) == _thing(told)])
        if told.relation in self.functional:
            others = [
                one
                for one in alive
                if one.expired_at is None
                and (one.told.subject, one.told.relation) == (told.subject, told.relation)
                and one.told.object != told.object
            ]
            self._settle_objects(now, new, others)

    def _settle(self, now: int, new: Held, rivals: list[Held]) -> None:
        meeting = [one for one in rivals if _meet(one, new)]
        newer = [one for one in rivals if _meet(one, new) and not _is_newer(new, one, now)]
        for one in newer:
            if _meet(one, new):
                new.end(now, now if one.start is None else one.start)
        for one in meeting:
            if one in newer or not _meet(one, new):
                continue
            one.end(now, now if new.start is None else new.start)
            if one.created_at < now:
                one.expired_at = now

    def _settle_objects(self, now: int, new: Held, others: list[Held]) -> None:
        """The later beginning stands; what has no time left then was wrong."""
        meeting = [one for one in others if _meet(one, new)]
        if new.invalid_at <= now:  # over when it is told: it ends nothing of unknown beginning
            meeting = [one for one in meeting if one.begins(now) != EVER]
        begins = new.begins(now)
        newer = [one for one in meeting if (one.begins(now), _stands(one, new, now)) > (begins, 0)]
        for one in newer:
            new.end(now, one.begins(now))
        for one in meeting:
            if one in newer or not _meet(one, new):
                continue
            one.end(now, begins)
            if one.valid_at >= one.invalid_at and one.created_at < now:
                one.expired_at = now


def _learn(bounds: list[tuple[int, int]], now: int, at: int) -> None:
    if at != bounds[-1][1]:
        if bounds[-1][0] == now:
            bounds.pop()
        bounds.append((now, at))


def _stands(one: Held, new: Held, now: int) -> int:
    """1 where a fact stands before one that begins together with it: of one call, by uuid."""
    return int(one.created_at == now and one.told.uuid < new.told.uuid)


def _thing(told: Told) -> tuple[str, str, str]:
    return told.subject, told.relation, told.object


def _meet(one: Held, other: Held) -> bool:
    return max(one.valid_at, other.valid_at) < min(one.invalid_at, other.invalid_at)


def _is_newer(new: Held, old: Held, now: int) -> bool:
    """By the start each tells of, else the one created later, else the lower uuid."""
    first, second = new.start, old.start
    if first is not None and second is not None and first != second:
        return first > second
    return old.created_at < now or new.told.uuid < old.told.uuid
