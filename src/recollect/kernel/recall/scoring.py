"""How well each memory of a group answers a question: shares that add up to a score in 0..1.

The rule: only what counted and was true at the moment asked about is looked at, before anything is
ranked, and sizes, means and frequencies are of those alone. So nothing written later and nothing
that another group holds changes a score. A share that a question has no use for is left out, and
the score is the part of the points that the question could give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from recollect.kernel.recall.asking import Asking, UnderstoodQuestion
from recollect.kernel.recall.columns import (
    NEIGHBOURS,
    NONE,
    SAYS_ANYTHING,
    SAYS_I,
    SAYS_MUCH,
    Columns,
    Floats,
    HeldWord,
    Mask,
    Places,
    Rows,
    StandingRows,
)
from recollect.kernel.recall.remembering import CONCEPTS, FACTS
from recollect.kernel.recall.spans import DAY, HeldThen, Times, held_after, held_before, held_once
from recollect.kernel.recall.words import Vector, listed, stems_of
from recollect.kernel.search.tokens import tokens
from recollect.model import BEGINNING, FOREVER
from recollect.node import dataclass, field, replace

SHARES: Final = {
    name: (float(points), what)
    for name, points, what in (line.split("\t") for line in listed("shares"))
}
"""The shares of a score in the order in which they are told: points at most, and what for."""

WORDS, SESSION, SPEAKER, DATE, ROLE, TELLS, MEANING, NAMED, TRUST = SHARES
WEIGHTS: Final = {name: points for name, (points, _) in SHARES.items()}

NEAR: Final = 0.44
"""The cosine from which on a meaning alone makes a candidate, and one that is near enough."""

OF_CONFIGURED, OF_OURS = 0.7, 0.5
"""What a configured embedder counts of a meaning, and beside it that which comes with Recollect."""

PAST: Final = 0.5
"""What the score of a memory that has ended is multiplied by."""

OF_OTHERS: Final = 0.5
"""What a fact counts that is about nobody and nothing whom the question names."""

OF_NAME: Final = 0.5
"""What a concept counts of which nothing is known but its name."""

FACTORS: Final = dict(line.split("\t") for line in listed("factors"))
"""What lowers a score, and why."""

_FAR: Final = 5 * 365 * DAY  # from the time asked for, where a fact counts half as one of it
_ENDED_IN: Final = 0.9  # what ended in a time that goes on
MOST: Final = 500
"""How many of the best are looked at."""

NEAREST: Final = 10
"""How many are looked at that mean what is the nearest, whatever they hold."""

_BLOCK: Final = 128  # rows that are first compared by the highest of them
_AT_ONCE: Final = 32  # rows of which it is looked up together what they hold

_SATURATION: Final = 1.2  # BM25's k1
_LENGTH_NORMALISATION: Final = 0.4  # BM25's b: what is remembered is short, the longer says more
_OF_KIN: Final = 0.35  # of a word, what another that says the same counts
_OF_NEIGHBOURS: Final = (0.55, 0.27, 0.25, 0.1)  # what a turn gives the next, the one after, ...
_BESIDE: Final = [NEIGHBOURS.index(1), NEIGHBOURS.index(-1)]
_OF_QUESTION: Final = 1.3  # times as much of a turn that asks: its answer need not repeat it
_BEFORE_ASKING: Final = 0.5  # of telling, what a text does that says much and then asks
_WHOLE_NEIGHBOUR: Final = 40  # words; a longer turn gives less of each
_COMMON: Final = 2_000  # texts with a word, beyond which it gives neighbours nothing
_OF_MEANINGS: Final = (0.5, 0.25, 0.5, 0.25)  # what neighbours count beside a turn's own
_MANY: Final = 100  # texts at least, of which the rarity of what a question asks is taken
_Z_SHARE: Final = 0.25
_MOST: Final = 4  # a word in more than one of so many rows is kept with its points of every row
_OF_WORDS: Final = 12  # numbers a row at most that are kept of common words
_FEW: Final = 32


@dataclass(frozen=True, slots=True)
class Point:
    """Where in both times a recall looks."""

    valid: int
    known: int  # a transaction


ShareOf = Callable[[Rows], Floats]
"""What tells how much of a share each of some rows has, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best rows with their scores, and what tells the scores of others."""

    columns: Columns
    question: UnderstoodQuestion
    standing: StandingRows
    number: int  # the transaction that is looked back to
    candidates: Mask  # what may be answered with at all
    held: tuple[HeldWord, ...]  # the words of the question, in their order
    demanded: HeldWord | None  # what an answer must hold
    dated: Floats | None  # how well what each tells is of the time that it names
    named: Mask | None  # what is of whom or what it names
    near: Vector | None  # how near each row's meaning is to the question's, -1 to 1
    guests: frozenset[int]  # rows that hold nothing of the question, and are the nearest to it
    shares: Mapping[str, ShareOf]  # those that apply
    factors: Mapping[str, ShareOf]  # what the points together are multiplied by, and why
    rows: Rows = field(default_factory=lambda: np.zeros(0, np.int64))  # best first, ties by age
    scores: Floats = field(default_factory=lambda: np.zeros(0))  # of those rows
    led: Mapping[int, float] = field(default_factory=dict)  # of what others, found before, name
    covers: dict[int, tuple[float, ...]] = field(default_factory=dict)  # of rows looked up

    def points(self, rows: Rows) -> Iterator[tuple[str, Floats]]:
        """Yield the name of each share, and the points that it gives some rows."""
        whole = sum(WEIGHTS[one] for one in self.shares)
        for name, share in self.shares.items():
            yield name, WEIGHTS[name] / whole * share(rows)

    def scored(self, rows: Rows) -> Floats:
        """Return the scores of some rows."""
        scores = np.zeros(len(rows))
        for _, points in self.points(rows):
            scores += points
        for factor in self.factors.values():
            scores *= factor(rows)
        return np.maximum(scores, 0.0)

    def with_best(self, rows: Rows, scores: Floats) -> Ranking:
        """Return it with the best of some rows: `MOST` at least, if there are so many.

        Where most of them are of one author, as many of the others are kept beside them.
        """
        if len(rows) > MOST:
            voices = self.columns.author[rows]
            best = scores >= np.partition(scores, -MOST)[-MOST]
            if (voices != NONE).any():
                first = np.median(voices[best])  # who has more than half of a row has its middle
                others = np.where((voices == first) | (first == NONE), -np.inf, scores)
                best |= others >= max(np.partition(others, -MOST)[-MOST], 0.0)
            rows, scores = rows[best], scores[best]
        order = np.lexsort((self.columns.element[rows], -scores))
        return replace(self, rows=rows[order], scores=scores[order])

    def held_by(self, rows: Rows) -> Iterator[frozenset[int]]:
        """Yield which words of the question each of some rows holds itself, or says otherwise."""
        columns, own = self.columns, rows.astype(np.int32)  # of their type, or all are cast
        found = np.zeros((len(self.question.words), len(rows)), np.bool_)
        for at, word in enumerate(self.question.words):
            for one in word.ways + word.kin:
                held, _ = columns.of_word(one)
                found[at] |= held.searchsorted(own, "right") > held.searchsorted(own)
        for row in found.T:
            yield frozenset(row.nonzero()[0].tolist())

    def is_theirs(self, row: int) -> bool:
        """Whether a row is said by whom the question names, or holds a word of a name in it.

        So does one beside which another says that word, and stands; and each, where the question
        names nobody, or asks of who asks.
        """
        columns, question = self.columns, self.question
        if self.named is None or question.is_own:
            return True
        its = columns.neighbours[_BESIDE, row]
        its = np.append(its[(its != NONE) & self.standing.counted[its]], row)
        is_by = are_among(columns.speaker[its], question.speakers)
        stems = (stem for name in question.names for stem in stems_of(name))
        held = (columns.of_word(one)[0] for one in columns.known.of_stems(stems))
        return bool(is_by[-1]) or any(bool(are_among(one, its[~is_by]).any()) for one in held)

    def covered(self, row: int, *, beside_names: bool = False) -> float:
        """Return how much of what is asked a row holds, 0 to 1; or of what is beside the names.

        Cost: the first time that of the first rows is looked up, all at once.
        """
        if row not in self.covers:
            rows = np.append(self.rows[:_AT_ONCE], row)
            shares = [one.shares_of(rows) for one in self.held]
            both = (self._covered(rows, shares, beside_names=one) for one in (False, True))
            self.covers.update(zip(rows.tolist(), zip(*both, strict=True), strict=True))
        return self.covers[row][beside_names]

    def _covered(self, rows: Rows, shares: Sequence[Floats], *, beside_names: bool) -> list[float]:
        ideal = self.question.unknown * _rarity(1, max(self.standing.many, _MANY))
        found = np.zeros(len(rows))
        dated = 0.0 if self.dated is None else self.dated[rows]
        for word, held, share in zip(self.question.words, self.held, shares, strict=True):
            found += held.tells * dated * word.is_of_time  # it counts by its name or its day
            tells = held.tells * (not (beside_names and word.is_of_name))
            ideal += tells
            found += tells * share
        if beside_names:
            return [*map(float, np.minimum(found / ideal, 1.0))] if ideal > 0 else [1.0] * len(rows)
        others = self.factors.get("others", np.ones_like)
        return [*map(float, np.minimum(found / (ideal or 1.0), 1.0) * others(rows))]


def ranked(
    columns: Columns,
    question: UnderstoodQuestion,
    moment: Point,
    kinds: frozenset[int] | None,
    *,
    with_past: bool,
    meant: Vector | None = None,
    compared: Floats | None = None,
) -> Ranking:
    """Return the best memories of some kinds. Cost: the words, and a few passes over all rows."""
    fits = _fitting(columns, question, moment)
    standing = _standing_at(columns, moment, fits, with_past=with_past)
    candidates = standing.counted & (True if kinds is None else are_among(columns.kind, kinds))
    dated = _dated(columns, question.times) if question.times.is_any else None
    if fits is not None:
        dated = np.where(fits < 0, 0.0 if dated is None else dated, fits)
        left = tuple(one for one in question.words if not one.is_cue)  # time answers those
        its = question.concepts - (question.beside[1] if question.beside else frozenset())
        question = replace(question, words=left, concepts=its, apart=question.apart & its)
    held = tuple(_held(columns, standing, word) for word in question.words)
    demanded = None if question.demanded is None else _held(columns, standing, question.demanded)
    words = np.zeros(columns.size)
    for one in held:
        words[one.rows if len(one.points) < len(words) else slice(None)] += one.points
    at = moment.known
    is_named = question.concepts or question.called
    named = _named(columns, question, standing, at) if is_named else None
    if named is not None and not (question.concepts or named.any()):
        named, question = None, replace(question, called=())  # turns alone hold those names
    if named is not None and question.unlike:
        candidates &= named | ~_of_others(columns, question)
    near = None if meant is None else _near(columns, meant)
    reached = words > 0
    for found in (dated, named):
        reached |= False if found is None else found > 0
    reached |= False if near is None else near >= NEAR
    reached &= candidates
    guests = frozenset[int]()
    if near is not None:
        nearest = _highest(np.where(candidates, near, -np.inf))
        guests = frozenset(nearest[~reached[nearest]].tolist())
        reached[nearest] = True
    rows = np.flatnonzero(reached)
    best = float(words[rows].max(initial=0.0)) or 1.0
    shares = _told_by(columns, question, standing.counted, named)
    shares[WORDS] = lambda rows: words[rows] / best
    if standing.sessions > 1:
        shares[SESSION] = _by_sessions(columns, standing, held)
    said = {DATE: dated, NAMED: named}
    shares |= {name: _of(one) for name, one in said.items() if one is not None}
    if near is not None or compared is not None:
        shares[MEANING] = _meanings(columns, near, compared, standing, candidates)
    shares = {name: shares[name] for name in SHARES if name in shares}
    ranking = Ranking(
        columns, question, standing, moment.known, candidates, held, demanded, dated,
        named, near, guests, shares, _factors(columns, standing, fits, named),
    )  # fmt: skip
    return ranking.with_best(rows, ranking.scored(rows))


def _standing_at(
    columns: Columns, moment: Point, fits: Floats | None, *, with_past: bool
) -> StandingRows:
    """Return what counts at a moment or fits another, as it is kept for later questions or anew."""
    key = min(moment.known, columns.number), with_past
    kept = columns.standing.get(key)
    if kept is not None and fits is None and kept.begin <= moment.valid < kept.end:
        return kept
    written, valid = columns.since <= moment.known, moment.valid
    believed = written & (moment.known < columns.until) & columns.stands
    now = believed & (columns.valid_at <= valid) & (valid < columns.invalid_at)
    counted = now.copy() if fits is None else now | (believed & (fits > 0))
    gone = written & ~counted
    if with_past:
        counted |= gone & _last_of_each(columns, moment)
    many = int(np.count_nonzero(counted))
    mean = max(1.0, float(columns.length[counted].mean())) if many else 1.0
    turns = np.flatnonzero(counted & (columns.session != NONE))
    lengths = np.bincount(columns.session[turns], columns.length[turns], columns.known.sessions)
    sessions = int((lengths > 0).sum())
    clocks = columns.valid_at, columns.invalid_at
    begin = max(int(at.max(initial=BEGINNING, where=at <= valid)) for at in clocks)
    end = min(int(at.min(initial=FOREVER, where=at > valid)) for at in clocks)
    norm, session_mean = _norm(columns.length, mean), lengths.sum() / max(1, sessions)
    session_norm = _norm(lengths, max(1.0, session_mean))
    kept = StandingRows(begin, end, counted, now, gone, many, turns, norm, sessions, session_norm)
    if key[0] == columns.number and fits is None:
        columns.standing[key] = kept
    return kept


def _norm(lengths: NDArray[Any], mean: float) -> NDArray[Any]:
    """Return what BM25 adds to how often a word stands in texts, by their lengths."""
    return _SATURATION * (1 - _LENGTH_NORMALISATION + _LENGTH_NORMALISATION * lengths / mean)


def _factors(
    columns: Columns, standing: StandingRows, fits: Floats | None, named: Mask | None
) -> dict[str, ShareOf]:
    """Return what lowers the score of each row, whatever it is made of."""
    is_name = (columns.kind == CONCEPTS) & ((columns.flags & SAYS_ANYTHING) == 0)
    factors = {"past": _lowered(standing.gone, PAST), "name": _lowered(is_name, OF_NAME)}
    if fits is not None:
        factors["time"] = _of(np.where((fits < 0) | standing.gone, 1.0, PAST + (1 - PAST) * fits))
    if named is not None:
        factors["others"] = _lowered((columns.kind == FACTS) & ~named, OF_OTHERS)
    return factors


def _lowered(those: Mask, factor: float) -> ShareOf:
    return lambda rows: np.where(those[rows], factor, 1.0)


def _fitting(columns: Columns, question: UnderstoodQuestion, moment: Point) -> Floats | None:
    """Return how well the time of each fact is the one asked for; -1 where that does not apply.

    None where no time is asked for, or nothing is known to have held then.
    """
    are_two = question.times.was and len(question.concepts) > 1
    if not (are_two or question.times.held or question.beside):
        return None
    now = moment.valid
    believed = (columns.since <= moment.known) & (moment.known < columns.until) & columns.stands
    is_fact = believed & (columns.kind == FACTS)
    begin, end = columns.valid_at, columns.invalid_at
    timed = is_fact & ((begin != BEGINNING) | (end != FOREVER))
    held, beside = list(question.times.held), np.zeros(columns.size, np.bool_)
    about = np.fromiter(question.concepts, np.int64)
    if question.beside is not None:
        side, its = question.beside[0], np.fromiter(question.beside[1], np.int64)
        is_object = np.isin(columns.object, its)
        own = beside = is_fact & (is_object | np.isin(columns.subject, its))
        if len(others := np.setdiff1d(about, its)):
            own = beside & np.isin(np.where(is_object, columns.subject, columns.object), others)
        if side == "before":
            begun = begin[own & (begin != BEGINNING)]
            held.append(held_before(int(begun.min())) if len(begun) else held_once(now))
        elif len(ended := end[own & (end != FOREVER)]):
            held.append(held_after(int(ended.max())))
    fits = np.zeros(columns.size)
    for one in held:
        np.maximum(fits, _in_time(columns, one, now), out=fits)
    if not held and are_two:  # what is between them, however long ago
        timed &= np.isin(columns.subject, about) & np.isin(columns.object, about)
        fits[timed] = 1.0
    fits[beside] = 0.0
    return np.where(timed | beside, fits, -1.0) if (fits[timed] > 0).any() else None


def _in_time(columns: Columns, held: HeldThen, now: int) -> Floats:
    """Return how well the time of each row is the one in which something held."""
    begin, end = columns.valid_at, columns.invalid_at
    fits = (begin < held.end) & (held.begin < end)
    if held.edge == "over":
        fits = end <= held.end
    if not held.edge:  # where that goes on, what holds still comes first
        ends_in = (held.begin <= now < held.end) & (end <= now)
        return np.where(fits, np.where(ends_in, _ENDED_IN, 1.0), 0.0)
    edge = (begin if held.edge == "begin" else end).astype(np.float64)
    first, last = held.near
    far = np.maximum(0.0, np.maximum(first - edge, edge - last))
    return np.where(fits, 1 / (1 + far / _FAR), 0.0)


def _told_by(
    columns: Columns, question: UnderstoodQuestion, counted: Mask, named: Mask | None
) -> dict[str, ShareOf]:
    """Return the shares that what is told of a text alone gives, and who says it.

    What makes no difference among what is there at the moment is no share.
    """
    shares = {TRUST: _of(columns.trust)}
    says = are_among(columns.speaker, question.speakers)
    if question.is_own and not question.links:  # it asks of those to whom these lead
        says |= ((columns.flags & SAYS_I) > 0) & ~columns.is_assistant
        says |= False if named is None else named & (columns.kind == FACTS)
    if bool((says & counted).any()):
        shares[SPEAKER] = _of(says)
    if bool((columns.is_assistant & counted).any()):
        shares[ROLE] = _of(~columns.is_assistant)
    telling = (columns.flags & (SAYS_ANYTHING | SAYS_I * question.is_own)) > 0
    if not bool((telling | ~counted).all()):
        beside = np.where(columns.flags & SAYS_MUCH, _BEFORE_ASKING, 0.0)
        shares[TELLS] = _of(np.where(telling, 1.0, beside))
    return shares


def _of(column: NDArray[Any]) -> ShareOf:
    return lambda rows: column[rows].astype(np.float64)


def _last_of_each(columns: Columns, moment: Point) -> Mask:
    """Return the last content of each element by a moment: what it said before is history."""
    known = np.flatnonzero(columns.since <= moment.known)
    order = known[np.lexsort((columns.since[known], columns.element[known]))]
    last = np.zeros(columns.size, np.bool_)
    if len(order):
        elements = columns.element[order]
        last[order[np.append(elements[1:] != elements[:-1], True)]] = True
    return last


def _held(columns: Columns, standing: StandingRows, word: Asking) -> HeldWord:
    """Return where a word stands; of a common one that is kept, within bounds."""
    if word in standing.words:
        return standing.words[word]
    rows, counts = _standing_in(columns, word, standing.counted)
    frequency, of_sessions = len(rows), np.zeros(len(standing.session_norm))
    if frequency and standing.sessions > 1:
        at = columns.session[rows]
        per = np.bincount(at[at != NONE], counts[at != NONE], len(of_sessions))
        rarity = _rarity(int((per > 0).sum()), standing.sessions)
        of_sessions = rarity * per / (per + standing.session_norm)
    if 0 < frequency <= _COMMON and len(standing.turns):
        rows, counts = _with_windows(columns, rows, counts, standing.counted)
    points: Floats = _rarity(frequency, standing.many) * counts / (counts + standing.norm[rows])
    if word.kin and word.ways:  # which make it no less rare where it stands itself
        own = np.unique(np.concatenate([columns.of_word(one)[0] for one in word.ways]))
        many = int(np.count_nonzero(standing.counted[own]))
        points[np.isin(rows, own)] *= _rarity(many, standing.many) / _rarity(
            frequency, standing.many
        )
    if frequency > columns.size // _MOST:
        points = np.bincount(rows, points, columns.size).astype(np.float64)
    tells = _rarity(max(1, frequency), max(standing.many, _MANY))  # in a few texts each is rare
    held = HeldWord(frequency, tells, rows, counts, points, of_sessions)
    if frequency > _COMMON:
        known = [5 * len(one.rows) + len(one.of_sessions) for one in [*standing.words.values()]]
        if sum(known) > _OF_WORDS * columns.size:
            standing.words.clear()
        standing.words[word] = held
    return held


def _by_sessions(columns: Columns, standing: StandingRows, held: Iterable[HeldWord]) -> ShareOf:
    """Return the share of the words of whole sessions."""
    sessions = sum((one.of_sessions for one in held), np.zeros(len(standing.session_norm)))
    sessions /= float(sessions.max(initial=0.0)) or 1.0
    return lambda rows: np.where(
        columns.session[rows] != NONE, sessions[columns.session[rows]], 0.0
    )


def _standing_in(columns: Columns, word: Asking, counted: Mask) -> tuple[Places, Floats]:
    """Return the rows that hold a word or its kin, and how often, the kin counting less."""
    weighed = [(one, 1.0) for one in word.ways] + [(one, _OF_KIN) for one in word.kin]
    found = [(*columns.of_word(one), weight) for one, weight in weighed]
    rows = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _, _ in found)])
    counts = np.concatenate([np.zeros(0), *(counts * weight for _, counts, weight in found)])
    keep = counted[rows]
    rows, counts = rows[keep], counts[keep]
    return (rows, counts) if len(found) == 1 else _summed(rows, counts)


def _with_windows(
    columns: Columns, rows: Places, counts: Floats, counted: Mask
) -> tuple[Places, Floats]:
    """Return the same with what each turn gives its neighbours."""
    given = counts * np.minimum(1.0, _WHOLE_NEIGHBOUR / np.maximum(1.0, columns.length[rows]))
    beside = columns.neighbours[:, rows]
    asks = (columns.flags[rows] & SAYS_ANYTHING) == 0
    parts = np.array(_OF_NEIGHBOURS)[:, None] * given
    parts[:2, asks] *= _OF_QUESTION
    there = (beside != NONE) & counted[beside]
    return _summed(np.concatenate([rows, beside[there]]), np.concatenate([counts, parts[there]]))


def _summed(rows: Places, counts: Floats) -> tuple[Places, Floats]:
    distinct, places = np.unique(rows, return_inverse=True)
    return distinct, np.bincount(places, counts, len(distinct)).astype(np.float64)


def _rarity(frequency: int, size: int) -> float:
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _dated(columns: Columns, asked: Times) -> Floats:
    """Return the rows that speak of a time that the question names."""
    begin, end = columns.span_begin, columns.span_end
    overlaps = np.zeros(len(begin), np.bool_)
    for first, last in asked.spans:
        overlaps |= (begin < last) & (first < end)
    if asked.months:
        months = begin.astype("datetime64[ms]").astype("datetime64[M]")
        number = months.astype(np.int64) % 12 + 1
        day = (begin - months.astype("datetime64[ms]").astype(np.int64)) // 86_400_000 + 1
        short = end - begin <= 31 * 86_400_000
        for month, on in asked.months:
            fits = short & (number == month)
            overlaps |= fits if on is None else fits & (day == on)
    dated = np.zeros(columns.size)
    dated[columns.span_row[overlaps]] = 1.0
    return dated


def _naming(
    columns: Columns, question: UnderstoodQuestion, counted: Mask, number: int
) -> Iterator[Places]:
    """Yield the rows of texts, but for turns, that hold a name in a question: its rarest word.

    The first name of somebody is enough, where nobody else who lives has it.
    """
    known, names = columns.known, [*question.called]
    is_text = (columns.kind != CONCEPTS) & (columns.session == NONE)
    is_text &= (columns.kind != FACTS) | bool(question.called)
    for concept in question.concepts & known.concepts.keys():
        words = (*tokens(known.concepts[concept].name),)
        its = known.by_part.get(words[0], ()) if words else ()
        is_first = bool(its) and columns.living(its, number) == {concept}
        names += [words, words[:1]][: 1 + is_first]
    for name in names:
        numbers = [known.of_stems(stems_of(word)) for word in name]
        held = [
            np.concatenate([columns.of_word(one)[0] for one in each]) for each in numbers if each
        ]
        there = [rows[counted[rows] & is_text[rows]] for rows in held]
        yield from sorted(filter(len, there), key=len)[:1]


def _named(
    columns: Columns, question: UnderstoodQuestion, standing: StandingRows, number: int
) -> Mask:
    """Return what is told of concepts: by themselves, by a fact that ends in one, by their name.

    Of who asks is, too, what speaks of who says it, unless it is a turn.
    """
    concepts = question.concepts.union(one for one, _ in question.namesakes)
    ends = are_among(columns.subject, concepts) | are_among(columns.object, concepts)
    named: Mask = are_among(columns.element, concepts) | ((columns.kind == FACTS) & ends)
    for rows in _naming(columns, question, standing.counted, number):
        named[rows] = True
    if question.is_own:
        named |= ((columns.flags & SAYS_I) > 0) & (columns.session == NONE)
    return named


def _of_others(columns: Columns, question: UnderstoodQuestion) -> Mask:
    """Return what is told of namesakes, and the texts that hold their last names and none asked."""
    known, others = columns.known, question.unlike
    called = known.concepts.keys() & (others | question.concepts)
    its = {one: tokens(known.concepts[one].name) or [""] for one in called}
    firsts, theirs = {its[one][0] for one in others & called}, np.zeros(columns.size, np.bool_)
    for them, is_theirs in ((others, True), (question.concepts, False)):
        last = {its[one][-1] for one in them & called if its[one][0] in firsts}
        for number in (number for word in last for number in known.numbers_of([word])):
            theirs[columns.of_word(number)[0]] = is_theirs
    return theirs | are_among(columns.subject, others) | are_among(columns.object, others)


def are_among(numbers: NDArray[Any], those: Collection[int]) -> Mask:
    """Return which numbers are among others. Cost: a pass for each of a few, some for many."""
    among: Mask = np.isin(numbers, [*those], kind="sort" if len(those) < _FEW else None)
    return among


def _near(columns: Columns, meant: Vector) -> Vector:
    """Return the cosine of each text's meaning with the question's."""
    near, first = np.empty(columns.size, np.float32), 0
    for one in columns.vectors:
        np.einsum("ij,j->i", one, meant, out=near[first : first + len(one)])
        first += len(one)
    return near


def _highest(near: Vector) -> Rows:
    """Return the rows of the highest `NEAREST` numbers, but for those that are minus infinity.

    They are in the blocks whose highest are the highest: of those alone the rows are compared.
    """
    blocks = np.arange(0, len(near), _BLOCK)
    highest = np.maximum.reduceat(near, blocks) if len(near) else near
    best = blocks[np.argsort(-highest, kind="stable")[:NEAREST]]
    rows = (best[:, None] + np.arange(_BLOCK)).ravel()
    rows = rows[rows < len(near)]
    rows = rows[np.argsort(-near[rows], kind="stable")[:NEAREST]]
    return np.asarray(rows[near[rows] > -np.inf], np.int64)


def _meanings(
    columns: Columns,
    near: Vector | None,
    compared: Floats | None,
    standing: StandingRows,
    candidates: Mask,
) -> ShareOf:
    """Return how far each meaning stands out; what an embedder has looked at, by that the most."""
    meant = np.zeros(columns.size, np.float32) if near is None else near
    own = _standing_out(_smoothed(columns, meant, standing.turns, standing.counted), candidates)
    if compared is None:
        return own
    has = ~np.isnan(compared)
    turns = standing.turns[has[standing.turns]]
    whole = _smoothed(columns, np.where(has, compared, 0.0), turns, standing.counted & has)
    part, by_model = 1.0 if near is None else OF_CONFIGURED, _standing_out(whole, candidates & has)

    def share(rows: Rows) -> Floats:
        told = own(rows)
        return np.where(has[rows], np.minimum(part * by_model(rows) + OF_OURS * told, 1.0), told)

    return share


def _smoothed(columns: Columns, near: NDArray[Any], turns: Rows, counted: Mask) -> NDArray[Any]:
    """Return the cosines, those of turns with part of those of the turns beside each."""
    if not len(turns):
        return near
    beside = columns.neighbours[:, turns]
    weights = np.where((beside != NONE) & counted[beside], np.array(_OF_MEANINGS)[:, None], 0.0)
    smoothed = near.astype(np.float64)
    given = (weights * smoothed[beside]).sum(0)
    smoothed[turns] = (smoothed[turns] + given) / (1 + weights.sum(0))
    return smoothed


def _standing_out(meaning: NDArray[Any], candidates: Mask) -> ShareOf:
    """Return how far each meaning stands out among those of all candidates, 0 to 1."""
    compared = meaning[candidates].astype(np.float64)
    if len(compared) < 2:
        return lambda rows: np.clip(meaning[rows].astype(np.float64), 0.0, 1.0)
    mean = float(compared.mean())
    compared -= mean
    deviation = math.sqrt(float(np.einsum("i,i->", compared, compared)) / len(compared)) or 1.0
    return lambda rows: np.clip(
        (meaning[rows] - np.float64(mean)) / deviation * _Z_SHARE, -1.0, 1.0
    )
