"""Recall through the face: what a question is about, as memories in words.

The rule: the memory finds and ranks; here what it finds is shown, and the shares of a score told.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.faces.memory.model import RecallAnswer, RecalledRecord
from recollect.faces.memory.shown import Records
from recollect.kernel import Nexus, Recalled
from recollect.model import AsOf


def recalled(
    nexus: Nexus,
    question: str,
    *,
    limit: int,
    kinds: Sequence[str] | None = None,
    max_tokens: int | None = None,
    as_of: AsOf | None = None,
    past: bool = False,
    threshold: float | None = None,
    cursor: str | None = None,
    asker: str | None = None,
) -> RecallAnswer:
    """Return the memories that a question is about, best first."""
    found = nexus.recall(
        question,
        kinds=kinds,
        limit=limit,
        max_tokens=max_tokens,
        as_of=as_of,
        past=past,
        threshold=threshold,
        cursor=cursor,
        asker=asker,
    )
    all_found = [*found.memories, *([] if found.nearest is None else [found.nearest])]
    shown = Records(nexus, [one.element for one in all_found], found.as_of)
    records = [_record(shown, one) for one in all_found]
    return RecallAnswer(
        tuple(records[: len(found.memories)]),
        None if found.nearest is None else records[-1],
        found.cursor,
        found.mode,
        found.notices,
    )


def _record(shown: Records, one: Recalled) -> RecalledRecord:
    record = shown.record(one.element)
    why = {name: (round(share.points, 4), share.words) for name, share in one.why.items()}
    passage = "" if one.passage == record.text else one.passage
    return RecalledRecord(record, round(one.score, 4), why, passage, one.copies or None)
