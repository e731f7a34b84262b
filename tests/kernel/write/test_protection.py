"""What a memory's own order stands on is not changed by the texts it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import IMMUTABLE_TARGET, RecollectError
from recollect.model import Concept, Delete, Key, PutConcept, RemoveKeys

BOOTSTRAP = """
UPSERT {
  CONCEPT @a { {type: "$ConceptType", name: "$ConceptType"} SET ATTRIBUTES { description: "a" } }
  CONCEPT @b { {type: "$ConceptType", name: "$PropositionType"} SET ATTRIBUTES { description: "b" } }
  CONCEPT @c { {type: "$ConceptType", name: "Domain"} SET ATTRIBUTES { description: "c" } }
  CONCEPT @d { {type: "$PropositionType", name: "belongs_to_domain"} SET ATTRIBUTES { description: "d" } }
  CONCEPT @e {
    {type: "Domain", name: "CoreSchema"} SET ATTRIBUTES { description: "e" }
    SET PROPOSITIONS { ("belongs_to_domain", {type: "Domain", name: "CoreSchema"}) }
  }
}
"""
ACTORS = """
UPSERT {
  CONCEPT @s { {type: "Person", name: "$self"} SET ATTRIBUTES { core_directives: ["be true"], role: "x" } }
  CONCEPT @t { {type: "Person", name: "$system"} SET ATTRIBUTES { core_directives: ["be kind"] } }
  CONCEPT @u { {type: "Person", name: "Ann"} SET ATTRIBUTES { core_directives: ["none"] } }
}
"""
DEFINITIONS = [
    ("$ConceptType", "$ConceptType"),
    ("$ConceptType", "$PropositionType"),
    ("$ConceptType", "Domain"),
    ("$PropositionType", "belongs_to_domain"),
    ("Domain", "CoreSchema"),
]
PERSONS = [("Person", "$self"), ("Person", "$system")]


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    with recollect.open(":memory:") as nexus:
        nexus.write(BOOTSTRAP)
        nexus.write(ACTORS)
        yield nexus


def refused(nexus: recollect.Nexus, text: str) -> RecollectError:
    before = nexus.stats().transactions
    with pytest.raises(RecollectError) as raised:
        nexus.write(text)
    assert raised.value.code is IMMUTABLE_TARGET
    assert raised.value.hint
    assert nexus.stats().transactions == before
    return raised.value


def held(nexus: recollect.Nexus, type: str, name: str) -> Concept | None:
    """Return a concept as it is now, if it is there."""
    answer = nexus.read("FIND(?x) WHERE { ?x {type: $t, name: $n} }", {"t": type, "n": name})
    ((found,),) = answer.results[0].rows or ((None,),)
    return found


def test_the_same_again_is_no_change(nexus: recollect.Nexus):
    before = nexus.stats().transactions
    nexus.write(BOOTSTRAP + ACTORS)
    assert nexus.stats().transactions == before


@pytest.mark.parametrize(("type", "name"), DEFINITIONS + PERSONS)
def test_it_is_not_deleted(nexus: recollect.Nexus, type: str, name: str):
    text = f'DELETE CONCEPT {{type: "{type}", name: "{name}"}} DETACH'
    assert refused(nexus, text).span is not None
    refused(nexus, f'DELETE CONCEPT ?x DETACH WHERE {{ ?x {{type: "{type}", name: "{name}"}} }}')
    with pytest.raises(RecollectError) as raised:
        nexus.write([Delete(Key(type, name))])
    assert raised.value.code is IMMUTABLE_TARGET


@pytest.mark.parametrize(("type", "name"), DEFINITIONS)
@pytest.mark.parametrize(
    "text",
    [
        'UPDATE ?x SET ATTRIBUTES { description: "z" } WHERE { ?x {type: "%s", name: "%s"} }',
        'UPDATE ?x SET ATTRIBUTES { more: 1 } WHERE { ?x {type: "%s", name: "%s"} }',
        'DELETE ATTRIBUTES {"description"} FROM ?x WHERE { ?x {type: "%s", name: "%s"} }',
    ],
)
def test_no_update_and_no_delete_changes_the_attributes_of_a_definition(
    nexus: recollect.Nexus, type: str, name: str, text: str
):
    error = refused(nexus, text % (type, name))
    assert name in error.message


@pytest.mark.parametrize(("type", "name"), DEFINITIONS)
def test_a_definition_evolves_by_upsert(nexus: recollect.Nexus, type: str, name: str):
    nexus.write(
        f'''UPSERT {{ CONCEPT @x {{
          {{type: "{type}", name: "{name}"}} SET ATTRIBUTES {{ description: "z", more: 1 }}
        }} }}'''
    )
    nexus.write([PutConcept(type, name, {"more": 2})])
    assert held(nexus, type, name).attributes == {"description": "z", "more": 2}


def test_a_batch_takes_no_key_from_a_definition(nexus: recollect.Nexus):
    with pytest.raises(RecollectError) as raised:
        nexus.write(
            [RemoveKeys(Key("Domain", "CoreSchema"), attributes=frozenset({"description"}))]
        )
    assert raised.value.code is IMMUTABLE_TARGET


def test_an_update_that_says_the_same_is_no_change(nexus: recollect.Nexus):
    answer = nexus.write(
        'UPDATE ?x SET ATTRIBUTES { description: "e" } WHERE { ?x {type: "Domain"} }'
    )
    assert answer.transaction is None
    assert (answer.results[0].matched, answer.results[0].updated) == (1, 0)


@pytest.mark.parametrize(("type", "name"), PERSONS)
def test_an_actor_keeps_its_core_directives_and_changes_otherwise(
    nexus: recollect.Nexus, type: str, name: str
):
    person = f'{{type: "{type}", name: "{name}"}}'
    refused(
        nexus, f"UPSERT {{ CONCEPT @x {{ {person} SET ATTRIBUTES {{ core_directives: [] }} }} }}"
    )
    refused(nexus, f'DELETE ATTRIBUTES {{"core_directives"}} FROM ?x WHERE {{ ?x {person} }}')
    nexus.write(f'UPSERT {{ CONCEPT @x {{ {person} SET ATTRIBUTES {{ role: "other" }} }} }}')
    assert held(nexus, type, name).attributes["role"] == "other"


@pytest.mark.parametrize(
    ("source", "target"),
    [(("Person", "Ann"), PERSONS[0]), (PERSONS[0], ("Person", "Ann")), (DEFINITIONS[2], DEFINITIONS[1])],
)  # fmt: skip
def test_nothing_is_merged_with_it(
    nexus: recollect.Nexus, source: tuple[str, str], target: tuple[str, str]
):
    named = [f'{{type: "{one[0]}", name: "{one[1]}"}}' for one in (source, target)]
    text = f"MERGE CONCEPT ?a INTO ?b WHERE {{ ?a {named[0]} ?b {named[1]} }}"
    assert refused(nexus, text).span is not None


def test_metadata_links_and_other_concepts_may_change(nexus: recollect.Nexus):
    nexus.write(
        """
        UPDATE ?x SET METADATA { seen: true } WHERE { ?x {type: "Domain"} }
        UPSERT { CONCEPT @u { {type: "Person", name: "Ann"} SET ATTRIBUTES { core_directives: [] } } }
        UPSERT { CONCEPT @u { {type: "Domain", name: "Medicine"}
          SET PROPOSITIONS { ("belongs_to_domain", {type: "Domain", name: "CoreSchema"}) } } }
        DELETE PROPOSITIONS ?l WHERE { ?l (?x, "belongs_to_domain", ?y) }
        DELETE CONCEPT {type: "Domain", name: "Medicine"} DETACH
        """
    )
    assert held(nexus, "Domain", "CoreSchema").metadata == {"seen": True}
    assert held(nexus, "Person", "Ann").attributes == {"core_directives": []}
    assert held(nexus, "Domain", "Medicine") is None
    assert nexus.stats().links == 0


def test_what_is_changed_and_changed_back_is_no_change(nexus: recollect.Nexus):
    answer = nexus.write(
        """
        UPSERT { CONCEPT @e { {type: "Domain", name: "CoreSchema"} SET ATTRIBUTES { description: "z" } } }
        UPSERT { CONCEPT @e { {type: "Domain", name: "CoreSchema"} SET ATTRIBUTES { description: "e" } } }
        """
    )
    assert answer.transaction is None
    assert held(nexus, "Domain", "CoreSchema").attributes == {"description": "e"}


def test_directives_may_be_given_to_an_actor_that_has_none(nexus: recollect.Nexus):
    other = nexus.group("other")
    other.write(BOOTSTRAP)
    other.write([PutConcept("Person", "$self", {"role": "x"})])
    other.write(ACTORS)
    assert held(other, "Person", "$self").attributes["core_directives"] == ["be true"]


def test_nothing_is_protected_without_the_bootstrap(nexus: recollect.Nexus):
    other = nexus.group("other")
    other.write(ACTORS)
    other.write([PutConcept("Domain", "CoreSchema")])
    other.write('DELETE CONCEPT {type: "Domain", name: "CoreSchema"} DETACH')
    other.write('DELETE CONCEPT {type: "Person", name: "$self"} DETACH')
    assert held(other, "Domain", "CoreSchema") is held(other, "Person", "$self") is None


def test_a_person_may_still_erase_it(nexus: recollect.Nexus):
    assert nexus.purge(Key("Domain", "CoreSchema")).concepts == 1
