"""Graph patterns: `{type: "Drug"}` and `(subject, "predicate", object)`, with their paths.

Its rule: however it is spelled, a path becomes one step per alternative, and a quantifier
belongs to the alternative it is written on. KIP 1.0-draft3, concept and proposition clauses.
"""

from __future__ import annotations

import re
from operator import itemgetter

from recollect.errors import RecollectError, Span, nearest
from recollect.kernel.lang.ast import (
    ConceptPattern,
    End,
    LinkId,
    LinkPattern,
    Literal,
    Path,
    Step,
    Target,
    Text,
)
from recollect.kernel.lang.cursor import (
    Cursor,
    is_plain_string,
    literal,
    object_key,
    text,
    variable,
)
from recollect.kernel.lang.repair.diagnose import meant
from recollect.kernel.lang.tokens import A_PATTERN, A_VARIABLE, END, is_named, quoted
from recollect.kernel.lang.words import PATTERN_KEYS

OPERATOR = re.compile(r"[{}|]")
ALTERNATIVE = re.compile(r"([^{}]*)(?:\{([^{}]*)\}\s*)?")
QUANTIFIER = re.compile(r"\s*([0-9]+)\s*(?:(,)\s*([0-9]+)?\s*)?")

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
    predicate = text(cursor)
    if isinstance(predicate, Literal) and OPERATOR.search(str(predicate.value)):
        raise cursor.error(
            f"the predicate {predicate.json} holds a path operator: one of {{ }} |",
            span=predicate.span,
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


_SIGNS = ("{", "type", ":", ",", "name", ":", "}")
"""What a pattern of a type and a name holds besides those two."""

_signs = itemgetter(0, 1, 2, 4, 5, 6, 8)
_KIND, _NAME, _LENGTH = 3, 7, 9  # tokens


def concept_pattern(cursor: Cursor) -> ConceptPattern:
    """Parse `{type: ..., name: ..., id: ...}`, of which at least one is given."""
    first = cursor.at
    written = cursor.tokens.texts[first : first + _LENGTH]
    if len(written) == _LENGTH and _signs(written) == _SIGNS:
        kind, name = written[_KIND], written[_NAME]
        if is_plain_string(kind) and is_plain_string(name):
            return _type_and_name(cursor, kind, name)
    cursor.open("{")
    found: dict[str, Text] = {}
    while cursor.token != "}":
        key = _pattern_key(cursor, found)
        found[key] = text(cursor)
        cursor.take(",")
    cursor.close("}")
    span = cursor.since(first)
    if not found:
        raise cursor.error(
            "a concept pattern is empty", span=span, hint="give a type, a name or an id"
        )
    return ConceptPattern(found.get("type"), found.get("name"), found.get("id"), span=span)


def _type_and_name(cursor: Cursor, kind: str, name: str) -> ConceptPattern:
    """Parse `{type: "...", name: "..."}`, as nearly all patterns of a capsule are, at a stroke."""
    first, starts = cursor.at, cursor.tokens.starts
    cursor.jump_level(_LENGTH)
    of_kind, of_name = starts[first + _KIND], starts[first + _NAME]
    return ConceptPattern(
        Literal(kind[1:-1], kind, span=Span(of_kind, of_kind + len(kind))),
        Literal(name[1:-1], name, span=Span(of_name, of_name + len(name))),
        span=Span(starts[first], starts[first + _LENGTH - 1] + 1),
    )


def link_pattern(cursor: Cursor) -> LinkPattern | LinkId:
    """Parse `(subject, predicate, object)`, or `(id: "...")`."""
    first = cursor.at
    cursor.open("(")
    if at_link_id(cursor):
        return link_id(cursor, first)
    subject = _end(cursor)
    if not cursor.take(","):
        raise _no_comma(cursor, "the subject")
    predicate = variable(cursor) if is_named(cursor.token, "?") else path(cursor)
    if not cursor.take(","):
        raise _no_comma(cursor, "the predicate")
    object_ = _end(cursor)
    cursor.take(",")
    cursor.close(")")
    return LinkPattern(subject, predicate, object_, span=cursor.since(first))


def at_link_id(cursor: Cursor) -> bool:
    """Whether a link is called by its id, right after its parenthesis."""
    return cursor.token in ("id", '"id"') and cursor.next_token() == ":"


def link_id(cursor: Cursor, first: int) -> LinkId:
    """Parse `id: "...")`; its parenthesis is token `first`."""
    cursor.advance()
    cursor.advance()
    found = text(cursor)
    cursor.take(",")
    cursor.close(")")
    return LinkId(found, span=cursor.since(first))


def target(cursor: Cursor) -> Target:
    """Parse what ATTR and META read from: a variable or an inline pattern."""
    return _end(cursor)


def _end(cursor: Cursor) -> End:
    token = cursor.token
    if token == "{":
        return concept_pattern(cursor)
    if token == "(":
        return link_pattern(cursor)
    if is_named(token, "?"):
        return variable(cursor)
    raise cursor.unexpected(A_VARIABLE, A_PATTERN)


def _no_comma(cursor: Cursor, after: str) -> RecollectError:
    if cursor.token == ")":
        return cursor.error(
            f"this link ends after {after}",
            hint='write all three: (?subject, "predicate", ?object)',
        )
    return cursor.unexpected(",")


def _pattern_key(cursor: Cursor, found: dict[str, Text]) -> str:
    first = cursor.at
    key = object_key(cursor, "}")
    if key in PATTERN_KEYS and key not in found:
        return key
    span = cursor.tokens.span(first)
    if key not in PATTERN_KEYS:
        better = meant(key, PATTERN_KEYS)
        raise cursor.error(
            f"a concept pattern has no key {key[:40]}: only type, name and id",
            span=span,
            hint=f"use {better}" if better else f'read it with ATTR(?x, "{key}", ?value)',
            known=nearest(key[:40], PATTERN_KEYS) or PATTERN_KEYS,
            fix=better,
        )
    raise cursor.error(f"{key} is given twice", span=span, hint=f"keep one {key}")
