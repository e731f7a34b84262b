"""The real engine beside the reference, and how their answers are compared.

The engine also holds a decoy group with the same ids, names and links: what a query shows of
it is a failure. Ids that the engine makes are handed to the reference, so that whatever reads,
compares or sorts by them agrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from tests.reference.graph import Graph, Link as ReferenceLink
from tests.reference.run import Outcome, Reference
from tests.reference.upsert import Report
from tests.reference.values import value_key
from tests.reference.vocabulary import LINKS, TYPES

import recollect
from recollect.errors import RecollectError
from recollect.kernel.lang import ast, print_text
from recollect.model import (
    Cell,
    Concept,
    DeleteReport,
    Link,
    MergeReport,
    Result,
    Rows,
    UpdateReport,
    UpsertReport,
    Value,
)

Parameters = Mapping[str, Value]


@dataclass(slots=True)
class Pair:
    """The engine and the reference, fed the same texts."""

    nexus: recollect.Nexus
    reference: Reference = field(default_factory=Reference)

    def ask(self, query: ast.Find, parameters: Parameters) -> tuple[object, object]:
        """Return what the engine and the reference answer, in comparable form."""
        parameters = {**self.link_ids(), **parameters}
        return (
            comparable(lambda: self._read(print_text(query), parameters)),
            comparable(lambda: self.reference.run_statement(query, parameters)),
        )

    def read(self, query: ast.Find, parameters: Parameters) -> object:
        """Return what the engine answers, in comparable form."""
        known = {**self.link_ids(), **parameters}
        return comparable(lambda: self._read(print_text(query), known))

    def link_ids(self) -> dict[str, Value]:
        """Return the placeholders for links with the ids they have here, or with no link's."""
        ids = [one.public_id for one in self.reference.graph.links]
        return {name: ids[at] if at < len(ids) else "none" for at, name in enumerate(LINKS)}

    def build(self, graph: ast.Upsert) -> None:
        """Make the graph of an UPSERT whose blocks are all new, oldest first."""
        self.reference.run_statement(graph, {})
        (report,) = self.nexus.write(print_text(graph)).results
        assert isinstance(report, UpsertReport)
        made = self.reference.graph
        for element, id in zip(
            [*made.concepts, *made.links], [*report.concepts, *report.links], strict=True
        ):
            element.public_id = id

    def tell(self, statement: ast.Mutation) -> tuple[object, object]:
        """Run a write on both and return their reports, in comparable form."""
        text = print_text(statement)
        answers = (
            comparable(lambda: self.nexus.write(text).results[0]),
            comparable(lambda: self.reference.run_statement(statement, {})),
        )
        self._share_ids()
        return answers

    def contents(self) -> tuple[object, object]:
        """Return all that the engine and the reference hold, in comparable form."""
        held = [_exact_element(one) for one in self._elements()]
        graph = self.reference.graph
        by_id = {one.id: one for one in graph.elements()}
        known = [_exact_element(one) for one in map(graph.shown, by_id.values())]
        return sorted(held, key=repr), sorted(known, key=repr)

    def _read(self, text: str, parameters: Parameters) -> Result:
        (result,) = self.nexus.read(text, parameters).results
        return result

    def _elements(self) -> list[Concept | Link]:
        queries = [f'FIND(?c) WHERE {{ ?c {{type: "{type}"}} }}' for type in TYPES]
        found: list[Concept | Link] = []
        for query in (*queries, "FIND(?l) WHERE { ?l (?s, ?p, ?o) }"):
            result = self._read(query, {})
            assert isinstance(result, Rows)
            for (cell,) in result.rows:
                assert isinstance(cell, Concept | Link)
                found.append(cell)
        return found

    def _share_ids(self) -> None:
        """Give each element of the reference the public id of the engine's same element."""
        graph = self.reference.graph
        elements = self._elements()
        ids = {(one.type, one.name): one.id for one in elements if isinstance(one, Concept)}
        for concept in graph.concepts:
            concept.public_id = ids.get((concept.type, concept.name), concept.public_id)
        triples = {
            (one.subject, one.predicate, one.object): one.id
            for one in elements
            if isinstance(one, Link)
        }
        for link in graph.links:  # an end is older than its link: it has its id by now
            triple = _triple(graph, link)
            link.public_id = triples.get(triple, link.public_id)


def _triple(graph: Graph, link: ReferenceLink) -> tuple[str, str, str]:
    subject, object = graph.element(link.subject), graph.element(link.object)
    return subject.public_id, link.predicate, object.public_id


@contextmanager
def pair(decoy: Sequence[ast.Mutation]) -> Iterator[Pair]:
    """Open an empty engine beside an empty reference; the decoy group is written first."""
    with recollect.open(":memory:") as nexus:
        for statement in decoy:
            nexus.group("decoy").write(print_text(statement))
        yield Pair(nexus)


def comparable(run: object) -> object:
    """Return an outcome that equals the other side's when it should; an error is its code."""
    assert callable(run)
    try:
        outcome: Result | Outcome = run()
    except RecollectError as error:
        return error.code.code
    match outcome:
        case Rows():
            return [tuple(map(_cell, row)) for row in outcome.rows]
        case list():
            return [tuple(map(_cell, row)) for row in outcome]
        case UpsertReport():
            skipped = tuple(one.predicate for one in outcome.skipped)
            return outcome.blocks, outcome.created, outcome.updated, sorted(skipped)
        case Report():
            return outcome.blocks, outcome.created, outcome.updated, sorted(outcome.skipped)
        case DeleteReport():
            return dict(outcome.counts)
        case UpdateReport() | MergeReport():
            return asdict(outcome)
        case dict():
            return outcome
        case _:
            raise AssertionError(f"{outcome!r} is no outcome")


def _cell(cell: Cell) -> object:
    """Return a cell so that 1 and 1.0 are equal, as the language has it, and true is not 1."""
    match cell:
        case Concept() | Link():
            return _exact_element(cell)
        case list() if any(isinstance(one, Concept | Link) for one in cell):
            return [_cell(one) for one in cell]
        case _:
            return value_key(cell)


def _exact_element(element: Concept | Link) -> object:
    attributes, metadata = _exact(element.attributes), _exact(element.metadata)
    match element:
        case Concept():
            return element.id, element.type, element.name, attributes, metadata
        case Link():
            ends = element.subject, element.predicate, element.object
            return element.id, *ends, attributes, metadata


def _exact(value: object) -> object:
    """Return what tells 1, 1.0 and true apart."""
    match value:
        case Mapping():
            return sorted((key, _exact(one)) for key, one in value.items())
        case list():
            return [_exact(one) for one in value]
        case _:
            return type(value).__name__, value
