"""The solutions of a plan: what makes two of them one, and how they are ordered.

The order of an answer is that of ORDER BY, then of the solutions: by branch, by the ids of the
element variables in order of first mention, by predicate names. A row that stands for several
solutions sits where the first of them would.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.kernel.plan import ir
from recollect.kernel.plan.determined import determined, is_unique, owners
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import Held, PredicateName, TextValue, comparable, json_of
from recollect.kernel.sql.output import Output, Shape
from recollect.kernel.sql.reads import value_of
from recollect.kernel.sql.rows import Rows
from recollect.kernel.sql.steps import owner_id

LIMIT = nodes.Param("limit")
OFFSET = nodes.Param("offset")


@dataclass(frozen=True, slots=True)
class Solutions:
    """The rows of a plan, with what their identity and order are made of.

    `branch` is the plan's only branch, or None where several were united; then
    `branch_number` is the column that tells them apart.
    """

    plan: ir.Plan
    rows: Rows
    branch: ir.Branch | None
    branch_number: nodes.Expr | None

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
            case Held() as held:
                return (held.owner, comparable(value_of(self.rows, var)))
        return (owner_id(self.rows, var),)

    def position(self) -> list[tuple[nodes.Order, ir.Var | None]]:
        """Return the order of the solutions, each key with the variable it belongs to."""
        keys: list[tuple[nodes.Order, ir.Var | None]] = []
        if self.branch_number is not None:
            keys.append((nodes.Order(self.branch_number), None))
        for var in self.plan.variables:
            if var.is_element:
                element = self.rows.element(var)
                if element.is_nullable:
                    keys.append((nodes.Order(nodes.IsNull(element.id)), var))
                keys.append((nodes.Order(element.id), var))
        for var in self.plan.variables:
            if not var.is_element and isinstance(self.rows.bindings[var], PredicateName | Held):
                keys += [(order, var) for order in self.value_order(var, is_descending=False)]
        return keys

    def value_order(self, var: ir.Var, *, is_descending: bool) -> list[nodes.Order]:
        """Return the sort keys of a variable: nulls last, then by class, then by value."""
        if var.is_element:
            element = self.rows.element(var)
            null_last = [nodes.Order(nodes.IsNull(element.id))] if element.is_nullable else []
            return [*null_last, nodes.Order(element.id, is_descending)]
        value = value_of(self.rows, var)
        key = comparable(value)
        if isinstance(value, TextValue) and not value.is_nullable:
            return [nodes.Order(key, is_descending)]
        return ranked(key, is_descending=is_descending)

    def column(self, place: int) -> tuple[nodes.Expr, Output]:
        """Return the expression that shows a variable."""
        var = self.plan.variables[place]
        if var.is_element:
            return self.rows.element(var).id, Output(Shape.ELEMENT)
        value = value_of(self.rows, var)
        if isinstance(value, TextValue):
            return value.expr, Output(Shape.TEXT)
        return json_of(value), Output(Shape.JSON)

    def _shown(self, column: ir.Plain) -> tuple[nodes.Expr, Output]:
        if column.shows_owner:
            var = self.plan.variables[column.variable]
            return owner_id(self.rows, var), Output(Shape.PLAIN)
        return self.column(column.variable)

    def are_unique(self) -> bool:
        """Whether the rows are a set of solutions as they stand."""
        if self.branch is None:
            return False
        return is_unique(self.branch, self._implied(self.branch.exports))

    def query(self) -> tuple[nodes.Query, tuple[Output, ...]]:
        """Return the SELECT of an answer without aggregates: one row for each identity."""
        plain = [column for column in self.plan.columns if isinstance(column, ir.Plain)]
        places = [column.variable for column in plain]
        shown = [self._shown(column) for column in plain]
        outputs = tuple(output for _, output in shown)
        columns = tuple((expr, f"c{at}") for at, (expr, _) in enumerate(shown))
        sorts, sorted_by = self._sorts()
        position = self.position()
        identity = tuple(dict.fromkeys(expr for place in places for expr in self.identity(place)))
        orders = tuple(dict.fromkeys([*sorts, *(order for order, _ in position)]))
        if self.branch is not None:
            keys = self._keys(places)
            known = self._implied(keys)
            if is_unique(self.branch, known):
                return self._page(columns, (), orders), outputs
            first = _first(position, known)
            ordered = self._implied(var for _, var in first if var in known)
            if known.issuperset(sorted_by) and ordered.issuperset(keys):
                orders = tuple(dict.fromkeys([*sorts, *(order for order, _ in first)]))
                return self._page(columns, identity, orders), outputs
        return self._first_of_each(columns, identity, orders), outputs

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
        self,
        columns: tuple[tuple[nodes.Expr, str], ...],
        group_by: tuple[nodes.Expr, ...],
        orders: tuple[nodes.Order, ...],
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
        self,
        columns: tuple[tuple[nodes.Expr, str], ...],
        identity: tuple[nodes.Expr, ...],
        orders: tuple[nodes.Order, ...],
    ) -> nodes.Select:
        """Number the solutions in order and keep the first of each identity."""
        numbered = self.rows.select(
            *columns,
            *((expr, f"i{at}") for at, expr in enumerate(identity)),
            (nodes.RowNumber(orders), "n"),
        )
        first = nodes.Aggregate("min", nodes.Column("q", "n"))
        return nodes.Select(
            (*((nodes.Column("q", name), name) for _, name in columns), (first, "n")),
            (nodes.From(numbered, "q"),),
            group_by=tuple(nodes.Column("q", f"i{at}") for at in range(len(identity)))
            or (nodes.Null(),),
            order_by=(nodes.Order(first),),
            limit=LIMIT,
            offset=OFFSET,
        )


def ranked(key: nodes.Expr, *, is_descending: bool) -> list[nodes.Order]:
    """Return the order of a comparable value: null last, boolean < number < string < rest."""
    return [
        nodes.Order(nodes.IsNull(key)),
        nodes.Order(nodes.Call("rank", (key,)), is_descending),
        nodes.Order(key, is_descending),
    ]


def _first(
    position: list[tuple[nodes.Order, ir.Var | None]], known: frozenset[ir.Var]
) -> list[tuple[nodes.Order, ir.Var]]:
    """Return the leading keys of the position of a group's first solution.

    What the known variables determine is the same throughout a group. Of what is left, the
    least id comes first; after a second one the least of all keys is no longer the first's.
    """
    keys: list[tuple[nodes.Order, ir.Var]] = []
    hidden: ir.Var | None = None
    for order, var in position:
        if var is None or (var not in known and (not var.is_element or hidden not in (None, var))):
            break
        if var not in known:
            hidden = var
            least = nodes.Aggregate("min", order.key)
            keys.append((nodes.Order(least, order.is_descending), var))
        else:
            keys.append((order, var))
    return keys
