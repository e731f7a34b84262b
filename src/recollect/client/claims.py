"""Claims on a server: a knowledge store like those in this process.

The rule: what a store would refuse is refused here, in the same words and before anything is
sent. What the server refuses is raised as it would be there, and a server that is not reached is
UNAVAILABLE, which is not an empty answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Self, Unpack, cast

from recollect.client.calls import HttpExchange, Remote
from recollect.client.connection import Connection
from recollect.client.kip import as_of_members
from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.claims import (
    STATUSES,
    Actor,
    AttentionItem,
    Claim,
    ClaimEvent,
    EvidenceRef,
    FeedEvent,
    Scope,
    acting_now,
)
from recollect.faces.claims.attention import EMPTY_EVIDENCE
from recollect.faces.claims.audit_log import LogSink
from recollect.faces.claims.calls import AttentionCalls, ClaimCalls
from recollect.faces.claims.feed import place_of
from recollect.faces.claims.learning import log_supersession
from recollect.faces.claims.model import (
    LONGEST_NAME,
    asked_time,
    checked_claims,
    checked_id,
    checked_limit,
    checked_text,
    given_evidence,
    known_word,
    optional_text,
    storable,
)
from recollect.faces.claims.protocol import RankedStore
from recollect.faces.claims.records import FilterArguments, Filters
from recollect.faces.claims.wire import from_wire, kept_claim
from recollect.faces.operations import Envelope
from recollect.kernel import check_as_of
from recollect.model import AsOf

Claims = list[Claim]
Scored = list[tuple[Claim, float]]
Events = list[ClaimEvent]
Evidence = list[EvidenceRef]
Ids = list[str]
Items = list[AttentionItem]
Feed = list[FeedEvent]
"""Lists, since a store has a method of that name."""


class RemoteKnowledgeStore(Connection, RankedStore):
    """Claims of one group on a server; safe to share between threads and event loops.

    `url` is the address of the server, `token` what it knows the caller by, `group` the group;
    without one it is the token's own. `timeout` is in seconds, for one attempt. What may have
    arrived is sent again only where twice is the same as once: reads, and writing claims.
    `logger` is told of each supersession, since no Branch is.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        group: str | None = None,
        timeout: float = 30.0,
        logger: LogSink | None = None,
    ) -> None:
        super().__init__(url, token, timeout=timeout)
        self.logger = logger
        self.group = optional_text(group, "group")
        self._claims = Remote.of(self._sent, "/v1/claims", ClaimCalls, self.group)
        self._queue = Remote.of(self._sent, "/v1/attention", AttentionCalls, self.group)

    async def write_claims(self, claims: Sequence[Claim]) -> Ids:
        """Persist many claims in one transaction, all or none; return their ids."""
        given = checked_claims(claims)
        if not given:
            return []
        members = {"claims": [asdict(one) for one in given], **_actor()}
        output = await self._asked(self._claims, "write", members, may_repeat=True)
        return cast("Ids", output["ids"])

    async def recall_scored(
        self,
        question: str,
        *,
        scope: Scope | None = None,
        status: Sequence[str] | None = None,
        project: str | None = None,
        limit: int = 10,
        as_of: AsOf | None = None,
    ) -> Scored:
        """Return the claims a question is about, each with its score in 0..1."""
        limit = checked_limit(limit)
        if as_of is not None:
            check_as_of(as_of)
        if not isinstance(question, str):
            raise refused(f"the question is of type {type(question).__name__}", "pass a text")
        Filters(scope=scope, status=status, project=project).where()
        members = {
            "question": question.encode("utf-8", "replace").decode(),
            "scope": None if scope is None else asdict(scope),
            "status": None if status is None else list(status),
            "project": project,
            "limit": limit,
            "as_of": None if as_of is None else as_of_members(as_of),
        }
        output = await self._asked(self._claims, "recall", members)
        return [(kept_claim(one["claim"]), float(one["score"])) for one in output["claims"]]

    async def transition(
        self,
        claim_id: str,
        new_status: str,
        *,
        evidence: Evidence | None = None,
        reason: str | None = None,
        expected_status: str | None = None,
    ) -> None:
        """Move a claim through its lifecycle.

        NOT_FOUND for an unknown id; CONFLICT for a status that may not follow, and where the
        claim is not in `expected_status`.
        """
        members = {
            "id": checked_id(claim_id),
            "status": known_word(new_status, STATUSES, "new_status"),
            "evidence": [asdict(one) for one in given_evidence(evidence)],
            "reason": optional_text(reason, "reason"),
            "expected_status": _status(expected_status),
            **_actor(),
        }
        await self._asked(self._claims, "transition", members)

    async def supersede(
        self, old_id: str, new_id: str, *, expected_status: str | None = None
    ) -> None:
        """Mark the old claim superseded by the new one, whose `supersedes` names it."""
        members = {
            "old_id": checked_id(old_id, "old_id"),
            "new_id": checked_id(new_id, "new_id"),
            "expected_status": _status(expected_status),
            **_actor(),
        }
        await log_supersession(self, old_id)
        await self._asked(self._claims, "supersede", members)

    async def history(self, claim_id: str) -> Events:
        """Return what happened to a claim, oldest first; NOT_FOUND for an unknown id."""
        output = await self._asked(self._claims, "history", {"id": checked_id(claim_id)})
        return [from_wire(ClaimEvent, one) for one in output["events"]]

    async def get(self, claim_id: str) -> Claim | None:
        """Return a claim by id, if there is one."""
        try:
            return kept_claim((await self._claim(claim_id))["claim"])
        except RecollectError as error:
            if error.code is not RESOURCE_NOT_FOUND or "claim_id" not in error.details:
                raise  # the server has no such claim only where it names one
            return None

    async def superseded_by(self, claim_id: str) -> str | None:
        """Return the id of the claim that took a claim's place, if one did."""
        return cast("str | None", (await self._claim(claim_id))["superseded_by"])

    async def list(
        self, *, limit: int = 50, after: str | None = None, **which: Unpack[FilterArguments]
    ) -> Claims:
        """Return claims, the newest first; `after` is the id of the last one of a page before.

        `show` names what was written during a show, `agent` what is scoped to an agent,
        `artifact` what cites it.
        """
        most, last = checked_limit(limit), None if after is None else checked_id(after, "after")
        given = {**_lenses(Filters(**which)), "limit": most, "after": last}
        output = await self._asked(self._claims, "list", given)
        return [kept_claim(one) for one in output["claims"]]

    async def count(self, **which: Unpack[FilterArguments]) -> int:
        """Return how many claims `list` has."""
        output = await self._asked(self._claims, "count", _lenses(Filters(**which)))
        return cast("int", output["count"])

    async def attention(self, *, aside: bool = False) -> Items:
        """Return what asks for attention, warnings first; with `aside` what was put aside too."""
        output = await self._asked(self._queue, "list", {"aside": aside or None})
        return [from_wire(AttentionItem, one) for one in output["items"]]

    async def dismiss(self, fingerprint: str) -> None:
        """Put an item of attention aside until its status or reason changes."""
        members = {"fingerprint": checked_text(fingerprint, "fingerprint"), **_actor()}
        await self._asked(self._queue, "dismiss", members)

    async def snooze(self, fingerprint: str, until: float | str) -> None:
        """Put an item of attention aside until a time after now, in seconds since 1970."""
        members = {
            "fingerprint": checked_text(fingerprint, "fingerprint"),
            "until": asked_time(until, "until"),
            **_actor(),
        }
        await self._asked(self._queue, "snooze", members)

    async def record_rejection(self, text: str) -> str:
        """Record that a claim was refused for want of evidence; return its fingerprint."""
        members = {"text": storable(str(text)[:1_000]), **_actor()}
        output = await self._asked(self._queue, "reject", members)
        return cast("str", output["fingerprint"])

    async def events(self, after: str = "0.0", limit: int = 100) -> Feed:
        """Return what happened to all claims after an event's id, oldest first."""
        place_of(after)
        members = {"after": after, "limit": checked_limit(limit)}
        output = await self._asked(self._claims, "events", members)
        return [from_wire(FeedEvent, one) for one in output["events"]]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    async def _claim(self, claim_id: str) -> Mapping[str, Any]:
        return await self._asked(self._claims, "get", {"id": checked_id(claim_id)})

    async def _asked(
        self,
        calls: Remote,
        function: str,
        given: Mapping[str, object],
        *,
        may_repeat: bool = False,
    ) -> Mapping[str, Any]:
        """Return the output of a call, or raise what a store here would raise."""
        try:
            return await asyncio.to_thread(calls.call, function, given, may_repeat=may_repeat)
        except RecollectError as error:
            if error.details.get("reason_code") == EMPTY_EVIDENCE:
                raise ValueError(error.message) from None
            raise

    def _sent(self, exchange: HttpExchange) -> Envelope:
        return self._answer(exchange, {"x-request-id": exchange.request_id})


def _actor() -> dict[str, object]:
    """Return who acts, as a call carries it."""
    actor = acting_now()
    return {} if actor == Actor() else {"actor": asdict(actor)}


def _status(word: str | None) -> str | None:
    return None if word is None else known_word(word, STATUSES, "expected_status")


def _lenses(filters: Filters) -> dict[str, object]:
    """Return which claims are asked for, as a query carries it, each field checked."""
    filters.where()
    scope, status = filters.scope, filters.status
    return {
        "scope_type": None if scope is None else scope.scope_type,
        "scope_id": None if scope is None else scope.scope_id,
        "status": None if status is None else list(status),
        "project": filters.project,
        "domain": filters.domain,
        "run": filters.run,
        "show": optional_text(filters.show, "show_id"),
        "session": filters.session,
        "agent": filters.agent,
        "tag": optional_text(filters.tag, "tag", LONGEST_NAME),
        "artifact": optional_text(filters.artifact, "artifact"),
    }
