"""What the face answers with: memories in words, and what a call did to them.

The rule: every value has `to_dict`, which leaves out what it does not say; instants are ISO 8601.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Self, get_args, get_type_hints

from recollect.errors import Notice
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

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Return the value that its dict says: what a server answered."""
        hints = get_type_hints(cls)
        return cls(**{name: _value_of(hints[name], one) for name, one in given.items()})


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

    `str()` is its text with its standing, or with when it will end: `Maria works at Siemens (until
    2026-05-01)`.
    """

    kind: str
    id: str
    text: str
    standing: str = ""  # what keeps it from holding now: "until 2026-05-01"; "" where it holds
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
    created_at: str | None = None  # known since
    expired_at: str | None = None  # believed until
    confidence: float | None = None
    source: str | None = None
    episodes: tuple[str, ...] = ()  # ids of what told of it
    evidence: tuple[Mapping[str, Any], ...] = ()
    truncated: bool | None = None  # whether the element says more than is shown

    def __str__(self) -> str:
        ends = "" if self.invalid_at is None else f"until {self.invalid_at[:10]}"
        told = self.standing or ends
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
    undo: str  # how to take it back, in words
    also_holds: tuple[Holding, ...] = ()
    transaction: int | None = None


@dataclass(frozen=True, slots=True)
class Forgotten(_Said):
    """What was forgotten, or would be; and whether that can be undone."""

    effect: Effect
    memories: tuple[MemoryRecord, ...] = field(default=(), metadata={"always": True})
    is_dry_run: bool = field(default=False, metadata={"always": True})
    undo: str = ""
    receipts: tuple[Mapping[str, Any], ...] = ()  # of what was erased


@dataclass(frozen=True, slots=True)
class Listed(_Said):
    """Memories, the newest first."""

    memories: tuple[MemoryRecord, ...] = field(default=(), metadata={"always": True})
    cursor: str | None = None  # leads to the next page


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


@dataclass(frozen=True, slots=True)
class Why(_Said):
    """One memory, the episodes it was learnt from, and what became of it, oldest first."""

    memory: MemoryRecord
    episodes: tuple[Mapping[str, Any], ...] = field(default=(), metadata={"always": True})
    history: tuple[Step, ...] = field(default=(), metadata={"always": True})
    events: tuple[Mapping[str, Any], ...] = ()  # of a claim
    cursor: str | None = None  # leads to later steps
