"""Remember: a claim with its evidence, facts, or both, and episodes.

The rule: one call is one transaction, and the same call twice changes nothing more.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, cast

from recollect.errors import CODES, INVALID_ARGUMENT, INVALID_VALUE, Notice, RecollectError
from recollect.faces.claims import Actor, Claim
from recollect.faces.claims.attention import EMPTY_EVIDENCE, AttentionQueue
from recollect.faces.claims.reading import one_claim
from recollect.faces.claims.wire import evidence_from
from recollect.faces.claims.words import ACTIVE
from recollect.faces.claims.writing import Writer
from recollect.faces.kip import begin_life
from recollect.faces.operations import Policy
from recollect.faces.operations.facts import put_fact
from recollect.faces.operations.inputs import FactItem
from recollect.faces.operations.outputs import Error
from recollect.kernel import asked_instant
from recollect.model import (
    BatchReport,
    Change,
    Local,
    Named,
    PutConcept,
    Reference,
    Value,
    instant_text,
)
from recollect.servers.mcp.inputs import AddEpisode, Evidence, Fact, Node, Remember
from recollect.servers.mcp.memory import Memory
from recollect.servers.mcp.outputs import Accepted, Kept, KeptClaim, Members, Remembered
from recollect.faces.memory.scalars import put_scalar

_End = str | Node | bool | float

_NAMESPACE: Final = uuid.UUID("5b9c52d8-6d6e-5a0e-9b52-0c5f6f1a7e11")


def remember(memory: Memory, given: Remember) -> Remembered:
    """Keep a claim, facts or both; INVALID_ARGUMENT for neither.

    A claim without evidence is refused too, and that is recorded.
    """
    text, evidence, facts = given.get("text"), given.get("evidence"), given.get("facts")
    if text is None and not facts:
        raise RecollectError(
            INVALID_ARGUMENT,
            "there is nothing to remember: neither text nor facts are given",
            hint='pass text with evidence, or facts: [{"subject", "predicate", "object"}]',
        )
    if text is None and evidence:
        raise RecollectError(
            INVALID_ARGUMENT,
            "evidence is given without the text of a claim",
            hint="pass text too; a fact takes its source in its member source",
        )
    if text is not None and not evidence:
        fingerprint = AttentionQueue(memory.nexus).reject(text, Actor("agent", memory.actor))
        raise RecollectError(
            INVALID_ARGUMENT,
            "a claim has no evidence, so nothing is kept",
            hint='pass evidence: [{"kind": "user_statement", "detail": "what the user said"}]',
            details={"reason_code": EMPTY_EVIDENCE, "fingerprint": fingerprint},
        )
    answer = Remembered()
    with memory.nexus.transaction():
        if facts:
            begin_life(memory.nexus, actor=memory.actor)
        if text is not None:
            claim = _claim(memory, text, evidence or [], given.get("confidence", 1.0))
            answer["claim"] = KeptClaim(
                id=claim.id, text=text, status=claim.claim_status, confidence=claim.confidence
            )
            notices = [*_notices(claim, given.get("confidence"))]
            if notices:
                answer["warnings"] = [cast("Members", one.to_wire()) for one in notices]
        if facts:
            answer["facts"] = _facts(memory, facts)
    return answer


def add_episode(memory: Memory, given: AddEpisode) -> Accepted:
    """Keep what happened; facts are found in it afterwards, by this server or a worker."""
    time = given.get("reference_time") or datetime.now(UTC).isoformat(timespec="milliseconds")
    item = {**given, "source": given.get("source", "text"), "reference_time": time}
    envelope = memory.service.operations.call(
        "AddEpisodes", {"group_id": memory.group, "items": [item]}
    )
    if "error" in envelope:
        raise _failed(envelope["error"])
    return cast("Accepted", envelope["output"])


def _failed(error: Error) -> RecollectError:
    """Return the error of an envelope as one of the memory."""
    details = dict(error.get("details", {}))
    hint, _ = details.pop("hint", ""), details.pop("retry", None)
    return RecollectError(
        CODES[error["error_code"]], error["message"], hint=str(hint), details=details
    )


def _claim(memory: Memory, text: str, evidence: Sequence[Evidence], confidence: float) -> Claim:
    """Keep a claim under an id derived from its content, so that it is kept once; return it."""
    says = json.dumps([memory.group, text, list(evidence)], sort_keys=True)
    identifier = str(uuid.uuid5(_NAMESPACE, says))
    there = one_claim(memory.nexus, identifier)
    if there is not None:
        return there
    claim = Claim(
        text,
        evidence_from(list(evidence)),
        confidence=confidence,
        id=identifier,
        actor_id=memory.actor,
    )
    Writer(memory.nexus).write([claim], Actor("agent", memory.actor))
    return claim


def _notices(claim: Claim, confidence: float | None) -> Iterator[Notice]:
    """Return how a claim that an earlier call kept differs from the one to be kept now."""
    if claim.claim_status not in ACTIVE:
        yield Notice(
            "claim_stays",
            f"the claim is there already and is {claim.claim_status}, so it is not recalled",
            hint="call explain_memory with its id to see why",
        )
    if confidence is not None and claim.confidence != confidence:
        yield Notice(
            "claim_stays",
            f"the claim is there already with the confidence {claim.confidence:g}",
            hint="to say how sure you are now, remember it with other evidence",
        )


def _facts(memory: Memory, facts: Sequence[Fact]) -> list[Kept]:
    nodes = dict(_scalars(facts))
    puts = [_put(fact, at) for at, fact in enumerate(facts)]
    changes: list[Change] = [*nodes.values(), *(put for _, put in puts)]
    (report,) = memory.nexus.write(changes, actor=memory.actor).results
    assert isinstance(report, BatchReport)
    ids = report.ids[len(nodes) :]
    return [Kept(id=one, text=words) for one, (words, _) in zip(ids, puts, strict=True)]


def _scalars(facts: Sequence[Fact]) -> Iterator[tuple[str, PutConcept]]:
    """Yield what puts the numbers and booleans that facts are told of, by handle."""
    for fact in facts:
        end = fact["object"]
        if isinstance(end, (bool, int, float)):
            yield _handle(end), put_scalar(end, _handle(end))


def _put(fact: Fact, at: int) -> tuple[str, Change]:
    """Return the words of a fact, and the change that puts it."""
    start, end = _called(fact["subject"]), _called(fact["object"])
    words = fact.get("fact") or f"{start} {fact['predicate'].replace('_', ' ')} {end}"
    item = FactItem(
        name=fact["predicate"],
        fact=words,
        source_node_uuid="",
        target_node_uuid="",
        valid_at=_time(fact.get("valid_at"), f"facts[{at}].valid_at"),
        invalid_at=_time(fact.get("invalid_at"), f"facts[{at}].invalid_at"),
    )
    try:
        put = put_fact(Policy(), item, subject=_end(fact["subject"]), target=_end(fact["object"]))
    except RecollectError as error:
        raise replace(error, message=f"facts[{at}].{error.message}") from error
    said: dict[str, Value] = {}
    if "source" in fact:
        said["source"] = fact["source"]
    if "confidence" in fact:
        said["confidence"] = fact["confidence"]
    return words, replace(put, metadata={**put.metadata, **said})


def _called(end: _End) -> str:
    match end:
        case str():
            return end
        case bool() | int() | float():
            return put_scalar(end).name
        case _:
            return end["name"]


def _end(end: _End) -> Reference:
    """Return an end of a fact: what a plain name means, or the one of that type and name."""
    match end:
        case str():
            return Named(end)
        case bool() | int() | float():
            return Local(_handle(end))
        case _:
            return Named(end["name"], end["type"])


def _handle(end: bool | float) -> str:
    return json.dumps([put_scalar(end).type, end])


def _time(text: str | None, field: str) -> str | None:
    if text is None:
        return None
    instant = asked_instant(text)
    if instant is None:
        raise RecollectError(
            INVALID_VALUE,
            f"{field} is {text!r}, which is not an ISO 8601 date or time",
            hint='write it like "2024-01-31" or "2024-01-31T09:30:00Z"',
        )
    return instant_text(instant)
