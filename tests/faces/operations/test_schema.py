"""Every operation checks its input, and answers in the one envelope."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.faces.operations.calls import TIME, Service, refused, told

from recollect.faces.operations import OPERATIONS, Operations, ServiceOperation
from recollect.kernel import Nexus

ALL = list(OPERATIONS.values())
WITH_INPUT = [one for one in ALL if one.example]
NAMES = [one.name for one in ALL]


def call(service: Service, operation: ServiceOperation, given: dict[str, Any], **more: Any) -> Any:
    return getattr(service, operation.method)(**given, **more)


@pytest.mark.parametrize("operation", ALL, ids=lambda one: one.name)
def test_an_example_of_each_operation_is_understood(
    service: Service, operation: ServiceOperation
) -> None:
    answer = call(service, operation, copy.deepcopy(dict(operation.example)))
    if answer["status"] == "ERROR":
        assert refused(answer) in ("NOT_FOUND", "UNAVAILABLE")
    else:
        told(answer)
        TypeAdapter(operation.output).validate_python(answer["output"], strict=True)


@pytest.mark.parametrize("operation", ALL, ids=lambda one: one.name)
def test_an_unknown_field_is_refused(service: Service, operation: ServiceOperation) -> None:
    answer = call(service, operation, {**operation.example, "colour": "red"})
    assert refused(answer) == "INVALID_ARGUMENT"
    assert "colour" in answer["error"]["message"]


@pytest.mark.parametrize("operation", WITH_INPUT, ids=lambda one: one.name)
def test_a_missing_field_is_refused(service: Service, operation: ServiceOperation) -> None:
    for field in operation.adapter.json_schema()["required"]:
        less = {key: value for key, value in operation.example.items() if key != field}
        answer = call(service, operation, less)
        assert refused(answer) == "INVALID_ARGUMENT"
        assert answer["error"]["message"] == f"{field} is missing"


@pytest.mark.parametrize("operation", WITH_INPUT, ids=lambda one: one.name)
def test_a_field_of_another_type_is_refused(service: Service, operation: ServiceOperation) -> None:
    for field, value in operation.example.items():
        for other in (3.5, True, [None], "\ud800", float("nan")):
            if type(other) is not type(value) or isinstance(other, str):
                answer = call(service, operation, {**operation.example, field: other})
                assert refused(answer) == "INVALID_ARGUMENT", (field, other)


@pytest.mark.parametrize("reached", ["local", "client", "async"], indirect=True)
@pytest.mark.parametrize("operation", WITH_INPUT, ids=lambda one: one.name)
def test_what_json_cannot_carry_is_refused(service: Service, operation: ServiceOperation) -> None:
    for field in operation.example:
        for other in (b"bytes", {1: 2}):
            answer = call(service, operation, {**operation.example, field: other})
            assert refused(answer) == "INVALID_ARGUMENT", (field, other)


def test_there_is_a_method_for_every_operation(service: Service) -> None:
    assert [name for name in NAMES if not callable(getattr(service, OPERATIONS[name].method))] == []
    assert OPERATIONS["GetEntityEdge"].method == "get_entity_edge"


def test_a_request_id_is_echoed_or_made(service: Service) -> None:
    assert service.healthcheck(request_id="r1")["request_id"] == "r1"
    first, second = service.healthcheck(), service.healthcheck()
    assert first["request_id"] != second["request_id"]
    assert service.get_entity_edge(uuid="none", request_id="r2")["request_id"] == "r2"


@pytest.mark.parametrize("request_id", ["", "x" * 129, "a\nb", 7, ["r"]])
def test_a_bad_request_id_is_refused(service: Service, request_id: Any) -> None:
    answer = service.healthcheck(request_id=request_id)
    assert refused(answer) == "INVALID_ARGUMENT"
    assert answer["request_id"]


def test_an_unknown_operation_is_not_found(service: Service) -> None:
    answer = service.call("SearchFact", {})
    assert refused(answer) == "NOT_FOUND"
    assert answer["error"]["details"]["hint"] == "use SearchFacts"


@pytest.mark.parametrize("name", [5, None, ["AddFact"], {}])
def test_a_name_of_another_type_is_no_operation_either(nexus: Nexus, name: object) -> None:
    assert refused(Operations(nexus).call(name, {})) == "NOT_FOUND"


@pytest.mark.parametrize("given", [None, [], "text", 3])
def test_an_input_that_is_no_object_is_refused(service: Service, given: Any) -> None:
    assert refused(service.call("Healthcheck", given)) == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("time", "kept"),
    [
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31T09:30:00.123456Z", "2026-01-31T09:30:00.123Z"),
        ("2026-01-31T09:30:00+02:00", "2026-01-31T07:30:00.000Z"),
        ("0999-01-01T00:00:00Z", "0999-01-01T00:00:00.000Z"),
        ("2026-01-31T09:30:00", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31 09:30", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000Z"),
        ("2026-02", "2026-02-01T00:00:00.000Z"),
    ],
)
def test_times_are_kept_in_utc_to_the_millisecond(service: Service, time: str, kept: str) -> None:
    item = {"uuid": "e", "source": "text", "body": "b", "reference_time": time}
    told(service.add_episodes(group_id="g", items=[item]))
    (episode,) = told(service.get_episodes(group_id="g", last_n=1))["episodes"]
    assert episode["reference_time"] == kept


@pytest.mark.parametrize(
    "time", ["2026-13", "2026-01-31T25:30:00", "yesterday", "", "0001-01-01T00:00:00+02:00", 7]
)
def test_texts_that_are_no_times_are_refused(service: Service, time: Any) -> None:
    item = {"source": "text", "body": "b", "reference_time": time}
    answer = service.add_episodes(group_id="g", items=[item])  # type: ignore[list-item]
    assert refused(answer) == "INVALID_ARGUMENT"
    assert answer["error"]["message"].startswith("items[0].reference_time ")


@pytest.mark.parametrize("uuid", ["", "x" * 129, "a\tb", "\n"])
def test_a_uuid_is_1_to_128_printable_characters(service: Service, uuid: str) -> None:
    assert refused(service.add_entity_node(group_id="g", uuid=uuid, name="N")) == "INVALID_ARGUMENT"
    assert refused(service.get_entity_edge(uuid=uuid)) == "INVALID_ARGUMENT"


@pytest.mark.parametrize("group", ["", "x" * 129, "a\nb"])
def test_a_group_is_1_to_128_printable_characters(service: Service, group: str) -> None:
    assert refused(service.get_episodes(group_id=group, last_n=1)) == "INVALID_ARGUMENT"
    answer = service.search_facts(group_ids=["g", group], query="x")
    assert refused(answer) == "INVALID_ARGUMENT"


def test_null_is_the_same_as_leaving_an_optional_field_out(service: Service) -> None:
    given = {"uuid": None, "name": None, "source": "text", "body": "b", "reference_time": TIME}
    told(service.add_episodes(group_id="g", items=[given | {"source_description": None}]))  # type: ignore[list-item]
    node = told(
        service.add_entity_node(group_id="g", uuid="n", name="N", summary=None, attributes=None)
    )
    assert (node["summary"], node["attributes"], node["source_episode_uuid"]) == (None, {}, None)
