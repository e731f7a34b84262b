"""Rows become answers: cells of SQL columns, and the pages they come in.

The rule: nothing that comes in is trusted. A cursor, the text that leads to the next page, is of
one question and bounded; every part of it is checked, and only ever bound as a value. Keys of rows
are hidden in it under a secret of the question: among them are ids as they are counted over all
groups.
"""

from __future__ import annotations

from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import blake2b, shake_256
from hmac import compare_digest
from math import fsum, inf, isfinite
from typing import assert_never, cast

import orjson

from recollect.errors import INVALID_SYNTAX, INVALID_VALUE, STORE_CORRUPT, RecollectError, Span
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.moment import NOW, Moment, resolve_moment
from recollect.kernel.sql.output import OutputColumn, Paging, Shape
from recollect.kernel.store.cells import (
    SqlValue,
    json_value,
    whole,
)
from recollect.kernel.store.group import Group, last_transaction
from recollect.kernel.store.port import Session, SqlRow
from recollect.model import (
    LIVING,
    AsOf,
    Cell,
    Element,
    Instant,
    Value,
)
from recollect.node import dataclass, replace


def element_ids(rows: Sequence[SqlRow], outputs: Sequence[OutputColumn]) -> set[int]:
    """Return the integer ids of every element the rows show."""
    ids: set[int] = set()
    start = 0
    for output in outputs:
        if output.shape is Shape.ELEMENT:
            ids.update(cast(int, row[start]) for row in rows if row[start] is not None)
        elif output.shape is Shape.ELEMENTS:
            for row in rows:
                ids.update(orjson.loads(cast(str, row[start])))
        start += output.shape.width
    return ids


def collected(rows: Sequence[SqlRow], outputs: Sequence[OutputColumn]) -> int:
    """Return how many values COLLECT has put into the rows."""
    count = 0
    start = 0
    for output in outputs:
        if output.shape in (Shape.ELEMENTS, Shape.VALUES):
            count += sum(len(orjson.loads(cast(str, row[start]))) for row in rows)
        start += output.shape.width
    return count


def decode_rows(
    rows: Sequence[SqlRow], outputs: Sequence[OutputColumn], elements: Mapping[int, Element]
) -> list[tuple[Cell, ...]]:
    """Return the rows with each column's cell decoded."""
    columns: list[list[Cell]] = []
    start = 0
    for output in outputs:
        columns.append(_column(rows, start, output, elements))
        start += output.shape.width
    return list(zip(*columns, strict=True))


def _column(
    rows: Sequence[SqlRow], at: int, output: OutputColumn, elements: Mapping[int, Element]
) -> list[Cell]:
    match output.shape:
        case Shape.TEXT | Shape.PLAIN:
            return [cast(Value, row[at]) for row in rows]
        case Shape.ELEMENT:
            return [None if row[at] is None else _element(row[at], elements) for row in rows]
        case Shape.JSON:
            return [None if row[at] is None else json_value(row[at]) for row in rows]
        case Shape.ELEMENTS | Shape.VALUES | Shape.SUM | Shape.AVG | Shape.EXTREME:
            end = at + output.shape.width
            return [_folded(row[at:end], output, elements) for row in rows]
        case _:
            assert_never(output.shape)


def _folded(parts: SqlRow, output: OutputColumn, elements: Mapping[int, Element]) -> Cell:
    if output.shape is Shape.SUM:
        return _sum(parts)
    if output.shape is Shape.AVG:
        count = cast(int, parts[4])
        return None if count == 0 else float(_sum(parts)) / count
    if output.shape is Shape.EXTREME:
        return _extreme(parts, output.reduces)
    if output.shape is Shape.VALUES:
        return _reduced(_listed(parts[0]), output.reduces)
    if output.reduces in ("sum", "avg"):  # an element is not a number
        return _reduced([], output.reduces)
    ids = orjson.loads(cast(str, parts[0]))
    shown = dict.fromkeys(ids) if output.reduces else ids
    return [_element(one, elements) for one in shown]


def _element(one: SqlValue, elements: Mapping[int, Element]) -> Element:
    element = elements.get(whole(one))
    if element is None:
        raise STORE_CORRUPT.error(
            "an element is not in the table of its kind", "run recollect doctor"
        )
    return element


def _listed(cell: SqlValue) -> list[Value]:
    held = json_value(cell)
    assert isinstance(held, list)
    return held


def _extreme(parts: SqlRow, reduces: str) -> Value:
    """Return the least or greatest of a whole number, a real one and a string: numbers first."""
    *said, text = parts
    numbers = [cast("int | float", one) for one in said if one is not None]
    if reduces == "min":
        return min(numbers) if numbers else cast("str | None", text)
    return cast(str, text) if text is not None else max(numbers, default=None)


def _sum(parts: SqlRow) -> int | float:
    high, low = (cast(int, part or 0) for part in parts[:2])
    whole, real = (high << 32) + low, parts[2]
    if not parts[3]:
        return whole
    if isinstance(real, str):  # the real numbers themselves
        try:
            real = fsum(orjson.loads(real))
        except OverflowError:
            real = inf
    return _finite(whole + cast(float, real))


def _finite(total: float) -> float:
    if not isfinite(total):
        raise INVALID_VALUE.error(
            "the sum is beyond the range of a number", "filter the values, or use MIN and MAX"
        )
    return total


def _reduced(values: list[Value], reduces: str) -> Value:
    if not reduces:
        return values
    firsts: dict[object, Value] = {}
    for value in values:
        firsts.setdefault(comparable(value), value)
    distinct = list(firsts.values())
    if reduces == "distinct":
        return distinct
    numbers = [
        value
        for value in distinct
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    total = sum(numbers)
    if isinstance(total, float):
        _finite(total)
    if reduces == "sum":
        return total
    return total / len(numbers) if numbers else None


def comparable(value: Value) -> object:
    """Return a hashable that is equal for equal values: 1 is 1.0, and true is not 1."""
    match value:
        case bool():
            return (bool, value)
        case list():
            return (list, tuple(comparable(item) for item in value))
        case dict():
            return (dict, frozenset((key, comparable(item)) for key, item in value.items()))
        case _:
            return value


MOST_CHARACTERS = 4_096
"""Of a cursor; keys that do not fit are left out, and the place is a count of rows."""

MOST_KEYS = 64
"""Keys a cursor may hold; more make it a count of rows as well."""

_FORM = 2
_DIGEST = 8  # bytes of a question that a cursor shows ...
_SECRET = 16  # ... and of those that it does not
_SEAL = 8

Key = None | int | float | str | bytes
"""What rows are ordered by, as the engine compares it."""


@dataclass(frozen=True, slots=True)
class PagePlace:
    """Where a page ended, at a moment that the next one shares.

    `after` are the keys of its last row; without them the next page begins at `position`, which
    counts the rows before it.
    """

    known: int  # a transaction's number
    valid: Instant | None = None
    position: int = 0
    after: tuple[Key, ...] = ()
    layout: str = ""  # what the keys are, where that may change from page to page
    weights: tuple[tuple[int, ...], ...] = ()  # what a search ranked by, for each kind of element
    is_past: bool = False  # whether all pages are to be read as of the past, even if it is now

    def fits(self, layout: str, width: int) -> bool:
        """Whether rows that are ordered by keys of this layout can be compared with its keys."""
        return (self.layout, len(self.after)) == (layout, width)


@dataclass(frozen=True, slots=True)
class PageCursor:
    """A parsed cursor; `place` returns where it leads, once its question is known."""

    question: str
    unchecked: PagePlace  # its keys are hidden still, in one
    span: Span

    def place(self, question: str) -> PagePlace:
        """Return where the page begins. KIP_1001 for a cursor of another question."""
        if question[: 2 * _DIGEST] != self.question:
            raise INVALID_SYNTAX.error(
                "the cursor belongs to another query or other parameters",
                "repeat the query that gave it, or leave CURSOR out to begin again",
                span=self.span,
            )
        if not self.unchecked.after:
            return self.unchecked
        try:
            return replace(self.unchecked, after=_seen(question, self.unchecked.after))
        except (ValueError, TypeError) as fault:
            raise no_cursor(self.span) from fault


@dataclass(frozen=True, slots=True)
class Page:
    """Which rows of a FIND are wanted: from its beginning, or from where another page ended.

    OFFSET skips rows of the beginning only: what a cursor leads to stands after them.
    """

    limit: int | None
    offset: int
    cursor: PageCursor | None = None
    after: PagePlace | None = None  # the row that it comes after, if that is known by its keys

    @classmethod
    def of(cls, find: ast.Find, bindings: Bindings) -> Page:
        """Return the page that LIMIT, OFFSET and CURSOR name; KIP_1001 for what names none."""
        limit = None if find.limit is None else bindings.whole(find.limit, "LIMIT")
        offset = 0 if find.offset is None else bindings.whole(find.offset, "OFFSET")
        if find.cursor is None:
            return cls(limit, offset)
        cursor = read_cursor(bindings.page(find.cursor), find.cursor.span)
        place = cursor.unchecked
        return cls(limit, place.position, cursor, place if place.after else None)

    @property
    def paging(self) -> Paging | None:
        """What the rows must tell, so that another page can go on after them."""
        if self.after is not None:
            return _NEXT_PAGE
        return None if self.limit is None and self.cursor is None else _FIRST_PAGE

    def counted(self) -> Page:
        """Return the page by the count of the rows before it alone."""
        return replace(self, after=None)


_FIRST_PAGE, _NEXT_PAGE = Paging(), Paging(is_continued=True)


def question_of(group: Group, *parts: object) -> str:
    """Return a digest of what a page answers: the statement's kind, its words, its values.

    All but LIMIT, OFFSET and CURSOR belongs to it; the parts are JSON values. A cursor shows its
    beginning, and the rest hides what the cursor holds.
    """
    asked = orjson.dumps(parts)
    return blake2b(asked, digest_size=_DIGEST + _SECRET, key=group.id_bits).hexdigest()


def write_cursor(question: str, place: PagePlace) -> str:
    """Return the text that `read_cursor` reads: base64url, without padding."""
    text = "" if len(place.after) > MOST_KEYS else _written(question, place)
    if 0 < len(text) <= MOST_CHARACTERS:
        return text
    return _written(question, replace(place, after=(), layout=""))


def _written(question: str, place: PagePlace) -> str:
    parts = (
        *(_FORM, question[: 2 * _DIGEST], place.known, place.valid, place.position),
        *(_hidden(question, place.after), place.layout, place.weights, place.is_past),
    )
    return urlsafe_b64encode(orjson.dumps(parts)).rstrip(b"=").decode()


def _hidden(question: str, keys: Sequence[Key]) -> str:
    """Return keys as nobody reads them who does not know the question's secret; none as none."""
    if not keys:
        return ""
    spelled = [{"bytes": key.hex()} if isinstance(key, bytes) else key for key in keys]
    plain = orjson.dumps(spelled)
    seal = _seal(question, plain)
    return b64encode(seal + _crossed(question, seal, plain), altchars=b"-_").decode()


def _seen(question: str, hidden: Sequence[Key]) -> tuple[Key, ...]:
    """Return the keys that were hidden; ValueError for what was not hidden here."""
    match hidden:
        case (bytes() as octets,):
            seal, crossed = octets[:_SEAL], octets[_SEAL:]
        case _:
            raise ValueError("not hidden")
    plain = _crossed(question, seal, crossed)
    if not compare_digest(_seal(question, plain), seal):
        raise ValueError("another seal")
    keys = orjson.loads(plain)
    if not isinstance(keys, list) or len(keys) > MOST_KEYS:
        raise ValueError("too many keys")
    return tuple([_key(key) for key in keys])


def _seal(question: str, plain: bytes) -> bytes:
    secret = question[2 * _DIGEST :].encode()
    return blake2b(plain, digest_size=_SEAL, key=secret).digest()


def _crossed(question: str, seal: bytes, octets: bytes) -> bytes:
    """Return bytes with those crossed that a secret and a seal lead to; twice is once."""
    stream = shake_256(question[2 * _DIGEST :].encode() + seal).digest(len(octets))
    number = int.from_bytes(octets, "big") ^ int.from_bytes(stream, "big")
    return number.to_bytes(len(octets), "big")


def read_cursor(text: str, span: Span) -> PageCursor:
    """Return what a cursor says. KIP_1001 for a text that is not a cursor."""
    try:
        return _read(text, span)
    except (ValueError, TypeError) as fault:
        raise no_cursor(span) from fault


def no_cursor(span: Span) -> RecollectError:
    """Return the error for a text that is not a cursor."""
    return INVALID_SYNTAX.error(
        "this is not a cursor that Recollect issued",
        "copy next_cursor as it is, or leave CURSOR out to begin again",
        span=span,
    )


def _read(text: str, span: Span) -> PageCursor:
    if len(text) > MOST_CHARACTERS:
        raise ValueError("too long")
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    form, question, known, valid, position, keys, layout, weights, is_past = orjson.loads(
        b64decode(padded, altchars=b"-_", validate=True)
    )
    if form != _FORM or not isinstance(question, str) or not isinstance(layout, str):
        raise ValueError("another form")
    if not isinstance(keys, str):
        raise ValueError("no hidden keys")
    if not isinstance(weights, list) or not isinstance(is_past, bool):
        raise ValueError("no weights")
    return PageCursor(
        question,
        PagePlace(
            _within(known, 0),
            None if valid is None else Instant(_within(valid, -LIVING)),
            _within(position, 0),
            (b64decode(keys, altchars=b"-_", validate=True),) if keys else (),
            layout,
            tuple([tuple([_within(one, 0) for one in numbers]) for numbers in weights]),
            is_past,
        ),
        span,
    )


def _within(number: object, least: int, most: int = LIVING) -> int:
    if type(number) is not int or not least <= number <= most:
        raise ValueError("not a number of its kind")
    return number


def _key(key: object) -> Key:
    match key:
        case bool():
            raise ValueError("no key is a boolean")
        case None | float() | str():
            return key
        case int():
            return _within(key, -(2**63), 2**63 - 1)
        case {"bytes": str() as digits}:
            return bytes.fromhex(digits)
        case _:
            raise ValueError("not a key")


def page_moment(session: Session, group: Group, asked: Moment, cursor: PageCursor) -> Moment:
    """Return the moment that the pages of a cursor share.

    KIP_1001 if the request names another moment, or if the transaction does not exist yet. As long
    as nothing was written since the first page this is now, the fastest moment to read; except for
    a cursor into the past.
    """
    place = cursor.unchecked
    last = last_transaction(session, group.group_id)
    if place.known > last:
        raise INVALID_SYNTAX.error(
            f"transaction {place.known} does not exist yet; the latest is {last}",
            "leave CURSOR out to begin again",
            span=cursor.span,
        )
    is_other = asked.valid != place.valid or asked.known not in (None, place.known)
    if asked is not NOW and is_other:
        raise INVALID_SYNTAX.error(
            "the cursor belongs to another time than as_of",
            "leave as_of out: the cursor keeps the time of its first page",
            span=cursor.span,
        )
    is_now = place.known == last and not place.is_past and not session.is_writing
    number = None if is_now else place.known
    return resolve_moment(session, group, AsOf(place.valid, transaction=number))
