"""MERGE: the source is gone, and what was said of it is said of the target, on a copy.

A link that moves is a new one with the old one's public id, and so is every link about it. Of
links that come to say the same one remains: the target's if there is one.
"""

from __future__ import annotations

from tests.reference.contents import version
from tests.reference.facts import moved
from tests.reference.graph import Concept, Graph, Link
from tests.reference.update import found_by
from tests.reference.values import Parameters, canonical

from recollect.errors import (
    CONSTRAINT_VIOLATION,
    DUPLICATE_EXISTS,
    INVALID_SYNTAX,
    NOT_FOUND,
    RecollectError,
)
from recollect.kernel.lang import ast
from recollect.model import Value

Said = int | tuple["Said", str, "Said"]
"""What an end is from now on: an element that stays, or what a link that moves will say."""


def merge(
    graph: Graph, statement: ast.MergeConcepts, parameters: Parameters
) -> tuple[Graph, dict[str, int]]:
    """Return the graph afterwards and the counts of the report."""
    after = graph.copy()
    found = [
        found_by(after, statement.where, variable, parameters)
        for variable in (statement.source, statement.target)
    ]
    if not all(found):
        raise RecollectError(NOT_FOUND, "there is no such concept")
    source, target = (_only(after, ids) for ids in found)
    if source is target:
        return after, {"links_repointed": 0, "links_deduplicated": 0, "attributes_filled": 0}
    if source.type != target.type:
        raise RecollectError(CONSTRAINT_VIOLATION, "the types differ")
    links = _Links(after, source, target)
    counts = links.move()
    lacking = {
        key: source.attributes[key] for key in source.attributes if key not in target.attributes
    }
    aliases = _items(target.attributes.get("aliases")) + _items(source.attributes.get("aliases"))
    target.attributes |= lacking
    target.attributes["aliases"] = _distinct([*aliases, source.name])
    trail = _items(target.metadata.get("_merged_from")) + _items(
        source.metadata.get("_merged_from")
    )
    target.metadata["_merged_from"] = _distinct([*trail, f"{source.type}:{source.name}"])
    after.remove([source.id])
    return after, {**counts, "attributes_filled": len(lacking)}


def _only(graph: Graph, ids: list[int]) -> Concept:
    if len(ids) > 1:
        raise RecollectError(DUPLICATE_EXISTS, f"there are {len(ids)} such concepts")
    element = graph.element(ids[0])
    if not isinstance(element, Concept):
        raise RecollectError(INVALID_SYNTAX, "it is a link")
    return element


class _Links:
    """The links that move, oldest first."""

    def __init__(self, graph: Graph, source: Concept, target: Concept) -> None:
        self.graph, self.source, self.target = graph, source, target
        ids = {source.id}
        for link in graph.links:  # an end is older than its link
            if {link.subject, link.object} & ids:
                ids.add(link.id)
        self.moving = {link.id: link for link in graph.links if link.id in ids}

    def said(self, end: int) -> Said:
        """Return what an end is from now on."""
        if end == self.source.id:
            return self.target.id
        if end not in self.moving:
            return end
        link = self.moving[end]
        subject, object = self.said(link.subject), self.said(link.object)
        for other in self.graph.links:
            if other.id not in self.moving and (other.subject, other.predicate, other.object) == (
                subject,
                link.predicate,
                object,
            ):
                return other.id
        return subject, link.predicate, object

    def move(self) -> dict[str, int]:
        groups: dict[Said, list[Link]] = {}
        for link in self.moving.values():
            groups.setdefault(self.said(link.id), []).append(link)
        made: dict[Said, int] = {}
        lost: set[int] = {self.source.id}
        repointed = 0
        for said, links in groups.items():
            if isinstance(said, int):
                kept = self.graph.element(said)
                assert isinstance(kept, Link)
                left = links
                lost |= {one.id for one in left}
            else:
                old = next((o for o in links if not {o.subject, o.object} & lost), links[0])
                repointed += bool({old.subject, old.object} & lost)
                kept = self._carried_on(old, [made.get(end, end) for end in (said[0], said[2])])
                made[said] = kept.id
                left = [one for one in links if one is not old]
                lost |= {one.id for one in left}
            for one in left:
                _fill(kept, one)
        self.graph.links = [one for one in self.graph.links if one.id not in self.moving]
        return {
            "links_repointed": repointed,
            "links_deduplicated": len(self.moving) - len(made),
        }

    def _carried_on(self, old: Link, ends: list[Said]) -> Link:
        subject, object = ends
        assert isinstance(subject, int)
        assert isinstance(object, int)
        link = self.graph.add_link(subject, old.predicate, object)
        link.public_id, link.valid = old.public_id, old.valid
        link.attributes, link.metadata = {**old.attributes}, {**old.metadata}
        number = version(self.graph, old)
        link.metadata["_moved_from"] = {"concept": self.source.public_id, "version": number}
        link.first_version = number + 1
        return link


def _fill(kept: Link, lost: Link) -> None:
    lacking = {key: lost.metadata[key] for key in lost.metadata if key not in kept.metadata}
    kept.attributes = {**lost.attributes, **kept.attributes}
    kept.metadata |= {key: lacking[key] for key in lacking if not key.startswith("_")}
    kept.valid = moved(kept.valid, lacking)


def _items(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _distinct(values: list[Value]) -> list[Value]:
    kept: list[Value] = []
    for value in values:
        if (type(value), canonical(value)) not in [(type(one), canonical(one)) for one in kept]:
            kept.append(value)
    return kept
