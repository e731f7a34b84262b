"""Aggregates: groups by value over the distinct solutions, each where its first one sits.

What equal values share costs more to tell than their JSON text does. So values that are held as
text are grouped by the text first, where the aggregates allow it, and then the groups by value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import (
    HeldValue,
    JsonValue,
    TextValue,
    comparable,
    json_of,
    number_of,
    text_of,
)
from recollect.kernel.sql.output import Output, Shape
from recollect.kernel.sql.reads import value_of
from recollect.kernel.sql.solutions import LIMIT, OFFSET, Solutions, ranked

_HALF = nodes.Number(32)
_LOW = nodes.Number(2**32 - 1)
_GROUPED = "q"
_MERGING = {ast.Function.COUNT: "sum", ast.Function.MIN: "min", ast.Function.MAX: "max"}
"""Aggregates of a whole that follow from those of its parts, and how."""


def _merges(solutions: Solutions) -> bool:
    """Whether the solutions are grouped by JSON text first, and those groups by value."""
    plan, bindings = solutions.plan, solutions.rows.bindings
    keys = [plan.variables[one.variable] for one in plan.columns if isinstance(one, ir.Plain)]
    held = [
        one for one in map(bindings.get, keys) if isinstance(one, HeldValue) and not one.is_text
    ]
    if not held or not solutions.are_unique():
        return False
    for one in (*plan.columns, *[sort.key for sort in plan.order_by]):
        if isinstance(one, ir.Fold) and (one.is_distinct or one.function not in _MERGING):
            return False
    return not isinstance(_number(solutions.sparing_position()), nodes.RowNumber)


class Folds:
    """Builds the query of a plan with aggregates."""

    def __init__(self, solutions: Solutions) -> None:
        self._solutions = solutions
        self._merges = _merges(solutions)
        self._inner: dict[str, nodes.Expr] = {}
        self._parts: dict[str, nodes.Expr] = {}  # what solutions are grouped by first, if twice
        self._needs_order = False

    def query(self) -> tuple[nodes.Query, tuple[Output, ...]]:
        """Return the SELECT over the solutions, and what its columns mean."""
        plan = self._solutions.plan
        columns: list[tuple[nodes.Expr, str]] = []
        outputs: list[Output] = []
        keys: list[nodes.Expr] = []
        for column in plan.columns:
            if isinstance(column, ir.Plain):
                expr, output = self._shown(column.variable)
                keys.append(self._key(column.variable))
                columns.append((expr, f"c{len(columns)}"))
                outputs.append(output)
            else:
                folded, output = self._fold(column)
                columns += [(one, f"c{len(columns) + at}") for at, one in enumerate(folded)]
                outputs.append(output)
        orders = self._orders(has_groups=bool(keys))
        query = nodes.Select(
            tuple(columns),
            (nodes.From(self._source(), _GROUPED),),
            group_by=tuple(dict.fromkeys(keys)),
            order_by=tuple(orders),
            limit=LIMIT,
            offset=OFFSET,
        )
        return query, tuple(outputs)

    def _add(self, name: str, expr: nodes.Expr) -> nodes.Expr:
        """Add a column to the inner SELECT and return it as the outer one sees it."""
        self._inner[name] = expr
        return nodes.Column(_GROUPED, name)

    def _comparable(self, place: int) -> nodes.Expr:
        var = self._solutions.plan.variables[place]
        if var.is_element:
            return self._solutions.rows.element(var).id
        return self._solutions.comparable(var)

    def _key(self, place: int) -> nodes.Expr:
        """Return what the values of one group share."""
        if self._merges:
            shown, output = self._solutions.column(place)
            if output.shape is Shape.JSON:
                return comparable(JsonValue(self._part(f"j{place}", shown)))
        return self._part(f"k{place}", self._comparable(place))

    def _part(self, name: str, expr: nodes.Expr) -> nodes.Expr:
        self._parts[name] = expr
        return self._add(name, expr)

    def _shown(self, place: int) -> tuple[nodes.Expr, Output]:
        """Return the expression that shows a group's value: one of the equal ones."""
        shown, output = self._solutions.column(place)
        if output.shape is not Shape.JSON:
            return self._key(place), output
        return nodes.Call("any_value", (self._add(f"j{place}", shown),)), output

    def _aggregate(self, function: ast.Function, name: str, expr: nodes.Expr) -> nodes.Expr:
        """Return COUNT, MIN or MAX of what the inner SELECT computes."""
        called = function.lower()
        if not self._merges:
            return nodes.FoldOf(called, self._add(name, expr))
        part = self._add(f"{called}_{name}", nodes.FoldOf(called, expr))
        return nodes.FoldOf(_MERGING[function], part)

    def _fold(self, fold: ir.Fold) -> tuple[list[nodes.Expr], Output]:
        place = fold.variable
        match fold.function:
            case ast.Function.COUNT:
                return [self._count(fold)], Output(Shape.PLAIN)
            case ast.Function.COLLECT:
                return self._collect(place, "distinct" if fold.is_distinct else "")
            case ast.Function.MIN | ast.Function.MAX:
                return [self._extreme(fold)], Output(Shape.PLAIN)
            case ast.Function.SUM | ast.Function.AVG:
                if fold.is_distinct:
                    return self._collect(place, fold.function.lower())
                return self._sum(fold)
            case _:
                assert_never(fold.function)

    def _count(self, fold: ir.Fold) -> nodes.Expr:
        name = f"k{fold.variable}"
        counted = self._comparable(fold.variable)
        if fold.is_distinct:
            return nodes.FoldOf("count", self._add(name, counted), is_distinct=True)
        var = self._solutions.plan.variables[fold.variable]
        if not var.is_element or self._solutions.rows.element(var).is_nullable:
            return self._aggregate(fold.function, name, counted)
        every = nodes.FoldOf("count", None)
        return nodes.FoldOf("sum", self._add("every", every)) if self._merges else every

    def _collect(self, place: int, reduces: str) -> tuple[list[nodes.Expr], Output]:
        self._needs_order = True
        expr, output = self._solutions.column(place)
        if output.shape is Shape.ELEMENT:
            shown = self._add(f"k{place}", expr)
            shape = Shape.ELEMENTS
        else:
            value = value_of(self._solutions.rows, self._solutions.plan.variables[place])
            is_null = nodes.IsNull(self._comparable(place))
            text = nodes.Case(((is_null, nodes.Null()),), json_of(value))
            shown = nodes.Call("json", (self._add(f"t{place}", text),))
            shape = Shape.VALUES
        order = nodes.Column(_GROUPED, "n")
        array = nodes.FoldOf("json_group_array", shown, order=order, skips_null=True)
        return [array], Output(shape, reduces)

    def _extreme(self, fold: ir.Fold) -> nodes.Expr:
        """Return MIN or MAX over numbers and strings: SQLite orders them as KIP does."""
        var = self._solutions.plan.variables[fold.variable]
        scalar: nodes.Expr = nodes.Null()
        if not var.is_element:
            value = value_of(self._solutions.rows, var)
            scalar = nodes.Call("coalesce", (number_of(value), text_of(value)))
            if isinstance(value, TextValue):
                scalar = value.expr
        return self._aggregate(fold.function, f"m{fold.variable}", scalar)

    def _sum(self, fold: ir.Fold) -> tuple[list[nodes.Expr], Output]:
        """Sum the integers in two halves, so that no sum overflows, and the reals apart."""
        number = self._number(fold.variable)
        is_integer = nodes.Call("is_integer", (number,))
        is_real = nodes.Call("is_real", (number,))
        high = nodes.Case(((is_integer, nodes.Binary(">>", number, _HALF)),))
        low = nodes.Case(((is_integer, nodes.Binary("&", number, _LOW)),))
        real = nodes.Case(((is_real, number),))
        parts: list[nodes.Expr] = [
            nodes.FoldOf("sum", high),
            nodes.FoldOf("sum", low),
            nodes.FoldOf("sum", real),
            nodes.FoldOf("count", real),
        ]
        if fold.function is ast.Function.SUM:
            return parts, Output(Shape.SUM)
        return [*parts, nodes.FoldOf("count", number)], Output(Shape.AVG)

    def _orders(self, *, has_groups: bool) -> list[nodes.Order]:
        orders: list[nodes.Order] = []
        for sort in self._solutions.plan.order_by:
            orders += self._sort(sort)
        if has_groups:
            self._needs_order = True
            orders.append(nodes.Order(nodes.FoldOf("min", nodes.Column(_GROUPED, "n"))))
        return orders

    def _sort(self, sort: ir.Sort) -> list[nodes.Order]:
        if isinstance(sort.key, ir.Plain):
            var = self._solutions.plan.variables[sort.key.variable]
            key = self._key(sort.key.variable)
            if var.is_element:
                return [nodes.Order(key, sort.is_descending, nulls_last=True)]
            return ranked(key, is_descending=sort.is_descending)
        is_nullable = sort.key.function is not ast.Function.COUNT
        return [nodes.Order(self._fold_key(sort.key), sort.is_descending, is_nullable)]

    def _fold_key(self, fold: ir.Fold) -> nodes.Expr:
        """Return what an aggregate is sorted by; sums and averages as real numbers."""
        match fold.function:
            case ast.Function.COUNT | ast.Function.MIN | ast.Function.MAX:
                return self._fold(fold)[0][0]
            case ast.Function.COLLECT:
                return nodes.Call("canonical_json", (self._fold(fold)[0][0],))
            case ast.Function.SUM | ast.Function.AVG:
                real = nodes.Call("real", (self._number(fold.variable),))
                name = "sum" if fold.function is ast.Function.SUM else "avg"
                key: nodes.Expr = nodes.FoldOf(name, real, fold.is_distinct)
                is_sum = fold.function is ast.Function.SUM
                return nodes.Call("coalesce", (key, nodes.Number(0))) if is_sum else key
            case _:
                assert_never(fold.function)

    def _number(self, place: int) -> nodes.Expr:
        var = self._solutions.plan.variables[place]
        number: nodes.Expr = nodes.Null()
        if not var.is_element:
            number = number_of(value_of(self._solutions.rows, var))
        return self._add(f"s{place}", number)

    def _source(self) -> nodes.Query:
        """Return the solutions, each once, with the columns the folds read and their place."""
        solutions = self._solutions
        columns = [(expr, name) for name, expr in self._inner.items()]
        if solutions.are_unique():
            number = _number(solutions.sparing_position())
            if self._merges:
                columns.append((nodes.FoldOf("min", number), "n"))
                parts = tuple(self._parts.values())
                return replace(solutions.rows.select(*columns), group_by=parts)
            if self._needs_order:
                columns.append((number, "n"))
            return solutions.rows.select(*(columns or [(nodes.Number(1), "one")]))
        position = solutions.position()
        places = range(len(solutions.plan.variables))
        identity = dict.fromkeys([expr for place in places for expr in solutions.identity(place)])
        keys = [
            nodes.Order(nodes.Column("d", f"o{at}"), order.is_descending, order.nulls_last)
            for at, (order, _) in enumerate(position)
        ]
        each = solutions.rows.select(
            *columns,
            *[(expr, f"i{at}") for at, expr in enumerate(identity)],
            *[(order.key, f"o{at}") for at, (order, _) in enumerate(position)],
        )
        kept = [(nodes.Column("e", name), name) for _, name in columns]
        firsts = [
            (_first("e", f"o{at}", is_branch=at == 0), f"o{at}") for at in range(len(position))
        ]
        groups = tuple([nodes.Column("e", f"i{at}") for at in range(len(identity))])
        once = nodes.Select(
            (*kept, *firsts), (nodes.From(each, "e"),), group_by=groups or (nodes.Null(),)
        )
        outer = [(nodes.Column("d", name), name) for _, name in columns]
        if not self._needs_order:
            return once
        number = _number(keys)
        return nodes.Select((*outer, (number, "n")), (nodes.From(once, "d"),))


def _first(table: str, name: str, *, is_branch: bool) -> nodes.Expr:
    """Return a key of the position; of equal solutions the one of the first branch counts."""
    column = nodes.Column(table, name)
    return nodes.FoldOf("min", column) if is_branch else column


def _number(orders: list[nodes.Order]) -> nodes.Expr:
    """Return what numbers the solutions in order: an only id does so by itself."""
    if not orders:
        return nodes.Number(1)
    if len(orders) == 1 and not orders[0].nulls_last:
        return orders[0].key
    return nodes.RowNumber(tuple(orders))
