"""What a group already knows, for an extractor that asks.

The rule: an answer holds everything that earlier episodes told. If some of that is not written yet,
only what is certain already is answered; an extractor that asks for more is called again later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.faces.operations.records import ENTITY, is_fact, is_node
from recollect.kernel import Nexus
from recollect.model import FACT, AsOf, Concept, Hits
from recollect.node import dataclass, field


class Early(Exception):
    """That a group is asked for what is not written yet."""


@dataclass(slots=True)
class GroupKnowledge:
    """The group of a nexus; it implements `ports.Known`.

    `is_early` says that something told before is not written yet; `is_awaited` that it was asked
    for, which raised `Early`.
    """

    nexus: Nexus
    is_early: bool = False
    is_awaited: bool = field(default=False, init=False)

    def nodes(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (uuid, name) of the nodes a text is about, best first."""
        if not text.strip():
            return []
        self._wait()
        (hits,) = self.nexus.search(text, "concept", ENTITY, limit, mode="keyword").results
        assert isinstance(hits, Hits)
        elements = [one.element for one in hits.hits]
        return [(one.id, one.name) for one in elements if isinstance(one, Concept)]

    def facts(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (relation, words) of the living facts a text is about, best first."""
        if not text.strip():
            return []
        self._wait()
        moment = AsOf(valid=self.nexus.now())
        ranked = self.nexus.elements.rank_facts(text, limit, through=ENTITY, as_of=moment)
        found = self.nexus.elements.look_up([one.id for one in ranked], as_of=moment)
        elements = [found[one.id].element for one in ranked if one.id in found]
        return [(one.predicate, str(one.attributes[FACT])) for one in elements if is_fact(one)]

    def node_types(self, uuids: Sequence[str]) -> Mapping[str, str]:
        """Return the types of those of the uuids that are nodes of the group."""
        found = self.nexus.elements.look_up(uuids) if uuids else {}
        elements = {uuid: dated.element for uuid, dated in found.items()}
        nodes = {uuid: one.type for uuid, one in elements.items() if is_node(one)}
        if len(nodes) < len(set(uuids)):
            self._wait()
        return nodes

    def _wait(self) -> None:
        if self.is_early:
            self.is_awaited = True
            raise Early
