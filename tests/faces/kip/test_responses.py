"""What each statement answers: the shapes of kip responses, and that they are plain JSON."""

from __future__ import annotations

import json

import pytest
from tests.faces.kip.examples import assert_like

from recollect.faces.kip import execute_kip, execute_kip_readonly
from recollect.kernel import Nexus

RISKS = (
    'FIND(?name, ?risk) WHERE { ?drug {type: "Drug"} ATTR(?drug, "name", ?name) '
    'ATTR(?drug, "risk_level", ?risk) FILTER(?risk == 2 || ?risk == 3) }'
)


def result(nexus: Nexus, command: str, **arguments: object) -> dict[str, object]:
    response = execute_kip(nexus, command, **arguments)
    assert set(response) <= {"result", "warnings"}, response
    assert json.loads(json.dumps(response)) == response
    return response["result"]


def test_find_answers_columns_and_rows(medicine: Nexus) -> None:
    assert result(medicine, RISKS) == {
        "columns": ["name", "risk"],
        "rows": [["Aspirin", 2], ["Ibuprofen", 3]],
    }


def test_find_answers_one_array_per_column(medicine: Nexus) -> None:
    assert result(medicine, RISKS, format="columns") == [["Aspirin", "Ibuprofen"], [2, 3]]


def test_find_answers_one_object_per_row(medicine: Nexus) -> None:
    assert result(medicine, RISKS, format="objects") == {
        "objects": [{"name": "Aspirin", "risk": 2}, {"name": "Ibuprofen", "risk": 3}],
    }


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("rows", {"columns": ["drug"], "rows": []}),
        ("columns", []),
        ("objects", {"objects": []}),
    ],
)
def test_an_answer_without_rows_keeps_its_shape(
    medicine: Nexus, form: str, expected: dict[str, object]
) -> None:
    nothing = 'FIND(?drug) WHERE { ?drug {type: "Drug", name: "Nopirin"} }'
    assert result(medicine, nothing, format=form) == expected


@pytest.mark.parametrize(
    ("form", "page"),
    [
        ("rows", {"columns": ["drug.name"], "rows": [["Aspirin"], ["Ibuprofen"]]}),
        ("objects", {"objects": [{"drug.name": "Aspirin"}, {"drug.name": "Ibuprofen"}]}),
    ],
)
def test_a_page_carries_the_cursor_of_the_next(
    medicine: Nexus, form: str, page: dict[str, object]
) -> None:
    find = 'FIND(?drug.name) WHERE { ?drug {type: "Drug"} } LIMIT 2'
    found = result(medicine, find, format=form)
    cursor = found.pop("next_cursor")
    assert found == page
    rest = 'FIND(?drug.name) WHERE { ?drug {type: "Drug"} } LIMIT 9 CURSOR $cursor'
    assert result(medicine, rest, parameters={"cursor": cursor}) == {
        "columns": ["drug.name"],
        "rows": [["Paracetamol"], ["Morphine"], ["Salicylic acid"]],
    }


def test_a_bare_aggregate_is_named_after_itself(medicine: Nexus) -> None:
    found = result(medicine, 'FIND(COUNT(?d), COUNT(DISTINCT ?d)) WHERE { ?d {type: "Drug"} }')
    assert found == {"columns": ["count_d", "count_distinct_d"], "rows": [[5, 5]]}


def test_a_concept_is_shown_whole_in_the_documented_order(medicine: Nexus) -> None:
    find = 'FIND(?drug) WHERE { ?drug {type: "Drug", name: "Aspirin"} }'
    (((drug,),)) = result(medicine, find)["rows"]
    assert_like(
        drug,
        {
            "id": "…",
            "type": "Drug",
            "name": "Aspirin",
            "attributes": {"risk_level": 2, "risk_category": "otc"},
            "metadata": {},
        },
    )
    assert isinstance(drug["id"], str)


def test_a_link_is_shown_whole_with_the_ids_of_its_ends(medicine: Nexus) -> None:
    find = 'FIND(?drug, ?link, ?symptom) WHERE { ?link (?drug, "treats", ?symptom) } LIMIT 1'
    (row,) = result(medicine, find)["rows"]
    drug, link, symptom = row
    assert_like(
        link,
        {
            "id": "…",
            "subject": drug["id"],
            "predicate": "treats",
            "object": symptom["id"],
            "attributes": {},
            "metadata": {"confidence": 0.95, "source": "PMID:1"},
        },
    )


def test_collected_elements_are_shown_whole(medicine: Nexus) -> None:
    find = 'FIND(COLLECT(?class) AS ?all) WHERE { ?class {type: "DrugClass"} }'
    (((classes,),)) = result(medicine, find)["rows"]
    assert [one["name"] for one in classes] == ["NSAID", "Analgesic", "Nootropic"]
    assert list(classes[0]) == ["id", "type", "name", "attributes", "metadata"]


def test_upsert_reports_what_it_made(empty: Nexus) -> None:
    made = result(
        empty,
        'UPSERT { CONCEPT @a { {type: "T", name: "A", id: "a"} SET PROPOSITIONS { ("p", @b) } } '
        'CONCEPT @b { {type: "T", name: "B", id: "b"} } PROPOSITION @q { (@a, "q", @b) } }',
    )
    assert_like(
        made,
        {
            "blocks": 3,
            "upsert_concept_nodes": ["a", "b"],
            "upsert_proposition_links": ["…", "…"],
            "created": 4,
            "updated": 0,
            "skipped": [],
        },
    )


def test_upsert_reports_what_it_skipped(empty: Nexus) -> None:
    skipped = result(
        empty,
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} '
        'SET PROPOSITIONS { ("p", {type: "T", name: "Ghost"}) } } }',
    )["skipped"]
    assert skipped == [{"handle": "a", "predicate": "p", "target": {"type": "T", "name": "Ghost"}}]


def test_a_second_run_of_an_upsert_reports_no_change(empty: Nexus) -> None:
    upsert = 'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES { v: 1 } } }'
    first, second = result(empty, upsert), result(empty, upsert)
    assert (first["created"], first["updated"]) == (1, 0)
    assert (second["created"], second["updated"]) == (0, 0)
    assert first["upsert_concept_nodes"] == second["upsert_concept_nodes"]


def test_deletes_report_counts(medicine: Nexus) -> None:
    assert result(medicine, 'DELETE ATTRIBUTES { "risk_level" } WHERE { ?d {type: "Drug"} }') == {
        "updated_concepts": 4,
        "updated_propositions": 0,
    }
    assert result(medicine, 'DELETE PROPOSITIONS WHERE { ?l (?s, "treats", ?o) }') == {
        "deleted_concepts": 0,
        "deleted_propositions": 6,
    }
    assert result(medicine, 'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH') == {
        "deleted_concepts": 1,
        "deleted_propositions": 3,
    }


def test_a_delete_that_matches_nothing_says_so(medicine: Nexus) -> None:
    report = result(medicine, 'DELETE CONCEPT {type: "Drug", name: "Nopirin"} DETACH')
    assert (report["deleted_concepts"], report["deleted_propositions"]) == (0, 0)
    assert report["note"]


def test_search_answers_hits_with_kind_and_score(medicine: Nexus) -> None:
    (hit,) = result(medicine, 'SEARCH CONCEPT "headache"')["hits"]
    assert list(hit) == ["kind", "_score", "id", "type", "name", "attributes", "metadata"]
    assert (hit["kind"], hit["name"], hit["attributes"]) == ("concept", "Headache", {})
    assert 0 < hit["_score"] <= 1


def test_describing_a_list_answers_items(medicine: Nexus) -> None:
    items = result(medicine, "DESCRIBE CONCEPT TYPES")["items"]
    assert {one["name"]: one["count"] for one in items} == {
        "Drug": 5,
        "DrugClass": 3,
        "Symptom": 3,
        "SideEffect": 2,
    }


def test_describing_one_thing_answers_an_object(medicine: Nexus) -> None:
    primer = result(medicine, "DESCRIBE PRIMER")
    assert {"identity", "nexus", "domain_map", "summary", "syntax_card", "search_modes"} <= set(
        primer
    )
    assert "items" not in result(medicine, 'DESCRIBE CONCEPT TYPE "Drug"')


def test_several_statements_answer_a_result_each(empty: Nexus) -> None:
    found = result(
        empty,
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} } } FIND(?n) WHERE { ?x {type: "T"} '
        'ATTR(?x, "name", ?n) }',
    )
    first, second = found["statements"]
    assert first["created"] == 1
    assert second == {"columns": ["n"], "rows": [["A"]]}


def test_warnings_stand_beside_the_result(medicine: Nexus) -> None:
    response = execute_kip(medicine, 'FIND(?d) WHERE { ?d {type: "Durg"} }')
    assert list(response) == ["result", "warnings"]
    (warning,) = response["warnings"]
    assert warning["code"] == "unknown_type"
    assert "Drug" in warning["hint"]


def test_an_error_stands_alone_and_says_where(medicine: Nexus) -> None:
    response = execute_kip(medicine, 'FIND(?dru)\nWHERE { ?drug {type: "Drug"} }')
    assert list(response) == ["error"]
    error = response["error"]
    assert (error["code"], error["line"], error["column"]) == ("KIP_3001", 1, 6)
    assert error["known"] == ["?drug"]
    assert json.loads(json.dumps(response)) == response


@pytest.mark.parametrize("form", ["rows", "objects"])
def test_a_list_looks_the_same_as_rows_and_as_objects(empty: Nexus, form: str) -> None:
    report = execute_kip_readonly(empty, "DESCRIBE CONCEPT TYPES", format=form)
    assert report == {"result": {"items": []}}


def test_every_kind_of_value_arrives_as_json(empty: Nexus) -> None:
    value = {"n": None, "b": True, "i": -(2**63), "f": 0.1, "s": "é阿\U0001f600", "a": [1, [2]]}
    upsert = 'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES { v: $v } } }'
    result(empty, upsert, parameters={"v": value})
    find = 'FIND(?v) WHERE { ?a {type: "T"} ATTR(?a, "v", ?v) }'
    assert result(empty, find)["rows"] == [[value]]
