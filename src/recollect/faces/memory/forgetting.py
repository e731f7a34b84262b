"""Forgetting: three words with three effects.

*end*: it is true no longer; it was until then, and the memory keeps saying so. *withdraw*: it
should not be believed; it is found no more, and the past keeps that it was. *erase*: it is gone,
from the past too, and from every byte of the file; nothing brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any, Final, Self

from recollect.errors import PERMISSION_DENIED, Notice, forget_as, not_among, refused, said_anew
from recollect.faces.claims import ACTIVE, Actor, AttentionQueue, Writer
from recollect.faces.knowledge import NexusKnowledgePieceStore
from recollect.faces.memory.listing import MOST, holding
from recollect.faces.memory.lives import earlier_lives, ended_by
from recollect.faces.memory.model import (
    BECAUSE,
    DISPUTED,
    EFFECTS,
    WITHDRAWN,
    Effect,
    Forgotten,
    MemoryRecord,
    records_named,
    records_of,
)
from recollect.faces.memory.naming import ENDS, check_is_said
from recollect.faces.memory.told import NEVER
from recollect.faces.memory.undoing import guessed
from recollect.kernel import Nexus, Recalled, instant
from recollect.model import (
    BEGINNING,
    FOREVER,
    Change,
    Concept,
    Dated,
    Delete,
    EndFact,
    Instant,
    Link,
    Put,
    Value,
    bound_text,
)
from recollect.node import dataclass

_UNDO: Final[dict[Effect, str]] = {
    "end": "undo it by its id, and it holds on",
    "withdraw": "undo it by its id",
    "erase": "it cannot be undone",
}
_THEN: Final = {"claim": "a claim counts as verified then", "piece": "a piece is added anew"}
"""What an undo makes of what was withdrawn."""

_AS_MEANT: Final = 0.75  # of the best score
_HELD: Final = 0.5  # of what the question asks beside a name
_OF_OTHERS: Final = "others"  # what lowers a fact about nobody whom a question names

_SHOWN: Final = 10  # facts that go along

_ONLY_NAMED: Final = ("Entity", "Number", "Boolean")
"""Types of what facts are told about that nobody told anything else of."""

_OF_SESSION: Final = (
    'FIND(?one) WHERE { ?one {type: "Episode"} FILTER(?one.attributes.session == $session) } ',
    'FIND(?one) WHERE { ?one {type: "Episode"} '
    "FILTER(?one.attributes.source_description == $session) }",
)
"""What belongs to a session: an episode says so, or where it comes from."""


def episodes_of(nexus: Nexus, session: str) -> frozenset[str]:
    """Return the ids of the episodes of a session."""
    found: set[str] = set()
    for text in _OF_SESSION:
        rows = nexus.read(text, {"session": session}).rows
        found |= {one.id for (one,) in rows if isinstance(one, Concept)}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Selection:
    """What memories come from, and when they came; what is left out chooses nothing."""

    source: str | None = None  # as a fact names it, or the id of an episode
    episodes: frozenset[str] | None = None  # of a session: they, and what rests on them alone
    since: str | None = None
    until: str | None = None
    happened_since: str | None = None  # when it was said, or when what it says began
    happened_until: str | None = None

    def first(self, limit: int, found: Iterable[MemoryRecord]) -> list[MemoryRecord]:
        """Return the first memories that are chosen, at most `limit`."""
        if type(limit) is not int or not 1 <= limit <= MOST:
            raise refused(f"limit is not from 1 to {MOST}", "use limit=10")
        came = _between(self.since, self.until)
        happened = _between(self.happened_since, self.happened_until)
        return list(islice((one for one in found if self._fits(one, came, happened)), limit))

    def _fits(self, one: MemoryRecord, came: _Within, happened: _Within) -> bool:
        if self.source is not None and self.source not in (one.source, *one.episodes):
            return False
        if self.episodes is not None and not ({*one.episodes} or {one.id}) <= self.episodes:
            return False
        return came(one.created_at) and happened(one.said_at or one.valid_at)


_Within = Callable[[str | None], bool]


def _between(since: str | None, until: str | None) -> _Within:
    """Return what tells whether a time lies between two; one that is not known, if both are out."""
    begin = BEGINNING if since is None else instant(since)
    end = FOREVER if until is None else instant(until)
    is_any = since is until is None
    return lambda at: is_any or (at is not None and begin <= instant(at) < end)


def meant_of(found: Sequence[Recalled]) -> list[Recalled]:
    """Return what a question that forgets means of what it finds: what holds words of it itself.

    That scores nearly as the best does, and of all such holds every word that one of them holds; of
    facts, where it names somebody, those about them alone. What only means something near is never
    forgotten by a question.
    """
    least = _AS_MEANT * max((one.score for one in found), default=0.0)
    near = [
        one
        for one in found
        if one.holds >= _HELD and one.score >= least and _OF_OTHERS not in one.why
    ]
    asked = frozenset[int]().union(*(one.held for one in near))
    return [one for one in near if asked and one.held == asked]


def told_along(nexus: Nexus, record: MemoryRecord, id: str, way: Way) -> tuple[Notice, ...]:
    """Return what is told of a concept, which goes with it.

    What is erased is named by the whole id that it has now: INVALID_ARGUMENT for a beginning of
    one, which may be a slip, NOT_FOUND for that of a life before.
    """
    if way.effect == "erase":
        check_is_said(nexus, record.id)
        if record.id != id:
            raise refused("what is erased is named by its whole id", f"use {record.id}")
    if record.kind != "concept":
        return ()
    joints = [one for end in ENDS for one in nexus.joints.at([record.id], end)]
    facts = records_named(nexus, dict.fromkeys(one.link.id for one in joints))
    shown = "; ".join(map(str, facts[:_SHOWN]))
    more = f"; and {len(facts) - _SHOWN} more" if len(facts) > _SHOWN else ""
    told = Notice("goes_along", f"with {record.name} goes what is told of it: {shown}{more}")
    return (told,) if facts else ()


def ends_that_stay(nexus: Nexus, records: Sequence[MemoryRecord]) -> Iterator[Notice]:
    """Yield what facts ended that should not be believed, which ends there still."""
    ids = [one.id for one in records if one.kind == "fact"]
    about = [one.id for one in records if one.kind == "concept"]  # what is told of it goes too
    ids += [one.link.id for one in nexus.joints.at(about, "object")]
    found = nexus.elements.look_up(ids, closed=True)
    stay = ((one, fact) for fact in found.values() for one in ended_by(nexus, fact))
    for one, fact in {one.element.id: (one, fact) for one, fact in stay}.values():
        if one.element.id not in found:
            (told,), at = records_of(nexus, [one]), bound_text(fact.invalid_at) or NEVER
            hint = said_anew(told.id, "invalid_at", at)
            yield Notice("end_stays", f'"{told}" ends still where what is forgotten began', hint)


def guesses_that_stay(nexus: Nexus, records: Sequence[MemoryRecord]) -> Iterator[Notice]:
    """Yield what was guessed to begin where facts end, as was told, that should not be believed."""
    found = nexus.elements.look_up([one.id for one in records if one.kind == "fact"], closed=True)
    for fact in found.values():
        guesses = [one for one in _guessed_from(nexus, fact) if one.element.id not in found]
        for told in records_of(nexus, guesses):
            message = f'"{told}" was guessed to begin where what is forgotten ends, and does still'
            yield Notice("guess_stays", message, said_anew(told.id, "valid_at", "WHEN"))


def _guessed_from(nexus: Nexus, fact: Dated) -> Iterator[Dated]:
    """Yield the facts that were guessed to begin where one was told to end, before they were."""
    link = fact.element
    assert isinstance(link, Link)
    joints = nexus.joints.at([link.subject], "subject", [link.predicate])
    for one in nexus.elements.look_up({one.link.id for one in joints} - {link.id}).values():
        begins = guessed(one.element.metadata, one.valid_at)
        if begins is not None and begins == fact.invalid_at and begins < one.created_at:
            yield one


def told_of_past(records: Iterable[MemoryRecord], effect: Effect) -> tuple[Notice, ...]:
    """Return that a question leaves alone what has ended, begins later or stands no more."""
    said = "does not hold now, so it is forgotten by its id alone"
    told = ((f'"{one}" {said}', forget_as(one.id, effect)) for one in records)
    return tuple(Notice("past_stays", *one) for one in told)


@dataclass(frozen=True, slots=True)
class Way:
    """How memories are forgotten."""

    effect: Effect
    at: Instant | None = None  # when they end; None: now
    reason: str | None = None

    @classmethod
    def read(cls, effect: object, at: str | None, reason: str | None) -> Self:
        """Return a way to forget; INVALID_ARGUMENT for another word, or an end of what ends not."""
        if effect not in EFFECTS:
            hint = "use {}: end (no longer true), withdraw (not to be believed) or erase"
            raise not_among(f"{str(effect)[:40]!r} is no way to forget", effect, EFFECTS, hint)
        if at is not None and effect != "end":
            raise refused(
                f"at says when something ends, and {effect} ends nothing",
                'leave at out, or use effect="end"',
            )
        return cls(effect, None if at is None else instant(at), reason)

    @property
    def metadata(self) -> dict[str, Value]:
        """What is kept with them."""
        return {} if self.reason is None else {BECAUSE: self.reason}

    def fitting(self, found: Iterable[MemoryRecord]) -> Iterator[MemoryRecord]:
        """Yield the memories that are there for it: what was withdrawn can be erased alone."""
        return (one for one in found if self.effect == "erase" or one.expired_at is None)

    def undo(self, records: Sequence[MemoryRecord]) -> str:
        """Return how what was forgotten comes back, and as what; nothing where nothing was."""
        kinds = {one.kind for one in records} if self.effect == "withdraw" else set[str]()
        then = [words for kind, words in _THEN.items() if kind in kinds]
        return "; ".join([_UNDO[self.effect], *then]) if records else ""


def end_all(nexus: Nexus, records: Sequence[MemoryRecord], way: Way, actor: Actor) -> None:
    """Say that memories hold no longer than until an instant, now if there is none."""
    changes: list[Change] = []
    for one in records:
        match one.kind:
            case "fact" if way.at is None and one.standing.startswith("until"):
                hint = said_anew(one.id, "invalid_at", one.invalid_at or "")
                raise refused(f'"{one}" has ended already', hint)
            case "fact":
                changes += [Put(one.id, metadata=way.metadata), EndFact(one.id, way.at)]
            case "concept":
                raise refused(
                    f"a concept does not end, but what is said of {one.text[:60]} may",
                    "list what is about it, and end those facts",
                )
            case _:
                raise refused(
                    f"a {one.kind} was said at one time, and does not end",
                    'to believe it no longer, forget with "withdraw"',
                )
    nexus.write(changes, actor=actor.actor_id)


def withdraw_all(nexus: Nexus, records: Sequence[MemoryRecord], way: Way, actor: Actor) -> None:
    """Believe memories no longer; a claim is disputed, for claims are never deleted."""
    changes: list[Change] = []
    for one in records:
        match one.kind:
            case "fact" | "concept" | "episode":
                changes.append(Delete(one.id, metadata=way.metadata))
            case "claim":
                if one.status in ACTIVE:
                    why = f"{WITHDRAWN}: {way.reason or 'it should not be believed'}"
                    Writer(nexus).transition(one.id, DISPUTED, (), why, actor)
            case "piece":
                nexus.write([Put(one.id, metadata=way.metadata)], actor=actor.actor_id)
                NexusKnowledgePieceStore(nexus, actor.actor_id).remove(one.name or "")
            case _:
                raise PERMISSION_DENIED.error(
                    f"a {one.kind} is removed by its own call",
                    "use recollect markup apply" if one.kind == "node" else "use its own call",
                )
    if changes:
        nexus.write(changes, actor=actor.actor_id)


def refused_with(
    nexus: Nexus, records: Sequence[MemoryRecord], what: str | None
) -> tuple[MemoryRecord, ...]:
    """Return what was refused with the words of claims and facts, a concept's name, a question."""
    ids = [one.id for one in records if one.kind == "claim"]
    held = nexus.elements.look_up(ids, closed=True).values() if ids else ()
    phrases = [str(one.element.attributes.get("text")) for one in held]
    phrases += [one.text for one in records if one.kind == "fact"]
    phrases += [one.name or "" for one in records if one.kind == "concept"]
    phrases += [] if what is None else [what]
    return records_named(nexus, AttentionQueue(nexus).refused(phrases) if phrases else ())


def erase_all(
    nexus: Nexus, records: Sequence[MemoryRecord], way: Way, actor: Actor, *, is_dry_run: bool
) -> tuple[dict[str, Any], ...]:
    """Erase memories for all times in one transaction, and return its receipt.

    What they were in earlier lives goes with them, and what only they were told about: a name that
    says nothing more, a number; with all of it what was refused in words that name it.
    """
    ids = [one.id for one in records]

    def erased() -> tuple[str, ...]:
        whole = [*ids, *earlier_lives(nexus, ids)]
        refused = [one.id for one in refused_with(nexus, records, None)]
        return tuple(dict.fromkeys((*whole, *_left_alone(nexus, whole), *refused)))

    receipt = asdict(nexus.purge(erased, dry_run=is_dry_run, actor=actor.actor_id))
    return (receipt | ({} if way.reason is None else {"reason": way.reason}),)


def _left_alone(nexus: Nexus, ids: Sequence[str]) -> list[str]:
    """Return the ends of facts that nothing else says anything of, not even in the past."""
    going = [one.element for one in nexus.elements.look_up(ids, closed=True).values()]
    facts = [one for one in going if isinstance(one, Link)]
    facts += [
        joint.link
        for end in ENDS
        for joint in nexus.joints.at([one.id for one in going], end, closed=True)
    ]
    gone = {*ids, *(one.id for one in facts)}
    ends = {end for one in facts for end in (one.subject, one.object)} - gone
    found = nexus.elements.look_up(ends, closed=True)
    return [
        one.element.id
        for one in found.values()
        if isinstance(one.element, Concept)
        and one.element.type in _ONLY_NAMED
        and not one.element.attributes.keys() - {"value"}
        and all(
            joint.link.id in gone
            for end in ENDS
            for joint in nexus.joints.at([one.element.id], end, closed=True)
        )
        and gone.issuperset(holding(nexus, one.element.name))
    ]


def forget_all(
    nexus: Nexus,
    records: Sequence[MemoryRecord],
    way: Way,
    actor: Actor,
    what: str | None,
    *,
    is_dry_run: bool,
) -> Forgotten:
    """Forget memories, with what was refused in the words of a question. All or none go.

    A dry run does the same and keeps nothing of it, so it is refused where that would be.
    """
    receipts: tuple[dict[str, Any], ...] = ()
    if way.effect == "erase":
        lives = earlier_lives(nexus, [one.id for one in records])
        records = [*records, *records_named(nexus, lives)]
        records = [*records, *refused_with(nexus, records, what)]
    stays = [] if way.effect == "end" else [*ends_that_stay(nexus, records)]
    stays += [] if way.effect == "end" else guesses_that_stay(nexus, records)
    if is_dry_run:  # how that holds on is right once they are forgotten: it would end anew
        stays = [replace(one, hint="") for one in stays]
    if records and way.effect == "erase":
        receipts = erase_all(nexus, records, way, actor, is_dry_run=is_dry_run)
    elif records:
        with nexus.transaction(dry_run=is_dry_run):
            forget = end_all if way.effect == "end" else withdraw_all
            forget(nexus, records, way, actor)
        records = records if is_dry_run else records_named(nexus, [one.id for one in records])
    undo = way.undo(records) if receipts or not is_dry_run else ""  # not done yet
    return Forgotten(way.effect, tuple(records), is_dry_run, undo, receipts, tuple(stays))
