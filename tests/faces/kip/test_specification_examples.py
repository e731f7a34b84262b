"""Every example the specification prints runs, letter for letter."""

from __future__ import annotations

import pytest
from tests.faces.kip.specification import (
    COGNIZINE,
    EXAMPLE_1,
    EXAMPLE_2,
    EXAMPLE_3,
    EXAMPLE_4,
    HIGH_CONFIDENCE,
    STROKE,
)

from recollect.faces.kip import execute_kip
from recollect.kernel import Nexus, parse, print_text

PAPERS = """
UPSERT {
  CONCEPT @zs { {type: "User", name: "Zhang San"} }
  CONCEPT @ls { {type: "User", name: "Li Si"} }
  CONCEPT @p1 { {type: "Paper", name: "P1"} SET ATTRIBUTES { doi: "10.1/one" } }
  CONCEPT @p2 { {type: "Paper", name: "P2"} SET ATTRIBUTES { doi: "10.1/two" } }
  PROPOSITION @t1 { ({name: "Aspirin", type: "Drug"}, "treats", {type: "Symptom", name: "Headache"}) }
  PROPOSITION @t2 { ({name: "Ibuprofen", type: "Drug"}, "treats", {type: "Symptom", name: "Headache"}) }
  PROPOSITION @c1 { (@p1, "cites_as_evidence", @t1) }
  PROPOSITION @c2 { (@p2, "cites_as_evidence", @t2) }
  PROPOSITION @s1 { (@zs, "stated", @c1) }
  PROPOSITION @s2 { (@ls, "stated", @c2) }
}
"""

COGNIZINE_LINKS = """
FIND(?predicate, ?name, ?source, ?author, ?confidence, ?status)
WHERE {
  ?link ({type: "Drug", name: "Cognizine"}, ?predicate, ?what)
  ATTR(?what, "name", ?name)
  META(?link, "source", ?source)
  META(?link, "author", ?author)
  META(?link, "confidence", ?confidence)
  META(?link, "status", ?status)
}
ORDER BY ?predicate
"""


def result(nexus: Nexus, command: str) -> dict[str, object]:
    response = execute_kip(nexus, command)
    assert "result" in response, response
    return response["result"]


def rows(nexus: Nexus, command: str) -> list[list[object]]:
    return result(nexus, command)["rows"]


def found(nexus: Nexus, clauses: str, variable: str = "drug") -> list[object]:
    """Return the names of what the clauses bind to `variable`, as a query around them finds them."""
    query = f'FIND(?found_name) WHERE {{ {clauses}\n ATTR(?{variable}, "name", ?found_name) }}'
    return [name for (name,) in rows(nexus, query)]


# Clauses


@pytest.mark.parametrize(
    ("clause", "variable", "expected"),
    [
        (
            '?drug {type: "Drug"}',
            "drug",
            ["Aspirin", "Ibuprofen", "Paracetamol", "Morphine", "Salicylic acid"],
        ),
        ('?aspirin {type: "Drug", name: "Aspirin"}', "aspirin", ["Aspirin"]),
        (
            '(?drug, "treats", ?headache)',
            "drug",
            ["Aspirin", "Ibuprofen", "Paracetamol", "Morphine"],
        ),
        ('?treatment_link (?drug, "treats", ?headache)', "headache", ["Headache", "Fever"]),
        (
            '(?drug, "treats", {name: "Headache"})',
            "drug",
            ["Aspirin", "Ibuprofen", "Paracetamol", "Morphine"],
        ),
    ],
)
def test_a_pattern_clause_matches(
    medicine: Nexus, clause: str, variable: str, expected: list[object]
) -> None:
    assert found(medicine, clause, variable) == expected


def test_a_concept_is_found_by_its_id(empty: Nexus) -> None:
    result(
        empty,
        'UPSERT { CONCEPT @h { {id: "snomedct_25064002", type: "Symptom", name: "Headache"} } }',
    )
    assert found(empty, '?headache {id: "snomedct_25064002"}', "headache") == ["Headache"]


def test_parents_within_five_levels_include_the_concept_itself(empty: Nexus) -> None:
    result(
        empty,
        'UPSERT { CONCEPT @a { {type: "N", name: "A"} } '
        'CONCEPT @b { {type: "N", name: "B"} SET PROPOSITIONS { ("is_subclass_of", @a) } } '
        'CONCEPT @c { {type: "N", name: "C"} SET PROPOSITIONS { ("is_subclass_of", @b) } } }',
    )
    path = '?concept {name: "C"} (?concept, "is_subclass_of{0,5}", ?parent_concept)'
    assert found(empty, path, "parent_concept") == ["A", "B", "C"]


def test_attributes_and_metadata_are_read(medicine: Nexus) -> None:
    result(
        medicine,
        'UPSERT { PROPOSITION @p { ({type: "Drug", name: "Aspirin"}, "treats", '
        '{type: "Symptom", name: "Headache"}) SET ATTRIBUTES { dosage: "500mg" } } }',
    )
    query = """
    FIND(?drug_name, ?dosage, ?conf)
    WHERE {
      ?treatment_link (?drug, "treats", {name: "Headache"})
      // Get the "name" attribute value of the ?drug node and bind it to ?drug_name
      ATTR(?drug, "name", ?drug_name)
      // Get the "dosage" attribute value of the ?treatment_link proposition and bind it to ?dosage
      ATTR(?treatment_link, "dosage", ?dosage)
      // Get the confidence value from the metadata of the ?treatment_link proposition and bind it to ?conf
      META(?treatment_link, "confidence", ?conf)
    }
    """
    assert rows(medicine, query) == [
        ["Aspirin", "500mg", 0.95],
        ["Ibuprofen", None, 0.9],
        ["Paracetamol", None, 0.85],
        ["Morphine", None, None],
    ]


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ('ATTR(?drug, "risk_level", ?risk) FILTER(?risk < 3)', ["Aspirin", "Paracetamol"]),
        (
            'ATTR(?drug, "name", ?drug_name) FILTER(CONTAINS(?drug_name, "acid"))',
            ["Salicylic acid"],
        ),
        (
            'NOT { ?nsaid_class {name: "NSAID"} (?drug, "is_class_of", ?nsaid_class) }',
            ["Paracetamol", "Morphine", "Salicylic acid"],
        ),
        (
            'NOT { (?drug, "is_class_of", {name: "NSAID"}) }',
            ["Paracetamol", "Morphine", "Salicylic acid"],
        ),
    ],
)
def test_filters_and_negations_choose_among_drugs(
    medicine: Nexus, clauses: str, expected: list[object]
) -> None:
    assert found(medicine, '?drug {type: "Drug"} ' + clauses) == expected


def test_optional_side_effects(medicine: Nexus) -> None:
    query = """
    FIND(?drug, ?side_effect_name)
    WHERE {
      // Find all drugs and, if they exist, their side effects
      ?drug {type: "Drug"}
      OPTIONAL {
        (?drug, "has_side_effect", ?side_effect)
        ATTR(?side_effect, "name", ?side_effect_name)
      }
    }
    """
    assert [(drug["name"], effect) for drug, effect in rows(medicine, query)] == [
        ("Aspirin", "Bleeding"),
        ("Aspirin", "Nausea"),
        ("Ibuprofen", None),
        ("Paracetamol", "Nausea"),
        ("Morphine", None),
        ("Salicylic acid", None),
    ]


def test_union_of_headache_and_fever(medicine: Nexus) -> None:
    clauses = """
      // Find drugs that treat "Headache" or "Fever"
      (?drug, "treats", {name: "Headache"})
      UNION {
        (?drug, "treats", {name: "Fever"})
      }
    """
    assert found(medicine, clauses) == ["Aspirin", "Ibuprofen", "Paracetamol", "Morphine"]


@pytest.mark.parametrize(
    ("what", "columns"),
    [
        ("?drug", ["drug"]),
        ("?drug_name, ?symptom_name", ["drug_name", "symptom_name"]),
        ("?drug_class, COUNT(?drug) AS ?drug_count", ["drug_class", "drug_count"]),
    ],
)
def test_each_form_of_find_names_its_columns(
    medicine: Nexus, what: str, columns: list[str]
) -> None:
    where = """
    WHERE {
      (?drug, "treats", ?symptom)
      (?drug, "is_class_of", ?class)
      ATTR(?drug, "name", ?drug_name)
      ATTR(?symptom, "name", ?symptom_name)
      ATTR(?class, "name", ?drug_class)
    }
    """
    assert result(medicine, f"FIND({what}) {where}")["columns"] == columns


# Queries


def test_relationships_of_high_confidence(medicine: Nexus) -> None:
    assert rows(medicine, HIGH_CONFIDENCE) == [["Aspirin", "Headache"], ["Paracetamol", "Fever"]]


def test_example_1_filters_and_sorts(medicine: Nexus) -> None:
    assert rows(medicine, EXAMPLE_1) == [["Paracetamol", 1]]


def test_example_2_collects(medicine: Nexus) -> None:
    assert result(medicine, EXAMPLE_2) == {
        "columns": ["class_name", "drug_list"],
        "rows": [
            ["Analgesic", ["Paracetamol", "Morphine", "Salicylic acid"]],
            ["NSAID", ["Aspirin", "Ibuprofen"]],
        ],
    }


def test_example_3_shows_missing_side_effects_as_null(medicine: Nexus) -> None:
    assert rows(medicine, EXAMPLE_3) == [
        ["Aspirin", "Bleeding"],
        ["Aspirin", "Nausea"],
        ["Ibuprofen", None],
    ]


def test_example_4_is_refused_for_its_literal_dots_and_says_where(medicine: Nexus) -> None:
    error = execute_kip(medicine, EXAMPLE_4)["error"]
    assert error["code"] == "KIP_1001"
    assert EXAMPLE_4.split("\n")[error["line"] - 1].strip() == "..."
    assert "..." in error["message"]
    assert error["hint"]


def test_example_4_runs_without_its_literal_dots(medicine: Nexus) -> None:
    result(medicine, PAPERS)
    assert rows(medicine, EXAMPLE_4.replace("...", "")) == [["10.1/one", "Aspirin"]]


# Capsules


def test_the_cognizine_capsule_on_an_empty_graph_reports_what_it_skipped(empty: Nexus) -> None:
    report = result(empty, COGNIZINE)
    assert (report["blocks"], report["created"], report["updated"]) == (2, 3, 0)
    assert report["skipped"] == [
        {
            "handle": "cognizine",
            "predicate": "is_class_of",
            "target": {"type": "DrugClass", "name": "Nootropic"},
        },
        {
            "handle": "cognizine",
            "predicate": "treats",
            "target": {"type": "Symptom", "name": "Brain Fog"},
        },
    ]
    assert [row[0] for row in rows(empty, COGNIZINE_LINKS)] == ["has_side_effect"]


def test_the_cognizine_capsule_after_its_classes_exist_is_whole(medicine: Nexus) -> None:
    report = result(medicine, COGNIZINE)
    assert (report["created"], report["updated"], report["skipped"]) == (5, 0, [])
    capsule = ["KnowledgeCapsule:Nootropics_v1.0", "LDC Labs Research Team", 0.95, "reviewed"]
    trial = ["Preliminary Clinical Trial NCT012345", "LDC Labs Research Team", 0.75, "reviewed"]
    assert rows(medicine, COGNIZINE_LINKS) == [
        ["has_side_effect", "Neural Bloom", *trial],
        ["is_class_of", "Nootropic", *capsule],
        ["treats", "Brain Fog", *capsule],
    ]


def test_the_cognizine_capsule_run_twice_changes_nothing_the_second_time(medicine: Nexus) -> None:
    first, second = result(medicine, COGNIZINE), result(medicine, COGNIZINE)
    assert (second["created"], second["updated"]) == (0, 0)
    assert second["upsert_concept_nodes"] == first["upsert_concept_nodes"]
    assert second["upsert_proposition_links"] == first["upsert_proposition_links"]


def test_the_cognizine_capsule_is_completed_by_a_later_run(empty: Nexus) -> None:
    result(empty, COGNIZINE)
    result(
        empty,
        'UPSERT { CONCEPT @n { {type: "DrugClass", name: "Nootropic"} } '
        'CONCEPT @f { {type: "Symptom", name: "Brain Fog"} } }',
    )
    report = result(empty, COGNIZINE)
    assert (report["created"], report["skipped"]) == (2, [])


def test_the_stroke_proposition_needs_its_concepts(empty: Nexus) -> None:
    error = execute_kip(empty, STROKE)["error"]
    assert error["code"] == "KIP_3002"
    assert "Aspirin" in error["message"]
    assert execute_kip(empty, "DESCRIBE PROPOSITION TYPES") == {"result": {"items": []}}


def test_the_stroke_proposition_after_its_concepts_exist_holds_everything(medicine: Nexus) -> None:
    result(medicine, 'UPSERT { CONCEPT @s { {type: "Condition", name: "Stroke"} } }')
    report = result(medicine, STROKE)
    assert (report["blocks"], report["created"], len(report["upsert_proposition_links"])) == (
        1,
        1,
        1,
    )
    (((link,),)) = rows(medicine, 'FIND(?l) WHERE { ?l (?d, "prevents", {name: "Stroke"}) }')
    assert link["attributes"] == {"dosage": "100mg", "patient_group": "high-risk adults"}
    assert link["metadata"]["review_info"]["last_reviewed_by"] == "Expert:dr_smith"
    assert list(link["metadata"])[:3] == ["source", "confidence", "evidence"]
    assert len(link["metadata"]) == 10


def test_the_stroke_proposition_is_true_from_the_date_it_gives(medicine: Nexus) -> None:
    result(medicine, 'UPSERT { CONCEPT @s { {type: "Condition", name: "Stroke"} } }')
    result(medicine, STROKE)
    query = 'FIND(?l) WHERE { ?l (?d, "prevents", {name: "Stroke"}) }'

    def count(day: str) -> int:
        return len(execute_kip(medicine, query, as_of={"valid": day})["result"]["rows"])

    assert (count("2022-12-31"), count("2023-01-01")) == (0, 1)


# Deletes


def test_an_attribute_of_aspirin_is_deleted(medicine: Nexus) -> None:
    command = """
    // Delete the "risk_category" attribute from the "Aspirin" node
    DELETE ATTRIBUTES { "risk_category" }
    WHERE {
      { type: "Drug", name: "Aspirin" }
    }
    """
    assert result(medicine, command) == {"updated_concepts": 1, "updated_propositions": 0}
    left = '?drug {type: "Drug"} ATTR(?drug, "risk_category", ?c) FILTER(?c != null)'
    assert found(medicine, left) == ["Ibuprofen"]


def test_an_attribute_of_all_drugs_is_deleted(medicine: Nexus) -> None:
    command = """
    // Delete the "risk_category" attribute from all drug nodes
    DELETE ATTRIBUTES { "risk_category" }
    WHERE {
      { type: "Drug" }
    }
    """
    assert result(medicine, command) == {"updated_concepts": 2, "updated_propositions": 0}
    left = '?drug {type: "Drug"} ATTR(?drug, "risk_category", ?c) FILTER(?c != null)'
    assert found(medicine, left) == []


def test_an_attribute_of_all_links_is_deleted(medicine: Nexus) -> None:
    result(
        medicine,
        'UPSERT { PROPOSITION @p { ({type: "Drug", name: "Aspirin"}, "treats", '
        '{type: "Symptom", name: "Headache"}) SET ATTRIBUTES { category: "x", dosage: "1g" } } }',
    )
    command = """
    // Delete the "category" attribute from all proposition links
    DELETE ATTRIBUTES { "category" }
    WHERE {
      (?s, ?p, ?o)
    }
    """
    assert result(medicine, command) == {"updated_concepts": 0, "updated_propositions": 1}
    query = 'FIND(?c, ?d) WHERE { ?l ({name: "Aspirin"}, "treats", {name: "Headache"}) ATTR(?l, "category", ?c) ATTR(?l, "dosage", ?d) }'
    assert rows(medicine, query) == [[None, "1g"]]


def test_the_links_of_an_untrusted_source_are_deleted(medicine: Nexus) -> None:
    command = """
    // Delete all propositions from a specific untrusted source
    DELETE PROPOSITIONS
    WHERE {
      ?all_links (?s, ?p, ?o)
      META(?all_links, "source", ?source)
      FILTER(?source == "untrusted_source_v1")
    }
    """
    assert result(medicine, command) == {"deleted_concepts": 0, "deleted_propositions": 1}
    assert found(medicine, '(?drug, "treats", {name: "Fever"})') == ["Paracetamol"]


def test_an_outdated_drug_is_deleted_with_its_links(medicine: Nexus) -> None:
    result(
        medicine,
        'UPSERT { CONCEPT @d { {type: "Drug", name: "OutdatedDrug"} '
        'SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Fever"}) } } }',
    )
    command = """
    // Delete the "OutdatedDrug" concept and all its relationships
    DELETE CONCEPT
    { type: "Drug", name: "OutdatedDrug" }
    DETACH
    """
    assert result(medicine, command) == {"deleted_concepts": 1, "deleted_propositions": 1}
    report = result(medicine, command)
    assert (report["deleted_concepts"], report["deleted_propositions"]) == (0, 0)


# Introspection


def test_the_primer_says_who_what_and_how(medicine: Nexus) -> None:
    primer = result(medicine, "DESCRIBE PRIMER")
    assert set(primer["identity"]) >= {"role", "objectives", "capabilities"}
    assert primer["domain_map"]
    for domain in primer["domain_map"]:
        assert set(domain) >= {"domain", "key_concepts", "key_propositions"}
    assert "UNION" in primer["syntax_card"]


def test_domains_types_and_predicates_are_listed(medicine: Nexus) -> None:
    assert "items" in result(medicine, "DESCRIBE DOMAINS")
    types = result(medicine, "DESCRIBE CONCEPT TYPES")["items"]
    assert {one["name"] for one in types} == {"Drug", "DrugClass", "Symptom", "SideEffect"}
    predicates = result(medicine, "DESCRIBE PROPOSITION TYPES")["items"]
    assert {one["name"]: one["count"] for one in predicates} == {
        "is_class_of": 5,
        "treats": 6,
        "has_side_effect": 3,
    }


def test_one_type_and_one_predicate_are_described(medicine: Nexus) -> None:
    assert "risk_level" in str(result(medicine, 'DESCRIBE CONCEPT TYPE "Drug"'))
    described = str(result(medicine, 'DESCRIBE PROPOSITION TYPE "treats"'))
    assert "Drug" in described
    assert "Symptom" in described


def test_searches_link_words_to_elements(medicine: Nexus) -> None:
    result(
        medicine,
        'UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { aliases: ["阿司匹林"] } } }',
    )
    aspirin = result(medicine, 'SEARCH CONCEPT "aspirin" LIMIT 5')["hits"]
    assert [hit["name"] for hit in aspirin] == ["Aspirin"]
    chinese = result(medicine, 'SEARCH CONCEPT "阿司匹林" WITH TYPE "Drug"')["hits"]
    assert [hit["name"] for hit in chinese] == ["Aspirin"]
    treats = result(medicine, 'SEARCH PROPOSITION "treats" LIMIT 10')["hits"]
    assert [hit["predicate"] for hit in treats] == ["treats"] * 6


@pytest.mark.parametrize(
    "text",
    [HIGH_CONFIDENCE, EXAMPLE_1, EXAMPLE_2, EXAMPLE_3, PAPERS, COGNIZINE, STROKE],
    ids=["high", "one", "two", "three", "papers", "cognizine", "stroke"],
)
def test_what_is_printed_again_reads_the_same(text: str) -> None:
    tree = parse(text)
    assert parse(print_text(tree)) == tree
