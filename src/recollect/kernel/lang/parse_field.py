"""Fields: `?drug.name`, `?drug.attributes.risk_level`, `?link.metadata`.

KIP 1.0-RC11, section 3.2.
"""

from __future__ import annotations

from recollect.errors import RecollectError, nearest
from recollect.kernel.lang.ast import Field, Variable
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_value import string, variable
from recollect.kernel.lang.print_inline import inline
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.tokens import is_word
from recollect.kernel.lang.words import COMPARISONS

PARTS = ("id", "type", "name", "subject", "predicate", "object")
SECTIONS = ("attributes", "metadata")
FIELDS = (*PARTS, *SECTIONS)
WHOLE = tuple((section,) for section in SECTIONS)


def field_or_variable(cursor: Cursor) -> Variable | Field:
    """Parse `?name` and the dots after it, if there are any."""
    first = cursor.at
    name = variable(cursor)
    if cursor.token == "[":
        raise _in_brackets(cursor, name, (), first)
    if cursor.token != ".":
        return name
    path: tuple[str, ...] = (_part(cursor),)
    if path[0] not in FIELDS:
        raise _unknown(cursor, name, path[0], first)
    if cursor.token == "." and path[0] in SECTIONS:
        path += (_part(cursor, f"?{name.name}.{path[0]}"),)
    if cursor.token == "[":
        raise _in_brackets(cursor, name, path, first)
    if cursor.token == ".":
        raise _too_deep(cursor, Field(name, path), first)
    return Field(name, path, span=cursor.since(first))


def single_value(cursor: Cursor) -> Variable | Field:
    """Parse a variable or a field that can be compared: not all attributes at once."""
    found = field_or_variable(cursor)
    if isinstance(found, Field) and found.path in WHOLE:
        section = found.path[0]
        raise cursor.error(
            f"?{found.name} is all {section} at once, which is not compared",
            span=found.span,
            hint=f"name one: ?{found.name}.key",
        )
    return found


def _part(cursor: Cursor, before: str = "") -> str:
    cursor.advance()
    token = cursor.token
    if is_word(token):
        cursor.advance()
        return token
    if token[0] == '"':
        return string(cursor)
    error = cursor.unexpected("a field")
    if cursor.at_end or token in ",)}]" or token in COMPARISONS:
        error.hint, error.fix = "write the field after the dot", None
        if before:
            error.hint = f"write a key after the dot: {before}.key"
        raise cursor.settled(error)
    raise error


def _in_brackets(
    cursor: Cursor, name: Variable, path: tuple[str, ...], first: int
) -> RecollectError:
    """Return the error for `?x.attributes["key"]`."""
    error = cursor.unexpected(".")
    key, closing = (*cursor.tokens.texts[cursor.at + 1 : cursor.at + 3], "", "")[:2]
    if key[:1] == '"' and closing == "]" and len(path) < 2 and path[:1] != ("name",):
        cursor.advance()
        path = (*(path or ("attributes",)), string(cursor))
        cursor.advance()
        text = inline(Field(name, path))
        place = cursor.since(first)
        return cursor.error("a key stands after a dot", span=place, hint=f"use {text}", fix=text)
    return error


def _unknown(cursor: Cursor, name: Variable, word: str, first: int) -> RecollectError:
    better = meant(word, FIELDS)
    path: tuple[str, ...]
    path = (better,) if better else ("metadata" if word[:1] == "_" else "attributes", word)
    if cursor.token == "." and better in SECTIONS:
        path += (_part(cursor),)
    text = inline(Field(name, path))
    is_whole = path in WHOLE
    return cursor.error(
        f"an element has no field {word[:40]}",
        span=cursor.since(first),
        hint=f"use {text}.key" if is_whole else f"use {text}",
        known=nearest(word[:40], FIELDS) or FIELDS,
        fix=None if is_whole else text,
    )


def _too_deep(cursor: Cursor, path: Field, first: int) -> RecollectError:
    text = inline(path)
    while cursor.token == ".":
        _part(cursor)
    if path.path[0] in SECTIONS:
        message = f"a path ends at its key: {text} is read whole"
    else:
        message = f"a path ends at {path.path[0]}, which has no fields"
    return cursor.error(message, span=cursor.since(first), hint=f"use {text}", fix=text)
