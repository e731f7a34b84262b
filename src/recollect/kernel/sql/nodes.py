"""The SQL tree: only what the compiler emits. Every node says its text in a dialect.

Frozen values, built once and rendered once. No node holds a user's value: constants in a
query are parameters; the numbers and names here are the compiler's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from recollect.kernel.store.port import Dialect, JsonPart
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
    """A bound parameter, of the type it has for engines that cannot tell."""

    name: str
    type: str

    def sql(self, dialect: Dialect) -> str:
        type_ = f"::{self.type}" if dialect.has_types else ""
        return f"{dialect.parameter}{self.name}{type_}"


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
class Every:
    """All columns."""

    def sql(self, _: Dialect) -> str:
        return "*"


@node(frozen=True, slots=True)
class Null:
    """NULL; it says its type where nothing beside it does."""

    type: str = ""

    def sql(self, dialect: Dialect) -> str:
        return f"NULL::{self.type}" if self.type and dialect.has_types else "NULL"


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
        if not self.operands:
            return dialect.functions["always"]
        return _balanced(" AND ", _each(self.operands, dialect))


@node(frozen=True, slots=True)
class Any:
    """Operands joined by OR; none is false."""

    operands: tuple[Expr, ...]

    def sql(self, dialect: Dialect) -> str:
        if not self.operands:
            return dialect.functions["never"]
        return _balanced(" OR ", _each(self.operands, dialect))


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
        operand, select = self.operand.sql(dialect), self.select.sql(dialect)
        if dialect.is_fenced and isinstance(self.operand, Column) and not self.is_negated:
            return f"({operand} = ANY(ARRAY(\n{select}\n)))"  # so that an index leads to each
        word = "NOT IN" if self.is_negated else "IN"
        return f"({operand} {word} (\n{select}\n))"


@node(frozen=True, slots=True)
class SqlCall:
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
        is_compared = dialect.has_types and self.part in (JsonPart.TYPE, JsonPart.VALUE)
        document = parsed(self.document) if is_compared else self.document
        return dialect.render_json(self.part, document.sql(dialect), self.key)


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
        function = dialect.functions.get(self.function, self.function)
        text = f"{function}({'DISTINCT ' * self.is_distinct}{operand}"
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

    select: Query | SqlStatement
    is_negated: bool = False

    def sql(self, dialect: Dialect) -> str:
        fence = f"\n{dialect.apart}" if dialect.is_fenced else ""
        return f"{'NOT ' * self.is_negated}EXISTS (\n{self.select.sql(dialect)}{fence}\n)"


@node(frozen=True, slots=True)
class Scalar:
    """A subquery of one column and at most one row."""

    select: Query | SqlStatement

    def sql(self, dialect: Dialect) -> str:
        return f"(\n{self.select.sql(dialect)}\n)"


Expr = (
    Column
    | Param
    | Number
    | Bareword
    | Every
    | Null
    | Binary
    | All
    | Any
    | Negate
    | IsNull
    | InList
    | InSelect
    | SqlCall
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
    nulls_last: bool = False  # else where the engine puts them: those before it tell of nulls
    type: str = "bigint"

    def sql(self, dialect: Dialect) -> str:
        key = self.key.sql(dialect)
        way = f"{' DESC' * self.is_descending}{' NULLS LAST' * self.nulls_last}"
        if isinstance(self.key, Column) and self.key.name == "name":  # of a table: it has an index
            return dialect.functions["name_order"].format(key, way)
        return key + way


@node(frozen=True, slots=True)
class From:
    """One table of FROM, after those before it: a table or a CTE by name, a subquery, a function.

    With a condition it is a LEFT JOIN.
    """

    source: str | Query | SqlCall
    alias: str
    on: Expr | None = None

    def sql(self, dialect: Dialect) -> str:
        """Return the table by itself, as it stands first."""
        if isinstance(self.source, SqlCall):
            return f"{self.source.sql(dialect)} {self.alias}"
        if not isinstance(self.source, str):
            return f"(\n{self.source.sql(dialect)}\n) {self.alias}"
        return self.source if self.source == self.alias else f"{self.source} {self.alias}"

    def join(self, dialect: Dialect) -> str:
        """Return the table as it stands after others."""
        if self.on is None:
            return f"  {dialect.inner_join} {self.sql(dialect)}"
        return f"  LEFT JOIN {self.sql(dialect)} ON {self.on.sql(dialect)}"

    def loop(self, conditions: Sequence[Expr], dialect: Dialect) -> str:
        """Return the table as it stands after others, read once for each row of those before it.

        A table of the store has its conditions inside a fence, so that an index leads to what they
        leave; what is computed is small, has no index, and the engine joins it as it likes.
        """
        kind = "INNER JOIN" if self.on is None else "LEFT JOIN"
        if self.on is not None:
            conditions = (self.on,)
        on = "\n    AND ".join(_each(conditions, dialect)) or dialect.functions["always"]
        if not isinstance(self.source, str):
            return f"  {kind} LATERAL {self.sql(dialect)} ON {on}"
        if self.source[-1].isdigit():  # a CTE
            return f"  {kind} {self.sql(dialect)} ON {on}"
        every = Select(((Every(), ""),), (From(self.source, self.alias),), tuple(conditions))
        inside = replace(every, is_apart=True).sql(dialect)
        return f"  {kind} LATERAL (\n{inside}\n) {self.alias} ON {dialect.functions['always']}"


@node(frozen=True, slots=True)
class Select:
    """One SELECT."""

    columns: tuple[tuple[Expr, str], ...]  # expression, name
    tables: tuple[From, ...] = ()
    where: tuple[Expr, ...] = ()
    group_by: tuple[Expr, ...] = ()
    order_by: tuple[Order, ...] = ()
    is_distinct: bool = False
    distinct_on: tuple[Expr, ...] = ()  # the first row is kept of those that share these
    limit: Expr | None = None
    offset: Expr | None = None
    is_apart: bool = False  # run by itself, so that each column is computed once a row

    def sql(self, dialect: Dialect) -> str:
        columns, orders, where = self.columns, self.order_by, self.where
        if self.group_by and dialect.has_types:  # others take the value of a row of the group
            columns = tuple([(self._settled(one), name) for one, name in columns])
            orders = tuple([replace(one, key=self._settled(one.key)) for one in orders])
        shown = [
            f"{expr.sql(dialect)} AS {name}" if name else expr.sql(dialect)
            for expr, name in columns
        ]
        distinct = "DISTINCT " * self.is_distinct
        if self.distinct_on:
            distinct = f"DISTINCT ON ({', '.join(_each(self.distinct_on, dialect))}) "
        text = f"SELECT {distinct}{', '.join(shown)}"
        if self.tables:
            first, *others = self.tables
            text += f"\nFROM {first.sql(dialect)}"
            if dialect.is_fenced and others:
                where, *inside = placed(self.tables, self.where)
                joins = [one.loop(own, dialect) for one, own in zip(others, inside, strict=True)]
            else:
                joins = [table.join(dialect) for table in others]
            text += "".join([f"\n{one}" for one in joins])
        if where:
            text += "\nWHERE " + "\n  AND ".join(_each(where, dialect))
        if self.group_by:
            text += "\nGROUP BY " + ", ".join(_each(self.group_by, dialect))
        if orders:
            text += "\nORDER BY " + ", ".join(_each(orders, dialect))
        if self.limit is not None:
            text += f"\nLIMIT {self.limit.sql(dialect)}"
        if self.offset is not None:
            text += f" OFFSET {self.offset.sql(dialect)}"
        if self.is_apart:
            text += f"\n{dialect.apart}"
        return text

    def _settled(self, expr: Expr) -> Expr:
        """Return an expression that has one value in a group: its own, or any of it."""
        tables = {one.alias for one in self.tables}
        return expr if _is_settled(expr, self.group_by, tables) else SqlCall("any_value", (expr,))


@node(frozen=True, slots=True)
class Compound:
    """Selects joined by UNION, or by UNION ALL."""

    selects: tuple[Select, ...]
    is_all: bool

    def sql(self, dialect: Dialect) -> str:
        return f"\nUNION{' ALL' * self.is_all}\n".join(_each(self.selects, dialect))


@node(frozen=True, slots=True)
class FirstOfEach:
    """Of the rows of a subquery with the same identity the one with the least `order`.

    Shown are some of its columns, `order` among them; with a limit they are in that order.
    """

    table: From
    columns: tuple[str, ...]
    identity: tuple[str, ...]
    order: str
    limit: Expr | None = None
    offset: Expr | None = None

    def sql(self, dialect: Dialect) -> str:
        order = Column(self.table.alias, self.order)
        keys = tuple([Column(self.table.alias, name) for name in self.identity])
        groups = keys or (Null("bigint"),)  # so that no rows stay none
        shown: tuple[tuple[Expr, str], ...]
        shown = tuple([(Column(self.table.alias, name), name) for name in self.columns])
        if not dialect.has_types:  # what is not aggregated is of the row with the least
            least = FoldOf("min", order)
            shown = tuple([(least if one == order else one, name) for one, name in shown])
            once = Select(shown, (self.table,), group_by=groups)
            return self._in_order(once, least).sql(dialect)
        orders = tuple([Order(key) for key in (*groups, *[order] * bool(self.order))])
        once = Select(shown, (self.table,), order_by=orders, distinct_on=groups)
        if self.limit is None:
            return once.sql(dialect)
        return self._in_order(Select(shown, (From(once, self.table.alias),)), order).sql(dialect)

    def _in_order(self, select: Select, order: Expr) -> Select:
        if self.limit is None:
            return select
        return replace(select, order_by=(Order(order),), limit=self.limit, offset=self.offset)


Query = Select | Compound | FirstOfEach


@node(frozen=True, slots=True)
class Cte:
    """`name(columns) AS (query)`; the columns are the query's own unless given."""

    name: str
    query: Query
    columns: tuple[str, ...] = ()

    def sql(self, dialect: Dialect) -> str:
        columns = f"({', '.join(self.columns)})" if self.columns else ""
        once = "MATERIALIZED " * dialect.is_fenced
        return f"{self.name}{columns} AS {once}(\n{self.query.sql(dialect)}\n)"


@node(frozen=True, slots=True)
class SqlStatement:
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


def parsed(document: Expr) -> Expr:
    """Return a JSON document as engines with types compare it, not as the text that it is."""
    match document:
        case Column() if document.name in ("attributes", "metadata"):
            return Column(document.table, f"{document.name}_value")
        case Case():
            whens = tuple([(condition, parsed(then)) for condition, then in document.whens])
            return Case(whens, parsed(document.otherwise))
        case Scalar(select=Select() as select):
            ((shown, name),) = select.columns
            return Scalar(replace(select, columns=((parsed(shown), name),)))
        case SqlCall("coalesce", arguments):
            return SqlCall("coalesce", tuple(map(parsed, arguments)))
        case SqlCall("json_number" | "json_given" | "json_quote", arguments):
            return SqlCall("as_value", arguments)
        case SqlCall("json_boolean", arguments):
            return SqlCall("as_boolean", arguments)
        case Null():
            return Null("jsonb")
    return SqlCall("parsed", (document,))


def _is_settled(part: object, groups: Sequence[Expr], tables: Collection[str]) -> bool:
    """Whether a part of an expression has one value in a group."""
    if part in groups or isinstance(part, FoldOf):
        return True
    if isinstance(part, Column):
        return part.table not in tables
    if isinstance(part, SqlCall) and part.function == "any_value":
        return True
    return all(_is_settled(one, groups, tables) for one in _parts(part))


def placed(tables: Sequence[From], where: Sequence[Expr]) -> list[tuple[Expr, ...]]:
    """Return the conditions by table, each at the last one it mentions.

    A condition on a table that there may be nothing of is of the whole: it stands at the first.
    """
    places = {table.alias: at for at, table in enumerate(tables)}
    found: list[list[Expr]] = [[] for _ in tables]
    for condition in where:
        last = max((places.get(name, 0) for name in _mentioned(condition)), default=0)
        found[last if tables[last].on is None else 0].append(condition)
    return [tuple(conditions) for conditions in found]


def _mentioned(part: object) -> Iterator[str]:
    """Yield the tables whose columns are read in a part of the tree."""
    if isinstance(part, Column):
        yield part.table
    for one in _parts(part):
        yield from _mentioned(one)


def _parts(part: object) -> Iterator[object]:
    if isinstance(part, tuple | list):
        yield from part
    else:
        for slot in getattr(part, "__slots__", ()):
            yield getattr(part, slot)


def _each(parts: Sequence[Expr | Order | Query | Cte], dialect: Dialect) -> list[str]:
    return [one.sql(dialect) for one in parts]


def _balanced(word: str, parts: list[str]) -> str:
    """Join many parts in halves: engines bound the depth of an expression, not its size."""
    if len(parts) <= _FLAT:
        return f"({word.join(parts)})"
    middle = len(parts) // 2
    halves = _balanced(word, parts[:middle]), _balanced(word, parts[middle:])
    return f"({word.join(halves)})"


_MOST_TABLES = 950
_MOST_JOINED = 64  # in one FROM
_FEW_TABLES = 16  # which make 633 at most, however they read one another
_LEAVES = frozenset({Column, Param, Number, Null, str, bool, type(None)})


def fits(statement: SqlStatement, sql: str) -> bool:
    """Whether an engine takes the statement, whose text is given: most texts are short."""
    if sql.count("FROM ") + sql.count("JOIN ") <= _FEW_TABLES:
        return True
    return _tables(statement, {}) <= _MOST_TABLES


def _tables(part: object, ctes: Mapping[str, int]) -> int:
    """Return how many tables are read, given how many each CTE reads; too many for too wide."""
    if isinstance(part, tuple):
        return sum([_tables(one, ctes) for one in part if type(one) not in _LEAVES])
    if isinstance(part, SqlStatement):
        known = dict(ctes)
        for cte in part.ctes:
            known[cte.name] = _tables(cte.query, known)
        return _tables(part.query, known)
    if isinstance(part, Select) and len(part.tables) > _MOST_JOINED:
        return _MOST_TABLES + 1
    slots: tuple[str, ...] = getattr(part, "__slots__", ())
    parts = [getattr(part, slot) for slot in slots]
    tables = sum([_tables(one, ctes) for one in parts if type(one) not in _LEAVES])
    if isinstance(part, From):
        tables += 1 + (ctes.get(part.source, 0) if isinstance(part.source, str) else 0)
    return tables
