"""The responses to UPDATE, MERGE, EXPORT and EXPECT VERSION, alone and among commands."""

from __future__ import annotations

import pytest

from recollect.faces.kip import execute_kip, execute_kip_readonly
from recollect.kernel import Nexus

UPDATE = 'UPDATE ?d SET ATTRIBUTES { seen: 1 } WHERE { ?d {type: "Drug"} } LIMIT 2'
MERGE = 'MERGE CONCEPT ?a INTO ?b WHERE { ?a {name: "Ibuprofen"} ?b {name: "Aspirin"} }'
EXPORT = 'EXPORT ?d WHERE { ?d {type: "Drug"} } LIMIT 2'
FIND = 'FIND(?d) WHERE { ?d {type: "Drug", name: "Ibuprofen"} }'


def test_each_statement_answers_with_its_own_keys(medicine: Nexus) -> None:
    assert execute_kip(medicine, UPDATE) == {"result": {"updated": 2, "matched": 2}}
    exported = execute_kip_readonly(medicine, EXPORT)["result"]
    assert isinstance(exported, dict)
    assert list(exported) == ["capsule", "concepts", "propositions", "next_cursor"]
    merged = execute_kip(medicine, MERGE)["result"]
    assert isinstance(merged, dict)
    assert list(merged) == ["merged", "links_repointed", "links_deduplicated", "attributes_filled"]
    assert merged["merged"] is True


def test_a_dry_run_changes_nothing(medicine: Nexus) -> None:
    before = medicine.stats().transactions
    for text in (UPDATE, MERGE):
        result = execute_kip(medicine, text, dry_run=True)["result"]
        assert isinstance(result, dict)
        assert result["dry_run"] is True
    assert medicine.stats().transactions == before


@pytest.mark.parametrize(
    "text", [UPDATE, MERGE, "DELETE CONCEPT ?d DETACH WHERE { ?d {name: 'x'} }"]
)
def test_a_read_only_call_refuses_what_writes(medicine: Nexus, text: str) -> None:
    error = execute_kip_readonly(medicine, text.replace("'", '"'))["error"]
    assert isinstance(error, dict)
    assert error["code"] == "KIP_1001"


@pytest.mark.parametrize(
    ("failing", "code"),
    [
        ('UPDATE ?d SET METADATA { _version: 1 } WHERE { ?d {type: "Drug"} }', "KIP_2002"),
        ('MERGE CONCEPT ?a INTO ?b WHERE { ?a {name: "none"} ?b {name: "Aspirin"} }', "KIP_3002"),
        (
            'UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} EXPECT VERSION 9 } }',
            "KIP_3005",
        ),
    ],
)
def test_a_write_that_fails_stops_the_commands(medicine: Nexus, failing: str, code: str) -> None:
    response = execute_kip(medicine, commands=[UPDATE, failing, FIND])
    result = response["result"]
    assert isinstance(result, dict)
    first, second = result["commands"]
    assert first == {"result": {"updated": 2, "matched": 2}}
    assert second["error"]["code"] == code
    assert second["error"]["hint"]
    assert [one["code"] for one in response["warnings"]] == ["not_run"]


def test_an_export_that_fails_stops_nothing(medicine: Nexus) -> None:
    result = execute_kip(medicine, commands=["EXPORT ?x WHERE { (?s, ?x, ?o) }", FIND])["result"]
    assert isinstance(result, dict)
    assert [list(one) for one in result["commands"]] == [["error"], ["result"]]
