"""Concepts that are likely one thing under two names, and the MERGE texts that make them one.

The rule: proposals are independent of each other: the duplicate is like the concept it would
become, which is the one with more links, or else the older one. Nothing is merged unasked, what
is of two types or only a first name is proposed and no more, and what was rejected stays so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import combinations

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.kip.maintenance.carry_out import CarriedOut, carry_out, concept_pattern
from recollect.faces.kip.maintenance.given_names import first_word, full_words, without_accents
from recollect.faces.kip.maintenance.reading import compared_types, predicates_in_use, rows_of
from recollect.faces.kip.maintenance.similarity import numbers_in, similar_pairs, squeezed, words_of
from recollect.kernel import Nexus
from recollect.model import Cell, Key, Progress, normal_text, silent
from recollect.node import dataclass

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
_JOINED = (
    "FIND(?predicate, ?end.id) WHERE { ({type: $type, name: $name}, ?predicate, ?end) }",
    "FIND(?predicate, ?end.id) WHERE { (?end, ?predicate, {type: $type, name: $name}) }",
)
_LINKS = (
    "FIND(COUNT(?link)) WHERE { ?link ({type: $type, name: $name}, ?predicate, ?end) }",
    "FIND(COUNT(?link)) WHERE { ?link (?end, ?predicate, {type: $type, name: $name}) }",
)


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
        if self.duplicate.type != self.canonical.type:
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
    at most 1. Cost: every name once, and four questions for each concept of a pair.
    """
    if not 0 < threshold <= 1:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"the threshold {threshold} is not above 0 and at most 1",
            hint=f"use {LIKELY}",
        )
    chosen = list(types) or compared_types(nexus)
    rejected, found = _rejected(nexus), list[Duplicate]()
    named: dict[str, list[_Named]] = {}
    for done, type_ in enumerate(chosen):
        progress("comparing", done, len(chosen))
        named[type_] = [
            _Named(str(name), _texts(aliases))
            for name, aliases in rows_of(nexus, _NAMES, {"type": type_})
            if not _is_actor(str(name))
        ]
        found += _of_type(nexus, type_, named[type_], threshold, rejected)
    gone = {one.duplicate for one in found}
    guesses = {**_across(nexus, named), **_first_names(nexus, named)}
    for pair, why in guesses.items():
        if frozenset(pair) not in rejected and not gone.intersection(pair):
            score, reason = _with_shared(nexus, pair, *why)
            if score >= threshold:
                links = _links_of(nexus, pair[0]), _links_of(nexus, pair[1])
                found.append(Duplicate(*pair, score, reason, links, is_guess=True))
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
    dry_run: bool = False,
    actor: str | None = None,
    request_id: str | None = None,
    progress: Progress = silent,
) -> Duplicates:
    """Merge what `find_duplicates` is sure of, all of it in one transaction or nothing.

    What is of two types, or only a first name, is left to a person.
    """
    proposed = find_duplicates(nexus, types, threshold=threshold, progress=progress).found
    found = tuple(one for one in proposed if not one.is_guess)
    texts = [one.kip for one in found]
    done = carry_out(nexus, texts, dry_run=dry_run, actor=actor, request_id=request_id)
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
    pairs = {
        (one, other): _with_shared(nexus, (keys[one], keys[other]), *why)
        for (one, other), why in _pairs(concepts, least, are_persons=are_persons).items()
        if frozenset((keys[one], keys[other])) not in rejected
    }
    pairs = {pair: why for pair, why in pairs.items() if why[0] >= threshold}
    involved = {place for pair in pairs for place in pair}
    links = {place: _links_of(nexus, keys[place]) for place in involved}
    for duplicate, canonical in _stars(pairs, links):
        score, reason = pairs[min(duplicate, canonical), max(duplicate, canonical)]
        both = links[duplicate], links[canonical]
        yield Duplicate(keys[duplicate], keys[canonical], score, reason, both)


_Guesses = dict[tuple[Key, Key], tuple[float, str]]
"""Scores and reasons of what is proposed and no more, the duplicate first."""


def _across(nexus: Nexus, named: Mapping[str, Sequence[_Named]]) -> _Guesses:
    """Return the pairs of two types whose names are the same."""
    keys = [Key(type_, one.name) for type_, held in named.items() for one in held]
    concepts = [one for held in named.values() for one in held]
    called = [[*map(squeezed, (one.name, *one.aliases))] for one in concepts]
    words = [[full_words(one.name)] for one in concepts]
    made, guesses = nexus.kinds.made, _Guesses()
    for place, other in {*_sharing(called), *_sharing(words)}:
        pair = sorted((keys[place], keys[other]), key=lambda key: key.type != made)
        if pair[0].type == pair[1].type or numbers_in(pair[0].name) != numbers_in(pair[1].name):
            continue
        if made == pair[0].type:
            score, reason = _OF_NO_KIND, f"one goes by the name of the other, a {pair[1].type}"
        else:
            score, reason = _OF_TWO_TYPES, "one goes by the name of the other, of another type"
            if _links_of(nexus, pair[0]) > _links_of(nexus, pair[1]):
                pair.reverse()
        guesses[pair[0], pair[1]] = score, reason
    return guesses


def _first_names(nexus: Nexus, named: Mapping[str, Sequence[_Named]]) -> _Guesses:
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


def _with_shared(
    nexus: Nexus, pair: tuple[Key, Key], score: float, reason: str
) -> tuple[float, str]:
    """Return a score and its reason, more where both are linked with the same thing."""
    if score >= _MOST_UNSURE:
        return score, reason
    one, other = (_joined(nexus, key) for key in pair)
    shared = sorted(str(predicate) for _, predicate, _ in one & other)
    if not shared:
        return score, reason
    told = f"{reason}, and both are linked with the same by {shared[0]}"
    return min(round(score + _SHARED, 3), _MOST_UNSURE), told


def _joined(nexus: Nexus, key: Key) -> set[tuple[int, str, str]]:
    """Return what a concept is linked with: the side, the predicate, the other's id."""
    parameters = {"type": key.type, "name": key.name}
    return {
        (side, str(predicate), str(end))
        for side, question in enumerate(_JOINED)
        for predicate, end in rows_of(nexus, question, dict(parameters))
    }


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


def _stars(pairs: _Pairs, links: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield each duplicate with what it becomes, which nothing else becomes a part of."""
    alike: defaultdict[int, list[int]] = defaultdict(list)
    for one, other in pairs:
        alike[one].append(other)
        alike[other].append(one)
    settled: set[int] = set()
    for canonical in sorted(alike, key=lambda place: (-links[place], place)):
        if canonical in settled:
            continue
        settled.add(canonical)
        for duplicate in alike[canonical]:
            if duplicate not in settled:
                settled.add(duplicate)
                yield duplicate, canonical


def _links_of(nexus: Nexus, key: Key) -> int:
    """Return how many living links a concept has."""
    parameters = {"type": key.type, "name": key.name}
    counts = [rows_of(nexus, text, dict(parameters))[0][0] for text in _LINKS]
    return sum(one for one in counts if isinstance(one, int))


def _texts(value: Cell) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _is_actor(name: str) -> bool:
    """Whether a concept is one of the memory's own, such as $self."""
    return name.startswith("$")


def _likeliest_first(one: Duplicate) -> tuple[float, str, str, str]:
    return -one.score, one.canonical.type, one.canonical.name, one.duplicate.name
