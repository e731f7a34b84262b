"""`POST /v1/operations/{OperationName}`: the envelope in, the envelope out, whatever comes."""

from __future__ import annotations

import time

import httpx2
import orjson
import pytest
from tests.servers.http.conftest import Ask, code_in

from recollect.faces.operations import OPERATIONS, Operations
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.service import ServedMemory

SAID = orjson.dumps(
    {
        "nodes": [{"tmp_ref": "a", "name": "Ann"}, {"tmp_ref": "b", "name": "Acme"}],
        "edges": [
            {"name": "WORKS_AT", "fact": "Ann is an engineer", "source_ref": "a", "target_ref": "b"}
        ],
    }
).decode()
EPISODE = {"source": "json", "body": SAID, "reference_time": "2026-01-31T09:30:00Z"}


def post(http: httpx2.Client, body: object, name: str = "Healthcheck", **headers: str):
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    return http.post(f"/v1/operations/{name}", content=content, headers=headers)


def test_what_is_told_is_found_soon(ask: Ask) -> None:
    accepted = ask("AddEpisodes", group_id="g", items=[EPISODE])
    assert accepted.status_code == 202
    receipt = accepted.json()["output"]["receipt_id"]
    deadline = time.monotonic() + 30
    while (
        answer := ask("GetReceipt", group_id="g", receipt_id=receipt)
    ).status_code == 202 and time.monotonic() < deadline:
        pass
    assert answer.json()["status"] == "OK"
    facts = ask("SearchFacts", group_ids=["g"], query="engineer").json()["output"]["facts"]
    assert [fact["fact"] for fact in facts] == ["Ann is an engineer"]


def test_an_idempotency_key_replays_the_first_answer(http: httpx2.Client) -> None:
    fact = {"group_id": "g", "items": [EPISODE]}
    body = {"idempotency_key": "k", "input": fact}
    first, second = post(http, body, "AddEpisodes"), post(http, body, "AddEpisodes")
    assert first.json()["output"] == second.json()["output"]
    other = {"idempotency_key": "k", "input": {"group_id": "g", "items": [EPISODE, EPISODE]}}
    refused = post(http, other, "AddEpisodes")
    assert (refused.status_code, code_in(refused)) == (409, "CONFLICT")


def test_the_id_of_a_request_comes_from_its_body_then_its_header(http: httpx2.Client) -> None:
    both = post(http, {"request_id": "mine", "input": {}}, **{"x-request-id": "theirs"})
    assert both.headers["x-request-id"] == both.json()["request_id"] == "mine"
    one = post(http, {"input": {}}, **{"x-request-id": "theirs"})
    assert one.headers["x-request-id"] == one.json()["request_id"] == "theirs"
    made = post(http, {"input": {}}, **{"x-request-id": "x" * 200})
    assert made.json()["request_id"] not in ("", "x" * 200)


def test_an_id_that_no_header_carries_is_encoded_there(http: httpx2.Client) -> None:
    answer = post(http, {"request_id": "阿 a", "input": {}})
    assert answer.json()["request_id"] == "阿 a"
    assert answer.headers["x-request-id"] == "%E9%98%BF%20a"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"text"', b"\xff", b"NaN", b'{"input": NaN}', b'{"input": []}',
        b'{"input": null}', b"{}", b'{"request_id": 7, "input": {}}', b'{"input": {}, "extra": 1}',
        b'{"request_id": "", "input": {}}', b'{"idempotency_key": 1, "input": {}}',
        b'{"input": {"colour": "red"}}', b'{"input":' + b"[" * 10_000, b'{"input": {}} x',
    ],
)  # fmt: skip
def test_a_body_that_is_no_request_is_refused(http: httpx2.Client, body: bytes) -> None:
    answer = post(http, body)
    assert (answer.status_code, code_in(answer)) == (400, "INVALID_ARGUMENT")


def test_a_field_that_is_unknown_is_named(http: httpx2.Client) -> None:
    answer = post(http, {"request_id": "r", "inptu": {}})
    assert answer.json()["request_id"] == "r"
    assert answer.json()["error"]["details"]["fields"] == [
        {"field": "inptu", "problem": "is not a field of a request"}
    ]


def test_a_name_that_is_no_operation_is_not_found_with_the_nearest(http: httpx2.Client) -> None:
    answer = post(http, {"input": {}}, "SearchFact")
    assert (answer.status_code, code_in(answer)) == (404, "NOT_FOUND")
    assert answer.json()["error"]["details"]["known"][0] == "SearchFacts"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/operations/Healthcheck", 405),
        ("DELETE", "/v1/operations/Healthcheck", 405),
        ("POST", "/healthz", 405),
        ("GET", "/v2/operations/Healthcheck", 404),
        ("POST", "/v1/operations", 404),
    ],
)
def test_an_address_that_takes_nothing_answers_with_an_envelope(
    http: httpx2.Client, method: str, path: str, status: int
) -> None:
    answer = http.request(method, path)
    assert answer.status_code == status
    code_in(answer)


def test_what_nobody_expected_is_internal_logged_and_mute(http, stage, service, log) -> None:
    class Broken(Operations):
        def call(self, *_: object, **__: object):
            raise ZeroDivisionError("the secret")

        def on_behalf_of(self, _):
            return self

    broken = Broken(service.nexus)
    stage.app = make_app(ServedMemory(service.nexus, broken))
    answer = post(http, {"request_id": "r", "input": {}})
    assert (answer.status_code, code_in(answer)) == (500, "INTERNAL")
    assert "secret" not in answer.text
    (failure,) = [line for line in log() if line["event"] == "failure"]
    assert failure["request_id"] == "r"
    assert failure["exception"] == "ZeroDivisionError"
    assert "secret" not in str(log())


def test_a_body_for_which_there_is_no_room_is_unavailable(http, stage, service) -> None:
    stage.app = make_app(service, Options(body_bytes=5))
    answer = post(http, {"input": {}})
    assert (answer.status_code, code_in(answer)) == (503, "UNAVAILABLE")
    assert answer.headers["retry-after"] == "1"


def test_every_operation_has_an_address(http: httpx2.Client) -> None:
    for name, operation in OPERATIONS.items():
        answer = post(http, {"input": dict(operation.example)}, name)
        assert answer.status_code in (200, 202, 404), (name, answer.text)
