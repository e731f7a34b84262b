"""What a group knows already, as an extractor may ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.faces.operations.records import ENTITY, is_fact, is_node
from recollect.kernel import Nexus
from recollect.model import FACT, AsOf, Concept, Hits


@dataclass(frozen=True, slots=True)
class GroupKnowledge:
    """The group of a nexus; it implements `ports.Known`."""

    nexus: Nexus

    def nodes(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (uuid, name) of the nodes a text is about, best first."""
        if not text.strip():
            return []
        (hits,) = self.nexus.search(text, "concept", ENTITY, limit, mode="keyword").results
        assert isinstance(hits, Hits)
        elements = [one.element for one in hits.hits]
        return [(one.id, one.name) for one in elements if isinstance(one, Concept)]

    def facts(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (relation, words) of the living facts a text is about, best first."""
        if not text.strip():
            return []
        moment = AsOf(valid=self.nexus.now())
        ranked = self.nexus.rank_facts(text, limit, through=ENTITY, as_of=moment)
        found = self.nexus.look_up([one.id for one in ranked], as_of=moment)
        elements = [found[one.id].element for one in ranked if one.id in found]
        return [(one.predicate, str(one.attributes[FACT])) for one in elements if is_fact(one)]

    def has_nodes(self, uuids: Sequence[str]) -> frozenset[str]:
        """Return those of the uuids that are nodes of the group."""
        found = self.nexus.look_up(uuids)
        return frozenset(uuid for uuid, dated in found.items() if is_node(dated.element))
