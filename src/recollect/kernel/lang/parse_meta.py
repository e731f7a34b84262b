"""DESCRIBE, SEARCH, EXPORT and EXPLAIN.

KIP 1.0-draft3, META; and KIP 1.0-RC11, section 5. EXPLAIN is of Recollect.
"""

from __future__ import annotations

from recollect.kernel.lang.ast import (
    Describe,
    DescribeConceptType,
    DescribeConceptTypes,
    DescribeDomains,
    DescribePrimer,
    DescribePropositionType,
    DescribePropositionTypes,
    Explain,
    Export,
    Find,
    Search,
    Text,
)
from recollect.kernel.lang.cursor import Cursor, text, variable
from recollect.kernel.lang.parse_query import find, tail, where
from recollect.model import ElementKind

List = type[DescribeDomains] | type[DescribeConceptTypes] | type[DescribePropositionTypes]

PAGE = ("LIMIT", "CURSOR")
KINDS = {"CONCEPT": ElementKind.CONCEPT, "PROPOSITION": ElementKind.LINK}


def describe(cursor: Cursor) -> Describe:
    """Parse DESCRIBE, which stands here."""
    first = cursor.at
    cursor.advance()
    if cursor.take("PRIMER"):
        return DescribePrimer(span=cursor.since(first))
    if cursor.take("DOMAINS"):
        return _listed(DescribeDomains, cursor, first)
    if cursor.take("CONCEPT"):
        if cursor.take("TYPES"):
            return _listed(DescribeConceptTypes, cursor, first)
        return DescribeConceptType(_one_type(cursor), span=cursor.since(first))
    if cursor.take("PROPOSITION"):
        if cursor.take("TYPES"):
            return _listed(DescribePropositionTypes, cursor, first)
        return DescribePropositionType(_one_type(cursor), span=cursor.since(first))
    raise cursor.unexpected("PRIMER", "DOMAINS", "CONCEPT", "PROPOSITION")


def _listed(node: List, cursor: Cursor, first: int) -> Describe:
    found = tail(cursor, *PAGE)
    return node(found.limit, found.cursor, span=cursor.since(first))


def search(cursor: Cursor) -> Search:
    """Parse SEARCH, which stands here."""
    first = cursor.at
    cursor.advance()
    kind = KINDS.get(cursor.token)
    if kind is not None:
        cursor.advance()
    term = text(cursor) if kind is not None else text(cursor, *KINDS)
    found = tail(cursor, "WITH", "MODE", "THRESHOLD", *PAGE)
    return Search(
        kind,
        term,
        found.type,
        found.limit,
        found.mode,
        found.threshold,
        found.cursor,
        span=cursor.since(first),
    )


def export(cursor: Cursor) -> Export:
    """Parse EXPORT, which stands here."""
    first = cursor.at
    cursor.advance()
    target = variable(cursor)
    clauses = where(cursor, "EXPORT")
    found = tail(cursor, *PAGE)
    return Export(target, clauses, found.limit, found.cursor, span=cursor.since(first))


def explain(cursor: Cursor) -> Explain:
    """Parse EXPLAIN, which stands here, and the query after it."""
    first = cursor.at
    cursor.advance()
    match cursor.token:
        case "FIND":
            query: Find | Search | Describe = find(cursor)
        case "SEARCH":
            query = search(cursor)
        case "DESCRIBE":
            query = describe(cursor)
        case _:
            raise cursor.unexpected("FIND", "SEARCH", "DESCRIBE")
    return Explain(query, span=cursor.since(first))


def _one_type(cursor: Cursor) -> Text:
    if not cursor.take("TYPE"):
        raise cursor.unexpected("TYPE", "TYPES")
    return text(cursor)
