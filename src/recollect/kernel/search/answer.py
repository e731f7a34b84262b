"""One query of a text to its result, whichever kind of query it is."""

from __future__ import annotations

from functools import partial
from typing import assert_never

from recollect.kernel.lang import ast
from recollect.kernel.lang.words import syntax_card
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.pages import Page
from recollect.kernel.read.reader import Clock, Origin, Reader
from recollect.kernel.read.resting import resting
from recollect.kernel.search.describe import describe, unheeded
from recollect.kernel.search.explain import explain
from recollect.kernel.search.grounding import hits
from recollect.kernel.search.modes import modes_with
from recollect.model import Explanation, Result

Question = ast.Find | ast.Search | ast.Describe | ast.Explain
"""A query that is answered from what is indexed, with nothing to carry away."""


def answer(
    reader: Reader,
    bindings: Bindings,
    query: Question,
    origin: Origin | None = None,
    clock: Clock | None = None,
) -> Result:
    """Return the result of one query; `origin` is its text, if that holds nothing else.

    With the memory's `clock` a warning names the rows that rest on what is not true now.
    The caller has refused what a strict group does not declare.
    """
    match query:
        case ast.Find():
            rows = reader.find(query, bindings, origin)
            if clock is not None and rows.rows:
                page = Page.of(query, bindings)
                with reader.at_page(page):
                    reader.notices += resting(reader, query, bindings, page, clock)
            return rows
        case ast.Search():
            return hits(reader, bindings, query, clock)
        case (
            ast.DescribePrimer()
            | ast.DescribeDomains()
            | ast.DescribeConceptTypes()
            | ast.DescribeConceptType()
            | ast.DescribePropositionTypes()
            | ast.DescribePropositionType()
        ):
            reader.notices += unheeded(query, reader.moment)
            modes, moment = modes_with(reader.meanings), reader.moment
            now = None if clock is None else clock()
            return describe(
                reader.session, reader.group, query, bindings, syntax_card(), modes, moment, now
            )
        case ast.Explain():
            return explanation(reader, bindings, query.query)
        case _:
            assert_never(query)


def explanation(reader: Reader, bindings: Bindings, query: Question) -> Explanation:
    """Return how a query is answered; EXPLAIN of one is the same as the query itself."""
    plain = query.query if isinstance(query, ast.Explain) else query
    return explain(reader, bindings, plain, partial(answer, reader, bindings))
