"""How values, patterns, conditions and columns open where a line is too short for them.

Its rule: what stands on one line is `inline`'s; here is only where it breaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.errors import Span
from recollect.kernel.lang.ast import (
    NOWHERE,
    And,
    ArrayValue,
    Assignment,
    Computed,
    ConceptPattern,
    Expression,
    Handle,
    LinkId,
    LinkPattern,
    LinkTarget,
    Literal,
    ObjectValue,
    Or,
    Parameter,
    TestIn,
    Variable,
)
from recollect.kernel.lang.layout import Opened, Sketch
from recollect.kernel.lang.places import Places
from recollect.kernel.lang.print_inline import Inline, inline, json_text, key_text


def listed(head: str, items: Sequence[Sketch], foot: str, span: Span = NOWHERE) -> Sketch:
    """Return the sketch of items with commas between brackets."""
    text = f"{head}{', '.join(one.text for one in items)}{foot}"
    return Sketch(text, span, lambda: Opened(head, items, foot))


def block(head: str, items: Sequence[Sketch], span: Span = NOWHERE) -> Sketch:
    """Return the sketch of a block in braces, which is open unless it is empty."""
    if not items:
        return Sketch(f"{head} {{}}", span)
    return Sketch("", span, lambda: Opened(f"{head} {{", items, "}", separator=""), is_block=True)


def value(
    places: Places, node: object, before: str = "", after: str = "", *, span: Span = NOWHERE
) -> Sketch:
    """Return the sketch of a value, a node or plain JSON, between two pieces of text.

    It stands at `span`; a node with a placeholder in it does not know its own place.
    """
    plain = node.value if isinstance(node, Literal) else node
    items: Sequence[object]
    keys: Sequence[str] = ()
    match plain:
        case dict():
            keys, items = list(plain), list(plain.values())
        case ObjectValue(members):
            keys, items = [key for key, _ in members], [one for _, one in members]
        case list():
            items = plain
        case ArrayValue(nodes):
            items = nodes
        case _:
            items = ()
    text = f"{before}{_text(plain)}{after}"
    if not items:
        return Sketch(text, span)

    def opened() -> Opened:
        opener, closer = "{}" if keys else "[]"
        return Opened(f"{before}{opener}", _items(places, keys, items, span), f"{closer}{after}")

    return Sketch(text, span, opened)


def _items(
    places: Places, keys: Sequence[str], items: Sequence[object], span: Span
) -> Iterator[Sketch]:
    known = places.parts(span)
    if keys:
        by_key = dict(known)
        for key, item in zip(keys, items, strict=True):
            place = by_key.get(key, NOWHERE)
            yield value(places, item, f"{key_text(key)}: ", span=place)
    else:
        for at, item in enumerate(items):
            yield value(places, item, span=known[at][1] if known else NOWHERE)


def _text(plain: object) -> str:
    if isinstance(plain, Parameter | ArrayValue | ObjectValue):
        return inline(plain)
    return json_text(plain.value if isinstance(plain, Literal) else plain)


def assignment(places: Places, node: Assignment) -> Sketch:
    """Return the sketch of one `key: value` of UPDATE."""
    before = f"{key_text(node.key)}: "
    if isinstance(node.value, Computed):
        return _computed(node.value, before, node.span)
    return value(places, node.value, before, span=node.span)


def _computed(node: Computed, before: str, span: Span) -> Sketch:
    operands = [
        _computed(one, "", one.span) if isinstance(one, Computed) else word(one)
        for one in node.operands
    ]
    return listed(f"{before}{node.function}(", operands, ")", span)


def word(node: Inline, before: str = "") -> Sketch:
    """Return the sketch of a node that never opens."""
    return Sketch(f"{before}{inline(node)}", node.span)


End = Variable | Handle | ConceptPattern | LinkPattern | LinkTarget | LinkId


def pattern(node: End, before: str = "", *, span: Span = NOWHERE) -> Sketch:
    """Return the sketch of a pattern, or of an end of one; its clause stands at `span`."""
    place = node.span if span == NOWHERE else span
    match node:
        case ConceptPattern(type_, name, id_):
            keys = (("type", type_), ("name", name), ("id", id_))
            given = [word(one, f"{key}: ") for key, one in keys if one is not None]
            return listed(f"{before}{{", given, "}", place)
        case LinkPattern(subject, predicate, object_) | LinkTarget(subject, predicate, object_):
            parts = [pattern(subject), word(predicate), pattern(object_)]
            return listed(f"{before}(", parts, ")", place)
        case _:
            return Sketch(f"{before}{inline(node)}", place)


def condition(places: Places, node: Expression, before: str, after: str, span: Span) -> Sketch:
    """Return the sketch of a condition; `&&` and `||` begin lines where it opens."""
    text = f"{before}{inline(node)}{after}"
    weak: tuple[type[Expression], ...]
    match node:
        case And(operands):
            joint, weak = "&& ", (And, Or)
        case Or(operands):
            joint, weak = "|| ", (Or,)
        case TestIn(tested, choices) if not isinstance(choices, Parameter):
            head = f"{before}IN({inline(tested)}, "
            return value(places, choices, head, f"){after}", span=choices.span)
        case _:
            return Sketch(text, span)

    def items() -> Iterator[Sketch]:
        for at, one in enumerate(operands):
            opener, closer = ("(", ")") if isinstance(one, weak) else ("", "")
            start = joint if at else ""
            if isinstance(one, And | Or) and not opener:
                yield word(one, start)
            else:
                yield condition(places, one, f"{start}{opener}", closer, one.span)

    return Sketch(text, span, lambda: Opened(before, items(), after, separator=""))
