"""The memories of a group side by side in memory: columns, and which words stand in which rows.

The rule: a row is one content, and rows only ever come to the end; of a row nothing changes but the
transaction that ended it. So a copy that has read further than a snapshot still answers for it, and
as of every moment before. What is shared is never changed: a later copy shares what it can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.kernel.recall.remembering import FACTS, Called, MemoryContent
from recollect.kernel.recall.words import (
    SELVES,
    TITLES,
    MeantWords,
    Vector,
    language_of,
    listed,
    stem,
    stems_of,
)
from recollect.kernel.search.tokens import folded, tokens
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

SAYS_WHEN, SAYS_HOW_MANY, SAYS_WHO, SAYS_WHERE, SAYS_ANYTHING, SAYS_I = 1, 2, 4, 8, 16, 32
"""Flags of a text: what it tells, that it tells anything, and that it speaks of who says it."""

NEIGHBOURS: Final = (1, 2, -1, -2)
"""Where the neighbours of a turn stand in its session, in the order of their columns."""

NUMBERS, _PEOPLE, _WHERE, NUMBERED, ONE_OR_NONE, BEFORE_YEARS = map(
    frozenset, map(str.split, listed("told"))
)
_ASKED: Final = re.compile(r"[^.!?\n]*\?")
_DIGIT: Final = re.compile(r"\d")
_PROPER: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-ZÄÖÜ][a-zäöüáéíóúñß]+")
_PLACE: Final = re.compile(
    r"\b(?:in|at|to|from|near|nach|aus|bei|en|de|a)\s+(?:the\s+|der\s+|la\s+|el\s+)?[A-ZÄÖÜ]\w+"
    r"|\b(?:at|to|in)\s+the\s+\w+"
)


def told_in_words(memory: MemoryContent) -> int:
    """Return the flags of what the words of a memory tell: how many, who and where."""
    text, words, found = memory.text, memory.words, 0
    if not NUMBERS.isdisjoint(words) or _DIGIT.search(text):
        found |= SAYS_HOW_MANY
    if not _PEOPLE.isdisjoint(words) or (not text.islower() and _PROPER.search(text)):
        found |= SAYS_WHO
    if not _WHERE.isdisjoint(words) and _PLACE.search(text):
        found |= SAYS_WHERE
    if not (SELVES.isdisjoint(words) or SELVES.isdisjoint(tokens(_ASKED.sub(" ", text)))):
        found |= SAYS_I
    return found


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
        at = int(np.searchsorted(self.words, word))
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
    longest_name: int = 1  # words
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
        topics = () if memory.topic is None else (memory.topic,)
        for held, names in ((self.called, memory.names), (self.topics, topics)):
            for name in names:
                held.setdefault(name, []).append(row)
                self.longest_name = max(self.longest_name, min(name.count(" ") + 1, 8))
        named = (memory.standing.name or "").split()
        first, *others = [one for one in named if TITLES.isdisjoint(tokens(one))] or [""]
        if others and len(others) + 1 < len(named):  # a title before a name makes no other
            self.called.setdefault(folded(" ".join((first, *others))), []).append(row)
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

    def share_of(self, row: int) -> float:
        """Return how much of the word a row holds, 0 to 1."""
        rows = self.rows
        at = int(rows.searchsorted(rows.dtype.type(row)))  # of their type, or all are cast
        is_there = at < len(rows) and rows[at] == row
        return min(1.0, 2 * float(self.counts[at])) if is_there else 0.0


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
