"""DESCRIBE, SEARCH and EXPLAIN. KIP 1.0-draft3, META; EXPLAIN is of Recollect."""

from __future__ import annotations

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.ast import (
    Describe,
    DescribeConceptType,
    DescribeConceptTypes,
    DescribeDomains,
    DescribePrimer,
    DescribePropositionType,
    DescribePropositionTypes,
    Explain,
    Find,
    Kind,
    Search,
    Size,
    Text,
)
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_kql import find, size
from recollect.kernel.lang.parse_value import at_parameter, text

OTHER_NAMES = {
    **dict.fromkeys(("TYPES", "CONCEPTS", "CONCEPT_TYPES", "NODES"), "CONCEPT TYPES"),
    **dict.fromkeys(("PROPOSITIONS", "PREDICATES", "LINKS", "RELATIONS"), "PROPOSITION TYPES"),
    "TYPE": "CONCEPT TYPE",
    "PREDICATE": "PROPOSITION TYPE",
    "DOMAIN": "DOMAINS",
}
KINDS = {"CONCEPT": Kind.CONCEPT, "PROPOSITION": Kind.LINK}


def describe(cursor: Cursor) -> Describe:
    """Parse DESCRIBE, which stands here."""
    first = cursor.at
    cursor.advance()
    if cursor.take("PRIMER"):
        return DescribePrimer(span=cursor.since(first))
    if cursor.take("DOMAINS"):
        return DescribeDomains(span=cursor.since(first))
    if cursor.take("CONCEPT"):
        if cursor.take("TYPES"):
            return DescribeConceptTypes(span=cursor.since(first))
        return DescribeConceptType(_one_type(cursor), span=cursor.since(first))
    if cursor.take("PROPOSITION"):
        if cursor.take("TYPES"):
            return DescribePropositionTypes(span=cursor.since(first))
        return DescribePropositionType(_one_type(cursor), span=cursor.since(first))
    raise _nothing_to_describe(cursor)


def _nothing_to_describe(cursor: Cursor) -> RecollectError:
    better = OTHER_NAMES.get(cursor.token.upper())
    if better is None and cursor.token[0] == '"':
        better = f"CONCEPT TYPE {cursor.token}"
    if better is not None:
        message = f"there is no DESCRIBE {cursor.token[:40]}"
        return cursor.error(message, hint=f"use {better}", fix=better)
    error = cursor.unexpected("PRIMER", "DOMAINS", "CONCEPT", "PROPOSITION")
    if cursor.at_end:
        error.hint, error.fix = "add PRIMER", Fix(cursor.here(), " PRIMER")
    return error


def search(cursor: Cursor) -> Search:
    """Parse SEARCH, which stands here; WITH TYPE and LIMIT come in either order."""
    first = cursor.at
    cursor.advance()
    kind = KINDS.get(cursor.token)
    if kind is not None:
        cursor.advance()
    term = text(cursor) if kind is not None else text(cursor, *KINDS)
    type_: Text | None = None
    limit: Size | None = None
    while cursor.token in ("WITH", "LIMIT"):
        keyword = cursor.token
        if (type_ if keyword == "WITH" else limit) is not None:
            raise cursor.error(f"{keyword} is given twice", hint=f"keep one {keyword}")
        cursor.advance()
        if keyword == "WITH":
            cursor.expect("TYPE")
            type_ = text(cursor)
        else:
            limit = size(cursor, keyword)
    return Search(kind, term, type_, limit, span=cursor.since(first))


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
        raise _no_type(cursor)
    return text(cursor)


def _no_type(cursor: Cursor) -> RecollectError:
    error = cursor.unexpected("TYPE", "TYPES")
    if cursor.at_end:
        error.hint, error.fix = "add TYPES", Fix(cursor.here(), " TYPES")
    elif cursor.token[0] == '"' or at_parameter(cursor):
        start = cursor.here().start
        error.hint, error.fix = "add TYPE", Fix(Span(start, start), "TYPE ")
    return error
