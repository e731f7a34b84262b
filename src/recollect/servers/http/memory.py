"""The memory over HTTP: `/v1/memory`.

The rule: each call is made on the group of its request, and acts as whoever asks.
"""

from __future__ import annotations

from recollect.faces.memory import Memory
from recollect.faces.memory.calls import MemoryCalls
from recollect.faces.operations import Caller
from recollect.kernel import Nexus
from recollect.servers.http.calls import call_face
from recollect.servers.http.face import Face, Shared

MEMORY = "/v1/memory"


def memory_face(shared: Shared) -> Face:
    """Return the face: a route for each call."""

    def make(nexus: Nexus, caller: Caller) -> object:
        operations = shared.service.operations.on_behalf_of(caller)
        return MemoryCalls(Memory(nexus, actor=caller.name, operations=operations))

    return call_face(shared, MEMORY, MemoryCalls, make)
