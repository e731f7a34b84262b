"""A face is served behind the same guard, with the same limits, and tells of errors in its own way."""

from __future__ import annotations

import httpx2
import pytest
from fastapi import APIRouter, Request, Response
from tests.serving import SECONDS, Stage

from recollect.errors import CONFLICT, RecollectError
from recollect.servers.http.answers import as_json
from recollect.servers.http.app import FACES, make_app
from recollect.servers.http.face import Face, SharedParts, caller_of, request_id_of
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, new_token
from recollect.servers.service import ServedMemory

TOKEN, ROW = new_token(["g"])
BEARER = {"authorization": f"Bearer {TOKEN}"}


def echo_face(shared: SharedParts) -> Face:
    router = APIRouter(prefix="/echo")

    @router.post("/groups", response_class=Response)
    async def groups(request: Request) -> Response:
        await request.body()
        seen = await shared.threads.run(lambda: sorted(caller_of(request).groups))
        return as_json({"groups": seen}, request_id_of(request))

    @router.post("/conflict", response_class=Response)
    async def conflict() -> Response:
        raise RecollectError(CONFLICT, "no")

    @router.post("/fault", response_class=Response)
    async def fault() -> Response:
        raise ZeroDivisionError

    return Face(
        "/echo",
        router,
        {"Echo": {"type": "string"}},
        tell=lambda request_id, error: {"id": request_id, "why": error.code.code},
    )


@pytest.fixture
def http(stage: Stage, service: ServedMemory):
    options = Options(tokens=AccessTokens((ROW,)), request_bytes=100)
    stage.app = make_app(service, options, makers=(*FACES, echo_face))
    with httpx2.Client(base_url=stage.url, timeout=SECONDS) as http:
        yield http


def test_its_caller_is_known(http: httpx2.Client) -> None:
    answer = http.post("/echo/groups", headers={**BEARER, "x-request-id": "r"})
    assert (answer.json(), answer.headers["x-request-id"]) == ({"groups": ["g"]}, "r")


@pytest.mark.parametrize(
    ("path", "headers", "content", "status", "code"),
    [
        ("groups", {}, b"", 401, "UNAUTHENTICATED"),
        ("groups", BEARER, b"x" * 101, 413, "LIMIT_EXCEEDED"),
        ("conflict", BEARER, b"", 409, "CONFLICT"),
        ("nothing", BEARER, b"", 404, "NOT_FOUND"),
        ("fault", BEARER, b"", 500, "INTERNAL"),
    ],
)
def test_its_errors_are_told_in_its_own_way(
    http: httpx2.Client, path: str, headers: dict[str, str], content: bytes, status: int, code: str
) -> None:
    headers = {**headers, "x-request-id": "r"}
    answer = http.post(f"/echo/{path}", headers=headers, content=content)
    assert (answer.status_code, answer.json()) == (status, {"id": "r", "why": code})


def test_it_is_described(http: httpx2.Client) -> None:
    document = http.get("/openapi.json").json()
    assert "/echo/groups" in document["paths"]
    assert document["components"]["schemas"]["Echo"] == {"type": "string"}


def test_the_operations_stay_as_they_are(http: httpx2.Client) -> None:
    answer = http.post("/v1/operations/Healthcheck", content=b'{"input": {}}', headers=BEARER)
    assert answer.json()["status"] == "OK"
