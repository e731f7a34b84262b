"""The normal form of names: what is equal to the eye is one name.

The rule: to normalise takes the square of the longest run of combining characters, so a name
with a long run is refused, and a text that is only searched is cut. No language needs more
than the 30 that Unicode's Stream-Safe Text Format allows.
"""

from __future__ import annotations

import re
from unicodedata import combining, is_normalized, normalize

from recollect.errors import INVALID_IDENTIFIER, INVALID_VALUE, RecollectError, Span

LONGEST_NAME = 4_096
"""Characters of a type, name, predicate or id."""

LONGEST_RUN = 30
"""Combining characters one after another."""

_CANDIDATES = re.compile(rf"(?:[^\w\x00-\u02ff]|[\uff9e\uff9f]){{{LONGEST_RUN + 1},}}")
"""Where a long run may be: all combining characters are among these."""


def canonical_name(text: str, span: Span | None = None) -> str:
    r"""Return a type, name, predicate or id in the form it is stored in: NFC.

    KIP_1002 for one that is too long, or that has too many combining characters in a row,
    KIP_2003 for a lone surrogate.

    >>> canonical_name("Cafe\u0301") == "Caf\u00e9"
    True
    """
    if len(text) > LONGEST_NAME:
        raise RecollectError(
            INVALID_IDENTIFIER,
            f"a name is longer than {LONGEST_NAME} characters",
            hint="keep long text in an attribute",
            span=span,
        )
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RecollectError(
            INVALID_VALUE, "a name holds a lone surrogate", hint="correct the name", span=span
        ) from error
    if without_long_runs(text) != text:
        raise RecollectError(
            INVALID_IDENTIFIER,
            f"a name has more than {LONGEST_RUN} combining characters in a row",
            hint="leave some of the accents out",
            span=span,
        )
    return text if is_normalized("NFC", text) else normalize("NFC", text)


def without_long_runs(text: str) -> str:
    r"""Return a text with every run of combining characters cut to 30. Cost: linear.

    >>> len(without_long_runs("a" + 100 * "\u0301"))
    31
    """
    return text if text.isascii() else _CANDIDATES.sub(_cut, text)


def _cut(found: re.Match[str]) -> str:
    kept: list[str] = []
    run = 0
    for character in found.group():
        run = run + 1 if combining(normalize("NFKD", character)[0]) else 0
        if run <= LONGEST_RUN:
            kept.append(character)
    return "".join(kept)
