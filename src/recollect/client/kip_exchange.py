"""KIP as it goes over the wire: what is sent, and what comes back.

The rule: whatever happens on the way, the caller gets a response of KIP. The server alone judges
a text; here is refused only what cannot be sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast
from urllib.parse import urlencode

import orjson

from recollect.errors import INVALID_ARGUMENT, UNAVAILABLE, RecollectError
from recollect.faces.kip import Response
from recollect.faces.kip.changes import instant_text
from recollect.faces.kip.response import failure
from recollect.model import AsOf
from recollect.node import dataclass

_KIP: Final = "/v1/kip"
_READONLY: Final = "/v1/kip/readonly"
_CHANGES: Final = "/v1/changes"


@dataclass(frozen=True, slots=True)
class KipExchange:
    """One call of KIP, or for a page of the changes feed."""

    method: str
    path: str
    body: bytes
    may_repeat: bool

    def unavailable(self, reason: str) -> Response:
        """Return the response for a service that was not reached."""
        hint = "check the address, and that the server runs"
        return failure(RecollectError(UNAVAILABLE, reason, hint=hint))

    def answer_in(self, body: bytes) -> Response | None:
        """Return the response in an answer; None where something else than the service answered."""
        try:
            members = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        return cast(Response, members) if _is_response(members) else None


def executed(
    arguments: Mapping[str, object], group: str | None, *, is_readonly: bool
) -> KipExchange | Response:
    """Return a call to be sent, or the response to one that cannot be."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if "as_of" in given:
        given["as_of"] = as_of_members(given["as_of"])
    if group is not None:
        given["group_id"] = group
    try:
        body = orjson.dumps(given)
    except orjson.JSONEncodeError as error:
        return failure(
            RecollectError(
                INVALID_ARGUMENT,
                f"the arguments are not JSON: {error}",
                hint="pass null, true, false, numbers, text, lists, dicts",
            )
        )
    may_repeat = is_readonly or arguments.get("dry_run") is True
    return KipExchange("POST", _READONLY if is_readonly else _KIP, body, may_repeat)


def changes_asked(since: int, limit: int, group: str | None) -> KipExchange:
    """Return the call for a page of the changes feed."""
    fields: dict[str, object] = {"since": since, "limit": limit}
    if group is not None:
        fields["group_id"] = group
    return KipExchange("GET", f"{_CHANGES}?{urlencode(fields)}", b"", may_repeat=True)


def as_of_members(as_of: object) -> object:
    """Return a point in time as a request names it; what is no `AsOf` stays as it is."""
    if not isinstance(as_of, AsOf):
        return as_of
    moments: dict[str, object] = {}
    if as_of.valid is not None:
        moments["valid"] = instant_text(as_of.valid)
    if as_of.known is not None:
        moments["known"] = instant_text(as_of.known)
    if as_of.transaction is not None:
        moments["known"] = as_of.transaction
    return moments


def _is_response(members: object) -> bool:
    match members:
        case {"result": _} | {"error": {"code": str(), "message": str()}}:
            return True
        case _:
            return False
