"""Every failure Recollect can report, and nothing else.

One exception class, `RecollectError`, carries a code from one registry. A code is a stable
wire name; it owns its category, what a caller may do about it (`retry`), the HTTP status and
the section of the specification behind it. Layers above raise these errors and translate
them; they never invent another class.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from importlib import import_module
from typing import Any, Literal, Self, TypedDict, Unpack

from recollect.node import dataclass, field, node, replace

Retry = Literal["change_request", "refresh_then_retry", "same_request", "never"]


class Told(TypedDict, total=False):
    """What an error may tell beside its message, its hint and its place, as `RecollectError`."""

    known: tuple[str, ...]
    fix: Fix | None
    details: Mapping[str, object]
    first: Span | None


class ToldOfText(Told, total=False):
    """The same, and its place."""

    source: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Code:
    """One row of the error registry."""

    code: str  # stable wire code: "KIP_3001"
    name: str  # what it is called: "ReferenceError"
    category: str  # syntax | schema | data | conflict | limit | storage | bug
    retry: Retry
    http: int
    spec: str  # where the code is defined

    @property
    def title(self) -> str:
        """What a person reads: the code, and its name where that says more.

        >>> NOT_FOUND.title, STORE_BUSY.title
        ('KIP_3002 NotFound', 'STORE_BUSY')
        """
        says_more = self.code.replace("_", "").lower() != self.name.lower()
        return f"{self.code} {self.name}" if says_more else self.code

    def error(self, message: str, hint: str = "", **told: Unpack[ToldOfText]) -> RecollectError:
        """Return the error of this code: what is wrong, what to do about it, and what else is told.

        >>> raise NOT_FOUND.error("there is no drug Asprin", "use Aspirin", known=("Aspirin",))
        Traceback (most recent call last):
        recollect.errors.RecollectError: KIP_3002 NotFound: there is no drug Asprin
          hint: use Aspirin
        """
        return RecollectError(self, message, hint, **told)


KIP = "KIP 1.0, appendix 4"
STORE = "docs/errors.md"
OPERATIONS = "Knowledge Graph API v1, section 3"

INVALID_SYNTAX = Code("KIP_1001", "InvalidSyntax", "syntax", "change_request", 400, KIP)
INVALID_IDENTIFIER = Code("KIP_1002", "InvalidIdentifier", "syntax", "change_request", 400, KIP)
TYPE_MISMATCH = Code("KIP_2001", "TypeMismatch", "schema", "change_request", 400, KIP)
CONSTRAINT_VIOLATION = Code("KIP_2002", "ConstraintViolation", "schema", "change_request", 400, KIP)
INVALID_VALUE = Code("KIP_2003", "InvalidValueType", "schema", "change_request", 400, KIP)
REFERENCE_ERROR = Code("KIP_3001", "ReferenceError", "data", "change_request", 400, KIP)
NOT_FOUND = Code("KIP_3002", "NotFound", "data", "refresh_then_retry", 404, KIP)
DUPLICATE_EXISTS = Code("KIP_3003", "DuplicateExists", "conflict", "change_request", 409, KIP)
IMMUTABLE_TARGET = Code("KIP_3004", "ImmutableTarget", "conflict", "never", 403, KIP)
VERSION_CONFLICT = Code("KIP_3005", "VersionConflict", "conflict", "refresh_then_retry", 409, KIP)
EXECUTION_TIMEOUT = Code("KIP_4001", "ExecutionTimeout", "limit", "change_request", 408, KIP)
RESOURCE_EXHAUSTED = Code("KIP_4002", "ResourceExhausted", "limit", "change_request", 400, KIP)
INTERNAL_ERROR = Code("KIP_4003", "InternalError", "bug", "never", 500, KIP)

INVALID_ARGUMENT = Code(
    "INVALID_ARGUMENT", "InvalidArgument", "schema", "change_request", 400, STORE
)
STORE_BUSY = Code("STORE_BUSY", "StoreBusy", "storage", "same_request", 503, STORE)
STORE_CLOSED = Code("STORE_CLOSED", "StoreClosed", "storage", "never", 500, STORE)
STORE_FOREIGN = Code("STORE_FOREIGN", "StoreForeign", "storage", "never", 500, STORE)
STORE_NEWER = Code("STORE_NEWER", "StoreNewer", "storage", "never", 500, STORE)
STORE_CORRUPT = Code("STORE_CORRUPT", "StoreCorrupt", "storage", "never", 500, STORE)
STORE_UNAVAILABLE = Code(
    "STORE_UNAVAILABLE", "StoreUnavailable", "storage", "same_request", 503, STORE
)
INDEX_PENDING = Code("INDEX_PENDING", "IndexPending", "storage", "refresh_then_retry", 409, STORE)
EMBEDDER_UNAVAILABLE = Code(
    "EMBEDDER_UNAVAILABLE", "EmbedderUnavailable", "embedding", "same_request", 503, STORE
)
EMBEDDER_CHANGED = Code("EMBEDDER_CHANGED", "EmbedderChanged", "embedding", "never", 409, STORE)
CANCELLED = Code("CANCELLED", "Cancelled", "conflict", "same_request", 409, STORE)

RESOURCE_NOT_FOUND = Code("NOT_FOUND", "NotFound", "data", "refresh_then_retry", 404, OPERATIONS)
CONFLICT = Code("CONFLICT", "Conflict", "conflict", "refresh_then_retry", 409, OPERATIONS)
PERMISSION_DENIED = Code(
    "PERMISSION_DENIED", "PermissionDenied", "permission", "never", 403, OPERATIONS
)
UNAUTHENTICATED = Code(
    "UNAUTHENTICATED", "Unauthenticated", "permission", "change_request", 401, STORE
)
LIMIT_EXCEEDED = Code("LIMIT_EXCEEDED", "LimitExceeded", "limit", "change_request", 413, OPERATIONS)
UNAVAILABLE = Code("UNAVAILABLE", "Unavailable", "storage", "same_request", 503, OPERATIONS)
INTERNAL = Code("INTERNAL", "Internal", "bug", "never", 500, OPERATIONS)

MARKUP = "Knowing Markup"

INVALID_CHARACTER = Code("KM_1001", "InvalidCharacter", "syntax", "change_request", 400, MARKUP)
MIXED_INDENTATION = Code("KM_1002", "MixedIndentation", "syntax", "change_request", 400, MARKUP)
INVALID_HEADER = Code("KM_1003", "InvalidHeader", "syntax", "change_request", 400, MARKUP)
INVALID_ID = Code("KM_1004", "InvalidId", "syntax", "change_request", 400, MARKUP)
UNCLOSED_BLOCK = Code("KM_1005", "UnclosedBlock", "syntax", "change_request", 400, MARKUP)
INVALID_STATE = Code("KM_1006", "InvalidState", "syntax", "change_request", 400, MARKUP)
FIELD_WITHOUT_NODE = Code("KM_1007", "FieldWithoutNode", "syntax", "change_request", 400, MARKUP)
DUPLICATE_FIELD = Code("KM_1008", "DuplicateField", "syntax", "change_request", 400, MARKUP)
UNEXPECTED_LINE = Code("KM_1009", "UnexpectedLine", "syntax", "change_request", 400, MARKUP)
MISPLACED_SPACE = Code("KM_1010", "MisplacedSpace", "syntax", "change_request", 400, MARKUP)
UNKNOWN_FIELD = Code("KM_1011", "UnknownField", "schema", "change_request", 400, MARKUP)
NO_CONTEXT = Code("KM_2001", "NoContext", "syntax", "change_request", 400, MARKUP)
UNKNOWN_ENTRY = Code("KM_2002", "UnknownEntry", "syntax", "change_request", 400, MARKUP)
DUPLICATE_ENTRY = Code("KM_2003", "DuplicateEntry", "syntax", "change_request", 400, MARKUP)
MISSING_ENTRY = Code("KM_2004", "MissingEntry", "syntax", "change_request", 400, MARKUP)
INVALID_RESPONSE = Code("KM_2005", "InvalidResponse", "syntax", "change_request", 400, MARKUP)
WRONG_STEP = Code("KM_2006", "WrongStep", "conflict", "change_request", 400, MARKUP)
INVALID_ATTENTION = Code("KM_2007", "InvalidAttention", "data", "change_request", 400, MARKUP)
INCOMPLETE = Code("KM_2008", "Incomplete", "syntax", "change_request", 400, MARKUP)
WRONG_CONTEXT = Code("KM_2009", "WrongContext", "syntax", "change_request", 400, MARKUP)
UNKNOWN_ID = Code("KM_3001", "UnknownId", "data", "change_request", 404, MARKUP)
UNASSIGNED_ID = Code("KM_3002", "UnassignedId", "data", "change_request", 400, MARKUP)
READ_ONLY_NODE = Code("KM_3003", "ReadOnly", "permission", "change_request", 403, MARKUP)
TWO_DEFINITIONS = Code("KM_3004", "TwoDefinitions", "conflict", "change_request", 409, MARKUP)
CHANGED_SINCE = Code("KM_3005", "ChangedSince", "conflict", "refresh_then_retry", 409, MARKUP)
CYCLE = Code("KM_3006", "Cycle", "conflict", "change_request", 409, MARKUP)
OUT_OF_SCOPE = Code("KM_3007", "OutOfScope", "permission", "change_request", 403, MARKUP)
TEMPLATE_MISMATCH = Code("KM_3008", "TemplateMismatch", "schema", "change_request", 400, MARKUP)
FUNCTION_REFUSED = Code("KM_3009", "FunctionRefused", "permission", "change_request", 400, MARKUP)
STALE_TEMPORARY_ID = Code("KM_3010", "StaleTemporaryId", "data", "change_request", 400, MARKUP)
AMBIGUOUS_PLACE = Code("KM_3011", "AmbiguousPlace", "conflict", "change_request", 409, MARKUP)
SHORTENED_CONTENT = Code("KM_3012", "ShortenedContent", "conflict", "change_request", 409, MARKUP)
EDGE_NOT_ALLOWED = Code("KM_3013", "EdgeNotAllowed", "schema", "change_request", 400, MARKUP)
MARKUP_TIMEOUT = Code("KM_4001", "Timeout", "limit", "change_request", 408, MARKUP)
MARKUP_LIMIT = Code("KM_4002", "LimitExceeded", "limit", "change_request", 413, MARKUP)

CODES: Mapping[str, Code] = {
    row.code: row for row in list(globals().values()) if isinstance(row, Code)
}


refused = INVALID_ARGUMENT.error
"""The error for an argument that cannot be taken, as most are."""

_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
"""Control characters as people see them."""


@node(frozen=True, slots=True)
class Span:
    """Half-open range of code points in the source text: `text[start:end]`."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.start, other.end)

    def moved(self, by: int) -> Span:
        """Return the span in a text with so many more code points before it."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Fix:
    """One edit that mends the text: replace `text[span.start:span.end]` by `text`."""

    span: Span
    text: str

    def to_wire(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"start": self.span.start, "end": self.span.end, "text": self.text}

    def apply(self, source: str) -> str:
        """Return a text after the edit.

        >>> Fix(Span(0, 4), "FIND").apply("FNID(?x) WHERE {}")
        'FIND(?x) WHERE {}'
        """
        return source[: self.span.start] + self.text + source[self.span.end :]


class ToDo(StrEnum):
    """What a hint asks for, where a server has a way of its own to do it."""

    ASK_ABOUT_NOW = "read what is true now"
    ASK_AT_TRANSACTION = "read as of a transaction"
    DECLARE_OR_FORCE = "declare or mend what is there, or force it"
    CORRECT = "correct when a fact began or ended, or what it says"
    FORGET = "end, withdraw or erase a memory"
    GIVE_PARAMETER = "give a parameter a value"
    JOIN = "make two concepts one"
    LIST_ATTENTION = "list what asks for attention"
    LIST_CLAIMS = "list the claims"
    LIST_EXCHANGES = "list the exchanges with models"
    LIST_GROUPS = "list the groups"
    LIST_NODES = "look at what there is as trees"
    LIST_RUNS = "list the runs of workflows"
    MEND_OR_SKIP = "mend what cannot be taken in, or skip it"
    MOVE_CLAIM = "give a claim one of some statuses"
    NAME_BY_KEY = "name an element by type and name"
    NAME_LATER = "name a later instant"
    PASS_OPTION = "pass another value"
    SEARCH = "search for it"
    SERVE = "say whom the agent serves"
    SEE_TRANSACTION = "look at a transaction"
    UNDO = "take back what was done last to a memory"
    WRITE = "send a text that writes to a call that may"


class Hint(str):
    """A hint as a value: what is to be done, and on what.

    It is itself the text for those who call the library; a server that has a way of its own to do
    it says it in its own words.

    >>> hint = Hint('use {"known": 2}', ToDo.ASK_AT_TRANSACTION, "2")
    >>> hint, hint.todo.value, hint.on
    ('use {"known": 2}', 'read as of a transaction', ('2',))
    """

    todo: ToDo
    on: tuple[str, ...]

    def __new__(cls, text: str, todo: ToDo, *on: str) -> Self:
        """Make a hint that says `text` to those who call the library."""
        made = super().__new__(cls, text)
        made.todo, made.on = todo, on
        return made

    def __reduce__(self) -> tuple[type[Hint], tuple[str, ...]]:
        """Return what makes an equal hint, for a copy."""
        return Hint, (str(self), self.todo, *self.on)


def give_parameter(name: str) -> Hint:
    """Return the hint that a parameter needs a value."""
    return Hint(f'pass parameters={{"{name}": ...}}', ToDo.GIVE_PARAMETER, name)


def join(one: str, other: str) -> Hint:
    """Return the hint to make one concept, named by its id, one with another."""
    given = {"id": one, "same_as": other}
    return Hint(f"correct with {json.dumps(given)}", ToDo.JOIN, one, other)


def forget_as(id: str, effect: str, at: str | None = None) -> Hint:
    """Return the hint to forget a memory; what ends does so at an instant, else now."""
    given = {"id": id, "effect": effect} | ({"at": at} if at else {})
    return Hint(f"forget with {json.dumps(given)}", ToDo.FORGET, *given.values())


def said_anew(id: str, member: Literal["valid_at", "invalid_at", "text"], said: str) -> Hint:
    """Return the hint to correct when a fact began or ended, or what it says."""
    given = {"id": id, member: said}
    words = json.dumps(given, ensure_ascii=False)
    return Hint(f"correct with {words}", ToDo.CORRECT, id, member, said)


def undo_of(id: str) -> Hint:
    """Return the hint to take back what was done last to a memory."""
    return Hint(f"undo {id}", ToDo.UNDO, id)


def ask_about_now() -> Hint:
    """Return the hint to read what is true now, and nothing that has ended or not begun."""
    return Hint('ask with as_of {"valid": "now"} to leave it out', ToDo.ASK_ABOUT_NOW)


def ask_at(transaction: int) -> Hint:
    """Return the hint to read as of a transaction."""
    return Hint(f'use {{"known": {transaction}}}', ToDo.ASK_AT_TRANSACTION, str(transaction))


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a caller should know about an answer that is nevertheless whole.

    Serialised as `{code, message, span?, known?, fix?, hint?}` beside a result.
    """

    code: str  # a stable word: "unknown_type"
    message: str
    hint: str = ""
    span: Span | None = None
    known: tuple[str, ...] = ()  # nearest first
    fix: Fix | None = None

    def to_wire(self) -> dict[str, object]:
        """Return the JSON form."""
        wire: dict[str, object] = {"code": self.code, "message": self.message}
        if self.span is not None:
            wire["span"] = {"start": self.span.start, "end": self.span.end}
        if self.known:
            wire["known"] = list(self.known)
        if self.fix is not None:
            wire["fix"] = self.fix.to_wire()
        if self.hint:
            wire["hint"] = self.hint
        return wire


def may_be_one(name: str, id: str, whole: str, its: str) -> Notice:
    """Return the notice that what is called by a first name alone may be the one who has it."""
    message = f'"{name}" may be "{whole}", whose first name it is, so what is told of both is shown'
    return Notice("first_name", message, join(id, its))


@dataclass(eq=False)
class RecollectError(Exception):
    r"""A failure with a code, a place in the text, what is known nearby, and a way out.

    `str(error)` is for people: the code, the message, the line with a caret, the hint.
    `error.to_wire()` is for programs and models.

    >>> text = "FIND(?drug)\nWHERE { ?dru {type: \"Drug\"} }"
    >>> print(RecollectError(REFERENCE_ERROR, "variable ?drug is not bound",
    ...       hint="use ?dru", source=text, span=Span(5, 10)))
    KIP_3001 ReferenceError: variable ?drug is not bound
       1 | FIND(?drug)
         |      ^^^^^
      hint: use ?dru
    """

    code: Code
    message: str
    hint: str = ""
    source: str = ""
    span: Span | None = None
    known: tuple[str, ...] = ()
    fix: Fix | None = None
    details: Mapping[str, object] = field(default_factory=dict)
    first: Span | None = None  # the earlier place that the one at `span` contradicts

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def __str__(self) -> str:
        lines = [f"{self.code.title}: {self.message}", *quoted(self.source, self.span)]
        if self.first is not None and self.source:
            line, column = place(self.source, self.first)
            lines.append(f"  before: line {line}, column {column}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        # Stored text in a message must not begin a line of its own, such as a hint.
        return "\n".join(line.translate(_PICTURES) for line in lines)

    def at(self, source: str) -> RecollectError:
        """Return this error with the text its span points into, for a layer that has it."""
        if not self.source:
            self.source = source
        return self

    def after(self, text: str) -> RecollectError:
        """Return this error as one of a longer text, in which `text` stands before its own."""
        by = len(text)
        return replace(
            self,
            source=text + self.source,
            span=self.span and self.span.moved(by),
            fix=self.fix and replace(self.fix, span=self.fix.span.moved(by)),
            first=self.first and self.first.moved(by),
        )

    def to_wire(self) -> dict[str, object]:
        """Return the JSON form: empty members are left out."""
        wire: dict[str, object] = {
            "code": self.code.code,
            "name": self.code.name,
            "category": self.code.category,
            "message": self.message,
        }
        if self.span is not None:
            wire["line"], wire["column"] = place(self.source, self.span)
            wire["span"] = {"start": self.span.start, "end": self.span.end}
        if self.first is not None:
            line, column = place(self.source, self.first)
            span = {"start": self.first.start, "end": self.first.end}
            wire["first"] = {"line": line, "column": column, "span": span}
        if self.known:
            wire["known"] = list(self.known)
        wire["retry"] = self.code.retry
        if self.fix is not None:
            wire["fix"] = self.fix.to_wire()
        if self.hint:
            wire["hint"] = self.hint
        if self.details:
            wire["details"] = dict(self.details)
        return wire


def in_words(error: RecollectError, say: Callable[[str], str]) -> RecollectError:
    """Return an error, and all that its details tell of, with the hints that a server says."""
    details, told = error.details, error.details.get("errors")
    if isinstance(told, list):
        ones = [{**one, "hint": say(one["hint"])} if "hint" in one else one for one in told]
        details = {**details, "errors": ones}
    return replace(error, hint=say(error.hint), details=details)


def hint_in(words: Mapping[ToDo, str], hint: str) -> str:
    """Return a hint in the words that a server has for what is to be done, if it has some.

    >>> hint = Hint('pass ids="fresh"', ToDo.PASS_OPTION, "ids", "fresh")
    >>> hint_in({ToDo.PASS_OPTION: "give {0}: {1}"}, hint)
    'give ids: fresh'
    """
    if not isinstance(hint, Hint) or hint.todo not in words:
        return hint
    return words[hint.todo].format(*hint.on)


def errors_with(error: RecollectError) -> list[RecollectError]:
    """Return an error and all that were found with it, which its details tell of, by place."""
    told = error.details.get("errors")
    source = error.source
    return [error] if not isinstance(told, list) else [_of_wire(one, source) for one in told]


def _of_wire(wire: Mapping[str, Any], source: str) -> RecollectError:
    code, span = CODES[wire["code"]], Span(**wire["span"]) if "span" in wire else None
    return RecollectError(code, wire["message"], wire.get("hint", ""), source, span)


def place(source: str, span: Span) -> tuple[int, int]:
    """Return the line and the column where a span begins, both from 1."""
    before = source[: span.start]
    return before.count("\n") + 1, span.start - before.rfind("\n")


def quoted(source: str, span: Span | None) -> list[str]:
    """Return the line that a span begins in, and a line of carets below it."""
    if span is None or not source:
        return []
    line, column = place(source, span)
    text = source.split("\n")[line - 1]
    first = max(0, column - 60)  # a window of a long line keeps the caret in sight
    shown = text[first : first + 100]
    room = len(shown) - (column - 1 - first)
    width = max(1, min(span.end - span.start, room))
    margin = f"{line:>4} | "
    caret = " " * (len(margin) - 2) + "| " + " " * (column - 1 - first) + "^" * width
    return [margin + shown, caret]


_MANY = 1_000
_SLIP = 0.84  # how alike two names are of which one may be the other misspelt
_DENIALS = ("n", "no", "non", "not", "isnt", "un", "never")


def nearest(name: str, known: Iterable[str], limit: int = 10) -> tuple[str, ...]:
    """Return the known names most like `name`, nearest first, at most `limit`.

    >>> nearest("Durg", ["Drug", "Symptom", "Dragon"])
    ('Drug', 'Dragon')
    """
    folded = name.casefold()
    by_folded: dict[str, str] = {}
    for one in known:
        by_folded.setdefault(one.casefold(), one)
    candidates = list(by_folded)
    if len(candidates) > _MANY:  # comparing is slow: among many, a slip keeps the first letter
        candidates = [
            one for one in candidates if one[:1] == folded[:1] and abs(len(one) - len(folded)) < 3
        ]
    return tuple(by_folded[one] for one in alike(folded, candidates[:_MANY], limit, 0.5))


def not_among(
    message: str,
    word: object,
    known: Collection[str],
    hint: str = "use {}",
    otherwise: str = "",
    code: Code = INVALID_ARGUMENT,
) -> RecollectError:
    """Return the error for a word that is none of some; the hint says which of them to use.

    What is to be done `otherwise` it says where none of them is like the word: to use one of them,
    unless something else is said.

    >>> not_among("there is no kind fakt", "fakt", ["claim", "fact"]).hint
    'use fact'
    >>> not_among("there is no kind zzz", "zzz", ["claim", "fact"]).hint
    'use one of claim, fact'
    """
    near = nearest(word, known) if isinstance(word, str) else ()
    if otherwise and not near:
        return code.error(message, otherwise)
    hint = hint.format(near[0]) if near else f"use one of {', '.join(known)}" if known else ""
    return code.error(message, hint, known=near or tuple(known))


def alike(word: str, names: Collection[str], limit: int, cutoff: float) -> list[str]:
    """Return the names most like a word; one that is denied in it says the opposite.

    >>> alike("not_in", ["in"], 1, 0.4), alike("iin", ["in"], 1, 0.4)
    ([], ['in'])
    """
    found = difflib.get_close_matches(word, names, n=limit, cutoff=cutoff)
    return [one for one in found if not _denies(word, one)]


def is_misspelt(one: str, known: str) -> bool:
    """Whether a name is so like a known one that it may be that one with a slip in it.

    Two letters that are turned round are one slip.

    >>> is_misspelt("liks", "likes"), is_misspelt("likse", "likes"), is_misspelt("works", "walks")
    (True, True, False)
    """
    turned = (one[:at] + one[at + 1] + one[at] + one[at + 2 :] for at in range(len(one) - 1))
    return is_slip(one, (known,)) and (known in turned or bool(alike(one, [known], 1, _SLIP)))


def _denies(word: str, name: str) -> bool:
    before, _, after = (part.strip("_") for part in word.partition(name))
    return after == "not" if not before else before in _DENIALS and not after


UPGRADE = "upgrade, in a clone of Recollect: git pull && pip install ."
"""The hint where only a newer Recollect helps."""


def install(extra: str) -> str:
    """Return the hint that says how an extra is installed; every message takes it from here.

    >>> install("mcp")
    'in a clone of Recollect: pip install ".[mcp]"'
    """
    return f'in a clone of Recollect: pip install ".[{extra}]"'


def load_extra(module: str, extra: str, use: str) -> Any:  # noqa: ANN401 - a module
    """Return a module that an extra brings, loaded by those who use it.

    UNAVAILABLE where the extra is not installed; `use` says what it is for.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise RecollectError(
            UNAVAILABLE, f"{error.name} is not installed, and {use}", hint=install(extra)
        ) from error


def is_slip(name: str, near: tuple[str, ...]) -> bool:
    """Whether the nearest known name is so like a name that it must be the one meant.

    >>> is_slip("dru", ("?drug", "?a")), is_slip("x", ("?y",)), is_slip("row1", ("?row2",))
    (True, False, False)
    """
    if not near:
        return False
    one, other = name.casefold(), near[0].casefold().lstrip("?@$")
    if one.rstrip("0123456789") == other.rstrip("0123456789"):
        return one == other
    return difflib.SequenceMatcher(None, one, other).ratio() >= 0.7
