"""The attention queue: what a person should look at among claims. Specification 002.

The rule: an item is computed from what the memory holds, so it is there for as long as its cause
is. What a person has put aside, by fingerprint, stays aside until its status or reason changes; the
choice is kept in the concept that it is about, so it is erased with it.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from recollect.errors import RESOURCE_NOT_FOUND, Hint, RecollectError, ToDo, not_among, refused
from recollect.faces.claims.lifecycle import TRANSITIONS
from recollect.faces.claims.model import (
    DISPUTED,
    HYPOTHESIS,
    INFERRED,
    OBSERVED,
    SUPERSEDED,
    VERIFIED,
    Actor,
    Claim,
    EvidenceRef,
    asked_time,
    checked_text,
    optional_text,
    storable,
)
from recollect.faces.claims.records import (
    ATTENTION_SINCE,
    SET_ASIDE,
    brought,
    cited_evidence,
    claim_of,
    claims_of,
    event_of,
    first_column,
    known_at,
    scope_text,
)
from recollect.faces.claims.writing import CONFLICTING_EVIDENCE, NEWER_OBSERVATION, USER_REJECTION
from recollect.kernel import Nexus, tokens
from recollect.model import (
    SEARCH_ATTRIBUTES,
    AsOf,
    Attributes,
    Change,
    Concept,
    Decision,
    Delete,
    Instant,
    Key,
    Present,
    PutConcept,
    Value,
    instant_text,
)
from recollect.node import dataclass, field, replace

UNVERIFIED_TOO_LONG: Final = "knowledge.stale.unverified_too_long"
EMPTY_EVIDENCE: Final = "knowledge.rejected.empty_evidence"

LOW_CONFIDENCE: Final = 0.5
"""The confidence below which a claim that nobody verifies grows stale."""

STALE_SECONDS: Final = 7 * 24 * 3600.0
"""How long a claim of low confidence may wait to be verified."""

REJECTED: Final = "RejectedClaim"

MOST_REJECTED: Final = 100
"""How many refused claims are remembered; the oldest makes room for the next."""

_LONGEST: Final = 1_000  # characters of a refused claim that are kept
_AT_ONCE: Final = 1_000  # transactions of the log
_FEW: Final = 200  # changes of one: what refuses a claim makes no more

_SEVERITIES: Final = {
    CONFLICTING_EVIDENCE: "warning",
    USER_REJECTION: "warning",
    NEWER_OBSERVATION: "warning",
    UNVERIFIED_TOO_LONG: "info",
    EMPTY_EVIDENCE: "info",
}
_ACTIONS: Final = {
    CONFLICTING_EVIDENCE: ("Review conflicting evidence", "verify", "supersede"),
    USER_REJECTION: ("Review conflicting evidence", "verify", "supersede"),
    NEWER_OBSERVATION: ("Review supersession",),
    UNVERIFIED_TOO_LONG: ("Verify or discard", "verify", "dispute"),
    EMPTY_EVIDENCE: ("Agent attempted knowledge write without evidence",),
}
_LEADS_TO: Final = {"verify": VERIFIED, "dispute": DISPUTED, "supersede": SUPERSEDED}

_ASKING = """
FIND(?claim) WHERE {
  ?claim {type: "Claim"}
  FILTER(?claim.attributes.attention_code == $code)
}
"""
_STALE = """
FIND(?claim) WHERE {
  ?claim {type: "Claim"}
  FILTER(?claim.attributes.confidence < $confidence)
  FILTER(?claim.attributes.created_at <= $until)
  FILTER(IN(?claim.attributes.claim_status, $waiting))
}
"""
_REJECTIONS = 'FIND(?rejected) WHERE { ?rejected {type: "RejectedClaim"} }'
_LATER: Final = Hint("pass until=time.time() + 86400", ToDo.NAME_LATER)
_ALL: Final = Hint("list the items: store.attention()", ToDo.LIST_ATTENTION)
_NOT_SEARCHED: Final[Attributes] = {SEARCH_ATTRIBUTES: False}


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """Something a person should look at."""

    id: str
    fingerprint: str  # claim:<id>:<code>: the same for as long as the cause is
    severity: str  # warning | info
    entity_type: str  # claim | rejection
    entity_id: str
    status: str
    code: str  # the reason, as a word
    reason: str  # the reason, in words
    text: str  # what the claim says, or what was to be one
    evidence: tuple[EvidenceRef, ...]
    cluster: str  # what it shares with others: the code and the scope
    cluster_size: int
    first_seen: float  # seconds since 1970
    actions: tuple[str, ...]  # what one may do, the main one first
    sequence: int = field(default=0, repr=False)  # of the claim's last event


_Asking = tuple[AttentionItem, Mapping[str, Value] | None]
"""An item, and the last choice that a person made about the same thing."""


class AttentionQueue:
    """What about the claims of one group asks for attention."""

    def __init__(self, nexus: Nexus) -> None:
        self._nexus = nexus

    def items(self, *, aside: bool = False, as_of: AsOf | None = None) -> list[AttentionItem]:
        """Return the items of one state of the memory, warnings first, then the oldest first.

        With `aside` those that were dismissed or snoozed are there too. As of another moment they
        are what asked for attention then.
        """
        with self._nexus.snapshot():
            now = known_at(self._nexus, as_of) / 1_000
            asking = [*self._asking(as_of), *self._stale(now, as_of), *self._rejections(as_of)]
        found = [one for one, choice in asking if aside or not _is_aside(one, choice, now)]
        sizes = Counter(one.cluster for one in found)
        found = [replace(one, cluster_size=sizes[one.cluster]) for one in found]
        return sorted(
            found, key=lambda one: (one.severity != "warning", one.first_seen, one.fingerprint)
        )

    def dismiss(self, fingerprint: str, actor: Actor) -> None:
        """Put an item aside until its status or reason changes."""
        self._choose(fingerprint, None, actor)

    def snooze(self, fingerprint: str, until: float | str, actor: Actor) -> None:
        """Put an item aside until a time in seconds, or until its status or reason changes.

        INVALID_ARGUMENT for a time that is not after now.
        """
        until = asked_time(until, "until")
        if until <= self._nexus.now() / 1_000:
            at = instant_text(Instant(int(until * 1_000)))
            raise refused(f"until is {at}, which is not after now", _LATER)
        self._choose(fingerprint, until, actor)

    def bring_back(self, fingerprint: str, actor: Actor) -> None:
        """Let an item that was put aside ask again: aside until now, which is over."""
        self._choose(fingerprint, self._nexus.now() / 1_000, actor)

    def reject(self, text: object, actor: Actor) -> str:
        """Record that a claim without evidence was to be written; return its fingerprint.

        The same text by the same actor is one item; beyond `MOST_REJECTED` the oldest goes.
        """
        said: dict[str, Value] = {
            "text": storable(str(text)[:_LONGEST]),
            "code": EMPTY_EVIDENCE,
            "at": self._nexus.now() / 1_000,
            "actor_type": actor.actor_type,
            "actor_id": actor.actor_id,
            "session_id": actor.session_id,
            "branch_id": actor.branch_id,
        }
        kept = {key: value for key, value in said.items() if value is not None}
        with self._nexus.transaction():
            waiting = self._concepts(_REJECTIONS, {}, None)
            again = {key: kept.get(key) for key in ("text", "actor_type", "actor_id")}
            same = [one for one in waiting if again == {k: one.attributes.get(k) for k in again}]
            name = same[0].name if same else str(uuid.uuid4())
            if not same:
                waiting.sort(key=_at)
                oldest = waiting[: max(0, len(waiting) + 1 - MOST_REJECTED)]
                change = PutConcept(REJECTED, name, kept, _NOT_SEARCHED, id=name)
                gone = [Delete(one.id) for one in oldest]
                self._nexus.write([*gone, change], actor=actor.name)
        return f"rejection:{name}:{EMPTY_EVIDENCE}"

    def refused(self, phrases: Iterable[str]) -> list[str]:
        """Return the ids of what was ever refused with some words in it. Cost: the whole log."""
        nexus, since = self._nexus, 0
        wanted = {f" {' '.join(tokens(one[:_LONGEST]))} " for one in phrases} - {"  "}
        ids: list[str] = []
        while logged := nexus.changes(since, _AT_ONCE, most=_FEW):
            since = logged[-1].transaction.number
            told = ((one.id, one.what) for each in logged for one in each.changes)
            ids += [id for id, what in told if isinstance(what, Key) and what.type == REJECTED]
        held = nexus.elements.look_up(dict.fromkeys(ids), closed=True)
        texts = ((id, tokens(str(one.element.attributes.get("text")))) for id, one in held.items())
        said = ((id, f" {' '.join(words)} ") for id, words in texts)
        return [id for id, text in said if any(one in text for one in wanted)]

    def _choose(self, fingerprint: str, until: float | None, actor: Actor) -> None:
        checked_text(fingerprint, "fingerprint")
        items = {one.fingerprint: one for one in self.items(aside=True)}
        item = items.get(fingerprint)
        if item is None:
            raise _nothing(fingerprint, items)
        choice: dict[str, Value] = {
            "fingerprint": fingerprint,
            "choice": "dismissed" if until is None else "snoozed",
            "until": until,
            "status": item.status,
            "sequence": item.sequence,
            "actor_id": optional_text(actor.actor_id, "actor_id"),
        }

        def choose(present: Present) -> list[Change]:
            held = present.elements.get(item.entity_id)
            if not isinstance(held, Concept):
                raise _nothing(fingerprint, ())  # it was purged meanwhile
            return [PutConcept(held.type, held.name, {SET_ASIDE: choice})]

        self._nexus.write(Decision([item.entity_id], choose), actor=actor.name)

    def _asking(self, as_of: AsOf | None) -> Iterator[_Asking]:
        """Yield the claims whose last transition asks for attention."""
        for code in (CONFLICTING_EVIDENCE, USER_REJECTION, NEWER_OBSERVATION):
            concepts = self._concepts(_ASKING, {"code": code}, as_of)
            cited = cited_evidence(self._nexus, [one.id for one in concepts], as_of)
            for concept in concepts:
                claim = claim_of(concept.id, concept.attributes, cited)
                said = event_of(concept.attributes)
                evidence = brought(concept.id, said, cited) or claim.evidence
                reason = str(said.get("reason") or "it was verified, and is disputed")
                if code == NEWER_OBSERVATION:
                    reason += ", which is less certain"
                since = concept.attributes.get(ATTENTION_SINCE)
                first_seen = float(since) if isinstance(since, int | float) else claim.created_at
                item = _item(concept, claim, code, reason, evidence, first_seen)
                yield item, choice_of(concept.attributes)

    def _stale(self, now: float, as_of: AsOf | None) -> Iterator[_Asking]:
        """Yield the claims of low confidence that have gone unverified for long."""
        parameters: dict[str, Value] = {
            "confidence": LOW_CONFIDENCE,
            "until": now - STALE_SECONDS,
            "waiting": [OBSERVED, INFERRED, HYPOTHESIS],
        }
        concepts = self._concepts(_STALE, parameters, as_of)
        claims = claims_of(self._nexus, concepts, as_of)
        for concept, claim in zip(concepts, claims, strict=True):
            days = int((now - claim.created_at) // 86_400)
            reason = f"confidence {claim.confidence:g}, and not verified for {days} days"
            first_seen = claim.created_at + STALE_SECONDS
            code = UNVERIFIED_TOO_LONG
            item = _item(concept, claim, code, reason, claim.evidence, first_seen)
            yield item, choice_of(concept.attributes)

    def _rejections(self, as_of: AsOf | None) -> Iterator[_Asking]:
        for concept in self._concepts(_REJECTIONS, {}, as_of):
            said = concept.attributes
            fingerprint = f"rejection:{concept.name}:{EMPTY_EVIDENCE}"
            by = said.get("actor_id") or said.get("actor_type")
            item = AttentionItem(
                id=_item_id(fingerprint),
                fingerprint=fingerprint,
                severity=_SEVERITIES[EMPTY_EVIDENCE],
                entity_type="rejection",
                entity_id=concept.name,
                status="rejected",
                code=EMPTY_EVIDENCE,
                reason=f"{by} attempted to write it without evidence",
                text=str(said.get("text", "")),
                evidence=(),
                cluster=EMPTY_EVIDENCE,
                cluster_size=1,
                first_seen=_at(concept),
                actions=_ACTIONS[EMPTY_EVIDENCE],
            )
            yield item, choice_of(said)

    def _concepts(
        self, text: str, parameters: dict[str, Value], as_of: AsOf | None
    ) -> list[Concept]:
        found = first_column(self._nexus, text, parameters, as_of)
        return [one for one in found if isinstance(one, Concept)]


def _item(
    concept: Concept,
    claim: Claim,
    code: str,
    reason: str,
    evidence: Sequence[EvidenceRef],
    first_seen: float,
) -> AttentionItem:
    fingerprint = f"claim:{claim.id}:{code}"
    scope = scope_text(claim.scope_type, claim.scope_id)
    sequence = event_of(concept.attributes).get("sequence")
    return AttentionItem(
        id=_item_id(fingerprint),
        fingerprint=fingerprint,
        severity=_SEVERITIES[code],
        entity_type="claim",
        entity_id=claim.id,
        status=claim.claim_status,
        code=code,
        reason=reason,
        text=claim.text,
        evidence=tuple(evidence),
        cluster=code if scope is None else f"{code} in {scope}",
        cluster_size=1,
        first_seen=first_seen,
        actions=_actions(code, claim.claim_status),
        sequence=sequence if isinstance(sequence, int) else 0,
    )


def _actions(code: str, status: str) -> tuple[str, ...]:
    """Return what one may do about a claim: the main one, then what its status allows."""
    main, *others = _ACTIONS[code]
    return (main, *(one for one in others if _LEADS_TO[one] in TRANSITIONS[status]))


def _nothing(fingerprint: str, fingerprints: Collection[str]) -> RecollectError:
    message = f'nothing with the fingerprint "{fingerprint}" asks for attention'
    return not_among(message, fingerprint, fingerprints, 'use "{}"', _ALL, RESOURCE_NOT_FOUND)


def choice_of(attributes: Attributes) -> Mapping[str, Value] | None:
    """Return what a person chose last about a claim, or one that was refused, if anything."""
    choice = attributes.get(SET_ASIDE)
    return choice if isinstance(choice, dict) else None


def _is_aside(item: AttentionItem, choice: Mapping[str, Value] | None, now: float) -> bool:
    """Whether an item was put aside, and is still what it was then."""
    if choice is None or choice.get("fingerprint") != item.fingerprint:
        return False
    if (choice.get("status"), choice.get("sequence")) != (item.status, item.sequence):
        return False
    until = choice.get("until")
    return not isinstance(until, int | float) or now < until


def _at(rejected: Concept) -> float:
    """Return when a claim was refused first."""
    at = rejected.attributes.get("at")
    return float(at) if isinstance(at, int | float) else 0.0


def _item_id(fingerprint: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, fingerprint))
