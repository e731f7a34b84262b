"""A SELECT under construction: its tables, its conditions, and where each variable of a plan is.

With it the guards of both clocks: which rows are there, and which content they had. *Now* is
`expired_at = LIVING`; *as known at transaction n* is `expired_at > n` and an id not beyond the last
one given out by then. A content is the row's own unless it changed later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import count

from recollect.kernel.plan import ir
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.sql import nodes
from recollect.kernel.store.port import Dialect, JsonPart
from recollect.model import LIVING, ElementKind
from recollect.node import dataclass, field, node, replace

GROUP = nodes.Param("group", "bigint")
KNOWN = nodes.Param("known", "bigint")
LAST_ID = nodes.Param("last_id", "bigint")
VALID = nodes.Param("valid", "bigint")


@lru_cache(1024)
def of_group(alias: str) -> nodes.Expr:
    """Return the guard that every alias of every SELECT carries."""
    return nodes.equal(nodes.Column(alias, "group_id"), GROUP)


@dataclass(frozen=True, slots=True)
class Clock:
    """Which clocks a query asks about; the instants themselves are parameters."""

    has_known: bool = False
    has_valid: bool = False

    def alive(self, alias: str) -> tuple[nodes.Expr, ...]:
        """Return the conditions for a row of `concept` or `link` to be matched by a clause."""
        if not self.has_valid:
            return self.held(alias)
        valid_at, invalid_at = (self.content(alias, one) for one in ("valid_at", "invalid_at"))
        is_true = nodes.Binary("<=", valid_at, VALID), nodes.Binary(">", invalid_at, VALID)
        return (*self.held(alias), *is_true)

    def held(self, alias: str) -> tuple[nodes.Expr, ...]:
        """Return the conditions for a row to be in the memory, whenever what it says is true."""
        return _held_then(alias) if self.has_known else _held_now(alias)

    def content(self, alias: str, column: str) -> nodes.Expr:
        """Return a content column as it was known: one look-up where it changed since."""
        current = nodes.Column(alias, column)
        if not self.has_known:
            return current
        past = f"{alias}_past"
        look_up = nodes.Select(
            columns=((nodes.Column(past, column), ""),),
            tables=(nodes.From("past", past),),
            where=(
                of_group(past),
                nodes.equal(nodes.Column(past, "id"), nodes.Column(alias, "id")),
                nodes.Binary(">", nodes.Column(past, "until"), KNOWN),
            ),
            order_by=(nodes.Order(nodes.Column(past, "until")),),
            limit=nodes.Number(1),
        )
        return nodes.Case(((is_current(alias), current),), nodes.Scalar(look_up))


@lru_cache(1024)
def open_then(alias: str) -> nodes.Expr:
    """Return the condition for a row not to have been closed by the moment that is asked about."""
    return nodes.Binary(">", nodes.Column(alias, "expired_at"), KNOWN)


def open_since(alias: str) -> tuple[nodes.Expr, nodes.Expr]:
    """Return the same in two: for rows that are open still, and for those closed since."""
    expired_at, living = nodes.Column(alias, "expired_at"), nodes.Number(LIVING)
    is_closed = nodes.Binary("<", expired_at, living)
    return nodes.equal(expired_at, living), nodes.All((open_then(alias), is_closed))


@lru_cache(1024)
def _held_now(alias: str) -> tuple[nodes.Expr, ...]:
    is_living = nodes.equal(nodes.Column(alias, "expired_at"), nodes.Number(LIVING))
    return (of_group(alias), is_living)


@lru_cache(1024)
def _held_then(alias: str) -> tuple[nodes.Expr, ...]:
    is_open = open_then(alias)
    own_id = nodes.SqlCall(
        "hidden", (nodes.Column(alias, "id"),)
    )  # else engines seek by this range
    is_born = nodes.Binary("<=", own_id, LAST_ID)
    return (of_group(alias), is_open, is_born)


def is_current(alias: str) -> nodes.Expr:
    """Return whether a row's content is the one that was known."""
    return nodes.Binary("<=", nodes.Column(alias, "changed_at"), KNOWN)


def superseded(past: str, alias: str) -> nodes.Expr:
    """Return the condition that joins the content a row had, where it has changed since.

    Where it has not, the id to look for is NULL, so that nothing is looked up.
    """
    own_id = nodes.Column(alias, "id")
    is_superseded = nodes.Binary(">", nodes.Column(alias, "changed_at"), KNOWN)
    first = f"{past}_first"
    until = nodes.Select(
        columns=((nodes.FoldOf("min", nodes.Column(first, "until")), ""),),
        tables=(nodes.From("past", first),),
        where=(
            of_group(first),
            nodes.equal(nodes.Column(first, "id"), own_id),
            nodes.Binary(">", nodes.Column(first, "until"), KNOWN),
        ),
    )
    return nodes.All(
        (
            of_group(past),
            nodes.equal(nodes.Column(past, "id"), nodes.Case(((is_superseded, own_id),))),
            nodes.equal(nodes.Column(past, "until"), nodes.Scalar(until)),
        )
    )


def given_id(end: nodes.Expr, alias: str, otherwise: nodes.Expr) -> nodes.Expr:
    """Return the public id an end was given, else `otherwise`; `alias` begins its tables' names."""
    given = otherwise
    for table in ("link", "concept"):
        name = f"{alias}_{table}"
        select = nodes.Select(
            ((nodes.Column(name, "public_id"), ""),),
            (nodes.From(table, name),),
            (of_group(name), nodes.equal(nodes.Column(name, "id"), end)),
        )
        given = nodes.SqlCall("coalesce", (nodes.Scalar(select), given))
    return given


@node(frozen=True, slots=True)
class BoundElement:
    """An element by its integer id, and the aliases its row can be read from, if any.

    An element of unknown kind has two aliases; the one that does not apply reads as NULL.
    """

    id: nodes.Expr
    kind: ElementKind | None = None
    concept: str | None = None
    link: str | None = None
    is_nullable: bool = False

    @property
    def has_row(self) -> bool:
        """Whether the element's columns can be read."""
        return self.concept is not None or self.link is not None

    def or_null(self) -> BoundElement:
        """Return the same where there may be none."""
        return BoundElement(self.id, self.kind, self.concept, self.link, is_nullable=True)


@node(frozen=True, slots=True)
class ReadFrom:
    """A value that is read from an element wherever it is needed."""

    owner: ir.Var
    part: ir.ElementPart
    key: str | None  # None: all of the part


@node(frozen=True, slots=True)
class PredicateName:
    """The name of a link's predicate, by its code."""

    code: nodes.Expr
    is_nullable: bool = False


@node(frozen=True, slots=True)
class HeldValue:
    """A value held as JSON text in a column, or as a string, beside the id of its owner."""

    expr: nodes.Expr
    owner: nodes.Expr
    is_text: bool = False
    is_of_owner: bool = False  # whether the owner alone tells it, in every branch


@node(frozen=True, slots=True)
class Nothing:
    """A value that is null throughout."""


Binding = BoundElement | ReadFrom | PredicateName | HeldValue | Nothing


@node(frozen=True, slots=True)
class TextValue:
    """A value known to be a string or null."""

    expr: nodes.Expr
    is_nullable: bool = True


@node(frozen=True, slots=True)
class JsonValue:
    """A value of any JSON type: a key of a JSON document, or the whole of a JSON text."""

    document: nodes.Expr
    key: str | None = None

    def part(self, part: JsonPart) -> nodes.Expr:
        """Return one part of the value: its type's name, its JSON text, its SQL value."""
        if self.key is None and part is JsonPart.JSON:
            return self.document
        return nodes.Json(part, self.document, self.key)


Value = TextValue | JsonValue


def comparable(value: Value) -> nodes.Expr:
    """Return an expression equal for equal values and NULL for null: text, number or blob."""
    if isinstance(value, TextValue):
        return value.expr
    return nodes.SqlCall("comparable", _parts(value))


def are_same(left: Value, right: Value) -> tuple[nodes.Expr, nodes.Expr]:
    """Return what two values have in common if they are equal, and only then."""
    if isinstance(left, TextValue) and isinstance(right, TextValue):
        return bare(left.expr), bare(right.expr)
    return _as_value(left), _as_value(right)


def _as_value(value: Value) -> nodes.Expr:
    found = bare(comparable(value))
    return nodes.SqlCall("as_value", (found,)) if isinstance(value, TextValue) else found


def _parts(value: JsonValue) -> tuple[nodes.Expr, ...]:
    return tuple(map(value.part, (JsonPart.TYPE, JsonPart.VALUE, JsonPart.JSON)))


def bare(expr: nodes.Expr) -> nodes.Expr:
    """Return the expression without a column's affinity, which would turn 5 into "5"."""
    return nodes.SqlCall("bare", (expr,)) if isinstance(expr, nodes.Column | nodes.Scalar) else expr


def text_of(value: Value) -> nodes.Expr:
    """Return the string, or NULL for what is not one."""
    if isinstance(value, TextValue):
        return value.expr
    return nodes.SqlCall("text_of", (value.part(JsonPart.TYPE), value.part(JsonPart.VALUE)))


def number_of(value: Value) -> nodes.Expr:
    """Return the number, or NULL for what is not one."""
    if isinstance(value, TextValue):
        return nodes.Null("numeric")
    return nodes.SqlCall("number_of", (value.part(JsonPart.TYPE), value.part(JsonPart.VALUE)))


def written_number(value: Value) -> nodes.Expr:
    """Return the number as it was said, whole or real, or NULL for what is not one."""
    return (
        nodes.Null("text") if isinstance(value, TextValue) else nodes.SqlCall("said", _parts(value))
    )


def json_of(value: Value) -> nodes.Expr:
    """Return the JSON text; NULL or `null` for null."""
    if isinstance(value, TextValue):
        return nodes.SqlCall("json_quote", (value.expr,))
    return value.part(JsonPart.JSON)


@dataclass(slots=True)
class CompileContext:
    """What one compilation shares: fresh names, CTEs, term parameters, and what it may assume."""

    clock: Clock
    statistics: Statistics
    dialect: Dialect
    ctes: list[nodes.Cte] = field(default_factory=list)
    terms: dict[str, str] = field(default_factory=dict)  # parameter -> type or predicate
    predicates: set[str] = field(default_factory=set)  # those of `terms` that are predicates
    patterns: set[str] = field(default_factory=set)  # parameters that are put as the engine's own
    is_row_by_row: bool = False  # whether blocks run in subqueries, once a row, not on stages
    _term_names: dict[str, str] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def fresh(self, prefix: str) -> str:
        """Return a name no other table of the statement has."""
        return f"{prefix}{next(self._numbers)}"

    def fresh_var(self) -> ir.Var:
        """Return an element variable the plan does not have."""
        return ir.Var(1_000_000 + next(self._numbers), "", is_element=True)

    def nested(self) -> CompileContext:
        """Return the same for a subquery that has CTEs of its own."""
        return replace(self, ctes=[])

    def term(self, text: str, *, is_predicate: bool) -> nodes.Param:
        """Return the parameter that will hold the code of a type or predicate."""
        name = self._term_names.setdefault(text, f"term{len(self._term_names)}")
        self.terms[name] = text
        if is_predicate:
            self.predicates.add(name)
        return nodes.Param(name, "bigint")

    def with_query(self, prefix: str, query: nodes.Query) -> str:
        """Add a CTE and return its name."""
        name = self.fresh(prefix)
        self.ctes.append(nodes.Cte(name, query))
        return name

    def subject_kind(self, predicates: tuple[str, ...]) -> ElementKind | None:
        """Return what links of the predicates are about, where that is known."""
        return ElementKind.CONCEPT if self.statistics.subjects_are_concepts(predicates) else None

    def object_kind(self, predicates: tuple[str, ...]) -> ElementKind | None:
        """Return what links of the predicates lead to, where that is known."""
        return ElementKind.CONCEPT if self.statistics.objects_are_concepts(predicates) else None


@dataclass(frozen=True, slots=True)
class Stage:
    """A CTE of rows that are numbered by its column `n`, and what was bound when it was made."""

    name: str
    bindings: Mapping[ir.Var, Binding]

    def holds(self, variables: Iterable[ir.Var]) -> bool:
        """Whether a block that reads these variables can run on the stage alone."""
        return all(var in self.bindings for var in variables)


@dataclass(slots=True)
class JoinedTables:
    """Tables joined in order, conditions, and the bindings of variables."""

    context: CompileContext
    tables: list[nodes.From] = field(default_factory=list)
    where: list[nodes.Expr] = field(default_factory=list)
    bindings: dict[ir.Var, Binding] = field(default_factory=dict)
    stage: Stage | None = None  # the CTE these rows began with, if any
    past: dict[str, str] = field(default_factory=dict)  # alias -> alias of its superseded content
    is_read_once: bool = False  # whether no content is needed twice, so that it is not joined

    def inner(self, context: CompileContext | None = None) -> JoinedTables:
        """Return empty rows that see the bindings of these: the inside of a subquery."""
        return JoinedTables(
            context or self.context, bindings=dict(self.bindings), past=dict(self.past)
        )

    def join(self, table: str | nodes.SqlCall, prefix: str) -> str:
        """Join a table after the others and return its alias."""
        alias = self.context.fresh(prefix)
        self.tables.append(nodes.From(table, alias))
        return alias

    def left_join(self, table: str | nodes.SqlCall, alias: str, on: nodes.Expr) -> None:
        """Join what there is of a table; where it is the first, to one row of nothing."""
        if not self.tables:
            nothing = nodes.Select(((nodes.Number(1), "one"),))
            self.tables.append(nodes.From(nothing, self.context.fresh("n")))
        self.tables.append(nodes.From(table, alias, on))

    def element(self, var: ir.Var) -> BoundElement:
        """Return where an element variable is."""
        binding = self.bindings[var]
        assert isinstance(binding, BoundElement)
        return binding

    def bind_element(self, var: ir.Var, found: BoundElement) -> None:
        """Bind a variable to an element, or check that it is the one it is bound to."""
        known = self.bindings.get(var)
        if known is not None:
            assert isinstance(known, BoundElement)
            self.where.append(nodes.equal(found.id, known.id))
            if known.has_row and not found.has_row:
                return
        self.bindings[var] = found

    def readable(self, var: ir.Var) -> BoundElement:
        """Return the element with its row joined, so that its columns can be read.

        An end of a living link is alive itself, so the row needs no guard but the group's.
        """
        element = self.element(var)
        if element.has_row or isinstance(element.id, nodes.Null):
            return element
        concept = link = None
        is_certain = element.kind is not None and not element.is_nullable
        if element.kind is not ElementKind.LINK:
            concept = self._join_row("concept", element, is_certain=is_certain)
        if element.kind is not ElementKind.CONCEPT:
            link = self._join_row("link", element, is_certain=is_certain)
        element = BoundElement(element.id, element.kind, concept, link, element.is_nullable)
        self.bindings[var] = element
        return element

    def content(self, alias: str, column: str) -> nodes.Expr:
        """Return a content column of a joined row as it was known, joining what it was then."""
        current = nodes.Column(alias, column)
        if not self.context.clock.has_known:
            return current
        if alias not in self.past:
            if self.is_read_once:
                return self.context.clock.content(alias, column)
            past = self.past[alias] = self.context.fresh("h")
            self.left_join("past", past, superseded(past, alias))
        then = nodes.Column(self.past[alias], column)
        return nodes.Case(((is_current(alias), current),), then)

    def _join_row(self, table: str, element: BoundElement, *, is_certain: bool) -> str:
        alias = self.context.fresh(table[0])
        is_same = nodes.equal(nodes.Column(alias, "id"), element.id)
        if is_certain:
            self.tables.append(nodes.From(table, alias))
            self.where += [of_group(alias), is_same]
        else:
            on = nodes.All((of_group(alias), is_same))
            self.left_join(table, alias, on)
        return alias

    def select(self, *columns: tuple[nodes.Expr, str]) -> nodes.Select:
        """Return the SELECT of some columns of these rows."""
        return nodes.Select(columns, tuple(self.tables), tuple(self.where))

    def on_stage(self, needs: Iterable[ir.Var]) -> tuple[JoinedTables, Stage]:
        """Return rows that begin with a stage in which `needs` are bound, and the stage.

        They stay what they are where they have one: blocks stand around a stage as a star,
        since in a chain every stage may be copied into the two that read it.
        """
        if self.stage is not None and self.stage.holds(needs):
            return self, self.stage
        columns: list[tuple[nodes.Expr, str]] = [(nodes.RowNumber(()), "n")]
        name = self.context.fresh("s")
        bindings = {
            var: carried(name, var, binding, columns) for var, binding in self.bindings.items()
        }
        self.context.ctes.append(nodes.Cte(name, self.select(*columns)))
        stage = Stage(name, bindings)
        table = nodes.From(name, name)
        return JoinedTables(self.context, [table], [], dict(bindings), stage), stage


def carried(
    name: str, var: ir.Var, binding: Binding, columns: list[tuple[nodes.Expr, str]]
) -> Binding:
    """Return the binding as it is found in the CTE `name`, adding the columns that hold it."""
    match binding:
        case BoundElement():
            column = f"v{var.number}"
            columns.append((binding.id, column))
            at = nodes.Column(name, column)
            return BoundElement(at, binding.kind, is_nullable=binding.is_nullable)
        case PredicateName():
            column = f"v{var.number}"
            columns.append((binding.code, column))
            return PredicateName(nodes.Column(name, column), binding.is_nullable)
        case HeldValue():
            held, owner = f"v{var.number}", f"w{var.number}"
            columns += [(binding.expr, held), (binding.owner, owner)]
            at = nodes.Column(name, held)
            return replace(binding, expr=at, owner=nodes.Column(name, owner))
        case ReadFrom() | Nothing():
            return binding
