"""Claims, their evidence and what happened to them, exactly as specification 002 has them.

The rule: no claim without evidence. What the specification's sketch does not check is checked
here too, so that a claim that exists can be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from uuid import uuid4

from recollect.errors import refused
from recollect.faces.claims.validation import (
    ACTOR_TYPES,
    KINDS,
    LONGEST_NAME,
    SCOPE_TYPES,
    STATUSES,
    Kind,
    checked_id,
    checked_share,
    checked_text,
    checked_time,
    known_word,
    optional_text,
)

NO_EVIDENCE = (
    "A Claim requires at least one EvidenceRef. "
    "If evidence is truly absent, this is a hypothesis — "
    "use kind='model_inference' with low confidence."
)
"""What is raised, as a ValueError, for a claim without evidence."""


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """A reference to what a claim rests on; equal references are one piece of evidence.

    `detail` is the quote of a message, the summary of a tool's result, the rationale of a model,
    the paraphrase of a user's statement, a note on an artifact, or what a human asserted.
    INVALID_ARGUMENT for an unknown kind and for a field of another type.
    """

    kind: Kind
    id: str | None = None
    session_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    artifact_id: str | None = None
    path: str | None = None
    url: str | None = None
    repo: str | None = None
    commit_sha: str | None = None
    content_hash: str | None = None
    fetched_at: float | None = None  # seconds since 1970
    detail: str | None = None

    def __post_init__(self) -> None:
        known_word(self.kind, KINDS, "kind")
        for name in _TEXTS_OF_EVIDENCE:
            optional_text(getattr(self, name), name)
        if self.fetched_at is not None:
            object.__setattr__(self, "fetched_at", checked_time(self.fetched_at, "fetched_at"))


_TEXTS_OF_EVIDENCE = tuple(
    one.name for one in fields(EvidenceRef) if one.name not in ("kind", "fetched_at")
)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a claim is about: a project, a repo, an agent or a run, by its id."""

    scope_type: str
    scope_id: str | None = None

    def __post_init__(self) -> None:
        known_word(self.scope_type, SCOPE_TYPES, "scope_type")
        optional_text(self.scope_id, "scope_id")


def optional_scope(scope: object) -> Scope | None:
    """Return a scope, or None where none was given."""
    if scope is None or isinstance(scope, Scope):
        return scope
    raise refused(
        f"scope is of type {type(scope).__name__}, not a Scope", 'pass scope=Scope("repo", "...")'
    )


@dataclass
class Claim:
    """A unit of learned knowledge with evidence and lifecycle.

    ValueError without evidence; INVALID_ARGUMENT for what else cannot be kept.

    >>> Claim("payments uses sagas", [EvidenceRef("file", path="saga.py")]).claim_status
    'observed'
    """

    text: str
    evidence: list[EvidenceRef]
    claim_status: str = "observed"
    confidence: float = 1.0  # in the claim being true
    id: str = field(default_factory=lambda: str(uuid4()))
    project: str | None = None
    scope_type: str | None = None  # project | repo | agent | run
    scope_id: str | None = None
    session_id: str | None = None
    branch_id: str | None = None
    actor_type: str = "agent"  # agent | user | system | tool
    actor_id: str | None = None
    created_at: float = 0.0  # seconds since 1970; 0.0 becomes now when it is written
    domain: str | None = None
    tags: list[str] = field(default_factory=list)
    supersedes: str | None = None

    def __post_init__(self) -> None:
        check_claim_fields(self)


def project_of(claim: Claim) -> str | None:
    """Return the project that a claim is of: its own, else the one it is about."""
    if claim.project is None and claim.scope_type == "project":
        return claim.scope_id
    return claim.project


def check_claim_fields(claim: Claim) -> None:
    """Check every field of a claim; give it lists and floats of its own, and ids as stored."""
    claim.evidence = checked_evidence(claim.evidence)
    checked_text(claim.text, "text")
    known_word(claim.claim_status, STATUSES, "claim_status")
    claim.confidence = checked_share(claim.confidence, "confidence")
    claim.id = checked_id(claim.id, "id")
    known_word(claim.actor_type, ACTOR_TYPES, "actor_type")
    optional_text(claim.actor_id, "actor_id", LONGEST_NAME)
    if claim.scope_type is not None:
        known_word(claim.scope_type, SCOPE_TYPES, "scope_type")
    elif claim.scope_id is not None:
        raise refused("scope_id is given without scope_type", 'pass scope_type="repo"')
    for name in _TEXTS_OF_CLAIM:
        optional_text(getattr(claim, name), name)
    if claim.supersedes is not None:
        claim.supersedes = checked_id(claim.supersedes, "supersedes")
    if claim.supersedes == claim.id:
        raise refused(f'the claim "{claim.id}" cannot supersede itself', "name an older claim")
    claim.created_at = checked_time(claim.created_at, "created_at")
    tags: object = claim.tags
    if not isinstance(tags, list | tuple):
        raise refused("tags is not a list of texts", 'pass tags=["..."]')
    claim.tags = [checked_text(tag, "a tag", LONGEST_NAME) for tag in tags]


def checked_claims(claims: Sequence[Claim]) -> list[Claim]:
    """Return copies of claims that are to be written, every field checked."""
    if not isinstance(claims, Sequence):
        raise refused("the claims are not a list", "pass [Claim(text, evidence)]")
    copies = []
    for claim in claims:
        if not isinstance(claim, Claim):
            raise refused(
                f"the claim is of type {type(claim).__name__}, not a Claim",
                "pass Claim(text, evidence)",
            )
        kept = copy(claim)
        check_claim_fields(kept)
        copies.append(kept)
    return copies


_TEXTS_OF_CLAIM = ("project", "scope_id", "session_id", "branch_id", "domain")


def checked_evidence(evidence: object) -> list[EvidenceRef]:
    """Return a copy of the list of evidence; ValueError if it is empty."""
    if not evidence:
        raise ValueError(NO_EVIDENCE)
    return given_evidence(evidence)


def given_evidence(evidence: object) -> list[EvidenceRef]:
    """Return evidence that may be absent as a list of its own."""
    if evidence is None:
        return []
    if not isinstance(evidence, list | tuple) or not all(
        isinstance(one, EvidenceRef) for one in evidence
    ):
        raise refused(
            "evidence is not a list of EvidenceRef",
            'pass evidence=[EvidenceRef(kind="file", path="...")]',
        )
    return list(evidence)


@dataclass(frozen=True, slots=True)
class ClaimEvent:
    """One step in the life of a claim: who changed it, on which evidence, and why."""

    sequence: int  # of the claim, from 1
    claim_id: str
    event: str  # created | observed | verified | disputed | superseded
    from_status: str | None  # None: it was created
    to_status: str
    at: float  # seconds since 1970
    actor_type: str
    actor_id: str | None
    session_id: str | None
    branch_id: str | None
    evidence: list[EvidenceRef]
    reason: str | None
