"""Claims written and moved through their lifecycle, each call one transaction.

The rule: what a call looks at and what it writes are one transaction, so no event is lost, and none
is based on a state that has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Final

from recollect.errors import CONFLICT, RecollectError, refused
from recollect.faces.beginnings import whole_id
from recollect.faces.claims.lifecycle import check_expected, check_transition
from recollect.faces.claims.model import (
    DISPUTED,
    NOBODY,
    STATUSES,
    SUPERSEDED,
    USER_KINDS,
    VERIFIED,
    Actor,
    Claim,
    EvidenceRef,
    checked_id,
    known_word,
    optional_text,
)
from recollect.faces.claims.records import (
    ATTENTION,
    ATTENTION_SINCE,
    CLAIM,
    CONTRADICTED_BY,
    EVENT,
    STATUS,
    SUPERSEDED_BY,
    SUPERSEDES,
    SUPPORTED_BY,
    ClaimStep,
    cited_evidence,
    claim_life,
    claim_of,
    event_of,
    evidence_changes,
    is_claim,
    named,
    new_claim,
    no_claim,
)
from recollect.kernel import Nexus
from recollect.model import (
    Attributes,
    BatchReport,
    Change,
    Concept,
    Dated,
    Decision,
    Instant,
    Key,
    Present,
    PutConcept,
    PutLink,
    Value,
)

CONFLICTING_EVIDENCE: Final = "knowledge.disputed.conflicting_evidence"
USER_REJECTION: Final = "knowledge.disputed.user_rejection"
NEWER_OBSERVATION: Final = "knowledge.superseded.newer_observation"

_SUPERSEDED: Final = """
FIND(?link) WHERE {
  ?link ({type: "Claim", name: $old}, "supersedes", {type: "Claim", name: $new})
}"""


class Writer:
    """Writes the claims of one group."""

    def __init__(self, nexus: Nexus) -> None:
        self._nexus = nexus

    def write(self, claims: Sequence[Claim], actor: Actor) -> list[str]:
        """Keep claims that are checked, all or none, and return their ids.

        A claim that is there already with the same content stays as it is; CONFLICT for other
        content. If no actor is set, each claim says who created it.
        """
        if claims:
            self.make(claims, actor)
        return [claim.id for claim in claims]

    def make(
        self, claims: Sequence[Claim], actor: Actor, *, keeps_told: bool = False
    ) -> dict[str, Dated]:
        """Do the same, and return the claims that were not there as they stand, by id.

        With `keeps_told` a claim that is there stays whatever it says.
        """
        made: dict[str, Dated] = {}
        first = {one.id: one for one in reversed(claims)}  # of those with one id
        steps = {
            id: ClaimStep(1, "created", _creator(one, actor), named(one.evidence))
            for id, one in first.items()
        }

        def keep(present: Present) -> list[Change]:
            new = self._new(claims, present, keeps_told=keeps_told)
            _refuse_circles(new, present)
            changes: list[Change] = []
            made.clear()
            for number, claim in enumerate(new.values()):
                created_at = claim.created_at or present.at / 1_000
                put, *joined = new_claim(claim, steps[claim.id], created_at, f"{number}:")
                made[claim.id] = _stands(put, present.at)
                changes += [put, *joined, *_superseding(claim, new, present)]
            changes.sort(key=lambda one: isinstance(one, PutLink))  # ends come first
            return changes

        older = [one.supersedes for one in claims if one.supersedes is not None]
        names = {one.actor.name for one in steps.values()}
        logged = names.pop() if len(names) == 1 else actor.name
        many = sum(1 + 2 * len(one.evidence) for one in steps.values())
        self._nexus.write(Decision([*steps, *older], keep, many), actor=logged)
        return made

    def transition(
        self,
        claim_id: str,
        new_status: str,
        evidence: Sequence[EvidenceRef],
        reason: str | None,
        actor: Actor,
        expected_status: str | None = None,
    ) -> str:
        """Move a claim to another status and return its id; CONFLICT where that may not follow."""
        given_id = checked_id(claim_id)
        known_word(new_status, STATUSES, "new_status")
        given, reason = named(evidence), optional_text(reason, "reason")

        def move(present: Present) -> list[Change]:
            held = self._held(present, given_id)
            status = str(held.attributes[STATUS])
            check_expected(held.id, status, expected_status)
            check_transition(held.id, status, new_status)
            step = ClaimStep(_sequence(held) + 1, new_status, actor, given, reason)
            code = _attention(status, step)
            predicate = CONTRADICTED_BY if new_status == DISPUTED else SUPPORTED_BY
            joined = evidence_changes(held.id, predicate, step)
            return [_moved(held, new_status, step, code, present.at), *joined]

        return self._decided([given_id], move, actor)[0]

    def supersede(
        self, old_id: str, new_id: str, actor: Actor, expected_status: str | None = None
    ) -> tuple[str, str]:
        """Let a claim take the place of another, in both directions; return the ids of both.

        CONFLICT where one of them is superseded already, or the older says it supersedes the
        newer.
        """
        given = [checked_id(old_id, "old_id"), checked_id(new_id, "new_id")]

        def replace(present: Present) -> list[Change]:
            old, new = (self._held(present, one) for one in given)
            if old.id == new.id:
                raise refused(f'the claim "{old.id}" cannot supersede itself', "name a newer claim")
            status = str(old.attributes[STATUS])
            check_expected(old.id, status, expected_status)
            check_transition(old.id, status, SUPERSEDED)
            self._check_place(old, new)
            step = ClaimStep(
                _sequence(old) + 1, SUPERSEDED, actor, reason=f"superseded by {new.id}"
            )
            is_weaker = _confidence(new) < _confidence(old)
            code = NEWER_OBSERVATION if is_weaker else None
            more = {SUPERSEDED_BY: new.id, "superseded_in_show": actor.show_id}
            return [
                _moved(old, SUPERSEDED, step, code, present.at, more),
                PutConcept(CLAIM, new.id, {SUPERSEDES: old.id}),
                PutLink(Key(CLAIM, new.id), SUPERSEDES, Key(CLAIM, old.id), _of(step)),
            ]

        old_id, new_id, _ = self._decided(given, replace, actor)
        return old_id, new_id

    def _decided(
        self, ids: list[str], decide: Callable[[Present], list[Change]], actor: Actor
    ) -> tuple[str, ...]:
        """Write what is decided and return the ids of what was changed, in its order."""
        report = self._nexus.write(Decision(ids, decide), actor=actor.name).only(BatchReport)
        return report.ids

    def _held(self, present: Present, beginning: str) -> Concept:
        """Return the concept of the claim whose id begins so; NOT_FOUND where there is none."""
        held = present.elements.get(beginning)
        if held is None and (whole := whole_id(self._nexus, beginning)) != beginning:
            held = self._nexus.elements.look_up([whole])[whole].element
        if isinstance(held, Concept) and is_claim(held):
            return held
        raise no_claim(beginning)

    def _new(
        self, claims: Sequence[Claim], present: Present, *, keeps_told: bool
    ) -> dict[str, Claim]:
        """Return the claims that are not there yet, by id; what is there must say the same."""
        new: dict[str, Claim] = {}
        for claim in claims:
            held = present.elements.get(claim.id)
            if held is not None and not is_claim(held):
                raise _taken(claim.id, "something that is not a claim")
            if held is not None and keeps_told:
                continue
            if held is not None or claim.id in new:
                self._refuse_other(claim, new.get(claim.id))
            else:
                new[claim.id] = claim
        return new

    def _refuse_other(self, claim: Claim, told: Claim | None) -> None:
        """Raise CONFLICT for a claim whose id another one has, as it was first told."""
        if told is None:
            version = claim_life(self._nexus, claim.id).versions[0]
            assert version.after is not None
            cited = cited_evidence(self._nexus, [claim.id])
            told = claim_of(claim.id, version.after.attributes, cited)
        if _content(claim, told.created_at) != _content(told):
            raise _taken(claim.id, "another claim")

    def _check_place(self, old: Concept, new: Concept) -> None:
        """Raise CONFLICT for a claim that cannot take the place of another.

        What the older one superseded before its last `supersedes` is told by the links.
        """
        ids: dict[str, Value] = {"old": old.id, "new": new.id}
        links = self._nexus.read(_SUPERSEDED, ids).rows
        if links or old.attributes.get(SUPERSEDES) == new.id:
            raise _circle([old.id, new.id], "write a new claim, and let it supersede the old one")
        if new.attributes[STATUS] != SUPERSEDED:
            return
        follower = new.attributes.get(SUPERSEDED_BY)
        is_other = follower is not None and follower != old.id
        raise CONFLICT.error(
            f'the claim "{new.id}" is superseded, so it cannot supersede another',
            f'name what took its place: "{follower}"' if is_other else "write a new claim",
            details={"claim_id": new.id, "claim_status": SUPERSEDED},
        )


def _creator(claim: Claim, actor: Actor) -> Actor:
    """Return who creates a claim: the actor, or whoever the claim names if there is none."""
    if actor != NOBODY:
        return actor
    return Actor(claim.actor_type, claim.actor_id, claim.session_id, claim.branch_id)


def _refuse_circles(new: Mapping[str, Claim], present: Present) -> None:
    """Raise CONFLICT for new claims that say they supersede each other, or what names them.

    Only what the write names is looked at: longer circles, through claims that are there, are not.
    """
    older = {
        held.id: [str(held.attributes[SUPERSEDES])]
        for held in present.elements.values()
        if is_claim(held) and held.attributes.get(SUPERSEDES) is not None
    }
    older |= {id: [one.supersedes] for id, one in new.items() if one.supersedes is not None}
    try:
        TopologicalSorter(older).prepare()
    except CycleError as error:
        ids = error.args[1][1:]
        if new.keys() & set(ids):
            raise _circle(ids, "leave out one supersedes") from error


def _circle(ids: Sequence[str], hint: str) -> RecollectError:
    told = ", ".join(f'"{one}"' for one in ids[:5])
    return CONFLICT.error(f"the claims {told} would supersede each other", hint)


def _superseding(claim: Claim, beside: Mapping[str, Claim], present: Present) -> list[Change]:
    """Return the link from a new claim to the one it says it supersedes, if there is one."""
    older = claim.supersedes
    if older is None:
        return []
    held = present.elements.get(older)
    if older not in beside and (held is None or not is_claim(held)):
        return []
    return [PutLink(Key(CLAIM, claim.id), SUPERSEDES, Key(CLAIM, older))]


def _moved(
    held: Concept,
    status: str,
    step: ClaimStep,
    code: str | None,
    at: Instant,
    more: Mapping[str, Value] = MappingProxyType({}),
) -> PutConcept:
    """Return the change of a claim's status; `code` is why it asks for attention now."""
    attributes: dict[str, Value] = {STATUS: status, EVENT: step.attribute()}
    attributes |= {key: value for key, value in more.items() if value is not None}
    if code is not None or held.attributes.get(ATTENTION) is not None:
        since = None if code is None else at / 1_000
        attributes |= {ATTENTION: code, ATTENTION_SINCE: since}
    return PutConcept(CLAIM, held.id, attributes)


def _taken(claim_id: str, by: str) -> RecollectError:
    return CONFLICT.error(
        f'the id "{claim_id}" belongs to {by}',
        "write it under another id",
        details={"claim_id": claim_id},
    )


def _content(claim: Claim, created_at: float = 0.0) -> list[object]:
    """Return all that a claim says; `created_at` is its time where it names none."""
    told = {one.name: getattr(claim, one.name) for one in fields(Claim)}
    return [*(told | {"created_at": claim.created_at or created_at}).values()]


def _attention(status: str, step: ClaimStep) -> str | None:
    """Return why the new status asks for attention: a verified claim that is disputed does."""
    if (status, step.event) != (VERIFIED, DISPUTED):
        return None
    kinds = {one.kind for _, one in step.evidence}
    is_users = step.actor.actor_type == "user" or kinds & USER_KINDS
    return USER_REJECTION if is_users else CONFLICTING_EVIDENCE


def _sequence(held: Concept) -> int:
    sequence = event_of(held.attributes).get("sequence")
    return sequence if isinstance(sequence, int) else 0


def _confidence(held: Concept) -> float:
    confidence = held.attributes.get("confidence")
    return float(confidence) if isinstance(confidence, int | float) else 1.0


def _of(step: ClaimStep) -> Attributes:
    return {"transition": step.sequence}


def _stands(put: Change, at: Instant) -> Dated:
    """Return the concept of a claim as it stands once a change has put it."""
    assert isinstance(put, PutConcept)
    assert put.id is not None
    concept = Concept(put.id, put.type, put.name, put.attributes, put.metadata)
    return Dated(concept, None, None, at, None)
