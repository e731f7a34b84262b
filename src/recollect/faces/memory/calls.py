"""The memory as calls, for servers: what each takes and answers as JSON.

The rule: a call takes by name what the face's method takes, as JSON has it, and an output has the
members of the value that the face returns, as its `to_dict` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from recollect.faces.calls import by_name, call
from recollect.faces.memory.memory import Memory

_FACT: Final = {"subject": "Maria", "predicate": "works_at", "object": "BMW", "valid_at": "2026-05"}
_ID: Final = "0192f0c1-2b7e-7e55-8d7e-9d4e3f1a2b3c"
_EVIDENCE: Final = Sequence[dict[str, Any]] | None
_MEMBERS: Final = dict[str, Any] | None


def _call(method: Callable[..., Any], **types: Any) -> Callable[..., dict[str, Any]]:  # noqa: ANN401
    """Return a method of the memory as a call."""
    return by_name(method, lambda calls: calls.memory, lambda one: one.to_dict(), **types)


class MemoryCalls:
    """The calls of the memory of one group, for whoever acts."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    remember = call("POST", "remember", "writes", example={"facts": [_FACT]})(
        _call(Memory.remember, evidence=_EVIDENCE)
    )
    recall = call("POST", "recall", example={"question": "Where does Maria work?"})(
        _call(Memory.recall, as_of=_MEMBERS)
    )
    correct = call("POST", "correct", "writes", example={"id": _ID, "object": "BMW"})(
        _call(Memory.correct, attributes=_MEMBERS, evidence=_EVIDENCE)
    )
    undo = call("POST", "undo", "writes", example={"id": _ID})(_call(Memory.undo))
    forget = call("POST", "forget", "destroys", example={"id": _ID, "effect": "withdraw"})(
        _call(Memory.forget)
    )
    list = call("GET", "memories", name="MemoryList", example={"kind": "fact", "limit": 20})(
        _call(Memory.list)
    )
    brief = call("GET", "brief", example={"max_tokens": 800})(_call(Memory.brief))
    why = call("GET", "why", example={"id": _ID})(_call(Memory.why))
