"""The application: the faces of a memory behind one guard, one edge and one set of metrics.

A face is a module with a function `(SharedParts) -> Face`; it is served if it is in `FACES`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.servers.admission import Bodies
from recollect.servers.http.answers import Refusals
from recollect.servers.http.edge import ServerEdge
from recollect.servers.http.events import events_face
from recollect.servers.http.face import Face, SharedParts, Threads
from recollect.servers.http.faces import (
    attention_face,
    claims_face,
    knowledge_face,
    markup_face,
    memory_face,
)
from recollect.servers.http.front import front_face, health_face
from recollect.servers.http.guard import HttpGuard, Looks, Options
from recollect.servers.http.kip import changes_face, kip_face
from recollect.servers.http.metrics import Metrics
from recollect.servers.http.operations import operations_face
from recollect.servers.http.search import search_face
from recollect.servers.service import ServedMemory

FaceMaker = Callable[[SharedParts], Face]

FACES: Sequence[FaceMaker] = (
    operations_face,
    claims_face,
    attention_face,
    search_face,
    events_face,
    memory_face,
    kip_face,
    changes_face,
    markup_face,
    knowledge_face,
    health_face,
    front_face,
)
"""The faces that are served, each made for one application."""

_TITLE = "Recollect"
_ABOUT = (
    "One bitemporal knowledge graph: the operations of the Knowledge Graph API v1, claims that "
    "show their evidence, and KIP."
)


def make_app(
    service: ServedMemory,
    options: Options | None = None,
    metrics: Metrics | None = None,
    makers: Sequence[FaceMaker] = FACES,
) -> FastAPI:
    """Return the application that serves a memory; `metrics` is what watches its operations."""
    options, metrics = options or Options(), metrics or Metrics()
    threads = Threads(options.threads)
    ending = asyncio.Event()
    looks = Looks(threads.run, ending)
    shared = SharedParts(service, threads, HttpGuard(options), metrics, looks, ending, options)
    faces = [make(shared) for make in makers]
    refusals = Refusals(faces, metrics)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        threads.close()

    app = Application(faces, shared, lifespan=life)
    for face in faces:
        admitted = [] if face.is_open else [Depends(shared.guard.admit)]
        app.include_router(face.router, dependencies=admitted)
    app.add_middleware(
        ServerEdge,
        request_bytes=options.request_bytes,
        larger={path: size for face in faces for path, size in face.bodies.items()},
        bodies=Bodies(options.body_bytes),
        refusals=refusals,
        metrics=metrics,
    )
    _tell_errors(app, refusals)
    return app


class Application(FastAPI):
    """The application, which describes itself at `/openapi.json`."""

    def __init__(self, faces: Sequence[Face], shared: SharedParts, **more: Any) -> None:  # noqa: ANN401
        super().__init__(
            title=_TITLE,
            description=_ABOUT,
            version="v1",
            docs_url=None,  # its pages load scripts from elsewhere
            redoc_url=None,
            redirect_slashes=False,
            **more,
        )
        self.faces = faces
        self._shared = shared

    def end_streams(self) -> None:
        """End the answers that would go on for ever; from the event loop of the server."""
        self._shared.ending.set()

    def openapi(self) -> dict[str, Any]:
        """Return the description, made once."""
        if self.openapi_schema is None:
            made = get_openapi(
                title=self.title,
                version=self.version,
                description=self.description,
                routes=self.routes,
            )
            components = made.setdefault("components", {})
            schemas = components.setdefault("schemas", {})
            for face in self.faces:
                schemas.update(face.schemas)
            if self._shared.guard.wants_tokens:
                components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                made["security"] = [{"token": []}]
            self.openapi_schema = made
        return self.openapi_schema


def _tell_errors(app: FastAPI, refusals: Refusals) -> None:
    async def recollect_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, RecollectError)
        return refusals.answer(request.scope, error)

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status, headers = error.status_code, error.headers
        return refusals.answer(request.scope, _of(error), status=status, headers=headers)

    app.add_exception_handler(RecollectError, recollect_error)
    app.add_exception_handler(HTTPException, http_error)


def _of(error: HTTPException) -> RecollectError:
    """Return the error for a request that no route takes."""
    if error.status_code == RESOURCE_NOT_FOUND.http:
        return RESOURCE_NOT_FOUND.error("there is nothing at this address", "GET /openapi.json")
    allowed = (error.headers or {}).get("Allow", "")
    return refused("this address does not take the request", f"use {allowed}" if allowed else "")
