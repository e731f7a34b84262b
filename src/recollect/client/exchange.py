"""One call as it goes over the wire: what is sent, what comes back, and whether to try again.

The rule: whatever happens on the way, the caller gets an envelope. What the service would refuse
is refused here, in the same words; what may have been done is done twice only where that is the
same as once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import orjson

from recollect.errors import INVALID_ARGUMENT, UNAVAILABLE, RecollectError
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
        error = RecollectError(
            UNAVAILABLE, reason, hint="check the address, and that the server runs"
        )
        return failure(self.request_id, error)

    def answer_in(self, body: bytes) -> Envelope | None:
        """Return the envelope in an answer; None where something else than the service answered."""
        try:
            members = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        return cast(Envelope, members) if _is_envelope(members) else None


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
            raise RecollectError(INVALID_ARGUMENT, "the input is not an object")
        fields = checked(operation.adapter, input)
    except RecollectError as error:
        return failure(named or named_request(None), error)
    members = {"request_id": named, "idempotency_key": key, "input": fields}
    may_repeat = not operation.is_write or key is not None
    return HttpExchange(PATH + name, named, orjson.dumps(members), may_repeat)


def _is_envelope(members: object) -> bool:
    return isinstance(members, dict) and set(members) > _NAMED
