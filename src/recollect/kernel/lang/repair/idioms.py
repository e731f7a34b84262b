"""What a text says in the idiom of another language, and how KIP says the same.

The rule: an idiom is known by the tokens around the one that a text fails at. Its edit says the
same and nothing less: a negation, a direction, a bound or a word that means something is written
in KIP's way, or only told of in a hint. What no edit can say has none, and none is looked for.
A new idiom is a row of `idioms.txt`; only what has to be computed is a function.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from recollect.errors import Fix, RecollectError, Span
from recollect.kernel.lang.repair.diagnose import listed
from recollect.kernel.lang.repair.foreign import grouped, newer_language, prose_before, question
from recollect.kernel.lang.repair.near import fault_at
from recollect.kernel.lang.repair.numbers import bare_date, grouped_digits, number_with_unit
from recollect.kernel.lang.repair.pattern_keys import key_in_pattern
from recollect.kernel.lang.repair.rows import IdiomRow, Surroundings, filled, rows
from recollect.kernel.lang.repair.strings import broken_string, quote_in_string, triple_quotes
from recollect.kernel.lang.tokens import END, Tokens

Idiom = Callable[[Tokens, int, int], RecollectError | None]
"""Knows an idiom at the token a text fails at, in the statement that begins at the other one."""

SHORT = 60  # characters of an edit that a hint shows whole
AHEAD = 6  # tokens that an idiom looks at behind the one a text fails at
COMPUTED: Sequence[Idiom] = (
    newer_language,
    grouped,
    triple_quotes,
    grouped_digits,
    broken_string,
    quote_in_string,
    bare_date,
    number_with_unit,
    key_in_pattern,
)
"""Tried in this order, before the rows of the table."""

PLAIN_WORDS: Sequence[Idiom] = (question, prose_before)
"""Tried where no row is found."""


def idiom_at(
    tokens: Tokens, at: int, statement: int, expected: tuple[str, ...]
) -> RecollectError | None:
    """Return the error that names the idiom a text fails at, or None if it is none we know."""
    padded = _padded(tokens)
    around = Surroundings(padded, at)
    words = padded.texts[statement : statement + 2]  # of which EXPLAIN may be the first
    found = (known(padded, at, statement) for known in COMPUTED)
    told = (
        _told(row, around, padded, at, expected)
        for row in rows()
        if row.statement in ("", *words) and row.expected in ("", *expected)
    )
    plain = (known(padded, at, statement) for known in PLAIN_WORDS)
    return next((error for errors in (found, told, plain) for error in errors if error), None)


def _padded(tokens: Tokens) -> Tokens:
    """Return the tokens with ends behind the end, so that a look ahead finds one."""
    end = array("I", [len(tokens.source)] * AHEAD)
    texts, starts = [*tokens.texts, *[END] * AHEAD], array("I", tokens.starts) + end
    return Tokens(tokens.source, texts, starts, tokens.comments)


def _told(
    row: IdiomRow, around: Surroundings, tokens: Tokens, at: int, expected: tuple[str, ...]
) -> RecollectError | None:
    """Return what a row says of a text, None if the row does not stand there."""
    parts = around.found(row)
    if parts is None:
        return None
    spans = {name: _span(tokens, first, end) for name, (first, end) in parts.items()}
    texts = {name: tokens.source[span.start : span.end] for name, span in spans.items()}
    texts |= {"seen": tokens.texts[at], "expected": listed(expected) if expected else ""}
    fix = None
    if row.write is not None:
        texts["edit"] = filled(row.write, texts)
        if texts["edit"] == texts["all"]:
            return None
        is_short = len(texts["edit"]) <= SHORT and "\n" not in texts["edit"]
        left_out = "{ ... }" if texts["edit"][:1] == "{" else "(...)"
        texts["short"] = texts["edit"] if is_short else left_out
        fix = Fix(spans["all"], texts["edit"])
    place = spans.get(row.mark or ("all" if row.write is None else ""), tokens.span(at))
    return fault_at(tokens, place, filled(row.message, texts), filled(row.hint, texts), fix)


def _span(tokens: Tokens, first: int, end: int) -> Span:
    """Return the place from a token to before another one; of none, right after what is before."""
    if first < end:
        return tokens.spans(first, end - 1)
    place = tokens.span(first - 1).end
    return Span(place, place)
