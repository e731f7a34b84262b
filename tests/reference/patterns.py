"""Matching concept and link patterns against the graph, one row at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tests.reference.graph import Concept, Graph, Link
from tests.reference.values import Binding, Parameters, Read, Row, joins, resolve

from recollect.kernel.lang import ast

Pair = tuple[int, int]


def bind(row: Row, name: str, binding: Binding) -> Row | None:
    """Return the row with the variable bound, or None where it holds something else already."""
    if name not in row:
        return {**row, name: binding}
    return row if joins(row[name], binding) else None


class Patterns:
    """The patterns of one query on one graph."""

    def __init__(self, graph: Graph, parameters: Parameters) -> None:
        self._graph = graph
        self._parameters = parameters
        self._elements = {one.id: one for one in graph.elements()}
        self._matched = {one.id for one in graph.concepts}
        self._pairs: dict[ast.Path, list[Pair]] = {}

    def concepts(self, pattern: ast.ConceptPattern) -> list[Concept]:
        """Return the concepts that match, oldest first."""
        return [one for one in self._graph.concepts if self._is_match(pattern, one)]

    def _is_match(self, pattern: ast.ConceptPattern, concept: Concept) -> bool:
        wanted = ((pattern.type, concept.type), (pattern.name, concept.name))
        return all(
            text is None or resolve(text, self._parameters) == held
            for text, held in (*wanted, (pattern.id, concept.public_id))
        )

    def links(
        self, pattern: ast.LinkPattern | ast.LinkId, row: Row
    ) -> Iterator[tuple[int | None, Row]]:
        """Yield each match: the link, or None where a path was walked, and the extended row."""
        if isinstance(pattern, ast.LinkId):
            wanted = resolve(pattern.id, self._parameters)
            yield from ((one.id, row) for one in self._graph.links if one.public_id == wanted)
            return
        for link, subject, predicate, object in self._candidates(pattern.predicate):
            for with_subject in self._ends(pattern.subject, subject, row):
                with_predicate: Row | None = with_subject
                if isinstance(pattern.predicate, ast.Variable):
                    name = pattern.predicate.name
                    with_predicate = bind(with_subject, name, Read(predicate, None))
                if with_predicate is not None:
                    for found in self._ends(pattern.object, object, with_predicate):
                        yield link, found

    def _candidates(
        self, predicate: ast.Path | ast.Variable
    ) -> Iterator[tuple[int | None, int, str, int]]:
        if isinstance(predicate, ast.Path) and not predicate.is_plain:
            yield from ((None, subject, "", object) for subject, object in self._walked(predicate))
            return
        wanted = None
        if isinstance(predicate, ast.Path):
            wanted = {resolve(step.predicate, self._parameters) for step in predicate.steps}
        for link in self._graph.links:
            if wanted is None or link.predicate in wanted:
                yield link.id, link.subject, link.predicate, link.object

    def _ends(self, end: ast.End, element: int, row: Row) -> Iterator[Row]:
        match end:
            case ast.Variable():
                found = bind(row, end.name, element)
                if found is not None:
                    yield found
            case ast.ConceptPattern():
                held = self._elements[element]
                if (
                    isinstance(held, Concept)
                    and element in self._matched
                    and self._is_match(end, held)
                ):
                    yield row
            case ast.LinkPattern() | ast.LinkId():
                if isinstance(self._elements[element], Link):
                    yield from (found for link, found in self.links(end, row) if link == element)
            case _:
                assert_never(end)

    def _walked(self, path: ast.Path) -> list[Pair]:
        """Return the pairs of ends some walk of the path joins; a walk may repeat elements."""
        if path not in self._pairs:
            pairs = set[Pair]().union(*(self._step_pairs(step) for step in path.steps))
            self._pairs[path] = sorted(pairs)
        return self._pairs[path]

    def _step_pairs(self, step: ast.Step) -> set[Pair]:
        predicate = resolve(step.predicate, self._parameters)
        edges = {
            (one.subject, one.object) for one in self._graph.links if one.predicate == predicate
        }
        walks = {(one, one) for one in self._elements}
        for _ in range(step.minimum):
            walks = _then(walks, edges)
        found = set(walks)
        length = step.minimum
        while length != step.maximum:
            walks = _then(walks, edges) - (found if step.maximum is None else set())
            if not walks:
                break
            found |= walks
            length += 1
        return found


def _then(walks: set[Pair], edges: set[Pair]) -> set[Pair]:
    return {(start, end) for start, middle in walks for other, end in edges if middle == other}
