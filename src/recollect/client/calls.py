"""The calls of a face on a server, as methods with the signatures that the face itself has.

The rule: a call of the client does what the face would do. Its arguments go over the wire by their
names, its answer comes back as the same value, and an error is raised as it would be there. What
the service would refuse is refused here, in the same words; whatever else happens on the way, the
caller gets an envelope, and what may have been done is done twice only where that is the same as
once. A client to be awaited runs the same in a thread.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import (
    Any,
    ClassVar,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    TypeVar,
    cast,
    get_type_hints,
)
from urllib.parse import quote, urlencode

import orjson

from recollect.client.connection import Connection
from recollect.closing import AsyncClosing
from recollect.errors import CODES, INTERNAL, LIMIT_EXCEEDED, UNAVAILABLE, RecollectError, refused
from recollect.faces.calls import Call, calls_of
from recollect.faces.operations import OPERATIONS, Envelope
from recollect.faces.operations.envelope import (
    checked,
    failure,
    named_key,
    named_request,
    unknown_operation,
)
from recollect.node import dataclass

PATH = "/v1/operations/"
"""Where the operations are, below the address of a server."""

_NAMED = {"request_id", "status"}
_LONGEST_PLACE = 15_000  # characters of an address: a head may take 16 KiB


@dataclass(frozen=True, slots=True)
class HttpExchange:
    """One call: of an operation, or of a store of claims."""

    path: str
    request_id: str
    body: bytes
    may_repeat: bool
    method: str = "POST"

    def unavailable(self, reason: str) -> Envelope:
        """Return the envelope for a service that was not reached."""
        error = UNAVAILABLE.error(reason, "check the address, and that the server runs")
        return failure(self.request_id, error)

    def answer_in(self, body: bytes) -> Envelope | None:
        """Return the envelope in an answer; None where something else than the service answered."""
        try:
            members = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        is_envelope = isinstance(members, dict) and set(members) > _NAMED
        return cast(Envelope, members) if is_envelope else None


def prepared(
    name: str, input: object, request_id: object, idempotency_key: object
) -> HttpExchange | Envelope:
    """Return a call to be sent, or the envelope of one that is refused.

    It gets an id where it has none, so that a failure on the way carries one too.
    """
    named = ""
    try:
        named = named_request(request_id)
        key = named_key(idempotency_key)
        operation = OPERATIONS.get(name)
        if operation is None:
            raise unknown_operation(name, OPERATIONS)
        if not isinstance(input, Mapping):
            raise refused("the input is not an object")
        fields = checked(operation.adapter, input)
    except RecollectError as error:
        return failure(named or named_request(None), error)
    members = {"request_id": named, "idempotency_key": key, "input": fields}
    may_repeat = not operation.is_write or key is not None
    return HttpExchange(PATH + name, named, orjson.dumps(members), may_repeat)


AskedP = ParamSpec("AskedP")
ValueT = TypeVar("ValueT")
FaceT = TypeVar("FaceT", bound="FaceClient")
_OWN_DETAILS = frozenset({"retry", "hint", "known"})


@dataclass(frozen=True, slots=True)
class Remote:
    """The calls of one face, below a prefix, for one group of a server."""

    send: Callable[[HttpExchange], Envelope]
    prefix: str
    calls: Mapping[str, Call]
    group: str | None
    as_of: object = None
    """The moment that the calls which know one are about."""

    @classmethod
    def of(
        cls, send: Callable[[HttpExchange], Envelope], prefix: str, face: type, group: str | None
    ) -> Remote:
        """Return the calls of a face's class."""
        return cls(send, prefix, {one.function: one for one in calls_of(face)}, group)

    def call(
        self, function: str, given: Mapping[str, object], *, may_repeat: bool = False
    ) -> Mapping[str, Any]:
        """Send one call and return its output; raises the error of the server.

        What writes is only sent again where it `may_repeat`. LIMIT_EXCEEDED for an address that
        is longer than servers read.
        """
        call = self.calls[function]
        if "as_of" in call.inputs:
            given = {"as_of": self.as_of, **given}
        members = {name: value for name, value in given.items() if value is not None}
        parts = [
            quote(str(members.pop(part[1:-1])), safe="") if part[:1] == "{" else part
            for part in call.path.split("/")
        ]
        query: dict[str, str | list[str]] = {}
        body = b""
        if call.method in ("GET", "DELETE"):
            query = {name: _in_query(value) for name, value in members.items()}
        else:
            try:
                body = orjson.dumps(members)
            except TypeError as error:
                told = f"what is sent cannot be JSON: {error}"
                raise refused(told, "pass texts, numbers and lists") from error
        if self.group is not None:
            query["group_id"] = self.group
        path = f"{self.prefix}/{'/'.join(parts)}".removesuffix("/")
        place = f"{path}?{urlencode(query, doseq=True)}" if query else path
        if len(place) > _LONGEST_PLACE:
            raise LIMIT_EXCEEDED.error(
                f"the address of the call has {len(place)} characters, and {_LONGEST_PLACE} is the"
                " most",
                "shorten what is asked for",
            )
        may_repeat = may_repeat or call.effect == "reads"
        envelope = self.send(
            HttpExchange(place, named_request(None), body, may_repeat, call.method)
        )
        if "error" in envelope:
            raise raised(cast("Mapping[str, Any]", envelope["error"]))
        return cast("Mapping[str, Any]", envelope["output"])


class FaceClient(Connection):
    """The calls of one face of a group on a server; safe to share between threads.

    `url` is the address of the server, `token` what it knows the caller by, `group` the group;
    without one it is the token's own. `timeout` is in seconds, for one attempt.
    """

    prefix: ClassVar[str]
    """Where the calls are on a server."""

    face: ClassVar[type]
    """The class whose methods are the calls."""

    def __init__(
        self, url: str, token: str | None = None, *, group: str | None = None, timeout: float = 30.0
    ) -> None:
        super().__init__(url, token, timeout=timeout)
        self.remote = Remote.of(self._answer, self.prefix, self.face, group)


class AsyncFaceClient(AsyncClosing, Generic[FaceT]):
    """The same, to be awaited."""

    kind: ClassVar[type[FaceClient]]
    """The class of the client that runs in threads."""

    def __init__(
        self, url: str, token: str | None = None, *, group: str | None = None, timeout: float = 30.0
    ) -> None:
        self.sync = cast(FaceT, self.kind(url, token, group=group, timeout=timeout))

    async def close(self) -> None:
        """Close the connections."""
        self.sync.close()


class HasRemote(Protocol):
    """What has the calls of a face."""

    @property
    def remote(self) -> Remote:
        """The calls."""


def sent(
    method: Callable[Concatenate[Any, AskedP], ValueT],
    function: str,
    read: Callable[[Any, Mapping[str, Any]], Any],
    *,
    member: str | None = None,
    written: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> Callable[Concatenate[HasRemote, AskedP], ValueT]:
    """Return the method of a client for a method of a face, carried by one of its calls.

    `read` makes the value of a type from an output, or from its `member`; `written` makes the
    fields of the call from the arguments.
    """
    signature = inspect.signature(method)
    kind = get_type_hints(method)["return"]

    @wraps(method)
    def asked(self: HasRemote, /, *args: AskedP.args, **kwargs: AskedP.kwargs) -> ValueT:
        bound = signature.bind(self, *args, **kwargs)
        given = dict(list(bound.arguments.items())[1:])
        for name, parameter in signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                given |= given.pop(name, {})
        output = self.remote.call(function, written(given))
        return cast(ValueT, read(kind, output if member is None else output[member]))

    return asked


def awaited(
    method: Callable[Concatenate[Any, AskedP], ValueT],
) -> Callable[Concatenate[Any, AskedP], Awaitable[ValueT]]:
    """Return the same method to be awaited: it runs in a thread, on the client in `self.sync`."""

    @wraps(method)
    async def asked(self: Any, /, *args: AskedP.args, **kwargs: AskedP.kwargs) -> ValueT:  # noqa: ANN401
        return await asyncio.to_thread(method, self.sync, *args, **kwargs)

    return asked


def _in_query(value: object) -> str | list[str]:
    """Return a value as a query carries it; an empty list says that none is meant."""
    if isinstance(value, list):
        return [*map(str, value)] or ""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def raised(error: Mapping[str, Any]) -> RecollectError:
    """Return the error of a server as it would be raised there."""
    details = dict(error.get("details") or {})
    return RecollectError(
        CODES.get(str(error.get("error_code")), INTERNAL),
        str(error.get("message")),
        hint=str(details.get("hint") or ""),
        known=tuple(map(str, details.get("known") or ())),
        details={name: one for name, one in details.items() if name not in _OWN_DETAILS},
    )
