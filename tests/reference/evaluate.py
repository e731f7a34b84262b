"""WHERE: from clauses to solutions, in the order of the text.

A block is a list of branches, one for each UNION in it, and one for what stands before the
first. A branch has a static scope: which variables its clauses have bound, whatever a row
holds in them. A clause is applied to every branch there is when the text reaches it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from tests.reference.filters import holds
from tests.reference.graph import Concept, Element, Graph
from tests.reference.mentions import expression_names, names, pattern_names
from tests.reference.patterns import Patterns, bind
from tests.reference.values import Binding, Parameters, Read, Row, identity, is_null, joins, resolve

from recollect.errors import REFERENCE_ERROR, RecollectError
from recollect.kernel.lang import ast
from recollect.model import Value

NOTHING: frozenset[str] = frozenset()


class TooManyRowsError(Exception):
    """The query is too large for a naive evaluator; it says nothing about the query."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Rows that all bind exactly the variables of the scope, and clauses that wait for others."""

    scope: frozenset[str]
    rows: list[Row]
    waiting: tuple[ast.Clause, ...] = ()
    nulls: frozenset[str] = NOTHING  # what other branches have bound by now, and this one has not


FRESH = Branch(NOTHING, [{}])


def unbound(missing: Iterable[str]) -> RecollectError:
    return RecollectError(REFERENCE_ERROR, f"variable ?{min(missing)} is not bound")


def bound(branches: Iterable[Branch]) -> frozenset[str]:
    return NOTHING.union(*(branch.scope for branch in branches))


def distinct(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that differ in some variable, the first of equal ones."""
    kept: dict[object, Row] = {}
    for row in rows:
        kept.setdefault(tuple((name, identity(row[name])) for name in sorted(row)), row)
    return list(kept.values())


def needs(clause: ast.Clause) -> frozenset[str]:
    """Return the variables that must be bound before a clause can run."""
    match clause:
        case ast.FilterClause():
            return frozenset(expression_names(clause.expression))
        case ast.ReadClause():
            return frozenset(pattern_names(clause.target))
        case _:
            return NOTHING


class Evaluator:
    """Runs the WHERE of one statement; inline targets of ATTR and META are named before."""

    def __init__(self, graph: Graph, parameters: Parameters, row_limit: int = 20_000) -> None:
        self._parameters = parameters
        self._patterns = Patterns(graph, parameters)
        self._elements = {one.id: one for one in graph.elements()}
        self._row_limit = row_limit

    def block(self, clauses: Sequence[ast.Clause], start: Branch) -> list[Branch]:
        """Run a block from the rows of an outer branch; its branches end with one scope."""
        branches = [start]
        for place, clause in enumerate(clauses):
            if isinstance(clause, ast.UnionClause):
                inner = [_joined(start, one) for one in self.block(clause.clauses, FRESH)]
                branches = branches + inner if place else inner
            else:
                known = start.nulls | bound(branches)
                branches = [
                    self._settled(
                        replace(one, waiting=(*one.waiting, clause), nulls=known - one.scope)
                    )
                    for one in branches
                ]
        return self._closed(branches, start.nulls)

    def _settled(self, branch: Branch) -> Branch:
        """Run the waiting clauses whose variables are bound, in textual order, repeatedly."""
        while ready := [one for one in branch.waiting if needs(one) <= branch.scope]:
            rest = list(branch.waiting)
            rest.remove(ready[0])
            branch = replace(self._apply(ready[0], branch), waiting=tuple(rest), nulls=branch.nulls)
        return branch

    def _closed(self, branches: list[Branch], nulls: frozenset[str]) -> list[Branch]:
        """End a block: what another branch binds and this one does not is null from here on.

        A variable that a waiting ATTR of the branch may yet bind is left to it at first. What
        has no value around the block is null to what waits for it, and bound by nothing.
        """
        for spares_coming in (True, False):
            known = bound(branches)
            branches = [
                self._settled(_padded(one, known - _coming(one) if spares_coming else known))
                for one in branches
            ]
        branches = [self._seeing(one, nulls) for one in branches]
        for branch in branches:
            for clause in branch.waiting:
                raise unbound(needs(clause) - branch.scope)
        return [_padded(one, bound(branches)) for one in branches]

    def _seeing(self, branch: Branch, nulls: frozenset[str]) -> Branch:
        """Run what waits for a variable that has no value around the block: it sees null."""
        wanted = NOTHING.union(*(needs(clause) for clause in branch.waiting))
        missing = nulls & (wanted - branch.scope)
        seen = self._settled(_padded(branch, missing))
        scope = seen.scope - missing
        return Branch(scope, distinct(_filled(row, scope) for row in seen.rows), seen.waiting)

    def _apply(self, clause: ast.Clause, branch: Branch) -> Branch:
        match clause:
            case ast.ConceptClause():
                found = self._concept(clause, branch)
            case ast.LinkClause():
                found = self._link(clause, branch)
            case ast.ReadClause():
                found = self._read(clause, branch)
            case ast.FilterClause():
                found = self._filter(clause, branch)
            case ast.NotClause():
                found = self._not(clause, branch)
            case ast.OptionalClause():
                found = self._optional(clause, branch)
            case ast.UnionClause():
                raise AssertionError("a UNION makes branches, it is applied to none")
            case _:
                assert_never(clause)
        if len(found.rows) > self._row_limit:
            raise TooManyRowsError
        return Branch(found.scope, distinct(found.rows))

    def _concept(self, clause: ast.ConceptClause, branch: Branch) -> Branch:
        concepts = self._patterns.concepts(clause.pattern)
        if clause.variable is None:
            return branch if concepts else Branch(branch.scope, [])
        name = clause.variable.name
        rows = (bind(row, name, concept.id) for row in branch.rows for concept in concepts)
        return Branch(branch.scope | {name}, [row for row in rows if row is not None])

    def _link(self, clause: ast.LinkClause, branch: Branch) -> Branch:
        scope = branch.scope | set(pattern_names(clause.pattern))
        matches = [
            found for row in branch.rows for found in self._patterns.links(clause.pattern, row)
        ]
        if clause.variable is None:
            return Branch(scope, [row for _, row in matches])
        name = clause.variable.name
        rows = (bind(row, name, link) for link, row in matches)
        return Branch(scope | {name}, [row for row in rows if row is not None])

    def _read(self, clause: ast.ReadClause, branch: Branch) -> Branch:
        assert isinstance(clause.target, ast.Variable)
        target, name = clause.target.name, clause.value.name
        key = resolve(clause.key, self._parameters)
        assert isinstance(key, str)
        rows = []
        for row in branch.rows:
            element = row.get(target)
            read = Read(None, None)
            if isinstance(element, int):
                held = read_key(self._elements, element, clause.section, key)
                read = Read(held, element)
            rows.append(bind(row, name, read))
        return Branch(branch.scope | {name}, [row for row in rows if row is not None])

    def _filter(self, clause: ast.FilterClause, branch: Branch) -> Branch:
        def passes(row: Row) -> bool:
            return holds(clause.expression, row, self._parameters, self.field)

        return Branch(branch.scope, [row for row in branch.rows if passes(row)])

    def field(self, row: Row, field: ast.Field) -> Binding:
        """Return what a field of a row's element holds; null where it has none."""
        element = row.get(field.variable.name)
        if not isinstance(element, int):
            return Read(None, None)
        return Read(read_field(self._elements, element, field.path), element)

    def _not(self, clause: ast.NotClause, branch: Branch) -> Branch:
        def is_excluded(row: Row) -> bool:
            around = Branch(branch.scope, [row], nulls=branch.nulls)
            return any(one.rows for one in self.block(clause.clauses, around))

        if branch.nulls & set(names(clause.clauses)):
            return branch
        around = Branch(branch.scope, [], nulls=branch.nulls)
        self.block(clause.clauses, around)  # an unbound variable is an error
        shared = branch.scope & set(names(clause.clauses))
        if not shared:
            return branch
        kept = [
            row
            for row in branch.rows
            if any(is_null(row[name]) for name in shared) or not is_excluded(row)
        ]
        return Branch(branch.scope, kept)

    def _optional(self, clause: ast.OptionalClause, branch: Branch) -> Branch:
        around = Branch(branch.scope, [], nulls=branch.nulls)
        scope = bound(self.block(clause.clauses, around))
        rows: list[Row] = []
        for row in branch.rows:
            found = self.block(clause.clauses, replace(around, rows=[row]))
            rows += [one for inner in found for one in inner.rows] or [_filled(row, scope)]
        return Branch(scope, rows)


def _filled(row: Row, scope: frozenset[str]) -> Row:
    return {name: row.get(name) for name in scope}


def _padded(branch: Branch, known: frozenset[str]) -> Branch:
    scope = branch.scope | known
    return Branch(scope, [_filled(row, scope) for row in branch.rows], branch.waiting)


def _coming(branch: Branch) -> frozenset[str]:
    reads = (one for one in branch.waiting if isinstance(one, ast.ReadClause))
    return frozenset(one.value.name for one in reads)


def _joined(outer: Branch, inner: Branch) -> Branch:
    """Join the rows of a UNION in a nested block with the rows it is nested under."""
    shared = outer.scope & inner.scope
    rows = [
        {**other, **row}
        for row in outer.rows
        for other in inner.rows
        if all(joins(row[name], other[name]) for name in shared)
    ]
    return Branch(outer.scope | inner.scope, rows)


def read_key(elements: dict[int, Element], element: int, section: ast.Section, key: str) -> Value:
    """Return what ATTR or META reads: a field, else the key's value, else null."""
    held = elements[element]
    if section is ast.Section.METADATA:
        return held.clocks[key] if key in held.clocks else held.metadata.get(key)
    fields = own_fields(elements, held)
    return fields[key] if key in fields else held.attributes.get(key)


def read_field(elements: dict[int, Element], element: int, path: tuple[str, ...]) -> Value:
    """Return what dots read: a field of the element, a whole section, or a key of it."""
    held = elements[element]
    match path:
        case ("attributes",):
            return held.attributes
        case ("metadata",):
            return held.metadata
        case ("attributes", key):
            return held.attributes.get(key)
        case ("metadata", key):
            return read_key(elements, element, ast.Section.METADATA, key)
        case (name,):
            return own_fields(elements, held).get(name)
    raise AssertionError("a path has one part or two")


def own_fields(elements: dict[int, Element], held: Element) -> dict[str, Value]:
    """Return what an element has beside attributes and metadata."""
    if isinstance(held, Concept):
        fields: dict[str, Value] = {"type": held.type, "name": held.name}
    else:
        ends = elements[held.subject], elements[held.object]
        fields = {"subject": ends[0].public_id, "object": ends[1].public_id}
        fields["predicate"] = held.predicate
    return {**fields, "id": held.public_id}
