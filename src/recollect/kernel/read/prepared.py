"""Answers FINDs that were asked before without their tree, found by the text but its strings.

The rule: the strings of a text are cut out, and the rest of it says which of them are values and
which belong to the shape. So a text that differs only in its values is found by one look-up.
Anything unusual (an escape, an empty name, a parameter of another type) is not answered here but
from the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings, Given, Lifting
from recollect.kernel.read.cells import Page
from recollect.kernel.sql.output import Compiled, matches_any
from recollect.kernel.store.cells import SqlValue, canonical_name, element_id
from recollect.kernel.store.sharing import Cache
from recollect.model import Value
from recollect.node import dataclass

MOST_CHARACTERS = 8 * 2**10
"""Of a text that is remembered; longer ones are not asked twice."""

ABSENT = -1  # the code of a term, or the id of an element, that is not there
NEVER = -1  # no transaction

Outside = tuple[str, ...]
"""What a text has around its strings."""

Situation = tuple[object, ...]
"""What a compiled text depends on besides itself: counts, clocks, limits."""


@dataclass(frozen=True, slots=True)
class SplitText:
    """A text in two parts: its strings, and the text around them."""

    outside: Outside
    strings: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> SplitText | None:
        """Return a text split; None for one with an escape, or too long to come again."""
        if len(text) > MOST_CHARACTERS or "\\" in text:
            return None
        pieces = text.rstrip().split('"')
        return cls(tuple(pieces[::2]), tuple(pieces[1::2])) if len(pieces) & 1 else None


@dataclass(frozen=True, slots=True)
class Lifted:
    """A string of the text that is a value."""

    slot: str
    place: int  # among the strings


@dataclass(frozen=True, slots=True)
class PreparedFind:
    """A FIND that is ready to run once it has its values."""

    find: ast.Find
    compiled: Compiled
    parameters: dict[str, SqlValue]  # all but those that the fields below name
    slots: tuple[str, ...]  # the values of the shape, in order
    lifted: tuple[Lifted, ...]
    given: tuple[Given, ...]
    placeholders: frozenset[str]
    page: Page | None  # None where a placeholder says it
    doubtless: int  # the transaction as of which all keys it reads are known
    is_open: bool  # whether it matches concepts of any type, or links of any predicate

    def bound(
        self, strings: Sequence[str], values: Mapping[str, Value], id_bits: bytes
    ) -> dict[str, SqlValue] | None:
        """Return the parameters of the SQL; None for values this shape does not fit.

        Raises what `canonical_name` does.
        """
        if values.keys() != self.placeholders:
            return None
        bound = self.parameters.copy()
        for one in self.lifted:
            text = strings[one.place]
            if not text.isprintable() or (values and "$" in text):
                return None
            if not one.slot.startswith("string"):
                if not text:
                    return None
                text = canonical_name(text)
            bound[one.slot] = text
            if one.slot.startswith("id"):
                bound[f"{one.slot}_element"] = element_of(id_bits, text)
        for given in self.given:
            try:
                value = given.value(values)
            except LookupError:
                return None
            bound[given.slot] = cast(SqlValue, value)
            if given.class_ == "id":
                bound[f"{given.slot}_element"] = element_of(id_bits, str(value))
        return bound

    def asked_page(self, values: Mapping[str, Value]) -> Page:
        """Return which rows are wanted."""
        return Page.of(self.find, Bindings(values)) if self.page is None else self.page


class PreparedFinds:
    """The FINDs of one group that were asked before; safe to share between threads."""

    def __init__(self) -> None:
        self._shaping: Cache[Outside, tuple[int, ...]] = Cache(1024)
        self._prepared: Cache[tuple[Outside, Outside, Situation], PreparedFind] = Cache(1024)

    def find(self, split: SplitText, situation: Situation) -> PreparedFind | None:
        """Return what was kept of a text like this one."""
        shaping = self._shaping.find(split.outside)
        if shaping is None:
            return None
        kept = tuple([split.strings[at] for at in shaping])
        return self._prepared.find((split.outside, kept, situation))

    def keep(self, split: SplitText, situation: Situation, prepared: PreparedFind) -> None:
        """Remember a text under the strings that belong to its shape."""
        values = {one.place for one in prepared.lifted}
        shaping = tuple(at for at in range(len(split.strings)) if at not in values)
        self._shaping.keep(split.outside, shaping)
        kept = tuple(split.strings[at] for at in shaping)
        self._prepared.keep((split.outside, kept, situation), prepared)


def element_of(id_bits: bytes, text: str) -> int:
    """Return the element that a computed id names, or a number that no element has."""
    found = element_id(id_bits, text)
    return ABSENT if found is None else found


def prepare(
    split: SplitText,
    find: ast.Find,
    compiled: Compiled,
    lifting: Lifting,
    parameters: dict[str, SqlValue],
    doubtless: int,
) -> PreparedFind | None:
    """Return a FIND that was just run as one to run again; None where its text cannot tell.

    Patterns of REGEX are checked when a tree is read, so they stay in the shape.
    """
    if lifting.is_shaped or find.cursor is not None:
        return None
    starts: dict[int, int] = {}
    at = 0
    for place, string in enumerate(split.strings):
        at += len(split.outside[place])
        starts[at] = place
        at += len(string) + 2
    patterns = {one.name for one in lifting.patterns}
    given = tuple(lifting.given)
    if not patterns.isdisjoint(one.slot for one in given):
        return None
    sizes = [one for one in (find.limit, find.offset) if isinstance(one, ast.Parameter)]
    return PreparedFind(
        find,
        compiled,
        parameters,
        tuple(lifting.values),
        tuple(
            Lifted(slot, starts[start])
            for slot, start in lifting.literals.items()
            if slot not in patterns and start in starts
        ),
        given,
        frozenset([*(one.placeholder for one in given), *(one.name for one in sizes)]),
        None if sizes else Page.of(find, Bindings({})),
        doubtless,
        matches_any(find.where),
    )
