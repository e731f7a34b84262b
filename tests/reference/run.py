"""The reference as an engine of its own: texts in, answers out.

It has one graph and no META; a text that fails leaves the graph as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.reference.contents import commit
from tests.reference.delete import Counts, delete
from tests.reference.find import find
from tests.reference.graph import Graph
from tests.reference.merge import merge
from tests.reference.update import update
from tests.reference.upsert import Report, upsert
from tests.reference.values import Parameters

from recollect.kernel.lang import ast, parse
from recollect.model import Cell

Outcome = list[tuple[Cell, ...]] | Report | Counts


@dataclass(slots=True)
class Reference:
    """A memory as simple as can be."""

    graph: Graph = field(default_factory=Graph)

    def run(self, text: str, parameters: Parameters | None = None) -> list[Outcome]:
        """Run every statement of a text as one transaction."""
        before = self.graph.copy()
        try:
            outcomes = [self._run(one, parameters or {}) for one in parse(text).statements]
        except BaseException:
            self.graph = before
            raise
        commit(self.graph)
        return outcomes

    def run_statement(self, statement: ast.Statement, parameters: Parameters) -> Outcome:
        """Run one statement as a transaction."""
        outcome = self._run(statement, parameters)
        commit(self.graph)
        return outcome

    def _run(self, statement: ast.Statement, parameters: Parameters) -> Outcome:
        match statement:
            case ast.Find():
                return find(self.graph, statement, parameters)
            case ast.Upsert():
                self.graph, report = upsert(self.graph, statement, parameters)
                return report
            case ast.Update():
                self.graph, counts = update(self.graph, statement, parameters)
                return counts
            case ast.MergeConcepts():
                self.graph, counts = merge(self.graph, statement, parameters)
                return counts
            case ast.DeleteKeys() | ast.DeleteLinks() | ast.DeleteConcept() | ast.DeleteConcepts():
                self.graph, counts = delete(self.graph, statement, parameters)
                return counts
            case _:
                raise AssertionError("META is not part of the reference")
