"""Claims written and moved through their lifecycle, each call one transaction.

The rule: a change goes ahead only on the version of the claim that was looked at; when another
call was faster it is decided anew. So no event is lost, and none is built on what is no longer so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType
from typing import Final, TypeVar

from recollect.errors import CONFLICT, DUPLICATE_EXISTS, VERSION_CONFLICT, RecollectError
from recollect.faces.claims.acting import Actor
from recollect.faces.claims.lifecycle import check_expected, check_transition
from recollect.faces.claims.model import Claim, EvidenceRef, check_claims, given_evidence
from recollect.faces.claims.past import claim_life, evidence_by_name, no_claim
from recollect.faces.claims.reading import claim_concept, is_claim
from recollect.faces.claims.records import (
    ATTENTION,
    ATTENTION_SINCE,
    CLAIM,
    CONTRADICTED_BY,
    EVENT,
    INDEXED,
    STATUS,
    SUPERSEDED_BY,
    SUPERSEDES,
    SUPPORTED_BY,
    Step,
    claim_of,
    event_of,
    evidence_changes,
    evidence_names,
    new_claim,
)
from recollect.faces.claims.validation import checked_text, optional_text, refused
from recollect.faces.claims.words import (
    DISPUTED,
    STATUSES,
    SUPERSEDED,
    USER_KINDS,
    VERIFIED,
    known_word,
)
from recollect.kernel import Nexus
from recollect.model import Attributes, Change, Concept, Key, PutConcept, PutLink, Rows, Value

ResultT = TypeVar("ResultT")

CONFLICTING_EVIDENCE: Final = "knowledge.disputed.conflicting_evidence"
USER_REJECTION: Final = "knowledge.disputed.user_rejection"
NEWER_OBSERVATION: Final = "knowledge.superseded.newer_observation"

_VERSIONED = """
FIND(?claim, ?version) WHERE {
  ?claim {type: "Claim", name: $id}
  META(?claim, "_version", ?version)
}
"""


class Writer:
    """Writes the claims of one group."""

    def __init__(self, nexus: Nexus) -> None:
        self._nexus = nexus
        self._is_prepared = False

    def write(self, claims: Sequence[Claim], actor: Actor) -> list[str]:
        """Keep claims, all or none, and return their ids.

        What is there already with the same content stays as it is; CONFLICT for another content.
        """
        check_claims(claims)
        self.prepare()
        return _retried(lambda: self._write(claims, actor))

    def transition(
        self,
        claim_id: str,
        new_status: str,
        evidence: Sequence[EvidenceRef] | None,
        reason: str | None,
        actor: Actor,
        expected_status: str | None = None,
    ) -> None:
        """Move a claim to another status; CONFLICT for one that may not follow its own."""
        checked_text(claim_id, "claim_id")
        known_word(new_status, STATUSES, "new_status")
        given, reason = given_evidence(evidence), optional_text(reason, "reason")
        self.prepare()

        def move() -> None:
            held, version = self._versioned(claim_id)
            status = str(held.attributes[STATUS])
            check_expected(claim_id, status, expected_status)
            check_transition(claim_id, status, new_status)
            step = Step(_sequence(held) + 1, new_status, actor, given, reason)
            changes: list[Change] = [
                self._moved(held, version, new_status, step, _attention(status, step))
            ]
            predicate = CONTRADICTED_BY if new_status == DISPUTED else SUPPORTED_BY
            changes += evidence_changes(held.id, predicate, given, step.sequence)
            self._nexus.write(changes, actor=actor.name)

        _retried(move)

    def supersede(
        self, old_id: str, new_id: str, actor: Actor, expected_status: str | None = None
    ) -> None:
        """Let a claim take the place of another, in both directions.

        CONFLICT where the other is superseded already, or would come to stand for itself.
        """
        checked_text(old_id, "old_id")
        checked_text(new_id, "new_id")
        if old_id == new_id:
            raise refused(f'the claim "{old_id}" cannot supersede itself', "name a newer claim")
        self.prepare()

        def replace() -> None:
            old, old_version = self._versioned(old_id)
            new, new_version = self._versioned(new_id)
            status = str(old.attributes[STATUS])
            check_expected(old_id, status, expected_status)
            check_transition(old_id, status, SUPERSEDED)
            self._refuse_circle(old_id, new)
            step = Step(_sequence(old) + 1, SUPERSEDED, actor, reason=f"superseded by {new_id}")
            is_weaker = _confidence(new) < _confidence(old)
            code = NEWER_OBSERVATION if is_weaker else None
            more = {SUPERSEDED_BY: new_id, "superseded_in_show": actor.show_id}
            changes: list[Change] = [self._moved(old, old_version, SUPERSEDED, step, code, more)]
            named: Attributes = {SUPERSEDES: old_id}
            changes.append(PutConcept(CLAIM, new_id, named, expect_version=new_version))
            changes.append(PutLink(Key(CLAIM, new_id), SUPERSEDES, Key(CLAIM, old_id), _of(step)))
            self._nexus.write(changes, actor=actor.name)

        _retried(replace)

    def prepare(self) -> None:
        """Declare what claims are found by, in a group that does not have it yet."""
        if self._is_prepared:
            return
        declared = {(one.type, one.attribute) for one in self._nexus.indexes()}
        missing = [one for one in INDEXED if one not in declared]
        if missing:
            with self._nexus.transaction():
                for kind, attribute in missing:
                    self._nexus.add_index(kind, attribute)
        self._is_prepared = True

    def _write(self, claims: Sequence[Claim], actor: Actor) -> list[str]:
        """Keep what is new; of a single claim the write itself finds out whether it is."""
        now = self._nexus.now() / 1_000
        if len(claims) != 1 or not self._is_kept(claims[0], actor, now):
            held = self._nexus.look_up([claim.id for claim in claims])
            new: dict[str, Claim] = {}
            for claim in claims:
                if claim.id in held and not is_claim(held[claim.id].element):
                    raise _taken(claim.id, "something that is no claim")
                if claim.id in held or claim.id in new:
                    self._refuse_other(claim, new.get(claim.id))
                else:
                    new[claim.id] = claim
            changes: list[Change] = []
            for number, claim in enumerate(new.values()):
                changes += self._changes(claim, actor, now, new, f"{number}:")
            if changes:
                changes.sort(key=lambda one: isinstance(one, PutLink))  # ends come first
                self._nexus.write(changes, actor=actor.name)
        return [claim.id for claim in claims]

    def _is_kept(self, claim: Claim, actor: Actor, now: float) -> bool:
        try:
            self._nexus.write(self._changes(claim, actor, now, {}, ""), actor=actor.name)
        except RecollectError as error:
            if error.code not in (VERSION_CONFLICT, DUPLICATE_EXISTS):
                raise
            return False
        return True

    def _changes(
        self, claim: Claim, actor: Actor, now: float, beside: Mapping[str, Claim], prefix: str
    ) -> list[Change]:
        changes = new_claim(claim, actor, claim.created_at or now, prefix)
        older = claim.supersedes
        if older is None or older == claim.id:
            return changes
        if older in beside or claim_concept(self._nexus, older) is not None:
            changes.append(PutLink(Key(CLAIM, claim.id), SUPERSEDES, Key(CLAIM, older)))
        return changes

    def _refuse_other(self, claim: Claim, told: Claim | None) -> None:
        """Raise CONFLICT for a claim whose id another one has, as it was first told."""
        if told is None:
            version = claim_life(self._nexus, claim.id).versions[0]
            assert version.after is not None
            said = version.after.attributes
            evidence = evidence_by_name(self._nexus, set(evidence_names(said)))
            told = claim_of(claim.id, said, evidence)
        if _content(claim, told.created_at) != _content(told):
            raise _taken(claim.id, "another claim")

    def _versioned(self, claim_id: str) -> tuple[Concept, int]:
        (rows,) = self._nexus.read(_VERSIONED, {"id": claim_id}).results
        assert isinstance(rows, Rows)
        if not rows.rows:
            raise no_claim(claim_id)
        concept, version = rows.rows[0]
        assert isinstance(concept, Concept)
        assert isinstance(version, int)
        return concept, version

    def _moved(
        self,
        held: Concept,
        version: int,
        status: str,
        step: Step,
        code: str | None,
        more: Mapping[str, Value] = MappingProxyType({}),
    ) -> PutConcept:
        """Return the change of a claim's status; `code` is why it asks for attention now."""
        attributes: dict[str, Value] = {STATUS: status, EVENT: step.attribute()}
        attributes |= {key: value for key, value in more.items() if value is not None}
        if code is not None or held.attributes.get(ATTENTION) is not None:
            since = None if code is None else self._nexus.now() / 1_000
            attributes |= {ATTENTION: code, ATTENTION_SINCE: since}
        return PutConcept(CLAIM, held.id, attributes, expect_version=version)

    def _refuse_circle(self, old_id: str, new: Concept) -> None:
        """Raise CONFLICT for a claim that the older one has taken the place of."""
        place: Concept | None = new
        while place is not None:
            follower = place.attributes.get(SUPERSEDED_BY)
            if follower == old_id:
                raise RecollectError(
                    CONFLICT,
                    f'the claim "{new.id}" was itself superseded by "{old_id}"',
                    hint="write a new claim",
                )
            is_named = isinstance(follower, str)
            place = claim_concept(self._nexus, str(follower)) if is_named else None


def _taken(claim_id: str, by: str) -> RecollectError:
    return RecollectError(
        CONFLICT,
        f'the id "{claim_id}" is that of {by}',
        hint="write it under another id",
        details={"claim_id": claim_id},
    )


def _content(claim: Claim, created_at: float = 0.0) -> list[object]:
    """Return all that a claim says; `created_at` is its time where it names none."""
    told = {one.name: getattr(claim, one.name) for one in fields(Claim)}
    return [*(told | {"created_at": claim.created_at or created_at}).values()]


def _attention(status: str, step: Step) -> str | None:
    """Return why the new status asks for attention: a verified claim that is disputed does."""
    if (status, step.event) != (VERIFIED, DISPUTED):
        return None
    kinds = {one.kind for one in step.evidence}
    is_users = step.actor.actor_type == "user" or kinds & USER_KINDS
    return USER_REJECTION if is_users else CONFLICTING_EVIDENCE


def _sequence(held: Concept) -> int:
    sequence = event_of(held.attributes).get("sequence")
    return sequence if isinstance(sequence, int) else 0


def _confidence(held: Concept) -> float:
    confidence = held.attributes.get("confidence")
    return float(confidence) if isinstance(confidence, int | float) else 1.0


def _of(step: Step) -> Attributes:
    return {"transition": step.sequence}


def _retried(change: Callable[[], ResultT]) -> ResultT:
    """Run a change, again for as long as others are faster; each time one of them gets on."""
    while True:
        try:
            return change()
        except RecollectError as error:
            if error.code is not VERSION_CONFLICT:
                raise
