"""EXPLAIN: every stage between a text and its rows, or what a SEARCH or DESCRIBE does, in words.

The rule: a query that is explained is run, from the same tree and by the same functions, so that
what it took is measured and not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, assert_never

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
from recollect.kernel.search.grounding import mode_of
from recollect.kernel.search.modes import KEYWORD, SEMANTIC
from recollect.kernel.search.tokens import terms
from recollect.kernel.sql.output import Compiled
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.vectors.meanings import Meanings
from recollect.model import Description, ElementKind, Explanation, Hits, Result, Value

_PARAMETER = re.compile(r":(\w+)")
_ELEMENT, _AFTER = "_element", "after"
_UNTOLD: Final[Mapping[str, str]] = {
    "group": "this group",
    "last_id": "the last element of that moment",
    "id_bits": "what the ids of this group are made with",
}

Run = Callable[[ast.Search | ast.Describe], Result]


def explain(reader: Reader, bindings: Bindings, query: ast.Query, run: Run) -> Explanation:
    """Return how a query is answered; `run` answers what is not a FIND.

    EXPLAIN of a query is the same as the query itself.
    """
    if isinstance(query, ast.Explain):
        query = query.query
    assert not isinstance(query, ast.Export)  # neither the language nor a call lets it come here
    if isinstance(query, ast.Find):
        return _find(reader, query, bindings)
    reader.statistics()  # which is looked up once, and so is not counted
    with reader.session.measured() as work:
        answer = run(query)
    return Explanation(
        tree=print_text(query),
        written=(),
        plan=_search(reader, bindings, query)
        if isinstance(query, ast.Search)
        else _describe(query),
        rules=(),
        counts={},
        sql="",
        parameters={},
        engine=(),
        rows=_size(answer),
        steps=work.steps,
        scanned=work.scanned,
    )


def _search(reader: Reader, bindings: Bindings, query: ast.Search) -> tuple[str, ...]:
    words = [one.text + "..." * one.is_prefix for one in terms(bindings.text(query.term, "term"))]
    concepts = (
        f"look up in the text index: {', '.join(words)}",
        "rank the concepts found by the rarity of their words; one whose name it is comes first",
    )
    links = (
        "rank links by their own words",
        "add the links of the best concepts, by what their ends score",
    )
    match query.kind:
        case ElementKind.CONCEPT:
            steps: tuple[str, ...] = concepts
        case ElementKind.LINK | None:
            steps = (*concepts, *links)
        case _:
            assert_never(query.kind)
    steps = _compared(mode_of(reader, bindings, query), reader.meanings, steps)
    if query.type is not None:
        steps = (*steps, f"keep elements of the type {bindings.string(query.type, 'the type')}")
    if query.threshold is not None:
        steps = (*steps, f"keep what scores {bindings.value(query.threshold)} or more")
    if query.cursor is not None:
        steps = (*steps, "leave out what earlier pages have shown")
    return steps


def _compared(mode: str, meanings: Meanings | None, steps: tuple[str, ...]) -> tuple[str, ...]:
    """Return the steps of a mode, where `steps` are those that compare words."""
    if meanings is None or mode == KEYWORD:
        return steps
    meaning = "rank by the cosine between the meaning of the text and that of every element"
    if mode == SEMANTIC:
        return (meaning,)
    return (*steps, meaning, "join both rankings by the reciprocals of their ranks")


def _describe(query: ast.Describe) -> tuple[str, ...]:
    counted = "read the counts of now, which every write keeps up to date"
    match query:
        case ast.DescribePrimer():
            return (counted, "find the concepts with the most links, and the domains")
        case ast.DescribeDomains():
            return (
                "read the domains that are stored, else the types stand in for them",
                "find the concepts with the most links in each",
            )
        case ast.DescribeConceptTypes() | ast.DescribePropositionTypes():
            return (counted, "add the definitions, and what they say")
        case ast.DescribeConceptType() | ast.DescribePropositionType():
            return (
                counted,
                "read its definition",
                "read some elements of it, to tell what they look like",
            )
        case _:
            assert_never(query)


def _size(answer: Result) -> int:
    """Return how many hits or items there are; a single object counts as one."""
    match answer:
        case Hits():
            return len(answer.hits)
        case Description(body={"items": list() as items}):
            return len(items)
        case _:
            return 1


def _find(reader: Reader, find: ast.Find, bindings: Bindings) -> Explanation:
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
