"""The brackets that a token stands in, and the error at a place.

The rule: nothing here judges a text; an idiom is known by what it finds with these.
"""

from __future__ import annotations

from recollect.errors import INVALID_SYNTAX, Fix, RecollectError, Span
from recollect.kernel.lang.tokens import CLOSERS, Tokens


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
