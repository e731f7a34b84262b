"""What functions of SQL compute where an engine asks Python: pure, and the same on every engine."""

from __future__ import annotations

import functools
from typing import Protocol

import orjson
import re2

from recollect.errors import INVALID_SYNTAX, RESOURCE_EXHAUSTED, Span

MOST_PATTERN = 2_000
"""Characters of a regular expression: what RE2 takes for one may rise with their square."""

MOST_SEARCHED = 10**8
"""Instructions of a compiled expression times the characters of the text it is looked for in."""


class Pattern(Protocol):
    """A compiled regular expression."""

    programsize: int  # instructions, which a search may all be at for each character

    def search(self, text: str) -> object | None:
        """Return a match anywhere in the text, else None."""


def canonical_json(text: str | None) -> str | None:
    """Return the one spelling of a JSON value: keys sorted, integral floats as integers.

    Two values that KIP calls equal have equal canonical texts. NULL stays NULL.

    >>> canonical_json('{"b": 1.0, "a": [true, 2.5]}')
    '{"a":[true,2.5],"b":1}'
    """
    if text is None:
        return None
    value = orjson.loads(text)
    return orjson.dumps(_with_integers(value), option=orjson.OPT_SORT_KEYS).decode()


def compile_pattern(pattern: str, span: Span | None = None) -> Pattern:
    """Return the compiled RE2 pattern; KIP_1001 when it is not one, KIP_4002 for a long one.

    Nothing can end RE2 while it compiles or searches, so both are bounded. The last patterns are
    kept, so compiling again is a look-up. Matching takes time linear in the text.

    >>> compile_pattern("^a+").search("aab") is not None
    True
    """
    if len(pattern) > MOST_PATTERN:
        raise RESOURCE_EXHAUSTED.error(
            f"the regular expression has more than {MOST_PATTERN} characters",
            "write several, joined with ||",
            span=span,
            details={"characters": MOST_PATTERN},
        )
    try:
        return _compiled(pattern)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args else "not accepted"
        raise INVALID_SYNTAX.error(
            f"the regular expression is not valid: {reason}",
            "use RE2 syntax: no look-around, no back-references, every ( closed",
            span=span,
        ) from error


def re2_search(pattern: str | None, text: str | None) -> int:
    """Return 1 when the pattern matches anywhere in the text, else 0; NULL never matches.

    >>> re2_search("ri.k", "high risk"), re2_search("risk$", "risky")
    (1, 0)
    """
    if not isinstance(pattern, str) or not isinstance(text, str):
        return 0
    compiled = compile_pattern(pattern)
    if compiled.programsize * len(text) > MOST_SEARCHED:
        raise RESOURCE_EXHAUSTED.error(
            f"the regular expression is too long for a text of {len(text)} characters",
            "write a shorter one, or use CONTAINS",
            details={"characters": len(text)},
        )
    return int(compiled.search(text) is not None)


@functools.lru_cache(maxsize=256)
def _compiled(pattern: str) -> Pattern:
    options = re2.Options()
    options.log_errors = False
    compiled: Pattern = re2.compile(pattern, options)
    return compiled


def forget_patterns() -> None:
    """Forget the patterns that were compiled: what they looked for may be erased."""
    _compiled.cache_clear()
    re2.purge()


def _with_integers(value: object) -> object:
    match value:
        case float() if value.is_integer() and -(2**63) <= value < 2**63:
            return int(value)
        case dict():
            return {key: _with_integers(inner) for key, inner in value.items()}
        case list():
            return [_with_integers(inner) for inner in value]
        case _:
            return value
