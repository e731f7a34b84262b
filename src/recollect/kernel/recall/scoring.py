"""How well each memory of a group answers a question: shares that add up to a score in 0..1.

The rule: only what counted and was true at the moment asked about is looked at, before anything is
ranked, and sizes, means and frequencies are of those alone. So nothing written later and nothing
that another group holds changes a score. A share that a question has no use for is left out, and
the score is the part of the points that the question could give.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from recollect.kernel.recall.asking import Asking, UnderstoodQuestion
from recollect.kernel.recall.columns import (
    NONE,
    SAYS_ANYTHING,
    SAYS_WHEN,
    Columns,
    Floats,
    Mask,
    Places,
)
from recollect.kernel.recall.remembering import CONCEPTS, FACTS
from recollect.kernel.recall.spans import DAY, HeldThen, Times, held_after, held_before, held_once
from recollect.kernel.recall.words import LANGUAGES, Vector, stem
from recollect.kernel.search.tokens import tokens
from recollect.model import BEGINNING, FOREVER
from recollect.node import dataclass, replace

SHARES: Final = {
    "words": (1.0, "it, or what stands beside it, holds words that say the same"),
    "session": (0.5, "its conversation is about it"),
    "speaker": (0.2, "the question names who says it"),
    "date": (0.8, "it speaks of the time that the question names"),
    "kind": (0.4, "it tells what is asked"),
    "role": (0.4, "no assistant says it"),
    "tells": (0.35, "it tells something"),
    "meaning": (0.8, "it means something near"),
    "named": (0.3, "it is about what the question names"),
    "trust": (0.2, "how well it is supported"),
}
"""The shares of a score in the order in which they are told: points at most, and what for."""

WORDS, SESSION, SPEAKER, DATE, KIND, ROLE, TELLS, MEANING, NAMED, TRUST = SHARES
WEIGHTS: Final = {name: points for name, (points, _) in SHARES.items()}

NEAR: Final = 0.44
"""The cosine from which on a meaning alone makes a candidate, and one that is near enough."""

OF_CONFIGURED: Final = 0.6
"""What a configured embedder counts of a meaning; the one that comes with Recollect the rest."""

PAST: Final = 0.5
"""What the score of a memory that has ended is multiplied by."""

OF_OTHERS: Final = 0.5
"""What a fact counts that is about nobody and nothing whom the question names."""

OF_NAME: Final = 0.5
"""What a concept counts of which nothing is known but its name."""

FACTORS: Final = {
    "past": "it no longer counts",
    "time": "it did not hold in the time that the question names",
    "others": "it is about nobody whom the question names",
    "name": "it says no more than a name",
}
"""What lowers a score, and why."""

_FAR: Final = 5 * 365 * DAY  # from the time asked for, where a fact counts half as one of it
_ENDED_IN: Final = 0.9  # what ended in a time that goes on
_SATURATION: Final = 1.2  # BM25's k1
_LENGTH_NORMALISATION: Final = 0.4  # BM25's b: what is remembered is short, the longer says more
_OF_KIN: Final = 0.35  # of a word, what another that says the same counts
_OF_NEIGHBOURS: Final = (0.55, 0.27, 0.25, 0.1)  # what a turn gives the next, the one after, ...
_OF_QUESTION: Final = 1.3  # times as much of a turn that asks: its answer need not repeat it
_WHOLE_NEIGHBOUR: Final = 40  # words; a longer turn gives less of each
_COMMON: Final = 2_000  # texts with a word, beyond which it gives neighbours nothing
_OF_MEANINGS: Final = (0.5, 0.25, 0.5, 0.25)  # what neighbours count beside a turn's own
_MANY: Final = 100  # texts at least, of which the rarity of what a question asks is taken
_Z_SHARE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Point:
    """Where in both times a recall looks."""

    valid: int
    known: int  # a transaction


@dataclass(frozen=True, slots=True)
class Ranking:
    """Every row with its score; rows that are no candidates score below 0."""

    columns: Columns
    question: UnderstoodQuestion
    shares: Mapping[str, Floats]  # 0 to 1, of the shares that apply
    scores: Floats
    covered: Floats  # how much of what the question asks for the row holds, 0 to 1
    asked: Floats  # the same of what it asks of whom it names
    near: Floats | None  # how near the row's meaning is to the question's, -1 to 1
    factors: Mapping[str, Floats]  # what the points together are multiplied by, and why
    is_past: Mask
    candidates: Mask  # what may be answered with at all
    counted: Mask  # what is there at the moment, of any kind
    number: int  # the transaction that is looked back to
    led: Floats | None = None  # what is in the scores since others, found before, name the row

    def best(self, most: int) -> Iterable[int]:
        """Return the candidates, best first, ties by age: `most` at least, if there are so many."""
        candidates = np.flatnonzero(self.scores >= 0)
        if len(candidates) > most:
            least = np.partition(self.scores[candidates], -most)[-most]
            candidates = candidates[self.scores[candidates] >= least]
        order = np.lexsort((self.columns.element[candidates], -self.scores[candidates]))
        return candidates[order]

    def weight_of(self, share: str) -> float:
        """Return the most points that a share can give."""
        return WEIGHTS[share] / sum(WEIGHTS[one] for one in self.shares)


def ranked(
    columns: Columns,
    question: UnderstoodQuestion,
    moment: Point,
    kinds: frozenset[int],
    *,
    with_past: bool,
    meant: Vector | None = None,
    compared: Floats | None = None,
) -> Ranking:
    """Return the memories of some kinds as a question finds them. Cost: a few passes over them."""
    written = columns.since <= moment.known
    believed = written & (moment.known < columns.until) & columns.stands
    now = believed & (columns.valid_at <= moment.valid) & (moment.valid < columns.invalid_at)
    fits = _fitting(columns, question, believed, moment.valid)
    holds = now if fits is None else now | (fits > 0)
    asked = _are_of(columns, kinds)
    gone = written & ~holds
    counted = holds | (gone & _last_of_each(columns, moment)) if with_past else holds
    candidates = counted & asked
    dated = _dated(columns, question.times) if question.times.is_any else None
    if fits is not None:
        dated = np.where(fits < 0, 0.0 if dated is None else dated, fits)
        words_left = tuple(one for one in question.words if not one.is_cue)  # time answers those
        question = replace(question, words=words_left)
    words, sessions, covered, of_named = _by_words(columns, question, counted, candidates, dated)
    found = _told_by(columns, question, counted) | {WORDS: words}
    if sessions is not None:
        found[SESSION] = sessions
    if dated is not None:
        found[DATE] = dated
    near = None if meant is None else _near(columns, meant)
    if near is not None or compared is not None:
        found[MEANING] = _meanings(columns, near, compared, counted, candidates)
    factors = _factors(columns, gone, fits)
    if question.concepts:
        found[NAMED] = _named(columns, question.concepts)
        found[NAMED][_naming(columns, question.concepts, counted)] = 1.0
        of_others = (columns.kind == FACTS) & (found[NAMED] == 0)
        factors["others"] = np.where(of_others, OF_OTHERS, 1.0)
        covered *= factors["others"]
    shares = {name: found[name] for name in SHARES if name in found}
    whole = sum(WEIGHTS[one] for one in shares)
    scores = np.zeros(columns.size)
    for name, share in shares.items():
        scores += WEIGHTS[name] / whole * share
    for factor in factors.values():
        scores *= factor
    reached = words > 0
    for name in shares.keys() & {NAMED, DATE}:
        reached |= shares[name] > 0
    if near is not None:
        reached |= near >= NEAR
    np.maximum(scores, 0.0, out=scores)
    scores[~(candidates & reached)] = -1.0
    return Ranking(
        columns, question, shares, scores, covered, of_named, near, factors,
        written & ~now, candidates, counted, moment.known,
    )  # fmt: skip


def _factors(columns: Columns, gone: Mask, fits: Floats | None) -> dict[str, Floats]:
    """Return what lowers the score of each row, whatever it is made of."""
    is_name = (columns.kind == CONCEPTS) & ((columns.flags & SAYS_ANYTHING) == 0)
    factors = {"past": np.where(gone, PAST, 1.0), "name": np.where(is_name, OF_NAME, 1.0)}
    if fits is not None:
        factors["time"] = np.where((fits < 0) | gone, 1.0, PAST + (1 - PAST) * fits)
    return factors


def _fitting(
    columns: Columns, question: UnderstoodQuestion, believed: Mask, now: int
) -> Floats | None:
    """Return how well the time of each fact is the one asked for; -1 where that does not apply.

    None where no time is asked for, or nothing is known to have held then.
    """
    is_fact = believed & (columns.kind == FACTS)
    begin, end = columns.valid_at, columns.invalid_at
    timed = is_fact & ((begin != BEGINNING) | (end != FOREVER))
    held, beside = list(question.times.held), np.zeros(columns.size, np.bool_)
    about = np.fromiter(question.concepts, np.int64)
    if question.beside is not None:
        side, named = question.beside
        its = np.fromiter(named, np.int64)
        beside = is_fact & np.isin(columns.object, its)
        if len(others := np.setdiff1d(about, its)):
            beside &= np.isin(columns.subject, others)
        if side == "before":
            begun = begin[beside & (begin != BEGINNING)]
            held.append(held_before(int(begun.min())) if len(begun) else held_once(now))
        elif len(ended := end[beside & (end != FOREVER)]):
            held.append(held_after(int(ended.max())))
    fits = np.zeros(columns.size)
    for one in held:
        np.maximum(fits, _in_time(columns, one, now), out=fits)
    if not held and question.wants & SAYS_WHEN and len(about) > 1:  # when was it that ...
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


def _told_by(columns: Columns, question: UnderstoodQuestion, counted: Mask) -> dict[str, Floats]:
    """Return the shares that what is told of a text alone gives, and who says it.

    What makes no difference among what is there at the moment is no share.
    """
    shares = {TRUST: columns.trust.astype(np.float64)}
    says = np.isin(columns.speaker, np.fromiter(question.speakers, np.int32))
    if bool((says & counted).any()):
        shares[SPEAKER] = says.astype(np.float64)
    if question.wants:
        shares[KIND] = ((columns.flags & question.wants) > 0).astype(np.float64)
    if bool((columns.is_assistant & counted).any()):
        shares[ROLE] = (~columns.is_assistant).astype(np.float64)
    telling = (columns.flags & SAYS_ANYTHING) > 0
    if not bool((telling | ~counted).all()):
        shares[TELLS] = telling.astype(np.float64)
    return shares


def _are_of(columns: Columns, kinds: frozenset[int]) -> Mask:
    return np.isin(columns.kind, np.fromiter(kinds, np.int8))


def _last_of_each(columns: Columns, moment: Point) -> Mask:
    """Return the last content of each element by a moment: what it said before is history."""
    known = np.flatnonzero(columns.since <= moment.known)
    order = known[np.lexsort((columns.since[known], columns.element[known]))]
    last = np.zeros(columns.size, np.bool_)
    if len(order):
        elements = columns.element[order]
        last[order[np.append(elements[1:] != elements[:-1], True)]] = True
    return last


def _by_words(
    columns: Columns,
    question: UnderstoodQuestion,
    counted: Mask,
    candidates: Mask,
    dated: Floats | None,
) -> tuple[Floats, Floats | None, Floats, Floats]:
    """Return the shares of the words, and of the words of whole sessions, and what is covered.

    That is of all words, and of those beside the names that the question holds.
    """
    size = columns.size
    words, covered, sessions = np.zeros(size), np.zeros(size), np.zeros(columns.known.sessions)
    of_names, ideal_of_names = np.zeros(size), 0.0
    many = int(counted.sum())
    if not many:
        return words, None, covered, covered
    mean = max(1.0, float(columns.length[counted].mean()))
    norm = _SATURATION * (1 - _LENGTH_NORMALISATION + _LENGTH_NORMALISATION * columns.length / mean)
    in_session = counted & (columns.session != NONE)
    of_session = columns.session[in_session]
    lengths = np.bincount(of_session, columns.length[in_session], columns.known.sessions)
    session_count = int((lengths > 0).sum())
    session_norm = _SATURATION * (
        1
        - _LENGTH_NORMALISATION
        + _LENGTH_NORMALISATION * lengths / max(1.0, lengths.sum() / max(1, session_count))
    )
    told = max(many, _MANY)  # in a small memory every word is rare
    ideal = question.unknown * _rarity(1, told)
    for word in question.words:
        rows, counts = _standing_in(columns, word, counted)
        frequency = len(rows)
        weight = _rarity(frequency, many)
        tells = _rarity(max(1, frequency), told)
        ideal += tells
        ideal_of_names += tells * word.is_of_name
        if dated is not None and word.is_of_time:
            covered += tells * dated
        if not frequency:
            continue
        if session_count > 1:
            at = columns.session[rows]
            per = np.bincount(at[at != NONE], counts[at != NONE], columns.known.sessions)
            sessions += _rarity(int((per > 0).sum()), session_count) * per / (per + session_norm)
        if frequency <= _COMMON and len(of_session):
            rows, counts = _with_windows(columns, rows, counts, counted)
        held = tells * np.minimum(1.0, 2 * counts)
        covered[rows] += held
        if word.is_of_name:
            of_names[rows] += held
        words[rows] += weight * counts / (counts + norm[rows])
    rest = ideal - ideal_of_names
    asked = np.minimum((covered - of_names) / rest, 1.0) if rest > 0 else np.ones(size)
    covered = np.minimum(covered / (ideal or 1.0), 1.0)  # a time counts by its name or its day
    best = float(words[candidates].max(initial=0.0))
    words /= best or 1.0
    if session_count < 2:
        return words, None, covered, asked
    sessions /= float(sessions.max(initial=0.0)) or 1.0
    return words, np.where(columns.session != NONE, sessions[columns.session], 0.0), covered, asked


def _standing_in(columns: Columns, word: Asking, counted: Mask) -> tuple[Places, Floats]:
    """Return the rows that hold a word or its kin, and how often, the kin counting less."""
    weighed = [(one, 1.0) for one in word.ways] + [(one, _OF_KIN) for one in word.kin]
    if not weighed:
        return np.zeros(0, np.int32), np.zeros(0)
    found = [(*columns.of_word(one), weight) for one, weight in weighed]
    rows = np.concatenate([rows for rows, _, _ in found])
    counts = np.concatenate([counts * weight for _, counts, weight in found]).astype(np.float64)
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
    """Return 1 for the rows that speak of a time that the question names."""
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


def _naming(columns: Columns, concepts: frozenset[int], counted: Mask) -> Places:
    """Return the rows of texts, but for turns, that hold the rarest word of what one is called."""
    known = columns.known
    found = [np.zeros(0, np.int32)]
    for name in (known.concepts[one].name for one in concepts if one in known.concepts):
        ways = [{stem(word, one) for one in LANGUAGES} for word in tokens(name)]
        numbers = [[known.words[one] for one in way if one in known.words] for way in ways]
        held = [
            np.concatenate([columns.of_word(one)[0] for one in each]) for each in numbers if each
        ]
        there = [rows for rows in (rows[counted[rows]] for rows in held) if len(rows)]
        found += [min(there, key=len)] if there else []
    rows = np.concatenate(found)
    is_text = (columns.kind != FACTS) & (columns.kind != CONCEPTS) & (columns.session == NONE)
    texts: Places = rows[is_text[rows]]
    return texts


def _named(columns: Columns, concepts: frozenset[int]) -> Floats:
    """Return 1 for what is told of concepts: by themselves, or by a fact that ends in one."""
    ids = np.fromiter(concepts, np.int64)
    own = np.isin(columns.element, ids)
    facts = columns.kind == FACTS
    ends = np.isin(columns.subject, ids).astype(np.float64) + np.isin(columns.object, ids)
    return np.where(own, 1.0, np.where(facts, np.minimum(ends, 1.0), 0.0))


def _near(columns: Columns, meant: Vector) -> Floats:
    """Return the cosine of each text's meaning with the question's."""
    parts = [np.einsum("ij,j->i", one, meant) for one in columns.vectors]
    return np.concatenate([np.zeros(0), *parts]).astype(np.float64)


def _meanings(
    columns: Columns, near: Floats | None, compared: Floats | None, counted: Mask, candidates: Mask
) -> Floats:
    """Return how far each meaning stands out; what an embedder has looked at, by that the most."""
    own = np.zeros(columns.size)
    if near is not None:
        own = _standing_out(_smoothed(columns, near, counted), candidates)
    if compared is None:
        return own
    has = ~np.isnan(compared)
    smoothed = _smoothed(columns, np.where(has, compared, 0.0), counted & has)
    part = 1.0 if near is None else OF_CONFIGURED
    return np.where(has, part * _standing_out(smoothed, candidates & has) + (1 - part) * own, own)


def _smoothed(columns: Columns, near: Floats, counted: Mask) -> Floats:
    """Return the cosines with part of those of the turns beside each."""
    rows = np.flatnonzero(counted & (columns.session != NONE))
    if not len(rows):
        return near
    beside = columns.neighbours[:, rows]
    weights = np.where((beside != NONE) & counted[beside], np.array(_OF_MEANINGS)[:, None], 0.0)
    smoothed = near.copy()
    smoothed[rows] = (near[rows] + (weights * near[beside]).sum(0)) / (1 + weights.sum(0))
    return smoothed


def _standing_out(meaning: Floats, candidates: Mask) -> Floats:
    """Return how far each meaning stands out among those of all candidates, 0 to 1."""
    compared = meaning[candidates]
    if len(compared) < 2:
        return np.clip(meaning, 0.0, 1.0)
    deviation = float(compared.std()) or 1.0
    return np.clip((meaning - float(compared.mean())) / deviation * _Z_SHARE, -1.0, 1.0)
