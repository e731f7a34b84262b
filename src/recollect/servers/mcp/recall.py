"""Recall: what a question in plain words is about, best first, with clocks and sources.

The rule: one search of the memory finds all kinds, so that their scores can be compared; an
answer keeps to its limit and its tokens, and a cursor leads to the rest, of the same moment.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Final, cast

from recollect.errors import INVALID_ARGUMENT, Notice, RecollectError
from recollect.faces.claims import ACTIVE
from recollect.faces.kip.as_of import read_as_of
from recollect.kernel import Nexus
from recollect.model import PLAIN_KIND, AsOf, ElementKind, Hit, Hits, Instant
from recollect.servers.mcp.fence import NOTE, json_line
from recollect.servers.mcp.inputs import KINDS, Kind, Recall
from recollect.servers.mcp.outputs import Members, Memories, Recalled
from recollect.servers.mcp.shown import claims_among, ends_of, kind_of, shown

LIMIT: Final = 10
MAX_TOKENS: Final = 2_000
BYTES_OF_TOKEN: Final = 3  # about: four of English, three of Chinese

_PAGES: Final = 8  # of hits, read for one answer
_LEAST: Final = 50  # hits of a page, where some are not of the kinds that are wanted
_PACKED: Final = re.compile(r"(-?\d{1,18}),(null|-?\d{1,18}),(null|\d{1,18}):(.+)")


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    kinds: tuple[Kind, ...]
    moment: AsOf
    cursor: str | None


@dataclass(frozen=True, slots=True)
class _Page:
    hits: tuple[Hit, ...]
    next_cursor: str | None
    notices: tuple[Notice, ...]


def recall(nexus: Nexus, given: Recall) -> Memories:
    """Return the memories a question is about, and the cursor of those that are left."""
    asked = _question(nexus, given)
    limit, tokens = given.get("limit", LIMIT), given.get("max_tokens", MAX_TOKENS)
    found: list[Recalled] = []
    notices: tuple[Notice, ...] = ()
    cursor, room = asked.cursor, tokens * BYTES_OF_TOKEN
    for _ in range(_PAGES):
        page = _page(nexus, asked, cursor, _size(asked, limit - len(found)))
        notices = page.notices
        taken, room = _take(nexus, asked, page, found, limit, room)
        if taken < len(page.hits):
            cursor = _page(nexus, asked, cursor, taken).next_cursor if taken else cursor
            break
        cursor = page.next_cursor
        if cursor is None or len(found) == limit:
            break
    answer = Memories(note=NOTE, memories=found)
    if cursor is not None:
        answer["next_cursor"] = _packed(cursor, asked.moment)
    if notices:
        answer["warnings"] = [cast("Members", one.to_wire()) for one in notices]
    return answer


def _take(
    nexus: Nexus, asked: _Question, page: _Page, found: list[Recalled], limit: int, room: int
) -> tuple[int, int]:
    """Add what fits of a page; return how many hits were looked at, and the bytes left."""
    elements = [hit.element for hit in page.hits]
    ends = ends_of(nexus, elements, asked.moment)
    claims = claims_among(nexus, elements, asked.moment)
    dated = nexus.look_up([one.id for one in elements], as_of=asked.moment)
    now = nexus.now()
    for place, hit in enumerate(page.hits):
        kind, identifier = kind_of(nexus.kinds, hit.element, ends), hit.element.id
        if kind is None or kind not in asked.kinds or identifier not in dated:
            continue
        claim = claims.get(identifier)
        if claim is not None and claim.claim_status not in ACTIVE:
            continue
        if len(found) == limit:
            return place, room
        memory = shown(nexus.kinds, kind, dated[identifier], ends, now, claim)
        memory["score"] = round(hit.score, 4)
        room -= len(json_line(memory).encode())
        if room < 0 and found:
            return place, room
        found.append(memory)
    return len(page.hits), room


def _question(nexus: Nexus, given: Recall) -> _Question:
    text, kinds = given["question"], tuple(dict.fromkeys(given.get("kinds") or KINDS))
    if not text.strip():
        raise RecollectError(
            INVALID_ARGUMENT, "question is blank", hint="ask in plain words: Where does Ann work?"
        )
    if "cursor" in given:
        if "as_of" in given:
            raise RecollectError(
                INVALID_ARGUMENT,
                "as_of is given with a cursor, which keeps the time of its first page",
                hint="leave as_of out",
            )
        cursor, moment = _unpacked(given["cursor"])
        return _Question(text, kinds, moment, cursor)
    asked = read_as_of(given.get("as_of")) or AsOf()
    valid = nexus.now() if asked.valid is None else asked.valid
    return _Question(text, kinds, replace(asked, valid=valid), None)


def _page(nexus: Nexus, asked: _Question, cursor: str | None, size: int) -> _Page:
    kind: ElementKind | None = None
    type_: str | None = None
    match asked.kinds:
        case ("fact",):
            kind = ElementKind.LINK
        case (str() as one,) if one != "fact":
            kind, named = ElementKind.CONCEPT, nexus.kinds.named(one)
            type_ = named[0].type if one != PLAIN_KIND and len(named) == 1 else None
    answer = nexus.search(
        asked.text,
        kind,
        type_,
        size,
        mode=None if nexus.vectors.model is None else "hybrid",
        cursor=cursor,
        as_of=asked.moment if cursor is None else None,
    )
    (hits,) = answer.results
    assert isinstance(hits, Hits)
    return _Page(hits.hits, hits.next_cursor, answer.notices)


def _size(asked: _Question, wanted: int) -> int:
    is_mixed = len(asked.kinds) < len(KINDS) and asked.kinds not in (("episode",), ("piece",))
    return max(wanted, _LEAST) if is_mixed else wanted


def _packed(cursor: str, moment: AsOf) -> str:
    """Return a cursor that keeps the moment of its first page."""
    parts = [moment.valid, moment.known, moment.transaction]
    return f"{json.dumps(parts, separators=(',', ':'))[1:-1]}:{cursor}"


def _unpacked(packed: str) -> tuple[str, AsOf]:
    if match := _PACKED.fullmatch(packed):
        valid, known, transaction, cursor = match.groups()
        then = None if known == "null" else Instant(int(known))
        number = None if transaction == "null" else int(transaction)
        return cursor, AsOf(Instant(int(valid)), then, number)
    raise RecollectError(
        INVALID_ARGUMENT,
        "cursor is not a next_cursor that this tool gave",
        hint="pass the next_cursor of the answer before, or leave it out",
    )
