"""The calls of claims and of attention, as one table: what each takes, does and answers.

The rule: a call works on one group that its caller may see, and none of them forgets anything.
Specification 002, product implications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from pydantic import TypeAdapter

from recollect.errors import INVALID_ARGUMENT, RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.claims import (
    Actor,
    AttentionItem,
    AttentionQueue,
    Claim,
    Scope,
    claim_line,
    derive_claim_severity,
)
from recollect.faces.claims.attention import EMPTY_EVIDENCE
from recollect.faces.claims.feed import BEGINNING, events_after
from recollect.faces.claims.past import claim_events, no_claim
from recollect.faces.claims.reading import (
    Filters,
    claim_concept,
    claims_of,
    counted,
    listed,
    one_claim,
    recalled,
)
from recollect.faces.claims.records import SUPERSEDED_BY
from recollect.faces.claims.validation import checked_id
from recollect.faces.claims.wire import Wired, evidence_from, from_wire, to_wire
from recollect.faces.claims.writing import Writer
from recollect.faces.kip.as_of import read_as_of
from recollect.faces.kip.response import with_warnings
from recollect.faces.operations import Caller
from recollect.kernel import Nexus
from recollect.servers.http import claim_inputs as inputs
from recollect.servers.http.claim_examples import CLAIM

Given = Mapping[str, Any]
Run = Callable[[Nexus, Given], Mapping[str, object]]
Method = Literal["GET", "POST"]
PartT = TypeVar("PartT", bound=Wired)

CLAIMS: Final = "/v1/claims"
ATTENTION: Final = "/v1/attention"

_NOTHING: Final = 'FIND(?x) WHERE { ?x {id: "none"} }'
"""Asked for what KIP says of the time it is asked about."""

_LISTED = 50
_RECALLED = 10
_EVENTS = 100
_AUTHOR = frozenset({"actor_type", "actor_id", "session_id", "branch_id"})


@dataclass(frozen=True, slots=True)
class Call:
    """One call: a GET reads its fields in the query, a POST in the body."""

    name: str
    method: Method
    path: str
    summary: str
    run: Run
    given: TypeAdapter[object]
    example: Mapping[str, object]
    answers: str  # the schema of its output


def write_claims(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Keep claims, all or none; one without evidence is refused, and that is recorded."""
    actor = _actor(given)
    claims: list[Claim] = []
    for members in given["claims"]:
        try:
            claims.append(from_wire(Claim, members))
        except ValueError as error:
            who = actor if given.get("actor") else _author(members)
            fingerprint = AttentionQueue(nexus).reject(members.get("text") or "", who)
            raise RecollectError(
                INVALID_ARGUMENT,
                str(error),
                hint='pass "evidence": [{"kind": "file", "path": "..."}]',
                details={"reason_code": EMPTY_EVIDENCE, "fingerprint": fingerprint},
            ) from error
    return {"ids": Writer(nexus).write(claims, actor)}


def recall_claims(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Answer a question with claims and their scores.

    Warnings about the time that is asked about are beside them.
    """
    scope = _part(Scope, given.get("scope"))
    filters = Filters(scope, given.get("status"), given.get("project"))
    as_of = read_as_of(given.get("as_of"))
    with nexus.snapshot():
        notices = () if as_of is None else nexus.read(_NOTHING, as_of=as_of).notices
        limit = given.get("limit", _RECALLED)
        found = recalled(nexus, given["question"], filters, limit, as_of)
    output: dict[str, object] = {
        "claims": [{"score": score, "claim": to_wire(one)} for one, score in found]
    }
    return with_warnings(output, notices)


def list_claims(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """List claims, the newest first."""
    limit = given.get("limit", _LISTED)
    claims = listed(nexus, filters_of(given), limit, given.get("after"))
    is_full = len(claims) == limit
    return {
        "claims": [to_wire(one) for one in claims],
        "after": claims[-1].id if is_full else None,
    }


def count_claims(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Count claims."""
    return {"count": counted(nexus, filters_of(given))}


def get_claim(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Show one claim as a page would."""
    concept = claim_concept(nexus, given["id"])
    if concept is None:
        raise no_claim(given["id"])
    (claim,) = claims_of(nexus, [concept])
    follower = concept.attributes.get(SUPERSEDED_BY)
    superseded_by = follower if isinstance(follower, str) else None
    events = [one.event for one in claim_events(nexus, claim.id)]
    severity, tone = derive_claim_severity(claim)
    return {
        "claim": to_wire(claim),
        "line": claim_line(claim, events, superseded_by),
        "severity": severity,
        "tone": tone,
        "superseded_by": superseded_by,
    }


def get_history(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Tell what happened to a claim."""
    return {"events": [to_wire(one.event) for one in claim_events(nexus, given["id"])]}


def list_events(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Tell what happened to all claims, oldest first."""
    events = events_after(nexus, given.get("after", BEGINNING), given.get("limit", _EVENTS))
    return {"events": [to_wire(one) for one in events]}


def transition_claim(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Move a claim through its lifecycle."""
    claim_id = checked_id(given["id"])
    Writer(nexus).transition(
        claim_id,
        given["status"],
        evidence_from(given.get("evidence")),
        given.get("reason"),
        _actor(given),
        given.get("expected_status"),
    )
    return {"id": claim_id, "claim_status": given["status"]}


def supersede_claim(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Let one claim take the place of another."""
    old_id = checked_id(given["old_id"], "old_id")
    new_id = checked_id(given["new_id"], "new_id")
    Writer(nexus).supersede(old_id, new_id, _actor(given), given.get("expected_status"))
    return {"id": old_id, "claim_status": "superseded", "superseded_by": new_id}


def list_attention(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """List what asks for attention."""
    items = AttentionQueue(nexus).items(aside=given.get("aside", False))
    return {"items": [to_wire(one) for one in items]}


def get_attention(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Tell why one thing asks for attention: its evidence, its claim and the claim's history."""
    item = _item(nexus, given["fingerprint"])
    claim = one_claim(nexus, item.entity_id) if item.entity_type == "claim" else None
    events = [] if claim is None else claim_events(nexus, claim.id)
    return {
        "item": to_wire(item),
        "claim": None if claim is None else to_wire(claim),
        "events": [to_wire(one.event) for one in events],
    }


def dismiss_attention(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Put an item of attention aside."""
    AttentionQueue(nexus).dismiss(given["fingerprint"], _actor(given))
    return {"fingerprint": given["fingerprint"]}


def snooze_attention(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Put an item of attention aside for a while."""
    AttentionQueue(nexus).snooze(given["fingerprint"], given["until"], _actor(given))
    return {"fingerprint": given["fingerprint"]}


def record_rejection(nexus: Nexus, given: Given) -> Mapping[str, object]:
    """Record that a claim was refused elsewhere."""
    return {"fingerprint": AttentionQueue(nexus).reject(given["text"], _actor(given))}


def signed(given: Given, caller: Caller) -> Given:
    """Return the input of a call, with the caller's name as its actor and author.

    Where the call names no actor, each of its claims tells who wrote it.

    PERMISSION_DENIED if the call names another actor: the same rule as in KIP.
    """
    if caller.name is None:
        return given
    said = dict(given)
    if "claims" in given:
        said["claims"] = [_by(caller, one) for one in given["claims"]]
    if "claims" not in given or given.get("actor"):
        said["actor"] = _by(caller, given.get("actor") or {})
    return said


def filters_of(given: Given) -> Filters:
    """Return which claims a query asks for."""
    kind, name = given.get("scope_type"), given.get("scope_id")
    if kind is None and name is not None:
        raise RecollectError(
            INVALID_ARGUMENT, "scope_id has no scope_type", hint="pass scope_type=repo too"
        )
    scope = None if kind is None else Scope(kind, name)
    lenses = ("status", "project", "domain", "run", "show", "session", "agent", "tag", "artifact")
    return Filters(scope, **{name: given.get(name) for name in lenses})


def _by(caller: Caller, members: Given) -> Given:
    return {**members, "actor_id": caller.acting_as(members.get("actor_id"))}


def _author(members: Given) -> Actor:
    """Return who a refused claim says wrote it, as far as that can be kept."""
    said: dict[str, object] = {}
    for name in _AUTHOR & members.keys():
        try:
            from_wire(Actor, {name: members[name]})
        except RecollectError:  # the claim is refused anyway, and that is recorded all the same
            continue
        said[name] = members[name]
    return from_wire(Actor, said)


def _actor(given: Given) -> Actor:
    return _part(Actor, given.get("actor")) or Actor()


def _part(kind: type[PartT], members: object) -> PartT | None:
    return None if members is None else from_wire(kind, members)


def _item(nexus: Nexus, fingerprint: str) -> AttentionItem:
    for one in AttentionQueue(nexus).items(aside=True):
        if one.fingerprint == fingerprint:
            return one
    raise RecollectError(
        RESOURCE_NOT_FOUND,
        f'nothing with the fingerprint "{fingerprint}" asks for attention',
        hint=f"GET {ATTENTION}",
    )


def _call(
    run: Run, method: Method, path: str, given: type, answers: str, example: Mapping[str, object]
) -> Call:
    name = "".join(part.title() for part in run.__name__.split("_"))
    summary = str(run.__doc__).splitlines()[0].rstrip(".")
    return Call(name, method, path, summary, run, TypeAdapter(given), example, answers)


_ID: Final = {"id": CLAIM["id"]}
_FINGERPRINT: Final = {
    "fingerprint": f"claim:{CLAIM['id']}:knowledge.disputed.conflicting_evidence"
}
_USER: Final = {"actor_type": "user", "actor_id": "ann"}
_EVIDENCE: Final = [{"kind": "tool_result", "tool_call_id": "call_123", "detail": "2PC is used"}]

CALLS: Final = (
    _call(write_claims, "POST", CLAIMS, inputs.WriteClaims, "Ids", {"claims": [CLAIM]}),
    _call(list_claims, "GET", CLAIMS, inputs.ListClaims, "ClaimPage", {"run": "run_abc123"}),
    _call(
        count_claims,
        "GET",
        f"{CLAIMS}/count",
        inputs.CountClaims,
        "Count",
        {"status": ["verified"]},
    ),
    _call(
        recall_claims,
        "POST",
        f"{CLAIMS}/recall",
        inputs.RecallClaims,
        "ScoredClaims",
        {"question": "What patterns does this codebase use for transactions?", "limit": 5},
    ),
    _call(get_claim, "GET", f"{CLAIMS}/claim", inputs.ClaimId, "ClaimView", _ID),
    _call(get_history, "GET", f"{CLAIMS}/history", inputs.ClaimId, "ClaimEvents", _ID),
    _call(
        list_events, "GET", f"{CLAIMS}/events", inputs.ListEvents, "FeedEvents", {"after": "0.0"}
    ),
    _call(
        transition_claim,
        "POST",
        f"{CLAIMS}/transition",
        inputs.TransitionClaim,
        "Moved",
        {
            **_ID,
            "status": "disputed",
            "expected_status": "verified",
            "reason": "the code says otherwise",
            "evidence": _EVIDENCE,
            "actor": _USER,
        },
    ),
    _call(
        supersede_claim,
        "POST",
        f"{CLAIMS}/supersede",
        inputs.SupersedeClaim,
        "Superseded",
        {"old_id": CLAIM["id"], "new_id": "9d3b1f6e", "actor": _USER},
    ),
    _call(
        list_attention, "GET", ATTENTION, inputs.ListAttention, "AttentionItems", {"aside": True}
    ),
    _call(
        get_attention,
        "GET",
        f"{ATTENTION}/item",
        inputs.AttentionFingerprint,
        "AttentionView",
        _FINGERPRINT,
    ),
    _call(
        dismiss_attention,
        "POST",
        f"{ATTENTION}/dismiss",
        inputs.DismissAttention,
        "Fingerprint",
        {**_FINGERPRINT, "actor": _USER},
    ),
    _call(
        snooze_attention,
        "POST",
        f"{ATTENTION}/snooze",
        inputs.SnoozeAttention,
        "Fingerprint",
        {**_FINGERPRINT, "until": 4_102_444_800.0, "actor": _USER},
    ),
    _call(
        record_rejection,
        "POST",
        f"{ATTENTION}/rejections",
        inputs.RecordRejection,
        "Fingerprint",
        {"text": "payments uses sagas"},
    ),
)
"""Every call, in the order of the description."""

SEARCH: Final = "Search"
NAMES: Final = frozenset({SEARCH, *(one.name for one in CALLS)})
"""What the calls are called in metrics and in the log."""
