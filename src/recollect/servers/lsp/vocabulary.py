"""The names in use in a memory, for completion.

The rule: completion is silent, so a memory that cannot be read just now has no names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.faces.kip import execute_kip_readonly
from recollect.kernel import Nexus
from recollect.node import dataclass

MOST_DESCRIBED = 20
"""Types whose attributes are looked at: those the text names, else the first of the memory."""

METADATA_KEYS = (
    "author",
    "confidence",
    "created_at",
    "evidence",
    "expires_at",
    "memory_strength",
    "observed_at",
    "source",
    "status",
    "valid_from",
    "valid_until",
    "_created_at",
    "_expired_at",
    "_invalid_at",
    "_updated_at",
    "_valid_at",
    "_version",
)
"""The keys that the specification names, and those that the memory keeps itself."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of one memory, or of none."""

    nexus: Nexus | None = None

    def types(self) -> tuple[str, ...]:
        """Return the types of concepts in use."""
        return self._listed("DESCRIBE CONCEPT TYPES", "items")

    def predicates(self) -> tuple[str, ...]:
        """Return the predicates in use."""
        return self._listed("DESCRIBE PROPOSITION TYPES", "items")

    def attributes(self, named: Iterable[str]) -> tuple[str, ...]:
        """Return the attributes of some types and predicates, or of all types if none is in use."""
        types, predicates = self.types(), self.predicates()
        named = tuple(named)
        of_types = [name for name in named if name in types]
        of_predicates = [name for name in named if name in predicates]
        found: dict[str, None] = {}
        for name in (of_types or types)[:MOST_DESCRIBED]:
            found |= dict.fromkeys(self._listed("DESCRIBE CONCEPT TYPE $name", "attributes", name))
        for name in of_predicates[:MOST_DESCRIBED]:
            command = "DESCRIBE PROPOSITION TYPE $name"
            found |= dict.fromkeys(self._listed(command, "attributes", name))
        return tuple(found)

    def _listed(self, command: str, member: str, name: str | None = None) -> tuple[str, ...]:
        """Return the names in the list that a DESCRIBE answers with; none if it fails."""
        if self.nexus is None:
            return ()
        parameters = {} if name is None else {"name": name}
        match execute_kip_readonly(self.nexus, command, parameters=parameters).get("result"):
            case dict() as result:
                items = result.get(member)
                return tuple(_names(items if isinstance(items, list) else []))
        return ()


def _names(items: Iterable[object]) -> Iterator[str]:
    for item in items:
        match item:
            case {"name": str() as name}:
                yield name
