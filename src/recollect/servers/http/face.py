"""What a face brings to the server, and what the server gives to every face.

The rule: a route checks no token, counts no bytes and catches nothing: the guard has let the call
in, the edge bounds what it reads, and it raises RecollectError.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fastapi import APIRouter, Request

from recollect.errors import RecollectError
from recollect.faces.operations import Caller
from recollect.faces.operations.envelope import failure
from recollect.node import dataclass, field
from recollect.servers.http.guard import HttpGuard, Looks, Options
from recollect.servers.http.metrics import Metrics
from recollect.servers.service import ServedMemory

Tell = Callable[[str, RecollectError], Mapping[str, object]]
"""Returns the body that tells of an error, for the id of a request."""


ResultT = TypeVar("ResultT")


class Threads:
    """The threads that the memory is worked on in; used from one event loop.

    They are as many as were allowed. Who waits for one holds the bytes of a body and no more: a
    body is read where it is worked on.
    """

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="recollect-http")

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """Return what the work returns, when its turn has come."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Wait for what is running, and take nothing more."""
        self._pool.shutdown(wait=True)


@dataclass(frozen=True, slots=True)
class SharedParts:
    """What all faces of one server share."""

    service: ServedMemory
    threads: Threads
    guard: HttpGuard
    metrics: Metrics
    looks: Looks

    ending: asyncio.Event
    """Set when the server is about to end: what would go on for ever ends too."""

    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Face:
    """The routes of one face, below one prefix."""

    prefix: str
    router: APIRouter
    schemas: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """What its routes refer to as `#/components/schemas/...`."""

    tell: Tell = failure
    """How it tells of an error: the envelope of the operations, if nothing else is said."""

    bodies: Mapping[str, int] = field(default_factory=dict)
    """The bytes of a body, by the path that takes larger ones than others."""

    is_open: bool = False
    """Whether its routes are for everybody, without a token."""


def caller_of(request: Request) -> Caller:
    """Return who asks, as the guard has found; only for a route of a face that is not open."""
    caller: Caller = request.state.caller
    return caller


def request_id_of(request: Request) -> str:
    """Return the id of a request: of its header, else a new one; a face may know a better one."""
    request_id: str = request.state.request_id
    return request_id
