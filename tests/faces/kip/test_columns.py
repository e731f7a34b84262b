"""`format="columns"`: every statement answers in the shapes of KIP 1.0-RC11, section 6.2."""

from __future__ import annotations

import json

import pytest

from recollect.faces.kip import execute_kip
from recollect.kernel import Nexus


def response(nexus: Nexus, command: str, **arguments: object) -> dict[str, object]:
    found = execute_kip(nexus, command, format="columns", **arguments)  # type: ignore[arg-type]
    assert json.loads(json.dumps(found)) == found
    return found


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("?drug.name, ?drug.attributes.risk_level", [["Aspirin", "Ibuprofen"], [2, 3]]),
        ("?drug.name", ["Aspirin", "Ibuprofen"]),
        ("COUNT(?drug)", 2),
        ("COUNT(?drug), MAX(?drug.attributes.risk_level)", [2, 3]),
        ("?drug.type, COUNT(?drug)", [["Drug"], [2]]),
    ],
)
def test_a_column_is_an_array_and_an_aggregate_of_all_a_value(
    medicine: Nexus, shown: str, expected: object
) -> None:
    where = '?drug {type: "Drug"} FILTER(IN(?drug.attributes.risk_level, [2, 3]))'
    assert response(medicine, f"FIND({shown}) WHERE {{ {where} }}") == {"result": expected}


def test_an_aggregate_of_no_page_is_null(medicine: Nexus) -> None:
    find = 'FIND(COUNT(?drug)) WHERE { ?drug {type: "Drug"} } LIMIT 0'
    assert response(medicine, find) == {"result": None}


def test_the_cursor_stands_beside_the_result(medicine: Nexus) -> None:
    find = 'FIND(?drug.name) WHERE { ?drug {type: "Drug"} } LIMIT 3'
    first = response(medicine, find)
    assert first["result"] == ["Aspirin", "Ibuprofen", "Paracetamol"]
    next_page = response(medicine, f"{find} CURSOR :c", parameters={"c": first["next_cursor"]})
    assert next_page == {"result": ["Morphine", "Salicylic acid"]}


def test_a_search_answers_elements_that_carry_their_score(medicine: Nexus) -> None:
    found = response(medicine, 'SEARCH CONCEPT "aspirin" LIMIT 1')["result"]
    assert isinstance(found, list)
    assert list(found[0]) == ["id", "type", "name", "attributes", "metadata"]
    assert found[0]["name"] == "Aspirin"
    assert 0 < found[0]["metadata"]["_score"] <= 1


def test_a_list_of_types_is_their_names(medicine: Nexus) -> None:
    found = response(medicine, "DESCRIBE CONCEPT TYPES LIMIT 2")
    assert found["result"] == ["Drug", "DrugClass"]
    rest = response(
        medicine,
        "DESCRIBE CONCEPT TYPES LIMIT 2 CURSOR :c",
        parameters={"c": found["next_cursor"]},
    )
    assert isinstance(rest["result"], list)
    assert not {"Drug", "DrugClass"} & set(rest["result"])


def test_a_list_of_domains_is_their_summaries(medicine: Nexus) -> None:
    found = response(medicine, "DESCRIBE DOMAINS")["result"]
    assert isinstance(found, list)
    assert all({"name", "count"} <= set(one) for one in found)


def test_the_primer_counts_its_domains(medicine: Nexus) -> None:
    primer = response(medicine, "DESCRIBE PRIMER")["result"]
    assert isinstance(primer, dict)
    assert {"identity", "domain_map"} <= set(primer)
    assert primer["total_domains"] == len(primer["domain_map"])


def test_a_declared_type_is_the_concept_that_defines_it(medicine: Nexus) -> None:
    declare = (
        'UPSERT { CONCEPT ?d { {type: "$ConceptType", name: "Drug"} '
        'SET ATTRIBUTES { description: "A medicine." } } }'
    )
    assert "result" in response(medicine, declare)
    defined = response(medicine, 'DESCRIBE CONCEPT TYPE "Drug"')["result"]
    assert isinstance(defined, dict)
    assert (defined["type"], defined["name"]) == ("$ConceptType", "Drug")
    assert defined["attributes"] == {"description": "A medicine."}


def test_a_type_that_nothing_declares_is_what_is_known_of_it(medicine: Nexus) -> None:
    known = response(medicine, 'DESCRIBE CONCEPT TYPE "Drug"')["result"]
    assert isinstance(known, dict)
    assert (known["name"], known["count"]) == ("Drug", 5)


def test_several_upserts_are_one_report(empty: Nexus) -> None:
    text = "".join(f'UPSERT {{ CONCEPT ?c {{ {{type: "T", name: "{n}"}} }} }}' for n in "ab")
    made = response(empty, text)["result"]
    assert isinstance(made, dict)
    assert made["blocks"] == 2
    assert len(made["upsert_concept_nodes"]) == 2
    assert made["upsert_proposition_links"] == []


def test_a_dry_run_names_nothing(empty: Nexus) -> None:
    text = 'UPSERT { CONCEPT ?c { {type: "T", name: "a"} } }'
    made = response(empty, text, dry_run=True)["result"]
    assert isinstance(made, dict)
    assert (made["dry_run"], made["created"], made["upsert_concept_nodes"]) == (True, 1, [])


def test_other_statements_of_one_text_are_an_array_of_responses(medicine: Nexus) -> None:
    text = 'DELETE CONCEPT {type: "Drug", name: "Morphine"} DETACH FIND(COUNT(?d)) WHERE '
    found = response(medicine, text + '{ ?d {type: "Drug"} }')["result"]
    assert found == [
        {"result": {"deleted_concepts": 1, "deleted_propositions": 2}},
        {"result": 4},
    ]


def test_a_batch_goes_on_after_a_text_that_is_none_and_stops_after_a_failed_write(
    medicine: Nexus,
) -> None:
    count = 'FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }'
    missing = 'UPSERT { CONCEPT ?x { {id: "nothing"} } }'
    found = execute_kip(medicine, commands=["FIND FIND", count, missing, count], format="columns")
    first, second, third = found["result"]  # type: ignore[misc]
    assert "error" in first
    assert second == {"result": 5}
    assert third["error"]["code"] == "KIP_3002"
    (warning,) = found["warnings"]  # type: ignore[misc]
    assert warning["code"] == "not_run"
