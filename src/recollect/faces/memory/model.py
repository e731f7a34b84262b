"""What the face answers with: elements as memories in words, and what a call did to them.

The rules: every value has `to_dict`, which leaves out what it does not say; instants are ISO 8601.
What a record shows is bounded, however large the element is; `truncated` tells. The memory finds
and ranks; here what it finds is shown, and the shares of a score told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from itertools import accumulate
from typing import Any, Final, Literal, Self, get_args, get_type_hints

import orjson

from recollect.errors import Notice
from recollect.faces.claims import ACTIVE, Claim, EvidenceRef, claims_of, is_claim
from recollect.faces.memory.told import scalar_of
from recollect.faces.operations.records import INFERRED
from recollect.kernel import Nexus, Recalled, RecallQuestion, called
from recollect.model import (
    FACT,
    REPLACED_BY,
    SOURCES,
    AsOf,
    Attributes,
    Concept,
    Dated,
    Element,
    Instant,
    Kinds,
    Link,
    bound_text,
    instant_text,
    spanned,
    standing,
)
from recollect.node import dataclass, field

Effect = Literal["end", "withdraw", "erase"]
"""What forgetting does: no longer true; should not be believed; gone without a trace."""

EFFECTS: tuple[Effect, ...] = ("end", "withdraw", "erase")


class _Said:
    """A value whose members are said only where they say something."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the value as a dict of JSON."""
        found: dict[str, Any] = {}
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if one.metadata.get("always") or value not in (None, "", (), {}):
                found[one.name] = _as_json(value)
        return found

    def __str__(self) -> str:
        lines = []
        for name in self.to_dict():
            value = getattr(self, name)
            each = value if isinstance(value, tuple) else (value,)
            lines += [f"{name}: {_in_words(one)}" for one in each]
        return "\n".join(lines)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the value that its dict says: what a server answered."""
        hints = get_type_hints(cls)
        return cls(**{name: _value_of(hints[name], one) for name, one in given.items()})


def _in_words(value: object) -> str:
    match value:
        case Notice() | Holding():
            said = value.message if isinstance(value, Notice) else str(value)
            return "; ".join(filter(None, (said, value.hint)))
        case Mapping():
            return ", ".join(f"{key} {one}" for key, one in value.items())
        case _:
            return str(value)


def _value_of(hint: Any, given: Any) -> Any:  # noqa: ANN401
    """Return a member of a value: of its class, or as it is."""
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and isinstance(given, Mapping):
            if issubclass(kind, _Said):
                return kind.from_dict(given)
            if kind is Notice:
                return Notice(given["code"], given["message"], given.get("hint", ""))
    if isinstance(given, list):
        return tuple(_value_of((*get_args(hint), None)[0], one) for one in given)
    return given


def _as_json(value: object) -> Any:  # noqa: ANN401
    match value:
        case _Said():
            return value.to_dict()
        case Notice():
            return value.to_wire()
        case tuple() | list():
            return [_as_json(one) for one in value]
        case Mapping():
            return {key: _as_json(one) for key, one in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {one.name: _as_json(getattr(value, one.name)) for one in fields(value)}
        case _:
            return value


@dataclass(frozen=True, slots=True)
class MemoryRecord(_Said):
    """One memory: what it says, when it is true, since when it is known, and what it rests on.

    `str()` is its text with when it is true, and its standing: `Maria works at Siemens (2019 to
    2026-05-01)`.
    """

    kind: str
    id: str
    text: str
    standing: str = ""  # what keeps it from holding now: "until 2026-05-01"; "" where it holds
    when: str = ""  # "since 2021-07-10", "2012 to 2019-09"; of an episode "on 2021-07-10"
    type: str | None = None
    name: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | bool | int | float | None = None
    status: str | None = None  # of a claim
    superseded_by: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    valid_at: str | None = None  # true since; None: since ever
    invalid_at: str | None = None  # true until; None: until further notice
    said_at: str | None = None  # of an episode
    created_at: str | None = None  # known since
    expired_at: str | None = None  # believed until
    confidence: float | None = None
    source: str | None = None
    episodes: tuple[str, ...] = ()  # ids of what told of it
    evidence: tuple[Mapping[str, Any], ...] = ()
    truncated: bool | None = None  # whether the element says more than is shown

    @property
    def says_more(self) -> bool:
        """Whether it says more than a name."""
        return self.kind != "concept" or self.text != self.name or bool(self.attributes)

    def __str__(self) -> str:
        is_time = self.standing.startswith(("until ", "from ")) and self.when
        told = "; ".join(filter(None, (self.when, "" if is_time else self.standing)))
        return f"{self.text} ({told})" if told else self.text


@dataclass(frozen=True, slots=True)
class RecalledRecord(_Said):
    """A memory that a question is about, with what its score is made of."""

    memory: MemoryRecord
    score: float  # 0 to 1
    why: Mapping[str, Any] = field(default_factory=dict)  # share -> points and words
    passage: str = ""  # the part of its text that answers best
    copies: int | None = None  # others that say the same, which it stands for

    def __str__(self) -> str:
        return str(self.memory)

    def to_dict(self) -> dict[str, Any]:
        """Return the memory's members, with the score beside them."""
        own = _Said.to_dict(self)
        return {**own.pop("memory"), **own}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RecalledRecord:
        """Return the value that its dict says."""
        own = {name: given[name] for name in _OF_RECALL if name in given}
        own["why"] = {name: tuple(share) for name, share in own.get("why", {}).items()}
        memory = {name: one for name, one in given.items() if name not in _OF_RECALL}
        return cls(MemoryRecord.from_dict(memory), **own)


_OF_RECALL = ("score", "why", "passage", "copies")


@dataclass(frozen=True, slots=True)
class RecallAnswer(_Said):
    """What a question recalls, best first."""

    memories: tuple[RecalledRecord, ...] = field(default=(), metadata={"always": True})
    nearest: RecalledRecord | None = None  # what came nearest, where nothing was near enough
    cursor: str | None = None  # leads to the rest, of the same moment
    mode: str = "words"  # what texts are compared by
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Holding(_Said):
    """A fact beside what was told: ended by it, or still held to be true."""

    id: str
    line: str
    since: str | None = None
    until: str | None = None
    hint: str = ""  # of what goes on: how the older of the two ends where the newer begins

    def __str__(self) -> str:
        since, until = (self.since or "")[:10], (self.until or "")[:10]
        one = f"since {since}" if since else f"until {until}"
        told = f" ({since} to {until})" if since and until else f" ({one})"
        return f"{self.line}{told}" if since or until else self.line


@dataclass(frozen=True, slots=True)
class Remembered(_Said):
    """What was kept, what that ended, and what goes on holding beside it."""

    claim: MemoryRecord | None = None
    facts: tuple[MemoryRecord, ...] = ()
    episodes: tuple[str, ...] = ()  # ids
    ended: tuple[Holding, ...] = ()
    also_holds: tuple[Holding, ...] = ()
    warnings: tuple[Notice, ...] = ()
    transaction: int | None = None  # of the last write; None where nothing was new


@dataclass(frozen=True, slots=True)
class Corrected(_Said):
    """A memory as it stands after a correction, and the one it stands in place of."""

    memory: MemoryRecord
    before: MemoryRecord
    undo: str  # how to take it back, in words: "undo ID" where that can be done
    also_holds: tuple[Holding, ...] = ()
    transaction: int | None = None
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Forgotten(_Said):
    """What was forgotten, or would be; and whether that can be undone."""

    effect: Effect
    memories: tuple[MemoryRecord, ...] = field(default=(), metadata={"always": True})
    is_dry_run: bool = field(default=False, metadata={"always": True})
    undo: str = ""
    receipts: tuple[Mapping[str, Any], ...] = ()  # of what was erased
    warnings: tuple[Notice, ...] = ()  # what goes along, and what has ended and stays


@dataclass(frozen=True, slots=True)
class Listed(_Said):
    """Memories, the newest first."""

    memories: tuple[MemoryRecord, ...] = field(default=(), metadata={"always": True})
    cursor: str | None = None  # leads to the next page
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief(_Said):
    """What to know at the start of a session; `str()` is its text."""

    text: str
    at: str  # when it was made: ask for what changed since then the next time
    is_whole: bool = field(default=True, metadata={"always": True})  # else room was short

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Step(_Said):
    """One step of the past of a memory: who wrote what, when."""

    version: int
    operation: str
    transaction: int
    at: str
    actor: str | None = None
    request_id: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    truncated: bool | None = None

    def __str__(self) -> str:
        by = "" if self.actor is None else f" by {self.actor}"
        why = f", because {self.metadata[BECAUSE]}" if BECAUSE in self.metadata else ""
        return f"{self.at[:10]}  {self.operation}{by}{why}"


@dataclass(frozen=True, slots=True)
class Why(_Said):
    """One memory, the episodes it was learnt from, and what became of it, oldest first."""

    memory: MemoryRecord
    episodes: tuple[Mapping[str, Any], ...] = field(default=(), metadata={"always": True})
    history: tuple[Step, ...] = field(default=(), metadata={"always": True})
    events: tuple[Mapping[str, Any], ...] = ()  # of a claim
    corrects: tuple[Mapping[str, Any], ...] = ()  # the facts that it stands in place of
    cursor: str | None = None  # leads to later steps


WITHDRAWN: Final = "withdrawn"
"""How the reason begins of a dispute that says no more than that a claim counts no longer."""

BECAUSE: Final = "because"
"""Metadata of what was put right, ended or withdrawn: the reason, if one was given."""

DISPUTED: Final = "disputed"
"""The status of a claim that is withdrawn, or that something speaks against."""

LONGEST_TEXT: Final = 800  # characters
MOST_ATTRIBUTES: Final = 1_000  # bytes of their JSON
MOST_EVIDENCE: Final = 5
MOST_SOURCES: Final = 10

_NAMELESS: Final = re.compile(r"^(\w+)\(\): ", re.ASCII)
"""How a message begins of which no name is told."""

_IN_DOMAIN: Final = "belongs_to_domain"


class ShownRecords:
    """Elements of one look at a memory as records; what they need is read once for all of them."""

    def __init__(
        self, kinds: Kinds, now: Instant, ends: Mapping[str, Dated], claims: Iterable[Claim]
    ) -> None:
        self._kinds, self._now, self._ends = kinds, now, ends
        self._claims = {one.id: one for one in claims}

    @classmethod
    def read(cls, nexus: Nexus, elements: Sequence[Dated], as_of: AsOf | None = None) -> Self:
        """Read what elements need to be shown."""
        now = nexus.now()
        found = [one.element for one in elements]
        ends = {end for one in found if isinstance(one, Link) for end in (one.subject, one.object)}
        ends |= {place[0] for one in found if (place := inferred_place(one))}
        known = None if as_of is None else replace(as_of, valid=None)
        held = nexus.elements.look_up(ends, as_of=known, closed=True) if ends else {}
        claims = [one for one in found if is_claim(one)]
        return cls(nexus.kinds, now, held, claims_of(nexus, claims, as_of) if claims else ())

    def kind(self, element: Element) -> str | None:
        """Return which kind of memory an element is; None for one that only holds others."""
        start = self._ends.get(element.subject) if isinstance(element, Link) else None
        of = start.element if start and isinstance(start.element, Concept) else None
        is_shelved = isinstance(element, Link) and element.predicate == _IN_DOMAIN
        is_shelf = isinstance(element, Concept) and not self._kinds.of(element.type).is_meant
        return None if is_shelved or is_shelf else self._kinds.memory(element, of)

    def record(self, dated: Dated) -> MemoryRecord:
        """Return an element as a memory."""
        element = dated.element
        kind = self.kind(element) or "concept"
        text = _text(self._kinds, element, self._ends)
        found = MemoryRecord(
            kind,
            element.id,
            text[:LONGEST_TEXT],
            standing(dated, self._now),
            self._when(dated, kind),
            valid_at=bound_text(dated.valid_at),
            invalid_at=bound_text(dated.invalid_at),
            said_at=_said_at(element) if kind == "episode" else None,
            created_at=instant_text(dated.created_at),
            expired_at=bound_text(dated.expired_at),
            truncated=True if len(text) > LONGEST_TEXT else None,
            **self._called(element),
            **_sources(element.metadata),
        )
        claim = self._claims.get(element.id)
        if claim is not None:
            return _of_claim(found, claim, element)
        if isinstance(element, Concept):
            return _described(found, self._kinds.of(element.type).record(element))
        inferred = self._inferred(dated)
        left_out = (FACT, INFERRED) if inferred else (FACT,)
        said = {key: one for key, one in element.attributes.items() if key not in left_out}
        return _described(replace(found, **inferred), said)

    def _when(self, dated: Dated, kind: str) -> str:
        if kind == "episode" and (said_at := _said_at(dated.element)):
            return f"on {said_at[:10]}"
        told = dated.valid_at, dated.invalid_at, dated.element.metadata
        return spanned(*told, self._now) if kind == "fact" else ""

    def _inferred(self, dated: Dated) -> dict[str, Any]:
        """Return that a fact is inferred, and from which words, if it is and they are there."""
        place = inferred_place(dated.element)
        if place is None:
            return {}
        said = self._ends.get(place[0])
        if said is None or said.created_at > dated.created_at:
            return {"status": "inferred"}  # it is erased; one told since is another
        quote = str(said.element.attributes.get("body", ""))[place[1]][:LONGEST_TEXT]
        is_said = said.element.attributes.get("source") == "message"
        evidence = {"kind": "message" if is_said else "artifact", "detail": quote}
        return {"status": "inferred", "evidence": (evidence,) if quote else ()}

    def _called(self, element: Element) -> dict[str, Any]:
        if isinstance(element, Concept):
            return {"type": element.type, "name": element.name[:LONGEST_TEXT]}
        target = self._ends.get(element.object)
        value = None if target is None else scalar_of(target.element)
        return {
            "subject": _name(element.subject, self._ends),
            "predicate": element.predicate,
            "object": _name(element.object, self._ends) if value is None else value,
        }


def _said_at(episode: Element) -> str | None:
    told = episode.attributes.get("reference_time")
    return told if isinstance(told, str) else None


def records_of(
    nexus: Nexus, elements: Sequence[Dated], as_of: AsOf | None = None
) -> tuple[MemoryRecord, ...]:
    """Return elements as memories, in their order."""
    shown = ShownRecords.read(nexus, elements, as_of)
    return tuple(shown.record(one) for one in elements)


def made_record(nexus: Nexus, dated: Dated, claim: Claim) -> MemoryRecord:
    """Return a claim that was just made as a memory; nothing is read."""
    return ShownRecords(nexus.kinds, dated.created_at, {}, [claim]).record(dated)


def records_named(nexus: Nexus, ids: Iterable[str]) -> tuple[MemoryRecord, ...]:
    """Return the memories of some ids, closed or not, in their order."""
    wanted = list(ids)
    found = nexus.elements.look_up(wanted, closed=True) if wanted else {}
    return records_of(nexus, [found[one] for one in wanted if one in found])


def evidence_members(evidence: EvidenceRef) -> dict[str, Any]:
    """Return a piece of evidence, without what it does not say."""
    members: dict[str, Any] = {}
    for key, value in asdict(evidence).items():
        if isinstance(value, str):
            members[key] = value[:LONGEST_TEXT]
        elif isinstance(value, float):
            members[key] = value
    return members


def sources_of(metadata: Attributes) -> list[str]:
    """Return the ids of the episodes that something was learnt from."""
    sources = metadata.get(SOURCES)
    return [one for one in sources if isinstance(one, str)] if isinstance(sources, list) else []


def inferred_place(element: Element) -> tuple[str, slice] | None:
    """Return the episode that a fact is inferred from, and where in it; None for what was told."""
    match element.attributes.get(INFERRED):
        case {"episode": str(episode), "begin": int(begin), "end": int(end)}:
            is_source = episode in sources_of(element.metadata)
            return (episode, slice(begin, end)) if is_source else None
    return None


def _of_claim(found: MemoryRecord, claim: Claim, element: Element) -> MemoryRecord:
    follower = element.attributes.get("superseded_by")
    status = claim.claim_status
    event = element.attributes.get("event")
    reason = event.get("reason") if isinstance(event, dict) else None
    is_withdrawn = status == DISPUTED and str(reason).startswith(WITHDRAWN)
    told = "" if status in ACTIVE else WITHDRAWN if is_withdrawn else status
    return replace(
        found,
        standing=found.standing or told,
        status=status,
        confidence=claim.confidence,
        superseded_by=follower if isinstance(follower, str) else None,
        evidence=tuple(evidence_members(one) for one in claim.evidence[:MOST_EVIDENCE]),
        truncated=True if len(claim.evidence) > MOST_EVIDENCE else found.truncated,
    )


def _described(found: MemoryRecord, said: Attributes) -> MemoryRecord:
    """Add the attributes if they are few."""
    if not said:
        return found
    if len(orjson.dumps(said)) > MOST_ATTRIBUTES:
        return replace(found, truncated=True)
    return replace(found, attributes=dict(said))


def _sources(metadata: Attributes) -> dict[str, Any]:
    found: dict[str, Any] = {"episodes": tuple(sources_of(metadata)[:MOST_SOURCES])}
    if isinstance(source := metadata.get("source"), str):
        found["source"] = source[:LONGEST_TEXT]
    if isinstance(follower := metadata.get(REPLACED_BY), str):
        found["superseded_by"] = follower
    confidence = metadata.get("confidence")
    if isinstance(confidence, int | float) and not isinstance(confidence, bool):
        found["confidence"] = float(confidence)
    return found


def _text(kinds: Kinds, element: Element, ends: Mapping[str, Dated]) -> str:
    if isinstance(element, Link):
        words = element.attributes.get(FACT)
        if isinstance(words, str):
            return words
        start, end = (_name(one, ends) for one in (element.subject, element.object))
        return f"{start} {element.predicate.replace('_', ' ')} {end}"
    name = called(element.name, element.attributes, element.metadata)
    line = kinds.of(element.type).line(replace(element, name=name))
    is_message = element.attributes.get("source") == "message"
    return _NAMELESS.sub(r"\1: ", line) if is_message else line


def _name(identifier: str, ends: Mapping[str, Dated]) -> str:
    dated = ends.get(identifier)
    if dated is None or not isinstance(dated.element, Concept):
        return identifier
    concept = dated.element
    return called(concept.name, concept.attributes, concept.metadata)[:LONGEST_TEXT]


def recalled(nexus: Nexus, asked: RecallQuestion) -> RecallAnswer:
    """Return the memories that a question is about, best first."""
    with nexus.snapshot():  # what is shown is what was found, and is read once
        found = nexus.recall.answer(asked)
        all_found = [*found.memories, *([] if found.nearest is None else [found.nearest])]
        shown = ShownRecords.read(nexus, [one.element for one in all_found], found.as_of)
    least = accumulate((one.score for one in all_found), min)
    records = [_record(shown, *one) for one in zip(all_found, least, strict=True)]
    memories = tuple(records[: len(found.memories)])
    near = None if found.nearest is None else records[-1]
    return RecallAnswer(memories, near, found.cursor, found.mode, found.notices)


def _record(shown: ShownRecords, one: Recalled, most: float) -> RecalledRecord:
    """Return what is recalled as a memory, which scores at most what those above it do."""
    record = shown.record(one.element)
    why = {name: (round(share.points, 4), share.words) for name, share in one.why.items()}
    if most < one.score:
        why["below"] = (round(most - one.score, 4), "others stand above it on the page")
    passage = "" if one.passage == record.text else one.passage
    return RecalledRecord(record, round(most, 4), why, passage, one.copies or None)
