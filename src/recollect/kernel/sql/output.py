"""What a statement puts out: the solutions of a plan, their order, their columns, and their pages.

The rule: two rows are one solution by the ids of the element variables and by values, and their
keys tell every row from every other. The order of an answer is that of ORDER BY, then of the
solutions: by branch, by the ids of the element variables in order of first mention, by predicate
names. A row that stands for several solutions sits where the first of them would. So a page goes on
after a row whether that row is still there or not, and no row is counted. What cannot rest on what
is not true at all times is answered as fast as ever: that is asked of counts, and a doubt counts as
a yes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import takewhile

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import determined, is_unique, owners
from recollect.kernel.sql import nodes
from recollect.kernel.sql.filters import owner_id, value_of
from recollect.kernel.sql.rows import (
    BoundElement,
    HeldValue,
    JoinedTables,
    JsonValue,
    PredicateName,
    TextValue,
    comparable,
    json_of,
)
from recollect.kernel.store.port import JsonPart
from recollect.node import dataclass, field, replace


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
    question: Callable[[], str] = str  # what tells its cursors from those of another query


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


Position = list[tuple[nodes.Order, ir.Var | None]]
_NO_PROMISE = Statistics().uncertain()
_ORDERED = (PredicateName, HeldValue)  # values that a row is told by
_TYPES = {"number": "numeric", "string": "text"}
_SCALARS = {"number": "number", "string": "text"}
LIMIT = nodes.Param("limit", "bigint")
OFFSET = nodes.Param("offset", "bigint")


# How an answer keeps one row of each and its order. Two solutions are one row if what is shown has
# the same identity: an element by its id, a value by its owner. All the work here is to avoid doing
# that at run time: a plan whose hidden variables follow from the shown ones has no repeats, so it
# is one SELECT with ORDER BY and LIMIT. Where repeats are possible, but the first of a group is
# told by a least id, it is a GROUP BY. Only what is left numbers all solutions and keeps the first
# of each.
@dataclass(frozen=True, slots=True)
class Solutions:
    """The rows of a plan, with what their identity and order are made of.

    `branch` is the plan's only branch, or None where several were united; then
    `branch_number` is the column that tells them apart.
    """

    plan: ir.Plan
    rows: JoinedTables
    branch: ir.Branch | None
    branch_number: nodes.Expr | None
    classes: Mapping[ir.Var, str] = field(default_factory=dict)  # what FILTER tells of values

    def identity(self, place: int) -> tuple[nodes.Expr, ...]:
        """Return what makes a variable's value this one: an id, or an owner and a value.

        In a single branch a value follows from its owner.
        """
        var = self.plan.variables[place]
        if var.is_element:
            return (self.rows.element(var).id,)
        match self.rows.bindings[var]:
            case PredicateName() as name:
                return (name.code,)
            case HeldValue() as held:
                if held.is_of_owner:
                    return (held.owner,)
                return (held.owner, comparable(value_of(self.rows, var)))
        return (owner_id(self.rows, var),)

    def position(self) -> Position:
        """Return the order of the solutions, each key with the variable it belongs to."""
        keys: Position = []
        if self.branch_number is not None:
            keys.append((nodes.Order(self.branch_number), None))
        for var in self.plan.variables:
            if var.is_element:
                element = self.rows.element(var)
                if not isinstance(element.id, nodes.Null):  # of nothing there is no order
                    keys.append((nodes.Order(element.id, nulls_last=element.is_nullable), var))
        ids = [order.key for order, _ in keys]
        for var in self.plan.variables:
            binding = self.rows.bindings[var]
            if isinstance(binding, HeldValue) and binding.is_of_owner and binding.owner in ids:
                continue
            if isinstance(binding, _ORDERED):
                keys += [(order, var) for order in self.value_order(var, is_descending=False)]
        return keys

    def sparing_position(self) -> list[nodes.Order]:
        """Return the order of a single branch without the keys that follow from those before."""
        keys: list[nodes.Order] = []
        implied = self._implied(())
        last: ir.Var | None = None
        for order, var in self.position():
            assert var is not None
            if var == last:
                keys.append(order)
            elif var not in implied:
                keys.append(order)
                implied, last = self._implied((*implied, var)), var
        return keys

    def value_order(self, var: ir.Var, *, is_descending: bool) -> list[nodes.Order]:
        """Return the sort keys of a variable: nulls last, then by class, then by value."""
        if var.is_element:
            element = self.rows.element(var)
            return [nodes.Order(element.id, is_descending, element.is_nullable)]
        value = value_of(self.rows, var)
        key = self.comparable(var)
        if isinstance(value, TextValue):
            return [nodes.Order(key, is_descending, value.is_nullable, "text")]
        if var in self.classes:
            return [nodes.Order(key, is_descending, type=_TYPES[self.classes[var]])]
        rank = nodes.SqlCall("type_rank", (value.part(JsonPart.TYPE),))
        return [
            nodes.Order(rank, is_descending, nulls_last=True),
            *self._within_class(key, is_descending=is_descending),
        ]

    def _within_class(self, key: nodes.Expr, *, is_descending: bool) -> list[nodes.Order]:
        """Return the order of comparable values of one class."""
        return [
            nodes.Order(nodes.SqlCall(function, (key,)), is_descending, type=type_)
            for function, type_ in self.rows.context.dialect.value_order
        ] or [nodes.Order(key, is_descending)]

    def ranked(self, var: ir.Var, key: nodes.Expr, *, is_descending: bool) -> list[nodes.Order]:
        """Return the order of a comparable value: null last, boolean < number < string < rest."""
        if var in self.classes or isinstance(value_of(self.rows, var), TextValue):
            return [nodes.Order(key, is_descending, nulls_last=True)]
        return [
            nodes.Order(nodes.SqlCall("rank", (key,)), is_descending, nulls_last=True),
            *self._within_class(key, is_descending=is_descending),
        ]

    def comparable(self, var: ir.Var) -> nodes.Expr:
        """Return what equal values share; where a FILTER tells the class, the value itself."""
        value = value_of(self.rows, var)
        if isinstance(value, JsonValue) and var in self.classes:
            parts = value.part(JsonPart.TYPE), value.part(JsonPart.VALUE)
            return nodes.SqlCall(f"{_SCALARS[self.classes[var]]}_in", parts)
        return comparable(value)

    def column(self, place: int) -> tuple[nodes.Expr, OutputColumn]:
        """Return the expression that shows a variable."""
        var = self.plan.variables[place]
        if var.is_element:
            return self.rows.element(var).id, OutputColumn(Shape.ELEMENT)
        value = value_of(self.rows, var)
        if isinstance(value, TextValue):
            return value.expr, OutputColumn(Shape.TEXT)
        return json_of(value), OutputColumn(Shape.JSON)

    def _shown(self, column: ir.Plain) -> tuple[nodes.Expr, OutputColumn]:
        if column.shows_owner:
            var = self.plan.variables[column.variable]
            return owner_id(self.rows, var), OutputColumn(Shape.PLAIN)
        return self.column(column.variable)

    def are_unique(self) -> bool:
        """Whether the rows are a set of solutions as they stand."""
        if self.branch is None:
            return False
        return is_unique(self.branch, self._implied(self.branch.exports))

    def query(self, paging: Paging | None) -> tuple[nodes.Query, tuple[OutputColumn, ...], Keyed]:
        """Return the SELECT of an answer without aggregates: one row for each identity.

        Then what its columns show, and the columns themselves, with those of keys if it is paged.
        """
        plain = [column for column in self.plan.columns if isinstance(column, ir.Plain)]
        shown = [self._shown(column) for column in plain]
        columns = tuple((expr, f"c{at}") for at, (expr, _) in enumerate(shown))
        places = [column.variable for column in plain]
        select, page = self._select(columns, places, is_paged=paging is not None)
        if paging is not None and paging.is_continued:
            select = page.after(select)
        return select, tuple(output for _, output in shown), page

    def _select(
        self, columns: Columns, places: list[int], *, is_paged: bool
    ) -> tuple[nodes.Select | nodes.FirstOfEach, Keyed]:
        sorts, sorted_by = self._sorts()
        position = self.position()
        telling = self._telling(position, sorted_by) if is_paged else []

        def keyed(place: Position) -> Keyed:
            keys = [*sorts, *(place[at][0] for at in telling if at < len(place))]
            return Keyed.of(columns, list(dict.fromkeys(keys)) if is_paged else ())

        # Three ways, the cheapest that is right: as the rows stand, grouped, or numbered.
        identity = tuple(dict.fromkeys(expr for place in places for expr in self.identity(place)))
        orders = tuple(dict.fromkeys([*sorts, *(order for order, _ in position)]))
        if self.branch is not None:
            keys = self._keys(places)
            known = self._implied(keys)
            if is_unique(self.branch, known):
                page = keyed(position)
                orders = tuple(dict.fromkeys([*sorts, *self.sparing_position()]))
                return self._page(page.columns, (), orders), page
            # Repeats are possible. GROUP BY serves if every sort key is the same throughout a
            # group, and the groups can be told apart by the keys that are.
            first = _first(position, known)
            ordered = self._implied(var for _, var in first if var in known)
            if known.issuperset(sorted_by) and ordered.issuperset(keys):
                orders = tuple(dict.fromkeys([*sorts, *(order for order, _ in first)]))
                page = keyed(first)
                return self._page(page.columns, identity, orders), page
        elif self._is_of(identity, sorted_by):
            first = _first_of_branches(position, identity)
            if {order.key for order, _ in first}.issuperset(identity):
                orders = tuple(dict.fromkeys([*sorts, *(order for order, _ in first)]))
                page = keyed(first)
                return self._page(page.columns, identity, orders), page
        # Neither: which solution is the first of its group is known only once all are in order.
        page = keyed(position)
        return self._first_of_each(page.columns, identity, orders), page

    def _is_of(self, identity: Iterable[nodes.Expr], variables: Iterable[ir.Var]) -> bool:
        """Whether the values of the variables follow from the identity of a row."""
        known = frozenset(identity)
        places = (self.plan.variables.index(var) for var in variables)
        return all(known.issuperset(self.identity(place)) for place in places)

    def _telling(self, position: Position, sorted_by: Iterable[ir.Var]) -> list[int]:
        """Return the places in the position of what does not follow from what stands before.

        It rests on nothing that another page may find otherwise: neither counts nor nulls.
        """
        if self.branch is None:
            return list(range(len(position)))
        told = set(sorted_by)
        kept: set[ir.Var] = set()
        telling: list[int] = []
        for at, (_, var) in enumerate(position):
            assert var is not None
            # Counts may change before the next page is asked for, so nothing is concluded from
            # them.
            if var not in kept:
                follows = determined(self.branch, told, _NO_PROMISE)
                if var in follows and not self._is_nullable(var):
                    continue
            kept.add(var)
            told.add(var)
            telling.append(at)
        return telling

    def _is_nullable(self, var: ir.Var) -> bool:
        match self.rows.bindings[var]:
            case BoundElement() | PredicateName() as found:
                return found.is_nullable
        return True

    def _keys(self, places: Iterable[int]) -> list[ir.Var]:
        """Return the variables whose identity the shown columns are: a value's is its owner's."""
        assert self.branch is not None
        owner = owners(self.branch)
        exports = (self.branch.exports[place] for place in places)
        return [owner.get(var, var) for var in exports]

    def _implied(self, keys: Iterable[ir.Var]) -> frozenset[ir.Var]:
        assert self.branch is not None
        return determined(self.branch, keys, self.rows.context.statistics)

    def _sorts(self) -> tuple[list[nodes.Order], set[ir.Var]]:
        orders: list[nodes.Order] = []
        variables: set[ir.Var] = set()
        for sort in self.plan.order_by:
            assert isinstance(sort.key, ir.Plain)
            var = self.plan.variables[sort.key.variable]
            variables.add(var)
            orders += self.value_order(var, is_descending=sort.is_descending)
        return orders, variables

    def _page(
        self, columns: Columns, group_by: tuple[nodes.Expr, ...], orders: tuple[nodes.Order, ...]
    ) -> nodes.Select:
        return nodes.Select(
            columns,
            tuple(self.rows.tables),
            tuple(self.rows.where),
            group_by=group_by,
            order_by=orders,
            limit=LIMIT,
            offset=OFFSET,
        )

    def _first_of_each(
        self, columns: Columns, identity: tuple[nodes.Expr, ...], orders: tuple[nodes.Order, ...]
    ) -> nodes.FirstOfEach:
        """Number the solutions in order and keep the first of each identity."""
        numbered = self.rows.select(
            *columns,
            *((expr, f"i{at}") for at, expr in enumerate(identity)),
            (nodes.RowNumber(orders), "n"),
        )
        names = (*(name for _, name in columns), "n")
        places = tuple(f"i{at}" for at in range(len(identity)))
        return nodes.FirstOfEach(nodes.From(numbered, "q"), names, places, "n", LIMIT, OFFSET)


def _first(position: Position, known: frozenset[ir.Var]) -> Position:
    """Return the leading keys of the position of a group's first solution.

    What the known variables determine is the same throughout a group. Of what is left, the
    least id comes first; after a second one the least of all keys is no longer the first's.
    """
    keys: Position = []
    hidden: ir.Var | None = None
    for order, var in position:
        if var is None or (var not in known and (not var.is_element or hidden not in (None, var))):
            break
        if var not in known:
            hidden = var
            least = nodes.FoldOf("min", order.key)
            keys.append((nodes.Order(least, order.is_descending, order.nulls_last), var))
        else:
            keys.append((order, var))
    return keys


def _first_of_branches(position: Position, identity: Iterable[nodes.Expr]) -> Position:
    """Return the leading keys of a group's first solution, where several branches may give it.

    They are its first branch, and what is the same throughout the group.
    """
    (branch, _), *others = position
    known = frozenset(identity)
    first: Position = [(nodes.Order(nodes.FoldOf("min", branch.key)), None)]
    return first + list(takewhile(lambda one: one[0].key in known, others))
