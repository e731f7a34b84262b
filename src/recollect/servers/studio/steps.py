"""What is shown step by step: EXPLAIN as a picture, and what a memory replaced.

The rule: only what the memory itself says is told. A box of the picture says in words what its line
of the plan says, stands inside the box that it belongs to, in the order in which they run, and
shows how many elements are expected there and where the text has it. A memory replaced what it said
before, and a link of its predicate with an end in common, if that was closed for it, or ended as it
was made, where it begins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from recollect.faces.claims import Claim
from recollect.model import REPLACED_BY, Dated, Explanation, Instant, Link, Operation, Triple
from recollect.node import dataclass, field
from recollect.servers.studio.shown import Shown, shown_ids
from recollect.servers.studio.trying import TriedPart, differences
from recollect.servers.studio.visit import Visit

_INDENT: Final = "  "
_WORD: Final = re.compile(r"\w+")
_OF_TYPE: Final = re.compile(r"concept \S+ type=(.+)")
_OF_PREDICATES: Final = re.compile(r"(?:link \S+|path) \(\S+, (.+), \S+\)")
_DOES: Final[Mapping[str, str]] = {
    "concept": "Find concepts",
    "link": "Follow links",
    "path": "Walk a path",
    "read": "Read a value",
    "null": "Leave empty",
    "unify": "Take two names as one",
    "FILTER": "Keep what passes",
    "not": "Leave out what has",
    "once": "Ask whether there is",
    "optional": "Add where there is",
    "or": "Or",
    "branch": "Go one way of UNION",
    "find": "Answer with",
    "sort": "Put in order",
}
"""What a step does, by the first word of its line."""


@dataclass(frozen=True, slots=True)
class PageStep:
    """One box of the picture."""

    kind: str  # the first word of its line; empty where the line is prose
    does: str
    line: str
    expected: int | None = None  # elements of its type or predicate, in powers of four
    written: int | None = None  # its place in the text, where that is another than its own
    inner: list[PageStep] = field(default_factory=list)

    @property
    def height(self) -> int:
        """How many powers of four are expected: what its bar shows."""
        return 0 if self.expected is None else (self.expected.bit_length() + 1) // 2


def steps_of(found: Explanation) -> list[PageStep]:
    """Return the steps of an explanation, each with those inside it."""
    if not found.sql:
        return [PageStep("", "", one) for one in found.plan]
    above: list[list[PageStep]] = [[]]
    places = [one.strip() for one in found.written]
    for number, text in enumerate(found.plan):
        line = text.lstrip(" ")
        depth = min((len(text) - len(line)) // len(_INDENT), len(above) - 1)
        kind = "".join(_WORD.findall(line)[:1])
        place = places.index(line) if line in places else number
        step = PageStep(
            kind,
            _DOES[kind],
            line,
            _expected(line, found.counts),
            place + 1 if place != number else None,
        )
        above[depth].append(step)
        above[depth + 1 :] = [step.inner]
    return above[0]


def _expected(line: str, counts: Mapping[str, int]) -> int | None:
    """Return how many elements a line expects, where only a type or a predicate narrows it."""
    if found := _OF_TYPE.fullmatch(line):
        return counts.get(f"type {found[1]}")
    if found := _OF_PREDICATES.fullmatch(line):
        names = (one.partition("{")[0] for one in found[1].split(" | "))
        known = [counts[name] for one in names if (name := f"predicate {one}") in counts]
        return sum(known) if known else counts.get("every predicate")
    return None


_MOST_PARTS: Final = 4
_MOST_CHANGES: Final = 20  # of a transaction, those that are looked at: of the oldest elements
_LOOKED_BACK: Final = 2  # transactions: the one that made it, and the one that ended the other


@dataclass(frozen=True, slots=True)
class Replaced:
    """What stood before a memory."""

    parts: tuple[TriedPart, ...]  # what its last version says otherwise than the one before
    since: Instant  # when that version was written
    others: tuple[Shown, ...]  # what it took the place of


def replaced_of(visit: Visit, dated: Dated, claim: Claim | None) -> Replaced:
    """Return what a memory replaced. Cost: its history; of a link a page of the log as well."""
    element = dated.element
    versions = visit.nexus.history(element.id, as_of=visit.then)[-1].versions
    last = versions[-1]
    is_owned = not isinstance(element, Link) and element.type in visit.nexus.kinds.owned
    is_changed = last.operation is Operation.UPDATE and not is_owned
    parts = differences(last.before, last.after)[:_MOST_PARTS] if is_changed else ()
    others: tuple[Shown, ...] = ()
    if isinstance(element, Link):
        others = _stood_before(visit, dated, element, versions[0].since.number)
    elif claim is not None and claim.supersedes:
        others = shown_ids(visit.nexus, [claim.supersedes], visit.then)
    return Replaced(parts, last.since.at, others)


def _stood_before(visit: Visit, dated: Dated, link: Link, number: int) -> tuple[Shown, ...]:
    """Return the links that end where one begins, or were closed for it, as it was made."""
    logged = visit.nexus.changes(max(0, number - _LOOKED_BACK), _LOOKED_BACK, most=_MOST_CHANGES)
    ids = [
        one.id
        for made in logged
        for one in made.changes
        if one.operation is not Operation.CREATE
        and isinstance(one.what, Triple)
        and one.what.predicate == link.predicate
        and (one.what.subject == link.subject or one.what.object == link.object)
    ]
    return tuple(
        one
        for one in shown_ids(visit.nexus, list(dict.fromkeys(ids)), visit.then)
        if one.dated.element.metadata.get(REPLACED_BY) == link.id
        or (one.until is not None and one.until == dated.valid_at)
    )
