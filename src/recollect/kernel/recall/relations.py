"""Whom a question means by a relation: "my wife's job" asks of her to whom I am married.

The rule: a word of a relation that belongs to somebody known steps over the facts whose predicates
say so, whichever end of them that is; where none does, only what holds a word for it can answer. A
line of `lists/relations.txt` holds words of one relation, and after the bar those of who stands at
its other end; "=" begins one that is the same from both. A word between two that belong to each
other, as in "Tom's dentist's number", is such a relation, too, though no line holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

import numpy as np

from recollect.kernel.recall.columns import Columns
from recollect.kernel.recall.remembering import FACTS
from recollect.kernel.recall.words import MINE, OF, OURS, Relation, listed, relations, telling_words
from recollect.kernel.search.tokens import folded, tokens
from recollect.node import dataclass, field

Ids = frozenset[int]

_WORD: Final = re.compile(r"[^\W_]+")
_TURNED: Final = OF | {"to", "by", "at", "for", "in", "from", "under", "bei"}
_BESIDE, _HAVE, _ME, _CALLED, _ROLES = (frozenset(line.split()) for line in listed("around"))
_LONGEST: Final = 4  # words of a name that something belongs to
_READ: Final = 200  # words of a question, the last: what is longer is a text, and asks at its end


def _leads(relation: Relation, predicate: str) -> tuple[bool, bool]:
    """Return whether a fact leads from its subject to such a one, and from its object."""
    said = tokens(predicate)
    is_turned, is_of = (bool(said) and said[-1] in some for some in (_TURNED, OF))
    if not relation.words.isdisjoint(said):
        return (True, True) if relation.words == relation.others else (not is_of, is_of)
    return (is_turned, not is_turned) if not relation.others.isdisjoint(said) else (False, False)


@dataclass(frozen=True, slots=True)
class Related:
    """What a question says of relations."""

    ends: Ids = frozenset()  # whom it means by them
    over: Ids = frozenset()  # whose relations they are
    words: frozenset[str] = frozenset()  # that say no more than that, folded
    missing: frozenset[str] = frozenset()  # of which an answer must hold one
    links: Ids = frozenset()  # the facts stepped over
    has_own: bool = False  # each "my" stands before such words
    is_over: bool = False  # one of those facts has ended


@dataclass(slots=True)
class _Following:
    """A question that is read from one relation to the next."""

    words: Sequence[str]
    columns: Columns
    number: int
    valid: int
    named: Callable[[str], Ids]
    own: Ids  # who asks
    found: dict[int, Ids] = field(default_factory=dict)  # ends by places of words
    over: set[int] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    links: set[int] = field(default_factory=set)
    predicates: set[str] = field(default_factory=set)  # the words of those of the links
    is_over: bool = False  # a fact that was stepped over has ended
    telling: set[str] = field(default_factory=set)  # words of which what tells an end holds one

    def follow(self, at: int) -> Ids | None:
        """Return whom the word at a place means; None if it is of no relation of somebody known."""
        if at in self.found:
            return self.found[at]
        word = folded(self.words[at])
        is_between = at + 2 < len(self.words) and self.words[at + 1] in {"s", "S"}
        its = relations().get(word, ())
        if not its and is_between and at and not self.named(self.words[at]):
            its = (Relation(frozenset({word}), frozenset()),)
        is_name = bool(self.named(" ".join(self.words[at + 1 : at + 2])))  # "my brother Tom"
        whose = self._whose(at) if its and not is_name else None
        if whose is None:
            return None
        self.found[at] = ends = frozenset(self._ends(its, whose))
        alike = frozenset[str]().union(*(one.words for one in its))
        if ends:
            self.over |= whose
            self.said |= {word, *self._names(whose), *self._beside(at)}
            self.telling |= alike.union(self.predicates, *(one.others for one in its))
        else:
            self.missing |= {one for one in alike if len(relations().get(one, its)) <= len(its)}
        return ends

    def _names(self, whose: Ids) -> Iterator[str]:
        called = self.columns.known.concepts
        return (word for one in whose if one in called for word in tokens(called[one].name))

    def _beside(self, at: int) -> Iterator[str]:
        """Yield the words around one that the predicates stepped over hold: "practice manager"."""
        for way in (range(at - 1, -1, -1), range(at + 1, len(self.words))):
            around = (folded(self.words[one]) for one in way)
            yield from takewhile(self.predicates.__contains__, around)

    def _whose(self, at: int) -> Ids | None:
        """Return whose the thing at a place is."""
        before = [folded(one) for one in self.words[max(0, at - 2) : at]]
        if not (MINE | OURS).isdisjoint(before[-2:] if "s" not in before[-1:] else []):
            return self.own
        if before[-1:] == ["s"]:
            whose = self.follow(at - 2) if at > 1 else None
            return whose if whose is not None else self._named(range(at - 2, -1, -1))
        if before and before[-1].endswith("s") and (ids := self.named(self.words[at - 1][:-1])):
            return ids
        after = at + 2
        if after > len(self.words) or folded(self.words[at + 1]) not in OF:
            return self._who_has()
        while after < len(self.words) and folded(self.words[after]) in _BESIDE | MINE | OURS:
            after += 1
        whose = self.follow(after) if after < len(self.words) else None
        return whose if whose is not None else self._named(range(after, len(self.words)))

    def _who_has(self) -> Ids | None:
        """Return of whom it is asked whether they have somebody: "does Ann have a sister"."""
        words = {folded(one) for one in self.words}
        if words.isdisjoint(_HAVE):
            return None
        return self.named(" ".join(self.words)) or (None if words.isdisjoint(_ME) else self.own)

    def _named(self, places: range) -> Ids | None:
        """Return what the words from a place on are the name of, the fewest that are one."""
        for many in range(1, min(_LONGEST, len(places)) + 1):
            nearest, *others = (self.words[one] for one in places[:many])
            if ids := self.named(" ".join([nearest, *others][:: places.step])):
                return None if others and self.named(" ".join(others[:: places.step])) else ids
        return None

    def _ends(self, its: Sequence[Relation], whose: Ids) -> Iterator[int]:
        for is_over in (False, True):  # what has ended is meant where nothing holds
            at = _told_of(whose, self.columns, self.valid, self.number, is_over=is_over)
            found = [*self._led(at, its, whose)]
            yield from found
            if found:
                self.is_over |= is_over
                return

    def _led(self, told: Iterable[_Told], its: Sequence[Relation], whose: Ids) -> Iterator[int]:
        for row, start, predicate, end in told:
            starts, ends = map(any, zip(*(_leads(one, predicate) for one in its), strict=True))
            for leads, other in ((starts and start in whose, end), (ends and end in whose, start)):
                if leads:
                    self.links.add(int(self.columns.element[row]))
                    self.predicates.update(tokens(predicate))
                    yield other


_Told = tuple[int, int, str, int]
"""A fact: its row, subject, predicate and object."""


def _told_of(
    whose: Ids, columns: Columns, valid: int, number: int, *, is_over: bool = False
) -> Iterator[_Told]:
    """Yield what is told of some at a moment, or was over by then."""
    its = np.fromiter(whose, np.int64)
    told = np.isin(columns.subject, its) | np.isin(columns.object, its)
    told &= (columns.kind == FACTS) & columns.stands
    told &= (columns.since <= number) & (number < columns.until)
    told &= (columns.valid_at <= valid) & ((columns.invalid_at <= valid) == is_over)
    for row in np.flatnonzero(told).tolist():
        predicate = columns.known.terms[int(columns.term[row])]
        yield row, int(columns.subject[row]), predicate, int(columns.object[row])


def holders(concepts: Ids, columns: Columns, valid: int, number: int) -> tuple[Ids, Ids]:
    """Return who holds the roles among concepts, and by which facts: "the director's age".

    Cost: a pass over all memories, where a question names something.
    """
    told = _told_of(concepts, columns, valid, number)
    held = [
        (start, int(columns.element[row]))
        for row, start, predicate, end in told
        if end in concepts and _ROLES.issuperset(tokens(predicate))
    ]
    return frozenset(start for start, _ in held), frozenset(link for _, link in held)


def related(
    question: str, columns: Columns, valid: int, number: int, named: Callable[[str], Ids], own: Ids
) -> Related:
    """Return whom a question means by relations, by what was true and known at a moment."""
    words = _WORD.findall(question)[-_READ:]
    following = _Following(words, columns, number, valid, named, own)
    for at in range(len(words)):
        following.follow(at)
    found, low = following.found, [folded(one) for one in words]
    ends, missing = Ids().union(*found.values()), frozenset(following.missing)
    has_own = all(at + 1 in found or at + 2 in found for at, one in enumerate(low) if one in MINE)
    unsaid = _CALLED | following.said | {low[at] for at in found} | {"s"}
    if unsaid.issuperset(telling_words(low)):  # it asks who that is
        missing |= following.telling
        return Related(
            ends | following.over, missing=missing, has_own=has_own, is_over=following.is_over
        )
    over, said = frozenset(following.over), frozenset(following.said)
    links, is_over = frozenset(following.links), following.is_over
    return Related(ends - over, over, said, missing, links, has_own, is_over)
