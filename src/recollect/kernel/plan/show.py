"""A plan as text, one step a line in running order: what EXPLAIN and the cases show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from recollect.kernel.lang import ast, print_text
from recollect.kernel.plan import ir


def show_plan(plan: ir.Plan) -> str:
    """Return the steps of each branch, then the columns and the order."""
    lines: list[str] = []
    for number, branch in enumerate(plan.branches):
        if len(plan.branches) > 1:
            lines.append(f"branch {number}")
        lines += _branch(branch, "  " * (len(plan.branches) > 1))
    columns = ", ".join(
        f"{name} = {_column(plan, column)}"
        for name, column in zip(plan.names, plan.columns, strict=True)
    )
    lines.append(f"find {columns}")
    for sort in plan.order_by:
        direction = " desc" if sort.is_descending else ""
        lines.append(f"sort {_column(plan, sort.key)}{direction}")
    return "\n".join(lines)


def _column(plan: ir.Plan, column: ir.Column) -> str:
    name = _var(plan.variables[column.variable])
    if isinstance(column, ir.Plain):
        return name
    return f"{column.function.lower()}({'distinct ' * column.is_distinct}{name})"


def _var(var: ir.Var) -> str:
    """Return a variable as `?name.number`; an existential of the compiler's is `_.number`."""
    return f"{'?' + var.name if var.name else '_'}.{var.number}"


def _branch(branch: ir.Branch, indent: str) -> Iterator[str]:
    for step in branch.steps:
        yield from (indent + line for line in _step(step))


def _step(step: ir.Step) -> Iterator[str]:
    match step:
        case ir.MatchConcept():
            parts = [f"type={step.type}"] if step.type is not None else []
            parts += [f"name=:{step.name}"] if step.name is not None else []
            parts += [f"id=:{step.id}"] if step.id is not None else []
            parts += [f"names=:{step.names}"] if step.names is not None else []
            yield f"concept {_var(step.var)} {' '.join(parts)}"
        case ir.MatchLink():
            predicate = " | ".join(step.predicates)
            if step.predicate is not None:
                predicate = _var(step.predicate)
            ends = f"({_var(step.subject)}, {predicate}, {_var(step.object)})"
            yield f"link {_var(step.var)} {ends}"
        case ir.MatchLinkId():
            yield f"link {_var(step.var)} id=:{step.id}"
        case ir.MatchPath():
            path = " | ".join(
                f"{one.predicate}{{{one.minimum},{'' if one.maximum is None else one.maximum}}}"
                for one in step.steps
            )
            yield f"path ({_var(step.subject)}, {path}, {_var(step.object)})"
        case ir.ReadValue():
            yield f"read {_var(step.value)} = {_var(step.target)}{_path(step)}"
        case ir.BindNull():
            yield f"null {_var(step.var)}"
        case ir.Unify():
            yield f"unify {_var(step.left)} = {_var(step.right)}"
        case ir.Filter():
            yield print_text(ast.FilterClause(step.expression)).strip()
        case ir.Exclude():
            yield f"not, sharing {', '.join(map(_var, step.shared))}"
            yield from _inner(step.branches)
        case ir.Require():
            yield "once"
            yield from _inner(step.branches)
        case ir.Extend():
            yield f"optional, giving {', '.join(map(_var, step.outputs))}"
            yield from _inner(step.branches)
        case _:
            assert_never(step)


def _path(read: ir.ReadValue) -> str:
    """Return what is read as dots; of what ATTR reads, the fields hide the attributes."""
    match read.part:
        case ir.ElementPart.FIELDS:
            return f".{read.key}"
        case ir.ElementPart.NAMED:
            return f".attributes.{read.key}"
        case ir.ElementPart.ATTRIBUTES | ir.ElementPart.METADATA:
            return f".{read.part.value}" + ("" if read.key is None else f".{read.key}")
        case _:
            assert_never(read.part)


def _inner(branches: tuple[ir.Branch, ...]) -> Iterator[str]:
    for number, branch in enumerate(branches):
        if number:
            yield "  or"
        yield from _branch(branch, "  ")
