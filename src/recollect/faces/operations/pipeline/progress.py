"""The progress of an item of the pipeline, as the queue keeps it between steps.

The rule: a queue may come from a dump that somebody changed, so anything in it that is not in the
form this program writes is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import get_args

import orjson

from recollect.errors import RecollectError
from recollect.faces.operations.outputs import Item, State
from recollect.faces.operations.pipeline.extraction import Extraction, checked_extraction
from recollect.faces.operations.pipeline.ports import Rejected
from recollect.llm import Usage
from recollect.model import Attributes, Instant, Value, WorkItem
from recollect.node import dataclass, replace

_LONGEST_REASON = 1_000  # characters of an error that are kept
_MOST_WARNINGS = 10
_COUNTS = range(2**48)  # of calls and tokens
_STATES: Mapping[str, State] = {one: one for one in get_args(State)}


@dataclass(frozen=True, slots=True)
class Progress:
    """What is kept of an item: the extraction goes when it is written, the rest stays."""

    extraction: Extraction | None = None
    rejected: Rejected | None = None
    usage: Usage = Usage()
    error: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, item: WorkItem) -> Progress:
        """Return what is kept of an item, without what cannot be read."""
        kept = item.payload
        error, told = kept.get("error"), kept.get("warnings")
        return cls(
            _extraction(kept.get("extraction")),
            _rejected(kept.get("rejected")),
            _usage(kept.get("usage")),
            error if isinstance(error, str) else None,
            tuple(one for one in told if isinstance(one, str)) if isinstance(told, list) else (),
        )

    def failing(self, error: str | None) -> Progress:
        """Return the same with another error, or none."""
        return replace(self, error=error)

    def kept(self) -> Attributes:
        """Return what the queue keeps; the extraction as text, however deep it is."""
        payload: dict[str, Value] = {}
        if self.extraction is not None:
            payload["extraction"] = orjson.dumps(self.extraction).decode()
        if self.rejected is not None:
            rejected = self.rejected
            payload["rejected"] = {
                "reason": _storable(rejected.reason),
                "answer": _storable(rejected.answer),
            }
        if self.usage != Usage():
            payload["usage"] = {**asdict(self.usage)}
        if self.error is not None:
            payload["error"] = _storable(self.error[:_LONGEST_REASON])
        if self.warnings:
            told = self.warnings[:_MOST_WARNINGS]
            payload["warnings"] = [_storable(one[:_LONGEST_REASON]) for one in told]
        return payload


def _extraction(kept: Value) -> Extraction | None:
    try:
        return checked_extraction(orjson.loads(kept)) if isinstance(kept, str) else None
    except (orjson.JSONDecodeError, RecollectError):
        return None


def _rejected(kept: Value) -> Rejected | None:
    match kept:
        case {"reason": str(reason), "answer": str(answer)}:
            return Rejected(reason, answer)
        case _:
            return None


def _usage(kept: Value) -> Usage:
    if not isinstance(kept, Mapping):
        return Usage()
    counts = {one.name: kept.get(one.name) for one in fields(Usage)}
    return Usage(
        **{name: count for name, count in counts.items() if type(count) is int and count in _COUNTS}
    )


def _storable(text: str) -> str:
    """Return a text that quotes anything, without the characters that no memory keeps."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def moved(
    item: WorkItem, state: State, progress: Progress, due_at: Instant, attempts: int = 0
) -> WorkItem:
    """Return an item in another state."""
    payload = progress.kept()
    return replace(item, state=state, attempts=attempts, due_at=due_at, payload=payload)


def shown(item: WorkItem) -> Item:
    """Return an item as the operations show it."""
    progress = Progress.of(item)
    return Item(
        episode_uuid=item.item,
        state=_STATES.get(item.state, "parked"),  # where the next worker puts it
        attempts=item.attempts,
        error=progress.error,
        calls=progress.usage.calls,
        input_tokens=progress.usage.input_tokens,
        output_tokens=progress.usage.output_tokens,
        warnings=list(progress.warnings),
    )
