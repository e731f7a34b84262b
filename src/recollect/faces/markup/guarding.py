"""What a change may not touch: what is read-only, what was not shown, what has changed since.

The rule: everything that would change is looked at, whether the document says so or a cascade
takes it, and every fault is found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from recollect.errors import CHANGED_SINCE, OUT_OF_SCOPE, READ_ONLY_NODE, SHORTENED_CONTENT, Span
from recollect.faces.markup.decision import Asked, Decided
from recollect.faces.markup.faults import Faults
from recollect.faces.markup.graph import CONTENT, DETAILS, MAIN, Graph, Place, is_protected
from recollect.model import AsOf, Concept
from recollect.node import dataclass

_LEAVE: Final = "leave it as it is"


@dataclass(slots=True)
class Guard:
    """Holds what a document comes to against what it may."""

    graph: Graph
    asked: Asked
    faults: Faults
    decided: Decided

    def check(self) -> None:
        """Note a fault for everything that may not change."""
        said, placing, resolved = self.decided.said, self.decided.placing, self.decided.resolved
        for id, where in said.updated.items():
            self._check_content(id, where.span)
        for spot, place in placing.removed.items():
            span = self.decided.span_of(spot)
            if self._is_fixed(place):
                told = f'"{place.child}" is read-only, so it stays where it is'
                self.faults.add(READ_ONLY_NODE, told, span, hint=_LEAVE)
            self._check_scope(place.child, span)
        for spot, place in () if self.asked.scope is None else placing.added.items():
            span = self.decided.span_of(spot)
            if place.child in self.graph.elements:
                self._check_scope(place.child, span)
            self._check_scope(place.space if place.parent is None else place.parent, span)
        for id, header in resolved.headers:
            if id in placing.closed_spaces:
                if self._is_protected(id):
                    told = f'the space "{id}" is read-only'
                    self.faults.add(READ_ONLY_NODE, told, header.span, hint=_LEAVE)
                self._check_scope(id, header.span)
            elif id in resolved.new_spaces:
                self._check_scope(id, header.span)
        if self.asked.base is not None:
            self._check_base(self.asked.base)

    def _is_protected(self, id: str) -> bool:
        held = self.graph.elements.get(id)
        if held is None:
            return False
        return is_protected(held) or any(
            self._is_space_protected(one.space) for one in self.graph.known_places(id)
        )

    def _is_space_protected(self, space: str) -> bool:
        held = self.graph.spaces.get(space)
        return held is not None and is_protected(held)

    def _is_fixed(self, place: Place) -> bool:
        """Whether a place may not be left."""
        held = self.graph.elements.get(place.child)
        return self._is_space_protected(place.space) or (held is not None and is_protected(held))

    def _check_content(self, id: str, span: Span | None) -> None:
        if self._is_protected(id):
            self.faults.add(READ_ONLY_NODE, f'"{id}" is read-only', span, hint=_LEAVE)
        self._check_scope(id, span)
        scope = self.asked.scope
        if scope and id in scope.shortened and CONTENT in self.decided.said.attributes.get(id, {}):
            self.faults.add(
                SHORTENED_CONTENT,
                f'the Content of "{id}" was not shown whole, so it is not replaced',
                span,
                hint="ask for all of it first",
            )

    def _check_scope(self, id: str, span: Span | None) -> None:
        scope = self.asked.scope
        is_free = scope is None or id in scope.shown or id in self.decided.resolved.new
        if is_free or id in (MAIN, self.asked.target):
            return
        self.faults.add(
            OUT_OF_SCOPE,
            f'"{id}" was not shown, so it is not changed',
            span,
            hint="change what was shown",
        )

    # Since the base

    def _check_base(self, base: int) -> None:
        """Refuse what changed after a transaction, of all that would change."""
        spans: dict[str, Span | None] = {}
        for id, where in self.decided.said.updated.items():
            spans.setdefault(id, where.span)
        for spot in [*self.decided.placing.removed, *self.decided.placing.added]:
            spans.setdefault(spot[0], self.decided.span_of(spot))
        for id, header in self.decided.resolved.headers:
            if id in self.decided.placing.closed_spaces:
                spans.setdefault(id, header.span)
        touched = [one for one in spans if one in self.graph.elements]
        if not touched:
            return
        then = Graph(self.graph.nexus, AsOf(transaction=base))
        then.fetch(touched)
        then.fetch_places(touched)
        for id in self._changed(then, touched):
            self.faults.add(
                CHANGED_SINCE,
                f'"{id}" has changed since transaction {base}',
                spans[id],
                hint="read it again, and decide anew",
                details={"id": id, "now": dict(self.graph.elements[id].attributes)},
            )

    def _changed(self, then: Graph, touched: Iterable[str]) -> list[str]:
        ids = list(touched)
        links = self.graph.nexus.joints.at(ids, "subject", DETAILS)
        before = then.nexus.joints.at(ids, "subject", DETAILS, as_of=then.as_of)
        said, said_before = (
            {(one.link.subject, one.link.id, str(one.link.attributes)) for one in found}
            for found in (links, before)
        )
        others = {one for one, _, _ in said ^ said_before}
        return [
            id
            for id in ids
            if id in others
            or not _is_alike(self.graph.elements[id], then.elements.get(id))
            or _stands(self.graph, id) != _stands(then, id)
        ]


def _is_alike(now: Concept, then: Concept | None) -> bool:
    return then is not None and now.attributes == then.attributes


def _stands(graph: Graph, id: str) -> set[tuple[str, str | None, float]]:
    return {(one.space, one.parent, one.order) for one in graph.known_places(id)}
