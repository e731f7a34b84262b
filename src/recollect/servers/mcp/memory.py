"""What the tools, resources and prompts work with: one group of one memory, and who asks."""

from __future__ import annotations

from dataclasses import dataclass

from recollect.kernel import Nexus
from recollect.servers.service import Service


@dataclass(frozen=True, slots=True)
class Memory:
    """One group as a client sees it; `actor` stands in the log beside what it writes."""

    service: Service
    actor: str
    is_read_only: bool = False

    @property
    def nexus(self) -> Nexus:
        """The graph."""
        return self.service.nexus

    @property
    def group(self) -> str:
        """The name of the group."""
        return self.nexus.group_name
