"""The page at `/`: what this server is and where the rest of it stands, for who opens it.

The rule: it is whole in itself and tells nothing of a memory, so everybody may read it.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from recollect.servers.http.face import Face, SharedParts

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
