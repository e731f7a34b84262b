"""What happened to claims, read from the change log.

The rule: a version of a claim's concept is an event if its attribute `event` differs from the
version before; the transaction that wrote it says when.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import cast

from recollect.errors import NOT_FOUND, RESOURCE_NOT_FOUND, Hint, RecollectError, ToDo
from recollect.faces.beginnings import whole_id
from recollect.faces.claims.model import ClaimEvent, EvidenceRef
from recollect.faces.claims.records import (
    ATTENTION,
    CLAIM,
    CONTRADICTED_BY,
    STATUS,
    SUPPORTED_BY,
    Cited,
    brought,
    event_of,
    evidence_ref,
)
from recollect.faces.claims.validation import checked_id
from recollect.kernel import Nexus
from recollect.model import AsOf, Attributes, Instant, Key, Life, Value
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event of a claim with what the graph held then."""

    event: ClaimEvent
    transaction: int
    before: Attributes  # of the claim; empty: it was created
    after: Attributes

    def is_known(self, as_of: AsOf) -> bool:
        """Whether it had happened when the memory stood as a moment says."""
        if as_of.transaction is not None:
            return self.transaction <= as_of.transaction
        return as_of.known is None or self.event.at * 1_000 <= as_of.known


def no_claim(claim_id: str) -> RecollectError:
    """Return the error for an id that no claim has."""
    return RecollectError(
        RESOURCE_NOT_FOUND,
        f'no claim has the id "{claim_id}"',
        hint=Hint("list them: store.list()", ToDo.LIST_CLAIMS),
        details={"claim_id": claim_id},
    )


def known_at(nexus: Nexus, as_of: AsOf | None) -> Instant:
    """Return the instant until which a moment knows; now for the present."""
    if as_of is None or (as_of.known is None and as_of.transaction is None):
        return nexus.now()
    if as_of.known is not None:
        return as_of.known
    assert as_of.transaction is not None
    last = nexus.stats().transactions
    number = min(as_of.transaction, last)
    logged = nexus.changes(number - 1, 1, most=0) if number else ()
    return logged[0].transaction.at if logged else Instant(0)


def claim_life(nexus: Nexus, claim_id: str) -> Life:
    """Return the life of a claim's concept; NOT_FOUND if there is no such claim."""
    try:
        lives = nexus.history(Key(CLAIM, claim_id))
    except RecollectError as error:
        if error.code is not NOT_FOUND:
            raise
        raise no_claim(claim_id) from error
    return lives[-1]


def claim_events(nexus: Nexus, claim_id: str, as_of: AsOf | None = None) -> list[ToldEvent]:
    """Return what happened to a claim, oldest first; as of a moment, what had happened by then."""
    claim_id = whole_id(nexus, checked_id(claim_id))
    told = told_of(nexus, claim_id, claim_life(nexus, claim_id))
    return told if as_of is None else [one for one in told if one.is_known(as_of)]


def told_of(nexus: Nexus, claim_id: str, life: Life) -> list[ToldEvent]:
    """Return what happened to a claim in its life, oldest first."""
    cited = cited_evidence(nexus, [life.id], _last_moment(life))
    return [
        ToldEvent(
            _event(claim_id, at, before, after, brought(life.id, event_of(after), cited)),
            transaction,
            before,
            after,
        )
        for transaction, at, before, after in _steps(life)
    ]


def cited_evidence(nexus: Nexus, ids: Collection[str], as_of: AsOf | None = None) -> Cited:
    """Return what claims cite, as their links say; what was erased is left out.

    An equal piece of evidence that another claim has cited since does not count.
    """
    cites = (SUPPORTED_BY, CONTRADICTED_BY)
    cited: dict[tuple[str, str], dict[str, EvidenceRef]] = {}
    for one in nexus.concepts.joints(ids, "subject", cites, as_of=as_of):
        if one.far is not None:
            of_claim = cited.setdefault((one.link.subject, one.key), {})
            of_claim[one.far.name] = evidence_ref(one.far.attributes)
    return cited


def _last_moment(life: Life) -> AsOf | None:
    """Return when a claim that is deleted was last there, with its links; None for one that is."""
    end = life.versions[-1]
    if end.after is not None:
        return None
    return AsOf(transaction=end.since.number - 1)


def _steps(life: Life) -> Iterator[tuple[int, float, Attributes, Attributes]]:
    """Yield the versions that an event wrote: transaction, seconds, before and after."""
    for version in life.versions:
        before: Attributes = {} if version.before is None else version.before.attributes
        if version.after is None:
            continue
        after = version.after.attributes
        if event_of(before) != event_of(after):
            yield version.since.number, version.since.at / 1_000, before, after


def _event(
    claim_id: str, at: float, before: Attributes, after: Attributes, evidence: list[EvidenceRef]
) -> ClaimEvent:
    said = event_of(after)
    return ClaimEvent(
        sequence=cast(int, said["sequence"]),
        claim_id=claim_id,
        event=str(said["event"]),
        from_status=_text(before.get(STATUS)),
        to_status=str(after[STATUS]),
        at=at,
        actor_type=str(said["actor_type"]),
        actor_id=_text(said.get("actor_id")),
        session_id=_text(said.get("session_id")),
        branch_id=_text(said.get("branch_id")),
        evidence=evidence,
        reason=_text(said.get("reason")),
    )


def attention_code(attributes: Attributes) -> str | None:
    """Return why a claim asks for attention since its last transition, if it does."""
    return _text(attributes.get(ATTENTION))


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None
