"""The memory as calls, for servers: what each takes and answers as JSON.

The rule: a call takes by name what the face's method takes, as JSON has it, and an output has the
members of the value that the face returns, as its `to_dict` does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_type_hints

from recollect.faces.calls import call
from recollect.faces.memory.memory import Memory

Output = dict[str, Any]

_FACT: Final = {"subject": "Maria", "predicate": "works_at", "object": "BMW", "valid_at": "2026-05"}
_ID: Final = "0192f0c1-2b7e-7e55-8d7e-9d4e3f1a2b3c"
_WRITTEN: Final[Mapping[str, Any]] = {
    "evidence": Sequence[dict[str, Any]] | None,
    "as_of": dict[str, Any] | None,
    "attributes": dict[str, Any] | None,
    "return": Output,
}
"""What JSON has other types for than Python."""


def _by_name(method: Callable[..., Any]) -> Callable[..., Output]:
    """Return a method of the face as one that takes its arguments by name, as JSON has them."""

    def called(self: MemoryCalls, **given: Any) -> Output:  # noqa: ANN401 - those of the method
        answer: Output = method(self.memory, **given).to_dict()
        return answer

    signature, hints = inspect.signature(method), get_type_hints(method)
    itself, *others = signature.parameters.values()
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in others]
    called.__signature__ = signature.replace(parameters=[itself, *named])  # type: ignore[attr-defined]
    called.__annotations__ = hints | {one: _WRITTEN[one] for one in hints.keys() & _WRITTEN.keys()}
    called.__doc__ = method.__doc__
    return called


class MemoryCalls:
    """The calls of the memory of one group, for whoever acts."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    remember = call("POST", "remember", "writes", example={"facts": [_FACT]})(
        _by_name(Memory.remember)
    )
    recall = call("POST", "recall", example={"question": "Where does Maria work?"})(
        _by_name(Memory.recall)
    )
    correct = call("POST", "correct", "writes", example={"id": _ID, "object": "BMW"})(
        _by_name(Memory.correct)
    )
    undo = call("POST", "undo", "writes", example={"id": _ID})(_by_name(Memory.undo))
    forget = call("POST", "forget", "destroys", example={"id": _ID, "effect": "withdraw"})(
        _by_name(Memory.forget)
    )
    list = call("GET", "memories", name="MemoryList", example={"kind": "fact", "limit": 20})(
        _by_name(Memory.list)
    )
    brief = call("GET", "brief", example={"max_tokens": 800})(_by_name(Memory.brief))
    why = call("GET", "why", example={"id": _ID})(_by_name(Memory.why))
