"""The SQL tree to text. Names are the compiler's own; values never appear."""

from __future__ import annotations

from typing import assert_never

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
        parts = ",\n".join(self._cte(cte) for cte in statement.ctes)
        return f"WITH RECURSIVE\n{parts}\n{query}"

    def query(self, query: nodes.Query) -> str:
        """Return the text of a SELECT or of a union of several."""
        if isinstance(query, nodes.Select):
            return self._select(query)
        word = "\nUNION ALL\n" if query.is_all else "\nUNION\n"
        return word.join(self._select(one) for one in query.selects)

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
            text += "\nWHERE " + "\n  AND ".join([self.expr(one) for one in select.where])
        if select.group_by:
            text += "\nGROUP BY " + ", ".join(self.expr(one) for one in select.group_by)
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
        first, *others = tables
        return "\n".join([self._source(first), *(self._join(one) for one in others)])

    def _join(self, table: nodes.From) -> str:
        if table.join is nodes.Join.INNER:
            return f"  {self._dialect.inner_join} {self._source(table)}"
        on = "1" if table.on is None else self.expr(table.on)
        return f"  LEFT JOIN {self._source(table)} ON {on}"

    def _source(self, table: nodes.From) -> str:
        if isinstance(table.source, str):
            name = table.source
            return name if name == table.alias else f"{name} {table.alias}"
        return f"(\n{self.query(table.source)}\n) {table.alias}"

    def _orders(self, orders: tuple[nodes.Order, ...]) -> str:
        return ", ".join(
            self.expr(one.key) + " DESC" * one.is_descending + " NULLS LAST" * one.nulls_last
            for one in orders
        )

    def expr(self, expr: nodes.Expr) -> str:
        """Return the text of one expression."""
        match expr:
            case nodes.Column():
                return f"{expr.table}.{expr.name}"
            case nodes.Binary():
                return f"({self.expr(expr.left)} {expr.operator} {self.expr(expr.right)})"
            case nodes.Param():
                return self._dialect.parameter.format(expr.name)
            case nodes.Number():
                return str(expr.value)
            case nodes.Null():
                return "NULL"
            case nodes.All() | nodes.Any():
                return self._joined(expr)
            case nodes.Negate():
                return f"(({self.expr(expr.operand)}) IS NOT TRUE)"
            case nodes.IsNull():
                return f"({self.expr(expr.operand)} IS {'NOT ' * expr.is_negated}NULL)"
            case nodes.Json():
                document = self.expr(expr.document)
                return self._dialect.render_json(expr.part, document, expr.key)
            case nodes.Call():
                template = self._dialect.functions[expr.function]
                return template.format(*(self.expr(one) for one in expr.arguments))
            case _:
                return self._compound(expr)

    def _joined(self, expr: nodes.All | nodes.Any) -> str:
        is_all = isinstance(expr, nodes.All)
        if not expr.operands:
            return "1" if is_all else "0"
        return self._balanced(" AND " if is_all else " OR ", [*map(self.expr, expr.operands)])

    def _balanced(self, word: str, parts: list[str]) -> str:
        """Join many parts in halves: engines bound the depth of an expression, not its size."""
        if len(parts) <= _FLAT:
            return f"({word.join(parts)})"
        middle = len(parts) // 2
        halves = self._balanced(word, parts[:middle]), self._balanced(word, parts[middle:])
        return f"({word.join(halves)})"

    def _compound(
        self,
        expr: nodes.InList
        | nodes.InSelect
        | nodes.Case
        | nodes.Aggregate
        | nodes.RowNumber
        | nodes.Exists
        | nodes.Scalar,
    ) -> str:
        match expr:
            case nodes.InList():
                choices = ", ".join(self.expr(one) for one in expr.choices)
                return f"({self.expr(expr.operand)} IN ({choices}))"
            case nodes.InSelect():
                word = "NOT IN" if expr.is_negated else "IN"
                return f"({self.expr(expr.operand)} {word} (\n{self.query(expr.select)}\n))"
            case nodes.Case():
                whens = " ".join(
                    f"WHEN {self.expr(when)} THEN {self.expr(then)}" for when, then in expr.whens
                )
                return f"CASE {whens} ELSE {self.expr(expr.otherwise)} END"
            case nodes.Aggregate():
                return self._aggregate(expr)
            case nodes.RowNumber():
                order = f"ORDER BY {self._orders(expr.order)}" if expr.order else ""
                return f"row_number() OVER ({order})"
            case nodes.Exists():
                word = "NOT EXISTS" if expr.is_negated else "EXISTS"
                return f"{word} (\n{self.query(expr.select)}\n)"
            case nodes.Scalar():
                return f"(\n{self.query(expr.select)}\n)"
            case _:
                assert_never(expr)

    def _aggregate(self, expr: nodes.Aggregate) -> str:
        operand = self.expr(expr.operand)
        text = f"{expr.function}({'DISTINCT ' if expr.is_distinct else ''}{operand}"
        if expr.order is not None:
            text += f" ORDER BY {self.expr(expr.order)}"
        text += ")"
        if expr.skips_null:
            text += f" FILTER (WHERE {operand} IS NOT NULL)"
        return text
