"""Tree to text, in one canonical layout.

Its rule: `parse(print_text(tree)) == tree`. Two spaces a level, one clause a line, handles as
`@name`, placeholders as `$name`, paths as `"a"{1,3} | "b"`.

What fits stands on one line, what does not opens over several: a sketch says what may open and
where it stood in a source, and only here is it decided what does. A tree knows the places of its
nodes; what has no node, such as brackets, comments and parts of values, is found from the tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import assert_never, cast

import orjson

from recollect.errors import Span
from recollect.kernel.lang.ast import (
    NOWHERE,
    And,
    ArrayValue,
    Assignment,
    Clause,
    Computed,
    ConceptBlock,
    ConceptClause,
    ConceptPattern,
    DeleteConcept,
    DeleteConcepts,
    DeleteKeys,
    DeleteLinks,
    Describe,
    DescribeConceptType,
    DescribeConceptTypes,
    DescribeDomains,
    DescribePrimer,
    DescribePropositionType,
    DescribePropositionTypes,
    Explain,
    Export,
    Expression,
    FilterClause,
    Find,
    Handle,
    LinkBlock,
    LinkClause,
    LinkId,
    LinkPattern,
    LinkTarget,
    Literal,
    MergeConcepts,
    Node,
    NotClause,
    ObjectValue,
    OptionalClause,
    Or,
    Parameter,
    ReadClause,
    Script,
    Search,
    Section,
    SetLink,
    Size,
    Statement,
    TestIn,
    Text,
    UnionClause,
    Update,
    Upsert,
    ValueNode,
    Variable,
)
from recollect.kernel.lang.print_inline import Inline, inline, json_text, key_text
from recollect.kernel.lang.tokens import CLOSERS, Tokens
from recollect.model import ElementKind
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


READS = {Section.ATTRIBUTES: "ATTR", Section.METADATA: "META"}
KINDS = {None: "", ElementKind.CONCEPT: "CONCEPT ", ElementKind.LINK: "PROPOSITION "}

Sketches = Iterator[Sketch]


def print_text(tree: Node) -> str:
    """Return the text of a script, or of any part of a tree, without a newline at its end.

    Comments are not part of a tree and are not printed. Parsing the text of a script gives
    the same tree again.

    >>> from recollect.kernel.lang.parser import parse
    >>> print(print_text(parse('FIND(?d) WHERE{?d{type:"Drug"}}LIMIT :n')))
    FIND(?d)
    WHERE {
      ?d {type: "Drug"}
    }
    LIMIT $n
    """
    if isinstance(tree, Script):
        return "\n\n".join(map(print_text, tree.statements))
    if isinstance(tree, Statement | Clause | ConceptBlock | LinkBlock | SetLink):
        return "\n".join(map(str, lines(tree)))
    return inline(cast(Inline, tree))


Part = Statement | Clause | ConceptBlock | LinkBlock | SetLink


def lines(part: Part, places: Places | None = None) -> list[LayoutLine]:
    """Return the lines of a statement, or of a part of one, with their places in a source."""
    printer = _Printer(places or Places())
    sketches = printer.statement(part) if isinstance(part, Statement) else printer.part(part)
    return [line for one in sketches for line in lay_out(one, 0, printer.places.is_commented)]


class _Printer:
    """Sketches of the parts of one text."""

    def __init__(self, places: Places) -> None:
        self.places = places

    def statement(self, node: Statement) -> Sketches:
        match node:
            case Find():
                yield from self._find(node)
            case Update():
                yield from self._update(node)
            case Upsert(blocks, metadata):
                yield self._block("UPSERT", blocks, self._through(node.span, blocks))
                yield from self._object("WITH METADATA", metadata)
            case DeleteKeys(section, keys, target, where):
                head, foot = f"DELETE {section.upper()} {{", f"}}{_named(' FROM ', target)}"
                span = self._through(node.span, keys)
                yield listed(head, [word(one) for one in keys], foot, span)
                yield self._where(where)
            case DeleteLinks(target, where):
                yield Sketch(f"DELETE PROPOSITIONS{_named(' ', target)}", node.span)
                yield self._where(where)
            case DeleteConcept(pattern_):
                yield Sketch(f"DELETE CONCEPT {inline(pattern_)} DETACH", node.span)
            case DeleteConcepts(target, where):
                yield Sketch(f"DELETE CONCEPT {inline(target)} DETACH", node.span)
                yield self._where(where)
            case MergeConcepts(source, target, where):
                head = f"MERGE CONCEPT {inline(source)} INTO {inline(target)}"
                yield Sketch(head, node.span)
                yield self._where(where)
            case Export(target, where, limit, cursor):
                yield Sketch(f"EXPORT {inline(target)}", node.span)
                yield self._where(where)
                yield from _tail(LIMIT=limit, CURSOR=cursor)
            case Explain(query):
                if isinstance(query, Find):
                    yield from self._find(query, "EXPLAIN ")
                else:
                    yield Sketch(f"EXPLAIN {_one_line(query)}", node.span)
            case _:
                yield Sketch(_one_line(node), node.span)

    def _find(self, node: Find, before: str = "") -> Sketches:
        span = self._through(node.span, node.columns)
        yield listed(f"{before}FIND(", [word(one) for one in node.columns], ")", span)
        yield self._where(node.where)
        if node.order_by:
            span = _together(node.order_by)
            keys = [word(one) for one in node.order_by]
            text = f"ORDER BY {', '.join(key.text for key in keys)}"
            yield Sketch(text, span, lambda: Opened("ORDER BY", keys, ""))
        yield from _tail(LIMIT=node.limit, OFFSET=node.offset, CURSOR=node.cursor)

    def _update(self, node: Update) -> Sketches:
        yield Sketch(f"UPDATE {inline(node.target)}", node.span)
        for section, given in (("ATTRIBUTES", node.attributes), ("METADATA", node.metadata)):
            if given:
                yield self._assignments(f"SET {section}", given)
        yield self._where(node.where)
        yield from _tail(LIMIT=node.limit)

    def _assignments(self, head: str, given: Sequence[Assignment]) -> Sketch:
        items = [assignment(self.places, one) for one in given]
        return listed(f"{head} {{", items, "}", self.places.around(given[0].span))

    def part(self, node: Clause | ConceptBlock | LinkBlock | SetLink) -> Sketches:
        match node:
            case ConceptClause(variable, found) | LinkClause(variable, found):
                before = "" if variable is None else f"{inline(variable)} "
                yield pattern(found, before, span=node.span)
            case ReadClause(section, target, key, bound):
                parts = [pattern(target), word(key), word(bound)]
                yield listed(f"{READS[section]}(", parts, ")", node.span)
            case FilterClause(expression):
                yield condition(self.places, expression, "FILTER(", ")", node.span)
            case NotClause(clauses):
                yield self._block("NOT", clauses, node.span)
            case OptionalClause(clauses):
                yield self._block("OPTIONAL", clauses, node.span)
            case UnionClause(clauses):
                yield self._block("UNION", clauses, node.span)
            case SetLink():
                yield self._set_link(node)
            case ConceptBlock() | LinkBlock():
                yield from self._kml_block(node)
            case _:
                assert_never(node)

    def _kml_block(self, node: ConceptBlock | LinkBlock) -> Sketches:
        is_concept = isinstance(node, ConceptBlock)
        identity = node.pattern if isinstance(node, ConceptBlock) else node.target
        items = [pattern(identity), *_tail(**{"EXPECT VERSION": node.expect_version})]
        items += self._object("SET ATTRIBUTES", node.attributes)
        if isinstance(node, ConceptBlock) and node.links:
            span = self.places.around(node.links[0].span)
            items.append(self._block("SET PROPOSITIONS", node.links, span))
        head = f"{'CONCEPT' if is_concept else 'PROPOSITION'}{_named(' ', node.handle)}"
        yield block(head, items, self._through(node.span, (identity,)))
        yield from self._object("WITH METADATA", node.metadata)

    def _set_link(self, node: SetLink) -> Sketch:
        predicate = inline(node.predicate)
        if node.metadata is None:
            return listed("(", [word(node.predicate), pattern(node.target)], ")", node.span)
        before = f"({predicate}, {inline(node.target)}) WITH METADATA "
        return value(self.places, node.metadata, before, span=node.span)

    def _object(self, head: str, node: ValueNode | None) -> Sketches:
        if node is not None:
            yield value(self.places, node, f"{head} ", span=node.span)

    def _where(self, clauses: Sequence[Clause]) -> Sketch:
        span = self.places.around(clauses[0].span) if clauses else NOWHERE
        return self._block("WHERE", clauses, span)

    def _block(
        self, head: str, parts: Sequence[Clause | ConceptBlock | LinkBlock | SetLink], span: Span
    ) -> Sketch:
        return block(head, [one for part in parts for one in self.part(part)], span)

    def _through(self, whole: Span, inside: Sequence[Node]) -> Span:
        """Return the place from the beginning of a node to where its first brackets close."""
        end = self.places.around(inside[0].span).end if inside else 0
        return Span(whole.start, max(whole.start, end))


def _one_line(node: Search | Describe) -> str:
    match node:
        case Search():
            tail = {
                "WITH TYPE": node.type,
                "MODE": node.mode,
                "THRESHOLD": node.threshold,
                "LIMIT": node.limit,
                "CURSOR": node.cursor,
            }
            return _joined(f"SEARCH {KINDS[node.kind]}{inline(node.term)}", **tail)
        case DescribePrimer():
            return "DESCRIBE PRIMER"
        case DescribeDomains(limit, cursor):
            return _joined("DESCRIBE DOMAINS", LIMIT=limit, CURSOR=cursor)
        case DescribeConceptTypes(limit, cursor):
            return _joined("DESCRIBE CONCEPT TYPES", LIMIT=limit, CURSOR=cursor)
        case DescribeConceptType(type_):
            return f"DESCRIBE CONCEPT TYPE {inline(type_)}"
        case DescribePropositionTypes(limit, cursor):
            return _joined("DESCRIBE PROPOSITION TYPES", LIMIT=limit, CURSOR=cursor)
        case DescribePropositionType(predicate):
            return f"DESCRIBE PROPOSITION TYPE {inline(predicate)}"
        case _:
            assert_never(node)


def _tail(**parts: Text | Size | None) -> Sketches:
    for keyword, node in parts.items():
        if node is not None:
            yield word(node, f"{keyword} ")


def _joined(head: str, **parts: Text | Size | None) -> str:
    return " ".join([head, *(one.text for one in _tail(**parts))])


def _named(before: str, name: Variable | Handle | None) -> str:
    return "" if name is None else f"{before}{inline(name)}"


def _together(nodes: Sequence[Node]) -> Span:
    return nodes[0].span.to(nodes[-1].span)
