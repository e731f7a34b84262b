"""What a SELECT's columns mean, for the layer that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Shape(StrEnum):
    """How the SQL columns of one column of the answer become its cells."""

    ELEMENT = "element"  # one integer id
    TEXT = "text"  # one string or NULL
    JSON = "json"  # one JSON text or NULL
    PLAIN = "plain"  # one SQL value, as it is
    SUM = "sum"  # four: the integers' high and low halves, the reals' sum, and their count
    AVG = "avg"  # the same, and the count of all
    ELEMENTS = "elements"  # one JSON array of integer ids
    VALUES = "values"  # one JSON array of values

    @property
    def width(self) -> int:
        """How many SQL columns it takes."""
        return _WIDTHS.get(self, 1)


_WIDTHS = {Shape.SUM: 4, Shape.AVG: 5}


@dataclass(frozen=True, slots=True)
class Output:
    """One column of the answer; `reduces` names what is left to do over a list of values."""

    shape: Shape
    reduces: str = ""  # "", distinct, sum, avg


@dataclass(frozen=True, slots=True)
class Paging:
    """What a query that is read in pages needs beside its rows: the keys they are ordered by.

    One that is continued goes on after the row whose keys are the parameters `after0`, `after1`
    and so on, if its rows have keys.
    """

    is_continued: bool = False


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query ready to run: SQL, the parameters it needs beside its values, its columns."""

    sql: str
    terms: Mapping[str, str]  # parameter -> type or predicate whose code it holds
    predicates: frozenset[str]  # those of `terms` that are predicates
    outputs: tuple[Output, ...]
    names: tuple[str, ...]
    reads: frozenset[str]  # names of the variables that are read from elements
    keys: tuple[int, ...] = ()  # SQL columns that a row is ordered by; none: only counting tells
    layout: str = ""  # what the keys are
    is_total: bool = False  # whether all columns aggregate, over all there is
    question: str = ""  # what tells its cursors from those of another query
