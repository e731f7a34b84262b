"""Memories in order of time: the newest of a kind, or those about one thing.

The rule: what has ended or was corrected is left out unless the past is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from recollect.errors import INVALID_ARGUMENT, RESOURCE_NOT_FOUND, RecollectError, nearest
from recollect.faces.memory.model import Listed, MemoryRecord, ShownRecords
from recollect.kernel import Nexus
from recollect.model import PLAIN_KIND, AsOf, Concept, Dated, Description, Link, Rows, Value

KINDS: Final = ("fact", "claim", "concept", "episode", "piece")
MOST: Final = 200

_NEWEST: Final = "FIND(?one) WHERE {{ {} }} ORDER BY ?one.metadata._created_at DESC"
_LINKS: Final = _NEWEST.format("?one (?start, ?any, ?end)")
_MOST_TYPES: Final = 100  # whose concepts are listed together


def listed(
    nexus: Nexus, kind: str | None, about: str | None, limit: int, cursor: str | None, *, past: bool
) -> Listed:
    """Return memories, the newest first, and where the next page begins."""
    if type(limit) is not int or not 1 <= limit <= MOST:
        raise RecollectError(
            INVALID_ARGUMENT, f"limit is not from 1 to {MOST}", hint="use limit=20"
        )
    if kind is not None and kind not in KINDS:
        near = nearest(kind, KINDS) or KINDS
        raise RecollectError(
            INVALID_ARGUMENT,
            f"there is no kind of memory {kind[:40]!r}",
            hint=f'use kind="{near[0]}"',
            known=KINDS,
        )
    if about is not None:
        return _page_of(_about(nexus, about, kind, past=past), limit, cursor)
    if kind is None:
        if cursor is not None:
            raise RecollectError(
                INVALID_ARGUMENT,
                "a cursor leads through memories of one kind",
                hint='say which: kind="fact"',
            )
        found = [one for each in KINDS for one in _newest(nexus, each, limit, None, past=past)[0]]
        found.sort(key=lambda one: one.created_at or "", reverse=True)
        return Listed(tuple(found[:limit]))
    records, following = _newest(nexus, kind, limit, cursor, past=past)
    return Listed(tuple(records), following)


def _newest(
    nexus: Nexus, kind: str, limit: int, cursor: str | None, *, past: bool
) -> tuple[list[MemoryRecord], str | None]:
    """Return the newest memories of a kind, at least `limit` where there are as many."""
    asked = _asked(nexus, kind)
    found: list[MemoryRecord] = []
    while asked is not None:
        text, given = f"{asked} LIMIT {limit}", dict[str, Value]()
        if cursor is not None:
            text, given["cursor"] = f"{text} CURSOR $cursor", cursor
        as_of = None if past else AsOf(valid=nexus.now())
        (rows,) = nexus.read(text, given, as_of=as_of if cursor is None else None).results
        assert isinstance(rows, Rows)
        ids = [one.id for (one,) in rows.rows if isinstance(one, Concept | Link)]
        dated = nexus.elements.look_up(ids)
        elements = [dated[one] for one in ids if one in dated]
        shown = ShownRecords.read(nexus, elements)
        found += [shown.record(one) for one in elements if shown.kind(one.element) == kind]
        cursor = rows.next_cursor
        if cursor is None or len(found) >= limit:
            return found, cursor
    return [], None


def _asked(nexus: Nexus, kind: str) -> str | None:
    """Return the question for the memories of a kind; None where there can be none."""
    if kind == "fact":
        return _LINKS
    named = [one.type for one in nexus.kinds.named(kind)]
    types = named if kind != PLAIN_KIND else _free_types(nexus)
    if not types:
        return None
    first, *others = [f"?one {{type: {json.dumps(one)}}}" for one in types]
    return _NEWEST.format(first + "".join(f" UNION {{ {one} }}" for one in others))


def _free_types(nexus: Nexus) -> list[str]:
    """Return the types of concepts that no face owns, as far as they are listed together."""
    (told,) = nexus.read(f"DESCRIBE CONCEPT TYPES LIMIT {_MOST_TYPES}").results
    assert isinstance(told, Description)
    items = told.body["items"]
    assert isinstance(items, list)
    names = [str(one["name"]) for one in items if isinstance(one, dict)]
    return [one for one in names if nexus.kinds.is_free(one)]


def _about(nexus: Nexus, about: str, kind: str | None, *, past: bool) -> list[MemoryRecord]:
    """Return what is held about a thing that is called so or has the id: itself and its facts."""
    things = [one.element.id for one in nexus.elements.named(about)]
    if not things and about in nexus.elements.look_up([about]):
        things = [about]
    if not things:
        raise RecollectError(
            RESOURCE_NOT_FOUND,
            f'nothing is called "{about[:60]}"',
            hint="recall it in plain words, and pass the name that the answer gives",
        )
    ids = list(things)
    ends: tuple[Literal["subject", "object"], ...] = ("subject", "object")
    for end in ends:
        joints = nexus.concepts.joints(things, end)
        ids += [one.link.id for one in joints]
    dated = nexus.elements.look_up(list(dict.fromkeys(ids)))
    shown = ShownRecords.read(nexus, list(dated.values()))
    records = [shown.record(one) for one in _memories(shown, dated.values(), kind)]
    kept = [one for one in records if past or not one.standing]
    return sorted(kept, key=lambda one: (one.created_at or "", one.id), reverse=True)


def _memories(shown: ShownRecords, dated: Iterable[Dated], kind: str | None) -> Iterator[Dated]:
    for one in dated:
        found = shown.kind(one.element)
        if found is not None and kind in (None, found):
            yield one


def place_in(cursor: str | None) -> int:
    """Return where a page begins in a list that is read whole; INVALID_ARGUMENT for no cursor."""
    if cursor is None:
        return 0
    if cursor.isdecimal() and len(cursor) < 10:
        return int(cursor)
    raise RecollectError(
        INVALID_ARGUMENT,
        "cursor is not one that an answer gave",
        hint="pass the cursor of the answer before, or leave it out",
    )


def _page_of(records: list[MemoryRecord], limit: int, cursor: str | None) -> Listed:
    start = place_in(cursor)
    page = records[start : start + limit]
    following = start + len(page)
    return Listed(tuple(page), str(following) if following < len(records) else None)
