"""Claims and evidence as elements of the graph: how they are kept, and how they are found again.

A claim is a concept of type `Claim` that is called by its id, a piece of evidence one of type
`Evidence` that is called by what it refers to, so equal references are one node. What the last
transition said is in the claim's attribute `event`; the log has the earlier ones.

The rules: claims are returned as copies; a list shows one state of the memory; claims that do not
have the status, scope or project asked for are not considered, so they change no rank. A version of
a claim's concept is an event if its attribute `event` differs from the version before; the
transaction that wrote it says when.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Final, TypedDict, cast

import orjson

from recollect.errors import NOT_FOUND, RESOURCE_NOT_FOUND, Hint, RecollectError, ToDo, refused
from recollect.faces.beginnings import whole_id
from recollect.faces.claims.model import (
    LARGEST_LIMIT,
    LONGEST_NAME,
    STATUSES,
    Actor,
    Claim,
    ClaimEvent,
    EvidenceRef,
    Scope,
    checked_id,
    checked_limit,
    checked_text,
    known_word,
    optional_scope,
    project_of,
)
from recollect.kernel import Nexus
from recollect.model import (
    SEARCH_ATTRIBUTES,
    AsOf,
    Attributes,
    Cell,
    Change,
    Concept,
    Element,
    Instant,
    Key,
    Life,
    Local,
    PutConcept,
    PutLink,
    Ranked,
    Reference,
    Value,
)
from recollect.node import dataclass, replace

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
    return RESOURCE_NOT_FOUND.error(
        f'no claim has the id "{claim_id}"',
        Hint("list them: store.list()", ToDo.LIST_CLAIMS),
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
    told = life_events(nexus, claim_id, claim_life(nexus, claim_id))
    return told if as_of is None else [one for one in told if one.is_known(as_of)]


def life_events(nexus: Nexus, claim_id: str, life: Life) -> list[ToldEvent]:
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
    cited = nexus.joints.objects(ids, (SUPPORTED_BY, CONTRADICTED_BY), as_of=as_of)
    return {
        claim: {one.name: evidence_ref(one.attributes) for one in concepts}
        for claim, concepts in cited.items()
    }


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


_AT_FIRST: Final = 4  # times as many claims as are wanted, so that equals are seldom parted
_MOST_EQUAL: Final = 2_000  # claims with one score that are put in order

_BY_NAME = 'FIND(?claim) WHERE { ?claim {type: "Claim", name: $id} }'
_TAGGED = """
  ?tag {type: "Tag", name: $tag}
  (?claim, "tagged", ?tag)"""
_OF_ARTIFACT = """
  ?evidence {type: "Evidence"}
  FILTER(?evidence.attributes.artifact_id == $artifact)
  (?claim, "supported_by" | "contradicted_by", ?evidence)"""
_JOINED = """
FIND(?id) WHERE {{{patterns}
  ?claim {{type: "Claim"}}
  ATTR(?claim, "id", ?id)
}}"""
_OLDEST = """
FIND(?id, ?created_at) WHERE {{{patterns}
  ?claim {{type: "Claim"}}
  ATTR(?claim, "id", ?id)
  ATTR(?claim, "created_at", ?created_at){filters}
}}
ORDER BY ?created_at"""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which claims are asked for; None filters nothing."""

    scope: Scope | None = None
    status: Sequence[str] | None = None
    project: str | None = None
    domain: str | None = None
    run: str | None = None
    show: str | None = None  # in which they were written or superseded
    session: str | None = None
    agent: str | None = None  # which they are scoped to
    tag: str | None = None
    artifact: str | None = None  # that they cite

    def where(self) -> dict[str, list[str]]:
        """Return what the attributes of the claims must be."""
        found: dict[str, list[str]] = {}
        if self.status is not None:
            if isinstance(self.status, str) or not isinstance(self.status, Sequence):
                raise refused("status is not a list of texts", 'pass status=["observed"]')
            found[STATUS] = [known_word(one, STATUSES, "status") for one in self.status]
        scope = optional_scope(self.scope)
        if scope is not None:
            found[SCOPE] = [scope_text(scope.scope_type, scope.scope_id) or ""]
        for attribute, value in (
            ("project_id", self.project),
            ("domain", self.domain),
            ("run_id", self.run),
            ("session_id", self.session),
            ("agent_id", self.agent),
        ):
            if value is not None:
                found[attribute] = [checked_text(value, attribute)]
        return found


class FilterArguments(TypedDict, total=False):
    """The same as arguments by name."""

    scope: Scope | None
    status: Sequence[str] | None
    project: str | None
    domain: str | None
    run: str | None
    show: str | None
    session: str | None
    agent: str | None
    tag: str | None
    artifact: str | None


def one_claim(nexus: Nexus, claim_id: str, as_of: AsOf | None = None) -> Claim | None:
    """Return a claim by id, if there is one."""
    concept = claim_concept(nexus, claim_id, as_of)
    return None if concept is None else claims_of(nexus, [concept], as_of)[0]


def claim_concept(nexus: Nexus, claim_id: str, as_of: AsOf | None = None) -> Concept | None:
    """Return the concept of a claim, if there is one."""
    rows = nexus.read(_BY_NAME, {"id": checked_id(claim_id)}, as_of=as_of).rows
    (concept,) = rows[0] if rows else (None,)
    return concept if isinstance(concept, Concept) else None


def claims_by_id(nexus: Nexus, ids: Sequence[str], as_of: AsOf | None = None) -> list[Claim]:
    """Return claims in the order of `ids`, without ids that no claim has."""
    if not ids:
        return []
    found = nexus.elements.look_up(ids, as_of=as_of)
    concepts = [found[one].element for one in ids if one in found]
    return claims_of(nexus, [one for one in concepts if is_claim(one)], as_of)


def claims_of(
    nexus: Nexus, concepts: Collection[Element], as_of: AsOf | None = None
) -> list[Claim]:
    """Return the claims that concepts hold, with their evidence."""
    cited = cited_evidence(nexus, [one.id for one in concepts], as_of) if concepts else {}
    return [claim_of(one.id, one.attributes, cited) for one in concepts]


def listed(
    nexus: Nexus, filters: Filters, limit: int, after: str | None = None, as_of: AsOf | None = None
) -> list[Claim]:
    """Return the newest claims, by `created_at`; `after` is the id of the last one seen.

    Of one instant the last written come first. INVALID_ARGUMENT for an `after` of no claim. As of
    another moment they are the claims of then, as they stood.
    """
    limit = checked_limit(limit)
    after = None if after is None else checked_id(after, "after")
    if as_of is not None:
        return _listed_then(nexus, filters, limit, after, as_of)
    where, *or_where = _lenses(filters)
    with nexus.snapshot():
        try:
            concepts = nexus.concepts.newest(
                CLAIM,
                CREATED_AT,
                where,
                limit,
                after,
                or_where=or_where,
                among=_joined_ids(nexus, filters),
            )
        except RecollectError as error:
            if after is None or error.code is not NOT_FOUND:
                raise
            raise _no_page_after(after) from error
        return claims_of(nexus, concepts)


def counted(nexus: Nexus, filters: Filters, as_of: AsOf | None = None) -> int:
    """Return how many claims there are."""
    if as_of is not None:
        return len(_ids_then(nexus, filters, as_of))
    where, *or_where = _lenses(filters)
    with nexus.snapshot():
        among = _joined_ids(nexus, filters)
        return nexus.concepts.count(CLAIM, where, or_where=or_where, among=among)


def recalled(
    nexus: Nexus, question: str, filters: Filters, limit: int, as_of: AsOf | None = None
) -> list[tuple[Claim, float]]:
    """Return the claims a question is about with their scores, best first, ties by id.

    A blank question is about the newest, as `listed` has them; their score is 0.
    """
    limit = checked_limit(limit)
    if not isinstance(question, str):
        raise refused(f"the question is of type {type(question).__name__}", "pass a text")
    where = filters.where()
    if [] in where.values():
        return []
    with nexus.snapshot():  # else a claim could have left the status by which it was found
        if not question.strip():
            return [(claim, 0.0) for claim in listed(nexus, filters, limit, as_of=as_of)]
        among = _joined_ids(nexus, filters, as_of)
        most = limit if among is None else _MOST_EQUAL
        ranked = _ranked(nexus, question, where, most, as_of)
        ranked = [one for one in ranked if among is None or one.id in among][:limit]
        scores: Mapping[str, float] = {one.id: one.score for one in ranked}
        return [(one, scores[one.id]) for one in claims_by_id(nexus, [*scores], as_of)]


def _ranked(
    nexus: Nexus, question: str, where: Mapping[str, list[str]], limit: int, as_of: AsOf | None
) -> list[Ranked]:
    """Return at least the best claims, all that are as good as the last of them among them."""
    most = _AT_FIRST * limit
    while True:
        found = nexus.concepts.best(question, CLAIM, where, most, as_of=as_of)
        is_whole = len(found) < most or found[limit - 1].score > found[-1].score
        if is_whole or most >= _MOST_EQUAL:
            return sorted(found, key=lambda one: (-one.score, one.id))
        most = min(8 * most, _MOST_EQUAL)


def _lenses(filters: Filters) -> list[dict[str, list[str]]]:
    """Return what the claims must be: a show is that of their writing, or of their end."""
    where = filters.where()
    if filters.show is None:
        return [where]
    show = [checked_text(filters.show, "show_id")]
    return [{**where, "show_id": show}, {**where, "superseded_in_show": show}]


def _joined_ids(nexus: Nexus, filters: Filters, as_of: AsOf | None = None) -> list[str] | None:
    """Return the ids of the claims that links lead to; None where no link is asked for."""
    patterns, parameters = _joints(filters)
    return _ids(nexus, _JOINED.format(patterns=patterns), parameters, as_of) if patterns else None


def _joints(filters: Filters) -> tuple[str, dict[str, Value]]:
    """Return the patterns of the links that must lead to the claims, and their parameters."""
    parameters: dict[str, Value] = {}
    patterns = ""
    if filters.tag is not None:
        patterns += _TAGGED
        parameters["tag"] = checked_text(filters.tag, "tag", LONGEST_NAME)
    if filters.artifact is not None:
        patterns += _OF_ARTIFACT
        parameters["artifact"] = checked_text(filters.artifact, "artifact")
    return patterns, parameters


def _listed_then(
    nexus: Nexus, filters: Filters, limit: int, after: str | None, as_of: AsOf
) -> list[Claim]:
    """Return claims as they stood at a moment, in the order that `listed` has."""
    with nexus.snapshot():
        ids = _ids_then(nexus, filters, as_of)
        if after is not None and after not in ids:
            raise _no_page_after(after)
        start = 0 if after is None else ids.index(after) + 1
        return claims_by_id(nexus, ids[start : start + limit], as_of)


def _ids_then(nexus: Nexus, filters: Filters, as_of: AsOf) -> list[str]:
    """Return the ids of the claims of a moment, the newest first.

    Cost: all claims of then, since KIP puts equals the oldest first.
    """
    patterns, parameters = _joints(filters)
    lenses = [one for one in _lenses(filters) if one]
    for one in lenses:
        parameters |= {name: [*values] for name, values in one.items()}
    ways = (" && ".join(f"IN(?claim.attributes.{name}, ${name})" for name in one) for one in lenses)
    either = " || ".join(f"({way})" for way in ways)
    filtered = f"\n  FILTER({either})" if either else ""
    text = _OLDEST.format(patterns=patterns, filters=filtered)
    return _ids(nexus, text, parameters, as_of)[::-1]


def _no_page_after(after: str) -> RecollectError:
    hint = "pass the id of the last one of the page before"
    return refused(f'no claim has the id "{after}"', hint)


def _ids(
    nexus: Nexus, text: str, parameters: Mapping[str, Value], as_of: AsOf | None = None
) -> list[str]:
    """Return the ids in the first column of an answer, each once."""
    return list(dict.fromkeys(str(one) for one in first_column(nexus, text, parameters, as_of)))


def first_column(
    nexus: Nexus, text: str, parameters: Mapping[str, Value], as_of: AsOf | None = None
) -> list[Cell]:
    """Return the first column of an answer, however many rows there are."""
    limits = replace(nexus.limits, max_rows=LARGEST_LIMIT)  # they are counted or cut, not shown
    rows = nexus.read(text, parameters, as_of=as_of, limits=limits).rows
    return [row[0] for row in rows]


def is_claim(element: Element) -> bool:
    """Whether an element is the concept of a claim."""
    return isinstance(element, Concept) and element.type == CLAIM
