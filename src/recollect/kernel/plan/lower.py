"""WHERE blocks to branches of steps: scopes, deferral and the distribution of UNION.

Clauses run in textual order. A FILTER, ATTR or META whose variables are not bound yet waits
in its block until they are. UNION opens branches; the clauses after it run in each of them
with that branch's own static scope. See docs/kip/decisions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from recollect.errors import RESOURCE_EXHAUSTED
from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.scope import (
    conditions,
    expression_reads,
    mentions,
    not_bound,
    variable_of,
)
from recollect.node import dataclass, field

MOST_STEPS = 1_000
"""Clauses of a query, each counted once for every branch of UNION it runs in."""

MOST_TESTS = 5_000
"""Conditions of its FILTERs, counted alike: the engine compares each with all others."""


Waiting = tuple[ast.ReadClause | ast.FilterClause, list[ast.Variable | ast.Field]]
"""A clause, and what it reads: it cannot run before the variables of that are bound."""


@dataclass(slots=True)
class _Branch:
    """A straight line of steps under construction, and the names it has bound.

    `fields` are those it has read, by name: they are no names of the text, so nothing joins on
    them, and no block but this one sees them.
    """

    scope: dict[str, ir.Var]
    fields: dict[str, ir.Var] = field(default_factory=dict)
    steps: list[ir.Step] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    nulls: frozenset[str] = frozenset()  # names that a branch beside it has bound, and it has not

    def can_run(self, waiting: Waiting) -> bool:
        """Whether all that a clause needs is bound."""
        return self.scope.keys() >= {variable_of(one).name for one in waiting[1]}


# How lowering goes. A block is read from top to bottom into one branch: a straight line of steps,
# beside a table of the names it has bound. A UNION begins more branches in fresh scope, and each
# clause after it is lowered once for every branch there is, so that no step ever asks at run time
# which branch a row is of. What reads a name that is not bound yet (FILTER, ATTR, META) waits in
# its branch and runs as soon as all it needs is there. NOT and OPTIONAL lower their own block from
# the names bound so far, and become one step each. When a block ends, its branches are made to bind
# the same names, with null for what only a sibling binds.
class Lowering:
    """Lowers the blocks of one query; `kinds` tells which names are elements."""

    def __init__(self, kinds: Mapping[str, bool]) -> None:
        self._kinds = kinds
        self._count = 0
        self._steps = 0
        self._tests = 0
        self._where: Sequence[ast.Clause] = ()

    def lower(
        self,
        clauses: Sequence[ast.Clause],
        exports: Iterable[str],
        fields: Sequence[ast.Field] = (),
    ) -> list[ir.Branch]:
        """Return the branches of a whole WHERE; names it never binds are not exported.

        After the names, each branch exports the fields.
        """
        names = list(exports)
        self._where = clauses
        branches = self._block(clauses, {})
        return [
            _finish(branch, names, [self._field(branch, one) for one in fields])
            for branch in branches
        ]

    def _block(
        self,
        clauses: Sequence[ast.Clause],
        outer: dict[str, ir.Var],
        nulls: frozenset[str] = frozenset(),
    ) -> list[_Branch]:
        """Lower a block; `nulls` are the names that have no value in the rows around it."""
        branches = [_Branch(dict(outer), nulls=nulls)]
        holding: set[ast.ConceptClause] = set()  # in every branch, so that once more says nothing
        for position, clause in enumerate(clauses):
            # UNION does not join what stands before it: its branches are put beside those. At the
            # very beginning there is nothing before it, and they are all there is.
            if isinstance(clause, ast.UnionClause):
                fresh = self._union(clause, outer)
                branches = fresh if position == 0 else [*branches, *fresh]
                holding.clear()
                continue
            if isinstance(clause, ast.ConceptClause):
                if clause in holding:
                    continue
                holding.add(clause)
            # From here on a name may be bound in one branch and not in another. In those it is null
            # as soon as the block ends, so a NOT in between that mentions it excludes nothing
            # there.
            if len(branches) > 1:
                known = nulls.union(*(branch.scope for branch in branches))
                for branch in branches:
                    branch.nulls = known.difference(branch.scope)
            for branch in branches:
                self._count_step(clause)
                self._apply(branch, clause)
                if branch.waiting:
                    self._wake(branch)
        self._close(branches, nulls)
        return branches

    def _count_step(self, clause: ast.Clause) -> None:
        """Bound the work of a text: UNION multiplies the clauses after it, OPTIONAL by OPTIONAL."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise RESOURCE_EXHAUSTED.error(
                f"the query becomes more than {MOST_STEPS} steps",
                "split the query",
                span=clause.span,
                details={"steps": MOST_STEPS},
            )
        if isinstance(clause, ast.FilterClause):
            self._tests += conditions(clause.expression)
        if self._tests > MOST_TESTS:
            raise RESOURCE_EXHAUSTED.error(
                f"the FILTERs of the query test more than {MOST_TESTS} conditions",
                "compare with a list: IN(?x, [1, 2])",
                span=clause.span,
                details={"conditions": MOST_TESTS},
            )

    def _union(self, clause: ast.UnionClause, outer: dict[str, ir.Var]) -> list[_Branch]:
        """Lower a UNION block in fresh scope, then join it with the outer row."""
        branches = self._block(clause.clauses, {})
        for branch in branches:
            # Fresh scope gave a shared name a variable of its own; here both become one.
            for name in [name for name in branch.scope if name in outer]:
                branch.steps.append(ir.Unify(branch.scope[name], outer[name]))
            branch.scope.update(outer)
        return branches

    def _close(self, branches: list[_Branch], nulls: frozenset[str]) -> None:
        """Make the branches bind the same names; then nothing waits.

        What has no value around the block is null to what waits for it, and bound by nothing.
        """
        if len(branches) > 1:
            self._level(branches)
        for branch in branches:
            read = {variable_of(one).name for _, reads in branch.waiting for one in reads}
            # A clause that waits for a name which is null around the block gets that null, for this
            # one run only: the name is not bound for anything that comes after.
            missing = sorted(nulls & (read - branch.scope.keys()))
            for name in missing:
                branch.steps.append(ir.BindNull(self._bind(branch, name)))
            self._wake(branch)
            for name in missing:
                del branch.scope[name]
            for _, reads in branch.waiting:
                for variable in map(variable_of, reads):
                    if variable.name not in branch.scope:
                        raise not_bound(variable, branch.scope, self._where)

    def _level(self, branches: list[_Branch]) -> None:
        """Bind to null what a sibling branch binds and this one does not."""
        # First without the names that a waiting ATTR or META is about to bind, since a null there
        # would make their value drop the row; then, with what they bound, once more for the rest.
        for last in (False, True):
            known = {name for branch in branches for name in branch.scope}
            for branch in branches:
                coming = {
                    one.value.name for one, _ in branch.waiting if isinstance(one, ast.ReadClause)
                }
                for name in sorted(known - branch.scope.keys() - (set() if last else coming)):
                    branch.steps.append(ir.BindNull(self._bind(branch, name)))
                self._wake(branch)

    def _wake(self, branch: _Branch) -> None:
        """Run the waiting clauses whose variables are bound by now, in textual order."""
        while branch.waiting:
            ready = next(filter(branch.can_run, branch.waiting), None)
            if ready is None:
                return
            branch.waiting.remove(ready)
            self._run(branch, *ready)

    def _apply(self, branch: _Branch, clause: ast.Clause) -> None:
        match clause:
            case ast.LinkClause():
                self._link(branch, clause.variable, clause.pattern)
            case ast.ConceptClause():
                self._concept(branch, self._element(branch, clause.variable), clause.pattern)
            case ast.ReadClause() | ast.FilterClause():
                branch.waiting.append((clause, _reads(clause)))
            case ast.NotClause():
                self._exclude(branch, clause)
            case ast.OptionalClause():
                self._extend(branch, clause)
            case ast.UnionClause():
                raise AssertionError("UNION is lowered by its block")
            case _:
                assert_never(clause)

    def _run(
        self,
        branch: _Branch,
        clause: ast.ReadClause | ast.FilterClause,
        reads: list[ast.Variable | ast.Field],
    ) -> None:
        if isinstance(clause, ast.FilterClause):
            found = {
                one.name: self._field(branch, one)
                if isinstance(one, ast.Field)
                else branch.scope[one.name]
                for one in reads
            }
            branch.steps.append(ir.Filter(clause.expression, tuple(sorted(found.items()))))
            return
        assert isinstance(clause.target, ast.Variable)
        is_metadata = clause.section is ast.Section.METADATA
        part = ir.ElementPart.METADATA if is_metadata else ir.ElementPart.NAMED
        target = branch.scope[clause.target.name]
        value = self._read(branch, clause.value.name, target, part, _string(clause.key))
        self._bind_or_unify(branch, clause.value.name, value)

    def _field(self, branch: _Branch, wanted: ast.Field) -> ir.Var:
        """Return what a branch reads for a field, once for all that ask in one block.

        KIP_3001 for a field of a variable that nothing binds.
        """
        if wanted.name not in branch.fields:
            variable = wanted.variable
            if variable.name not in branch.scope:
                raise not_bound(variable, branch.scope, self._where)
            target = branch.scope[variable.name]
            part, key = _place(wanted)
            branch.fields[wanted.name] = self._read(branch, wanted.name, target, part, key)
        return branch.fields[wanted.name]

    def _read(
        self, branch: _Branch, name: str, target: ir.Var, part: ir.ElementPart, key: str | None
    ) -> ir.Var:
        value = self._new(name, is_element=False)
        if target.is_element:
            branch.steps.append(ir.ReadValue(value, target, part, key))
        else:  # a value has no attributes
            branch.steps.append(ir.BindNull(value))
        return value

    def _concept(self, branch: _Branch, var: ir.Var, pattern: ast.ConceptPattern) -> None:
        type_ = None if pattern.type is None else _string(pattern.type)
        name, id_ = _parameter(pattern.name), _parameter(pattern.id)
        branch.steps.append(ir.MatchConcept(var, type_, name, id_))

    def _link(
        self, branch: _Branch, variable: ast.Variable | None, pattern: ast.LinkPattern | ast.LinkId
    ) -> ir.Var:
        """Lower a link pattern and return the variable that stands for its link."""
        if isinstance(pattern, ast.LinkId):
            named = self._element(branch, variable)
            id_ = _parameter(pattern.id)
            assert id_ is not None
            branch.steps.append(ir.MatchLinkId(named, id_))
            return named
        path = pattern.predicate
        if isinstance(path, ast.Variable) or path.is_plain:
            var = self._element(branch, variable)
            subject = self._end(branch, pattern.subject)
            # The order of these lines is the order of first mention, which answers are sorted by.
            if isinstance(path, ast.Variable):
                predicate = self._new(path.name, is_element=False)
                object_ = self._end(branch, pattern.object)
                branch.steps.append(ir.MatchLink(var, subject, object_, (), predicate))
                self._bind_or_unify(branch, path.name, predicate)
            else:
                object_ = self._end(branch, pattern.object)
                predicates = tuple(dict.fromkeys([_string(one.predicate) for one in path.steps]))
                branch.steps.append(ir.MatchLink(var, subject, object_, predicates))
            return var
        # A path of several steps, or of none, is no link: its variable is null, and stands first,
        # because it is mentioned before the ends.
        nothing = self._new("" if variable is None else variable.name, is_element=True)
        branch.steps.append(ir.BindNull(nothing))  # a walk is not one link
        subject, object_ = self._end(branch, pattern.subject), self._end(branch, pattern.object)
        steps = [
            ir.PathStep(_string(one.predicate), one.minimum, one.maximum) for one in path.steps
        ]
        branch.steps.append(ir.MatchPath(subject, object_, tuple(dict.fromkeys(steps))))
        if variable is not None:
            self._bind_or_unify(branch, variable.name, nothing)
        return nothing

    def _end(self, branch: _Branch, end: ast.End) -> ir.Var:
        match end:
            case ast.Variable():
                return self._element(branch, end)
            case ast.ConceptPattern():
                var = self._element(branch, None)
                self._concept(branch, var, end)
                return var
            case ast.LinkPattern() | ast.LinkId():
                return self._link(branch, None, end)
            case _:
                assert_never(end)

    def _exclude(self, branch: _Branch, clause: ast.NotClause) -> None:
        mentioned = {variable.name for variable, _ in mentions(clause.clauses)}
        if mentioned & (
            branch.nulls - branch.scope.keys()
        ):  # a null in a shared place excludes nothing
            return
        inner = self._block(clause.clauses, branch.scope, branch.nulls - branch.scope.keys())
        shared = _shared(clause.clauses, branch.scope)
        if shared:  # without a shared variable NOT says nothing about a row
            branches = tuple([_finish(one, ()) for one in inner])
            branch.steps.append(ir.Exclude(branches, shared))

    def _extend(self, branch: _Branch, clause: ast.OptionalClause) -> None:
        inner = self._block(clause.clauses, branch.scope, branch.nulls - branch.scope.keys())
        shared = _shared(clause.clauses, branch.scope)
        found = {name for one in inner for name in one.scope} - branch.scope.keys()
        # In the order of first mention in the whole text, not of this block.
        names = [name for name in self._kinds if name in found]
        if not names:  # it could only repeat rows, and solutions are a set
            return
        branches = tuple([_finish(one, names) for one in inner])
        outputs = tuple([self._bind(branch, name) for name in names])
        branch.steps.append(ir.Extend(branches, outputs, shared))

    def _element(self, branch: _Branch, variable: ast.Variable | None) -> ir.Var:
        if variable is None:
            return self._new("", is_element=True)
        return branch.scope.get(variable.name) or self._bind(branch, variable.name)

    def _bind(self, branch: _Branch, name: str) -> ir.Var:
        var = branch.scope[name] = self._new(name, is_element=self._kinds[name])
        return var

    def _bind_or_unify(self, branch: _Branch, name: str, var: ir.Var) -> None:
        if (known := branch.scope.setdefault(name, var)) is not var:
            branch.steps.append(ir.Unify(known, var))

    def _new(self, name: str, *, is_element: bool) -> ir.Var:
        self._count += 1
        return ir.Var(self._count, name, is_element)


def _finish(branch: _Branch, names: Iterable[str], values: Iterable[ir.Var] = ()) -> ir.Branch:
    """Return a branch that hands out what is bound of the names, and the values."""
    exports = [branch.scope[name] for name in names if name in branch.scope]
    return ir.Branch(tuple(branch.steps), (*exports, *values))


def _shared(clauses: Sequence[ast.Clause], scope: Mapping[str, ir.Var]) -> tuple[ir.Var, ...]:
    names = dict.fromkeys([variable.name for variable, _ in mentions(clauses)])
    return tuple([scope[name] for name in names if name in scope])


def _reads(clause: ast.ReadClause | ast.FilterClause) -> list[ast.Variable | ast.Field]:
    if isinstance(clause, ast.FilterClause):
        return expression_reads(clause.expression)
    assert isinstance(clause.target, ast.Variable)
    return [clause.target]


def _place(wanted: ast.Field) -> tuple[ir.ElementPart, str | None]:
    """Return where a field is found: a name by itself is one of the element's own."""
    match wanted.path:
        case ("attributes" | "metadata") as section, *rest:
            return ir.ElementPart(section), rest[0] if rest else None
    return ir.ElementPart.FIELDS, wanted.path[0]


def _string(text: ast.Text) -> str:
    """Return a type, predicate or key: lifting left these in the tree as they are."""
    assert isinstance(text, ast.Literal)
    assert isinstance(text.value, str)
    return text.value


def _parameter(text: ast.Text | None) -> str | None:
    """Return the parameter that lifting put in the place of a name or an id."""
    assert not isinstance(text, ast.Literal)
    return None if text is None else text.name
