"""UPSERT: concepts first, then propositions, then SET PROPOSITIONS, on a copy of the graph.

Whatever names something inline is tried again until nothing more is found, so the order of
the blocks does not matter and a second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.reference.contents import content, version
from tests.reference.facts import moved
from tests.reference.graph import Concept, Element, Graph, Link
from tests.reference.patterns import Patterns
from tests.reference.values import Parameters, resolve

from recollect.errors import (
    DUPLICATE_EXISTS,
    INVALID_SYNTAX,
    INVALID_VALUE,
    NOT_FOUND,
    REFERENCE_ERROR,
    VERSION_CONFLICT,
    RecollectError,
)
from recollect.kernel.lang import ast
from recollect.model import Value

Object = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Report:
    """What an UPSERT did; `skipped` holds the predicates whose target was not found."""

    blocks: int
    created: int
    updated: int
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """A link to be put: one PROPOSITION block, or one item of SET PROPOSITIONS."""

    subject: ast.KmlEnd | int
    predicate: str
    object: ast.KmlEnd | None  # None: the subject names the link itself
    attributes: Object
    metadata: Object
    handle: str | None
    is_required: bool
    expected: ast.Size | None = None


def upsert(graph: Graph, statement: ast.Upsert, parameters: Parameters) -> tuple[Graph, Report]:
    """Return the graph afterwards and the report; on an error nothing has changed."""
    after = graph.copy()
    skipped = _Upserting(graph, after, parameters).run(statement)
    before = {one.id: content(one) for one in graph.elements()}
    created = [one for one in after.elements() if one.id not in before]
    updated = [one for one in after.elements() if before.get(one.id, content(one)) != content(one)]
    return after, Report(len(statement.blocks), len(created), len(updated), skipped)


def _is_exact(pattern: ast.ConceptPattern) -> bool:
    return pattern.type is not None and pattern.name is not None


class _Upserting:
    """One statement on one graph, which it changes."""

    def __init__(self, before: Graph, graph: Graph, parameters: Parameters) -> None:
        self._before = before
        self._graph = graph
        self._parameters = parameters
        self._handles: dict[str, int] = {}

    def run(self, statement: ast.Upsert) -> tuple[str, ...]:
        _check_handles(statement)
        outer = self._object(statement.metadata)
        concepts = [one for one in statement.blocks if isinstance(one, ast.ConceptBlock)]
        links = [one for one in statement.blocks if isinstance(one, ast.LinkBlock)]
        for block in sorted(concepts, key=lambda block: not _is_exact(block.pattern)):
            self._match(block)  # what names only a type or a name sees what the others create
        put = [self._put_concept(block, outer) for block in concepts]
        items = [self._block_item(block, outer) for block in links]
        for block, concept in zip(concepts, put, strict=True):
            items += self._set_items(block, concept, outer)
        return self._put_links(items)

    def _object(self, node: ast.ValueNode | None) -> Object:
        value = {} if node is None else resolve(node, self._parameters)
        if not isinstance(value, dict):
            raise RecollectError(INVALID_VALUE, "attributes and metadata are objects")
        return value

    def _match(self, block: ast.ConceptBlock) -> Concept:
        concept = self._matched(block.pattern) or self._created(block.pattern)
        self._expect(concept, block.expect_version)
        if block.handle is not None:
            self._handles[block.handle.name] = concept.id
        return concept

    def _expect(self, element: Element, expected: ast.Size | None) -> None:
        """Refuse an element that did not have the expected version before the statement."""
        if expected is None:
            return
        found = [one for one in self._before.elements() if one.id == element.id]
        number = version(self._before, found[0]) if found else 0
        if number != resolve(expected, self._parameters):
            raise RecollectError(VERSION_CONFLICT, f"the version is {number}")

    def _put_concept(self, block: ast.ConceptBlock, outer: Object) -> Concept:
        concept = self._match(block)
        concept.attributes |= self._object(block.attributes)
        concept.metadata |= {**outer, **self._object(block.metadata)}
        concept.valid = moved(concept.valid, self._object(block.metadata))
        return concept

    def _matched(self, pattern: ast.ConceptPattern) -> Concept | None:
        """Return the concept a block means, or None where it is to be created."""
        type, name, id = (self._text(one) for one in (pattern.type, pattern.name, pattern.id))
        if not _is_exact(pattern):
            return self._only(pattern)
        found = [one for one in self._graph.concepts if (one.type, one.name) == (type, name)]
        by_id = [one for one in self._graph.elements() if one.public_id == id]
        if by_id and by_id != found:
            raise RecollectError(DUPLICATE_EXISTS, f"id {id} belongs to another element")
        return found[0] if found else None

    def _created(self, pattern: ast.ConceptPattern) -> Concept:
        type, name = self._text(pattern.type), self._text(pattern.name)
        assert type is not None
        assert name is not None
        return self._graph.add_concept(type, name, self._text(pattern.id))

    def _text(self, node: ast.Text | None) -> str | None:
        if node is None:
            return None
        text = resolve(node, self._parameters)
        assert isinstance(text, str)
        return text

    def _only(self, pattern: ast.ConceptPattern) -> Concept:
        found = Patterns(self._graph, self._parameters).concepts(pattern)
        if not found:
            raise RecollectError(NOT_FOUND, "no concept matches")
        if len(found) > 1:
            raise RecollectError(DUPLICATE_EXISTS, f"{len(found)} concepts match")
        return found[0]

    def _block_item(self, block: ast.LinkBlock, outer: Object) -> _Item:
        target = block.target
        if isinstance(target, ast.LinkId):
            ends: tuple[ast.KmlEnd, str, ast.KmlEnd | None] = target, "", None
        else:
            ends = target.subject, self._predicate(target.predicate), target.object
        return _Item(
            *ends,
            self._object(block.attributes),
            {**outer, **self._object(block.metadata)},
            None if block.handle is None else block.handle.name,
            is_required=True,
            expected=block.expect_version,
        )

    def _set_items(
        self, block: ast.ConceptBlock, concept: Concept, outer: Object
    ) -> Iterator[_Item]:
        for one in block.links:
            metadata = {**outer, **self._object(block.metadata), **self._object(one.metadata)}
            predicate = self._predicate(one.predicate)
            yield _Item(concept.id, predicate, one.target, {}, metadata, None, is_required=False)

    def _predicate(self, node: ast.Text) -> str:
        predicate = self._text(node)
        if not predicate or set(predicate) & set("{}|"):
            raise RecollectError(INVALID_SYNTAX, "a predicate has no path operators")
        return predicate

    def _put_links(self, items: list[_Item]) -> tuple[str, ...]:
        """Put every link whose ends are found, until no more are; return what was skipped."""
        links: dict[int, Link] = {}
        while found := next(
            (
                (place, link)
                for place, one in enumerate(items)
                if place not in links and (link := self._link(one))
            ),
            None,
        ):
            links[found[0]] = found[1]
        left = [one for place, one in enumerate(items) if place not in links]
        if any(one.is_required for one in left):
            raise RecollectError(NOT_FOUND, "an end of a proposition is not in the graph")
        for place, link in sorted(links.items(), key=lambda one: one[0]):
            link.attributes |= items[place].attributes
            link.metadata |= items[place].metadata
            link.valid = moved(link.valid, items[place].metadata)
        return tuple(one.predicate for one in left)

    def _link(self, item: _Item) -> Link | None:
        """Return the link of an item, born if need be, or None while an end is not found."""
        subject = item.subject if isinstance(item.subject, int) else self._end(item.subject)
        if item.object is None:
            return None if subject is None else self._named(item, subject)
        if subject is None or (object := self._end(item.object)) is None:
            return None
        link = self._graph.link(subject, item.predicate, object)
        if link is None:
            link = self._graph.add_link(subject, item.predicate, object)
        return self._named(item, link.id)

    def _named(self, item: _Item, id: int) -> Link:
        link = self._graph.element(id)
        assert isinstance(link, Link)
        self._expect(link, item.expected)
        if item.handle is not None:
            self._handles[item.handle] = id
        return link

    def _end(self, end: ast.KmlEnd) -> int | None:
        """Return the element an end means, or None while there is none."""
        match end:
            case ast.Handle():
                return self._handles.get(end.name)
            case ast.ConceptPattern():
                found = Patterns(self._graph, self._parameters).concepts(end)
                if len(found) > 1:
                    raise RecollectError(DUPLICATE_EXISTS, f"{len(found)} concepts match")
                return found[0].id if found else None
            case ast.LinkTarget():
                subject = self._end(end.subject)
                if subject is None or (object := self._end(end.object)) is None:
                    return None
                link = self._graph.link(subject, self._predicate(end.predicate), object)
                return link.id if link else None
            case ast.LinkId():
                id = self._text(end.id)
                links = [one.id for one in self._graph.links if one.public_id == id]
                return links[0] if links else None


def _check_handles(statement: ast.Upsert) -> None:
    """Refuse handles defined twice, never, or by way of themselves."""
    waits_for: dict[str, set[str]] = {}
    used: set[str] = set()
    for block in statement.blocks:
        ends: list[ast.KmlEnd] = [one.target for one in getattr(block, "links", ())]
        uses = set[str]()
        if isinstance(block, ast.LinkBlock):
            uses = _handle_names(block.target)
        for end in ends:
            used |= _handle_names(end)
        used |= uses
        if block.handle is not None:
            if block.handle.name in waits_for:
                raise RecollectError(DUPLICATE_EXISTS, f"@{block.handle.name} is defined twice")
            waits_for[block.handle.name] = uses
    if used - waits_for.keys():
        raise RecollectError(REFERENCE_ERROR, f"@{min(used - waits_for.keys())} is not defined")
    known: set[str] = set()
    while ready := {name for name, uses in waits_for.items() if uses <= known} - known:
        known |= ready
    if known != waits_for.keys():
        raise RecollectError(REFERENCE_ERROR, "propositions need one another")


def _handle_names(end: ast.KmlEnd) -> set[str]:
    match end:
        case ast.Handle():
            return {end.name}
        case ast.ConceptPattern() | ast.LinkId():
            return set()
        case ast.LinkTarget():
            return _handle_names(end.subject) | _handle_names(end.object)
