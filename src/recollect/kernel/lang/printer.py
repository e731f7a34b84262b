"""Tree to text, in one canonical layout.

Its rule: `parse(print_text(tree)) == tree`. Two spaces a level, one clause a line, handles as
`@name`, placeholders as `$name`, paths as `"a"{1,3} | "b"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never, cast

from recollect.errors import Span
from recollect.kernel.lang.ast import (
    NOWHERE,
    Assignment,
    Clause,
    ConceptBlock,
    ConceptClause,
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
    FilterClause,
    Find,
    Handle,
    LinkBlock,
    LinkClause,
    MergeConcepts,
    Node,
    NotClause,
    OptionalClause,
    ReadClause,
    Script,
    Search,
    Section,
    SetLink,
    Size,
    Statement,
    Text,
    UnionClause,
    Update,
    Upsert,
    ValueNode,
    Variable,
)
from recollect.kernel.lang.layout import (
    LayoutLine,
    Opened,
    Places,
    Sketch,
    assignment,
    block,
    condition,
    lay_out,
    listed,
    pattern,
    value,
    word,
)
from recollect.kernel.lang.print_inline import Inline, inline
from recollect.model import ElementKind

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
