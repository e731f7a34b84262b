"""The clauses of a WHERE block, nested in each other as deep as the limit allows.

KIP 1.0-draft3, WHERE.
"""

from __future__ import annotations

from recollect.errors import RecollectError
from recollect.kernel.lang.ast import (
    Clause,
    ConceptClause,
    LinkClause,
    NotClause,
    OptionalClause,
    ReadClause,
    Section,
    UnionClause,
    Variable,
)
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_filter import filter_clause
from recollect.kernel.lang.parse_pattern import concept_pattern, link_pattern, target
from recollect.kernel.lang.parse_value import text, variable
from recollect.kernel.lang.tokens import A_PATTERN, A_VARIABLE, is_named
from recollect.kernel.lang.words import CLAUSES

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
    if cursor.token == "(" or is_named(cursor.token, "?"):
        raise _no_braces(cursor, "WHERE")
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
    if token == "{" and cursor.next_token()[0] in "?({":
        raise _bare_block(cursor)
    if token in ("(", "{"):
        return _named(cursor, None, first)
    if token in SECTIONS:
        return _read(cursor)
    if token == "FILTER":
        return filter_clause(cursor)
    if token in BLOCKS:
        cursor.advance()
        if cursor.token == "(" or is_named(cursor.token, "?"):
            raise _no_braces(cursor, token)
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


def _bare_block(cursor: Cursor) -> RecollectError:
    """Return the error for a block of its own, such as the first branch of a UNION elsewhere."""
    first = cursor.at
    block(cursor)
    span = cursor.since(first)
    return cursor.error(
        "a block in braces stands only after WHERE, NOT, OPTIONAL and UNION",
        span=span,
        hint="remove these braces: UNION unites all that stands before it in its block",
        fix=cursor.source[span.start + 1 : span.end - 1].strip(),
    )


def _no_braces(cursor: Cursor, keyword: str) -> RecollectError:
    """Return the error for a block without its braces: one clause, or all there are of WHERE."""
    first = cursor.at
    _clause(cursor)
    while keyword == "WHERE" and (cursor.token in ("(", *CLAUSES) or is_named(cursor.token, "?")):
        _clause(cursor)
    return cursor.unwrapped(f"{keyword} takes a block in braces", first, keyword, "{}")


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
