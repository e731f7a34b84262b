"""Whether the server lives, whether it can work, and what it counted: for those who run it."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request, Response

from recollect.errors import UNAVAILABLE, RecollectError
from recollect.servers.http.answers import as_json
from recollect.servers.http.face import Face, SharedParts, request_id_of

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def health_face(shared: SharedParts) -> Face:
    """Return the face: `/healthz` and `/readyz` for everybody, `/metrics` for administrators."""
    router = APIRouter(tags=["health"])

    @router.get("/healthz", response_class=Response, summary="Whether the server lives")
    async def healthz(request: Request) -> Response:
        return as_json({"status": "healthy"}, request_id_of(request))

    @router.get("/readyz", response_class=Response, summary="Whether the server can work")
    async def readyz(request: Request) -> Response:
        ready = await shared.threads.run(lambda: _is_ready(shared))
        status = 200 if ready else UNAVAILABLE.http
        told = {"status": "ready" if ready else "unavailable"}
        return as_json(told, request_id_of(request), status)

    @router.get(
        "/metrics",
        response_class=Response,
        summary="What the server counted, for Prometheus",
        dependencies=[Depends(shared.guard.admit_admin)],
    )
    async def metrics() -> Response:
        text = await shared.threads.run(shared.metrics.text)
        return Response(text, media_type=_PROMETHEUS)

    return Face("", router, is_open=True)


def _is_ready(shared: SharedParts) -> bool:
    """Whether the memory can be read, and what should work on its queue does."""
    try:
        shared.service.nexus.groups()
    except RecollectError:
        return False
    return shared.service.is_working
