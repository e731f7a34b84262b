"""One SEARCH to its hits: its arguments checked, its page found, its elements made whole.

The rule: all pages of a search are of the moment of the first, and weigh words as it did; none
shows an element twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from recollect.errors import INVALID_SYNTAX, INVALID_VALUE
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.cells import (
    PageCursor,
    PagePlace,
    no_cursor,
    page_moment,
    question_of,
    read_cursor,
    write_cursor,
)
from recollect.kernel.read.moment import Moment, hydrate
from recollect.kernel.read.reader import Reader
from recollect.kernel.read.resting import standings
from recollect.kernel.search.modes import KEYWORD, by_words, checked_mode, why_by_words
from recollect.kernel.search.rank import Weights
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.search.search import DEFAULT_LIMIT, HitPage, TextQuestion, search
from recollect.model import ElementKind, Hit, Hits
from recollect.node import dataclass, field, replace


def hits(reader: Reader, bindings: Bindings, query: ast.Search) -> Hits:
    """Return the hits of a SEARCH, best first, and a cursor where there are more.

    Outside of a write each tells what keeps it from being so now.
    KIP_1001 for an unknown mode and for a threshold outside of 0 to 1, EMBEDDER_CHANGED where
    the group has vectors of another model.
    """
    term = bindings.text(query.term, "the search term")
    type_ = None if query.type is None else bindings.string(query.type, "the type")
    limit = DEFAULT_LIMIT if query.limit is None else bindings.whole(query.limit, "LIMIT")
    mode = asked = mode_of(reader, bindings, query)
    if mode != KEYWORD and (
        reason := why_by_words(reader.session, reader.group, reader.meanings, term)
    ):
        span = None if query.mode is None else query.mode.span
        reader.notices.append(by_words(mode, reason, span))
        mode = KEYWORD
    threshold = 0.0 if query.threshold is None else _share(bindings, query.threshold)
    question = question_of(reader.group, "SEARCH", query.kind, term, type_, asked, threshold)
    page = _page(reader, bindings, query, question)
    at = page.moment
    found = search(
        reader.session,
        SearchBounds(reader.group, valid=at.valid, known=at.known, weights=page.weights),
        TextQuestion(term, query.kind, type_, mode, reader.meanings),
        HitPage(min(limit, reader.limits.max_rows), threshold, page.shown, page.position),
    )
    reader.notices += found.notices
    ids = [one.element for one in found.matches]
    elements = hydrate(reader.session, reader.group, reader.terms, ids, page.moment)
    ended = standings(reader, elements, page.moment, page.pinned)
    return Hits(
        tuple(
            Hit(one.kind, one.score, elements[one.element], ended.get(one.element, ""))
            for one in found.matches
        ),
        page.after(ids, found.weights, question) if found.has_more and ids else None,
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """Where a page begins: at a moment, after what was shown before it."""

    moment: Moment
    pinned: int  # the transaction that all pages are of
    shown: frozenset[int] = frozenset()  # all that was shown, unless they were too many to hold
    position: int = 0  # how many were shown, if they were too many
    weights: Mapping[ElementKind, Weights] = field(default_factory=dict)  # those of the first
    is_past: bool = False  # whether the first was asked for as of the past

    def after(self, ids: list[int], weights: Mapping[ElementKind, Weights], question: str) -> str:
        """Return the cursor of the page after this one, which shows these."""
        position = self.position + len(self.shown) + len(ids)
        after = () if self.position else (packed(self.shown.union(ids)),)
        place = PagePlace(
            self.pinned,
            self.moment.valid,
            position,
            after,
            weights=tuple([one.numbers() for one in weights.values()]),
            is_past=self.is_past,
        )
        return write_cursor(question, place)


def _page(reader: Reader, bindings: Bindings, query: ast.Search, question: str) -> _Page:
    if query.cursor is None:
        known = reader.moment.known
        pinned = reader.number() if known is None else known
        return _Page(reader.moment, pinned, is_past=known is not None)
    cursor = read_cursor(bindings.page(query.cursor), query.cursor.span)
    place = cursor.place(question)
    page = _Page(
        page_moment(reader.session, reader.group, reader.moment, cursor),
        place.known,
        weights=_weights(cursor),
        is_past=place.is_past,
    )
    match place.after:
        case (bytes() as octets,):
            return replace(page, shown=unpacked(octets))
        case _:
            return replace(page, position=place.position)


def _weights(cursor: PageCursor) -> dict[ElementKind, Weights]:
    try:
        weights = [Weights.of(numbers) for numbers in cursor.unchecked.weights]
    except ValueError as fault:
        raise no_cursor(cursor.span) from fault
    return dict(zip(ElementKind, weights, strict=False))


def mode_of(reader: Reader, bindings: Bindings, query: ast.Search) -> str:
    """Return the mode a SEARCH asks for, else that of the memory."""
    if query.mode is not None:
        return checked_mode(bindings.text(query.mode, "the mode"), query.mode.span)
    return KEYWORD if reader.meanings is None else reader.meanings.mode


def _share(bindings: Bindings, node: ast.Size) -> float:
    """Return a number from 0 to 1. KIP_2003 for no number, KIP_1001 for one outside that range."""
    value = bindings.value(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise INVALID_VALUE.error(
            "THRESHOLD is not a number", "write THRESHOLD 0.5", span=node.span
        )
    if not 0 <= value <= 1:
        raise INVALID_SYNTAX.error(
            f"THRESHOLD is {value}, which is not from 0 to 1", "write THRESHOLD 0.5", span=node.span
        )
    return float(value)


_LOW = 0x7F
_MORE = 0x80


def packed(ids: Collection[int]) -> bytes:
    """Return ids as their differences, seven bits a byte.

    >>> unpacked(packed({6, 700, 2})) == {2, 6, 700}
    True
    """
    octets, last = bytearray(), 0
    for one in sorted(ids):
        step, last = one - last, one
        while step > _LOW:
            octets.append(step & _LOW | _MORE)
            step >>= 7
        octets.append(step)
    return bytes(octets)


def unpacked(octets: bytes) -> frozenset[int]:
    """Return the ids that were packed; of other bytes, some numbers."""
    return frozenset(_ids(octets))


def _ids(octets: bytes) -> Iterator[int]:
    last = step = shift = 0
    for octet in octets:
        step |= (octet & _LOW) << shift
        shift += 7
        if not octet & _MORE:
            last += step
            yield last
            step = shift = 0
