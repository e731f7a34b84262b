"""Lines of a text: what fits stands on one line, what does not opens over several.

Its rule: a sketch says what may open and where it stood in a source; only here is it decided
what does open. KIP has no say in it.

Where things stand in a source: its brackets, its comments, and the parts of its values.

Its rule: a tree knows the places of its nodes; what has no node is found here from the tokens.

How values, patterns, conditions and columns open where a line is too short for them.

Its rule: what stands on one line is `inline`'s; here is only where it breaks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

import orjson

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
from recollect.kernel.lang.print_inline import Inline, inline, json_text, key_text
from recollect.kernel.lang.tokens import CLOSERS, Tokens
from recollect.node import dataclass

OPENERS = {closer: opener for opener, closer in CLOSERS.items()}


class Places:
    """The places of one text, or of none: then nothing stands anywhere."""

    def __init__(self, tokens: Tokens | None = None) -> None:
        self._tokens = tokens
        self._comments = [one.span.start for one in tokens.comments] if tokens else []
        self._closers = _closers(tokens) if tokens else {}

    def is_commented(self, span: Span) -> bool:
        """Whether a comment stands inside a place."""
        at = bisect_left(self._comments, span.start)
        return at < len(self._comments) and self._comments[at] < span.end

    def around(self, inner: Span) -> Span:
        """Return the place of the brackets that open right before a place."""
        if self._tokens is None:
            return NOWHERE
        at = bisect_left(self._tokens.starts, inner.start) - 1
        closer = self._closers.get(at)
        return NOWHERE if closer is None else self._tokens.spans(at, closer)

    def parts(self, whole: Span) -> list[tuple[str, Span]]:
        """Return key and place of each part of an array or object, if a comment is in it.

        It stands at a place, after its key if it has one. The place of a member begins at its
        key; the parts of an array have no key.
        """
        if self._tokens is None or not self.is_commented(whole):
            return []
        texts = self._tokens.texts
        opener = bisect_left(self._tokens.starts, whole.start)
        while opener not in self._closers:  # the key before it
            opener += 1
        found: list[tuple[str, Span]] = []
        at, closer = opener + 1, self._closers[opener]
        while at < closer:
            if texts[at] == ",":
                at += 1
                continue
            key, first = "", at
            if texts[opener] == "{":
                key = _key(texts[at])
                at += 2
            last = self._closers.get(at, at)
            if texts[at] == ":":  # a placeholder, in two tokens
                last = at + 1
            found.append((key, self._tokens.spans(first, last)))
            at = last + 1
        return found


def _key(token: str) -> str:
    return str(orjson.loads(token.replace("\t", r"\t"))) if token[0] == '"' else token


def _closers(tokens: Tokens) -> dict[int, int]:
    """Return the token that closes each bracket; the text is one that parses."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens.texts):
        if token in CLOSERS:
            opened.append(at)
        elif token in OPENERS:
            found[opened.pop()] = at
    return found


WIDTH = 88  # characters of a line, its indent included
INDENT = "  "


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One line: how deep it stands, and the place in the source that its first token had."""

    depth: int
    text: str
    start: int  # 0 where nobody knows
    closes: bool = False  # whether it only closes what an earlier line opened

    def __str__(self) -> str:
        return INDENT * self.depth + self.text


@dataclass(frozen=True, slots=True)
class Opened:
    """The lines of an open sketch: its head, its items one level deeper, its foot."""

    head: str
    items: Iterable[Sketch]
    foot: str
    separator: str = ","  # after each item but the last


@dataclass(frozen=True, slots=True)
class Sketch:
    """A part of a text, on one line; and how it opens, if it can."""

    text: str
    span: Span = NOWHERE
    opened: Callable[[], Opened] | None = None
    is_block: bool = False  # it opens even if it is short


def lay_out(
    sketch: Sketch, depth: int, is_commented: Callable[[Span], bool], after: str = ""
) -> Iterator[LayoutLine]:
    """Yield the lines of a sketch, with `after` at the end of the last one.

    It opens if it is a block, if it is too long for a line, or if a comment stands in its span.
    """
    text = sketch.text + after
    is_short = len(INDENT) * depth + len(text) <= WIDTH
    if sketch.opened is None or (
        is_short and not sketch.is_block and not is_commented(sketch.span)
    ):
        yield LayoutLine(depth, text, sketch.span.start)
        return
    opened = sketch.opened()
    items = list(opened.items)
    yield LayoutLine(depth, opened.head, sketch.span.start)
    for at, item in enumerate(items, 1):
        separator = opened.separator if at < len(items) else ""
        yield from lay_out(item, depth + 1, is_commented, separator)
    if opened.foot:
        yield LayoutLine(depth, opened.foot + after, max(sketch.span.end - 1, 0), closes=True)


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
