"""The plan: what a query does, with every name resolved and every scope made plain.

A plan holds *branches* of *steps*. UNION has been distributed over the clauses after it, so a
branch is a straight line; each branch has variables of its own, so two variables are the same
exactly when their numbers are. What a block leaves unbound is bound to null by a step.

Every step says what it `binds`: the variables that are bound once it has run. An atom says its
`ends`, the elements among them; any other step what it `needs`, bound before it may run. What a
plan is made by are counts, coarse enough that it survives most writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from recollect.kernel.lang import ast
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

    def binds(self) -> tuple[Var, ...]:
        return (self.subject, self.object)


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
