"""One query of a text to its result, whichever kind of query it is."""

from __future__ import annotations

from functools import lru_cache, partial
from importlib import resources
from typing import assert_never

from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings, bind_values
from recollect.kernel.read.moment import NOW
from recollect.kernel.read.reader import Origin, Reader
from recollect.kernel.search.describe import OF_NOW, describe
from recollect.kernel.search.explain import explain
from recollect.kernel.search.search import DEFAULT_LIMIT, search
from recollect.model import ElementKind, Explanation, Hit, Hits, Result


def answer(
    reader: Reader, bindings: Bindings, query: ast.Query, origin: Origin | None = None
) -> Result:
    """Return the result of one query; `origin` names where it stands, if it may come again."""
    match query:
        case ast.Find():
            return reader.find(query, bindings, origin)
        case ast.Search():
            return _hits(reader, bindings, query)
        case (
            ast.DescribePrimer()
            | ast.DescribeDomains()
            | ast.DescribeConceptTypes()
            | ast.DescribeConceptType()
            | ast.DescribePropositionTypes()
            | ast.DescribePropositionType()
        ):
            if reader.moment is not NOW:
                reader.notices.append(OF_NOW)
            node = bind_values(query, bindings)
            return describe(reader.session, reader.group, node, _syntax_card())
        case ast.Explain():
            return explanation(reader, bindings, query.query)
        case _:
            assert_never(query)


def explanation(reader: Reader, bindings: Bindings, query: ast.Query) -> Explanation:
    """Return how a query is answered; EXPLAIN of one is the same as the query itself."""
    plain = query.query if isinstance(query, ast.Explain) else query
    return explain(reader, bindings, plain, partial(answer, reader, bindings))


def _hits(reader: Reader, bindings: Bindings, query: ast.Search) -> Hits:
    term = bindings.text(query.term, "the search term")
    type_ = None if query.type is None else bindings.string(query.type, "the type")
    limit = DEFAULT_LIMIT if query.limit is None else bindings.whole(query.limit, "LIMIT")
    kind = None if query.kind is None else ElementKind(query.kind.value)
    valid, known = reader.moment.valid, reader.moment.known
    most = min(limit, reader.limits.max_rows)
    found = search(reader.session, reader.group, term, kind, type_, most, valid, known)
    reader.notices += found.notices
    elements = reader.elements(match.element for match in found.matches)
    return Hits(tuple(Hit(one.kind, one.score, elements[one.element]) for one in found.matches))


@lru_cache(1)
def _syntax_card() -> str:
    card = resources.files("recollect.kernel.lang").joinpath("syntax_card.md")
    return card.read_text(encoding="utf-8")
