"""Predicates and paths: `"treats"`, `"is_a{1,3}"`, `"is_a"{1,3}`, `"a | b"`, `"a" | "b"`.

Its rule: however it is spelled, a path becomes one step per alternative, and a quantifier
belongs to the alternative it is written on. KIP 1.0-draft3, proposition link clause.
"""

from __future__ import annotations

import re

from recollect.errors import RecollectError, Span
from recollect.kernel.lang.ast import Literal, Path, Step, Text
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parse_value import literal, text
from recollect.kernel.lang.repair.diagnose import quoted
from recollect.kernel.lang.tokens import A_VARIABLE, END

OPERATOR = re.compile(r"[{}|]")
ALTERNATIVE = re.compile(r"([^{}]*)(?:\{([^{}]*)\}\s*)?")
QUANTIFIER = re.compile(r"\s*([0-9]+)\s*(?:(,)\s*([0-9]+)?\s*)?")
SHORTHANDS = {"*": "{0,}", "+": "{1,}", "?": "{0,1}"}

Bounds = tuple[int, int | None]


def path(cursor: Cursor) -> Path:
    """Parse a path, from its first alternative to its last."""
    first = cursor.at
    steps = _alternative(cursor)
    if cursor.token != "|":
        return Path(steps, span=steps[0].span)
    while cursor.take("|"):
        steps += _alternative(cursor)
    return Path(steps, span=cursor.since(first))


def plain_predicate(cursor: Cursor) -> Text:
    """Parse a predicate as KML wants it: a string or placeholder, without path operators."""
    if cursor.token[0] == "?":
        raise cursor.error(
            f"the predicate {cursor.token} is a variable, but a link is written with a fixed one",
            hint='write the predicate as a string: "treats"',
        )
    predicate = text(cursor)
    if isinstance(predicate, Literal) and OPERATOR.search(str(predicate.value)):
        raise cursor.error(
            f"the predicate {predicate.json} holds a path operator: one of {{ }} |",
            span=predicate.span,
            hint="write one plain predicate for each link",
        )
    if cursor.token in ("{", "|"):
        raise cursor.error(
            f"the path operator `{cursor.token}` stands where a link is written, not matched",
            hint="write one plain predicate for each link",
        )
    return predicate


def _alternative(cursor: Cursor) -> tuple[Step, ...]:
    first = cursor.at
    predicate = text(cursor, A_VARIABLE)
    steps: tuple[Step, ...] | None = None
    if isinstance(predicate, Literal) and (spelling := str(predicate.value)):
        if OPERATOR.search(spelling):
            steps = _inside(cursor, spelling, predicate.span)
    elif isinstance(predicate, Literal):
        raise cursor.error(
            "this predicate is empty", span=predicate.span, hint='write it like "treats"'
        )
    token = cursor.token
    if token == "{":
        if steps is not None:
            raise cursor.error(
                "a quantifier stands outside a string that holds path operators itself",
                hint='quote each alternative by itself: "a"{1,3} | "b"',
            )
        minimum, maximum = _quantifier(cursor)
        return (Step(predicate, minimum, maximum, span=cursor.since(first)),)
    if token in SHORTHANDS:
        meant = SHORTHANDS[token]
        message = f"`{token}` is not a path operator"
        raise cursor.error(message, hint=f"use {meant}", fix=meant)
    return steps or (Step(predicate, span=predicate.span),)


def _inside(cursor: Cursor, spelling: str, span: Span) -> tuple[Step, ...]:
    """Read the alternatives written inside one string."""
    steps: list[Step] = []
    for part in spelling.split("|"):
        match = ALTERNATIVE.fullmatch(part)
        if match is None:
            raise _bad_quantifier(cursor, part.strip(), span)
        name = match[1].strip()
        if not name:
            message = f"an alternative of {quoted(spelling)} is empty"
            raise cursor.error(message, span=span, hint='write it like "a | b"')
        bounds: Bounds = (1, 1)
        if match[2] is not None:
            bounds = _bounds(cursor, match[2], span)
        steps.append(Step(literal(name, span), *bounds, span=span))
    return tuple(steps)


def _quantifier(cursor: Cursor) -> Bounds:
    """Parse `{n}`, `{m,}` or `{m,n}` written after a predicate."""
    first = cursor.at
    cursor.advance()
    while cursor.token not in ("}", ")", "{", "(", END):
        cursor.advance()
    cursor.expect("}")
    written = " ".join(cursor.tokens.texts[first + 1 : cursor.at - 1])  # without its comments
    return _bounds(cursor, written, cursor.since(first))


def _bounds(cursor: Cursor, written: str, span: Span) -> Bounds:
    match = QUANTIFIER.fullmatch(written)
    if match is None or len(written) > 40:
        raise _bad_quantifier(cursor, f"{{{written}}}", span)
    minimum = int(match[1])
    if match[2] is None:
        return minimum, minimum
    if match[3] is None:
        return minimum, None
    maximum = int(match[3])
    if maximum < minimum:
        raise cursor.error(
            f"the quantifier {{{minimum},{maximum}}} has its bounds in the wrong order",
            span=span,
            hint=f"use {{{maximum},{minimum}}}",
        )
    return minimum, maximum


def _bad_quantifier(cursor: Cursor, written: str, span: Span) -> RecollectError:
    return cursor.error(
        f"the quantifier in `{written[:60]}` is not {{m,n}}, {{m,}} or {{n}}",
        span=span,
        hint="use {1,3} for one to three links, {1,} for one or more",
    )
