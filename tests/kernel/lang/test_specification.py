"""Every example text of KIP 1.0-draft3 parses; the one with a literal `...` is refused."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel.lang import parse, print_text

# Parts of a WHERE block, as the sections on its clauses print them.
CLAUSES = {
    "concept by type": '// Bind nodes of type "Drug"\n?drug {type: "Drug"}',
    "concept by type and name": '?aspirin {type: "Drug", name: "Aspirin"}',
    "concept by id": '?headache {id: "snomedct_25064002"}',
    "link": '(?drug, "treats", ?headache)',
    "named link": '?treatment_link (?drug, "treats", ?headache)',
    "path": '(?concept, "is_subclass_of{0,5}", ?parent_concept)',
    "nested link": '?link_var (?subject, "predicate", (?drug, "treats", ?symptom))',
    "inline concept": '(?drug, "treats", {name: "Headache"})',
    "attribute": 'ATTR(?drug, "name", ?drug_name)',
    "metadata": 'META(?treatment_link, "confidence", ?conf)',
    "filter": 'ATTR(?drug, "risk_level", ?risk)\nFILTER(?risk < 3)',
    "text filter": 'FILTER(CONTAINS(?drug_name, "acid"))',
    "not": 'NOT {\n?nsaid_class {name: "NSAID"}\n(?drug, "is_class_of", ?nsaid_class)\n}',
    "short not": 'NOT {\n(?drug, "is_class_of", {name: "NSAID"})\n}',
    "optional": (
        '?drug {type: "Drug"}\nOPTIONAL {\n(?drug, "has_side_effect", ?side_effect)\n'
        'ATTR(?side_effect, "name", ?side_effect_name)\n}'
    ),
    "union": (
        '(?drug, "treats", {name: "Headache"})\nUNION {\n(?drug, "treats", {name: "Fever"})\n}'
    ),
}

COLUMNS = ["?drug", "?drug_name, ?symptom_name", "?drug_class, COUNT(?drug) AS ?drug_count"]

STATEMENTS = {
    "confidence": """
        // Find all "treats" relationships with a confidence higher than 0.9
        FIND(?drug_name, ?symptom_name)
        WHERE {
            ?drug {type: "Drug"}
            ?symptom {type: "Symptom"}
            // Bind the "treats" proposition to the variable ?treatment_link
            ?treatment_link (?drug, "treats", ?symptom)
            META(?treatment_link, "confidence", ?conf)
            FILTER(?conf > 0.9)
            ATTR(?drug, "name", ?drug_name)
            ATTR(?symptom, "name", ?symptom_name)
        }""",
    "example 1": """
        FIND(?drug_name, ?risk)
        WHERE {
            ?drug {type: "Drug"}
            ?headache {name: "Headache"}
            (?drug, "treats", ?headache)
            NOT {
                (?drug, "is_class_of", {name: "NSAID"})
            }
            ATTR(?drug, "name", ?drug_name)
            ATTR(?drug, "risk_level", ?risk)
            FILTER(?risk < 4)
        }
        ORDER BY ?risk ASC
        LIMIT 20""",
    "example 2": """
        FIND(?class_name, COLLECT(?drug_name) AS ?drug_list)
        WHERE {
            ?class {type: "DrugClass"}
            ATTR(?class, "name", ?class_name)
            ?drug {type: "Drug"}
            (?drug, "is_class_of", ?class)
            ATTR(?drug, "name", ?drug_name)
        }
        ORDER BY ?class_name""",
    "example 3": """
        FIND(?drug_name, ?side_effect_name)
        WHERE {
            (?drug, "is_class_of", {name: "NSAID"})
            ATTR(?drug, "name", ?drug_name)
            OPTIONAL {
                (?drug, "has_side_effect", ?side_effect)
                ATTR(?side_effect, "name", ?side_effect_name)
            }
        }""",
    "example 4": """
        FIND(?paper_doi, ?drug_name)
        WHERE {
            ?paper { type: "Paper" }
            (
                {type: "User", name: "Zhang San"},
                "stated",
                (?paper, "cites_as_evidence", (?drug, "treats", ?symptom))
            )
            // Subsequent operations
            ATTR(?paper, "doi", ?paper_doi)
            ATTR(?drug, "name", ?drug_name)
        }""",
    "cognizine": """
        // Knowledge Capsule: cognizin.v1.0
        UPSERT {
            // Define the main drug concept: Cognizine
            CONCEPT @cognizine {
                { type: "Drug", name: "Cognizine" }
                SET ATTRIBUTES {
                    molecular_formula: "C12H15N5O3",
                    dosage_form: { "type": "tablet", "strength": "500mg" },
                    risk_level: 2,
                    description: "A novel nootropic drug designed to enhance cognitive functions."
                }
                SET PROPOSITIONS {
                    // Link to an existing concept (Nootropic)
                    ("is_class_of", { type: "DrugClass", name: "Nootropic" })
                    ("treats", { type: "Symptom", name: "Brain Fog" })
                    ("has_side_effect", @neural_bloom) WITH METADATA {
                        // This specific proposition has its own metadata
                        confidence: 0.75,
                        source: "Preliminary Clinical Trial NCT012345"
                    }
                }
            }
            CONCEPT @neural_bloom {
                { type: "Symptom", name: "Neural Bloom" }
                SET ATTRIBUTES {
                    description: "A rare side effect, a temporary burst of creative thoughts."
                }
                // This concept has no outgoing propositions in this capsule
            }
        }
        WITH METADATA {
            // Global metadata for all facts in this capsule
            source: "KnowledgeCapsule:Nootropics_v1.0",
            author: "LDC Labs Research Team",
            confidence: 0.95,
            status: "reviewed"
        }""",
    "stroke": """
        // Aspirin is used at a 100mg dosage to prevent stroke in high-risk adults.
        UPSERT {
            PROPOSITION @prevention_link {
                (
                    { type: "Drug", name: "Aspirin" },
                    "prevents",
                    { type: "Condition", name: "Stroke" }
                )
                // Intrinsic attributes of the fact
                SET ATTRIBUTES {
                    dosage: "100mg",
                    patient_group: "high-risk adults"
                }
            }
            // Metadata about this fact
            WITH METADATA {
                source: "Clinical Guideline XYZ-2023",
                confidence: 0.98,
                evidence: ["Section 3.1, Guideline XYZ-2023"],
                created_at: "2023-11-10T14:20:10Z",
                valid_from: "2023-01-01T00:00:00Z",
                review_info: {
                    "last_reviewed_by": "Expert:dr_smith",
                    "last_reviewed_at": "2024-02-20T11:00:00Z"
                }
            }
        }""",
    "delete attribute of one": (
        'DELETE ATTRIBUTES { "risk_category" }\nWHERE {\n{ type: "Drug", name: "Aspirin" }\n}'
    ),
    "delete attribute of a type": 'DELETE ATTRIBUTES { "risk_category" } WHERE { {type: "Drug"} }',
    "delete attribute of links": 'DELETE ATTRIBUTES { "category" }\nWHERE {\n(?s, ?p, ?o)\n}',
    "delete propositions": """
        DELETE PROPOSITIONS
        WHERE {
            ?all_links (?s, ?p, ?o)
            META(?all_links, "source", ?source)
            FILTER(?source == "untrusted_source_v1")
        }""",
    "delete concept": 'DELETE CONCEPT\n{ type: "Drug", name: "OutdatedDrug" }\nDETACH',
    "primer": "DESCRIBE PRIMER",
    "domains": "DESCRIBE DOMAINS",
    "concept types": "DESCRIBE CONCEPT TYPES",
    "concept type": 'DESCRIBE CONCEPT TYPE "Drug"',
    "proposition types": "DESCRIBE PROPOSITION TYPES",
    "proposition type": 'DESCRIBE PROPOSITION TYPE "treats"',
    "search": 'SEARCH CONCEPT "aspirin" LIMIT 5',
    "search in a type": 'SEARCH CONCEPT "阿司匹林" WITH TYPE "Drug"',
    "search propositions": 'SEARCH PROPOSITION "treats" LIMIT 10',
    "request": """
        FIND(?drug_name)
        WHERE {
            ?symptom {name: $symptom_name}
            (?drug, "treats", ?symptom)
            ATTR(?drug, "name", ?drug_name)
        }
        LIMIT $limit""",
}


@pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_of_the_specification_parses(text):
    tree = parse(text)
    assert len(tree.statements) == 1
    assert parse(print_text(tree)) == tree


@pytest.mark.parametrize("clauses", CLAUSES.values(), ids=CLAUSES)
def test_the_clauses_of_the_specification_parse(clauses):
    tree = parse(f"FIND(?drug) WHERE {{\n{clauses}\n}}")
    assert parse(print_text(tree)) == tree


@pytest.mark.parametrize("columns", COLUMNS)
def test_the_columns_of_the_specification_parse(columns):
    tree = parse(f'FIND({columns}) WHERE {{ ?drug {{type: "Drug"}} }}')
    assert parse(print_text(tree)) == tree


def test_the_example_with_a_literal_ellipsis_is_refused_at_the_ellipsis():
    start, _, _ = STATEMENTS["example 4"].rpartition("}")
    text = start + "...\n}"
    with pytest.raises(RecollectError, match=r"`\.\.\.` stands for something left out") as refused:
        parse(text)
    error = refused.value
    assert error.code.code == "KIP_1001"
    assert text[error.span.start : error.span.end] == "..."
    assert error.hint == "remove `...`"
