"""Claims and the attention queue as calls, for servers: what each takes and answers.

The rule: a call works on one group, and none of them forgets anything. What a claim or a piece of
evidence may hold is said by its class alone; null is the same as leaving a field out.
Specification 002, product implications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NotRequired, Unpack

from pydantic import BeforeValidator, Field, JsonValue, WithJsonSchema
from pydantic_core import from_json
from typing_extensions import TypedDict

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.beginnings import whole_id
from recollect.faces.calls import DIGITS, call, described_as
from recollect.faces.claims.attention import EMPTY_EVIDENCE, AttentionItem, AttentionQueue
from recollect.faces.claims.feed import BEGINNING, FeedEvent, events_after
from recollect.faces.claims.model import Actor, Claim, ClaimEvent, Scope
from recollect.faces.claims.records import (
    Filters,
    claim_events,
    counted,
    listed,
    no_claim,
    one_claim,
    recalled,
)
from recollect.faces.claims.viewing import ClaimView, viewed
from recollect.faces.claims.wire import evidence_from, from_wire
from recollect.faces.claims.writing import Writer
from recollect.kernel import Nexus, asked_instant
from recollect.model import AsOf

ActingAs = Callable[[str | None], str | None]
"""Returns who a caller acts as, who says to be somebody, or nobody."""

Members = dict[str, JsonValue]
ClaimMembers = Annotated[Members, described_as("Claim")]
EvidenceMembers = Annotated[Members, described_as("EvidenceRef")]
ScopeMembers = Annotated[Members, described_as("Scope")]
ActorMembers = Annotated[Members, described_as("Actor")]

_TEXT: Final = {"type": "string"}
AsOfMembers = Annotated[
    JsonValue,
    WithJsonSchema(
        {
            "type": "object",
            "description": "A point of both clocks; what is left out is now",
            "properties": {
                "valid": {**_TEXT, "description": "What was true then, ISO 8601"},
                "known": {
                    "anyOf": [_TEXT, {"type": "integer", "minimum": 0}],
                    "description": "As it was known then: ISO 8601, or a transaction's number",
                },
            },
            "additionalProperties": False,
        }
    ),
]
"""As KIP has it, whose reader says what it may hold."""

ReadAsOf = Callable[[object], AsOf | None]
Warnings = list[dict[str, object]]


def _object(value: object) -> object:
    """Return the object that a text in a query says; another is left to the reader of the time."""
    try:
        said = from_json(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return said if isinstance(said, dict) else value


AskedAsOf = Annotated[AsOfMembers, BeforeValidator(_object), Field(examples=['{"known": 12}'])]
"""The same in a query, as JSON."""


def _seconds(value: object) -> object:
    """Return the seconds of a date; what is none is left to the number that it must be."""
    at = asked_instant(value) if isinstance(value, str) else None
    return value if at is None else at / 1_000


Until = Annotated[
    float,
    BeforeValidator(_seconds, json_schema_input_type=float | str),
    Field(description="Seconds since 1970, or an ISO 8601 text"),
]
Expected = Annotated[
    str | None, Field(description="The status it has; refused where it has another")
]
Most = Annotated[int, Field(ge=1, le=10_000), DIGITS]
_Claims = Annotated[list[ClaimMembers], Field(min_length=1, max_length=1_000)]
_EvidenceList = list[EvidenceMembers]
_Statuses = list[str]
_MadeClaims = list[Claim]


class Which(TypedDict, total=False):
    """Which claims: those that are all that is said here, and as of when."""

    scope_type: str
    scope_id: str
    status: list[str]
    project: str
    domain: str
    run: str
    show: str
    session: str
    agent: str
    tag: str
    artifact: str
    as_of: AskedAsOf


class Ids(TypedDict):
    ids: list[str]


class ClaimPage(TypedDict):
    claims: list[Claim]
    after: str | None
    warnings: NotRequired[Warnings]


class Count(TypedDict):
    count: int
    warnings: NotRequired[Warnings]


class ScoredClaim(TypedDict):
    score: float
    claim: Claim


class ScoredClaims(TypedDict):
    claims: list[ScoredClaim]
    warnings: NotRequired[Warnings]


class ClaimEvents(TypedDict):
    events: list[ClaimEvent]


class FeedEvents(TypedDict):
    events: list[FeedEvent]


class Moved(TypedDict):
    id: str
    claim_status: str


class Superseded(TypedDict):
    id: str
    claim_status: str
    superseded_by: str


class AttentionItems(TypedDict):
    items: list[AttentionItem]
    warnings: NotRequired[Warnings]


class AttentionView(TypedDict):
    item: AttentionItem
    claim: Claim | None
    events: list[ClaimEvent]


class Fingerprint(TypedDict):
    fingerprint: str


CLAIM: Final[Mapping[str, object]] = {
    "id": "5f0c7f2a",
    "text": "payments-service uses the saga pattern, not 2PC",
    "evidence": [{"kind": "file", "path": "src/payments/saga.py", "repo": "acme/payments"}],
    "claim_status": "observed",
    "confidence": 0.9,
    "scope_type": "repo",
    "scope_id": "github.com/acme/payments",
    "tags": ["architecture"],
}
"""The claim of the specification's own example."""

_ID: Final = {"id": CLAIM["id"]}
_PRINT: Final = {"fingerprint": f"claim:{CLAIM['id']}:knowledge.disputed.conflicting_evidence"}
_USER: Final = {"actor_type": "user", "actor_id": "ann"}
_EVIDENCE: Final = [{"kind": "tool_result", "tool_call_id": "call_123", "detail": "2PC is used"}]
_DISPUTE: Final = {
    **_ID,
    "status": "disputed",
    "expected_status": "verified",
    "reason": "the code says otherwise",
    "evidence": _EVIDENCE,
    "actor": _USER,
}
_QUESTION: Final = {
    "question": "What patterns does this codebase use for transactions?",
    "limit": 5,
}
_NOTHING: Final = 'FIND(?x) WHERE { ?x {id: "none"} }'
"""Asked for what KIP says of the time it is asked about."""

_AUTHOR: Final = frozenset({"actor_type", "actor_id", "session_id", "branch_id"})


class _OfGroup:
    """Calls of one group.

    `acting_as` returns who a caller acts as, and refuses somebody else's name: where a call names
    no actor, each of its claims tells who wrote it. `read_as_of` reads a point in time.
    """

    def __init__(self, nexus: Nexus, acting_as: ActingAs, read_as_of: ReadAsOf) -> None:
        self._nexus = nexus
        self._acting_as = acting_as
        self._read_as_of = read_as_of


class ClaimCalls(_OfGroup):
    """The calls of the claims of one group."""

    @call("POST", "", "writes", name="WriteClaims", example={"claims": [CLAIM]})
    def write(self, *, claims: _Claims, actor: ActorMembers | None = None) -> Ids:
        """Keep claims, all or none; one without evidence is refused, and that is recorded."""
        told = [_by(self._acting_as, one) for one in claims]
        who = _actor(actor, self._acting_as) if actor else Actor()
        made: _MadeClaims = []
        for signed in told:
            try:
                made.append(from_wire(Claim, signed))
            except ValueError as error:
                author = who if actor else _author(signed)
                text = signed.get("text")
                fingerprint = AttentionQueue(self._nexus).reject(text or "", author)
                raise refused(
                    str(error),
                    'pass "evidence": [{"kind": "file", "path": "..."}]',
                    details={"reason_code": EMPTY_EVIDENCE, "fingerprint": fingerprint},
                ) from error
        return Ids(ids=Writer(self._nexus).write(made, who))

    @call("GET", "", name="ListClaims", example={"run": "run_abc123"})
    def list(
        self, *, limit: Most = 50, after: str | None = None, **which: Unpack[Which]
    ) -> ClaimPage:
        """List claims, the newest first."""
        moment = self._read_as_of(which.get("as_of"))
        with self._nexus.snapshot():
            page = ClaimPage(claims=[], after=None, **_warned(self._nexus, moment))
            page["claims"] = listed(self._nexus, filters_of(which), limit, after, moment)
        page["after"] = page["claims"][-1].id if len(page["claims"]) == limit else None
        return page

    @call("GET", "count", name="CountClaims", example={"status": ["verified"]})
    def count(self, **which: Unpack[Which]) -> Count:
        """Count claims."""
        moment = self._read_as_of(which.get("as_of"))
        with self._nexus.snapshot():
            count = counted(self._nexus, filters_of(which), moment)
            return Count(count=count, **_warned(self._nexus, moment))

    @call("POST", "recall", name="RecallClaims", example=_QUESTION)
    def recall(
        self,
        *,
        question: str,
        scope: ScopeMembers | None = None,
        status: _Statuses | None = None,
        project: str | None = None,
        limit: Most = 10,
        as_of: AsOfMembers | None = None,
    ) -> ScoredClaims:
        """Answer a question with claims and their scores."""
        filters = Filters(None if scope is None else from_wire(Scope, scope), status, project)
        moment = self._read_as_of(as_of)
        with self._nexus.snapshot():
            found = recalled(self._nexus, question, filters, limit, moment)
            claims = [ScoredClaim(score=score, claim=one) for one, score in found]
            return ScoredClaims(claims=claims, **_warned(self._nexus, moment))

    @call("GET", "claim", name="GetClaim", example=_ID)
    def get(self, *, id: str, as_of: AskedAsOf | None = None) -> ClaimView:
        """Show one claim as a page would."""
        moment = self._read_as_of(as_of)
        with self._nexus.snapshot():
            claim = one_claim(self._nexus, whole_id(self._nexus, id), moment)
            if claim is None:
                raise no_claim(id)
            return viewed(self._nexus, claim, moment)

    @call("GET", "history", name="GetHistory", example=_ID)
    def history(self, *, id: str, as_of: AskedAsOf | None = None) -> ClaimEvents:
        """Tell what happened to a claim."""
        told = claim_events(self._nexus, id, self._read_as_of(as_of))
        return ClaimEvents(events=[one.event for one in told])

    @call("GET", "events", name="ListEvents", example={"after": "0.0"})
    def events(self, *, after: str = BEGINNING, limit: Most = 100) -> FeedEvents:
        """Tell what happened to all claims, oldest first."""
        return FeedEvents(events=events_after(self._nexus, after, limit))

    @call("POST", "transition", "writes", name="TransitionClaim", example=_DISPUTE)
    def transition(
        self,
        *,
        id: str,
        status: str,
        expected_status: Expected = None,
        evidence: _EvidenceList | None = None,
        reason: str | None = None,
        actor: ActorMembers | None = None,
    ) -> Moved:
        """Move a claim through its lifecycle."""
        who = _actor(actor, self._acting_as)
        refs = evidence_from(evidence)
        writer = Writer(self._nexus)
        claim_id = writer.transition(id, status, refs, reason, who, expected_status)
        return Moved(id=claim_id, claim_status=status)

    @call(
        "POST",
        "supersede",
        "writes",
        name="SupersedeClaim",
        example={"old_id": CLAIM["id"], "new_id": "9d3b1f6e", "actor": _USER},
    )
    def supersede(
        self,
        *,
        old_id: str,
        new_id: str,
        expected_status: Expected = None,
        actor: ActorMembers | None = None,
    ) -> Superseded:
        """Let one claim take the place of another."""
        who = _actor(actor, self._acting_as)
        old, new = Writer(self._nexus).supersede(old_id, new_id, who, expected_status)
        return Superseded(id=old, claim_status="superseded", superseded_by=new)


class AttentionCalls(_OfGroup):
    """The calls of the attention queue of one group."""

    @call("GET", "", name="ListAttention", example={"aside": True})
    def list(self, *, aside: bool = False, as_of: AskedAsOf | None = None) -> AttentionItems:
        """List what asks for attention."""
        moment = self._read_as_of(as_of)
        with self._nexus.snapshot():
            items = AttentionQueue(self._nexus).items(aside=aside, as_of=moment)
            return AttentionItems(items=items, **_warned(self._nexus, moment))

    @call("GET", "item", name="GetAttention", example=_PRINT)
    def get(self, *, fingerprint: str, as_of: AskedAsOf | None = None) -> AttentionView:
        """Tell why one thing asks for attention: its evidence, its claim and the claim's history."""  # noqa: E501
        nexus, moment, claim = self._nexus, self._read_as_of(as_of), None
        with nexus.snapshot():
            item = self._item(fingerprint, moment)
            if item.entity_type == "claim":
                claim = one_claim(nexus, item.entity_id, moment)
            events = [] if claim is None else claim_events(nexus, claim.id, moment)
        return AttentionView(item=item, claim=claim, events=[one.event for one in events])

    @call("POST", "dismiss", "writes", name="DismissAttention", example={**_PRINT, "actor": _USER})
    def dismiss(self, *, fingerprint: str, actor: ActorMembers | None = None) -> Fingerprint:
        """Put an item of attention aside."""
        AttentionQueue(self._nexus).dismiss(fingerprint, _actor(actor, self._acting_as))
        return Fingerprint(fingerprint=fingerprint)

    @call(
        "POST",
        "snooze",
        "writes",
        name="SnoozeAttention",
        example={**_PRINT, "until": 4_102_444_800.0, "actor": _USER},
    )
    def snooze(
        self, *, fingerprint: str, until: Until, actor: ActorMembers | None = None
    ) -> Fingerprint:
        """Put an item of attention aside for a while."""
        AttentionQueue(self._nexus).snooze(fingerprint, until, _actor(actor, self._acting_as))
        return Fingerprint(fingerprint=fingerprint)

    @call(
        "POST",
        "rejections",
        "writes",
        name="RecordRejection",
        example={"text": "payments uses sagas"},
    )
    def reject(self, *, text: str, actor: ActorMembers | None = None) -> Fingerprint:
        """Record that a claim was refused elsewhere."""
        who = _actor(actor, self._acting_as)
        return Fingerprint(fingerprint=AttentionQueue(self._nexus).reject(text, who))

    def _item(self, fingerprint: str, as_of: AsOf | None) -> AttentionItem:
        for one in AttentionQueue(self._nexus).items(aside=True, as_of=as_of):
            if one.fingerprint == fingerprint:
                return one
        raise RESOURCE_NOT_FOUND.error(
            f'nothing with the fingerprint "{fingerprint}" asks for attention', "GET /v1/attention"
        )


def filters_of(given: Mapping[str, Any]) -> Filters:
    """Return which claims a query asks for."""
    kind, name = given.get("scope_type"), given.get("scope_id")
    if kind is None and name is not None:
        raise refused("scope_id has no scope_type", "pass scope_type=repo too")
    scope = None if kind is None else Scope(kind, name)
    lenses = ("status", "project", "domain", "run", "show", "session", "agent", "tag", "artifact")
    return Filters(scope, **{name: given.get(name) for name in lenses})


class _Warned(TypedDict, total=False):
    warnings: Warnings


def _warned(nexus: Nexus, moment: AsOf | None) -> _Warned:
    """Return the warnings about the time that is asked about, if there are any."""
    notices = () if moment is None else nexus.read(_NOTHING, as_of=moment).notices
    return _Warned(warnings=[one.to_wire() for one in notices]) if notices else _Warned()


def _actor(members: Mapping[str, Any] | None, acting_as: ActingAs) -> Actor:
    return from_wire(Actor, _by(acting_as, members or {}))


def _by(acting_as: ActingAs, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return what somebody or something is said to be, as the doing of who asks."""
    who = acting_as(members.get("actor_id"))
    return dict(members) if who is None else {**members, "actor_id": who}


def _author(members: Mapping[str, Any]) -> Actor:
    """Return who a refused claim says wrote it, as far as that can be kept."""
    said: dict[str, object] = {}
    for name in _AUTHOR & members.keys():
        try:
            from_wire(Actor, {name: members[name]})
        except RecollectError:  # the claim is refused anyway, and that is recorded all the same
            continue
        said[name] = members[name]
    return from_wire(Actor, said)
