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
from recollect.faces.claims.validation import refused
from recollect.kernel import Nexus
from recollect.model import Key, LoggedChange, LoggedTransaction, Operation

BEGINNING: Final = "0.0"
"""The id before the first event."""

_AT_ONCE: Final = 100  # transactions read together


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """Something that happened: `knowledge.created`, `attention.added`, and so on."""

    id: str  # transaction.place
    event: str
    at: float  # seconds since 1970
    claim_id: str | None
    fingerprint: str | None = None  # of the item of attention
    change: ClaimEvent | None = None  # of the claim


def events_after(nexus: Nexus, after: str = BEGINNING, limit: int = 100) -> list[FeedEvent]:
    """Return the events after an id, oldest first; INVALID_ARGUMENT for what is no id."""
    number, place = _read(after)
    found: list[FeedEvent] = []
    since = max(0, number - 1)
    told: dict[str, list[Told]] = {}
    while len(found) < limit:
        transactions = nexus.changes(since, _AT_ONCE)
        if not transactions:
            break
        for one in transactions:
            since = one.transaction.number
            events = [*_events(nexus, one, told)]
            found += events if since > number else events[place:]
    return found[:limit]


def _events(
    nexus: Nexus, logged: LoggedTransaction, told: dict[str, list[Told]]
) -> Iterator[FeedEvent]:
    number, at = logged.transaction.number, logged.transaction.at / 1_000
    place = 0
    for change in logged.changes:
        for event, claim_id, fingerprint, said in _changed(nexus, change, number, told):
            place += 1
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


def _read(after: str) -> tuple[int, int]:
    number, _, place = after.partition(".")
    if not (number.isdecimal() and (place or "0").isdecimal() and len(after) < 30):
        raise refused(f"{after!r:.40} is no id of an event", f'pass "{BEGINNING}" for all of them')
    return int(number), int(place or 0)
