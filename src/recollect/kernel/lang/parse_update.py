"""UPDATE, and the arithmetic of its values. KIP 1.0-RC11, section 4.3.

Its rule: a value is computed from the target's own state, so no other variable stands in one.
"""

from __future__ import annotations

from recollect.errors import Span
from recollect.kernel.lang.ast import (
    Arithmetic,
    Assignment,
    Computed,
    Field,
    Literal,
    Section,
    Term,
    Update,
    Variable,
)
from recollect.kernel.lang.cursor import (
    Cursor,
    at_parameter,
    object_key,
    parameter,
    single_value,
    value,
    variable,
)
from recollect.kernel.lang.parse_query import tail, where
from recollect.kernel.lang.print_inline import inline
from recollect.kernel.lang.tokens import A_TERM, is_named, is_word
from recollect.kernel.lang.words import ARITHMETIC, VALUES

FUNCTIONS = {one.value: one for one in Arithmetic}
OPERANDS = {
    Arithmetic.ADD: ("a", "b"),
    Arithmetic.MUL: ("a", "b"),
    Arithmetic.CLAMP: ("x", "low", "high"),
    Arithmetic.COALESCE: ("x", "default"),
}
SIGNS = ("+", "-", "*", "/")
SECTIONS = {"ATTRIBUTES": Section.ATTRIBUTES, "METADATA": Section.METADATA}

Assignments = tuple[Assignment, ...]


def update(cursor: Cursor) -> Update:
    """Parse UPDATE, which stands here."""
    first = cursor.at
    cursor.advance()
    target = variable(cursor)
    if cursor.token != "SET":
        raise cursor.unexpected("SET")
    found: dict[Section, Assignments] = {}
    while cursor.take("SET"):
        section = SECTIONS.get(cursor.token)
        if section is None:
            raise cursor.unexpected(*SECTIONS)
        if section in found:
            hint = f"keep one SET {cursor.token}"
            raise cursor.error(f"SET {cursor.token} is given twice", hint=hint)
        cursor.advance()
        found[section] = _assignments(cursor, target)
    if not any(found.values()):
        message, hint = "UPDATE sets no key", 'write SET ATTRIBUTES {key: "value"}'
        raise cursor.error(message, span=cursor.since(first), hint=hint)
    clauses = where(cursor, "UPDATE")
    limit = tail(cursor, "LIMIT").limit
    return Update(
        target,
        found.get(Section.ATTRIBUTES, ()),
        found.get(Section.METADATA, ()),
        clauses,
        limit,
        span=cursor.since(first),
    )


def _assignments(cursor: Cursor, target: Variable) -> Assignments:
    outside = cursor.begin_value()
    cursor.open("{")
    found: dict[str, Assignment] = {}
    before: tuple[str, ...] = ("}",)
    while cursor.token != "}":
        first = cursor.at
        key = object_key(cursor, *before)
        found[key] = _assignment(cursor, target, key, first)
        before = ("}",) if cursor.take(",") else (",", "}")
    cursor.close("}")
    cursor.end_value(outside)
    return tuple(found.values())


def _assignment(cursor: Cursor, target: Variable, key: str, first: int) -> Assignment:
    if is_word(cursor.token) and cursor.next_token() == "(":
        computed = _computed(cursor, target)
        return Assignment(key, computed, span=cursor.since(first))
    return Assignment(key, value(cursor), span=cursor.since(first))


def _computed(cursor: Cursor, target: Variable) -> Computed:
    first = cursor.at
    name = cursor.token
    function = FUNCTIONS.get(name)
    if function is None:
        raise cursor.unknown("UPDATE has no function", name, ARITHMETIC)
    cursor.advance()
    cursor.open("(")
    operands: list[Term] = []
    while cursor.token != ")":
        operands.append(_term(cursor, target))
        if not cursor.take(","):
            break
    cursor.close(")", ",")
    span = cursor.since(first)
    wanted = OPERANDS[function]
    if len(operands) != len(wanted):
        raise cursor.error(
            f"{name} takes {len(wanted)} operands, found {len(operands)}",
            span=span,
            hint=f"write {name}({', '.join(wanted)})",
        )
    return Computed(function, tuple(operands), span=span)


def _term(cursor: Cursor, target: Variable) -> Term:
    token = cursor.token
    if is_named(token, "?"):
        return _field(cursor, target)
    if at_parameter(cursor):
        return parameter(cursor)
    if is_word(token) and token not in VALUES:
        if cursor.next_token() == "(":
            return _computed(cursor, target)
        raise cursor.unexpected(A_TERM, *ARITHMETIC)
    at = cursor.here()
    found = value(cursor)
    if isinstance(found, Literal) and type(found.value) in (int, float):
        return found
    raise cursor.error(
        f"{cursor.source[at.start : found.span.end][:40]} is not a number",
        span=Span(at.start, found.span.end),
        hint="compute with numbers, placeholders and fields of the target",
    )


def _field(cursor: Cursor, target: Variable) -> Field:
    first = cursor.at
    found = single_value(cursor)
    if isinstance(found, Variable):
        text = f"?{target.name}.attributes.key"
        message = f"?{found.name} is not a number: a field of it may be"
        raise cursor.error(message, span=found.span, hint=f"write {text}")
    if found.variable != target:
        better = inline(Field(target, found.path))
        raise cursor.error(
            f"{inline(found)} is not of the target ?{target.name}",
            span=cursor.since(first),
            hint=f"compute from the target itself: {better}",
        )
    return found
