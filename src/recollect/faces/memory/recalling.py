"""Recall through the face: what a question is about, as memories in words.

The rule: the memory ranks; here what it finds is shown, and the shares of a score are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import orjson

from recollect.errors import INVALID_ARGUMENT, RecollectError, nearest
from recollect.faces.claims import ACTIVE
from recollect.faces.memory.model import RecallAnswer, RecalledRecord
from recollect.faces.memory.shown import Records
from recollect.kernel import Nexus
from recollect.model import AsOf, Hits

KINDS: Final = ("fact", "claim", "concept", "episode", "piece")
BYTES_OF_TOKEN: Final = 3  # about: four of English, three of Chinese
_LOOKED_AT: Final = 4  # times as many hits as are wanted


def recalled(
    nexus: Nexus,
    question: str,
    *,
    limit: int,
    kinds: Sequence[str] | None,
    max_tokens: int | None,
    as_of: AsOf | None,
    past: bool,
    threshold: float | None,
    cursor: str | None,
) -> RecallAnswer:
    """Return the memories that a question is about."""
    if not question.strip():
        raise RecollectError(
            INVALID_ARGUMENT, "question is blank", hint="ask in plain words: Where does Ann work?"
        )
    wanted = _kinds(kinds)
    asked = as_of or AsOf()
    if asked.valid is None and not past:
        asked = replace(asked, valid=nexus.now())
    answer = nexus.search(
        question,
        limit=_LOOKED_AT * limit,
        threshold=threshold or 0.0,
        cursor=cursor,
        as_of=asked if cursor is None else None,
    )
    (hits,) = answer.results
    assert isinstance(hits, Hits)
    dated = nexus.look_up([one.element.id for one in hits.hits], as_of=asked)
    there = [one for one in hits.hits if one.element.id in dated]
    shown = Records(nexus, [dated[one.element.id] for one in there], asked)
    found = []
    for hit in there:
        record = shown.record(dated[hit.element.id])
        kind = shown.kind(hit.element)
        if kind in wanted and (record.status is None or record.status in ACTIVE):
            found.append(RecalledRecord(record, round(hit.score, 4)))
    return RecallAnswer(_within(found[:limit], max_tokens), warnings=answer.notices)


def _within(found: list[RecalledRecord], max_tokens: int | None) -> tuple[RecalledRecord, ...]:
    """Return as many of the best as there is room for, and one at least."""
    if max_tokens is None:
        return tuple(found)
    room, kept = max_tokens * BYTES_OF_TOKEN, list[RecalledRecord]()
    for one in found:
        room -= len(orjson.dumps(one.to_dict()))
        if room < 0 and kept:
            break
        kept.append(one)
    return tuple(kept)


def _kinds(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the kinds asked for; INVALID_ARGUMENT for one there is not."""
    if given is None:
        return KINDS
    for one in given:
        if one not in KINDS:
            near = nearest(str(one), KINDS) or KINDS
            raise RecollectError(
                INVALID_ARGUMENT,
                f"there is no kind of memory {str(one)[:40]!r}",
                hint=f'use "{near[0]}"',
                known=KINDS,
            )
    return tuple(given)
