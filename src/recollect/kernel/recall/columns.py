"""The memories of a group side by side in memory: columns, and which words stand in which rows.

The rule: a row is one content, and rows only ever come to the end; of a row nothing changes but the
transaction that ended it. So a copy that has read further than a snapshot still answers for it, and
as of every moment before. What is shared is never changed: columns that are brought up to a later
transaction share what did not change, and what a write sees before it is committed is in a copy of
its own.

Turns of a conversation stand by the time they were said, then by age; after an hour of silence a
new session begins, unless the conversation says that it is one. No columns outlive a purge, and
together they take a bounded share of memory, the longest unused go first.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf
from operator import attrgetter
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.kernel.recall.remembering import (
    FACTS,
    Called,
    MemoryContent,
    Standing,
    actors,
    memories,
    standings,
)
from recollect.kernel.recall.words import (
    SELVES,
    TITLES,
    MeantWords,
    Vector,
    language_of,
    stem,
    stems_of,
)
from recollect.kernel.search.tokens import folded, tokens
from recollect.kernel.store.group import Terms, last_transaction, purges
from recollect.kernel.store.port import Session
from recollect.kernel.store.sharing import Shared, uncollected
from recollect.model import LINK_BIT, LIVING, Progress, silent
from recollect.node import dataclass, field, replace

Ints = NDArray[np.int64]
Places = NDArray[np.int32]
Rows = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NONE: Final = -1
"""Stands for a row, a session, a speaker or an author that is not there."""

GAP: Final = 3_600_000
"""Milliseconds of silence after which a conversation begins a new session."""

SAYS_WHEN, SAYS_ANYTHING, SAYS_I = 1, 2, 4
"""Flags of a text: that it tells when, or anything, and that it speaks of who says it."""

SAYS_MUCH: Final = 8
"""The flag of a text that says so much beside what it asks that it tells something, too."""

NEIGHBOURS: Final = (1, 2, -1, -2)
"""Where the neighbours of a turn stand in its session, in the order of their columns."""

_ASKED: Final = re.compile(r"[^.!?\n]*\?")
_MUCH: Final = 12  # words


def told_in_words(memory: MemoryContent) -> int:
    """Return the flags of what the words of a memory tell: of who says it, and how much."""
    words = memory.words
    told = tokens(_ASKED.sub(" ", memory.text)) if "?" in memory.text else words
    return SAYS_I * (not SELVES.isdisjoint(told)) | SAYS_MUCH * (len(told) >= _MUCH)


def told_beside(memory: MemoryContent) -> int:
    """Return the flags of what a memory tells beside that: when, and whether anything."""
    is_dated = len(memory.spans) > memory.is_turn  # beside the day on which it was said
    return SAYS_WHEN * is_dated | SAYS_ANYTHING * memory.tells


class Interned(dict[str, int]):
    """Texts as numbers from 0, in the order in which they were met."""

    def __missing__(self, text: str) -> int:
        """Give a text that is met for the first time its number."""
        self[text] = number = len(self)
        return number


class StemNumbers(dict[str, int]):
    """Words of one language as the numbers of their stems."""

    def __init__(self, language: str, stems: Interned) -> None:
        super().__init__()
        self._language, self._stems = language, stems

    def __missing__(self, word: str) -> int:
        """Stem a word that is met for the first time."""
        self[word] = number = self._stems[stem(word, self._language)]
        return number


@dataclass(frozen=True, slots=True)
class WordRows:
    """In which rows each word stands, and how often, for some of the rows."""

    words: Ints  # in order
    starts: Ints  # of the rows of each word, and the end of the last
    rows: Places
    counts: NDArray[np.float32]

    @classmethod
    def of(cls, words: Ints, rows: Ints) -> WordRows:
        """Return the postings of words by the rows in which they stand, one a place."""
        keys, counts = np.unique((words << 32) | rows, return_counts=True)
        return cls._packed(keys >> 32, (keys & 0xFFFFFFFF).astype(np.int32), counts)

    @classmethod
    def _packed(cls, words: Ints, rows: Places, counts: NDArray[Any]) -> WordRows:
        distinct, starts = np.unique(words, return_index=True)
        return cls(distinct, np.append(starts, len(words)), rows, counts.astype(np.float32))

    def __len__(self) -> int:
        """How many places there are."""
        return len(self.rows)

    @classmethod
    def joined(cls, parts: Sequence[WordRows]) -> WordRows:
        """Return the postings of all; the rows of each come after those of the one before."""
        words = np.concatenate([np.repeat(one.words, np.diff(one.starts)) for one in parts])
        order = np.argsort(words, kind="stable")
        rows = np.concatenate([one.rows for one in parts])[order]
        counts = np.concatenate([one.counts for one in parts])[order]
        return cls._packed(words[order], rows, counts)

    def of_word(self, word: int) -> tuple[Places, NDArray[np.float32]]:
        """Return the rows of a word, in order, and how often it stands in each."""
        at = int(self.words.searchsorted(word))
        if at == len(self.words) or self.words[at] != word:
            return self.rows[:0], self.counts[:0]
        begin, end = self.starts[at], self.starts[at + 1]
        return self.rows[begin:end], self.counts[begin:end]


@dataclass(slots=True)
class KnownNumbers:
    """What numbers stand for; it grows, and what a number stands for never changes."""

    words: Interned = field(default_factory=Interned)
    speakers: Interned = field(default_factory=Interned)
    streams: Interned = field(default_factory=Interned)
    authors: Interned = field(default_factory=Interned)
    meant: MeantWords = field(default_factory=MeantWords)
    by_language: dict[str, StemNumbers] = field(default_factory=dict)
    named_by_word: dict[str, set[int]] = field(default_factory=dict)  # speakers
    speaker_stems: dict[int, set[int]] = field(default_factory=dict)  # speakers by words for them
    called: dict[str, list[int]] = field(default_factory=dict)  # rows by folded name
    topics: dict[str, list[int]] = field(default_factory=dict)  # rows by what a text is about
    by_part: dict[str, list[int]] = field(default_factory=dict)  # rows by first and last word
    begins: dict[str, int] = field(default_factory=dict)  # words of the longest name by the first
    concepts: dict[int, Called] = field(default_factory=dict)
    terms: dict[int, str] = field(default_factory=dict)  # predicates and types by their codes
    services: list[int] = field(default_factory=list)  # rows that tell whom the agent serves
    open_rows: dict[int, int] = field(default_factory=dict)  # the last of each element
    rows: int = 0  # more than the columns have, where reading was broken off
    sessions: int = 0

    def apart(self) -> KnownNumbers:
        """Return a copy for a write that may never be committed."""
        return replace(
            self,
            services=list(self.services),
            open_rows=dict(self.open_rows),
            concepts=dict(self.concepts),
            terms=dict(self.terms),
            called={name: list(rows) for name, rows in self.called.items()},
            topics={name: list(rows) for name, rows in self.topics.items()},
            by_part={name: list(rows) for name, rows in self.by_part.items()},
        )

    def numbers_of(self, words: list[str]) -> list[int]:
        """Return the stems of the words of a text as numbers, in order."""
        language = language_of(words)
        if language not in self.by_language:
            self.by_language[language] = StemNumbers(language, self.words)
        return [*map(self.by_language[language].__getitem__, words)]

    def of_stems(self, stems: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of those of some stems that were met."""
        return tuple(self.words[one] for one in stems if one in self.words)

    def speaker(self, name: str | None) -> int:
        """Return the number of a speaker, who is named by each word of the name."""
        if name is None:
            return NONE
        number = self.speakers[name]
        for word in name.split():
            self.named_by_word.setdefault(word, set()).add(number)
            for stemmed in stems_of(word):
                self.speaker_stems.setdefault(self.words[stemmed], set()).add(number)
        return number

    def call(self, memory: MemoryContent, row: int) -> None:
        """Keep what a concept or a text is called in a row."""
        if memory.kind == FACTS:
            return
        named = (memory.standing.name or "").split()
        first, *others = [one for one in named if TITLES.isdisjoint(tokens(one))] or [""]
        called, topics = memory.names, () if memory.topic is None else (memory.topic,)
        if others and len(others) + 1 < len(named):  # a title before a name makes no other
            called += (folded(" ".join((first, *others))),)
        for held, names in ((self.called, called), (self.topics, topics)):
            for name in names:
                held.setdefault(name, []).append(row)
                begin, more = name.partition(" ")[0], name.count(" ")
                self.begins[begin] = max(min(more + 1, 8), self.begins.get(begin, 0))
        if others and all(one[0].isupper() for one in (first, *others)):
            for part in {folded(first), folded(others[-1])}:
                self.by_part.setdefault(part, []).append(row)


@dataclass(frozen=True, slots=True)
class HeldWord:
    """Where a word of a question stands among what counts, with windows and kin."""

    frequency: int  # rows, without those that only stand beside one
    tells: float  # how much it counts of what a question asks
    rows: Places
    counts: Floats
    points: Floats  # of each of the rows; of a word that most rows hold, of all there are
    of_sessions: Floats

    def shares_of(self, rows: Rows) -> Floats:
        """Return how much of the word each of some rows holds, 0 to 1."""
        if not len(self.rows):
            return np.zeros(len(rows))
        own = rows.astype(self.rows.dtype)  # of their type, or all are cast
        at = np.minimum(self.rows.searchsorted(own), len(self.rows) - 1)
        return np.where(self.rows[at] == own, np.minimum(1.0, 2 * self.counts[at]), 0.0)


@dataclass(frozen=True, slots=True)
class StandingRows:
    """What counts at a moment, kept for the questions about moments of which the same is true."""

    begin: int  # the first instant of which it is
    end: int  # the first of which it is no more
    counted: Mask
    now: Mask  # what is held and true at the moment itself
    gone: Mask  # what was there and does not count
    many: int  # of what counts
    turns: Ints
    norm: NDArray[np.float32]  # what BM25 adds to how often a word stands in each row ...
    sessions: int
    session_norm: Floats  # ... and in each session that was known then
    words: dict[object, HeldWord] = field(default_factory=dict)  # by what is asked
    frequencies: dict[frozenset[int], int] = field(default_factory=dict)  # by words of names


@dataclass(frozen=True, slots=True)
class Columns:
    """All contents of a group that are memories, up to a transaction."""

    number: int
    known: KnownNumbers
    element: Ints
    since: Ints
    until: Ints
    valid_at: Ints
    invalid_at: Ints
    said_at: Ints
    subject: Ints
    object: Ints
    term: Ints  # the predicate of a fact, the type of a concept
    kind: NDArray[np.int8]
    flags: NDArray[np.uint8]
    stands: Mask
    has_session: Mask
    is_assistant: Mask
    stream: Places
    speaker: Places
    author: Places
    trust: NDArray[np.float32]
    length: NDArray[np.float32]
    session: Places
    neighbours: Places  # a row for each of NEIGHBOURS
    span_row: Places
    span_begin: Ints
    span_end: Ints
    parts: tuple[WordRows, ...]
    vectors: tuple[Vector, ...]  # what the texts mean, for one row after another
    standing: dict[tuple[int, bool], StandingRows] = field(init=False, default_factory=dict)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.element)

    @property
    def nbytes(self) -> int:
        """How many bytes the columns take, about."""
        return 800 * self.size + 24 * len(self.span_row) + 8 * sum(map(len, self.parts))

    def living(self, rows: Sequence[int], number: int) -> set[int]:
        """Return the elements of those of some rows that stood at a transaction."""
        its = np.fromiter(rows, np.int64)
        its = its[its < self.size]
        stood = (self.since[its] <= number) & (number < self.until[its])
        return set(self.element[its[stood]].tolist())

    def spoke(self, speakers: set[int], number: int) -> bool:
        """Whether any of some speakers says something that stood at a transaction."""
        rows = np.flatnonzero(np.isin(self.speaker, np.fromiter(speakers, np.int32)))
        return bool(((self.since[rows] <= number) & (number < self.until[rows])).any())

    def served(self, valid: int, number: int) -> frozenset[int]:
        """Return whom the agent serves at an instant, as known at a transaction."""
        its = np.array([row for row in self.known.services if row < self.size], np.int64)
        stood = (self.since[its] <= number) & (number < self.until[its])
        stood &= (self.valid_at[its] <= valid) & (valid < self.invalid_at[its])
        return frozenset(self.object[its[stood]].tolist())

    def hold(self, words: Iterable[int], number: int) -> bool:
        """Whether a text that was written by a transaction holds any of some words."""
        return any((self.since[self.of_word(one)[0]] <= number).any() for one in words)

    def hold_together(self, words: Iterable[str], number: int) -> bool:
        """Whether a text, and no fact, that a transaction knew holds all of some words."""
        its = np.flatnonzero((self.since <= number) & (self.kind != FACTS))
        for word in words:
            held = [self.of_word(one)[0] for one in self.known.of_stems(stems_of(word))]
            its = its[np.isin(its, np.concatenate([its[:0], *held]))]
        return bool(len(its))

    def of_word(self, word: int) -> tuple[Places, NDArray[np.float32]]:
        """Return the rows of a word, in order, and how often it stands in each."""
        found = [part.of_word(word) for part in self.parts]
        if len(found) == 1:
            return found[0]
        rows, counts = zip(*found, strict=True)
        return np.concatenate(rows), np.concatenate(counts)


def empty() -> Columns:
    """Return the columns of a group that holds nothing."""
    ints, places = np.zeros(0, np.int64), np.zeros(0, np.int32)
    floats, mask = np.zeros(0, np.float32), np.zeros(0, np.bool_)
    return Columns(
        0, KnownNumbers(), ints, ints, ints, ints, ints, ints, ints, ints, ints,
        np.zeros(0, np.int8), np.zeros(0, np.uint8), mask, mask, mask,
        places, places, places, floats, floats, places,
        np.zeros((len(NEIGHBOURS), 0), np.int32), places, ints, ints,
        (WordRows(ints, np.zeros(1, np.int64), places, floats),), (),
    )  # fmt: skip


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
        held = self._held((purges(session), group_id))
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

    def _held(self, key: tuple[int, int]) -> _GroupColumns:
        with self._lock:
            for stale in [one for one in self._groups if one[0] < key[0]]:
                del self._groups[stale]
            held = self._groups.pop(key) if key in self._groups else _GroupColumns()
            return self._groups.setdefault(key, held)  # at the end, as the last one used

    def _keep_within_bounds(self) -> None:
        with self._lock:
            total = sum(one.columns.nbytes for one in self._groups.values())
            while total > _MOST_BYTES and len(self._groups) > 1:
                _, dropped = self._groups.popitem(last=False)
                total -= dropped.columns.nbytes
