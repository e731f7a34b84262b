"""Concepts that are likely one thing under two names, and the MERGE texts that make them one.

The rule: proposals are independent of each other: the duplicate is like the concept it would
become, which is the one with more links, or else the older one. Nothing is merged unasked, what
is of two types or only a first name is proposed and no more, and what was rejected stays so.

Names are alike by their letters, without accents, or by a small table of given names that are short
for others and seldom stand for anything else. Names with different numbers in them are names of
different things. Of the others only those are compared that share a rare trigram, their first and
last word, or all but a character each; so the work grows with the names, not with their square.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil
from typing import Final, Unpack

from recollect.errors import refused
from recollect.faces.kip.maintenance.carry_out import (
    CarriedOut,
    Carrying,
    carry_out,
    concept_pattern,
)
from recollect.faces.kip.maintenance.reading import compared_types, predicates_in_use, rows_of
from recollect.kernel import Nexus
from recollect.model import Cell, Key, Progress, Value, normal_text, silent
from recollect.node import dataclass

Trigrams = frozenset[str]
Numbers = tuple[str, ...]

MOST_SHARED = 40
"""A trigram that more names hold is not rare, and leads to no comparison."""

_NUMBER = re.compile(r"\d+")
_PUNCTUATION = re.compile(r"[\s.,;:'\"\u2018\u2019\u201c\u201d()\[\]/_-]+")


def trigrams(name: str) -> Trigrams:
    """Return the runs of three characters of a normal name, its beginning and end included.

    >>> sorted(trigrams("ab"))
    ['  a', ' ab', 'ab ']
    """
    padded = f"  {name} "
    return frozenset(padded[at : at + 3] for at in range(len(padded) - 2))


def similarity(one: Trigrams, other: Trigrams) -> float:
    """Return how much of both is shared, from 0 to 1: Dice's coefficient.

    >>> similarity(trigrams("ibuprofen"), trigrams("ibuprofene"))
    0.8571428571428571
    """
    return 2 * len(one & other) / (len(one) + len(other))


def numbers_in(name: str) -> Numbers:
    """Return the numbers of a name, in order.

    >>> numbers_in("Boeing 747-8")
    ('747', '8')
    """
    return tuple(_NUMBER.findall(name))


def squeezed(name: str) -> str:
    """Return a name as it is without case, spaces and the punctuation that varies.

    >>> squeezed("Acme-Corp."), squeezed("C++")
    ('acmecorp', 'c++')
    """
    return _PUNCTUATION.sub("", normal_text(name))


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order.

    >>> words_of("Curie, Marie")
    ('curie', 'marie')
    """
    return tuple(sorted(filter(None, _PUNCTUATION.split(normal_text(name)))))


def similar_pairs(names: Sequence[str], threshold: float) -> Iterator[tuple[int, int, float]]:
    """Yield the positions of names that are so alike, and how much; each pair once.

    Few names are compared as if each was with each. Cost: grows with the characters of all.
    """
    normal = [normal_text(name) for name in names]
    blocks: defaultdict[Numbers, list[int]] = defaultdict(list)
    for place, name in enumerate(normal):
        blocks[numbers_in(name)].append(place)
    for places in blocks.values():
        if len(places) > 1:
            yield from _pairs_in(places, normal, threshold)


def _pairs_in(
    places: Sequence[int], names: Sequence[str], threshold: float
) -> Iterator[tuple[int, int, float]]:
    sets = {place: trigrams(names[place]) for place in places}
    held = Counter(trigram for own in sets.values() for trigram in own)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    met: dict[str, int] = {}  # what nearly equal names share, and the first that has it
    for place in places:
        own = sets[place]
        rare = [one for one in _rarest(own, held, threshold) if held[one] <= MOST_SHARED]
        candidates = {other for trigram in rare for other in holders[trigram]}
        candidates.update(met.setdefault(key, place) for key in _nearly(names[place]))
        for other in sorted(candidates - {place}):
            found = similarity(own, sets[other])
            if found >= threshold:
                yield other, place, found
        for trigram in rare:
            holders[trigram].append(place)


def _nearly(name: str) -> set[str]:
    """Return what a name is without one of its characters, and without its middle words."""
    words = name.split(" ")
    shorter = {name[:at] + name[at + 1 :] for at in range(len(name))}
    return {name, *shorter, f"{words[0]} … {words[-1]}"}


def _rarest(own: Trigrams, held: Counter[str], threshold: float) -> list[str]:
    """Return trigrams such that every name alike by `threshold` shares at least one of them.

    Names alike by `threshold` share at least `threshold / (2 - threshold)` of the trigrams of
    either; if both put their rarest first, the first shared one cannot be among that many at the
    end.
    """
    shared = ceil(len(own) * threshold / (2 - threshold) - 1e-9)
    rare_first = sorted(own, key=lambda trigram: (held[trigram], trigram))
    return rare_first[: len(own) - shared + 1]


_SHORT: Final = """
alexander: alex sasha sandy; andrew: andy drew; anthony: tony; benjamin: ben benny; catherine:
cathy kate katie kathy; charles: charlie chuck; christopher: chris topher; daniel: dan danny;
david: dave; edward: ed eddie ted; elizabeth: liz lizzie beth betty eliza; francisco: paco pancho;
gregory: greg; guadalupe: lupe; heinrich: heinz; james: jim jimmy jamie; johannes: hannes;
jonathan: jon jonny; jose: pepe; joseph: joe joey; katharina: kathi; margaret: maggie meg peggy;
matthew: matt; maximilian: max; michael: mike mick mikey; nicholas: nick nicky; patricia: pat
patty trish; rebecca: becca becky; richard: rich rick dick; robert: bob bobby rob robbie; samuel:
sam sammy; stephen: steve; susan: sue susie; theresa: terry tess; thomas: tom tommy; timothy: tim;
william: bill billy will willy; wilhelm: willi
"""

_LONG: Final = {
    short: full.strip()
    for full, shorts in (one.split(":") for one in _SHORT.split(";"))
    for short in shorts.split()
}


def without_accents(name: str) -> str:
    """Return a normal name without its accents.

    >>> without_accents("José  Núñez"), without_accents("Jürgen")
    ('jose nunez', 'jurgen')
    """
    parts = unicodedata.normalize("NFKD", normal_text(name))
    return "".join(one for one in parts if not unicodedata.combining(one))


def full_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order, short given names as what they stand for.

    >>> full_words("Miller, Bob") == full_words("Robert Miller")
    True
    """
    return tuple(sorted(_LONG.get(one, one) for one in words_of(without_accents(name))))


def first_word(name: str) -> str:
    """Return the first word of a name, a short given name as what it stands for.

    >>> first_word("Bob Miller"), first_word("Miller, Bob")
    ('robert', 'robert')
    """
    last, comma, rest = without_accents(name).partition(",")
    words = (rest if comma else last).split()
    return _LONG.get(words[0], words[0]) if words else ""


LIKELY = 0.65
"""The score from which a pair is proposed, if not told otherwise."""

SURE = 0.95
"""The score from which a pair is merged when that is asked for, if not told otherwise."""

_SAME_NAME = 1.0, "the names differ only in case or spaces"
_SAME_BUT_POINTS = 0.95, "the names differ only in punctuation"
_ALIAS = 0.9, "one goes by the name of the other"
_SAME_WORDS = 0.9, "the names have the same words"
_MOST_ALIKE = 0.89  # of names that are only alike
_SAME_BUT_ACCENTS = 0.93, "the names differ only in accents"
_NICKNAME = 0.85, "a given name of one is short for that of the other"
_FIRST_NAME = 0.7, "it is the first name of no other person that is known"
_OF_NO_KIND = 0.85  # of two names that are the same, where one is of the kind that names make
_OF_TWO_TYPES = 0.7
_SHARED = 0.05  # more for a pair with a link to the same thing
_MOST_UNSURE = 0.94  # of what is not the same to the letter, whatever it shares
_MADE = "Entity"  # what a plain name made becomes one with what it is
_PERSON = "Person"  # whose first names may stand alone: KIP 1.0-RC11, appendix 2

NOT_SAME = "not_same_as"
"""The predicate of a pair that was rejected: it is not proposed again."""

_FEW = 20  # concepts under one key are compared each with each; more of them, with the oldest
_NAMES = "FIND(?x.name, ?x.attributes.aliases) WHERE { ?x {type: $type} }"
_REJECTED = (
    'FIND(?one.type, ?one.name, ?other.type, ?other.name) WHERE { (?one, "not_same_as", ?other) }'
)
_REJECT = """UPSERT { PROPOSITION { ({type: $type, name: $name}, "not_same_as", {
  type: $other_type, name: $other_name}) } }"""
_AROUND = "?x {type: $type} FILTER(IN(?x.name, $names))"  # some concepts of a type
_JOINED = (
    f"FIND(?x.name, ?predicate, ?end.id) WHERE {{ {_AROUND} (?x, ?predicate, ?end) }}",
    f"FIND(?x.name, ?predicate, ?end.id) WHERE {{ {_AROUND} (?end, ?predicate, ?x) }}",
)
_LINKS = (
    f"FIND(?x.name, COUNT(?link)) WHERE {{ {_AROUND} ?link (?x, ?predicate, ?end) }}",
    f"FIND(?x.name, COUNT(?link)) WHERE {{ {_AROUND} ?link (?end, ?predicate, ?x) }}",
)
_AT_ONCE = 500  # concepts that one question is about


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A concept that is likely another one."""

    duplicate: Key
    canonical: Key  # what it would be merged into
    score: float  # from 0 to 1
    reason: str
    links: tuple[int, int]  # of both, now
    is_guess: bool = False  # whether it is proposed only, and merged by nobody but a person

    @property
    def kip(self) -> str:
        """The text that makes them one; a comment for what MERGE does not join."""
        if self.duplicate.type not in (self.canonical.type, _MADE):
            pair = f"{concept_pattern(self.duplicate)} and {concept_pattern(self.canonical)}"
            return f"// {pair} are of two types, which MERGE does not join"
        return (
            "MERGE CONCEPT ?duplicate INTO ?canonical WHERE {"
            f" ?duplicate {concept_pattern(self.duplicate)}"
            f" ?canonical {concept_pattern(self.canonical)} }}"
        )


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Pairs that are likely the same, the likeliest first, and what was done about them."""

    found: tuple[Duplicate, ...]
    done: CarriedOut | None  # None: nothing was asked for


@dataclass(frozen=True, slots=True)
class _Named:
    """A concept of the type at hand; its place tells its age."""

    name: str
    aliases: tuple[str, ...]


_Pairs = dict[tuple[int, int], tuple[float, str]]
"""The score and the reason of two places, the older first."""


def find_duplicates(
    nexus: Nexus,
    types: Collection[str] = (),
    *,
    threshold: float = LIKELY,
    progress: Progress = silent,
) -> Duplicates:
    """Return the pairs of concepts that are likely the same, of some types or all.

    Names and aliases are compared: they match if they are equal when normalised, equal except for
    punctuation, accents, the order of words or a short given name, or alike by trigrams; names with
    different numbers do not match. Of two types they match if they are the same. A link to the same
    thing counts. `threshold` is the least score. INVALID_ARGUMENT for one that is not above 0 and
    at most 1. Cost: every name once, and the links of each concept of a pair.
    """
    if not 0 < threshold <= 1:
        raise refused(f"the threshold {threshold} is not above 0 and at most 1", f"use {LIKELY}")
    chosen = list(types) or compared_types(nexus)
    rejected, found = _rejected(nexus), list[Duplicate]()
    named: dict[str, list[_Named]] = {}
    for done, type_ in enumerate(chosen):
        progress("comparing", done, len(chosen))
        named[type_] = [
            _Named(str(name), _texts(aliases))
            for name, aliases in rows_of(nexus, _NAMES, {"type": type_})
            if not str(name).startswith("$")  # one of the memory's own, such as $self
        ]
        found += _of_type(nexus, type_, named[type_], threshold, rejected)
    gone = {one.duplicate for one in found}
    guesses = {
        pair: why
        for pair, why in {**_across(nexus, named), **_first_names(nexus, named)}.items()
        if frozenset(pair) not in rejected and not gone.intersection(pair)
    }
    guesses = _with_shared(nexus, guesses, threshold)
    links = _count_links(nexus, (key for pair in guesses for key in pair))
    found += (
        Duplicate(one, other, score, reason, (links[one], links[other]), is_guess=True)
        for (one, other), (score, reason) in guesses.items()
    )
    progress("comparing", len(chosen), len(chosen))
    return Duplicates(tuple(sorted(found, key=_likeliest_first)), None)


def reject_duplicate(nexus: Nexus, one: Key, other: Key, *, actor: str | None = None) -> None:
    """Keep in the memory that two concepts are not one, so that they are not proposed again.

    It is a link `not_same_as`: to delete it takes the rejection back. KIP_3002 for what is not
    there.
    """
    said = {"type": one.type, "name": one.name, "other_type": other.type, "other_name": other.name}
    nexus.write(_REJECT, dict(said), on_missing="error", actor=actor)


def merge_duplicates(
    nexus: Nexus,
    types: Collection[str] = (),
    *,
    threshold: float = SURE,
    progress: Progress = silent,
    **how: Unpack[Carrying],
) -> Duplicates:
    """Merge what `find_duplicates` is sure of, all of it in one transaction or nothing.

    What is of two types, or only a first name, is left to a person.
    """
    proposed = find_duplicates(nexus, types, threshold=threshold, progress=progress).found
    found = tuple(one for one in proposed if not one.is_guess)
    texts = [one.kip for one in found]
    done = carry_out(nexus, texts, **how)
    return Duplicates(found, done)


def _of_type(
    nexus: Nexus,
    type_: str,
    concepts: Sequence[_Named],
    threshold: float,
    rejected: frozenset[frozenset[Key]],
) -> Iterator[Duplicate]:
    keys = [Key(type_, one.name) for one in concepts]
    least = max(threshold - _SHARED, threshold / 2)
    are_persons = type_ in (_PERSON, nexus.kinds.made)
    alike = {
        (keys[one], keys[other]): why
        for (one, other), why in _pairs(concepts, least, are_persons=are_persons).items()
        if frozenset((keys[one], keys[other])) not in rejected
    }
    pairs = _with_shared(nexus, alike, threshold)
    links = _count_links(nexus, (key for pair in pairs for key in pair))
    ages = {key: place for place, key in enumerate(keys)}
    for duplicate, canonical in _stars(pairs, lambda key: (-links[key], ages[key])):
        older, later = sorted((duplicate, canonical), key=ages.__getitem__)
        both = links[duplicate], links[canonical]
        yield Duplicate(duplicate, canonical, *pairs[older, later], both)


_Scored = dict[tuple[Key, Key], tuple[float, str]]
"""Scores and reasons of pairs: the older first, or the duplicate where that is known."""


def _across(nexus: Nexus, named: Mapping[str, Sequence[_Named]]) -> _Scored:
    """Return the pairs of two types whose names are the same."""
    keys = [Key(type_, one.name) for type_, held in named.items() for one in held]
    concepts = [one for held in named.values() for one in held]
    called = [[*map(squeezed, (one.name, *one.aliases))] for one in concepts]
    words = [[full_words(one.name)] for one in concepts]
    made, guesses = nexus.kinds.made, _Scored()
    shared = ((keys[place], keys[other]) for place, other in {*_sharing(called), *_sharing(words)})
    pairs = [
        (other, one) if other.type == made else (one, other)
        for one, other in shared
        if one.type != other.type and numbers_in(one.name) == numbers_in(other.name)
    ]
    links = _count_links(nexus, (key for pair in pairs for key in pair))
    for one, other in pairs:
        if one.type == made:
            reason = f"one goes by the name of the other, a {other.type}"
            guesses[one, other] = _OF_NO_KIND, reason
        else:
            weaker, stronger = sorted((one, other), key=links.__getitem__)
            reason = "one goes by the name of the other, of another type"
            guesses[weaker, stronger] = _OF_TWO_TYPES, reason
    return guesses


def _first_names(nexus: Nexus, named: Mapping[str, Sequence[_Named]]) -> _Scored:
    """Return first names that stand alone, with the one person that is known and has it."""
    persons: defaultdict[str, list[Key]] = defaultdict(list)
    for one in named.get(_PERSON, ()):
        if len(words_of(one.name)) > 1:
            persons[first_word(one.name)].append(Key(_PERSON, one.name))
    alone = [
        Key(type_, one.name)
        for type_ in dict.fromkeys((_PERSON, nexus.kinds.made or _PERSON))
        for one in named.get(type_, ())
        if len(words_of(one.name)) == 1
    ]
    fitting = ((key, persons.get(first_word(key.name), [])) for key in alone)
    return {(key, known[0]): _FIRST_NAME for key, known in fitting if len(known) == 1}


def _rejected(nexus: Nexus) -> frozenset[frozenset[Key]]:
    """Return the pairs that somebody said are not one."""
    if NOT_SAME not in predicates_in_use(nexus):
        return frozenset()
    rows = rows_of(nexus, _REJECTED)
    return frozenset(
        frozenset((Key(str(type_), str(name)), Key(str(other_type), str(other))))
        for type_, name, other_type, other in rows
    )


def _with_shared(nexus: Nexus, pairs: _Scored, threshold: float) -> _Scored:
    """Return the pairs that reach a score; one counts more where both are linked with the same."""
    unsure = [pair for pair, (score, _) in pairs.items() if score < _MOST_UNSURE]
    joined = _read_joined(nexus, (key for pair in unsure for key in pair))
    found = dict(pairs)
    for one, other in unsure:
        shared = sorted(predicate for _, predicate, _ in joined[one] & joined[other])
        if shared:
            score, reason = pairs[one, other]
            told = f"{reason}, and both are linked with the same by {shared[0]}"
            found[one, other] = min(round(score + _SHARED, 3), _MOST_UNSURE), told
    return {pair: why for pair, why in found.items() if why[0] >= threshold}


def _read_joined(nexus: Nexus, keys: Iterable[Key]) -> defaultdict[Key, set[tuple[int, str, str]]]:
    """Return what concepts are linked with: the side, the predicate, the other's id."""
    joined: defaultdict[Key, set[tuple[int, str, str]]] = defaultdict(set)
    for side, key, (predicate, end) in _rows_around(nexus, keys, _JOINED):
        joined[key].add((side, str(predicate), str(end)))
    return joined


def _count_links(nexus: Nexus, keys: Iterable[Key]) -> Counter[Key]:
    """Return how many living links concepts have."""
    counts = Counter[Key]()
    for _, key, (count,) in _rows_around(nexus, keys, _LINKS):
        assert isinstance(count, int)
        counts[key] += count
    return counts


def _rows_around(
    nexus: Nexus, keys: Iterable[Key], texts: Sequence[str]
) -> Iterator[tuple[int, Key, tuple[Cell, ...]]]:
    """Yield the rows of questions about concepts: which question, about which, and the rest."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for key in dict.fromkeys(keys):
        names[key.type].append(key.name)
    for type_, named in names.items():
        for first in range(0, len(named), _AT_ONCE):
            about: dict[str, Value] = {"type": type_, "names": [*named[first : first + _AT_ONCE]]}
            for place, text in enumerate(texts):
                for name, *told in rows_of(nexus, text, about):
                    yield place, Key(type_, str(name)), tuple(told)


def _pairs(concepts: Sequence[_Named], threshold: float, *, are_persons: bool) -> _Pairs:
    """Return the pairs that reach the threshold, each with its best reason."""
    pairs: _Pairs = {}
    names = [one.name for one in concepts]
    for one, other, found in similar_pairs(names, threshold):
        if not (are_persons and _is_first_name(names[one], names[other])):
            score = min(round(found, 3), _MOST_ALIKE)
            pairs[one, other] = score, "the names are alike"
    keys: list[tuple[tuple[float, str], list[list[Hashable]]]] = [
        (_NICKNAME, [[full_words(name)] for name in names]),
        (_SAME_WORDS, [[words_of(name)] for name in names]),
        (_ALIAS, [[*map(normal_text, (one.name, *one.aliases))] for one in concepts]),
        (_SAME_BUT_ACCENTS, [[without_accents(name)] for name in names]),
        (_SAME_BUT_POINTS, [[(squeezed(name), numbers_in(name))] for name in names]),
        (_SAME_NAME, [[normal_text(name)] for name in names]),
    ]
    for reason, keyed in keys:
        for pair in _sharing(keyed):
            pairs[pair] = reason
    return {pair: why for pair, why in pairs.items() if why[0] >= threshold}


def _is_first_name(one: str, other: str) -> bool:
    """Whether one of two names is no more than the first name of the other."""
    short, long = sorted((one, other), key=lambda name: len(words_of(name)))
    is_alone = len(words_of(short)) == 1 < len(words_of(long))
    return is_alone and first_word(short) == first_word(long)


def _sharing(keyed: Sequence[Sequence[Hashable]]) -> Iterator[tuple[int, int]]:
    """Yield the places that have a key in common."""
    holders: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, keys in enumerate(keyed):
        for key in dict.fromkeys(keys):
            holders[key].append(place)
    for places in holders.values():
        if len(places) <= _FEW:
            yield from combinations(places, 2)
        else:
            yield from ((places[0], other) for other in places[1:])


def _stars(
    pairs: Iterable[tuple[Key, Key]], rank: Callable[[Key], tuple[int, int]]
) -> Iterator[tuple[Key, Key]]:
    """Yield each duplicate with what it becomes, which nothing else becomes a part of."""
    alike: defaultdict[Key, list[Key]] = defaultdict(list)
    for one, other in pairs:
        alike[one].append(other)
        alike[other].append(one)
    settled: set[Key] = set()
    for canonical in sorted(alike, key=rank):
        if canonical in settled:
            continue
        settled.add(canonical)
        for duplicate in alike[canonical]:
            if duplicate not in settled:
                settled.add(duplicate)
                yield duplicate, canonical


def _texts(value: Cell) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _likeliest_first(one: Duplicate) -> tuple[float, str, str, str]:
    return -one.score, one.canonical.type, one.canonical.name, one.duplicate.name
