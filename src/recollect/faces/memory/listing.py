"""Memories in order of time: the newest of a kind, or those about one thing.

The rule: what has ended or was corrected is left out unless the past is asked for. What is no more
than a name is listed among concepts alone. What was corrected or withdrawn comes after all that is
still there, the last first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice
from typing import Final

from recollect.errors import Notice, RecollectError, not_among, refused
from recollect.faces.beginnings import closed_in, free_types
from recollect.faces.memory.model import Listed, MemoryRecord, ShownRecords
from recollect.faces.memory.naming import ENDS, first_names, things_called
from recollect.kernel import Nexus, tokens
from recollect.model import PLAIN_KIND, AsOf, Concept, Dated, Hits, Link, Rows, Value

KINDS: Final = ("fact", "claim", "concept", "episode", "piece")
MOST: Final = 200

_NEWEST: Final = "FIND(?one) WHERE {{ {} }} ORDER BY ?one.metadata._created_at DESC"
_LINKS: Final = _NEWEST.format("?one (?start, ?any, ?end)")
_TEXTS: Final = ("claim", "episode", "piece")
_CLOSED: Final = "closed."  # begins the cursor that leads through what was closed
_LOOKED_THROUGH: Final = 1_000  # transactions at once
_MOST_CHANGES: Final = 1_000  # of one transaction; one that has more is read by itself


def listed(
    nexus: Nexus, kind: str | None, about: str | None, limit: int, cursor: str | None, *, past: bool
) -> Listed:
    """Return memories, the newest first, and where the next page begins."""
    if type(limit) is not int or not 1 <= limit <= MOST:
        raise refused(f"limit is not from 1 to {MOST}", "use limit=20")
    if kind is not None and kind not in KINDS:
        message = f"there is no kind of memory {kind[:40]!r}; there are {', '.join(KINDS)}"
        raise not_among(message, kind, KINDS, 'use kind="{}"')
    if about is not None:
        told, notices = _about(nexus, about, kind, past=past)
        if cursor is not None:
            if cursor[:2] not in ("0.", "1."):
                raise _no_cursor()
            told = [one for one in told if _order(one) < cursor]
        more = _order(told[limit - 1]) if limit < len(told) else None
        return Listed(tuple(told[:limit]), more, notices)
    if kind is None:
        return _of_all_kinds(nexus, limit, cursor, past=past)
    records, following = _newest(nexus, kind, limit, cursor, past=past)
    return Listed(tuple(records), following)


def _of_all_kinds(nexus: Nexus, limit: int, cursor: str | None, *, past: bool) -> Listed:
    """Return a page of what there was as the first one was read, without what is gone since."""
    (last,) = nexus.elements.last_transactions([nexus.group_name]).values()
    first, _, skipped = (cursor or f"{last}.0").partition(".")
    at, start = place_in(first), place_in(skipped)
    streams = (every_one(nexus, each, limit, at, past=past) for each in KINDS)
    every = (one for one in merge(*streams, key=_place, reverse=True) if one.says_more)
    ids = [one.id for one in islice(every, start, start + limit + 1)]
    dated = nexus.elements.look_up(ids[:limit], closed=past)
    there = _records(nexus, [dated[one] for one in ids if one in dated], None, past=past)
    return Listed(tuple(there), f"{at}.{start + limit}" if len(ids) > limit else None)


def every_one(
    nexus: Nexus, kind: str, limit: int, at: int | None = None, *, past: bool
) -> Iterator[MemoryRecord]:
    """Yield the memories of a kind, `limit` or more read at once; `at` is as `_newest` has it."""
    cursor: str | None = None
    while True:
        records, cursor = _newest(nexus, kind, limit, cursor, at, past=past)
        yield from records
        if cursor is None:
            return


def _place(one: MemoryRecord) -> tuple[bool, str]:
    """Return where a memory stands among those of all kinds: what was closed comes last."""
    return one.expired_at is None, one.expired_at or one.created_at or ""


def _newest(
    nexus: Nexus, kind: str, limit: int, cursor: str | None, at: int | None = None, *, past: bool
) -> tuple[list[MemoryRecord], str | None]:
    """Return the newest memories of a kind, at least `limit` where there are as many.

    With `at` they are those that there were after a transaction, as they were then.
    """
    asked = _asked(nexus, kind)
    found: list[MemoryRecord] = []
    if cursor is not None and cursor.startswith(_CLOSED):
        before, _, skipped = cursor.removeprefix(_CLOSED).partition(".")
        return _closed(nexus, kind, limit, place_in(before), place_in(skipped or "0"))
    while asked is not None:
        text, given = f"{asked} LIMIT {limit}", dict[str, Value]()
        if cursor is not None:
            text, given["cursor"] = f"{text} CURSOR $cursor", cursor
        as_of = AsOf(valid=None if past else nexus.now(), transaction=at)
        try:
            answer = nexus.read(text, given, as_of=as_of if cursor is None else None)
        except RecollectError as error:
            if cursor is not None and error.code.name == "InvalidSyntax":  # all else is our own
                raise _no_cursor() from error
            raise
        rows = answer.only(Rows)
        ids = [one.id for (one,) in rows.rows if isinstance(one, Concept | Link)]
        then = AsOf(transaction=at)
        dated = nexus.elements.look_up(ids, as_of=then)
        found += _records(nexus, [dated[one] for one in ids if one in dated], kind, then, past=past)
        cursor = rows.next_cursor
        if cursor is not None and len(found) >= limit:
            return found, cursor
        if cursor is None:
            break
    if not past:
        return found, None
    (last,) = nexus.elements.last_transactions([nexus.group_name]).values()
    last = last if at is None else at
    if len(found) >= limit:
        return found, f"{_CLOSED}{last}"
    closed, following = _closed(nexus, kind, limit - len(found), last)
    return [*found, *closed], following


def _closed(
    nexus: Nexus, kind: str, limit: int, before: int, skipped: int = 0
) -> tuple[list[MemoryRecord], str | None]:
    """Return what was corrected or withdrawn up to a transaction, the last first."""
    found: list[MemoryRecord] = []
    while before > 0:
        start = max(0, before - _LOOKED_THROUGH)
        logged = nexus.changes(start, before - start, most=_MOST_CHANGES)
        cut = (one.transaction.number for one in logged if len(one.changes) == _MOST_CHANGES)
        whole = {number: nexus.changes(number - 1, 1)[0] for number in cut}
        ids = closed_in([whole.get(one.transaction.number, one) for one in logged])
        since = logged[0].transaction.at if logged else 0
        dated = nexus.elements.look_up(ids, closed=True)
        lost = (dated[one] for one in dict.fromkeys(ids) if one in dated)
        ended = (one for one in lost if one.expired_at is not None and one.expired_at >= since)
        records = _records(nexus, ended, kind, past=True)[skipped:]
        if len(records) > (left := limit - len(found)):
            return [*found, *records[:left]], f"{_CLOSED}{before}.{skipped + left}"
        found += records
        before, skipped = start, 0
    return found, None


def _asked(nexus: Nexus, kind: str) -> str | None:
    """Return the question for the memories of a kind; None where there can be none."""
    if kind == "fact":
        return _LINKS
    named = [one.type for one in nexus.kinds.named(kind)]
    types = named if kind != PLAIN_KIND else free_types(nexus)
    if not types:
        return None
    first, *others = [f"?one {{type: {json.dumps(one)}}}" for one in types]
    return _NEWEST.format(first + "".join(f" UNION {{ {one} }}" for one in others))


def _about(
    nexus: Nexus, about: str, kind: str | None, *, past: bool
) -> tuple[list[MemoryRecord], tuple[Notice, ...]]:
    """Return what is held about a thing that is called so or has the id, and what may be it too.

    That is itself, its facts, and the claims, episodes and pieces that hold its name; of what is
    known by that name from these alone, these. NOT_FOUND where nothing is.
    """
    try:
        things, notices = things_called(nexus, about, past=past)
    except RecollectError:
        if nexus.elements.named(about) or not any(holding(nexus, about)):
            raise  # of several it is asked whom
        things, notices = {}, ()
    ids = dict.fromkeys(things)
    for end in ENDS:
        ids |= dict.fromkeys(one.link.id for one in nexus.joints.at(things, end, closed=past))
    for name in dict.fromkeys((about, *things.values(), *first_names(nexus, things))):
        ids |= dict.fromkeys(holding(nexus, name))
    held = nexus.elements.look_up(ids, closed=past).values()
    return sorted(_records(nexus, held, kind, past=past), key=_order, reverse=True), notices


def _order(one: MemoryRecord) -> str:
    """Return what memories about a thing are put in order by, which is the cursor after each.

    Of what was told at once the thing itself comes last.
    """
    return f"{one.expired_at is None:d}.{one.created_at or ''}.{one.kind != 'concept':d}.{one.id}"


def holding(nexus: Nexus, name: str) -> Iterator[str]:
    """Yield the ids of the claims, episodes and pieces whose words hold a whole name."""
    wanted = f" {' '.join(tokens(name))} "
    if not wanted.strip():
        return
    for type_ in (one.type for kind in _TEXTS for one in nexus.kinds.named(kind)):
        hits = nexus.search(name, "concept", type_, MOST).only(Hits)
        for element in (one.element for one in hits.hits if isinstance(one.element, Concept)):
            said = nexus.kinds.of(type_).line(element)
            if wanted in f" {' '.join(tokens(said))} ":
                yield element.id


def _records(
    nexus: Nexus, dated: Iterable[Dated], kind: str | None, as_of: AsOf | None = None, *, past: bool
) -> list[MemoryRecord]:
    """Return elements as memories, those of one kind if one is given, and what holds alone."""
    elements = [*dated]
    shown = ShownRecords.read(nexus, elements, as_of)
    kinds = (shown.kind(one.element) for one in elements)
    found = zip(elements, kinds, strict=True)
    records = (shown.record(one) for one, its in found if its and kind in (None, its))
    return [one for one in records if past or not one.standing]


def place_in(cursor: str | None) -> int:
    """Return where a page begins in a list that is read whole; INVALID_ARGUMENT for no cursor."""
    if cursor is None:
        return 0
    if cursor.isdecimal() and len(cursor) < 10:
        return int(cursor)
    raise _no_cursor()


def _no_cursor() -> RecollectError:
    return refused(
        "cursor is not one that an answer gave",
        "pass the cursor of the answer before, or leave it out",
    )
