"""Requests: their arguments, batches, dry runs, other times, and every way to get them wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest

from recollect.faces.kip import execute_kip, execute_kip_readonly
from recollect.kernel import Nexus
from recollect.model import AsOf, Instant

NAMES = 'FIND(?name) WHERE { ?drug {type: "Drug"} ATTR(?drug, "name", ?name) }'
MAKE = 'UPSERT { CONCEPT @drug { {type: "Drug", name: $name} } }'
FAIL = 'UPSERT { CONCEPT @drug { {id: "nothing has this id"} } }'


def names(nexus: Nexus, **arguments: object) -> list[object]:
    rows = execute_kip(nexus, NAMES, **arguments)["result"]["rows"]
    return [name for (name,) in rows]


def code(response: dict[str, object]) -> str:
    assert list(response) == ["error"], response
    assert response["error"]["message"]
    return response["error"]["code"]


# Commands


def test_parameters_give_placeholders_their_values(medicine: Nexus) -> None:
    find = "FIND(?type) WHERE { ?x {name: $name} ATTR(?x, :key, ?type) }"
    response = execute_kip(medicine, find, parameters={"name": "Aspirin", "key": "type"})
    assert response == {"result": {"columns": ["type"], "rows": [["Drug"]]}}


def test_a_parameter_is_a_value_and_never_kip(medicine: Nexus) -> None:
    trick = '"} } DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH //'
    find = "FIND(?d) WHERE { ?d {name: $name} }"
    response = execute_kip(medicine, find, parameters={"name": trick})
    assert response["result"]["rows"] == []
    assert "Aspirin" in names(medicine)


def test_several_statements_happen_together_or_not_at_all(empty: Nexus) -> None:
    response = execute_kip(empty, f"{MAKE} {FAIL}", parameters={"name": "Aspirin"})
    assert code(response) == "KIP_3002"
    assert names(empty) == []


def test_commands_are_answered_one_by_one(empty: Nexus) -> None:
    commands = [
        {"command": MAKE, "parameters": {"name": "Aspirin"}},
        {"command": MAKE, "parameters": {"name": "Ibuprofen"}},
        NAMES,
    ]
    response = execute_kip(empty, commands=commands)
    assert list(response) == ["result"]
    first, second, third = response["result"]["commands"]
    assert (first["result"]["created"], second["result"]["created"]) == (1, 1)
    assert third == {"result": {"columns": ["name"], "rows": [["Aspirin"], ["Ibuprofen"]]}}


def test_a_commands_own_parameters_win_over_the_shared_ones(empty: Nexus) -> None:
    commands = [MAKE, {"command": MAKE, "parameters": {"name": "Ibuprofen"}}]
    execute_kip(empty, commands=commands, parameters={"name": "Aspirin"})
    assert names(empty) == ["Aspirin", "Ibuprofen"]


def test_a_failed_write_stops_the_commands_after_it_and_keeps_those_before(empty: Nexus) -> None:
    commands = [
        {"command": MAKE, "parameters": {"name": "Aspirin"}},
        FAIL,
        {"command": MAKE, "parameters": {"name": "Ibuprofen"}},
        NAMES,
    ]
    response = execute_kip(empty, commands=commands)
    first, second = response["result"]["commands"]
    assert first["result"]["created"] == 1
    assert code(second) == "KIP_3002"
    (warning,) = response["warnings"]
    assert warning["code"] == "not_run"
    assert warning["message"] == "2 commands were not run after the failed write"
    assert names(empty) == ["Aspirin"]


def test_a_failed_read_stops_nothing(medicine: Nexus) -> None:
    response = execute_kip(medicine, commands=['FIND(?x) WHERE { ?d {type: "Drug"} }', NAMES])
    first, second = response["result"]["commands"]
    assert code(first) == "KIP_3001"
    assert len(second["result"]["rows"]) == 5
    assert "warnings" not in response


def test_a_text_that_cannot_be_read_stops_the_commands_as_it_may_have_been_a_write(
    medicine: Nexus,
) -> None:
    response = execute_kip(medicine, commands=["UPSERT {", NAMES])
    (only,) = response["result"]["commands"]
    assert code(only) == "KIP_1001"
    assert response["warnings"][0]["message"] == "1 command was not run after the failed write"


def test_a_failed_last_command_leaves_nothing_to_warn_of(empty: Nexus) -> None:
    assert "warnings" not in execute_kip(empty, commands=[NAMES, FAIL])


def test_warnings_of_a_command_stand_in_its_own_response(medicine: Nexus) -> None:
    response = execute_kip(medicine, commands=['FIND(?d) WHERE { ?d {type: "Durg"} }', NAMES])
    first, second = response["result"]["commands"]
    assert first["warnings"][0]["code"] == "unknown_type"
    assert "warnings" not in second
    assert "warnings" not in response


def test_no_command_at_all_is_refused(empty: Nexus) -> None:
    error = execute_kip(empty, commands=[])["error"]
    assert (error["code"], error["message"]) == ("KIP_1001", "commands is empty")


def test_a_time_given_as_text_is_told_which_of_the_two_clocks_to_name(empty: Nexus) -> None:
    error = execute_kip(empty, NAMES, as_of="2020")["error"]  # type: ignore[arg-type]
    assert error["code"] == "KIP_2003"
    assert error["hint"] == 'pass {"known": "2020"} as as_of'


def test_a_whole_number_as_text_is_answered_with_the_number(empty: Nexus) -> None:
    error = execute_kip(empty, NAMES, as_of={"known": "07"})["error"]
    assert error["hint"] == 'use {"known": 7}'


def test_a_transaction_that_has_not_been_is_answered_as_of_the_last_with_a_warning(
    medicine: Nexus,
) -> None:
    last = medicine.stats().transactions
    response = execute_kip(medicine, NAMES, as_of={"known": last + 90})
    assert response["result"] == execute_kip(medicine, NAMES)["result"]
    (warning,) = response["warnings"]
    assert (warning["code"], warning["hint"]) == ("future_transaction", f'use {{"known": {last}}}')
    assert "warnings" not in execute_kip(medicine, NAMES, as_of={"known": last})
    assert "warnings" not in execute_kip(medicine, NAMES, as_of={"known": "2999"})


@pytest.mark.parametrize("nexus", [None, "memory.db", 3])
def test_what_is_no_memory_is_answered(nexus: Any) -> None:
    error = execute_kip(nexus, NAMES)["error"]
    assert error["code"] == "INVALID_ARGUMENT"
    assert error["hint"] == 'pass recollect.open("memory.db")'


def test_bytes_are_not_called_an_array(empty: Nexus) -> None:
    error = execute_kip(empty, b"DESCRIBE PRIMER")["error"]  # type: ignore[arg-type]
    assert error["message"] == "command is a Python bytes"


def test_an_error_in_a_command_points_into_its_own_text(empty: Nexus) -> None:
    response = execute_kip(empty, commands=[NAMES, "FIND(?a)\nWHERE { FILTER(?a = 1) }"])
    assert response["result"]["commands"][1]["error"]["line"] == 2


# Dry run


def test_a_dry_run_reports_what_would_happen_and_keeps_nothing(medicine: Nexus) -> None:
    delete = 'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH'
    dry = execute_kip(medicine, delete, dry_run=True)
    assert dry["result"] == {"deleted_concepts": 1, "deleted_propositions": 5, "dry_run": True}
    wet = execute_kip(medicine, delete)
    assert wet["result"] == {"deleted_concepts": 1, "deleted_propositions": 5}


def test_a_dry_run_of_an_upsert_leaves_no_type_behind(empty: Nexus) -> None:
    upsert = 'UPSERT { CONCEPT @a { {type: "Brand new", name: "A"} } }'
    assert execute_kip(empty, upsert, dry_run=True)["result"]["dry_run"] is True
    assert execute_kip(empty, "DESCRIBE CONCEPT TYPES") == {"result": {"items": []}}
    assert execute_kip(empty, upsert)["result"]["created"] == 1


def test_statements_of_a_dry_run_see_each_other(empty: Nexus) -> None:
    response = execute_kip(empty, f"{MAKE} {NAMES}", parameters={"name": "Aspirin"}, dry_run=True)
    report, rows = response["result"]["statements"]
    assert report["dry_run"] is True
    assert rows == {"columns": ["name"], "rows": [["Aspirin"]]}
    assert names(empty) == []


def test_a_dry_run_finds_the_errors_of_a_real_one(empty: Nexus) -> None:
    assert code(execute_kip(empty, FAIL, dry_run=True)) == "KIP_3002"


def test_a_dry_run_of_a_query_answers_it(medicine: Nexus) -> None:
    assert execute_kip(medicine, NAMES, dry_run=True) == execute_kip(medicine, NAMES)


# Targets that are not there

GHOST = (
    'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", {name: "Ghost"}) } } }'
)


def test_a_missing_target_is_skipped_or_an_error_as_the_request_says(empty: Nexus) -> None:
    assert len(execute_kip(empty, GHOST)["result"]["skipped"]) == 1
    assert code(execute_kip(empty, GHOST, on_missing="error")) == "KIP_3002"


# Another time


def test_a_request_may_ask_what_was_true_at_an_instant(medicine: Nexus) -> None:
    execute_kip(
        medicine,
        'UPSERT { PROPOSITION @p { ({name: "Aspirin"}, "sold_in", {name: "Fever"}) } '
        'WITH METADATA { valid_from: "2020", valid_until: "2021-07" } }',
    )
    sold = 'FIND(?l) WHERE { ?l ({name: "Aspirin"}, "sold_in", ?x) }'

    def count(as_of: object) -> int:
        return len(execute_kip(medicine, sold, as_of=as_of)["result"]["rows"])

    assert count(None) == 1
    assert count({}) == 1
    assert count({"valid": "2019-12-31T23:59:59.999Z"}) == 0
    assert count({"valid": "2020"}) == 1
    assert count({"valid": "2020-01-01T01:00:00+02:00"}) == 0
    assert count({"valid": "2021-06"}) == 1
    assert count({"valid": "2021-07-01"}) == 0
    assert count(AsOf(valid=Instant(1_600_000_000_000))) == 1


def test_a_request_may_ask_what_the_memory_held(empty: Nexus) -> None:
    execute_kip(empty, MAKE, parameters={"name": "Aspirin"})
    execute_kip(empty, MAKE, parameters={"name": "Ibuprofen"})
    assert names(empty, as_of={"known": 0}) == []
    assert names(empty, as_of={"known": 1}) == ["Aspirin"]
    assert names(empty, as_of={"known": 2}) == ["Aspirin", "Ibuprofen"]
    assert names(empty, as_of={"known": "2001-01-01"}) == []
    assert names(empty, as_of={"known": "2101-01-01"}) == ["Aspirin", "Ibuprofen"]


def test_another_time_reads_only(empty: Nexus) -> None:
    response = execute_kip(empty, MAKE, parameters={"name": "A"}, as_of={"valid": "2024"})
    assert code(response) == "KIP_1001"
    assert names(empty) == []


# Reading only


def test_the_read_only_call_reads(medicine: Nexus) -> None:
    assert execute_kip_readonly(medicine, NAMES) == execute_kip(medicine, NAMES)
    old = execute_kip_readonly(medicine, NAMES, as_of={"known": 0}, format="objects")
    assert old == {"result": {"objects": []}}


@pytest.mark.parametrize(
    "write",
    [
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} } }',
        'DELETE ATTRIBUTES { "a" } WHERE { ?d {type: "Drug"} }',
        'DELETE METADATA { "a" } WHERE { ?d {type: "Drug"} }',
        "DELETE PROPOSITIONS WHERE { ?l (?s, ?p, ?o) }",
        'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH',
        f'{NAMES} DELETE CONCEPT {{type: "Drug", name: "Aspirin"}} DETACH',
    ],
)
def test_the_read_only_call_refuses_a_text_that_writes(medicine: Nexus, write: str) -> None:
    assert code(execute_kip_readonly(medicine, write)) == "KIP_1001"
    assert len(names(medicine)) == 5
    batch = execute_kip_readonly(medicine, commands=[write, NAMES])
    assert code(batch["result"]["commands"][0]) == "KIP_1001"
    assert len(names(medicine)) == 5


# Wrong arguments


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "KIP_1001"),
        ({"command": NAMES, "commands": [NAMES]}, "KIP_1001"),
        ({"command": 3}, "KIP_2003"),
        ({"command": b"FIND"}, "KIP_2003"),
        ({"command": [NAMES]}, "KIP_2003"),
        ({"command": ""}, "KIP_1001"),
        ({"command": "// nothing but a comment"}, "KIP_1001"),
        ({"command": "\x00"}, "KIP_2003"),
        ({"command": 'FIND(?a) WHERE { ?a {name: "\ud800"} }'}, "KIP_2003"),
        ({"commands": NAMES}, "KIP_2003"),
        ({"commands": {"command": NAMES}}, "KIP_2003"),
        ({"commands": [3]}, "KIP_2003"),
        ({"commands": [NAMES, None]}, "KIP_2003"),
        ({"commands": [{}]}, "KIP_2003"),
        ({"commands": [{"command": None}]}, "KIP_2003"),
        ({"commands": [{"command": NAMES, "parametres": {}}]}, "KIP_1001"),
        ({"commands": [{"command": NAMES, "parameters": []}]}, "KIP_2003"),
        ({"command": NAMES, "parameters": [1]}, "KIP_2003"),
        ({"command": NAMES, "parameters": "name"}, "KIP_2003"),
        ({"command": NAMES, "parameters": {1: 2}}, "KIP_2003"),
        ({"command": MAKE, "parameters": {"name": 3}}, "KIP_2003"),
        ({"command": MAKE, "parameters": {"name": None}}, "KIP_2003"),
        ({"command": MAKE, "parameters": {"name": "a\x00b"}}, "KIP_2003"),
        ({"command": MAKE, "parameters": {"name": "\ud800"}}, "KIP_2003"),
        ({"command": MAKE, "parameters": {}}, "KIP_3001"),
        ({"command": NAMES, "dry_run": 1}, "KIP_2003"),
        ({"command": NAMES, "dry_run": None}, "KIP_2003"),
        ({"command": NAMES, "format": "row"}, "KIP_1001"),
        ({"command": NAMES, "format": None}, "KIP_2003"),
        ({"command": NAMES, "on_missing": "fail"}, "KIP_1001"),
        ({"command": NAMES, "on_missing": True}, "KIP_2003"),
        ({"command": NAMES, "actor": 7}, "KIP_2003"),
        ({"command": NAMES, "request_id": 7}, "KIP_2003"),
        ({"command": NAMES, "as_of": "2024"}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"valid": 2024}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"valid": "soon"}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"valid": "2024-13"}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"valid": "0000"}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"known": True}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"known": -1}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"known": 2**63}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"known": 1.5}}, "KIP_2003"),
        ({"command": NAMES, "as_of": {"valid_at": "2024"}}, "KIP_1001"),
    ],
)
def test_a_wrong_argument_is_answered_and_not_raised(
    empty: Nexus, arguments: dict[str, object], expected: str
) -> None:
    assert code(execute_kip(empty, **arguments)) == expected


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(math.nan, id="nan"),
        pytest.param(math.inf, id="infinity"),
        pytest.param(2**63, id="beyond-64-bits"),
        pytest.param(-(2**63) - 1, id="below-64-bits"),
        pytest.param("\ud800", id="lone-surrogate"),
        pytest.param("\x00", id="nul"),
        pytest.param(object(), id="object"),
        pytest.param(b"bytes", id="bytes"),
        pytest.param({"a": {1, 2}}, id="set"),
        pytest.param({1: 2}, id="number-as-key"),
    ],
)
def test_a_parameter_that_json_cannot_hold_is_refused(empty: Nexus, value: object) -> None:
    upsert = 'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES { v: $v } } }'
    assert code(execute_kip(empty, upsert, parameters={"v": value})) == "KIP_2003"
    assert execute_kip(empty, "DESCRIBE CONCEPT TYPES") == {"result": {"items": []}}


def test_a_word_that_is_nearly_right_is_named(empty: Nexus) -> None:
    error = execute_kip(empty, NAMES, format="rowz")["error"]
    assert (error["known"], error["hint"]) == (["rows"], 'use format "rows"')
    error = execute_kip(empty, commands=[{"comand": NAMES}])["error"]
    assert (error["known"], error["hint"]) == (["command"], "use command")


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_nesting_is_answered(empty: Nexus, depth: int) -> None:
    deep = "FIND(?a) WHERE { " + "NOT { " * depth + "} " * depth + "}"
    assert code(execute_kip(empty, deep)) in {"KIP_1001", "KIP_4002"}


def test_a_deep_parameter_is_answered(empty: Nexus) -> None:
    value: object = 1
    for _ in range(5_000):
        value = [value]
    upsert = 'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES { v: $v } } }'
    assert code(execute_kip(empty, upsert, parameters={"v": value})) in {"KIP_2003", "KIP_4002"}


def test_what_one_group_holds_is_not_seen_from_another(empty: Nexus) -> None:
    assert names(empty) == []
    assert len(names(empty.group("decoy"))) == 5
    assert execute_kip(empty, 'SEARCH "headache"') == {"result": {"hits": []}}


def test_a_day_of_the_year_is_an_instant_as_it_is_in_metadata(medicine: Nexus):
    assert "result" in execute_kip(medicine, NAMES, as_of={"valid": "2024-005"})


@pytest.mark.parametrize("as_of", [AsOf(valid="x"), AsOf(known=1.5), AsOf(known=True)])
def test_an_as_of_of_no_whole_numbers_is_refused(medicine: Nexus, as_of: AsOf):
    assert execute_kip(medicine, NAMES, as_of=as_of)["error"]["code"] == "INVALID_ARGUMENT"


def test_a_large_write_tells_how_far_it_is(empty: Nexus):
    told: list[tuple[str, int, int]] = []
    blocks = " ".join(f'CONCEPT @c{n} {{ {{type: "N", name: "{n}"}} }}' for n in range(250))
    execute_kip(empty, f"UPSERT {{ {blocks} }}", progress=lambda *one: told.append(one))
    assert [one for one in told if one[0] == "blocks"] == [
        ("blocks", done, 250) for done in (0, 100, 200, 250)
    ]
    assert told[-1][0] == "keeping"


def test_equal_columns_are_refused(medicine: Nexus):
    text = 'FIND(?d, ?d) WHERE { ?d {type: "Drug"} }'
    assert execute_kip(medicine, text)["error"]["hint"] == "write ?d once"
