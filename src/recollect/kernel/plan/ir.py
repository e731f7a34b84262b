"""The plan: what a query does, with every name resolved and every scope made plain.

A plan holds *branches* of *steps*. UNION has been distributed over the clauses after it, so a
branch is a straight line; each branch has variables of its own, so two variables are the same
exactly when their numbers are. What a block leaves unbound is bound to null by a step.

Every step says what it `binds`: the variables that are bound once it has run. An atom says its
`ends`, the elements among them; any other step what it `needs`, bound before it may run. What a
plan is made by are counts, coarse enough that it survives most writes.

WHERE blocks are lowered to branches of steps: scopes, deferral and the distribution of UNION.
Clauses run in textual order. A FILTER, ATTR or META whose variables are not bound yet waits
in its block until they are. UNION opens branches; the clauses after it run in each of them
with that branch's own static scope. See docs/kip/decisions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import assert_never

from recollect.errors import RESOURCE_EXHAUSTED
from recollect.kernel.lang import ast
from recollect.kernel.plan.scope import (
    conditions,
    expression_reads,
    mentions,
    not_bound,
    variable_of,
)
from recollect.node import dataclass, field, node, replace


@node(frozen=True, slots=True, eq=False)
class Var:
    """One variable of one branch; without a name it is an existential of the compiler's.

    There is one object for each, so that to look one up costs nothing.
    """

    number: int
    name: str
    is_element: bool


@node(frozen=True, slots=True)
class MatchConcept:
    """Bind or check a living concept; name and id are parameters, the type is in the shape."""

    var: Var
    type: str | None
    name: str | None  # parameter
    id: str | None  # parameter
    names: str | None = None  # parameter: a list of those it may have

    def ends(self) -> tuple[Var, ...]:
        return (self.var,)

    def binds(self) -> tuple[Var, ...]:
        return (self.var,)


@node(frozen=True, slots=True)
class MatchLink:
    """Bind or check a living link of one of the predicates, or of any with a variable."""

    var: Var
    subject: Var
    object: Var
    predicates: tuple[str, ...]
    predicate: Var | None = None

    def ends(self) -> tuple[Var, ...]:
        return (self.var, self.subject, self.object)

    def binds(self) -> tuple[Var, ...]:
        return self.ends() if self.predicate is None else (*self.ends(), self.predicate)


@node(frozen=True, slots=True)
class MatchLinkId:
    """Bind or check the living link that is called so."""

    var: Var
    id: str  # parameter

    def ends(self) -> tuple[Var, ...]:
        return (self.var,)

    def binds(self) -> tuple[Var, ...]:
        return (self.var,)


@node(frozen=True, slots=True)
class PathStep:
    """One alternative of a path; no maximum means unbounded."""

    predicate: str
    minimum: int
    maximum: int | None


@node(frozen=True, slots=True)
class MatchPath:
    """Bind or check the pairs (subject, object) joined by a walk of an allowed length."""

    subject: Var
    object: Var
    steps: tuple[PathStep, ...]

    def ends(self) -> tuple[Var, ...]:
        return (self.subject, self.object)

    binds = ends


class ElementPart(StrEnum):
    """Which part of an element a key is looked up in."""

    NAMED = "named"  # the fields, else the attributes: what ATTR reads
    FIELDS = "fields"
    ATTRIBUTES = "attributes"
    METADATA = "metadata"


@node(frozen=True, slots=True)
class ReadValue:
    """Bind `value` to what `target` has under a key, null when missing; no key means all."""

    value: Var
    target: Var
    part: ElementPart
    key: str | None

    def needs(self) -> Sequence[Var]:
        return (self.target,)

    def binds(self) -> tuple[Var, ...]:
        return (self.value,)


@node(frozen=True, slots=True)
class BindNull:
    """Bind a variable to null: nothing in this branch gives it a value."""

    var: Var

    def needs(self) -> Sequence[Var]:
        return ()

    def binds(self) -> tuple[Var, ...]:
        return (self.var,)


@node(frozen=True, slots=True)
class Unify:
    """Keep the rows in which both variables are equal; null equals nothing."""

    left: Var
    right: Var

    def needs(self) -> Sequence[Var]:
        return (self.left, self.right)

    def binds(self) -> tuple[Var, ...]:
        return ()


@node(frozen=True, slots=True)
class Filter:
    """Keep the rows for which the expression is true."""

    expression: ast.Expression
    scope: tuple[tuple[str, Var], ...]

    def needs(self) -> Sequence[Var]:
        return [var for _, var in self.scope]

    def binds(self) -> tuple[Var, ...]:
        return ()


@node(frozen=True, slots=True)
class Exclude:
    """NOT: drop the rows for which a branch has a row; a null in `shared` never drops one."""

    branches: tuple[Branch, ...]
    shared: tuple[Var, ...]

    def needs(self) -> Sequence[Var]:
        return self.shared

    def binds(self) -> tuple[Var, ...]:
        return ()


@node(frozen=True, slots=True)
class Extend:
    """OPTIONAL: join what the branches give, else bind `outputs` to null."""

    branches: tuple[Branch, ...]  # exports stand in the order of `outputs`
    outputs: tuple[Var, ...]
    shared: tuple[Var, ...]  # variables of the rows before that the branches read

    def needs(self) -> Sequence[Var]:
        return self.shared

    def binds(self) -> tuple[Var, ...]:
        return self.outputs


@node(frozen=True, slots=True)
class Require:
    """Keep the rows where the branch has a row; it reads nothing of them, and gives nothing."""

    branches: tuple[Branch]

    def needs(self) -> Sequence[Var]:
        return ()

    def binds(self) -> tuple[Var, ...]:
        return ()


Atom = MatchConcept | MatchLink | MatchLinkId | MatchPath
Step = Atom | ReadValue | BindNull | Unify | Filter | Exclude | Extend | Require
ATOMS = (MatchConcept, MatchLink, MatchLinkId, MatchPath)  # faster than the union
BLOCKS = (Exclude, Extend, Require)


@node(frozen=True, slots=True)
class Branch:
    """Steps in order, and the variables handed to what is outside."""

    steps: tuple[Step, ...]
    exports: tuple[Var, ...] = ()


@node(frozen=True, slots=True)
class Plain:
    """A column that shows a solution variable, by its position among the variables.

    With `shows_owner` it shows the element that its value was read from, instead.
    """

    variable: int
    shows_owner: bool = False


@node(frozen=True, slots=True)
class Fold:
    """A column that aggregates a solution variable over its group."""

    function: ast.Function
    variable: int
    is_distinct: bool


Column = Plain | Fold


@node(frozen=True, slots=True)
class Sort:
    """One key of ORDER BY."""

    key: Column
    is_descending: bool


@node(frozen=True, slots=True)
class Plan:
    """A whole FIND. Exports of each branch are the solution variables, in order of mention.

    The fields that FIND and ORDER BY name stand after the variables of WHERE.
    """

    branches: tuple[Branch, ...]
    variables: tuple[Var, ...]  # names and kinds; numbers are those of the first branch
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    order_by: tuple[Sort, ...]
    is_grouped: bool


def owners(plan: Plan) -> tuple[Plain, ...]:
    """Return columns of the elements that the plain values of a plan were read from."""
    return tuple(
        Plain(one.variable, shows_owner=True)
        for one in plan.columns
        if isinstance(one, Plain) and not plan.variables[one.variable].is_element
    )


@dataclass(frozen=True)
class Statistics:
    """Counts by type and predicate, in powers of four, and what is known to be absent.

    `epoch` names this value in the key of the plan cache. Unknown names count zero. What was
    never there is certain of every moment, but not inside a write.
    """

    epoch: int = 0
    is_certain: bool = True
    concepts: Mapping[str, int] = field(default_factory=dict)
    links: Mapping[str, int] = field(default_factory=dict)
    keyed: frozenset[str] = frozenset()  # predicates that ever had a link with a key
    link_subjects: frozenset[str] = frozenset()  # predicates that ever had a link about a link
    link_objects: frozenset[str] = frozenset()  # predicates that ever had a link to a link
    bounded_types: frozenset[str] = frozenset()  # types with concepts that are not true for ever
    bounded_links: frozenset[str] = frozenset()  # predicates with such links

    def counted(self) -> Statistics:
        """Return the same with its epoch: equal counts have the same one.

        What is bounded makes no difference to a plan.
        """
        counts = frozenset(self.concepts.items()), frozenset(self.links.items())
        told = (*counts, self.keyed, self.link_subjects, self.link_objects)
        return replace(self, epoch=hash(told))

    def uncertain(self) -> Statistics:
        """Return the same counts without the promise of what is absent."""
        return replace(self, is_certain=False)

    def type_count(self, type_: str | None) -> int:
        """Return about how many concepts have the type, or there are at all."""
        return self.concepts.get(type_, 0) if type_ is not None else sum(self.concepts.values())

    def link_count(self, predicates: tuple[str, ...]) -> int:
        """Return about how many links have one of the predicates, or there are at all."""
        if not predicates:
            return sum(self.links.values())
        return sum([self.links.get(one, 0) for one in predicates])

    def subjects_are_concepts(self, predicates: tuple[str, ...]) -> bool:
        """Whether no link of the predicates was ever about a link."""
        return self._is_absent(self.link_subjects, predicates)

    def objects_are_concepts(self, predicates: tuple[str, ...]) -> bool:
        """Whether no link of the predicates ever led to a link."""
        return self._is_absent(self.link_objects, predicates)

    def triples_are_single(self, predicates: tuple[str, ...]) -> bool:
        """Whether a triple of the predicates names one link at most, at any moment."""
        return self._is_absent(self.keyed, predicates)

    def _is_absent(self, found: frozenset[str], predicates: tuple[str, ...]) -> bool:
        return self.is_certain and (found.isdisjoint(predicates) if predicates else not found)


def coarse(count: int) -> int:
    """Round a count down to a power of four.

    >>> [coarse(n) for n in (0, 1, 3, 4, 17, 1000)]
    [0, 1, 1, 4, 16, 256]
    """
    return 0 if count <= 0 else 4 ** ((count.bit_length() - 1) // 2)


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

    scope: dict[str, Var]
    fields: dict[str, Var] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
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
    ) -> list[Branch]:
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
        outer: dict[str, Var],
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

    def _union(self, clause: ast.UnionClause, outer: dict[str, Var]) -> list[_Branch]:
        """Lower a UNION block in fresh scope, then join it with the outer row."""
        branches = self._block(clause.clauses, {})
        for branch in branches:
            # Fresh scope gave a shared name a variable of its own; here both become one.
            for name in [name for name in branch.scope if name in outer]:
                branch.steps.append(Unify(branch.scope[name], outer[name]))
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
                branch.steps.append(BindNull(self._bind(branch, name)))
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
                    branch.steps.append(BindNull(self._bind(branch, name)))
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
            branch.steps.append(Filter(clause.expression, tuple(sorted(found.items()))))
            return
        assert isinstance(clause.target, ast.Variable)
        is_metadata = clause.section is ast.Section.METADATA
        part = ElementPart.METADATA if is_metadata else ElementPart.NAMED
        target = branch.scope[clause.target.name]
        value = self._read(branch, clause.value.name, target, part, _string(clause.key))
        self._bind_or_unify(branch, clause.value.name, value)

    def _field(self, branch: _Branch, wanted: ast.Field) -> Var:
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
        self, branch: _Branch, name: str, target: Var, part: ElementPart, key: str | None
    ) -> Var:
        value = self._new(name, is_element=False)
        if target.is_element:
            branch.steps.append(ReadValue(value, target, part, key))
        else:  # a value has no attributes
            branch.steps.append(BindNull(value))
        return value

    def _concept(self, branch: _Branch, var: Var, pattern: ast.ConceptPattern) -> None:
        type_ = None if pattern.type is None else _string(pattern.type)
        name, id_ = _parameter(pattern.name), _parameter(pattern.id)
        branch.steps.append(MatchConcept(var, type_, name, id_))

    def _link(
        self, branch: _Branch, variable: ast.Variable | None, pattern: ast.LinkPattern | ast.LinkId
    ) -> Var:
        """Lower a link pattern and return the variable that stands for its link."""
        if isinstance(pattern, ast.LinkId):
            named = self._element(branch, variable)
            id_ = _parameter(pattern.id)
            assert id_ is not None
            branch.steps.append(MatchLinkId(named, id_))
            return named
        path = pattern.predicate
        if isinstance(path, ast.Variable) or path.is_plain:
            var = self._element(branch, variable)
            subject = self._end(branch, pattern.subject)
            # The order of these lines is the order of first mention, which answers are sorted by.
            if isinstance(path, ast.Variable):
                predicate = self._new(path.name, is_element=False)
                object_ = self._end(branch, pattern.object)
                branch.steps.append(MatchLink(var, subject, object_, (), predicate))
                self._bind_or_unify(branch, path.name, predicate)
            else:
                object_ = self._end(branch, pattern.object)
                predicates = tuple(dict.fromkeys([_string(one.predicate) for one in path.steps]))
                branch.steps.append(MatchLink(var, subject, object_, predicates))
            return var
        # A path of several steps, or of none, is no link: its variable is null, and stands first,
        # because it is mentioned before the ends.
        nothing = self._new("" if variable is None else variable.name, is_element=True)
        branch.steps.append(BindNull(nothing))  # a walk is not one link
        subject, object_ = self._end(branch, pattern.subject), self._end(branch, pattern.object)
        steps = [PathStep(_string(one.predicate), one.minimum, one.maximum) for one in path.steps]
        branch.steps.append(MatchPath(subject, object_, tuple(dict.fromkeys(steps))))
        if variable is not None:
            self._bind_or_unify(branch, variable.name, nothing)
        return nothing

    def _end(self, branch: _Branch, end: ast.End) -> Var:
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
            branch.steps.append(Exclude(branches, shared))

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
        branch.steps.append(Extend(branches, outputs, shared))

    def _element(self, branch: _Branch, variable: ast.Variable | None) -> Var:
        if variable is None:
            return self._new("", is_element=True)
        return branch.scope.get(variable.name) or self._bind(branch, variable.name)

    def _bind(self, branch: _Branch, name: str) -> Var:
        var = branch.scope[name] = self._new(name, is_element=self._kinds[name])
        return var

    def _bind_or_unify(self, branch: _Branch, name: str, var: Var) -> None:
        if (known := branch.scope.setdefault(name, var)) is not var:
            branch.steps.append(Unify(known, var))

    def _new(self, name: str, *, is_element: bool) -> Var:
        self._count += 1
        return Var(self._count, name, is_element)


def _finish(branch: _Branch, names: Iterable[str], values: Iterable[Var] = ()) -> Branch:
    """Return a branch that hands out what is bound of the names, and the values."""
    exports = [branch.scope[name] for name in names if name in branch.scope]
    return Branch(tuple(branch.steps), (*exports, *values))


def _shared(clauses: Sequence[ast.Clause], scope: Mapping[str, Var]) -> tuple[Var, ...]:
    names = dict.fromkeys([variable.name for variable, _ in mentions(clauses)])
    return tuple([scope[name] for name in names if name in scope])


def _reads(clause: ast.ReadClause | ast.FilterClause) -> list[ast.Variable | ast.Field]:
    if isinstance(clause, ast.FilterClause):
        return expression_reads(clause.expression)
    assert isinstance(clause.target, ast.Variable)
    return [clause.target]


def _place(wanted: ast.Field) -> tuple[ElementPart, str | None]:
    """Return where a field is found: a name by itself is one of the element's own."""
    match wanted.path:
        case ("attributes" | "metadata") as section, *rest:
            return ElementPart(section), rest[0] if rest else None
    return ElementPart.FIELDS, wanted.path[0]


def _string(text: ast.Text) -> str:
    """Return a type, predicate or key: lifting left these in the tree as they are."""
    assert isinstance(text, ast.Literal)
    assert isinstance(text.value, str)
    return text.value


def _parameter(text: ast.Text | None) -> str | None:
    """Return the parameter that lifting put in the place of a name or an id."""
    assert not isinstance(text, ast.Literal)
    return None if text is None else text.name
