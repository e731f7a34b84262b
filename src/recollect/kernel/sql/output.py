"""What a SELECT's columns mean; and pages, whose rows carry the keys they are ordered by.

The rule: keys tell every row from every other, so a page goes on after a row whether that row
is still there or not, and no row is counted.

Whether an answer can rest on what is not true at all times: asked of counts, not of rows.

The rule: what cannot is answered as fast as ever; a doubt counts as a yes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from recollect.kernel.lang import ast
from recollect.kernel.plan.determined import Statistics
from recollect.kernel.sql import nodes
from recollect.node import dataclass, replace


class Shape(StrEnum):
    """How the SQL columns of one column of the answer become its cells."""

    ELEMENT = "element"  # one integer id
    TEXT = "text"  # one string or NULL
    JSON = "json"  # one JSON text or NULL
    PLAIN = "plain"  # one SQL value, as it is
    SUM = "sum"  # four: the integers' high and low halves, the reals' sum, and their count
    AVG = "avg"  # the same, and the count of all
    EXTREME = "extreme"  # three: the least or greatest whole number, real and string
    ELEMENTS = "elements"  # one JSON array of integer ids
    VALUES = "values"  # one JSON array of values

    @property
    def width(self) -> int:
        """How many SQL columns it takes."""
        return _WIDTHS.get(self, 1)


_WIDTHS = {Shape.SUM: 4, Shape.AVG: 5, Shape.EXTREME: 3}


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """One column of the answer; `reduces` names what is left to do over what it holds."""

    shape: Shape
    reduces: str = ""  # "", distinct, sum, avg, min, max


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
    patterns: frozenset[str]  # regular expressions that are bound in the engine's own form too
    outputs: tuple[OutputColumn, ...]
    names: tuple[str, ...]
    reads: frozenset[str]  # names of the variables that are read from elements
    keys: tuple[int, ...] = ()  # SQL columns that a row is ordered by; none: only counting tells
    layout: str = ""  # what the keys are
    is_total: bool = False  # whether all columns aggregate, over all there is
    question: str = ""  # what tells its cursors from those of another query


Columns = tuple[tuple[nodes.Expr, str], ...]
_PAGE = "p"
_RANKS = ("rank", "type_rank")


@dataclass(frozen=True, slots=True)
class Keyed:
    """The columns of an answer with those of its keys; `names` are the columns of the keys."""

    columns: Columns
    keys: tuple[nodes.Order, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Columns, keys: Sequence[nodes.Order]) -> Keyed:
        """Return the columns with one more for each key that is not shown anyway."""
        all_columns = list(columns)
        names: list[str] = []
        shown = dict(reversed(columns))
        for key in keys:
            held = _held(key)
            if held not in shown:
                shown[held] = f"k{len(names)}"
                all_columns.append((held, shown[held]))
            names.append(shown[held])
        return cls(tuple(all_columns), tuple(keys), tuple(names))

    @property
    def places(self) -> tuple[int, ...]:
        """Where the keys stand among the columns."""
        at = {name: place for place, (_, name) in enumerate(self.columns)}
        return tuple(at[name] for name in self.names)

    @property
    def layout(self) -> str:
        """What the keys are: those of two queries are compared where their layouts are equal."""
        return "".join(
            ("-" if key.is_descending else "+")
            + ("0" if key.nulls_last else "")
            + ("r" if isinstance(key.key, nodes.SqlCall) and key.key.function in _RANKS else "")
            for key in self.keys
        )

    def after(self, select: nodes.Select | nodes.FirstOfEach) -> nodes.Select | nodes.FirstOfEach:
        """Return what a SELECT of these columns has after a row whose keys are given."""
        if not self.keys:
            return select
        if isinstance(select, nodes.FirstOfEach):
            inner: nodes.Query = replace(select, limit=None, offset=None)
        elif not select.group_by:
            return replace(select, where=(*select.where, *_beyond(self.keys)))
        else:
            inner = replace(select, order_by=(), limit=None, offset=None)
        columns = tuple((nodes.Column(_PAGE, name), name) for _, name in self.columns)
        keys = tuple(
            replace(key, key=_read(key, nodes.Column(_PAGE, name)))
            for key, name in zip(self.keys, self.names, strict=True)
        )
        return nodes.Select(
            columns,
            (nodes.From(inner, _PAGE),),
            _beyond(keys),
            order_by=keys,
            limit=select.limit,
            offset=select.offset,
        )


def _held(order: nodes.Order) -> nodes.Expr:
    """Return a key as a row carries it: as a text where a number may have too many digits."""
    return nodes.SqlCall("shown_number", (order.key,)) if order.type == "numeric" else order.key


def _read(order: nodes.Order, held: nodes.Expr) -> nodes.Expr:
    return nodes.SqlCall("read_number", (held,)) if order.type == "numeric" else held


def _beyond(keys: Sequence[nodes.Order]) -> tuple[nodes.Expr, ...]:
    """Return the conditions for rows after the one whose keys are given; NULL is its own equal.

    A first key that is a column is bounded by itself too, so that an index can begin there.
    """
    condition: nodes.Expr = nodes.Any(())
    for at, order in reversed(list(enumerate(keys))):
        given = nodes.Param(f"after{at}", order.type)
        beyond: nodes.Expr
        beyond = nodes.Binary("<" if order.is_descending else ">", order.key, given)
        if order.nulls_last:
            is_first_null = nodes.IsNull(order.key), nodes.IsNull(given, is_negated=True)
            beyond = nodes.Any((beyond, nodes.All(is_first_null)))
        same = nodes.SqlCall("same", (order.key, given))
        is_last = at == len(keys) - 1
        condition = beyond if is_last else nodes.Any((beyond, nodes.All((same, condition))))
    first = keys[0]
    is_bounded = not first.is_descending and not first.nulls_last
    if len(keys) > 1 and isinstance(first.key, nodes.Column) and is_bounded:
        given = nodes.Param("after0", first.type)
        if first.type == "text":
            return nodes.SqlCall("from_text", (first.key, given)), condition
        return nodes.Binary(">=", first.key, given), condition
    return (condition,)


def may_rest(compiled: Compiled, statistics: Statistics, *, is_open: bool) -> bool:
    """Whether an answer can rest on what is not true at all times, as far as the counts tell.

    `is_open` is what `matches_any` says of its query.
    """
    types, predicates = statistics.bounded_types, statistics.bounded_links
    if not types and not predicates:
        return False
    links, names = compiled.predicates, compiled.terms
    if any(text in (predicates if slot in links else types) for slot, text in names.items()):
        return True
    return bool(types and (links or is_open)) or bool(predicates and is_open)


def matches_any(clauses: Iterable[ast.Clause]) -> bool:
    """Whether a clause matches concepts of any type, or links of any predicate."""
    return any(map(_is_open, clauses))


def _is_open(clause: ast.Clause) -> bool:
    match clause:
        case ast.ConceptClause():
            return clause.pattern.type is None
        case ast.LinkClause(pattern=ast.LinkPattern() as pattern):
            return isinstance(pattern.predicate, ast.Variable)
        case ast.LinkClause():
            return True
        case ast.OptionalClause() | ast.UnionClause():
            return matches_any(clause.clauses)
        case _:
            return False
