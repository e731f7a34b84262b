"""One exchange: as it is shown, as it is kept, and what its request shows.

The rule: whoever keeps or reads an exchange takes every attribute from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal, get_args

from recollect.errors import Notice
from recollect.faces.markup.answers import Applied, ChangeKind, NodeChange
from recollect.faces.markup.functions import Call, call_of
from recollect.faces.markup.graph import EXCHANGE, SHOWED, text_of, text_or_none, texts_of
from recollect.faces.markup.messages import print_text
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import parse
from recollect.kernel import Nexus
from recollect.model import Concept, Element, Value
from recollect.node import dataclass, field, replace

EXCHANGES: Final = 'FIND(?one) WHERE { ?one {type: "Exchange"} }'
CALLS_OF: Final = """
FIND(?one, ?number) WHERE {
  ?one {type: "Call"} ATTR(?one, "owner", ?owner) FILTER(?owner == $owner)
  ATTR(?one, "number", ?number)
} ORDER BY ?number"""

Outcome = Literal["waiting", "data", "action", "error", "no-data-available", "invalid"]
_OUTCOMES: Final[Mapping[str, Outcome]] = {one: one for one in get_args(Outcome)}
_MADE: Final = ("context", "request", "prompt")
_BEGUN: Final = (*_MADE, "base", "scope", "target", "previous", "outcome", "attempts")
_TEXTS: Final = ("target", "previous", "answer", "message", "error")
_ANSWERED: Final = ("answer", "outcome", "message", "error", "attempts", "transaction")
_KINDS: Final[Mapping[str, ChangeKind]] = {one: one for one in get_args(ChangeKind)}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it; `outcome` is waiting until it is answered."""

    id: str
    context: str
    request: str
    answer: str | None = None
    outcome: Outcome = "waiting"
    message: str | None = None
    error: str | None = None
    applied: Applied | None = None
    calls: tuple[Call, ...] = ()
    attempts: int = 0
    previous: str | None = None
    transaction: int | None = None  # of the answer; None where none stands


@dataclass(frozen=True, slots=True)
class Showing:
    """What a request shows: the text of its Data, and what of it may be changed."""

    text: str | None
    shown: frozenset[str] = frozenset()
    shortened: frozenset[str] = frozenset()
    transaction: int | None = None  # as of which it is

    def plus(self, functions: Document) -> Showing:
        """Return it with the functions that may be called, which may not be changed."""
        return replace(self, text=(self.text or "") + print_text(functions))


@dataclass(frozen=True, slots=True)
class Record(Exchange):
    """An exchange as it is kept; its calls are kept beside it."""

    prompt: str = ""
    base: int | None = None
    scope: str = "shown"
    shown: frozenset[str] = frozenset()
    shortened: frozenset[str] = frozenset()
    target: str | None = None
    functions: tuple[str, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)  # permanent by temporary, of all turns

    @property
    def is_answered(self) -> bool:
        """Whether a valid answer stands."""
        return self.outcome not in ("waiting", "invalid")

    def exchange(self, calls: tuple[Call, ...] = ()) -> Exchange:
        """Return it as it is shown."""
        shown = {one.name: getattr(self, one.name) for one in fields(Exchange)}
        return Exchange(**{**shown, "calls": calls})

    def attributes(self) -> dict[str, Value]:
        """Return what is kept as the exchange begins."""
        lists = {"shortened": sorted(self.shortened), "functions": list(self.functions)}
        return {**{one: getattr(self, one) for one in _BEGUN}, **lists, "ids": dict(self.ids)}

    def outcome_attributes(self) -> dict[str, Value]:
        """Return what is kept of an answer."""
        kept: dict[str, Value] = {one: getattr(self, one) for one in _ANSWERED}
        if self.applied is not None:
            kept |= {"ids": dict(self.ids), "applied": _wire(self.applied)}
        return kept


def record_of(element: Element, nexus: Nexus) -> Record | None:
    """Return an exchange as it is kept; None for what is none."""
    if not isinstance(element, Concept) or element.type != EXCHANGE:
        return None
    held = element.attributes
    joints = nexus.joints.at([element.id], "subject", (SHOWED,))
    ids, applied = held.get("ids"), held.get("applied")
    transaction = _whole(held.get("transaction"))
    said: dict[str, Any] = {one: text_or_none(held.get(one)) for one in _TEXTS}
    said |= {one: text_of(held.get(one) or "") for one in _MADE}
    return Record(
        **said,
        id=element.id,
        base=_whole(held.get("base")),
        scope=text_of(held.get("scope") or "shown"),
        shown=frozenset(one.link.object for one in joints),
        shortened=frozenset(texts_of(held.get("shortened"))),
        functions=texts_of(held.get("functions")),
        ids={key: str(one) for key, one in ids.items()} if isinstance(ids, dict) else {},
        outcome=_OUTCOMES.get(text_of(held.get("outcome") or ""), "waiting"),
        attempts=_whole(held.get("attempts")) or 0,
        applied=_applied(applied, transaction) if isinstance(applied, dict) else None,
        transaction=transaction,
    )


def calls_of(nexus: Nexus, owner: str) -> tuple[Call, ...]:
    """Return the calls of an exchange or a run, in order."""
    rows = nexus.read(CALLS_OF, {"owner": owner}).rows
    return tuple(call_of(one) for one, _ in rows if isinstance(one, Concept))


def _wire(applied: Applied) -> dict[str, Value]:
    changes: list[Value] = [[one.kind, one.id, one.label, one.space] for one in applied.changes]
    notices: list[Value] = [[one.code, one.message, one.hint] for one in applied.notices]
    ids: dict[str, Value] = dict(applied.ids)
    return {"reply": print_text(applied.reply), "ids": ids, "changes": changes, "notices": notices}


def _applied(kept: dict[str, Value], transaction: int | None) -> Applied:
    """Return what an answer did, as it was kept."""
    ids, notices = kept.get("ids"), _rows(kept.get("notices"), 3)
    return Applied(
        parse(text_of(kept.get("reply") or "")),
        {key: str(one) for key, one in ids.items()} if isinstance(ids, dict) else {},
        tuple(
            NodeChange(_KINDS[str(kind)], str(id), text_or_none(label), text_or_none(space))
            for kind, id, label, space in _rows(kept.get("changes"), 4)
        ),
        tuple(Notice(str(one), str(told), str(hint)) for one, told, hint in notices),
        transaction,
        is_dry_run=False,
    )


def _rows(kept: Value, width: int) -> list[list[Value]]:
    rows = kept if isinstance(kept, list) else []
    return [one for one in rows if isinstance(one, list) and len(one) == width]


def _whole(value: Value) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
