"""What happened to all claims of a group, as a stream of events that can be taken up again.

The rule: the id of an event is its place in the change log, so the stream after an id is the same
for everyone, whenever it is asked for. A group that was deleted begins anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from recollect.errors import refused
from recollect.faces.claims.attention import EMPTY_EVIDENCE, REJECTED, choice_of
from recollect.faces.claims.model import ClaimEvent, checked_limit
from recollect.faces.claims.records import attention_code, claim_life, life_events
from recollect.kernel import Nexus
from recollect.model import Key, LoggedChange, LoggedTransaction, Operation
from recollect.node import dataclass

BEGINNING: Final = "0.0"
"""The id before the first event."""

_AT_ONCE: Final = 10  # transactions read together
_PLACES: Final = 4  # of one change, as many as the events it can mean

_REJECTIONS: Final = {Operation.CREATE: "added", Operation.CLOSE: "cleared"}
"""What has become of a refused claim; else somebody has put it aside."""

_Meant = tuple[str, str | None, str | None, ClaimEvent | None]
"""An event, the claim it is about, the fingerprint of the item, and what became of the claim."""

_Told = dict[str, Mapping[int, list[_Meant]]]
"""What the transactions meant for each claim."""


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """Something that happened: `knowledge.created`, `attention.added`, and so on."""

    id: str  # transaction.place
    event: str
    at: float  # seconds since 1970
    claim_id: str | None
    fingerprint: str | None = None  # of the item of attention
    change: ClaimEvent | None = None  # of the claim


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Some events, and the id to continue after; `is_last` if there are no more for now."""

    events: list[FeedEvent]
    after: str
    is_last: bool


def events_after(nexus: Nexus, after: str = BEGINNING, limit: int = 100) -> list[FeedEvent]:
    """Return the events after an id, oldest first.

    INVALID_ARGUMENT for anything but an id, and for one that no event has yet.
    """
    checked_limit(limit)
    found: list[FeedEvent] = []
    while len(found) < limit:
        page = page_after(nexus, after, limit - len(found))
        found += page.events
        if page.is_last:
            break
        after = page.after
    return found


def page_after(nexus: Nexus, after: str, limit: int) -> FeedPage:
    """Return the next events after an id, maybe none where the log has only other changes."""
    with nexus.snapshot():  # else a claim of the log could be purged before its history is read
        return _page(nexus, after, limit)


def _page(nexus: Nexus, after: str, limit: int) -> FeedPage:
    number, begin = place_of(after)
    logged = nexus.changes(max(0, number - 1), _AT_ONCE)
    if not logged and (number, begin) > place_of(present(nexus)):
        raise refused(
            f'the id "{after}" is later than the last event of the group',
            f'begin again at "{BEGINNING}"',
        )
    told: _Told = {}
    found: list[FeedEvent] = []
    for one in logged:
        if one.transaction.number != number:
            begin = 0
        for event in _events(nexus, one, begin, told):
            found.append(event)
            if len(found) == limit:
                return FeedPage(found, event.id, is_last=False)
        after = f"{one.transaction.number + 1}.0"
    return FeedPage(found, after, is_last=len(logged) < _AT_ONCE)


def present(nexus: Nexus) -> str:
    """Return the id after which nothing has happened yet."""
    return f"{nexus.stats().transactions + 1}.0"


def _events(
    nexus: Nexus, logged: LoggedTransaction, begin: int, told: _Told
) -> Iterator[FeedEvent]:
    """Yield the events of a transaction behind a place; each change has places of its own."""
    number, at = logged.transaction.number, logged.transaction.at / 1_000
    skipped = begin // _PLACES
    for position, change in enumerate(logged.changes[skipped:], skipped):
        for place, (event, claim_id, fingerprint, said) in enumerate(
            _changed(nexus, change, number, told), position * _PLACES + 1
        ):
            if place > begin:
                yield FeedEvent(f"{number}.{place}", event, at, claim_id, fingerprint, said)


def _changed(nexus: Nexus, change: LoggedChange, number: int, told: _Told) -> Sequence[_Meant]:
    """Return what one change of the log means, if it is about claims."""
    match change.what:
        case Key(type="Claim", name=name):
            if name not in told:
                told[name] = _meant(nexus, name)
            return told[name].get(number, ())
        case Key(type=kind, name=name) if kind == REJECTED:
            word = _REJECTIONS.get(change.operation, "set_aside")
            return [(f"attention.{word}", None, f"rejection:{name}:{EMPTY_EVIDENCE}", None)]
        case _:
            return ()


def _meant(nexus: Nexus, claim_id: str) -> Mapping[int, list[_Meant]]:
    """Return what the transactions of a claim's life meant, by their numbers."""
    found: defaultdict[int, list[_Meant]] = defaultdict(list)
    life = claim_life(nexus, claim_id)
    for one in life_events(nexus, claim_id, life):
        meant = found[one.transaction]
        meant.append((f"knowledge.{one.event.event}", claim_id, None, one.event))
        before, after = attention_code(one.before), attention_code(one.after)
        for word, code in (("cleared", before), ("added", after)):
            if code is not None:
                meant.append((f"attention.{word}", claim_id, f"claim:{claim_id}:{code}", None))
    for version in life.versions:
        chosen = None if version.after is None else choice_of(version.after.attributes)
        earlier = None if version.before is None else choice_of(version.before.attributes)
        if chosen is not None and chosen != earlier:
            meant = found[version.since.number]
            meant.append(("attention.set_aside", claim_id, str(chosen["fingerprint"]), None))
    return found


def place_of(after: object) -> tuple[int, int]:
    """Return the transaction and the place in it that an id names; INVALID_ARGUMENT for no id."""
    number, _, place = after.partition(".") if isinstance(after, str) else ("", "", "")
    parts = (number, place or "0")
    if not all(one.isascii() and one.isdecimal() and len(one) < 18 for one in parts):
        raise refused(
            f"{after!r:.40} is not the id of an event", f'pass "{BEGINNING}" for all of them'
        )
    return int(number), int(place or 0)
