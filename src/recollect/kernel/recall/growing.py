"""The columns of groups in memory, brought up to later transactions, and shared by all who recall.

The rules: the columns given stay as they are for whoever reads them; the new ones share what did
not change, and what a write sees before it is committed is in a copy of its own. Turns of a
conversation stand by the time they were said, then by age; after an hour of silence a new session
begins, unless the conversation says that it is one. No columns outlive a purge, and together they
take a bounded share of memory, the longest unused go first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import inf
from operator import attrgetter
from threading import Lock
from typing import Any, Final

import numpy as np

from recollect.kernel.recall.columns import (
    GAP,
    NEIGHBOURS,
    NONE,
    Columns,
    Ints,
    KnownNumbers,
    Places,
    WordRows,
    empty,
    told_beside,
    told_in_words,
)
from recollect.kernel.recall.remembering import MemoryContent, Standing, actors, memories, standings
from recollect.kernel.search.tokens import tokens
from recollect.kernel.store.group import Terms, last_transaction, purges
from recollect.kernel.store.port import Session
from recollect.kernel.store.sharing import Shared, uncollected
from recollect.model import LINK_BIT, LIVING, Progress, silent

_CONTENTS_AT_ONCE = 20_000
_OF_CONTENT = ("element", "since", "until", "valid_at", "invalid_at", "subject", "object", "term")
_OF_MEMORY = {
    "said_at": np.int64, "kind": np.int8, "stands": np.bool_, "has_session": np.bool_,
    "is_assistant": np.bool_, "trust": np.float32,
}  # fmt: skip
_WORTH_JOINING = 3  # a part of the postings is joined to one less than so many times its size


def caught_up(
    session: Session,
    group_id: int,
    terms: dict[int, str],
    columns: Columns,
    number: int,
    progress: Progress,
) -> Columns:
    """Return the columns of a group as of a transaction that its snapshot shows.

    Cost: every content written since; the first time, every content of the group.
    """
    known, after = columns.known, columns.number
    known.terms.update(terms)
    ended: dict[int, int] = {}  # the rows that were open, and when they ended

    contents: Iterable[Standing] = standings(session, group_id, after, number)
    if after:
        contents = [*contents]  # what reading breaks off must not have changed what is known

    def came() -> Iterator[Standing]:
        for one in contents:
            if one.since > after:
                yield one
            elif one.until != LIVING and one.element in known.open_rows:
                ended[known.open_rows[one.element]] = one.until

    written_by = actors(session, group_id, after)
    new = memories(came(), terms, written_by, known.concepts, session.kinds)
    while some := list(islice(new, _CONTENTS_AT_ONCE)):
        columns = _grown(columns, some)
        progress("read for questions", columns.size, 0)
    if not ended:
        return replace(columns, number=number)
    until = columns.until.copy()
    until[[*ended]] = [*ended.values()]
    return replace(columns, number=number, until=until)


def _grown(columns: Columns, new: Sequence[MemoryContent]) -> Columns:
    known, first = columns.known, columns.size
    known.rows = first + len(new)
    texts: list[list[str]] = []  # those that differ from the one before
    numbers, in_words = list[int](), 0
    words: list[int] = []
    lengths: list[int] = []
    text_of: list[int] = []
    flags: list[int] = []
    for row, memory in enumerate(new):
        if not texts or memory.words is not texts[-1]:
            texts.append(memory.words)
            numbers, in_words = known.numbers_of(_sought(memory)), told_in_words(memory)
        words += numbers
        lengths.append(len(numbers))
        text_of.append(len(texts) - 1)
        flags.append(in_words | told_beside(memory))
        known.call(memory, first + row)
        if memory.is_service:
            known.services.append(first + row)
        if memory.standing.until == LIVING:
            known.open_rows[memory.standing.element] = first + row
    rows = np.repeat(np.arange(first, first + len(new), dtype=np.int64), lengths)
    parts = [*columns.parts, WordRows.of(np.array(words, np.int64), rows)]
    vectors = [*columns.vectors, known.meant.of_texts(texts)[text_of]]
    at = _first_joined([*map(len, parts)])
    first_vectors = _first_joined([*map(len, vectors)], _CONTENTS_AT_ONCE)
    spans = [(first + row, *span) for row, one in enumerate(new) for span in one.spans]
    span_columns = np.array(spans, np.int64).reshape(-1, 3)
    more = _columns_of(known, new, lengths, flags).items()
    longer: dict[str, Any] = {
        name: np.concatenate([getattr(columns, name), one]) for name, one in more
    }
    grown = replace(
        columns,
        span_row=np.concatenate([columns.span_row, span_columns[:, 0].astype(np.int32)]),
        span_begin=np.concatenate([columns.span_begin, span_columns[:, 1]]),
        span_end=np.concatenate([columns.span_end, span_columns[:, 2]]),
        neighbours=np.pad(columns.neighbours, ((0, 0), (0, len(new))), constant_values=NONE),
        parts=(*parts[:at], WordRows.joined(parts[at:])),
        vectors=(*vectors[:first_vectors], np.concatenate(vectors[first_vectors:])),
        **longer,
    )
    streams = {known.streams[one.stream] for one in new if one.stream is not None}
    return _in_order(grown, np.array(sorted(streams), np.int32)) if streams else grown


def _sought(memory: MemoryContent) -> list[str]:
    """Return the words that a memory is found by: a fact also by the names of its ends."""
    if memory.standing.element & 1 != LINK_BIT:
        return memory.words
    unsaid = [one for one in memory.names if one not in memory.text]
    return [*memory.words, *tokens("\n".join(unsaid))] if unsaid else memory.words


def _columns_of(
    known: KnownNumbers, new: Sequence[MemoryContent], lengths: list[int], flags: list[int]
) -> dict[str, Any]:
    """Return the columns of new rows by name."""
    stood = dict(
        zip(Standing._fields, zip(*(one.standing for one in new), strict=True), strict=True)
    )
    streams = [NONE if one.stream is None else known.streams[one.stream] for one in new]
    authors = [NONE if one.author is None else known.authors[one.author] for one in new]
    return {
        **{name: np.array(stood[name], np.int64) for name in _OF_CONTENT},
        **{name: np.array([*map(attrgetter(name), new)], of) for name, of in _OF_MEMORY.items()},
        "flags": np.array(flags, np.uint8),
        "stream": np.array(streams, np.int32),
        "speaker": np.array([known.speaker(one.speaker) for one in new], np.int32),
        "author": np.array(authors, np.int32),
        "length": np.array(lengths, np.float32),
        "session": np.full(len(new), NONE, np.int32),
    }


def _first_joined(sizes: Sequence[int], most: float = inf) -> int:
    """Return from which part on all become one: they are few, and each is rarely written anew; ...

    ... one that is as long as `most` never.
    """
    at, joined = len(sizes) - 1, sizes[-1]
    while at and sizes[at - 1] < min(most, _WORTH_JOINING * joined):
        at -= 1
        joined += sizes[at]
    return at


def _in_order(columns: Columns, streams: Places) -> Columns:
    """Return the columns with the sessions and neighbours of some conversations made anew."""
    rows = np.flatnonzero(np.isin(columns.stream, streams))
    order = rows[np.lexsort((columns.element[rows], columns.said_at[rows], columns.stream[rows]))]
    stream, at = columns.stream[order], columns.said_at[order]
    begins = np.ones(len(order), np.bool_)
    pauses = (np.diff(at) > GAP) & ~columns.has_session[order][1:]
    begins[1:] = (stream[1:] != stream[:-1]) | pauses
    numbers = np.cumsum(begins) - 1 + columns.known.sessions
    columns.known.sessions = int(numbers[-1]) + 1
    session, neighbours = columns.session.copy(), columns.neighbours.copy()
    session[order] = numbers
    for place, shift in enumerate(NEIGHBOURS):
        neighbours[place, order] = _beside(order, numbers, shift)
    return replace(columns, session=session, neighbours=neighbours)


def _beside(order: Ints, sessions: Ints, shift: int) -> Ints:
    """Return the rows that stand so far on in the same session, or none."""
    beside = np.full(len(order), NONE, np.int64)
    if abs(shift) < len(order):
        here, there = (slice(None, -shift), slice(shift, None)) if shift > 0 else (
            slice(-shift, None), slice(None, shift)
        )  # fmt: skip
        beside[here] = np.where(sessions[here] == sessions[there], order[there], NONE)
    return beside


_MOST_BYTES: Final = 1 << 30


class _GroupColumns:
    """The columns of one group."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.columns = empty()


class HeldColumns(Shared):
    """The columns of the groups of a store."""

    def part(self) -> None:
        """Begin anew in a forked child: a thread may have been changing what is held."""
        super().part()
        self._groups = OrderedDict[tuple[int, int], _GroupColumns]()  # by purges, and group

    def holds(self, session: Session, group_id: int) -> bool:
        """Whether anything of a group is in memory."""
        held = self._groups.get((purges(session), group_id))
        return held is not None and held.columns.number > 0

    def of(
        self, session: Session, group_id: int, terms: Terms, progress: Progress = silent
    ) -> Columns:
        """Return the columns of a group, at least as of the snapshot of a session.

        Cost: what was written since the last time; at first, every content of the group.
        """
        held = self._held(purges(session), group_id)
        number = last_transaction(session, group_id)
        with held.lock:
            columns = held.columns
            if columns.known.rows > columns.size:  # reading was broken off: of later rows it is
                columns = held.columns = empty()  # not known any more what they were
            if columns.number >= number:
                return columns
            names = {code: name for name, code in terms.all(session).items()}
            if session.is_writing:
                columns = replace(columns, known=columns.known.apart())
            with uncollected(0 if columns.number else _CONTENTS_AT_ONCE):
                columns = caught_up(session, group_id, names, columns, number, progress)
            if session.is_writing:
                return columns
            held.columns = columns
        self._keep_within_bounds()
        return columns

    def forget(self) -> None:
        """Drop everything that is in memory, as a purge demands."""
        with self._lock:
            self._groups.clear()

    def _held(self, epoch: int, group_id: int) -> _GroupColumns:
        with self._lock:
            for stale in [one for one in self._groups if one[0] < epoch]:
                del self._groups[stale]
            held = self._groups.setdefault((epoch, group_id), _GroupColumns())
            self._groups.move_to_end((epoch, group_id))
            return held

    def _keep_within_bounds(self) -> None:
        with self._lock:
            total = sum(one.columns.nbytes for one in self._groups.values())
            while total > _MOST_BYTES and len(self._groups) > 1:
                _, dropped = self._groups.popitem(last=False)
                total -= dropped.columns.nbytes
