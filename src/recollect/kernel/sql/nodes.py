"""The SQL tree: only what the compiler emits. Every node says its text in a dialect.

Frozen values, built once and rendered once. No node holds a user's value: constants in a
query are parameters; the numbers and names here are the compiler's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from recollect.kernel.store.dialect import Dialect, JsonPart
from recollect.node import node

_FLAT = 100  # operands joined without more parentheses


@node(frozen=True, slots=True)
class Column:
    """`table.name`."""

    table: str
    name: str

    def sql(self, _: Dialect) -> str:
        return f"{self.table}.{self.name}"


@node(frozen=True, slots=True)
class Param:
    """A bound parameter."""

    name: str

    def sql(self, dialect: Dialect) -> str:
        return f"{dialect.parameter}{self.name}"


@node(frozen=True, slots=True)
class Number:
    """A whole number of the compiler's own."""

    value: int

    def sql(self, _: Dialect) -> str:
        return str(self.value)


@node(frozen=True, slots=True)
class Bareword:
    """A word of the compiler's own, of letters alone."""

    text: str

    def sql(self, _: Dialect) -> str:
        return f"'{self.text}'"


@node(frozen=True, slots=True)
class Null:
    """NULL."""

    def sql(self, _: Dialect) -> str:
        return "NULL"


@node(frozen=True, slots=True)
class Binary:
    """`left operator right`, in parentheses."""

    operator: str
    left: Expr
    right: Expr

    def sql(self, dialect: Dialect) -> str:
        return f"({self.left.sql(dialect)} {self.operator} {self.right.sql(dialect)})"


@node(frozen=True, slots=True)
class All:
    """Operands joined by AND; none is true."""

    operands: tuple[Expr, ...]

    def sql(self, dialect: Dialect) -> str:
        return _balanced(" AND ", _each(self.operands, dialect)) if self.operands else "1"


@node(frozen=True, slots=True)
class Any:
    """Operands joined by OR; none is false."""

    operands: tuple[Expr, ...]

    def sql(self, dialect: Dialect) -> str:
        return _balanced(" OR ", _each(self.operands, dialect)) if self.operands else "0"


@node(frozen=True, slots=True)
class Negate:
    """True where the operand is false or unknown: KIP knows two truth values."""

    operand: Expr

    def sql(self, dialect: Dialect) -> str:
        return f"(({self.operand.sql(dialect)}) IS NOT TRUE)"


@node(frozen=True, slots=True)
class IsNull:
    """`operand IS NULL`."""

    operand: Expr
    is_negated: bool = False

    def sql(self, dialect: Dialect) -> str:
        return f"({self.operand.sql(dialect)} IS {'NOT ' * self.is_negated}NULL)"


@node(frozen=True, slots=True)
class InList:
    """`operand IN (choices)`."""

    operand: Expr
    choices: tuple[Expr, ...]

    def sql(self, dialect: Dialect) -> str:
        return f"({self.operand.sql(dialect)} IN ({', '.join(_each(self.choices, dialect))}))"


@node(frozen=True, slots=True)
class InSelect:
    """`operand IN (select)`."""

    operand: Expr
    select: Query
    is_negated: bool = False

    def sql(self, dialect: Dialect) -> str:
        word = "NOT IN" if self.is_negated else "IN"
        return f"({self.operand.sql(dialect)} {word} (\n{self.select.sql(dialect)}\n))"


@node(frozen=True, slots=True)
class Call:
    """A function; its name is looked up in the dialect."""

    function: str
    arguments: tuple[Expr, ...]

    def sql(self, dialect: Dialect) -> str:
        return dialect.functions[self.function].format(*_each(self.arguments, dialect))


@node(frozen=True, slots=True)
class Case:
    """`CASE WHEN condition THEN value ... ELSE otherwise END`."""

    whens: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr = Null()

    def sql(self, dialect: Dialect) -> str:
        whens = [f"WHEN {one.sql(dialect)} THEN {then.sql(dialect)}" for one, then in self.whens]
        return f"CASE {' '.join(whens)} ELSE {self.otherwise.sql(dialect)} END"


@node(frozen=True, slots=True)
class Json:
    """A part of a JSON document, at a key of the object or of the document itself."""

    part: JsonPart
    document: Expr
    key: str | None

    def sql(self, dialect: Dialect) -> str:
        return dialect.render_json(self.part, self.document.sql(dialect), self.key)


@node(frozen=True, slots=True)
class Object:
    """A JSON object of columns under their names."""

    columns: tuple[tuple[Expr, str], ...]

    def sql(self, dialect: Dialect) -> str:
        members = [f"'{name}', {expr.sql(dialect)}" for expr, name in self.columns]
        return dialect.functions["object"].format(", ".join(members))


@node(frozen=True, slots=True)
class FoldOf:
    """`function([DISTINCT] operand [ORDER BY order]) [FILTER (WHERE operand IS NOT NULL)]`.

    Without an operand it is of all rows: `count(*)`.
    """

    function: str
    operand: Expr | None
    is_distinct: bool = False
    order: Expr | None = None
    skips_null: bool = False

    def sql(self, dialect: Dialect) -> str:
        operand = "*" if self.operand is None else self.operand.sql(dialect)
        text = f"{self.function}({'DISTINCT ' * self.is_distinct}{operand}"
        if self.order is not None:
            text += f" ORDER BY {self.order.sql(dialect)}"
        text += ")"
        if self.skips_null:
            text += f" FILTER (WHERE {operand} IS NOT NULL)"
        return text


@node(frozen=True, slots=True)
class RowNumber:
    """`row_number() OVER (ORDER BY order)`, from 1."""

    order: tuple[Order, ...]

    def sql(self, dialect: Dialect) -> str:
        order = f"ORDER BY {', '.join(_each(self.order, dialect))}" if self.order else ""
        return f"row_number() OVER ({order})"


@node(frozen=True, slots=True)
class Exists:
    """`EXISTS (select)`."""

    select: Query | Statement
    is_negated: bool = False

    def sql(self, dialect: Dialect) -> str:
        return f"{'NOT ' * self.is_negated}EXISTS (\n{self.select.sql(dialect)}\n)"


@node(frozen=True, slots=True)
class Scalar:
    """A subquery of one column and at most one row."""

    select: Query | Statement

    def sql(self, dialect: Dialect) -> str:
        return f"(\n{self.select.sql(dialect)}\n)"


Expr = (
    Column
    | Param
    | Number
    | Bareword
    | Null
    | Binary
    | All
    | Any
    | Negate
    | IsNull
    | InList
    | InSelect
    | Call
    | Case
    | Json
    | Object
    | FoldOf
    | RowNumber
    | Exists
    | Scalar
)


@node(frozen=True, slots=True)
class Order:
    """One key of ORDER BY."""

    key: Expr
    is_descending: bool = False
    nulls_last: bool = False  # else where the engine puts them: the key is never null

    def sql(self, dialect: Dialect) -> str:
        key = self.key.sql(dialect)
        return f"{key}{' DESC' * self.is_descending}{' NULLS LAST' * self.nulls_last}"


@node(frozen=True, slots=True)
class From:
    """One table of FROM, after those before it: a table or a CTE by name, a subquery, a function.

    With a condition it is a LEFT JOIN.
    """

    source: str | Query | Call
    alias: str
    on: Expr | None = None

    def sql(self, dialect: Dialect) -> str:
        """Return the table by itself, as it stands first."""
        if isinstance(self.source, Call):
            return f"{self.source.sql(dialect)} {self.alias}"
        if not isinstance(self.source, str):
            return f"(\n{self.source.sql(dialect)}\n) {self.alias}"
        return self.source if self.source == self.alias else f"{self.source} {self.alias}"

    def join(self, dialect: Dialect) -> str:
        """Return the table as it stands after others."""
        if self.on is None:
            return f"  {dialect.inner_join} {self.sql(dialect)}"
        return f"  LEFT JOIN {self.sql(dialect)} ON {self.on.sql(dialect)}"


@node(frozen=True, slots=True)
class Select:
    """One SELECT."""

    columns: tuple[tuple[Expr, str], ...]  # expression, name
    tables: tuple[From, ...] = ()
    where: tuple[Expr, ...] = ()
    group_by: tuple[Expr, ...] = ()
    order_by: tuple[Order, ...] = ()
    is_distinct: bool = False
    limit: Expr | None = None
    offset: Expr | None = None
    is_apart: bool = False  # run by itself, so that each column is computed once a row

    def sql(self, dialect: Dialect) -> str:
        columns = [
            f"{expr.sql(dialect)} AS {name}" if name else expr.sql(dialect)
            for expr, name in self.columns
        ]
        text = f"SELECT {'DISTINCT ' * self.is_distinct}{', '.join(columns)}"
        if self.tables:
            first, *others = self.tables
            text += f"\nFROM {first.sql(dialect)}"
            for table in others:
                text += f"\n{table.join(dialect)}"
        if self.where:
            text += "\nWHERE " + "\n  AND ".join(_each(self.where, dialect))
        if self.group_by:
            text += "\nGROUP BY " + ", ".join(_each(self.group_by, dialect))
        if self.order_by:
            text += "\nORDER BY " + ", ".join(_each(self.order_by, dialect))
        if self.limit is not None:
            text += f"\nLIMIT {self.limit.sql(dialect)}"
        if self.offset is not None:
            text += f" OFFSET {self.offset.sql(dialect)}"
        if self.is_apart:
            text += f"\n{dialect.apart}"
        return text


@node(frozen=True, slots=True)
class Compound:
    """Selects joined by UNION, or by UNION ALL."""

    selects: tuple[Select, ...]
    is_all: bool

    def sql(self, dialect: Dialect) -> str:
        return f"\nUNION{' ALL' * self.is_all}\n".join(_each(self.selects, dialect))


Query = Select | Compound


@node(frozen=True, slots=True)
class Cte:
    """`name(columns) AS (query)`; the columns are the query's own unless given."""

    name: str
    query: Query
    columns: tuple[str, ...] = ()

    def sql(self, dialect: Dialect) -> str:
        columns = f"({', '.join(self.columns)})" if self.columns else ""
        return f"{self.name}{columns} AS (\n{self.query.sql(dialect)}\n)"


@node(frozen=True, slots=True)
class Statement:
    """A whole statement: its CTEs, in order, one a line, and the query over them."""

    query: Query
    ctes: Sequence[Cte] = field(default=())

    def sql(self, dialect: Dialect) -> str:
        query = self.query.sql(dialect)
        if not self.ctes:
            return query
        ctes = ",\n".join(_each(self.ctes, dialect))
        return f"WITH RECURSIVE\n{ctes}\n{query}"


def equal(left: Expr, right: Expr) -> Expr:
    """Return `left = right`."""
    return Binary("=", left, right)


def each(found: Statement) -> Call:
    """Return the table whose column `value` holds the items of the one array that is found."""
    return Call("each", (Scalar(found),))


def _each(parts: Sequence[Expr | Order | Select | Cte], dialect: Dialect) -> list[str]:
    return [one.sql(dialect) for one in parts]


def _balanced(word: str, parts: list[str]) -> str:
    """Join many parts in halves: engines bound the depth of an expression, not its size."""
    if len(parts) <= _FLAT:
        return f"({word.join(parts)})"
    middle = len(parts) // 2
    halves = _balanced(word, parts[:middle]), _balanced(word, parts[middle:])
    return f"({word.join(halves)})"
