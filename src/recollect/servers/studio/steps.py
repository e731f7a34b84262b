"""EXPLAIN as a picture: a box a step, in the order in which they run.

The rule: a box says in words what its line of the plan says, stands inside the box that it belongs
to, and shows how many elements the memory expects there and where the text has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from recollect.model import Explanation
from recollect.node import dataclass, field

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
