"""Concepts that are likely one thing under two names, and the MERGE texts that make them one.

The rule: proposals are independent of each other: the duplicate is like the concept it would
become, which is the one with more links, or else the older one. Nothing is merged unasked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.kip.maintenance.carry_out import Done, carry_out
from recollect.faces.kip.maintenance.reading import (
    compared_types,
    rows_of,
)
from recollect.faces.kip.maintenance.similarity import (
    numbers_in,
    similar_pairs,
    squeezed,
    words_of,
)
from recollect.faces.kip.maintenance.target import concept_pattern
from recollect.kernel import Nexus
from recollect.model import Cell, Key, Progress, normal_text, silent

LIKELY = 0.65
"""The score from which a pair is proposed, if not told otherwise."""

SURE = 0.95
"""The score from which a pair is merged when that is asked for, if not told otherwise."""

_SAME_NAME = 1.0, "the names differ only in case or spaces"
_SAME_BUT_POINTS = 0.95, "the names differ only in punctuation"
_ALIAS = 0.9, "one goes by the name of the other"
_SAME_WORDS = 0.9, "the names have the same words"
_MOST_ALIKE = 0.89  # of names that are only alike

_FEW = 20  # concepts under one key are compared each with each; more of them, with the oldest
_NAMES = "FIND(?x.name, ?x.attributes.aliases) WHERE { ?x {type: $type} }"
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

    @property
    def kip(self) -> str:
        """The text that makes them one."""
        return (
            "MERGE CONCEPT ?duplicate INTO ?canonical WHERE {"
            f" ?duplicate {concept_pattern(self.duplicate)}"
            f" ?canonical {concept_pattern(self.canonical)} }}"
        )


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Pairs that are likely the same, the likeliest first, and what was done about them."""

    found: tuple[Duplicate, ...]
    done: Done | None  # None: nothing was asked for


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
    """Return the pairs of concepts of one type that are likely the same, for some types or all.

    Names and aliases are compared: they match if they are equal when normalised, equal except for
    punctuation or the order of words, or alike by trigrams; names with different numbers do not
    match. `threshold` is the least score. INVALID_ARGUMENT for one that is not above 0 and at most
    1. Cost: every name once, and two counts for each concept of a pair.
    """
    if not 0 < threshold <= 1:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"the threshold {threshold} is not above 0 and at most 1",
            hint=f"use {LIKELY}",
        )
    chosen = list(types) or compared_types(nexus)
    found: list[Duplicate] = []
    for done, type_ in enumerate(chosen):
        progress("comparing", done, len(chosen))
        found += _of_type(nexus, type_, threshold)
    progress("comparing", len(chosen), len(chosen))
    return Duplicates(tuple(sorted(found, key=_likeliest_first)), None)


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
    """Merge what `find_duplicates` finds, all of it in one transaction or nothing."""
    found = find_duplicates(nexus, types, threshold=threshold, progress=progress).found
    texts = [one.kip for one in found]
    done = carry_out(nexus, texts, dry_run=dry_run, actor=actor, request_id=request_id)
    return Duplicates(found, done)


def _of_type(nexus: Nexus, type_: str, threshold: float) -> Iterator[Duplicate]:
    rows = rows_of(nexus, _NAMES, {"type": type_})
    concepts = [
        _Named(str(name), _texts(aliases)) for name, aliases in rows if not _is_actor(str(name))
    ]
    pairs = _pairs(concepts, threshold)
    involved = {place for pair in pairs for place in pair}
    links = {place: _links_of(nexus, Key(type_, concepts[place].name)) for place in involved}
    for duplicate, canonical in _stars(pairs, links):
        score, reason = pairs[min(duplicate, canonical), max(duplicate, canonical)]
        yield Duplicate(
            Key(type_, concepts[duplicate].name),
            Key(type_, concepts[canonical].name),
            score,
            reason,
            (links[duplicate], links[canonical]),
        )


def _pairs(concepts: Sequence[_Named], threshold: float) -> _Pairs:
    """Return the pairs that reach the threshold, each with its best reason."""
    pairs: _Pairs = {}
    names = [one.name for one in concepts]
    for one, other, found in similar_pairs(names, threshold):
        score = min(round(found, 3), _MOST_ALIKE)
        pairs[one, other] = score, "the names are alike"
    keys: list[tuple[tuple[float, str], list[list[Hashable]]]] = [
        (_SAME_WORDS, [[words_of(name)] for name in names]),
        (_ALIAS, [[*map(normal_text, (one.name, *one.aliases))] for one in concepts]),
        (_SAME_BUT_POINTS, [[(squeezed(name), numbers_in(name))] for name in names]),
        (_SAME_NAME, [[normal_text(name)] for name in names]),
    ]
    for reason, keyed in keys:
        for pair in _sharing(keyed):
            pairs[pair] = reason
    return {pair: why for pair, why in pairs.items() if why[0] >= threshold}


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
