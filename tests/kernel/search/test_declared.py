"""What a group declares of its types and predicates, beside what is counted of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

import recollect
from recollect.errors import INVALID_SYNTAX, NOT_FOUND, RecollectError
from recollect.model import Delete, Description, Key, PutConcept, PutLink, Value

DECLARED = """
UPSERT {
  CONCEPT @drug {
    {type: "$ConceptType", name: "Drug"}
    SET ATTRIBUTES {
      description: "Something that heals.",
      instance_schema: { dose: {type: "number", is_required: true} },
      key_instances: ["Aspirin"]
    }
  }
  CONCEPT @herb { {type: "$ConceptType", name: "Herb"} SET ATTRIBUTES { description: "A plant." } }
  CONCEPT @treats {
    {type: "$PropositionType", name: "treats"}
    SET ATTRIBUTES { description: "It helps.", subject_types: ["Drug"], object_types: ["*"] }
  }
  CONCEPT @grows { {type: "$PropositionType", name: "grows_in"} }
}
"""
USED = [
    PutConcept("Drug", "Aspirin", {"dose": 1}),
    PutConcept("Drug", "Ibuprofen"),
    PutConcept("Symptom", "Pain"),
    PutLink(Key("Drug", "Aspirin"), "treats", Key("Symptom", "Pain")),
    PutLink(Key("Drug", "Aspirin"), "is_like", Key("Drug", "Ibuprofen")),
]


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    with recollect.open(":memory:") as nexus:
        decoy = nexus.group("decoy")
        decoy.write(DECLARED.replace("heals", "harms"))
        decoy.write([PutConcept("Drug", f"Decoy {at}") for at in range(9)])
        nexus.write(USED)
        nexus.write(DECLARED)
        yield nexus


def told(nexus: recollect.Nexus, text: str, **parameters: Value) -> Mapping[str, Value]:
    (answer,) = nexus.read(text, parameters).results
    assert isinstance(answer, Description)
    return answer.body


def items(body: Mapping[str, Value]) -> list[dict[str, Value]]:
    return body["items"]  # type: ignore[return-value]


def test_declared_and_used_types_are_listed_with_what_they_mean(nexus: recollect.Nexus):
    assert items(told(nexus, "DESCRIBE CONCEPT TYPES")) == [
        {"name": "$ConceptType", "count": 2},
        {"name": "$PropositionType", "count": 2},
        {"name": "Drug", "count": 2, "description": "Something that heals."},
        {"name": "Symptom", "count": 1},
        {"name": "Herb", "count": 0, "description": "A plant."},
    ]
    assert items(told(nexus, "DESCRIBE PROPOSITION TYPES")) == [
        {"name": "is_like", "count": 1},
        {"name": "treats", "count": 1, "description": "It helps."},
        {"name": "grows_in", "count": 0},
    ]


def test_a_type_shows_its_definition_beside_its_data(nexus: recollect.Nexus):
    drug = told(nexus, 'DESCRIBE CONCEPT TYPE "Drug"')
    definition = drug["definition"]
    assert isinstance(definition, dict)
    (found,) = nexus.read('FIND(?t) WHERE { ?t {type: "$ConceptType", name: "Drug"} }').results
    ((concept,),) = found.rows  # type: ignore[union-attr]
    assert definition == {
        "id": concept.id,
        "type": "$ConceptType",
        "name": "Drug",
        "attributes": {
            "description": "Something that heals.",
            "instance_schema": {"dose": {"type": "number", "is_required": True}},
            "key_instances": ["Aspirin"],
        },
        "metadata": {},
    }
    assert (drug["name"], drug["count"]) == ("Drug", 2)
    assert drug["attributes"] == [{"name": "dose", "count": 1, "types": {"number": 1}}]


def test_a_declared_type_that_nothing_has_is_described(nexus: recollect.Nexus):
    herb = told(nexus, 'DESCRIBE CONCEPT TYPE "Herb"')
    assert [herb[key] for key in ("count", "attributes", "out", "in")] == [0, [], [], []]
    grows = told(nexus, 'DESCRIBE PROPOSITION TYPE "grows_in"')
    assert (grows["count"], grows["subject_types"]) == (0, [])
    assert "definition" in grows


def test_a_type_that_is_only_used_has_no_definition(nexus: recollect.Nexus):
    assert "definition" not in told(nexus, 'DESCRIBE CONCEPT TYPE "Symptom"')


def test_a_declared_name_is_offered_for_an_unknown_one(nexus: recollect.Nexus):
    with pytest.raises(RecollectError) as raised:
        told(nexus, 'DESCRIBE CONCEPT TYPE "Herbs"')
    assert (raised.value.code, raised.value.known[0]) == (NOT_FOUND, "Herb")


def paged(nexus: recollect.Nexus, what: str, limit: int) -> Iterator[list[str]]:
    """The names of a list, page by page."""
    body = told(nexus, f"DESCRIBE {what} LIMIT $limit", limit=limit)
    while True:
        yield [str(one["name"]) for one in items(body)]
        if "next_cursor" not in body:
            return
        text = f"DESCRIBE {what} LIMIT $limit CURSOR $cursor"
        body = told(nexus, text, limit=limit, cursor=body["next_cursor"])


@pytest.mark.parametrize("what", ["CONCEPT TYPES", "PROPOSITION TYPES", "DOMAINS"])
@pytest.mark.parametrize("limit", [1, 2, 100])
def test_the_pages_of_a_list_make_the_list(nexus: recollect.Nexus, what: str, limit: int):
    whole = [str(one["name"]) for one in items(told(nexus, f"DESCRIBE {what}"))]
    pages = list(paged(nexus, what, limit))
    assert [name for page in pages for name in page] == whole
    assert all(len(page) == limit for page in pages[:-1])


@pytest.mark.parametrize("what", ["CONCEPT TYPES", "PROPOSITION TYPES", "DOMAINS"])
def test_a_page_repeats_and_loses_nothing_while_others_write(nexus: recollect.Nexus, what: str):
    whole = [str(one["name"]) for one in items(told(nexus, f"DESCRIBE {what}"))]
    seen: list[str] = []
    for at, page in enumerate(paged(nexus, what, 1)):
        seen += page
        nexus.write(
            [
                PutConcept("Symptom", f"Ache {at}"),
                PutConcept(f"New {at}", "one"),
                PutLink(Key("Drug", "Aspirin"), "grows_in", Key("Symptom", f"Ache {at}")),
            ]
        )
    assert seen == whole


def test_a_type_that_goes_between_two_pages_is_still_listed(nexus: recollect.Nexus):
    pages = paged(nexus, "CONCEPT TYPES", 1)
    first = next(pages)
    nexus.write([Delete(Key("Symptom", "Pain")), Delete(Key("$ConceptType", "Herb"))])
    names = [*first, *(name for page in pages for name in page)]
    assert names == ["$ConceptType", "$PropositionType", "Drug", "Symptom", "Herb"]


def test_a_cursor_leads_nowhere_else(nexus: recollect.Nexus):
    cursor = told(nexus, "DESCRIBE CONCEPT TYPES LIMIT 1")["next_cursor"]
    for text in (
        "DESCRIBE PROPOSITION TYPES LIMIT 1 CURSOR $cursor",
        'SEARCH "pain" LIMIT 1 CURSOR $cursor',
    ):
        with pytest.raises(RecollectError) as raised:
            nexus.read(text, {"cursor": cursor})
        assert raised.value.code == INVALID_SYNTAX
    with pytest.raises(RecollectError) as raised:
        nexus.group("decoy").read("DESCRIBE CONCEPT TYPES CURSOR $cursor", {"cursor": cursor})
    assert raised.value.code == INVALID_SYNTAX


def test_a_limit_of_zero_lists_nothing_and_counts_all(nexus: recollect.Nexus):
    assert told(nexus, "DESCRIBE CONCEPT TYPES LIMIT 0") == {"items": [], "omitted": 5}


def test_domains_are_described_with_their_members_and_key_concepts(nexus: recollect.Nexus):
    pain, medicine = Key("Symptom", "Pain"), Key("Domain", "Medicine")
    nexus.write(
        [
            PutConcept("Domain", "Medicine", {"description": "What heals."}),
            PutConcept("Domain", "Art"),
            PutLink(pain, "belongs_to_domain", medicine),
            PutLink(Key("Drug", "Aspirin"), "belongs_to_domain", medicine),
        ]
    )
    assert items(told(nexus, "DESCRIBE DOMAINS")) == [
        {
            "name": "Medicine",
            "count": 2,
            "kind": "domain",
            "description": "What heals.",
            "key_concepts": ["Aspirin", "Pain"],
        },
        {"name": "Art", "count": 0, "kind": "domain", "key_concepts": []},
    ]


def test_types_stand_in_until_something_belongs_to_a_domain_of_its_own(nexus: recollect.Nexus):
    def mapped() -> list[object]:
        domain_map = told(nexus, "DESCRIBE PRIMER")["domain_map"]
        assert isinstance(domain_map, list)
        return [one["domain"] for one in domain_map if isinstance(one, dict)]

    core = Key("Domain", "CoreSchema")
    nexus.write(
        [
            PutConcept("Domain", "CoreSchema"),
            PutConcept("Domain", "Medicine"),
            PutLink(Key("$ConceptType", "Drug"), "belongs_to_domain", core),
        ]
    )
    assert "Symptom" in mapped()
    nexus.write([PutLink(Key("Symptom", "Pain"), "belongs_to_domain", Key("Domain", "Medicine"))])
    assert mapped() == ["Medicine", "CoreSchema"]
    summary = told(nexus, "DESCRIBE PRIMER")["summary"]
    assert isinstance(summary, dict)
    assert summary["domains"] == 2
