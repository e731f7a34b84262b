"""What happens to the claims of a group, as server-sent events: `GET /v1/events`.

The rule: a stream is read from the change log at the pace of its listener, a page at a time, so
nothing piles up, and whoever comes back with the id of the last event misses none. Where the
group was deleted meanwhile, the stream ends, and the id is refused.
Specification 002, product implications.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from typing import Final, NotRequired, cast

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter, with_config
from starlette.types import Receive, Scope, Send
from typing_extensions import TypedDict

from recollect.errors import UNAVAILABLE, RecollectError
from recollect.faces.claims.feed import FeedEvent, FeedPage, page_after, place_of, present
from recollect.faces.operations.envelope import checked
from recollect.kernel import Nexus
from recollect.node import replace
from recollect.servers.http.answers import REQUEST_ID, in_header
from recollect.servers.http.calls import IN_QUERY, group_of, query_members
from recollect.servers.http.described import GROUP, answered_by, parameter
from recollect.servers.http.face import Face, SharedParts, request_id_of
from recollect.servers.http.logs import log_failure

PATH: Final = "/v1/events"

_LAST: Final = "last-event-id"
_PAGE: Final = 100  # events read at once
_HEARTBEAT: Final = b": still here\n\n"


@with_config(IN_QUERY)
class StreamEvents(TypedDict):
    """Where a stream of events begins: after the id of one."""

    after: NotRequired[str]
    memory: NotRequired[bool]


_GIVEN: Final[TypeAdapter[object]] = TypeAdapter(StreamEvents)
_EXAMPLE: Final = (
    "id: 17.1\nevent: knowledge.created\n"
    'data: {"claim_id":"5f0c7f2a","at":1790000000.0,"fingerprint":null,"change":null}\n\n'
)
_SEEN: Final = "The id of the last event that was seen; without it, from now on"
_SINCE: Final = "The same, for who cannot send the header; 0.0 is before the first"
_TELLS: Final = "Whether to tell `memory.changed` too, with the last transaction"
_PARAMETERS: Final = [
    GROUP,
    parameter("Last-Event-ID", _SEEN, "17.1", place="header"),
    parameter("after", _SINCE, "0.0"),
    parameter("memory", _TELLS, False, type="boolean"),
]


def events_face(shared: SharedParts) -> Face:
    """Return the face: one stream for each listener, as many as the server was told to keep."""
    router = APIRouter(tags=["claims"])
    streams = Streams(shared)

    async def events(request: Request) -> StreamingResponse:
        return await streams.begun(request)

    content = {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}}
    responses = answered_by("ErrorResponse")
    responses[200] = {"description": "Events, until one side ends", "content": content}
    router.add_api_route(
        PATH,
        events,
        methods=["GET"],
        operation_id="Events",
        summary="What happens to claims, as it happens",
        response_class=StreamingResponse,
        responses=responses,
        openapi_extra={"parameters": _PARAMETERS},
    )
    return Face(PATH, router)


class Stream(StreamingResponse):
    """A stream that says when it has ended, however it ends."""

    def __init__(
        self, told: AsyncIterator[bytes], closed: Callable[[], None], headers: Mapping[str, str]
    ) -> None:
        super().__init__(told, headers=headers, media_type="text/event-stream")
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell the events until the listener or the server ends it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._closed()


class Streams:
    """The streams of one server; used from its event loop alone."""

    def __init__(self, shared: SharedParts) -> None:
        self._shared = shared
        self._open = 0

    async def begun(self, request: Request) -> StreamingResponse:
        """Return a stream; errors in the request are raised before it begins."""
        nexus = self._shared.service.nexus.group(group_of(request, self._shared))
        given = cast("StreamEvents", checked(_GIVEN, query_members(request)))
        after = request.headers.get(_LAST) or given.get("after")
        if self._open >= self._shared.options.streams:
            raise UNAVAILABLE.error(f"{self._open} streams are open already", "try again later")
        self._open += 1
        try:
            if after is None:
                after = await self._shared.threads.run(lambda: present(nexus))
            first = await self._read(nexus, after)
        except BaseException:
            self._open -= 1
            raise
        request_id = request_id_of(request)
        headers = {REQUEST_ID: in_header(request_id), "cache-control": "no-store"}
        told = self._stream(nexus, after, first, request_id, tells_all=given.get("memory", False))
        return Stream(told, self._closed, headers)

    async def _stream(
        self, nexus: Nexus, after: str, page: FeedPage, request_id: str, *, tells_all: bool
    ) -> AsyncIterator[bytes]:
        """Yield the events, and a heartbeat where there are none, until the server ends.

        With `tells_all` also that the memory has changed, once for what a look into the log finds.
        """
        ending, silence = self._shared.ending, self._shared.options.heartbeat_seconds
        yield f"id: {after}\n\n".encode()  # so that a listener who has seen nothing can come back
        told_at = time.monotonic()
        while not ending.is_set():
            if page.events:
                yield b"".join(map(event_text, page.events))
                told_at = time.monotonic()
            if tells_all and place_of(page.after) > place_of(after):
                yield changed_text(page.after)
                told_at = time.monotonic()
            after = page.after
            if not page.events and time.monotonic() - told_at >= silence:
                yield _HEARTBEAT
                told_at = time.monotonic()
            try:
                if page.is_last and not await self._has_gone_on(nexus, after):
                    page = replace(page, events=[])
                else:
                    page = await self._read(nexus, page.after)
            except RecollectError as error:
                # The listener comes back with its last id, and is told by the answer.
                log_failure(request_id, error)
                return

    async def _has_gone_on(self, nexus: Nexus, after: str) -> bool:
        """Wait for the next look at all groups; return whether this one has another transaction.

        One that has fewer was deleted, which reading it tells.
        """
        numbers = await self._shared.looks.next(nexus)
        return numbers[nexus.group_name] != place_of(after)[0] - 1

    async def _read(self, nexus: Nexus, after: str) -> FeedPage:
        return await self._shared.threads.run(lambda: page_after(nexus, after, _PAGE))

    def _closed(self) -> None:
        self._open -= 1


def event_text(event: FeedEvent) -> bytes:
    """Return an event as a stream carries it.

    >>> event_text(FeedEvent("1.1", "attention.set_aside", 0.0, None, "f")).splitlines()[:2]
    [b'id: 1.1', b'event: attention.set_aside']
    """
    members = asdict(event)
    head = f"id: {members.pop('id')}\nevent: {members.pop('event')}\ndata: "
    return head.encode() + orjson.dumps(members) + b"\n\n"


def changed_text(after: str) -> bytes:
    """Return what a stream carries when the memory has changed up to a place in its log.

    >>> changed_text("18.0").splitlines()
    [b'id: 18.0', b'event: memory.changed', b'data: {"transaction":17}', b'']
    """
    number, place = place_of(after)
    told = orjson.dumps({"transaction": number if place else number - 1})
    return f"id: {after}\nevent: memory.changed\ndata: ".encode() + told + b"\n\n"
