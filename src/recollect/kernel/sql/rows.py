"""A SELECT under construction: its tables, its conditions, and where each variable is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count

from recollect.kernel.plan import ir
from recollect.kernel.plan.statistics import Statistics
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import (
    Binding,
    BoundElement,
    HeldValue,
    Nothing,
    PredicateName,
    ReadFrom,
)
from recollect.kernel.sql.clock import Clock, is_current, of_group, superseded
from recollect.kernel.store.dialect import Dialect
from recollect.model import ElementKind
from recollect.node import dataclass, field, replace


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

    def content(self, alias: str, table: str, column: str) -> nodes.Expr:
        """Return a content column of a joined row as it was known, joining what it was then."""
        current = nodes.Column(alias, column)
        if not self.context.clock.has_known:
            return current
        if alias not in self.past:
            if self.is_read_once:
                return self.context.clock.content(alias, table, column)
            past = self.past[alias] = self.context.fresh("h")
            self.left_join(f"{table}_past", past, superseded(past, alias, table))
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
        since in a chain SQLite copies every stage into the two that read it.
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
