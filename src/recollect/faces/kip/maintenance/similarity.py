"""How alike two names are, and which of many names are alike, without comparing all of them.

The rule: names with different numbers in them are names of different things. Of the others only
those are compared that share a rare trigram, their first and last word, or all but a character
each; so the work grows with the names, and not with their square.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil

from recollect.model import normal_text

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
