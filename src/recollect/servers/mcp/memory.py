"""What the tools, resources and prompts work with: one group of one memory, who asks, and one call.

The rule: the thread that works never waits for the client; it notes how far it is, and whoever
speaks with the client looks.
"""

from __future__ import annotations

from threading import Event
from typing import Final

from recollect.errors import PERMISSION_DENIED
from recollect.faces.memory import Memory as Face
from recollect.faces.operations import Caller
from recollect.kernel import Nexus
from recollect.node import dataclass, field, replace
from recollect.servers.mcp.folders import Folders
from recollect.servers.service import ServedMemory

TOOL_SETS: Final = frozenset({"memory", "kip", "knowledge", "markup"})
"""The sets of tools that a server may offer; all, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One group as a client sees it; the log shows `actor` beside what it writes."""

    service: ServedMemory
    actor: str
    is_read_only: bool = False
    folders: Folders | None = field(default_factory=Folders)
    """The folders that files are imported from; None if that is not offered."""

    tools: frozenset[str] = TOOL_SETS
    """The sets of tools that are offered."""

    may_erase: bool = False
    """Whether a client may erase memories for ever."""

    @property
    def face(self) -> Face:
        """The face that the tools of the memory call."""
        return Face(self.nexus, actor=self.actor, operations=self.service.operations)

    @property
    def nexus(self) -> Nexus:
        """The graph."""
        return self.service.nexus

    @property
    def group(self) -> str:
        """The name of the group."""
        return self.nexus.group_name

    @property
    def takes_files(self) -> bool:
        """Whether taking in files is offered."""
        return self.folders is not None and not self.is_read_only

    def seen_by(self, caller: Caller) -> Memory:
        """Return the memory of the bearer of a token, who writes under its name.

        Its group is this one if the token is valid for it, else the only group of the token;
        PERMISSION_DENIED if the token has several.
        """
        group = self._group_of(caller)
        service = replace(self.service, nexus=self.nexus.group(group))
        return replace(self, service=service, actor=caller.name or self.actor)

    def _group_of(self, caller: Caller) -> str:
        if caller.groups is None or self.group in caller.groups:
            return self.group
        if len(caller.groups) == 1:
            (only,) = caller.groups
            return only
        raise PERMISSION_DENIED.error(
            "the token is valid for several groups, and the group of this server is none of them",
            "send a token that is valid for one group",
        )


@dataclass(slots=True)
class ToolCall:
    """A call; shared between the thread that works and the task that speaks."""

    request_id: str
    step: str = ""
    done: int = 0
    total: int = 0
    told: int = 0  # how much of it the client knows
    _cancelled: Event = field(default_factory=Event)
    _before: int = 0  # what the steps that are over counted to

    def progress(self, step: str, done: int, total: int) -> None:
        """Note how far the work is; what is told rises from step to step, as the protocol asks."""
        if step != self.step:
            self._before = self.done
        self.step, self.done = step, self._before + done
        self.total = self._before + total if total else 0

    def cancel(self) -> None:
        """Note that nobody waits for the call any more."""
        self._cancelled.set()

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the call any more."""
        return self._cancelled.is_set()
