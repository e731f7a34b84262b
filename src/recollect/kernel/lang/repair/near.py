"""The tokens around one: the brackets it stands in, where a field or a statement ends.

The rule: nothing here judges a text; an idiom is known by what it finds with these.
"""

from __future__ import annotations

from recollect.errors import INVALID_SYNTAX, Fix, RecollectError, Span
from recollect.kernel.lang.tokens import CLOSERS, Tokens
from recollect.kernel.lang.words import STATEMENTS


def fault_at(
    tokens: Tokens, span: Span, message: str, hint: str, fix: Fix | None = None
) -> RecollectError:
    return INVALID_SYNTAX.error(message, hint, source=tokens.source, span=span, fix=fix)


def brackets_around(tokens: Tokens, at: int) -> tuple[int | None, int | None]:
    """Return the innermost brackets that a token stands between."""
    texts, depth = tokens.texts, 0
    for one in range(at - 1, max(-1, at - 400), -1):
        if texts[one] in CLOSERS.values():
            depth += 1
        elif texts[one] in CLOSERS:
            if depth == 0:
                return one, closing(tokens, one)
            depth -= 1
    return None, None


def closing(tokens: Tokens, opener: int) -> int | None:
    """Return the bracket that closes one, if all between them are closed in turn."""
    opened: list[str] = []
    for one in range(opener, min(len(tokens.texts) - 1, opener + 400)):
        token = tokens.texts[one]
        if token in CLOSERS:
            opened.append(CLOSERS[token])
        elif token in CLOSERS.values():
            if token != opened.pop():
                return None
            if not opened:
                return one
    return None


def field_end(tokens: Tokens, at: int) -> int:
    """Return the last token of `?x.attributes.name`, or of a plain value."""
    texts = tokens.texts
    while texts[at + 1] == "." and (texts[at + 2][0].isalpha() or texts[at + 2][0] == "_"):
        at += 2
    return at


def members(tokens: Tokens, opener: int, closer: int) -> list[tuple[str, str, str]]:
    """Return the members of braces: key, `key: value` and value, as they are written."""
    found: list[tuple[str, str, str]] = []
    first, depth = opener + 1, 0
    for one in range(opener + 1, closer + 1):
        token = tokens.texts[one]
        depth += (token in CLOSERS) - (token in CLOSERS.values())
        if (token == "," and depth == 0) or one == closer:
            if one - first >= 3 and tokens.texts[first + 1] == ":":
                whole, value = tokens.spans(first, one - 1), tokens.spans(first + 2, one - 1)
                text = tokens.source[whole.start : whole.end]
                name = tokens.texts[first].strip('"')
                found.append((name, text, tokens.source[value.start : value.end]))
            first = one + 1
    return found


def statement_end(tokens: Tokens, at: int) -> int:
    """Return the token after the statement that a token stands in."""
    for one in range(at, len(tokens.texts) - 1):
        if tokens.texts[one] == ";" or (one > at and tokens.texts[one] in STATEMENTS):
            return one
    return len(tokens.texts) - 1
