"""The OpenAPI document: whole, with examples, and true of what the server answers."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.serving import Stage

import recollect
from recollect.faces.calls import calls_of
from recollect.faces.claims.calls import AttentionCalls, ClaimCalls
from recollect.faces.operations import OPERATIONS
from recollect.servers.http.app import make_app
from recollect.servers.http.faces import ATTENTION, CLAIMS
from recollect.servers.http.kip_schemas import CHANGES, FUNCTIONS, schemas as kip_schemas
from recollect.servers.http.operations import OperationRoute, shared_schemas
from recollect.servers.service import make_service

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
CALLS = [
    (f"{prefix}/{one.path}".removesuffix("/"), one)
    for prefix, face in ((CLAIMS, ClaimCalls), (ATTENTION, AttentionCalls))
    for one in calls_of(face)
]
EXAMPLES = 12  # of each operation, half of them wrong on purpose


@pytest.fixture
def document(http: httpx2.Client) -> dict[str, Any]:
    return http.get("/openapi.json").json()


def test_every_operation_is_described_with_an_example(document: dict[str, Any]) -> None:
    for name, operation in OPERATIONS.items():
        described = document["paths"][f"/v1/operations/{name}"]["post"]
        assert described["operationId"] == name
        assert described["summary"] == operation.summary
        body = described["requestBody"]["content"]["application/json"]
        assert body["example"]["input"] == operation.example


def test_every_call_of_claims_is_described_with_an_example(document: dict[str, Any]) -> None:
    for path, call in CALLS:
        described = document["paths"][path][call.method.lower()]
        assert described["operationId"] == call.name
        assert described["summary"] == call.description.rstrip(".")
        if call.method == "POST":
            assert (
                described["requestBody"]["content"]["application/json"]["example"] == call.example
            )
        else:
            fields = {one["name"]: one.get("example") for one in described["parameters"]}
            assert fields.pop("group_id")
            assert call.example.items() <= fields.items()


def test_kip_and_its_feed_are_described_with_an_example(document: dict[str, Any]) -> None:
    for function in FUNCTIONS:
        described = document["paths"][function.path]["post"]
        body = described["requestBody"]["content"]["application/json"]
        answer = described["responses"]["200"]["content"]["application/json"]
        assert (described["operationId"], body["example"]) == (function.name, function.example)
        assert answer["example"] == function.answer
    fields = {one["name"] for one in document["paths"][CHANGES]["get"]["parameters"]}
    assert fields == {"group_id", "since", "limit"}


def test_the_names_of_schemas_are_of_one_face_each(document: dict[str, Any]) -> None:
    with recollect.open(":memory:") as nexus:
        app = make_app(make_service(nexus, has_worker=False))
    claims = [one for face in app.faces for one in face.schemas if face.prefix == CLAIMS]
    operations = [name for one in OPERATIONS.values() for name in OperationRoute(one).schemas]
    names = [*operations, *shared_schemas(), *claims, *kip_schemas()]
    assert len(names) == len(set(names))
    assert set(names) <= set(document["components"]["schemas"])


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    def references(node: object) -> set[str]:
        match node:
            case {"$ref": str() as reference}:
                return {reference}
            case dict():
                return set().union(*map(references, node.values()))
            case list():
                return set().union(*map(references, node))
        return set()

    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert references(document) <= known


def test_it_wants_no_token_where_none_is_needed(document: dict[str, Any]) -> None:
    assert "security" not in document


def test_no_page_loads_scripts_from_elsewhere(http: httpx2.Client) -> None:
    assert [http.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]


ROUTES = [
    *((f"/v1/operations/{name}", "POST") for name in OPERATIONS),
    *((path, one.method) for path, one in CALLS),
    ("/api/search", "GET"),
    *((one.path, "POST") for one in FUNCTIONS),
    (CHANGES, "GET"),
]


@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_whatever_is_made_of_the_description_the_server_is_not_at_fault(
    stage: Stage, path: str, method: str, is_long: bool
) -> None:
    with recollect.open(":memory:") as nexus:
        stage.app = app = make_app(make_service(nexus, has_worker=False))
        described = schemathesis.openapi.from_dict(app.openapi())[path][method]
        modes = schemathesis.GenerationMode
        cases = described.as_strategy(modes.POSITIVE) | described.as_strategy(modes.NEGATIVE)

        @settings(
            max_examples=settings.default.max_examples if is_long else EXAMPLES,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases)
        def ask(case: schemathesis.Case) -> None:
            case.call_and_validate(base_url=stage.url, checks=CHECKS)

        ask()
