"""The request object of a model's function call, right and wrong."""

from __future__ import annotations

import inspect
import json
from typing import get_type_hints

import pytest

from recollect.faces.kip import (
    execute_kip,
    execute_kip_readonly,
    handle_tool_call,
    tool_definitions,
)
from recollect.faces.kip.execute import ReadingArguments, RunningArguments
from recollect.kernel import Nexus

NAMES = 'FIND(?name) WHERE { ?drug {type: "Drug"} ATTR(?drug, "name", ?name) }'
SPECIFICATION_COMMAND = """
FIND(?drug_name)
WHERE {
  ?symptom {name: $symptom_name}
  (?drug, "treats", ?symptom)
  ATTR(?drug, "name", ?drug_name)
}
LIMIT $limit
"""


def call(arguments: object, name: object = "execute_kip") -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    return {"id": "call_abc123", "type": "function", "function": function}


SPECIFICATION_ARGUMENTS = {
    "command": SPECIFICATION_COMMAND,
    "parameters": {"symptom_name": "Headache", "limit": 10},
}


@pytest.mark.parametrize(
    "arguments", [json.dumps(SPECIFICATION_ARGUMENTS), SPECIFICATION_ARGUMENTS]
)
@pytest.mark.parametrize("name", ["execute_kip", "execute_kip_readonly"])
def test_the_request_of_the_specification_runs(
    medicine: Nexus, arguments: object, name: str
) -> None:
    assert handle_tool_call(medicine, call(arguments, name)) == {
        "result": {
            "columns": ["drug_name"],
            "rows": [["Aspirin"], ["Ibuprofen"], ["Paracetamol"], ["Morphine"]],
        }
    }


def test_a_call_may_write(empty: Nexus) -> None:
    arguments = {"command": 'UPSERT { CONCEPT @a { {type: "Drug", name: "A"} } }', "dry_run": None}
    assert handle_tool_call(empty, call(arguments), actor="agent")["result"]["created"] == 1
    assert execute_kip(empty, NAMES)["result"]["rows"] == [["A"]]


def test_the_read_only_function_refuses_to_write(empty: Nexus) -> None:
    arguments = {"command": 'UPSERT { CONCEPT @a { {type: "Drug", name: "A"} } }'}
    response = handle_tool_call(empty, call(arguments, "execute_kip_readonly"))
    assert response["error"]["code"] == "KIP_1001"
    assert execute_kip(empty, NAMES)["result"]["rows"] == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (None, "KIP_2003"),
        ("execute_kip", "KIP_2003"),
        ({}, "KIP_2003"),
        ({"function": None}, "KIP_2003"),
        ({"function": {}}, "KIP_2003"),
        ({"function": {"name": "execute_kip"}}, "KIP_2003"),
        ({"type": "tool", "function": {"name": "execute_kip", "arguments": {}}}, "KIP_1001"),
        ({"id": 7, "function": {"name": "execute_kip", "arguments": {}}}, "KIP_2003"),
        (call({}, None), "KIP_2003"),
        (call({}, "execute_kpi"), "KIP_1001"),
        (call({}), "KIP_1001"),
        (call(None), "KIP_2003"),
        (call([]), "KIP_2003"),
        (call(""), "KIP_1001"),
        (call("{"), "KIP_1001"),
        (call("[1]"), "KIP_2003"),
        (call('{"command": NaN}'), "KIP_1001"),
        (call("[" * 100_000), "KIP_1001"),
        (call({"comand": NAMES}), "KIP_1001"),
        (call({"command": NAMES, "actor": "root"}), "KIP_1001"),
        (call({"command": NAMES, "request_id": "1"}), "KIP_1001"),
        (call({"command": NAMES, "nexus": "other"}), "KIP_1001"),
        (call({"command": NAMES, "dry_run": True}, "execute_kip_readonly"), "KIP_1001"),
        (call({"command": NAMES, "dry_run": "yes"}), "KIP_2003"),
        (
            call('{"command": "FIND(?d) WHERE { ?d {name: $n} }", "parameters": {"n": "\\ud800"}}'),
            "KIP_2003",
        ),
    ],
)
def test_a_malformed_call_is_answered_with_a_code(empty: Nexus, wrong: object, code: str) -> None:
    response = handle_tool_call(empty, wrong)
    assert list(response) == ["error"]
    assert response["error"]["code"] == code
    assert response["error"]["hint"]


def test_a_misspelled_argument_is_answered_with_the_right_one(empty: Nexus) -> None:
    error = handle_tool_call(empty, call({"comand": NAMES}))["error"]
    assert (error["message"], error["hint"]) == (
        "execute_kip has no member 'comand'",
        "use command",
    )


def test_a_misspelled_function_is_answered_with_the_right_one(empty: Nexus) -> None:
    error = handle_tool_call(empty, call({"command": NAMES}, "execute_kpi"))["error"]
    assert error["known"][0] == "execute_kip"


@pytest.mark.parametrize(
    ("function", "by_name", "host_only"),
    [
        (execute_kip, RunningArguments, {"actor", "request_id", "progress"}),
        (execute_kip_readonly, ReadingArguments, {"actor", "request_id"}),
    ],
)
def test_a_definition_offers_what_its_function_takes(
    function: object, by_name: type, host_only: set[str]
) -> None:
    (definition,) = (
        one["function"]
        for one in tool_definitions()
        if one["function"]["name"] == function.__name__
    )
    named = {*inspect.signature(function).parameters, *get_type_hints(by_name)}
    taken = named - {"nexus", "given"} - host_only
    assert set(definition["parameters"]["properties"]) == taken
    assert definition["parameters"]["additionalProperties"] is False
    for name, schema in definition["parameters"]["properties"].items():
        assert schema["description"].endswith((".", "?")) or name == "as_of", name


def test_the_caller_may_change_the_definitions_it_gets() -> None:
    tool_definitions()[0].clear()
    assert tool_definitions()[0]["type"] == "function"
