"""The SQL tree to text. Names are the compiler's own; values never appear."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from recollect.kernel.sql import nodes
from recollect.kernel.sql.dialect import Dialect

_FLAT = 100  # operands joined without more parentheses


class Renderer:
    """Renders statements for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def statement(self, statement: nodes.Statement) -> str:
        """Return the text of a whole statement, one CTE a line."""
        query = self.query(statement.query)
        if not statement.ctes:
            return query
        parts = ",\n".join(map(self._cte, statement.ctes))
        return f"WITH RECURSIVE\n{parts}\n{query}"

    def query(self, query: nodes.Query) -> str:
        """Return the text of a SELECT or of a union of several."""
        if isinstance(query, nodes.Select):
            return self._select(query)
        word = "\nUNION ALL\n" if query.is_all else "\nUNION\n"
        return word.join(map(self._select, query.selects))

    def _cte(self, cte: nodes.Cte) -> str:
        columns = f"({', '.join(cte.columns)})" if cte.columns else ""
        return f"{cte.name}{columns} AS (\n{self.query(cte.query)}\n)"

    def _select(self, select: nodes.Select) -> str:
        columns = ", ".join(
            [
                f"{self.expr(column)} AS {name}" if name else self.expr(column)
                for column, name in select.columns
            ]
        )
        text = f"SELECT {'DISTINCT ' if select.is_distinct else ''}{columns}"
        if select.tables:
            text += "\nFROM " + self._tables(select.tables)
        if select.where:
            text += "\nWHERE " + "\n  AND ".join(map(self.expr, select.where))
        if select.group_by:
            text += "\nGROUP BY " + ", ".join(map(self.expr, select.group_by))
        if select.order_by:
            text += "\nORDER BY " + self._orders(select.order_by)
        if select.limit is not None:
            text += f"\nLIMIT {self.expr(select.limit)}"
        if select.offset is not None:
            text += f" OFFSET {self.expr(select.offset)}"
        if select.is_apart:
            text += f"\n{self._dialect.apart}"
        return text

    def _tables(self, tables: tuple[nodes.From, ...]) -> str:
        return "\n".join([self._source(tables[0]), *map(self._join, tables[1:])])

    def _join(self, table: nodes.From) -> str:
        if table.on is None:
            return f"  {self._dialect.inner_join} {self._source(table)}"
        return f"  LEFT JOIN {self._source(table)} ON {self.expr(table.on)}"

    def _source(self, table: nodes.From) -> str:
        if isinstance(table.source, str):
            name = table.source
            return name if name == table.alias else f"{name} {table.alias}"
        return f"(\n{self.query(table.source)}\n) {table.alias}"

    def _orders(self, orders: tuple[nodes.Order, ...]) -> str:
        return ", ".join(
            [
                self.expr(one.key) + " DESC" * one.is_descending + " NULLS LAST" * one.nulls_last
                for one in orders
            ]
        )

    def expr(self, expr: nodes.Expr) -> str:
        """Return the text of one expression."""
        if isinstance(expr, nodes.Column):  # every second one
            return f"{expr.table}.{expr.name}"
        return _TEXTS[type(expr)](self, expr)

    def _parameter(self, expr: nodes.Param) -> str:
        return f"{self._dialect.parameter}{expr.name}"

    def _number(self, expr: nodes.Number) -> str:
        return str(expr.value)

    def _null(self, _: nodes.Null) -> str:
        return "NULL"

    def _binary(self, expr: nodes.Binary) -> str:
        return f"({self.expr(expr.left)} {expr.operator} {self.expr(expr.right)})"

    def _all(self, expr: nodes.All) -> str:
        return self._balanced(" AND ", [*map(self.expr, expr.operands)]) if expr.operands else "1"

    def _any(self, expr: nodes.Any) -> str:
        return self._balanced(" OR ", [*map(self.expr, expr.operands)]) if expr.operands else "0"

    def _balanced(self, word: str, parts: list[str]) -> str:
        """Join many parts in halves: engines bound the depth of an expression, not its size."""
        if len(parts) <= _FLAT:
            return f"({word.join(parts)})"
        middle = len(parts) // 2
        halves = self._balanced(word, parts[:middle]), self._balanced(word, parts[middle:])
        return f"({word.join(halves)})"

    def _negate(self, expr: nodes.Negate) -> str:
        return f"(({self.expr(expr.operand)}) IS NOT TRUE)"

    def _is_null(self, expr: nodes.IsNull) -> str:
        return f"({self.expr(expr.operand)} IS {'NOT ' * expr.is_negated}NULL)"

    def _json(self, expr: nodes.Json) -> str:
        return self._dialect.render_json(expr.part, self.expr(expr.document), expr.key)

    def _call(self, expr: nodes.Call) -> str:
        template = self._dialect.functions[expr.function]
        return template.format(*map(self.expr, expr.arguments))

    def _in_list(self, expr: nodes.InList) -> str:
        return f"({self.expr(expr.operand)} IN ({', '.join(map(self.expr, expr.choices))}))"

    def _in_select(self, expr: nodes.InSelect) -> str:
        word = "NOT IN" if expr.is_negated else "IN"
        return f"({self.expr(expr.operand)} {word} (\n{self.query(expr.select)}\n))"

    def _case(self, expr: nodes.Case) -> str:
        whens = [f"WHEN {self.expr(when)} THEN {self.expr(then)}" for when, then in expr.whens]
        return f"CASE {' '.join(whens)} ELSE {self.expr(expr.otherwise)} END"

    def _aggregate(self, expr: nodes.Aggregate) -> str:
        operand = "*" if expr.operand is None else self.expr(expr.operand)
        text = f"{expr.function}({'DISTINCT ' if expr.is_distinct else ''}{operand}"
        if expr.order is not None:
            text += f" ORDER BY {self.expr(expr.order)}"
        text += ")"
        if expr.skips_null:
            text += f" FILTER (WHERE {operand} IS NOT NULL)"
        return text

    def _row_number(self, expr: nodes.RowNumber) -> str:
        order = f"ORDER BY {self._orders(expr.order)}" if expr.order else ""
        return f"row_number() OVER ({order})"

    def _exists(self, expr: nodes.Exists) -> str:
        word = "NOT EXISTS" if expr.is_negated else "EXISTS"
        return f"{word} (\n{self.query(expr.select)}\n)"

    def _scalar(self, expr: nodes.Scalar) -> str:
        return f"(\n{self.query(expr.select)}\n)"


_TEXTS: dict[type, Callable[..., str]] = {  # one look-up, where cases are tried one by one
    nodes.Param: Renderer._parameter,
    nodes.Number: Renderer._number,
    nodes.Null: Renderer._null,
    nodes.Binary: Renderer._binary,
    nodes.All: Renderer._all,
    nodes.Any: Renderer._any,
    nodes.Negate: Renderer._negate,
    nodes.IsNull: Renderer._is_null,
    nodes.InList: Renderer._in_list,
    nodes.InSelect: Renderer._in_select,
    nodes.Call: Renderer._call,
    nodes.Case: Renderer._case,
    nodes.Json: Renderer._json,
    nodes.Aggregate: Renderer._aggregate,
    nodes.RowNumber: Renderer._row_number,
    nodes.Exists: Renderer._exists,
    nodes.Scalar: Renderer._scalar,
}
assert {nodes.Column, *_TEXTS} == set(get_args(nodes.Expr))
