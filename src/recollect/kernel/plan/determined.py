"""What counts and a pattern determine: nothing is deduplicated or looked up twice for nothing.

Counts of the living graph are coarse enough that plans survive most writes.

The rewrite at the end looks once for what no column shows and nothing shown is joined to: such a
part multiplies the solutions of a branch, each row being one of them only by what it shows; so that
it has any solution is all that is asked. Its variables are null from then on. Where solutions are
counted, nothing is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import compress
from operator import is_

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import class_of
from recollect.node import dataclass, field, replace


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


_SILENT = (ir.Filter, ir.Exclude, ir.Require, ir.MatchPath)  # from these nothing follows


def all_steps(branch: ir.Branch) -> Iterator[ir.Step]:
    """Yield the steps of a branch and of the OPTIONAL blocks in it, not of its NOTs."""
    for step in branch.steps:
        yield step
        if isinstance(step, ir.Extend):
            for inner in step.branches:
                yield from all_steps(inner)


def values_read(branch: ir.Branch) -> Iterator[ir.Var]:
    """Yield the variables that a branch reads from elements, in every block of it."""
    for step in branch.steps:
        if isinstance(step, ir.ReadValue):
            yield step.value
        elif isinstance(step, ir.BLOCKS):
            for inner in step.branches:
                yield from values_read(inner)


def owners(branch: ir.Branch) -> dict[ir.Var, ir.Var]:
    """Return value variable -> the element variable it is read from.

    What OPTIONAL reads from an element of the rows before has no owner here: where the block
    finds nothing the value is null, and nulls of different elements are one.
    """
    found: dict[ir.Var, ir.Var] = {}
    for step in all_steps(branch):
        if isinstance(step, ir.ReadValue):
            found[step.value] = step.target
    for step in all_steps(branch):
        if isinstance(step, ir.Extend) and len(step.branches) == 1:
            for output, export in zip(step.outputs, step.branches[0].exports, strict=True):
                if export in found and found[export] not in step.shared:
                    found[output] = found[export]
    return found


def determined(
    branch: ir.Branch, keys: Iterable[ir.Var], statistics: Statistics
) -> frozenset[ir.Var]:
    """Return the variables whose values follow from those of `keys`: a least fixed point.

    What an OPTIONAL block says of the rows before it follows only where it finds something, so
    nothing outside is determined by what is inside.
    """
    known = set(keys)
    waiting = list(_telling(branch, frozenset()))
    before = -1
    while before != len(known):
        before = len(known)
        silent = []
        for step, outer in waiting:
            implied = _implied(step, known, statistics)
            known.update([var for var in implied if var not in outer] if outer else implied)
            if not implied or isinstance(step, ir.Extend):  # others tell all at once
                silent.append((step, outer))
        waiting = silent
    return frozenset(known)


def _telling(
    branch: ir.Branch, outer: frozenset[ir.Var]
) -> Iterator[tuple[ir.Step, frozenset[ir.Var]]]:
    """Yield the steps that determine something, each with the variables from outside its block."""
    for step in branch.steps:
        if not isinstance(step, _SILENT):
            yield step, outer
        if isinstance(step, ir.Extend):
            for inner in step.branches:
                yield from _telling(inner, outer.union(step.shared))


def _implied(step: ir.Step, known: set[ir.Var], statistics: Statistics) -> Iterable[ir.Var]:
    match step:
        case ir.MatchLink():
            return _implied_by_link(step, known, statistics)
        case ir.ReadValue():
            return (step.value,) if step.target in known else ()
        case ir.MatchConcept():
            is_anchored = step.id is not None or (step.type is not None and step.name is not None)
            return (step.var,) if is_anchored else ()
        case ir.MatchLinkId():
            return (step.var,)
        case ir.BindNull():
            return (step.var,)
        case ir.Unify() if step.left in known or step.right in known:
            return (step.left, step.right)
        case ir.Extend() if len(step.branches) == 1:
            return _implied_by_block(step, known)
    return ()


def _implied_by_block(step: ir.Extend, known: set[ir.Var]) -> list[ir.Var]:
    """Return what follows inside an OPTIONAL block from what it gives, and the other way round.

    What is the same wherever the block finds something is null elsewhere: it follows from what
    decides whether the block finds anything.
    """
    (branch,) = step.branches
    pairs = list(zip(step.outputs, branch.exports, strict=True))
    is_decided = known.issuperset(step.shared)
    if not is_decided:
        found = {var for one in branch.steps if isinstance(one, ir.ATOMS) for var in one.binds()}
        is_decided = any(output in known and export in found for output, export in pairs)
    implied = [export for output, export in pairs if output in known]
    if is_decided:
        implied += [output for output, export in pairs if export in known or export in implied]
    return implied


def _implied_by_link(
    step: ir.MatchLink, known: set[ir.Var], statistics: Statistics
) -> Iterable[ir.Var]:
    ends = (step.subject, step.object)
    predicate = () if step.predicate is None else (step.predicate,)
    if step.var in known:
        return (*ends, *predicate)
    is_one = len(step.predicates) == 1 or not known.isdisjoint(predicate)
    if is_one and known.issuperset(ends) and statistics.triples_are_single(step.predicates):
        return (step.var,)
    return ()


def is_unique(branch: ir.Branch, known: frozenset[ir.Var]) -> bool:
    """Whether a row of the branch is named by the known variables alone."""
    for step in all_steps(branch):
        match step:
            case ir.MatchConcept() | ir.MatchLink() | ir.MatchLinkId() if step.var not in known:
                return False
            case ir.MatchPath() if not known.issuperset((step.subject, step.object)):
                return False
            case ir.Extend() if len(step.branches) != 1:
                return False
    return True


def classes(branch: ir.Branch) -> dict[ir.Var, str]:
    """Return value variable -> the class its FILTERs leave: `number` or `string`, never null."""
    found: dict[ir.Var, str] = {}
    for step in branch.steps:
        if isinstance(step, ir.Filter):
            scope = dict(step.scope)
            found.update((scope[name], class_) for name, class_ in _tested(step.expression))
    return found


def _tested(expression: ast.Expression) -> Iterator[tuple[str, str]]:
    """Yield the variables that are compared with a constant wherever the expression is true."""
    if isinstance(expression, ast.And):
        for operand in expression.operands:
            yield from _tested(operand)
    elif isinstance(expression, ast.Compare) and expression.operator is not ast.Comparison.NE:
        for one, other in (
            (expression.left, expression.right),
            (expression.right, expression.left),
        ):
            if isinstance(one, ast.READS) and isinstance(other, ast.Parameter):
                class_ = class_of(other)
                if class_ in ("number", "string"):
                    yield one.name, class_


_TELLS_NO_TIMES = (ast.Function.MIN, ast.Function.MAX)


def look_once(plan: ir.Plan) -> ir.Plan:
    """Return a plan as it was lowered with tests in the place of what it does not show."""
    columns = [*plan.columns, *[one.key for one in plan.order_by]]
    if any(map(_counts, columns)):
        return plan
    shown = {one.variable for one in columns}
    branches = tuple(
        [_looking_once(branch, {branch.exports[at] for at in shown}) for branch in plan.branches]
    )
    return plan if all(map(is_, branches, plan.branches)) else replace(plan, branches=branches)


def _counts(column: ir.Column) -> bool:
    """Whether a column says how many solutions there are."""
    return isinstance(column, ir.Fold) and not (
        column.is_distinct or column.function in _TELLS_NO_TIMES
    )


def _looking_once(branch: ir.Branch, wanted: Set[ir.Var]) -> ir.Branch:
    """Return a branch of which only the wanted variables, some bound outside, say anything.

    It is the same one where nothing in it is apart from them.
    """
    joined, apart = _reached(branch.steps, wanted)
    steps = [_inside(one, branch, wanted) for one in joined]
    for part in _parts(apart):
        if any(isinstance(one, (*ir.ATOMS, ir.Extend)) for one in part):
            inner = ir.Branch(tuple([_inside(one, branch, wanted) for one in part]))
            bound = {var for one in part for var in one.binds()}
            steps.append(ir.Require((inner,)))
            steps += [ir.BindNull(var) for var in dict.fromkeys(branch.exports) if var in bound]
        else:
            steps += part
    if len(steps) == len(branch.steps) and all(map(is_, steps, branch.steps)):
        return branch
    return ir.Branch(tuple(steps), branch.exports)


def _inside(step: ir.Step, around: ir.Branch, wanted: Set[ir.Var]) -> ir.Step:
    """Return a step with its own branches rewritten, for what the rest of its branch reads."""
    if isinstance(step, ir.Exclude):
        shared = set(step.shared)
        blocks = tuple([_looking_once(one, shared) for one in step.branches])
    elif isinstance(step, ir.Extend):
        read = {var for one in around.steps if one is not step for var in _variables(one)}
        needed = [output in read or output in wanted for output in step.outputs]
        blocks = tuple(
            [
                _looking_once(one, {*step.shared, *compress(one.exports, needed)})
                for one in step.branches
            ]
        )
    else:
        return step
    return step if all(map(is_, blocks, step.branches)) else replace(step, branches=blocks)


def _variables(step: ir.Step) -> Sequence[ir.Var]:
    """Return what a step reads and binds."""
    return step.binds() if isinstance(step, ir.ATOMS) else (*step.needs(), *step.binds())


def _reached(
    steps: Iterable[ir.Step], wanted: Iterable[ir.Var]
) -> tuple[list[ir.Step], list[ir.Step]]:
    """Return the steps that some variables are joined to, however far, in order; and the others.

    A step without a variable is one of the first, and so is a null by itself.
    """
    known = set(wanted)
    named = [(step, _variables(step)) for step in steps]
    apart: list[tuple[ir.Step, Sequence[ir.Var]]] = named
    before = -1
    while apart and len(apart) != before:
        before, left = len(apart), []
        for one in apart:
            step, variables = one
            if not variables or isinstance(step, ir.BindNull) or not known.isdisjoint(variables):
                known.update(variables)
            else:
                left.append(one)
        apart = left
    if not apart:
        return [step for step, _ in named], []
    others = [step for step, _ in apart]
    return [step for step, _ in named if not any(step is one for one in others)], others


def _parts(steps: list[ir.Step]) -> Iterator[list[ir.Step]]:
    """Yield the steps in parts that share no variable."""
    while steps:
        part, steps = _reached(steps, _variables(steps[0]))
        yield part
