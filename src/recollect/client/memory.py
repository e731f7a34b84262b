"""The memory on a server, with the methods that it has in this process.

The rule: a method takes what the face's takes and returns the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from recollect.client.calls import AsyncFaceClient, FaceClient, awaited, sent
from recollect.client.kip import as_of_members
from recollect.faces.claims import EvidenceRef
from recollect.faces.memory import Memory as LocalMemory
from recollect.faces.memory.calls import MemoryCalls


def _read(kind: Any, output: Mapping[str, Any]) -> Any:  # noqa: ANN401 - each call its own
    return kind.from_dict(output)


def _written(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return arguments as JSON: evidence and points in time have classes of their own."""
    members = dict(given)
    if "as_of" in members:
        members["as_of"] = as_of_members(members["as_of"])
    if (evidence := members.get("evidence")) is not None:
        members["evidence"] = [
            asdict(one) if isinstance(one, EvidenceRef) else one for one in evidence
        ]
    return members


class Memory(FaceClient):
    """The memory of one group on a server."""

    prefix = "/v1/memory"
    face = MemoryCalls

    remember = sent(LocalMemory.remember, "remember", _read, written=_written)
    recall = sent(LocalMemory.recall, "recall", _read, written=_written)
    correct = sent(LocalMemory.correct, "correct", _read, written=_written)
    undo = sent(LocalMemory.undo, "undo", _read)
    forget = sent(LocalMemory.forget, "forget", _read)
    list = sent(LocalMemory.list, "list", _read)
    brief = sent(LocalMemory.brief, "brief", _read)
    why = sent(LocalMemory.why, "why", _read)


class AsyncMemory(AsyncFaceClient[Memory]):
    """The same, to be awaited."""

    kind = Memory

    remember = awaited(Memory.remember)
    recall = awaited(Memory.recall)
    correct = awaited(Memory.correct)
    undo = awaited(Memory.undo)
    forget = awaited(Memory.forget)
    list = awaited(Memory.list)
    brief = awaited(Memory.brief)
    why = awaited(Memory.why)
