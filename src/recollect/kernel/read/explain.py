"""EXPLAIN of a FIND: every stage between the text and the rows, and what running it took.

The rule: it shows what a read really does, from the same tree and by the same functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from recollect.kernel.lang import ast, print_text
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import (
    all_steps,
    determined,
    is_unique,
    owners,
    plan_as_written,
    plan_find,
)
from recollect.kernel.plan.show import show_plan
from recollect.kernel.read.cells import Page
from recollect.kernel.read.reader import Reader
from recollect.kernel.sql.output import Compiled
from recollect.kernel.store.cells import SqlValue
from recollect.model import Explanation, Value

_PARAMETER = re.compile(r":(\w+)")
_ELEMENT, _AFTER = "_element", "after"
_UNTOLD: Final[Mapping[str, str]] = {
    "group": "this group",
    "last_id": "the last element of that moment",
    "id_bits": "what the ids of this group are made with",
}


def explain_find(reader: Reader, find: ast.Find, bindings: Bindings) -> Explanation:
    """Return how a FIND is answered. Cost: planning it twice, and running it once."""
    shape = ast.Find(find.columns, Lifting(bindings).clauses(find.where), find.order_by)
    statistics = reader.statistics()
    written, plan = plan_as_written(shape), plan_find(shape, statistics)
    page = Page.of(find, bindings)
    with reader.at_page(page):
        compiled, parameters, page = reader.compile(find, bindings, page)
        with reader.session.measured() as work:
            rows = reader.run(compiled, parameters, page)
        if reader.is_doubtful(compiled, rows):
            answer = reader.shown(compiled, {}, page, rows, has_more=False)
            reader.warn_of_keys(find, bindings, answer)
    return Explanation(
        tree=print_text(find),
        written=tuple(show_plan(written).splitlines()),
        plan=tuple(show_plan(plan).splitlines()),
        rules=tuple(_rules(written, plan, statistics)),
        counts=dict(_counts(plan.branches, statistics)),
        sql=compiled.sql,
        parameters=_shown(compiled, parameters),
        engine=reader.session.plan(compiled.sql, parameters),
        rows=len(rows),
        steps=work.steps,
        scanned=work.scanned,
    )


def _rules(written: ir.Plan, plan: ir.Plan, statistics: Statistics) -> Iterator[str]:
    """Yield the rewrites that changed something, and why."""
    if written.branches != plan.branches:
        yield "order: patterns that find the fewest elements first, then outward from what is bound"
    if any(isinstance(step, ir.Require) for one in plan.branches for step in one.steps):
        yield "once: what nothing shown is joined to has only to be there"
    steps = [step for one in plan.branches for step in all_steps(one)]
    if any(isinstance(one, ir.MatchConcept) and one.names is not None for one in steps):
        yield "listed: concepts are looked up by a list of names, and no others are tested"
    if len(plan.branches) > 1:
        yield "union: later clauses run in every branch, and equal rows of branches become one"
    elif not plan.is_grouped and _rows_are_unique(plan, statistics):
        yield "unique: no row can come twice, so none is compared with another"


def _rows_are_unique(plan: ir.Plan, statistics: Statistics) -> bool:
    (branch,) = plan.branches
    owner = owners(branch)
    exports = [branch.exports[one.variable] for one in plan.columns if isinstance(one, ir.Plain)]
    keys = (owner.get(var, var) for var in exports)
    return is_unique(branch, determined(branch, keys, statistics))


def _counts(branches: Iterable[ir.Branch], statistics: Statistics) -> Iterator[tuple[str, int]]:
    """Yield the counts the order rests on, in the order of the steps."""
    for branch in branches:
        for step in branch.steps:
            match step:
                case ir.MatchConcept(name=None, id=None, names=None):
                    name = "every type" if step.type is None else f"type {step.type}"
                    yield name, statistics.type_count(step.type)
                case ir.MatchLink(predicates=()):
                    yield "every predicate", statistics.link_count(())
                case ir.MatchLink():
                    for one in step.predicates:
                        yield f"predicate {one}", statistics.link_count((one,))
                case ir.MatchPath():
                    for walked in step.steps:
                        one = walked.predicate
                        yield f"predicate {one}", statistics.link_count((one,))
                case ir.Exclude() | ir.Extend() | ir.Require():
                    yield from _counts(step.branches, statistics)


def _shown(compiled: Compiled, parameters: Mapping[str, SqlValue]) -> dict[str, Value]:
    """Return the parameters that the SQL names, in its order: types and predicates as such.

    What is counted over all groups is told in words: it would tell of the others.
    """
    shown: dict[str, Value] = {}
    for name in dict.fromkeys(_PARAMETER.findall(compiled.sql)):
        value = parameters.get(name)
        if name in _UNTOLD:
            shown[name] = _UNTOLD[name]
        elif name.endswith(_ELEMENT):
            shown[name] = "the element of that id"
        elif name.startswith(_AFTER) and isinstance(parameters.get(name), int):
            shown[name] = "a number that the row before is ordered by"
        elif name in compiled.terms:
            shown[name] = f"{compiled.terms[name]}, whose code is {value!r}"
        elif name in parameters:
            shown[name] = value.hex() if isinstance(value, bytes) else value
    return shown
