"""What determines what: whether rows can repeat, so that nothing is deduplicated for nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.lift import class_of
from recollect.kernel.plan.statistics import Statistics

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
