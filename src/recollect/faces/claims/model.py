"""Claims, their evidence and their events as values: what they may hold, and who acts on them.

The rules: no claim without evidence; a word that is not here is refused, with the nearest that is;
what cannot be kept as it was given is refused when it is made, not when it is stored. Who acts, and
in which session, run and show, is said around a call of a store: the protocol's methods have no
arguments for it, so it goes beside them, in the context of the task. A store that does not ask
loses nothing. Specification 002.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import fields
from typing import Final, Literal, get_args
from uuid import uuid4

from recollect.errors import Hint, ToDo, not_among, refused
from recollect.faces.kinds import ACTIVE_CLAIMS
from recollect.kernel import instant
from recollect.node import dataclass, field

OBSERVED: Final = "observed"
INFERRED: Final = "inferred"
HYPOTHESIS: Final = "hypothesis"
VERIFIED: Final = "verified"
DISPUTED: Final = "disputed"
SUPERSEDED: Final = "superseded"

STATUSES: Final = (OBSERVED, INFERRED, HYPOTHESIS, VERIFIED, DISPUTED, SUPERSEDED)
"""What a claim can be."""

ACTIVE: Final = tuple(ACTIVE_CLAIMS)
"""What `recall` returns when nothing else is asked for."""

Kind = Literal[
    "message",
    "user_statement",
    "tool_result",
    "artifact",
    "url",
    "file",
    "model_inference",
    "human_assertion",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of evidence."""

USER_KINDS: Final = frozenset[Kind]({"user_statement", "human_assertion"})
"""The kinds of evidence that a person gives."""

SCOPE_TYPES: Final = ("project", "repo", "agent", "run")
"""What a claim may be about."""

ACTOR_TYPES: Final = ("agent", "user", "system", "tool")
"""Who may act."""


def known_word(word: object, known: tuple[str, ...], what: str) -> str:
    """Return a word of a list; INVALID_ARGUMENT for any other.

    >>> known_word("observed", STATUSES, "claim_status")
    'observed'
    """
    if isinstance(word, str) and word in known:
        return word
    message = f"{what} is {word!r:.60}, which is not one of {', '.join(known)}"
    raise not_among(message, word, known, 'use "{}"')


LONGEST_TEXT: Final = 100_000
"""Characters of one field."""

LONGEST_NAME: Final = 4_096
"""Characters of what an element of the graph is called by: an id or a tag."""

EARLIEST: Final = -62_135_596_800.0
"""The beginning of the year 1, in seconds since 1970."""

LATEST: Final = 253_402_300_800.0
"""The end of the year 9999, in seconds since 1970."""

LARGEST_LIMIT: Final = 1_000_000_000
"""More than this is as much as there is."""


def checked_text(value: object, name: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text that can be stored: Unicode, not blank, not endless."""
    if not isinstance(value, str):
        raise refused(
            f"{name} is of type {type(value).__name__}, not a text", f"pass {name} as a text"
        )
    if not value.strip():
        raise refused(f"{name} is blank", f"say something in {name}, or leave it out")
    if len(value) > longest:
        raise refused(
            f"{name} has {len(value)} characters, and {longest} is the most", f"shorten {name}"
        )
    if "\0" in value:
        raise refused(f"{name} holds the character NUL", "remove it")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refused(f"{name} is not Unicode text", "remove its lone surrogates") from None
    return value


def storable(text: str) -> str:
    r"""Return a text with a question mark for each character that cannot be stored.

    >>> storable("a\0b\ud800")
    'a?b?'
    """
    return text.replace("\0", "?").encode("utf-8", "replace").decode()


def optional_text(value: object, name: str, longest: int = LONGEST_TEXT) -> str | None:
    """Return a text, or None where none was given."""
    return None if value is None else checked_text(value, name, longest)


def checked_id(value: object, name: str = "claim_id") -> str:
    r"""Return the id of a claim as it is stored, in NFC, so that ids equal to the eye are one.

    >>> checked_id("cafe\u0301", "id") == "caf\u00e9"
    True
    """
    given = checked_text(value, name, LONGEST_NAME)
    return checked_text(unicodedata.normalize("NFC", given), name, LONGEST_NAME)  # may be longer


def checked_number(value: object, name: str) -> float:
    """Return a finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(
            f"{name} is of type {type(value).__name__}, not a number", f"pass {name} as a number"
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise refused(
            f"{name} is not a finite number",
            Hint(f"pass a finite {name}", ToDo.PASS_OPTION, name, "0.5"),
        )
    return number + 0.0  # so -0.0 is 0.0, which equals it and is written otherwise


def checked_time(value: object, name: str) -> float:
    """Return seconds since 1970, of the years 1 to 9999: others no calendar can show."""
    number = checked_number(value, name)
    if not EARLIEST <= number < LATEST:
        raise refused(
            f"{name} is {number:g}, which is outside the years 1 to 9999",
            f"pass {name} in seconds since 1970",
        )
    return number


def asked_time(value: object, name: str) -> float:
    """Return seconds since 1970: a number, or a text that is an ISO 8601 date or time."""
    return instant(value) / 1_000 if isinstance(value, str) else checked_time(value, name)


def checked_share(value: object, name: str) -> float:
    """Return a number from 0 to 1."""
    number = checked_number(value, name)
    if not 0.0 <= number <= 1.0:
        raise refused(
            f"{name} is {number}, which is not from 0 to 1",
            Hint(f"pass {name}=0.5", ToDo.PASS_OPTION, name, "0.5"),
        )
    return number


def checked_limit(limit: object) -> int:
    """Return a limit: a whole number from 1."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise refused(f"limit is {limit!r:.40}, not a whole number from 1", "pass limit=10")
    return min(limit, LARGEST_LIMIT)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something, and where."""

    actor_type: str = "system"
    actor_id: str | None = None
    session_id: str | None = None
    branch_id: str | None = None
    run_id: str | None = None
    show_id: str | None = None

    def __post_init__(self) -> None:
        known_word(self.actor_type, ACTOR_TYPES, "actor_type")
        optional_text(self.actor_id, "actor_id", LONGEST_NAME)
        for name in ("session_id", "branch_id", "run_id", "show_id"):
            optional_text(getattr(self, name), name)

    @property
    def name(self) -> str:
        """What the log of the memory shows as the actor."""
        return self.actor_id or self.actor_type


NOBODY: Final = Actor()
"""The actor if none was named."""


def optional_actor(actor: object) -> Actor | None:
    """Return who acts: an agent by its id, an actor as it is, None where none was given."""
    match actor:
        case str():
            return Actor("agent", actor)
        case None | Actor():
            return actor
    raise refused(f"actor is of type {type(actor).__name__}, not an Actor", 'pass actor="..."')


_acting: ContextVar[Actor | None] = ContextVar("recollect_acting", default=None)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Let the calls of stores inside be those of an actor.

    >>> with acting(Actor("user", "ann")):
    ...     acting_now().name
    'ann'
    """
    token = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(token)


def acting_now() -> Actor:
    """Return the actor: the system, if none was named."""
    return _acting.get() or NOBODY


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


@dataclass()
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
