"""The SQL tree: only what the compiler emits, with JSON left abstract for the dialect.

Frozen values, built once and rendered once. No node holds a user's value: constants in a
query are parameters; the numbers here are the compiler's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum

from recollect.node import node


@node(frozen=True, slots=True)
class Column:
    """`table.name`."""

    table: str
    name: str


@node(frozen=True, slots=True)
class Param:
    """A bound parameter."""

    name: str


@node(frozen=True, slots=True)
class Number:
    """A whole number of the compiler's own."""

    value: int


@node(frozen=True, slots=True)
class Null:
    """NULL."""


@node(frozen=True, slots=True)
class Binary:
    """`left operator right`, in parentheses."""

    operator: str
    left: Expr
    right: Expr


@node(frozen=True, slots=True)
class All:
    """Operands joined by AND; none is true."""

    operands: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Any:
    """Operands joined by OR; none is false."""

    operands: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Negate:
    """True where the operand is false or unknown: KIP knows two truth values."""

    operand: Expr


@node(frozen=True, slots=True)
class IsNull:
    """`operand IS NULL`."""

    operand: Expr
    is_negated: bool = False


@node(frozen=True, slots=True)
class InList:
    """`operand IN (choices)`."""

    operand: Expr
    choices: tuple[Expr, ...]


@node(frozen=True, slots=True)
class InSelect:
    """`operand IN (select)`."""

    operand: Expr
    select: Query
    is_negated: bool = False


@node(frozen=True, slots=True)
class Call:
    """A function; its name is looked up in the dialect."""

    function: str
    arguments: tuple[Expr, ...]


@node(frozen=True, slots=True)
class Case:
    """`CASE WHEN condition THEN value ... ELSE otherwise END`."""

    whens: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr = Null()


class Part(StrEnum):
    """What to take of a JSON value: its type's name, its JSON text, or its SQL value."""

    TYPE = "type"
    JSON = "json"
    VALUE = "value"


@node(frozen=True, slots=True)
class Json:
    """A part of a JSON document, at a key of the object or of the document itself."""

    part: Part
    document: Expr
    key: str | None


@node(frozen=True, slots=True)
class Aggregate:
    """`function([DISTINCT] operand [ORDER BY order]) [FILTER (WHERE operand IS NOT NULL)]`.

    Without an operand it is of all rows: `count(*)`.
    """

    function: str
    operand: Expr | None
    is_distinct: bool = False
    order: Expr | None = None
    skips_null: bool = False


@node(frozen=True, slots=True)
class RowNumber:
    """`row_number() OVER (ORDER BY order)`, from 1."""

    order: tuple[Order, ...]


@node(frozen=True, slots=True)
class Exists:
    """`EXISTS (select)`."""

    select: Query
    is_negated: bool = False


@node(frozen=True, slots=True)
class Scalar:
    """A subquery of one column and at most one row."""

    select: Query


Expr = (
    Column
    | Param
    | Number
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
    | Aggregate
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


@node(frozen=True, slots=True)
class From:
    """One table of FROM, a table or a CTE by name, or a subquery, after those before it.

    With a condition it is a LEFT JOIN.
    """

    source: str | Query
    alias: str
    on: Expr | None = None


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


@node(frozen=True, slots=True)
class Compound:
    """Selects joined by UNION, or by UNION ALL."""

    selects: tuple[Select, ...]
    is_all: bool


Query = Select | Compound


@node(frozen=True, slots=True)
class Cte:
    """`name(columns) AS (query)`; the columns are the query's own unless given."""

    name: str
    query: Query
    columns: tuple[str, ...] = ()


@node(frozen=True, slots=True)
class Statement:
    """A whole statement: its CTEs, in order, and the query over them."""

    query: Query
    ctes: Sequence[Cte] = field(default=())


def equal(left: Expr, right: Expr) -> Expr:
    """Return `left = right`."""
    return Binary("=", left, right)
