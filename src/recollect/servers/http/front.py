"""The page at `/`: what this server is and where the rest of it stands, for who opens it.

The rule: it is whole in itself and tells nothing of a memory, so everybody may read it.

Whether the server lives, whether it can work, and what it counted: for those who run it.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, Request, Response

from recollect.errors import UNAVAILABLE, RecollectError
from recollect.servers.http.answers import as_json
from recollect.servers.http.face import Face, SharedParts, request_id_of

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Recollect</title>
</head>
<body>
<h1>Recollect</h1>
<p>This is a server of Recollect: one knowledge graph for agents, asked and taught over HTTP.</p>
<ul>
<li><a href="openapi.json">openapi.json</a>: every call, described with OpenAPI</li>
<li><a href="healthz">healthz</a>: whether the server lives</li>
<li><a href="readyz">readyz</a>: whether it can work</li>
<li>docs/http.md in the repository: tokens, limits and examples</li>
</ul>
</body>
</html>
"""
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def front_face(_: SharedParts) -> Face:
    """Return the face: `/`, for everybody."""
    router = APIRouter()

    @router.get("/", response_class=Response, include_in_schema=False)
    async def front() -> Response:
        return Response(_PAGE, media_type="text/html", headers=_HEADERS)

    return Face("", router, is_open=True)


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
