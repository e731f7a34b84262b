from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.kernel.search.graph import Graph

import recollect
from recollect.errors import INVALID_VALUE, NOT_FOUND, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.lang.words import syntax_card
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.search.describe import describe
from recollect.model import AsOf, Delete, Instant, Limits, PutConcept, PutLink, Value


def body(graph: Graph, node: ast.Describe) -> Mapping[str, Value]:
    reader = Reader(graph.session, Catalog.of(graph.group), Limits())
    return describe(reader, Bindings({}), node).body


def named(value: object) -> ast.Literal:
    return ast.Literal(value)


@pytest.fixture
def medicine(graph: Graph) -> Graph:
    aspirin = graph.concept("Drug", "Aspirin", {"risk": 2, "forms": ["tablet"]})
    ibuprofen = graph.concept("Drug", "Ibuprofen", {"risk": "high", "safe": True})
    pain, fever = graph.concept("Symptom", "Pain"), graph.concept("Symptom", "Fever")
    fact = graph.link(aspirin, "treats", pain, {"note": "often", "dose": 1.5})
    graph.link(ibuprofen, "treats", pain)
    graph.link(aspirin, "treats", fever)
    graph.link(fact, "supported_by", graph.concept("Paper", "Lancet 1"))
    return graph


def test_concept_types_are_listed_by_use(medicine: Graph) -> None:
    assert body(medicine, ast.DescribeConceptTypes()) == {
        "items": [
            {"name": "Drug", "count": 2},
            {"name": "Symptom", "count": 2},
            {"name": "Paper", "count": 1},
        ]
    }


def test_predicates_are_listed_by_use(medicine: Graph) -> None:
    assert body(medicine, ast.DescribePropositionTypes()) == {
        "items": [{"name": "treats", "count": 3}, {"name": "supported_by", "count": 1}]
    }


def test_a_concept_type_shows_its_attributes_and_its_links_both_ways(medicine: Graph) -> None:
    assert body(medicine, ast.DescribeConceptType(named("Drug"))) == {
        "name": "Drug",
        "count": 2,
        "attributes": [
            {"name": "risk", "count": 2, "types": {"number": 1, "string": 1}},
            {"name": "forms", "count": 1, "types": {"array": 1}},
            {"name": "safe", "count": 1, "types": {"boolean": 1}},
        ],
        "out": [{"predicate": "treats", "count": 3, "types": [{"name": "Symptom", "count": 3}]}],
        "in": [],
    }


def test_a_link_at_an_end_is_named_as_one(medicine: Graph) -> None:
    paper = body(medicine, ast.DescribeConceptType(named("Paper")))
    assert paper["in"] == [
        {"predicate": "supported_by", "count": 1, "types": [{"name": "(link)", "count": 1}]}
    ]


def test_a_predicate_shows_what_it_joins_and_its_attributes(medicine: Graph) -> None:
    assert body(medicine, ast.DescribePropositionType(named("treats"))) == {
        "name": "treats",
        "count": 3,
        "subject_types": [{"name": "Drug", "count": 3}],
        "object_types": [{"name": "Symptom", "count": 3}],
        "attributes": [
            {"name": "dose", "count": 1, "types": {"number": 1}},
            {"name": "note", "count": 1, "types": {"string": 1}},
        ],
    }
    supported = body(medicine, ast.DescribePropositionType(named("supported_by")))
    assert supported["subject_types"] == [{"name": "(link)", "count": 1}]


@pytest.mark.parametrize(
    ("node", "near"),
    [
        (ast.DescribeConceptType(named("Durg")), ("Drug",)),
        (ast.DescribeConceptType(named("treats")), ()),
        (ast.DescribePropositionType(named("treat")), ("treats",)),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(
    medicine: Graph, node: ast.Describe, near: tuple[str, ...]
) -> None:
    with pytest.raises(RecollectError) as raised:
        body(medicine, node)
    assert raised.value.code == NOT_FOUND
    assert raised.value.known == near
    assert raised.value.hint


def test_a_name_that_is_no_string_is_refused(medicine: Graph) -> None:
    with pytest.raises(RecollectError) as raised:
        body(medicine, ast.DescribeConceptType(named(3)))
    assert raised.value.code == INVALID_VALUE


def test_types_stand_in_while_there_are_no_domains(medicine: Graph) -> None:
    assert body(medicine, ast.DescribeDomains()) == {
        "items": [
            {"name": "Drug", "count": 2, "kind": "type"},
            {"name": "Symptom", "count": 2, "kind": "type"},
            {"name": "Paper", "count": 1, "kind": "type"},
        ]
    }
    assert body(medicine, ast.DescribePrimer())["domain_map"] == [
        {
            "domain": "Drug",
            "kind": "type",
            "key_concepts": ["Aspirin", "Ibuprofen"],
            "key_propositions": ["treats"],
        },
        {
            "domain": "Symptom",
            "kind": "type",
            "key_concepts": ["Pain", "Fever"],
            "key_propositions": ["treats"],
        },
        {
            "domain": "Paper",
            "kind": "type",
            "key_concepts": ["Lancet 1"],
            "key_propositions": ["supported_by"],
        },
    ]


def test_domains_are_mapped_by_their_members(medicine: Graph) -> None:
    medical = medicine.concept("Domain", "Medicine")
    medicine.concept("Domain", "Empty")
    drug = medicine.concept("Drug", "Naproxen")
    rash = medicine.concept("Symptom", "Rash")
    medicine.link(drug, "causes", rash)
    for member in (drug, rash):
        medicine.link(member, "belongs_to_domain", medical)
    assert body(medicine, ast.DescribeDomains()) == {
        "items": [
            {
                "name": "Medicine",
                "count": 2,
                "kind": "domain",
                "key_concepts": ["Naproxen", "Rash"],
            },
            {"name": "Empty", "count": 0, "kind": "domain", "key_concepts": []},
        ]
    }
    assert body(medicine, ast.DescribePrimer())["domain_map"] == [
        {
            "domain": "Medicine",
            "kind": "domain",
            "key_concepts": ["Naproxen", "Rash"],
            "key_propositions": ["causes"],
        },
        {"domain": "Empty", "kind": "domain", "key_concepts": [], "key_propositions": []},
    ]


def test_the_primer_knows_the_agent_and_its_memory(medicine: Graph) -> None:
    primer = body(medicine, ast.DescribePrimer())
    assert list(primer) == [
        "identity", "nexus", "domain_map", "holds", "summary", "syntax_card", "search_modes",
    ]  # fmt: skip
    assert primer["identity"] == {
        "role": None, "objectives": None, "capabilities": None, "serves": None,
    }  # fmt: skip
    assert primer["summary"] == {
        "concepts": 5, "links": 4, "concept_types": 3, "proposition_types": 2, "domains": 0,
    }  # fmt: skip
    assert primer["syntax_card"] == syntax_card()
    assert primer["search_modes"] == ["keyword"]
    own = medicine.concept("Person", "$self", {"role": "assistant", "objectives": ["help"]})
    medicine.link(own, "serves", medicine.concept("Person", "Ann"))
    assert body(medicine, ast.DescribePrimer())["identity"] == {
        "role": "assistant", "objectives": ["help"], "capabilities": None, "serves": ["Ann"],
    }  # fmt: skip


def test_an_empty_memory_describes_itself(graph: Graph) -> None:
    for node in (ast.DescribeConceptTypes(), ast.DescribePropositionTypes(), ast.DescribeDomains()):
        assert body(graph, node) == {"items": []}
    assert body(graph, ast.DescribePrimer())["domain_map"] == []


def test_lists_are_of_what_was_held_at_a_moment_page_after_page() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("Drug", "Aspirin", id="a"), PutConcept("Domain", "Health", id="h")])
        nexus.write([PutConcept("Symptom", "Pain", id="p"), PutLink("a", "treats", "p")])
        nexus.write([Delete("a"), PutConcept("Town", "Rome")])

        def listed(command: str, **as_of: int) -> list[tuple[Value, Value]]:
            (found,) = nexus.read(command, as_of=AsOf(**as_of)).results
            return [(one["name"], one["count"]) for one in found.body["items"]]

        assert listed("DESCRIBE CONCEPT TYPES", transaction=1) == [("Domain", 1), ("Drug", 1)]
        assert listed("DESCRIBE CONCEPT TYPES", transaction=0) == []
        assert listed("DESCRIBE PROPOSITION TYPES", transaction=2) == [("treats", 1)]
        assert listed("DESCRIBE PROPOSITION TYPES") == []
        assert listed("DESCRIBE DOMAINS", transaction=2) == [("Health", 0)]
        first = nexus.read("DESCRIBE CONCEPT TYPES LIMIT 2", as_of=AsOf(transaction=2)).results[0]
        later = f'DESCRIBE CONCEPT TYPES LIMIT 2 CURSOR "{first.body["next_cursor"]}"'
        nexus.write([Delete("p")])
        assert listed(later) == [("Symptom", 1)]
        (told,) = nexus.read("DESCRIBE CONCEPT TYPES", as_of=AsOf(valid=Instant(0))).notices
        assert (told.code, "as_of.valid" in told.message) == ("as_of_ignored", True)
