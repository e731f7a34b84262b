"""FIND: its clauses, its columns, and what orders and limits them. KIP 1.0-draft3, KQL.

WHERE and the tail serve other statements too. Its rule: clauses nest in each other as deep as the
limit allows; the parts of a tail come in any order, each at most once.
"""

from __future__ import annotations

from recollect.errors import RecollectError, Span, nearest
from recollect.kernel.lang.ast import (
    Aggregate,
    Clause,
    ConceptClause,
    Field,
    Find,
    Function,
    LinkClause,
    Literal,
    NotClause,
    OptionalClause,
    ReadClause,
    Section,
    Size,
    SortKey,
    Text,
    UnionClause,
    Variable,
)
from recollect.kernel.lang.cursor import (
    Cursor,
    at_parameter,
    field_or_variable,
    literal,
    parameter,
    single_value,
    text,
    value,
    variable,
    whole_number,
)
from recollect.kernel.lang.parse_filter import filter_clause
from recollect.kernel.lang.parse_pattern import concept_pattern, link_pattern, target
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.tokens import A_PATTERN, A_VARIABLE, is_named, is_word
from recollect.kernel.lang.words import AGGREGATES, CLAUSES
from recollect.node import dataclass

SECTIONS = {"ATTR": Section.ATTRIBUTES, "META": Section.METADATA}
BLOCKS: dict[str, type[NotClause | OptionalClause | UnionClause]] = {
    "NOT": NotClause,
    "OPTIONAL": OptionalClause,
    "UNION": UnionClause,
}


def where(cursor: Cursor, statement: str) -> tuple[Clause, ...]:
    """Parse `WHERE { ... }`, which `statement` cannot do without."""
    if cursor.token == "{":
        raise cursor.error(
            f"the block of {statement} has no WHERE before it", hint="add WHERE", fix="WHERE {"
        )
    if cursor.token != "WHERE":
        raise _no_where(cursor, statement)
    cursor.advance()
    return block(cursor)


def block(cursor: Cursor) -> tuple[Clause, ...]:
    """Parse `{ clause clause ... }`; commas between clauses are let pass."""
    cursor.open("{")
    clauses: list[Clause] = []
    while cursor.token != "}":
        cursor.pulse()
        clauses.append(_clause(cursor))
        cursor.take(",")
    cursor.close("}")
    return tuple(clauses)


def _clause(cursor: Cursor) -> Clause:
    first = cursor.at
    token = cursor.token
    if is_named(token, "?"):
        return _named(cursor, variable(cursor), first)
    if token in ("(", "{"):
        return _named(cursor, None, first)
    if token in SECTIONS:
        return _read(cursor)
    if token == "FILTER":
        return filter_clause(cursor)
    if token in BLOCKS:
        cursor.advance()
        clauses = block(cursor)
        return BLOCKS[token](clauses, span=cursor.since(first))
    error = cursor.unexpected(A_VARIABLE, A_PATTERN, *CLAUSES, "}")
    error.hint = error.hint or 'write a clause like ?x {type: "..."} or (?x, "predicate", ?y)'
    raise error


def _named(cursor: Cursor, name: Variable | None, first: int) -> ConceptClause | LinkClause:
    if cursor.token == "{":
        concept = concept_pattern(cursor)
        return ConceptClause(name, concept, span=cursor.since(first) if name else concept.span)
    if cursor.token == "(":
        link = link_pattern(cursor)
        return LinkClause(name, link, span=cursor.since(first) if name else link.span)
    error = cursor.unexpected("{", "(")
    if name is not None and not error.hint:
        error.hint = f'write ?{name.name} {{type: "..."}} or ?{name.name} (?a, "...", ?b)'
    raise error


def _read(cursor: Cursor) -> ReadClause:
    first = cursor.at
    name = cursor.token
    section = SECTIONS[name]
    cursor.advance()
    cursor.open("(")
    read_from = target(cursor)
    cursor.expect(",")
    key = text(cursor)
    cursor.expect(",")
    if not is_named(cursor.token, "?"):
        raise _no_variable(cursor, name)
    value = variable(cursor)
    cursor.take(",")
    cursor.close(")")
    return ReadClause(section, read_from, key, value, span=cursor.since(first))


def _no_variable(cursor: Cursor, name: str) -> RecollectError:
    error = cursor.unexpected(A_VARIABLE)
    if not error.hint:
        error.hint = f"{name} binds a variable: compare it in FILTER(?value == ...)"
    return error


def _no_where(cursor: Cursor, statement: str) -> RecollectError:
    error = cursor.unexpected("WHERE")
    if not error.hint:
        error.message = f"{statement} has no WHERE block"
        error.hint = "add WHERE { ... }"
    return error


FUNCTIONS = {one.value: one for one in Function}


def column(cursor: Cursor) -> Variable | Field | Aggregate:
    """Parse one column of FIND."""
    if is_named(cursor.token, "?"):
        return field_or_variable(cursor)
    if not is_word(cursor.token):
        raise cursor.unexpected(A_VARIABLE, *AGGREGATES)
    first = cursor.at
    function, name, is_distinct = _call(cursor)
    alias = variable(cursor) if cursor.take("AS") else None
    if alias is None and cursor.token not in (",", ")"):
        raise cursor.unexpected("AS", ",", ")")
    return Aggregate(function, name, is_distinct, alias, span=cursor.since(first))


def order_by(cursor: Cursor) -> tuple[SortKey, ...]:
    """Parse ORDER BY, which stands here, and its keys."""
    cursor.advance()
    cursor.expect("BY")
    keys = [_sort_key(cursor)]
    while cursor.take(",") or cursor.token[0] == "?" or cursor.token in FUNCTIONS:
        keys.append(_sort_key(cursor))
    return tuple(keys)


def _sort_key(cursor: Cursor) -> SortKey:
    first = cursor.at
    key: Variable | Field | Aggregate
    if is_word(cursor.token):
        function, name, is_distinct = _call(cursor)
        key = Aggregate(function, name, is_distinct, span=cursor.since(first))
    else:
        key = single_value(cursor)
    is_descending = cursor.take("DESC")
    if not is_descending:
        cursor.take("ASC")
    return SortKey(key, is_descending, span=cursor.since(first))


def _call(cursor: Cursor) -> tuple[Function, Variable | Field, bool]:
    function = FUNCTIONS.get(cursor.token)
    if function is None:
        raise _unknown_function(cursor)
    cursor.advance()
    cursor.open("(")
    is_distinct = cursor.take("DISTINCT")
    if not is_named(cursor.token, "?"):
        raise cursor.unexpected(A_VARIABLE, "DISTINCT")
    counted = field_or_variable(cursor)
    cursor.close(")")
    return function, counted, is_distinct


def _unknown_function(cursor: Cursor) -> RecollectError:
    name = cursor.token
    if cursor.next_token() != "(" or name.upper() in FUNCTIONS:
        return cursor.unexpected(A_VARIABLE, *AGGREGATES)
    return cursor.unknown("FIND has no function", name, AGGREGATES)


MODES = ("keyword", "semantic", "hybrid")
SIZES = ("LIMIT", "OFFSET")


@dataclass(slots=True)
class Tail:
    """What was given; each statement takes the parts it has."""

    order_by: tuple[SortKey, ...] = ()
    limit: Size | None = None
    offset: Size | None = None
    cursor: Text | None = None
    type: Text | None = None
    mode: Text | None = None
    threshold: Size | None = None


def tail(cursor: Cursor, *keywords: str) -> Tail:
    """Parse what begins with one of `keywords`, as long as one stands here."""
    found = Tail()
    given: set[str] = set()
    while (keyword := cursor.token) in keywords:
        if keyword in given:
            raise cursor.error(f"{keyword} is given twice", hint=f"keep one {keyword}")
        given.add(keyword)
        if keyword == "ORDER":
            found.order_by = order_by(cursor)
            continue
        cursor.advance()
        match keyword:
            case "LIMIT":
                found.limit = size(cursor, keyword)
            case "OFFSET":
                found.offset = size(cursor, keyword)
            case "CURSOR":
                found.cursor = text(cursor)
            case "WITH":
                cursor.expect("TYPE")
                found.type = text(cursor)
            case "MODE":
                found.mode = _mode(cursor)
            case "THRESHOLD":
                found.threshold = _threshold(cursor)
    return found


def size(cursor: Cursor, keyword: str) -> Size:
    """Parse the number of LIMIT or OFFSET, or the placeholder for it."""
    if at_parameter(cursor):
        return parameter(cursor)
    number = whole_number(cursor.token)
    if number is None or number < 0:
        message = f"{keyword} takes a whole number, zero or more"
        found = "" if cursor.at_end else f", not `{cursor.token[:40]}`"
        raise cursor.error(message + found, hint=f"use {keyword} {10 if keyword in SIZES else 1}")
    at = cursor.here()
    cursor.advance()
    return literal(number, at)


def _mode(cursor: Cursor) -> Text:
    """Parse a mode of SEARCH; its quotes may be left out."""
    word, at = cursor.token, cursor.here()
    if word in MODES:
        cursor.advance()
        return literal(word, at)
    if is_word(word):
        raise _no_mode(cursor, word)
    found = text(cursor)
    if isinstance(found, Literal) and found.value not in MODES:
        raise _no_mode(cursor, str(found.value), found.span)
    return found


def _no_mode(cursor: Cursor, word: str, span: Span | None = None) -> RecollectError:
    better = meant(word, MODES)
    error = cursor.error(
        f"SEARCH has no mode {word[:40]}",
        span=span,
        hint=f"use {better or 'one of ' + ', '.join(MODES)}",
        known=nearest(word[:40], MODES) or MODES,
        fix=better and f'"{better}"',
    )
    return error if better else cursor.settled(error)


def _threshold(cursor: Cursor) -> Size:
    """Parse a number from 0 to 1, or a placeholder for it."""
    if at_parameter(cursor):
        return parameter(cursor)
    token, at = cursor.token, cursor.here()
    if token[0].isdigit() or token[:2].strip("-+.").isdigit():
        found = value(cursor)
        assert isinstance(found, Literal)
        number = found.value
        if isinstance(number, int | float) and 0 <= number <= 1:
            return found
    found_text = "" if token == "\0" else f", not `{token[:40]}`"
    message = f"THRESHOLD takes a number from 0 to 1{found_text}"
    raise cursor.error(message, span=at, hint="use THRESHOLD 0.5")


def find(cursor: Cursor) -> Find:
    """Parse FIND, which stands here."""
    first = cursor.at
    cursor.advance()
    cursor.open("(")
    columns = [column(cursor)]
    while cursor.take(",") and cursor.token != ")":
        columns.append(column(cursor))
    cursor.close(")", ",")
    clauses = where(cursor, "FIND")
    found = tail(cursor, "ORDER", "LIMIT", "OFFSET", "CURSOR")
    return Find(
        tuple(columns),
        clauses,
        found.order_by,
        found.limit,
        found.offset,
        found.cursor,
        span=cursor.since(first),
    )
