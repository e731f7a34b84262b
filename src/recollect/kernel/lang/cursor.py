"""What every parser is made of: a place in a list of tokens, values, and fields.

The rules: a cursor only goes forward; parsers read `cursor.token`, and raise what
`cursor.unexpected` and `cursor.error` return. What leaves here as a `Literal` is JSON that every
store can hold: strings, numbers, arrays, objects, placeholders. KIP 1.0-draft3, data types; KIP
1.0-RC11, section 3.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite

import orjson

from recollect.errors import (
    INVALID_SYNTAX,
    INVALID_VALUE,
    RESOURCE_EXHAUSTED,
    Code,
    Fix,
    Notice,
    RecollectError,
    Span,
    nearest,
)
from recollect.kernel.lang.ast import (
    NOWHERE,
    ArrayValue,
    Field,
    Literal,
    ObjectValue,
    Parameter,
    Text,
    ValueNode,
    Variable,
)
from recollect.kernel.lang.print_inline import inline
from recollect.kernel.lang.repair import diagnose
from recollect.kernel.lang.repair.diagnose import meant, not_a_token
from recollect.kernel.lang.tokens import (
    A_KEY,
    A_STRING,
    A_VALUE,
    A_VARIABLE,
    END,
    Tokens,
    is_word,
)
from recollect.kernel.lang.words import COMPARISONS, FIELDS, KEYWORDS, SECTIONS, VALUES
from recollect.kernel.store.cells import LARGEST, SMALLEST

MAX_DEPTH = 64  # values, patterns, blocks, parentheses in one another; alike in what is stored


def unhurried() -> None:
    """Let work go on: nobody waits for it."""


class Cursor:
    """Walks over the tokens of one text."""

    __slots__ = (
        "_depth",
        "_max_depth",
        "_starts",
        "_texts",
        "at",
        "expected",
        "is_settled",
        "notices",
        "parameters",
        "pulse",
        "source",
        "statement",
        "token",
        "tokens",
    )

    def __init__(
        self, tokens: Tokens, *, max_depth: int = MAX_DEPTH, pulse: Callable[[], None] = unhurried
    ) -> None:
        self.tokens = tokens
        self._texts, self._starts = tokens.texts, tokens.starts
        self.source = tokens.source
        self.at = 0
        self.token = tokens.texts[0]
        self.statement = 0  # the token that the current statement begins with
        self.expected: tuple[str, ...] = ()  # what could have stood where the text fails
        self.is_settled = False  # what is said of the text is all that helps
        self.parameters = 0  # placeholders met so far
        self.pulse = pulse  # called between the parts of a text; raises where it takes too long
        self.notices: dict[str, Notice] = {}  # by what they are about, so each is said once
        self._depth = 0
        self._max_depth = max_depth

    @property
    def at_end(self) -> bool:
        """Whether every token is consumed."""
        return self.token is END

    def advance(self) -> None:
        """Go over the current token, which is not END."""
        self.at += 1
        self.token = self._texts[self.at]

    def jump(self, tokens: int) -> None:
        """Go over so many tokens, none of which is END."""
        self.at += tokens
        self.token = self._texts[self.at]

    def jump_level(self, tokens: int) -> None:
        """Go over so many tokens, one level deeper and back; KIP_4002 when that is too deep."""
        if self._depth >= self._max_depth:
            raise self._too_deep()
        self.at += tokens
        self.token = self._texts[self.at]

    def step(self) -> Span:
        """Go over the current token, which is not END, and return its place."""
        start = self._starts[self.at]
        place = Span(start, start + len(self.token))
        self.at += 1
        self.token = self._texts[self.at]
        return place

    def next_token(self) -> str:
        """Return the token after the current one, which is not END."""
        return self._texts[self.at + 1]

    def take(self, token: str) -> bool:
        """Go over the current token if it is this one; say whether it was."""
        if self.token != token:
            return False
        self.at += 1
        self.token = self._texts[self.at]
        return True

    def expect(self, token: str) -> None:
        """Go over the current token, which has to be this one."""
        if self.token != token:
            raise self.unexpected(token)
        self.at += 1
        self.token = self._texts[self.at]

    def open(self, bracket: str) -> None:
        """Go over an opening bracket, one level deeper; KIP_4002 when that is too deep."""
        if self.token != bracket:
            raise self.unexpected(bracket)
        self._depth += 1
        if self._depth > self._max_depth:
            raise self._too_deep()
        self.at += 1
        self.token = self._texts[self.at]

    def close(self, bracket: str, *others: str) -> None:
        """Go over a closing bracket; `others` are what could have stood there besides."""
        if self.token != bracket:
            raise self.unexpected(*others, bracket)
        self._depth -= 1
        self.at += 1
        self.token = self._texts[self.at]

    def descend(self) -> None:
        """Count one level of nesting that begins at the current token."""
        self._depth += 1
        if self._depth > self._max_depth:
            raise self._too_deep()

    def _too_deep(self) -> RecollectError:
        return self.error(
            f"the nesting is deeper than {self._max_depth} levels",
            code=RESOURCE_EXHAUSTED,
            span=self.here(),
            hint="nest less deeply",
        )

    def ascend(self) -> None:
        """Leave the level that `descend` began."""
        self._depth -= 1

    def begin_value(self) -> int:
        """Count levels from here, so that what is stored nests as deep wherever it stands.

        Returns what `end_value` wants.
        """
        outside, self._depth = self._depth, 0
        return outside

    def end_value(self, outside: int) -> None:
        """Go on with the levels around a value."""
        self._depth = outside

    def here(self) -> Span:
        """Return the place of the current token."""
        return self.tokens.span(self.at)

    def since(self, first: int) -> Span:
        """Return the place from token `first` to the last one consumed."""
        last = self.at - 1
        return Span(self._starts[first], self._starts[last] + len(self._texts[last]))

    def unexpected(self, *expected: str) -> RecollectError:
        """Return the error for the current token, where one of `expected` should stand."""
        self.expected = expected
        return diagnose.unexpected(self.tokens, self.at, expected)

    def settled(self, error: RecollectError) -> RecollectError:
        """Return an error whose hint is all that helps: no edit is looked for."""
        self.is_settled = True
        return error

    def error(
        self,
        message: str,
        *,
        span: Span | None = None,
        code: Code = INVALID_SYNTAX,
        hint: str = "",
        known: tuple[str, ...] = (),
        fix: str | None = None,
    ) -> RecollectError:
        """Return an error at `span`, else at the current token; `fix` replaces that place."""
        place = self.here() if span is None else span
        edit = None if fix is None else Fix(place, fix)
        return RecollectError(
            code, message, hint=hint, source=self.source, span=place, known=known, fix=edit
        )

    def unknown(
        self, message: str, name: str, known: tuple[str, ...], better: str | None = None
    ) -> RecollectError:
        """Return an error at the current token, no known name; `better` is what it can only be."""
        better = better or meant(name, known)
        near = nearest(name[:40], known) or ((better,) if better else known)
        hint = f"use {better or 'one of ' + ', '.join(known)}"
        return self.error(f"{message} {name[:40]}", hint=hint, known=near, fix=better)


Raw = None | bool | int | float | str | list["Raw"] | dict[str, "Raw"] | Parameter
"""A value as it is read: plain Python, with placeholders where they stand."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
PLACEHOLDER_IN_STRING = re.compile(r"\$[^\W\d]\w*")
GIVEN_NAMES = ("$ConceptType", "$PropositionType", "$self", "$system")  # of KIP 1.0-RC11
_decode = json.JSONDecoder(strict=False).decode


def literal(value: object, span: Span = NOWHERE) -> Literal:
    """Return the literal of a JSON value.

    >>> literal({"a": [1, 1.0, True]}).json
    '{"a":[1,1.0,true]}'
    """
    return Literal(value, orjson.dumps(value).decode(), span=span)


def value(cursor: Cursor) -> ValueNode:
    """Parse any value; spans inside an array or object are those of the whole."""
    if cursor.token[0] == '"':
        return text(cursor)
    first = cursor.at
    met = cursor.parameters
    raw = _raw(cursor)
    span = cursor.since(first)
    return literal(raw, span) if met == cursor.parameters else _node(raw, span)


def text(cursor: Cursor, *expected: str) -> Text:
    """Parse a string or a placeholder; `expected` is what else could stand there."""
    token = cursor.token
    if is_plain_string(token):
        return Literal(token[1:-1], token, span=cursor.step())
    if token[0] == '"':
        at = cursor.here()
        return literal(string(cursor), at)
    if at_parameter(cursor):
        return parameter(cursor)
    raise cursor.unexpected(A_STRING, *expected)


def variable(cursor: Cursor) -> Variable:
    """Parse `?name`."""
    token = cursor.token
    if token[0] != "?" or len(token) == 1:
        raise cursor.unexpected(A_VARIABLE)
    return Variable(token[1:], span=cursor.step())


def at_parameter(cursor: Cursor) -> bool:
    """Whether a placeholder stands here: `$name`, or `:` and a name right after it."""
    token = cursor.token
    if token[0] == "$":
        return len(token) > 1
    if token != ":":
        return False
    starts = cursor.tokens.starts
    return starts[cursor.at + 1] == starts[cursor.at] + 1 and is_word(cursor.next_token())


def parameter(cursor: Cursor) -> Parameter:
    """Parse the placeholder that stands here."""
    first = cursor.at
    name = cursor.token if cursor.take(":") else cursor.token[1:]
    cursor.advance()
    cursor.parameters += 1
    return Parameter(name, span=cursor.since(first))


def string(cursor: Cursor) -> str:
    """Parse the string that stands here and return its text.

    Raises KIP_1001 for one that is not closed or has a wrong escape, KIP_2003 for an escaped
    NUL or lone surrogate. A placeholder inside is text, and is noticed once.
    """
    token = cursor.token
    if is_plain_string(token):
        cursor.advance()
        return token[1:-1]
    if "\\" in token:
        found = _escaped(cursor)
    elif token[-1] == '"' and len(token) > 1:
        found = token[1:-1]
    else:
        raise cursor.unexpected(A_STRING)
    if "$" in token and found not in GIVEN_NAMES:
        _notice_placeholders(cursor)
    cursor.advance()
    return found


def whole_number(token: str) -> int | None:
    """Return the whole number a token writes; None if it is none, or beyond 64 bits."""
    match = NUMBER.fullmatch(token)
    if match is None or match[1] or match[2] or len(token) > 20:
        return None
    number = int(token)
    return number if SMALLEST <= number <= LARGEST else None


def is_plain_string(token: str) -> bool:
    """Whether a token is a string in JSON's shortest form, and has nothing to notice."""
    return (
        token[0] == '"' == token[-1]
        and len(token) > 1
        and "\\" not in token
        and "\t" not in token
        and "$" not in token
    )


def _raw(cursor: Cursor) -> Raw:
    token = cursor.token
    first = token[0]
    if first == '"':
        return string(cursor)
    if first == "{":
        return _object(cursor)
    if first == "[":
        return _array(cursor)
    if token in VALUES:
        cursor.advance()
        return VALUES[token]
    if "0" <= first <= "9" or (len(token) > 1 and first in "+-."):
        return _number(cursor)
    if at_parameter(cursor):
        return parameter(cursor)
    raise cursor.unexpected(A_VALUE)


def _object(cursor: Cursor) -> Raw:
    cursor.open("{")
    found: dict[str, Raw] = {}
    before: tuple[str, ...] = ("}",)
    while cursor.token != "}":
        key = object_key(cursor, *before)
        found[key] = _raw(cursor)
        before = ("}",) if cursor.take(",") else (",", "}")
    cursor.close("}")
    return found


def object_key(cursor: Cursor, *expected: str) -> str:
    """Parse `key:` or `"key":` and return the key."""
    token = cursor.token
    if token not in KEYWORDS and token[0].isalpha() and cursor.next_token() == ":":
        cursor.jump(2)
        return token
    if token[0] == '"':
        key = string(cursor)
    elif is_word(token) and (token not in KEYWORDS or cursor.next_token() == ":"):
        key = token
        cursor.advance()
    else:
        raise cursor.unexpected(A_KEY, *expected)
    cursor.expect(":")
    return key


def _array(cursor: Cursor) -> Raw:
    cursor.open("[")
    found: list[Raw] = []
    while cursor.token != "]":
        found.append(_raw(cursor))
        if not cursor.take(","):
            break
    cursor.close("]", ",")
    return found


def _number(cursor: Cursor) -> int | float:
    token = cursor.token
    match = NUMBER.fullmatch(token)
    if match is None:
        raise cursor.error(
            f"`{token[:40]}` is not a number as JSON writes it",
            hint="write it like 12, -3, 0.5 or 1e6",
        )
    found: int | float | None
    if match[1] or match[2]:
        found = float(token)
        if not isfinite(found):
            raise cursor.error(
                f"the number {token[:40]} is too large",
                code=INVALID_VALUE,
                hint="use a number below 1.8e308, or a string",
            )
    else:
        found = whole_number(token)
        if found is None:
            raise cursor.error(
                f"the whole number {token[:40]} does not fit in 64 bits",
                code=INVALID_VALUE,
                hint=f'use a string: "{token[:40]}"',
            )
    cursor.advance()
    return found


def _escaped(cursor: Cursor) -> str:
    token = cursor.token
    fault: RecollectError | None
    try:
        found: str = _decode(token)
    except json.JSONDecodeError as error:
        fault = not_a_token(cursor.tokens, cursor.at)
        if error.msg.startswith(("Invalid \\escape", "Invalid \\uXXXX")) and _is_closed(token):
            start = cursor.tokens.starts[cursor.at] + token.rindex("\\", 0, error.pos + 1)
            at = Span(start, start + 2)
            wrong = cursor.source[start : start + 2]
            fault = cursor.error(
                f"`{wrong}` is not an escape that JSON knows",
                span=at,
                hint=rf"use \{wrong} for a backslash" if wrong != r"\u" else r"use \u and 4 digits",
                fix=None if wrong == r"\u" else rf"\{wrong}",
            )
        raise fault or cursor.unexpected(A_STRING) from None
    if "\\u" in token and (reason := _forbidden(found)):
        raise cursor.error(reason, code=INVALID_VALUE, hint="remove the escape")
    return found


def _is_closed(token: str) -> bool:
    return re.fullmatch(r'"(?:[^"\\]|\\.)*+"', token) is not None


def _forbidden(found: str) -> str:
    if "\0" in found:
        return "a string cannot hold the character NUL"
    try:
        found.encode()
    except UnicodeEncodeError as error:
        return f"the lone surrogate U+{ord(found[error.start]):04X} is not a character"
    return ""


def _notice_placeholders(cursor: Cursor) -> None:
    start = cursor.tokens.starts[cursor.at]
    for match in PLACEHOLDER_IN_STRING.finditer(cursor.token):
        name = match[0]
        if name in GIVEN_NAMES:
            continue
        span = Span(start + match.start(), start + match.end())
        message = f"{name} inside a string is text, not a placeholder"
        whole = cursor.here() if cursor.token == f'"{name}"' else None
        fix = None if whole is None else Fix(whole, name)
        notice = Notice("placeholder_in_string", message, hint=name, span=span, fix=fix)
        cursor.notices.setdefault(name, notice)


def _node(raw: Raw, span: Span) -> ValueNode:
    """Return the node of a value, a `Literal` wherever it holds no placeholder."""
    match raw:
        case Parameter():
            return raw
        case list():
            items = tuple(_node(item, span) for item in raw)
            if all(isinstance(item, Literal) for item in items):
                return literal(raw, span)
            return ArrayValue(items, span=span)
        case dict():
            members = tuple((key, _node(member, span)) for key, member in raw.items())
            if all(isinstance(member, Literal) for _, member in members):
                return literal(raw, span)
            return ObjectValue(members, span=span)
        case _:
            return literal(raw, span)


WHOLE = tuple((section,) for section in SECTIONS)


def field_or_variable(cursor: Cursor) -> Variable | Field:
    """Parse `?name` and the dots after it, if there are any."""
    first = cursor.at
    name = variable(cursor)
    if cursor.token != ".":
        return name
    path: tuple[str, ...] = (_part(cursor),)
    if path[0] not in FIELDS:
        raise _unknown(cursor, name, path[0], first)
    if cursor.token == "." and path[0] in SECTIONS:
        path += (_part(cursor, f"?{name.name}.{path[0]}"),)
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
