"""What happened to all claims of a group, as a stream of events that can be taken up again.

The rule: the id of an event is its place in the change log, so the stream after an id is the same
for everyone, whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.faces.claims.attention import CHOICE, EMPTY_EVIDENCE, REJECTED
from recollect.faces.claims.model import ClaimEvent
from recollect.faces.claims.past import Told, attention_code, claim_events
from recollect.faces.claims.records import CLAIM
from recollect.faces.claims.validation import checked_limit, refused
from recollect.kernel import Nexus
from recollect.model import Key, LoggedChange, LoggedTransaction, Operation

BEGINNING: Final = "0.0"
"""The id before the first event."""

_AT_ONCE: Final = 10  # transactions read together
_PLACES: Final = 4  # of one change, more than the events it can mean


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
    """Some events, and the id to go on after; `is_last` when there is no more for now."""

    events: list[FeedEvent]
    after: str
    is_last: bool


def events_after(nexus: Nexus, after: str = BEGINNING, limit: int = 100) -> list[FeedEvent]:
    """Return the events after an id, oldest first; INVALID_ARGUMENT for what is no id."""
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
    told: dict[str, list[Told]] = {}
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
    nexus: Nexus, logged: LoggedTransaction, begin: int, told: dict[str, list[Told]]
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


def _changed(
    nexus: Nexus, change: LoggedChange, number: int, told: dict[str, list[Told]]
) -> Iterator[tuple[str, str | None, str | None, ClaimEvent | None]]:
    """Yield what one change of the log means, if it is about claims."""
    match change.what:
        case Key(type="Claim", name=name):
            if name not in told:
                told[name] = claim_events(nexus, name)
            for one in told[name]:
                if one.transaction != number:
                    continue
                yield f"knowledge.{one.event.event}", name, None, one.event
                before, after = attention_code(one.before), attention_code(one.after)
                for word, code in (("cleared", before), ("added", after)):
                    if code is not None:
                        yield f"attention.{word}", name, f"{CLAIM.lower()}:{name}:{code}", None
        case Key(type=kind, name=name) if kind == REJECTED and change.operation is Operation.CREATE:
            yield "attention.added", None, f"rejection:{name}:{EMPTY_EVIDENCE}", None
        case Key(type=kind, name=name) if kind == CHOICE:
            yield "attention.set_aside", None, name, None
        case _:
            return


def place_of(after: object) -> tuple[int, int]:
    """Return the transaction and the place in it that an id names; INVALID_ARGUMENT for no id."""
    number, _, place = after.partition(".") if isinstance(after, str) else ("", "", "")
    parts = (number, place or "0")
    if not all(one.isascii() and one.isdecimal() and len(one) < 18 for one in parts):
        raise refused(f"{after!r:.40} is no id of an event", f'pass "{BEGINNING}" for all of them')
    return int(number), int(place or 0)
