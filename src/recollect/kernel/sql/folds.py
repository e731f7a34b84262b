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
from recollect.kernel.sql.filters import value_of
from recollect.kernel.sql.output import LIMIT, OFFSET, OutputColumn, Shape, Solutions
from recollect.kernel.sql.rows import (
    HeldValue,
    JsonValue,
    TextValue,
    comparable,
    json_of,
    number_of,
    text_of,
    written_number,
)

_HALF = nodes.Number(32)
_LOW = nodes.Number(2**32 - 1)
_GROUPED = "q"
_PLAIN = OutputColumn(Shape.PLAIN)
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
        self._has_types = solutions.rows.context.dialect.has_types

    def query(self) -> tuple[nodes.Query, tuple[OutputColumn, ...]]:
        """Return the SELECT over the solutions, and what its columns mean."""
        plan = self._solutions.plan
        columns: list[tuple[nodes.Expr, str]] = []
        outputs: list[OutputColumn] = []
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

    def _shown(self, place: int) -> tuple[nodes.Expr, OutputColumn]:
        """Return the expression that shows a group's value: one of the equal ones."""
        shown, output = self._solutions.column(place)
        if output.shape is not Shape.JSON:
            return self._key(place), output
        if isinstance(shown, nodes.Json) and not self._merges:  # read once a group, not once a row
            document = nodes.SqlCall("any_value", (self._add(f"d{place}", shown.document),))
            return replace(shown, document=document), output
        return nodes.SqlCall("any_value", (self._add(f"j{place}", shown),)), output

    def _aggregate(self, function: ast.Function, name: str, expr: nodes.Expr) -> nodes.Expr:
        """Return COUNT, MIN or MAX of what the inner SELECT computes."""
        called = function.lower()
        if not self._merges:
            return nodes.FoldOf(called, self._add(name, expr))
        part = self._add(f"{called}_{name}", nodes.FoldOf(called, expr))
        merged = nodes.FoldOf(_MERGING[function], part)
        return nodes.SqlCall("whole_number", (merged,)) if called == "count" else merged

    def _fold(self, fold: ir.Fold) -> tuple[list[nodes.Expr], OutputColumn]:
        place = fold.variable
        match fold.function:
            case ast.Function.COUNT:
                return [self._count(fold)], OutputColumn(Shape.PLAIN)
            case ast.Function.COLLECT:
                return self._collect(place, "distinct" if fold.is_distinct else "")
            case ast.Function.MIN | ast.Function.MAX:
                return self._extreme(fold)
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
        if not self._merges:
            return every
        return nodes.SqlCall("whole_number", (nodes.FoldOf("sum", self._add("every", every)),))

    def _collect(self, place: int, reduces: str) -> tuple[list[nodes.Expr], OutputColumn]:
        self._needs_order = True
        expr, output = self._solutions.column(place)
        if output.shape is Shape.ELEMENT:
            shown = self._add(f"k{place}", expr)
            shape = Shape.ELEMENTS
        else:
            value = value_of(self._solutions.rows, self._solutions.plan.variables[place])
            is_null = nodes.IsNull(self._comparable(place))
            text = nodes.Case(((is_null, nodes.Null("text")),), json_of(value))
            shown = nodes.SqlCall("json", (self._add(f"t{place}", text),))
            shape = Shape.VALUES
        order = nodes.Column(_GROUPED, "n")
        array = nodes.FoldOf("json_group_array", shown, order=order, skips_null=True)
        return [nodes.SqlCall("array", (array,))], OutputColumn(shape, reduces)

    def _extreme(self, fold: ir.Fold) -> tuple[list[nodes.Expr], OutputColumn]:
        """Return MIN or MAX over numbers and strings: some engines order them as KIP does."""
        function, name = fold.function, f"m{fold.variable}"
        value = self._json_value(fold.variable)
        if value is None:
            return [self._aggregate(function, name, self._text(fold.variable))], _PLAIN
        if not self._has_types:
            scalar = nodes.SqlCall("coalesce", (number_of(value), text_of(value)))
            return [self._aggregate(function, name, scalar)], _PLAIN
        number = written_number(value)
        parts = (
            nodes.Case(((nodes.SqlCall("is_integer", (number,)), _whole(number)),)),
            nodes.Case(((nodes.SqlCall("is_real", (number,)), _real(number)),)),
            text_of(value),
        )
        found = [self._aggregate(function, f"{name}_{at}", one) for at, one in enumerate(parts)]
        return found, OutputColumn(Shape.EXTREME, function.lower())

    def _extreme_order(self, fold: ir.Fold, *, is_descending: bool) -> list[nodes.Order]:
        """Return the order of MIN or MAX: numbers before strings."""
        value = self._json_value(fold.variable)
        if value is None or not self._has_types:
            (extreme,), _ = self._extreme(fold)
            return [nodes.Order(extreme, is_descending, nulls_last=True)]
        number = self._aggregate(fold.function, f"x{fold.variable}", number_of(value))
        text = self._aggregate(fold.function, f"m{fold.variable}_2", text_of(value))
        of_number = nodes.IsNull(number, is_negated=True), nodes.Number(0)
        of_text = nodes.IsNull(text, is_negated=True), nodes.Number(1)
        if fold.function is ast.Function.MIN:
            rank = nodes.Case((of_number, of_text))
            text = nodes.Case(((nodes.IsNull(number), text),))
        else:
            rank = nodes.Case((of_text, of_number))
            number = nodes.Case(((nodes.IsNull(text), number),))
        first = nodes.Order(rank, is_descending, nulls_last=True)
        return [first, nodes.Order(number, is_descending), nodes.Order(text, is_descending)]

    def _json_value(self, place: int) -> JsonValue | None:
        """Return a value of any type; None for an element or what can only be a string."""
        var = self._solutions.plan.variables[place]
        value = None if var.is_element else value_of(self._solutions.rows, var)
        return value if isinstance(value, JsonValue) else None

    def _text(self, place: int) -> nodes.Expr:
        """Return what can only be a string; of an element there is none."""
        var = self._solutions.plan.variables[place]
        value = None if var.is_element else value_of(self._solutions.rows, var)
        return value.expr if isinstance(value, TextValue) else nodes.Null("text")

    def _sum(self, fold: ir.Fold) -> tuple[list[nodes.Expr], OutputColumn]:
        """Sum the integers in two halves, so that no sum overflows, and the reals apart."""
        number = self._number(fold.variable)
        is_integer = nodes.SqlCall("is_integer", (number,))
        is_real = nodes.SqlCall("is_real", (number,))
        high = nodes.Case(((is_integer, nodes.Binary(">>", _whole(number), _HALF)),))
        low = nodes.Case(((is_integer, nodes.Binary("&", _whole(number), _LOW)),))
        real = nodes.Case(((is_real, _real(number)),))
        reals = nodes.FoldOf("sum_of_reals", real, skips_null=self._has_types)
        parts: list[nodes.Expr] = [
            _whole(nodes.FoldOf("sum", high)),
            _whole(nodes.FoldOf("sum", low)),
            nodes.SqlCall("array", (reals,)),
            nodes.FoldOf("count", real),
        ]
        if fold.function is ast.Function.SUM:
            return parts, OutputColumn(Shape.SUM)
        return [*parts, nodes.FoldOf("count", number)], OutputColumn(Shape.AVG)

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
            return self._solutions.ranked(var, key, is_descending=sort.is_descending)
        if sort.key.function in (ast.Function.MIN, ast.Function.MAX):
            return self._extreme_order(sort.key, is_descending=sort.is_descending)
        is_nullable = sort.key.function is not ast.Function.COUNT
        return [nodes.Order(self._fold_key(sort.key), sort.is_descending, is_nullable)]

    def _fold_key(self, fold: ir.Fold) -> nodes.Expr:
        """Return what an aggregate is sorted by; sums and averages as real numbers."""
        match fold.function:
            case ast.Function.COUNT:
                return self._count(fold)
            case ast.Function.COLLECT:
                return nodes.SqlCall("canonical_json", (self._fold(fold)[0][0],))
            case ast.Function.SUM | ast.Function.AVG:
                real = nodes.SqlCall("real", (self._number(fold.variable),))
                name = "sum" if fold.function is ast.Function.SUM else "avg"
                key: nodes.Expr = nodes.FoldOf(name, real, fold.is_distinct)
                is_sum = fold.function is ast.Function.SUM
                return nodes.SqlCall("coalesce", (key, nodes.Number(0))) if is_sum else key
            case _:
                raise AssertionError("an extreme has several keys")

    def _number(self, place: int) -> nodes.Expr:
        var = self._solutions.plan.variables[place]
        number: nodes.Expr = nodes.Null("text")
        if not var.is_element:
            number = written_number(value_of(self._solutions.rows, var))
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
        names = (*(name for _, name in columns), *(f"o{at}" for at in range(len(position))))
        told_by = tuple([f"i{at}" for at in range(len(identity))])
        once = nodes.FirstOfEach(nodes.From(each, "e"), names, told_by, "o0" if position else "")
        outer = [(nodes.Column("d", name), name) for _, name in columns]
        if not self._needs_order:
            return once
        number = _number(keys)
        return nodes.Select((*outer, (number, "n")), (nodes.From(once, "d"),))


def _whole(number: nodes.Expr) -> nodes.Expr:
    return nodes.SqlCall("whole_number", (number,))


def _real(number: nodes.Expr) -> nodes.Expr:
    return nodes.SqlCall("real_number", (number,))


def _number(orders: list[nodes.Order]) -> nodes.Expr:
    """Return what numbers the solutions in order: an only id does so by itself."""
    if not orders:
        return nodes.Number(1)
    if len(orders) == 1 and not orders[0].nulls_last:
        return orders[0].key
    return nodes.RowNumber(tuple(orders))
