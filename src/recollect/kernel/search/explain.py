"""One query of a text to its result, whichever kind of query it is; EXPLAIN of any.

FIND is explained by its plan, SEARCH and DESCRIBE in words, each with its counts. The rule: a query
that is explained is run, so that what it took is measured and not guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from recollect.kernel.lang import ast, print_text
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.explain import explain_find
from recollect.kernel.read.reader import Reader
from recollect.kernel.search.grounding import mode_of
from recollect.kernel.search.modes import KEYWORD, SEMANTIC
from recollect.kernel.search.tokens import terms
from recollect.kernel.vectors.meanings import Meanings
from recollect.model import Description, ElementKind, Explanation, Hits, Result

Run = Callable[[ast.Search | ast.Describe], Result]


def explain(reader: Reader, bindings: Bindings, query: ast.Query, run: Run) -> Explanation:
    """Return how a query is answered; `run` answers what is not a FIND.

    EXPLAIN of a query is the same as the query itself.
    """
    if isinstance(query, ast.Explain):
        query = query.query
    assert not isinstance(query, ast.Export)  # neither the language nor a call lets it come here
    if isinstance(query, ast.Find):
        return explain_find(reader, query, bindings)
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
