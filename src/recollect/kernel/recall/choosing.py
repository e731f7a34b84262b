"""What the best of the ranked memories lead to, which stand in an answer, what is told of each.

The rules: a memory leads one step, to the things that it names and the facts about those, and only
the first five do. A name that many texts hold leads to little, and one that more than a twentieth
of them hold to nothing; nor does anything lead to a name alone. Memories that say the same are one,
with a count. Of claims and facts that nobody asserted, at most two of five places go to one author
while another's waits that is near enough and at least half as good; a turn waits for nobody. Where
none of the first is near enough, nothing is answered; then the nearest miss is told. Near enough is
what holds, or says otherwise, enough of what is asked, and what the question asks of something, as
the phone in *the phone number of Ann's vet*; and what tells of the kind that is asked for, as a
time. What a fact's predicate tells, and the table of everyday words knows as something else, does
not say that, however near it means; nor does what is told of another of the same first name.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import chain, islice
from typing import Final

import numpy as np

from recollect.kernel.recall.asking import CALLED, UnderstoodQuestion, beside, names_in
from recollect.kernel.recall.columns import NONE, SAYS_ANYTHING, SAYS_WHEN
from recollect.kernel.recall.recollection import Recalled, Share
from recollect.kernel.recall.remembering import CONCEPTS, FACTS, NAME, since_text
from recollect.kernel.recall.scoring import FACTORS, SHARES, WORDS, Ranking, are_among
from recollect.kernel.recall.telling import tells
from recollect.kernel.recall.words import (
    ASKED,
    asked_stems,
    kin_of,
    language_of,
    of_length_1,
    stem,
    stems_of,
    telling_stems,
    telling_words,
)
from recollect.kernel.search.tokens import tokens
from recollect.model import BEGINNING, FOREVER, Dated, Link
from recollect.node import dataclass, field

FLOOR, FLOOR_OF_TURNS = (0.35, 0.85), (0.2, 0.8)
"""How much of a question one of the first memories must hold, by the rarity of its words, ...

... where no meaning is known; else how near its words and the whole of it must mean, together. The
same where it is a turn of a conversation, in which people say less of what they mean; where that
holds so much, it need not mean it.
"""

FLOOR_OF_NAMED, FLOOR_OF_FEW, OF_EACH_WORD = 0.3, 0.62, 0.15
"""Where a question names what is known: how much a memory of that must hold and say otherwise, ...

... of what the question asks beside the name; of a word or two it must be more, for a mean of few
is often near by chance: so much, less so much for each word.
"""

FLOOR_OF_OTHERS: Final = 1.25
"""How much of all that it asks one of anything else must then hold and mean."""

FLOOR_OF_WANTED: Final = (0.25, 0.0)
"""How near a memory's words must be to what is asked of something; and of what is known, ...

... of which much is said that no vector tells apart.
"""

_SHAPES: Final = (("email", re.compile(r"@(?<=\w@)\w")), ("phone", re.compile(r"\d[\d /-]{6,}")))
"""What says itself what it is; each begins with what few texts hold, and is soon found missing."""

OF_WHOLE: Final = 0.5  # of how near all words are together, beside each alone
OF_KIN: Final = 0.8  # how near everyday words are that say the same
_LONG: Final = 12  # words of a text that tells enough of what it is about to be asked for it
OF_FAR: Final = 0.5
"""What a memory counts that holds too little of what is asked, and is no turn and not led to; ...

... and what one more of an author counts that has its places, while others wait.
"""

_FIRST: Final = 8
_TOGETHER: Final = 16  # memories ordered together, so that pages follow one another ...
_TOGETHER_OF_ONE: Final = 10  # ... of one author, while others wait

_ALIKE: Final = 0.8  # of the stems of two texts together, beyond which they say the same
_FEW: Final = 3  # stems; texts of fewer are alike only in all their words
_LARGE: Final = re.compile(r"\b[^\W\d_a-z]\w+")  # words that are written large
_PLACES, _OF_ONE = 5, 2

Look = Callable[[Collection[int]], dict[int, tuple[Dated, str]]]
"""What fetches rows: their elements as they stood, and what they say; lost ones are left out."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A memory that is answered with."""

    row: int
    score: float
    dated: Dated
    text: str
    words: list[str]  # of the text, folded
    others: list[Dated] = field(default_factory=list)  # that say the same
    stems: dict[str, None] = field(default_factory=dict)  # each once, in the order of the text
    is_far: bool = False  # it holds too little of what is asked, and should


@dataclass(frozen=True, slots=True)
class Choice:
    """The memories answered with, best first, and what came nearest where there are none."""

    places: tuple[Pick, ...]
    missed: Pick | None = None


def chosen(look: Look, ranking: Ranking, wanted: int, threshold: float) -> Choice:
    """Return the best memories, at most `wanted`. Cost: the texts of half as many more."""
    waiting: list[Pick] = []
    most = -(-(wanted + wanted // 2) // _TOGETHER) * _TOGETHER
    for place in _looked_at(look, ranking, most):
        if place.score < threshold:
            continue
        same = next((one for one in waiting if _are_alike(one, place)), None)
        if same is not None:
            same.others.append(place.dated)
        else:
            waiting.append(place)
        if len(waiting) == most:
            break
    needs = [one for one in waiting if not _needs_no_more(ranking, one.row)]
    first = {one.row: one for one in waiting[:_FIRST]}
    near = _near(ranking, [*first.values(), *(one for one in needs if one.row not in first)])
    if near.isdisjoint(first):
        return Choice((), waiting[0] if waiting else None)
    far = {one.row for one in needs} - near
    told = [
        replace(one, score=OF_FAR * one.score, is_far=True) if one.row in far else one
        for one in waiting
        if one.row not in far & ranking.guests
    ]
    return Choice(tuple(islice(_shared_out(ranking, told), wanted)))


def _near(ranking: Ranking, places: Sequence[Pick]) -> set[int]:
    """Return the rows of those that are near enough."""
    alike = _said_otherwise(ranking, places)
    return {one.row for one, of in zip(places, alike, strict=True) if is_near(ranking, one, of)}


def _needs_no_more(ranking: Ranking, row: int) -> bool:
    """Whether a row is a turn, or led to: neither needs to hold much of what is asked itself.

    What the question names is not led to, whatever else names it. Where it names somebody, a turn
    that neither they say nor anything in or beside it names needs more.
    """
    is_led = row in ranking.led and (ranking.named is None or not ranking.named[row])
    is_turn = row not in ranking.guests and int(ranking.columns.session[row]) != NONE
    return is_led or (is_turn and ranking.is_theirs(row))


def is_near(ranking: Ranking, place: Pick, otherwise: float) -> bool:
    """Whether a memory, or what stands beside it, holds or means enough of what is asked.

    `otherwise` is how near its words are to those that are asked beside names.
    """
    row, columns, question = place.row, ranking.columns, ranking.question
    if question.is_of_strangers:
        return False
    if ranking.demanded is not None and not ranking.demanded.shares_of(np.array([row]))[0]:
        return False
    is_dated = ranking.dated is None or bool(ranking.dated[row])
    if columns.flags[row] & SAYS_WHEN and question.times.is_within and not is_dated:
        return False  # it tells of another time
    if question.whole and _is_others(ranking, place):
        return False
    if int(columns.element[row]) in question.concepts and columns.length[row] >= _LONG:
        return True  # the question names what it is about
    is_named = ranking.named is not None
    near = -1.0 if ranking.near is None else float(ranking.near[row])
    if columns.session[row] != NONE:
        holds = ranking.covered(row, beside_names=is_named) >= FLOOR_OF_TURNS[0]
        return ranking.is_theirs(row) and (holds or near + otherwise >= FLOOR_OF_TURNS[1])
    is_link = int(columns.element[row]) in question.links
    ends, concepts = (int(columns.subject[row]), int(columns.object[row])), question.concepts
    if not (is_link or concepts.issuperset(ends) or _may_answer(ranking, place)):
        return False
    if ranking.near is None:
        return ranking.covered(row) >= FLOOR[0] and _tells_wanted(ranking, place)
    is_others = ranking.named is not None and not ranking.named[row]
    is_told = columns.kind[row] not in (FACTS, CONCEPTS)  # it need not name who asks
    if not is_named or (is_others and is_told and question.is_own):
        means = near + otherwise >= FLOOR[1] and _tells_wanted(ranking, place)
        asks = bool(question.words or telling_words(question.rest))  # "Who is there" does not
        return asks and (means or ranking.covered(row) >= 1.0)  # who asks *drugs* wants each
    if is_others:
        return ranking.covered(row) + near >= FLOOR_OF_OTHERS and _tells_wanted(ranking, place)
    asked = telling_words(question.rest)
    if is_link:  # its words may tell more
        more = set(_said(ranking, place)).difference(_predicate(place))
        return not asked or (bool(more) and _tells_wanted(ranking, place))
    is_fact = columns.kind[row] == FACTS
    if is_fact and ends[1] in concepts and not concepts.issuperset(ends) and len(concepts) > 1:
        return False  # of the one it tells by another
    held = ranking.covered(row, beside_names=True) + otherwise
    if is_fact and asked and len(question.apart) > 1:  # what else it names is asked, too
        held *= len(asked) / (len(asked) + len(question.apart.difference(ends)))
    floor = max(FLOOR_OF_NAMED, FLOOR_OF_FEW - OF_EACH_WORD * len(asked))
    return (concepts.issuperset(ends) or held >= floor) and _tells_wanted(ranking, place)


def _may_answer(ranking: Ranking, place: Pick) -> bool:
    """Whether a memory is of the kind that a question asks for, and more than a name alone."""
    columns, row = ranking.columns, place.row
    if columns.kind[row] == CONCEPTS and not columns.flags[row] & SAYS_ANYTHING:
        return ranking.covered(row) >= 1.0 if ranking.named is None else bool(ranking.named[row])
    has_clock = columns.valid_at[row] != BEGINNING or columns.invalid_at[row] != FOREVER
    is_timed = bool(has_clock) or bool(columns.flags[row] & SAYS_WHEN)
    object_ = columns.known.concepts.get(int(columns.object[row]))
    told = object_.name if object_ and columns.kind[row] == FACTS else None
    return tells(ranking.question, place.text, told, is_timed=is_timed)


def _is_others(ranking: Ranking, place: Pick) -> bool:
    """Whether a text tells of another by the first name of whom a question names in full.

    What is told of somebody whom it names besides is not.
    """
    question, columns = ranking.question, ranking.columns
    ends = int(columns.subject[place.row]), int(columns.object[place.row])
    if not question.concepts.isdisjoint(ends):
        return False
    words = {way for one in place.words for way in (one, one.removesuffix("s"))}
    called = {one for name in CALLED.findall(place.text) for one in tokens(name)[:-1]}
    return any(one[0] in called and one[-1] not in words for one in question.whole)


def _tells_wanted(ranking: Ranking, place: Pick) -> bool:
    """Whether a memory says, or says otherwise, what a question asks of something."""
    wanted = ranking.question.wanted_of if ranking.near is not None else ()
    if not wanted:
        return True
    if not ranking.columns.flags[place.row] & SAYS_ANYTHING:  # it is no more than a name
        return False
    said, floor = _said(ranking, place), FLOOR_OF_WANTED[ranking.named is not None]
    may_name = ranking.named is None and _names_more(ranking, place)
    predicate = frozenset(one for one in telling_words(_predicate(place)) if kin_of(stems_of(one)))
    stems, language = _stems(place, said), language_of(ranking.question.asked)
    known = ranking.columns.known.meant
    for words in wanted:
        ways = [stems_of(one, language) for one in words]
        kin = set(chain(*map(kin_of, ways)))
        if not stems.isdisjoint(own := kin.union(*ways)):
            continue
        if any(name in own for name, _ in _SHAPES):
            return False
        if may_name:
            continue  # a name may be what is asked, which no vector knows
        others = [one for one in said if not (kin and one in predicate)]
        both = of_length_1(known.of_each(words)), of_length_1(known.of_each(others))
        if np.einsum("ij,kj->ik", *both).max(initial=-1.0) < floor:
            return False
    return True


def _names_more(ranking: Ranking, place: Pick) -> bool:
    """Whether a text holds a word written large, not its first, that a question does not hold.

    The predicate of a fact says what it tells; and German writes more than names large.
    """
    is_fact = ranking.columns.kind[place.row] == FACTS
    if is_fact or language_of(place.words) == "german":
        return False
    question = ranking.question
    asked = {word for one in (*question.rest, *question.names) for word in tokens(one)}
    large = (one for one in _LARGE.finditer(place.text) if one.start())
    return any(asked.isdisjoint(tokens(one[0])) for one in large)


def _said_otherwise(ranking: Ranking, places: Sequence[Pick]) -> list[float]:
    """Return how near what is asked is to the words of each memory, beside names.

    Each word that is asked counts by the cosine of the word that means the nearest to it, and all
    of them by that of all of those: with its names what a whole sentence means is too near to
    whatever else is said of the same person. The mean of the former and half of the latter is told.
    """
    words, known = telling_words(ranking.question.rest), ranking.columns.known.meant
    if not (words and places):
        return [1.0] * len(places)
    said = [_said(ranking, one) for one in places]
    at = {one: place for place, one in enumerate(dict.fromkeys(chain(*said)))}
    most = max(map(len, said))
    held = np.array([[at[one] for one in own] + [-1] * (most - len(own)) for own in said], np.int64)
    asked, told = known.of_each(words), known.of_each([*at])
    told = np.append(told, np.zeros_like(asked[:1]), axis=0)  # the last stands for no word
    cosines = np.einsum("ij,kj->ik", of_length_1(asked), of_length_1(told))
    cosines[:, -1] = -1.0
    alike = cosines[:, held].max(2, initial=-1.0)
    whole = of_length_1(told[held].sum(1)) @ of_length_1(asked.sum(0)[None])[0]
    language = language_of(ranking.question.asked)
    kin = [kin_of(stems_of(one, language)) for one in words]
    if any(kin):
        stems = [_stems(place, own) for place, own in zip(places, said, strict=True)]
        by_kin = [[OF_KIN * (not own.isdisjoint(one)) for own in stems] for one in kin]
        alike = np.maximum(alike, by_kin)
    together = OF_WHOLE * whole if len(words) > 1 else 0.0  # one word is no whole
    found = np.where([bool(own) for own in said], alike.mean(0) + together, 0.0)
    return [*map(float, found)]


def _said(ranking: Ranking, place: Pick) -> list[str]:
    """Return the telling words of a memory, with its predicate, beside the names of a question."""
    known, columns = ranking.columns.known.concepts, ranking.columns
    ends = (known.get(int(one[place.row])) for one in (columns.subject, columns.object))
    words = [*place.words, *_predicate(place)]
    words += [word for one in ends if one for word in tokens(one.name)]
    words += [name for name, shape in _SHAPES if shape.search(place.text)]
    return telling_words(beside(ranking.question.names, words))


def _stems(place: Pick, said: Sequence[str]) -> set[str]:
    """Return the stems of the telling words of a memory, in its language and in English."""
    language = language_of(place.words)
    return {stem(one, own) for one in said for own in {language, "english"}}


def _predicate(place: Pick) -> list[str]:
    """Return the words of the predicate of a fact."""
    element = place.dated.element
    return tokens(element.predicate) if isinstance(element, Link) else []


def _looked_at(look: Look, ranking: Ranking, at_once: int) -> Iterator[Pick]:
    """Yield the candidates with their texts, by turns of their authors."""
    order = iter(_by_turns(ranking))
    while batch := {int(ranking.rows[at]): at for at in islice(order, at_once)}:
        found = look(batch)
        for row, at in batch.items():
            if row in found:
                dated, text = found[row]
                words = tokens(text)
                stems = dict.fromkeys(telling_stems(words))
                yield Pick(row, float(ranking.scores[at]), dated, text, words, stems=stems)


def _by_turns(ranking: Ranking) -> list[int]:
    """Return the places of the best rows, where what one author says beyond its share counts half.

    It is decided without texts, so that however much one author says, others are read beside it.
    """
    authors, counted = ranking.columns.author[ranking.rows], ranking.scores.copy()
    if (authors == NONE).all():
        return [*range(len(authors))]
    order = np.argsort(authors, kind="stable")
    _, first, many = np.unique(authors[order], return_index=True, return_counts=True)
    beyond = np.arange(len(order)) - np.repeat(first, many) >= _TOGETHER_OF_ONE
    counted[order[beyond & (authors[order] != NONE)]] *= OF_FAR
    return [*map(int, np.argsort(-counted, kind="stable"))]


def _are_alike(one: Pick, other: Pick) -> bool:
    """Whether two say the same: in like words, and neither turned round nor denied by the other."""
    fewer, more = sorted((len(one.stems), len(other.stems)))
    if fewer < _FEW or fewer < _ALIKE * more:
        return one.words == other.words
    shared = one.stems.keys() & other.stems.keys()
    if len(shared) < _ALIKE * (fewer + more - len(shared)):
        return False
    names = set(_LARGE.findall(one.text)).intersection(_LARGE.findall(other.text))
    mine, its = (
        (
            [name for name in _LARGE.findall(x.text) if name in names],
            sorted(ASKED["denied"].findall(x.text.casefold())),
            len(shared) > _FEW and [stem for stem in x.stems if stem in shared],
        )
        for x in (one, other)
    )
    return mine == its


def _shared_out(ranking: Ranking, waiting: Sequence[Pick]) -> Iterator[Pick]:
    """Yield places in order, but let no author have more than its share of any five."""
    given, left, later = Counter[int](), list[Pick](), list(waiting)
    author, session = ranking.columns.author, ranking.columns.session
    while left or later:
        if not left:  # no page looks beyond those that are ordered together
            left = sorted(later[:_TOGETHER], key=lambda one: -one.score)
            del later[:_TOGETHER]
        share = _OF_ONE * (given.total() // _PLACES + 1)
        full = {one for one, count in given.items() if one != NONE and count >= share}
        fits = (
            at
            for at, one in enumerate(left)
            if author[one.row] not in full
            and (not at or not (one.is_far or session[one.row] != NONE))
        )
        place = left.pop(next(fits, 0))  # of another, if one waits
        given[author[place.row]] += 1
        yield place


_LONGEST: Final = 120  # words of a text that is its own passage
_PASSAGE: Final = 80  # words of a part ...
_STEP: Final = 20  # ... that begins so many after the one before


def told(
    ranking: Ranking,
    question: str,
    meant: UnderstoodQuestion,
    places: Sequence[Pick],
    kinds: tuple[str, ...],
    after: Callable[[int], str] = lambda _: "",
) -> list[Recalled]:
    """Return memories as they are answered with; `after` tells what replaced that of a row."""
    rows, columns = np.array([one.row for one in places], np.int64), ranking.columns
    points = [(name, given.tolist()) for name, given in ranking.points(rows)]
    factors = [(name, factor(rows).tolist()) for name, factor in ranking.factors.items()]
    held = [*ranking.held_by(rows)]
    names = () if meant.links else [at for at, one in enumerate(meant.words) if one.is_of_name]
    asked = [(one, stems_of(one)) for one in dict.fromkeys(tokens(question))]
    memories: list[Recalled] = []
    for at, (row, place) in enumerate(zip(rows.tolist(), places, strict=True)):
        why = {name: Share(given[at], SHARES[name][1]) for name, given in points if given[at]}
        its = [one for one, ways in asked if not place.stems.keys().isdisjoint(ways)]
        if WORDS in why and its:
            why[WORDS] = Share(why[WORDS].points, f"it holds {', '.join(its)}")
        total = sum(one.points for one in why.values())
        for name, factor in factors:
            if factor[at] < 1:
                why[name] = Share(-total * (1 - factor[at]), FACTORS[name])
                total *= factor[at]
        if is_past := not ranking.standing.now[row]:
            lost = why["past"].points if "past" in why else 0.0
            why["past"] = Share(lost, _ended(ranking, row, after(row)))
        if led := float(ranking.led.get(row, 0.0)):
            why["led"] = Share(led, "another that is found names it")
        if place.is_far:
            why["far"] = Share(-(total + led) * (1 - OF_FAR), "it holds little of what is asked")
        recalled = Recalled(
            element=place.dated,
            kind=kinds[int(columns.kind[row])],
            score=max(0.0, sum(one.points for one in why.values())),
            why=why,
            passage=passage(place.text, question),
            others=tuple(place.others),
            holds=ranking.covered(row, beside_names=ranking.named is not None)
            * held[at].issuperset(names)
            * (not (meant.links and meant.names.isdisjoint(place.words))),
            held=held[at],
            is_past=is_past,
        )
        memories.append(recalled)
    return memories


def _ended(ranking: Ranking, row: int, after: str) -> str:
    columns = ranking.columns
    if int(columns.invalid_at[row]) != FOREVER:
        then = f", then: {after}" if after else ""
        return f"until {since_text(int(columns.invalid_at[row]))}{then}"
    return FACTORS["past"]


def passage(text: str, question: str) -> str:
    """Return a text, or where it is long the part that holds most of a question's words.

    >>> passage("Ann paints", "Who paints?")
    'Ann paints'
    """
    words = text.split()
    if len(words) <= _LONGEST:
        return text
    asked = {one for ways in asked_stems(question) for one in ways}
    stems = [stems_of((tokens(one) or [""])[0]) for one in words]
    starts = range(0, len(words) - _PASSAGE + _STEP, _STEP)
    best = max(starts, key=lambda at: len(asked.intersection(chain(*stems[at : at + _PASSAGE]))))
    part = " ".join(words[best : best + _PASSAGE])
    return f"{'… ' if best else ''}{part}{' …' if best + _PASSAGE < len(words) else ''}"


_NAMES: Final = re.compile(NAME)
FIRST: Final = 5
OF_SOURCE: Final = 0.7
"""What of a score a memory gives to what it alone names."""

_LOOKED_AT: Final = 16  # the texts that an answer of ten needs, read at once
_COMMON: Final = 0.05  # of the texts, beyond which a name leads nowhere
_SO_FEW: Final = 20  # texts that may hold a name all the same


def led_on(look: Look, ranking: Ranking) -> Ranking:
    """Return a ranking in which what the best name stands higher. Cost: some texts are read."""
    columns, question = ranking.columns, ranking.question
    most = max(_SO_FEW, _COMMON * ranking.standing.many)
    best = ranking.rows[:_LOOKED_AT].tolist()
    texts = look(best) if best else {}
    given: dict[int, float] = {}
    for row, score in zip(best[:FIRST], ranking.scores.tolist(), strict=False):
        for concept, held in _mentioned(ranking, texts[row][1], row) if row in texts else ():
            if concept not in question.concepts and held <= most:
                gain = OF_SOURCE * score / (1 + math.log(max(2, held)))
                given[concept] = max(gain, given.get(concept, 0.0))
    if not given:
        return ranking
    about = are_among(columns.element, given) | are_among(columns.subject, given)
    rows = np.flatnonzero(about & ranking.candidates & ((columns.flags & SAYS_ANYTHING) > 0))
    ends = np.stack([columns.element[rows], columns.subject[rows]])
    gains = np.array([[given.get(one, 0.0) for one in each] for each in ends.tolist()]).max(0)
    base = ranking.scored(rows)
    scores, others = np.minimum(base + gains, 1.0), ~np.isin(ranking.rows, rows)
    better = replace(ranking, led=dict(zip(rows.tolist(), scores - base, strict=True)))
    scores = np.append(ranking.scores[others], scores)
    return better.with_best(np.append(ranking.rows[others], rows), scores)


def _mentioned(ranking: Ranking, text: str, row: int) -> Iterator[tuple[int, int]]:
    """Yield what a memory names beside what it is about, and how many texts hold the name."""
    columns, topics = ranking.columns, ranking.columns.known.topics
    names = names_in(tokens(text), columns, ranking.number)
    for large in _NAMES.findall(text):
        names |= names_in(tokens(large), columns, ranking.number, topics)
    for name, concepts in names.items():
        words = columns.known.numbers_of(tokens(name))
        held = _frequency(ranking, frozenset(words))
        for concept in concepts - {int(columns.element[row]), int(columns.subject[row])}:
            yield concept, held


def _frequency(ranking: Ranking, words: frozenset[int]) -> int:
    """Return how many of the texts that count hold all words of a name."""
    known, columns = ranking.standing.frequencies, ranking.columns
    if words not in known:
        rows = sorted((columns.of_word(one)[0] for one in words), key=len)
        both = partial(np.intersect1d, assume_unique=True)
        known[words] = int(np.count_nonzero(ranking.standing.counted[reduce(both, rows)]))
    return known[words]
