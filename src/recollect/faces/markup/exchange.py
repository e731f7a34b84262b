"""One exchange: as it is shown, as it is kept, and what its request shows.

The rule: whoever keeps or reads an exchange takes every attribute from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from recollect.errors import Notice
from recollect.faces.markup.answers import Applied, ChangeKind, NodeChange
from recollect.faces.markup.functions import Call, call_of
from recollect.faces.markup.messages import print_text
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import parse
from recollect.faces.markup.records import EXCHANGE, SHOWED, text_of
from recollect.kernel import Nexus
from recollect.model import Concept, Element, Rows, Value

EXCHANGES: Final = 'FIND(?one) WHERE { ?one {type: "Exchange"} }'
CALLS_OF: Final = """
FIND(?one, ?number) WHERE {
  ?one {type: "Call"} ATTR(?one, "owner", ?owner) FILTER(?owner == $owner)
  ATTR(?one, "number", ?number)
} ORDER BY ?number"""

Outcome = Literal["waiting", "data", "action", "error", "no-data-available", "invalid"]
_OUTCOMES: Final[Mapping[str, Outcome]] = {one: one for one in get_args(Outcome)}
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
class Record:
    """An exchange as it is kept."""

    id: str
    context: str
    request: str
    prompt: str = ""
    base: int | None = None
    scope: str = "shown"
    shown: frozenset[str] = frozenset()
    shortened: frozenset[str] = frozenset()
    target: str | None = None
    functions: tuple[str, ...] = ()
    previous: str | None = None
    ids: Mapping[str, str] = field(default_factory=dict)  # permanent by temporary, of all turns
    answer: str | None = None
    outcome: Outcome = "waiting"
    message: str | None = None
    error: str | None = None
    attempts: int = 0
    applied: Applied | None = None
    transaction: int | None = None

    @property
    def is_answered(self) -> bool:
        """Whether a valid answer stands."""
        return self.outcome not in ("waiting", "invalid")

    def exchange(self, calls: tuple[Call, ...] = ()) -> Exchange:
        """Return it as it is shown."""
        return Exchange(
            self.id,
            self.context,
            self.request,
            self.answer,
            self.outcome,
            self.message,
            self.error,
            self.applied,
            calls,
            self.attempts,
            self.previous,
            self.transaction,
        )

    def attributes(self) -> dict[str, Value]:
        """Return what is kept as the exchange begins."""
        return {
            "context": self.context,
            "request": self.request,
            "prompt": self.prompt,
            "base": self.base,
            "scope": self.scope,
            "shortened": list[Value](sorted(self.shortened)),
            "target": self.target,
            "functions": list[Value](self.functions),
            "previous": self.previous,
            "ids": dict(self.ids),
            "outcome": self.outcome,
            "attempts": self.attempts,
        }

    def outcome_attributes(self) -> dict[str, Value]:
        """Return what is kept of an answer."""
        kept: dict[str, Value] = {
            "answer": self.answer,
            "outcome": self.outcome,
            "message": self.message,
            "error": self.error,
            "attempts": self.attempts,
            "transaction": self.transaction,
        }
        if self.applied is not None:
            kept |= {"ids": dict(self.ids), "applied": _wire(self.applied)}
        return kept


def record_of(element: Element, nexus: Nexus) -> Record | None:
    """Return an exchange as it is kept; None for what is none."""
    if not isinstance(element, Concept) or element.type != EXCHANGE:
        return None
    held = element.attributes
    joints = nexus.concepts.joints([element.id], "subject", (SHOWED,))
    functions, ids, applied = held.get("functions"), held.get("ids"), held.get("applied")
    shortened = held.get("shortened")
    transaction = _whole(held.get("transaction"))
    return Record(
        id=element.id,
        context=text_of(held.get("context") or ""),
        request=text_of(held.get("request") or ""),
        prompt=text_of(held.get("prompt") or ""),
        base=_whole(held.get("base")),
        scope=text_of(held.get("scope") or "shown"),
        shown=frozenset(one.link.object for one in joints),
        shortened=frozenset(map(str, shortened)) if isinstance(shortened, list) else frozenset(),
        target=_text(held.get("target")),
        functions=tuple(map(str, functions)) if isinstance(functions, list) else (),
        previous=_text(held.get("previous")),
        ids={key: str(one) for key, one in ids.items()} if isinstance(ids, dict) else {},
        answer=_text(held.get("answer")),
        outcome=_OUTCOMES.get(text_of(held.get("outcome") or ""), "waiting"),
        message=_text(held.get("message")),
        error=_text(held.get("error")),
        attempts=_whole(held.get("attempts")) or 0,
        applied=_applied(applied, transaction) if isinstance(applied, dict) else None,
        transaction=transaction,
    )


def calls_of(nexus: Nexus, owner: str) -> tuple[Call, ...]:
    """Return the calls of an exchange or a run, in order."""
    (rows,) = nexus.read(CALLS_OF, {"owner": owner}).results
    assert isinstance(rows, Rows)
    return tuple(call_of(one) for one, _ in rows.rows if isinstance(one, Concept))


def _wire(applied: Applied) -> dict[str, Value]:
    changes: list[Value] = [[one.kind, one.id, one.label, one.space] for one in applied.changes]
    notices: list[Value] = [[one.code, one.message, one.hint] for one in applied.notices]
    ids: dict[str, Value] = dict(applied.ids)
    return {"reply": print_text(applied.reply), "ids": ids, "changes": changes, "notices": notices}


def _applied(kept: dict[str, Value], transaction: int | None) -> Applied:
    """Return what an answer did, as it was kept."""
    ids = kept.get("ids")
    return Applied(
        parse(text_of(kept.get("reply") or "")),
        {key: str(one) for key, one in ids.items()} if isinstance(ids, dict) else {},
        tuple(
            NodeChange(_KINDS[str(kind)], str(id), _text(label), _text(space))
            for kind, id, label, space in _quads(kept.get("changes"))
        ),
        tuple(Notice(str(code), str(message), str(hint)) for code, message, hint in _triples(kept)),
        transaction,
        is_dry_run=False,
    )


def _quads(kept: Value) -> list[list[Value]]:
    rows = kept if isinstance(kept, list) else []
    return [one for one in rows if isinstance(one, list) and len(one) == 4 and one[0] in _KINDS]


def _triples(kept: dict[str, Value]) -> list[list[Value]]:
    rows = kept.get("notices")
    found = rows if isinstance(rows, list) else []
    return [one for one in found if isinstance(one, list) and len(one) == 3]


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Value) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
