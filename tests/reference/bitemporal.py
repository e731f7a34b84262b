"""The memory with two clocks, as simple as can be: a copy of the whole graph for each transaction.

What was known then is the copy of then. What is true then is asked of what a clause matches:
of a concept where a concept clause speaks of it, and of every link that is matched or walked.
The end of a link is shown and read, true or not, and a path of length 0 asks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tests.reference.contents import content
from tests.reference.engine import Pair
from tests.reference.facts import holds
from tests.reference.graph import Concept, Element, Graph

import recollect
from recollect.errors import RecollectError
from recollect.kernel.lang import ast, print_text
from recollect.model import AsOf, Instant, Key, Value


@dataclass(slots=True)
class Moment(Graph):
    """The graph at a point of both clocks: what is matched, among all that was known."""

    known: list[Element] = field(default_factory=list)

    def elements(self) -> list[Element]:
        return self.known


@dataclass(slots=True)
class History(Pair):
    """The engine, and a copy of the reference's graph after each transaction."""

    clock: list[int] = field(default_factory=lambda: [0])
    past: list[Graph] = field(default_factory=lambda: [Graph()])
    instants: list[int] = field(default_factory=list)

    def transact(self, statements: Sequence[ast.Mutation], at: int) -> None:
        """Run the statements as one transaction of both, when the clock shows an instant."""
        self.clock[0] = at
        text = "\n".join(map(print_text, statements))
        _fault(lambda: self.nexus.group("decoy").write(text))
        made = _fault(lambda: self.nexus.write(text))
        assert made == _fault(lambda: self.reference.run(text))
        self._share_ids()
        before, after = self.past[-1], self.reference.graph
        if {one.id: content(one) for one in before.elements()} != {
            one.id: content(one) for one in after.elements()
        }:
            self._tick(at)
            self._keep_clocks(before, after)
            self.past.append(after.copy())

    def purge(self, key: Key, at: int) -> None:
        """Erase every life of a key from both, at all times: a transaction that says nothing."""
        self.clock[0] = at
        _fault(lambda: self.nexus.group("decoy").purge(key))
        copies = [*self.past, self.reference.graph]
        named = {
            one.id
            for graph in copies
            for one in graph.concepts
            if (one.type, one.name) == (key.type, key.name)
        }
        fault = _fault(lambda: self.nexus.purge(key))
        assert fault == (None if named else "KIP_3002")
        if named:
            for graph in copies:
                graph.remove(named)
            self._tick(at)
            self.past.append(self.reference.graph.copy())

    def moment(self, as_of: AsOf) -> Moment:
        """Return the graph as of both clocks."""
        number = len(self.instants)
        if as_of.transaction is not None:
            number = min(as_of.transaction, number)
        elif as_of.known is not None:
            number = sum(at <= as_of.known for at in self.instants)
        graph = self.past[number]
        valid = as_of.valid
        return Moment(
            [one for one in graph.concepts if valid is None or holds(one.valid, valid)],
            [one for one in graph.links if valid is None or holds(one.valid, valid)],
            known=graph.elements(),
        )

    def _tick(self, at: int) -> None:
        """Give the new transaction the next instant, which rises whatever the clock does."""
        self.instants.append(max([at, *(one + 1 for one in self.instants[-1:])]))

    def _keep_clocks(self, before: Graph, after: Graph) -> None:
        now = _text(self.instants[-1])
        known = {one.id: one for one in before.elements()}
        for one in after.elements():
            old = known.get(one.id)
            if old is None:
                one.clocks = {"_version": one.first_version, "_created_at": now}
                one.clocks |= {"_updated_at": now}
                one.clocks |= {"_expired_at": None}
            elif content(old) != content(one):
                version = old.clocks["_version"]
                assert isinstance(version, int)
                one.clocks = {**old.clocks, "_version": version + 1, "_updated_at": now}
            start, end = one.valid
            one.clocks["_valid_at"] = None if start is None else _text(start)
            one.clocks["_invalid_at"] = None if end is None else _text(end)


def _text(at: int) -> str:
    moment = datetime.fromtimestamp(at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{at % 1000:03}Z"


def _fault(run: object) -> str | None:
    """Return the code of the error that a write ends in, if it does."""
    assert callable(run)
    try:
        run()
    except RecollectError as error:
        return error.code.code
    return None


def found_by_word(moment: Moment, word: str) -> set[str]:
    """Return the public ids of what SEARCH finds by one word that nothing else is like.

    A concept by what it says itself; a link by what it says, or by an end that is found.
    """
    concepts = {one.id for one in moment.concepts if word in _words(one)}
    links = {
        one.id
        for one in moment.links
        if word in _words(one) or {one.subject, one.object} & concepts
    }
    return {one.public_id for one in moment.known if one.id in concepts | links}


def _words(element: Element) -> set[str]:
    names = {element.name} if isinstance(element, Concept) else {element.predicate}
    return names | set(_strings(element.attributes)) | set(_strings(element.metadata))


def _strings(value: Value) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _strings(one)
        case dict():
            for one in value.values():
                yield from _strings(one)


@contextmanager
def history() -> Iterator[History]:
    """Open an empty engine whose clock the test holds; a decoy group is told everything too."""
    clock = [0]
    with recollect.open(":memory:", clock=lambda: Instant(clock[0])) as nexus:
        yield History(nexus, clock=clock)
