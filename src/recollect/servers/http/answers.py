"""Answers as JSON, with the id of their request beside them.

The rule: whatever happens to a request, its answer is JSON in the form of the face it was for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

import orjson
from fastapi import Response
from starlette.types import Scope

from recollect.errors import (
    CODES,
    UNAUTHENTICATED,
    UNAVAILABLE,
    RecollectError,
    ToDo,
    hint_in,
    in_words,
)
from recollect.faces.operations import Envelope
from recollect.faces.operations.envelope import code_of, failure
from recollect.servers.http.face import Face
from recollect.servers.http.logs import log_refusal
from recollect.servers.http.metrics import Metrics

REQUEST_ID = "x-request-id"

_STATUS = {"OK": 200, "ACCEPTED": 202, "PARKED": 200}
_PLAIN = re.compile(r"[!-~]+")
_RETRY_SECONDS = "1"
_WORDS = {
    ToDo.PASS_OPTION: "give {0}: {1}",
    ToDo.LIST_NODES: "GET /v1/markup/document",
    ToDo.LIST_RUNS: "GET /v1/markup/runs",
    ToDo.LIST_EXCHANGES: "GET /v1/markup/exchanges",
}


def as_json(
    body: Mapping[str, object],
    request_id: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an answer."""
    all_headers = {REQUEST_ID: in_header(request_id), **(headers or {})}
    return Response(orjson.dumps(body), status, all_headers, "application/json")


def in_header(request_id: str) -> str:
    """Return the id of a request as a header carries it: percent-encoded where it must be.

    >>> in_header("r 1"), in_header("r-1")
    ('r%201', 'r-1')
    """
    return request_id if _PLAIN.fullmatch(request_id) else quote(request_id, safe="")


def own_hint(hint: str) -> str:
    """Return a hint that can be followed by whoever sends requests."""
    return hint_in(_WORDS, hint)


def status_of(error_code: str) -> int:
    """Return the HTTP status of an error code."""
    return CODES[error_code].http


def enveloped_answer(envelope: Envelope) -> Response:
    """Return the answer that carries an envelope."""
    if "error" in envelope:
        status = status_of(envelope["error"]["error_code"])
    else:
        status = _STATUS[envelope["status"]]
    return as_json(dict(envelope), envelope["request_id"], status)


class Refusals:
    """Answers the requests that fail, counts them and logs them."""

    def __init__(self, faces: Sequence[Face], metrics: Metrics) -> None:
        self._faces = sorted(faces, key=lambda face: -len(face.prefix))
        self._metrics = metrics

    def answer(
        self,
        scope: Scope,
        error: RecollectError,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return the answer to a request that failed, in the form of its face."""
        code, error = code_of(error), in_words(error, own_hint)
        status = code.http if status is None else status
        request_id: str = scope["state"]["request_id"]
        self._metrics.refuse(code.code)
        log_refusal(request_id, scope["method"], status, code.code)
        more = dict(headers or {})
        if code is UNAUTHENTICATED:
            more["www-authenticate"] = "Bearer"
        elif code is UNAVAILABLE:
            more["retry-after"] = _RETRY_SECONDS
        path: str = scope["path"]
        faces = (face.tell for face in self._faces if f"{path}/".startswith(f"{face.prefix}/"))
        return as_json(next(faces, failure)(request_id, error), request_id, status, more)
