"""Claims and evidence as elements of the graph, and back.

The rule: a claim is a concept of type `Claim` that is called by its id, a piece of evidence one of
type `Evidence` that is called by what it refers to, so equal references are one node. What the last
transition said is in the claim's attribute `event`; the log has the earlier ones.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Final

import orjson

from recollect.faces.claims.model import Claim, EvidenceRef, project_of
from recollect.faces.claims.validation import Actor
from recollect.model import (
    SEARCH_ATTRIBUTES,
    Attributes,
    Change,
    Local,
    PutConcept,
    PutLink,
    Reference,
    Value,
)
from recollect.node import dataclass

CLAIM: Final = "Claim"
EVIDENCE: Final = "Evidence"
TAG: Final = "Tag"

SUPPORTED_BY: Final = "supported_by"
CONTRADICTED_BY: Final = "contradicted_by"
SUPERSEDES: Final = "supersedes"
TAGGED: Final = "tagged"

STATUS: Final = "claim_status"
SCOPE: Final = "scope"
EVENT: Final = "event"
ATTENTION: Final = "attention_code"
ATTENTION_SINCE: Final = "attention_since"
SET_ASIDE: Final = "set_aside"
CREATED_AT: Final = "created_at"
SUPERSEDED_BY: Final = "superseded_by"

_NAMESPACE: Final = uuid.UUID("3d0a7f52-2c1e-5b57-9a44-0f1f4f8f7c39").bytes
_SEARCHED: Final[Attributes] = {SEARCH_ATTRIBUTES: ["text", "domain", "tags"]}
_SEARCHED_EVIDENCE: Final[Attributes] = {SEARCH_ATTRIBUTES: ["detail", "path", "url"]}
_CLAIM: Final = fields(Claim)
_PLAIN: Final = tuple(one.name for one in _CLAIM if one.name != "evidence")
_UNSAID: Final = {one.name: one.default for one in _CLAIM if one.default is not MISSING}
_EVIDENCE: Final = tuple(one.name for one in fields(EvidenceRef))
_parts: Final = attrgetter(*_EVIDENCE)

Named = tuple[str, EvidenceRef]
"""A piece of evidence with what it is called."""

Cited = Mapping[tuple[str, str], Mapping[str, EvidenceRef]]
"""What claims are joined with, by their id and the number of the transition, then by name."""


@dataclass(frozen=True, slots=True)
class ClaimStep:
    """What one transition says: the event that the claim's history shows."""

    sequence: int
    event: str
    actor: Actor
    evidence: Sequence[Named] = ()
    reason: str | None = None

    @property
    def names(self) -> list[Value]:
        """The names of its evidence, in the order given."""
        return [name for name, _ in self.evidence]

    def attribute(self) -> Value:
        """Return it as the claim holds it, its evidence by name."""
        actor = self.actor
        said: dict[str, Value] = {
            "sequence": self.sequence,
            "event": self.event,
            "actor_type": actor.actor_type,
            "actor_id": actor.actor_id,
            "session_id": actor.session_id,
            "branch_id": actor.branch_id,
            "run_id": actor.run_id,
            "show_id": actor.show_id,
            "reason": self.reason,
            "evidence": self.names,
        }
        return {key: value for key, value in said.items() if value is not None}


def evidence_name(ref: EvidenceRef) -> str:
    """Return what a piece of evidence is called: a UUID of version 5 of its thirteen fields.

    >>> evidence_name(EvidenceRef("url", fetched_at=1)) == evidence_name(
    ...     EvidenceRef("url", fetched_at=1.0))
    True
    """
    # As uuid5 makes it, in half the time.
    digest = hashlib.sha1(_NAMESPACE + orjson.dumps(_parts(ref)), usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest[:16], version=5))


def named(evidence: Iterable[EvidenceRef]) -> list[Named]:
    """Return evidence with its names, in the order given."""
    return [(evidence_name(one), one) for one in evidence]


def scope_text(scope_type: str | None, scope_id: str | None) -> str | None:
    """Return a scope as it is compared: one text.

    >>> scope_text("repo", "github.com/acme/payments"), scope_text("project", None)
    ('repo:github.com/acme/payments', 'project')
    """
    if scope_type is None:
        return None
    return scope_type if scope_id is None else f"{scope_type}:{scope_id}"


def claim_attributes(claim: Claim, created: ClaimStep, created_at: float) -> dict[str, Value]:
    """Return what the concept of a new claim holds."""
    actor = created.actor
    said: dict[str, Value] = {name: getattr(claim, name) for name in _PLAIN if name != "id"}
    said[CREATED_AT] = created_at
    said["tags"] = [*claim.tags] or None
    said["evidence"] = created.names
    scope = scope_text(claim.scope_type, claim.scope_id)
    said[SCOPE] = scope_text("project", claim.project) if scope is None and claim.project else scope
    said["project_id"] = project_of(claim)
    said["agent_id"] = claim.scope_id if claim.scope_type == "agent" else None
    said["run_id"] = actor.run_id or (claim.scope_id if claim.scope_type == "run" else None)
    said["show_id"] = actor.show_id
    said[EVENT] = created.attribute()
    return {key: value for key, value in said.items() if value is not None}


def new_claim(
    claim: Claim, created: ClaimStep, created_at: float, prefix: str = ""
) -> list[Change]:
    """Return the changes that keep a claim that is not there yet.

    `created_at` is in seconds. `prefix` tells the handles of several claims of one batch apart.
    """
    handle = f"{prefix}claim"
    said = claim_attributes(claim, created, created_at)
    changes: list[Change] = [
        PutConcept(CLAIM, claim.id, said, _SEARCHED, id=claim.id, handle=handle)
    ]
    changes += evidence_changes(Local(handle), SUPPORTED_BY, created, prefix)
    for number, tag in enumerate(dict.fromkeys(claim.tags)):
        named = f"{prefix}tag{number}"
        changes.append(PutConcept(TAG, tag, handle=named))
        changes.append(PutLink(Local(handle), TAGGED, Local(named)))
    return changes


def evidence_changes(
    claim: Reference, predicate: str, step: ClaimStep, prefix: str = ""
) -> list[Change]:
    """Return the changes that join a claim with the evidence of one of its transitions."""
    changes: list[Change] = []
    key = str(step.sequence)
    for position, (name, ref) in enumerate(dict(step.evidence).items()):
        handle = f"{prefix}evidence{position}"
        parts = zip(_EVIDENCE, _parts(ref), strict=True)
        told = {one: value for one, value in parts if value is not None}
        changes.append(PutConcept(EVIDENCE, name, told, _SEARCHED_EVIDENCE, handle=handle))
        said: Attributes = {"transition": step.sequence, "position": position}
        changes.append(PutLink(claim, predicate, Local(handle), said, key=key))
    return changes


def evidence_ref(attributes: Attributes) -> EvidenceRef:
    """Return a piece of evidence as it was given."""
    ref = EvidenceRef.__new__(EvidenceRef)  # it was checked when it was kept
    for one in _EVIDENCE:
        object.__setattr__(ref, one, attributes.get(one))
    return ref


def claim_of(id: str, attributes: Attributes, cited: Cited) -> Claim:
    """Return a claim with its evidence, except what was erased."""
    tags = attributes.get("tags")
    claim = Claim.__new__(Claim)  # what was erased may have been all of its evidence
    vars(claim).update(
        _UNSAID | {name: attributes[name] for name in _PLAIN if name in attributes},
        id=id,
        evidence=brought(id, attributes, cited),
        tags=[str(tag) for tag in tags] if isinstance(tags, list) else [],
    )
    return claim


def brought(claim_id: str, said: Attributes, cited: Cited) -> list[EvidenceRef]:
    """Return the evidence that an event of a claim names, in the order it was given.

    The attributes of the claim itself say what the first event does.
    """
    names = said.get("evidence")
    found = cited.get((claim_id, str(said.get("sequence", 1))), {})
    return [found[str(name)] for name in names if name in found] if isinstance(names, list) else []


def event_of(attributes: Attributes) -> dict[str, Value]:
    """Return what the last transition of a claim said."""
    event = attributes.get(EVENT)
    return event if isinstance(event, dict) else {}
