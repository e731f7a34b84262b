"""The capsules that come with Recollect, and who the agent is."""

from __future__ import annotations

import re
from typing import Any

import pytest

import recollect
from recollect.errors import IMMUTABLE_TARGET, INVALID_ARGUMENT, RecollectError
from recollect.faces.kip import (
    STARTERS,
    Identity,
    execute_kip,
    export_capsules,
    identity_of,
    import_capsules,
    load_capsules,
    set_identity,
    starter_capsule,
)
from recollect.kernel import Nexus, parse
from recollect.model import Key

OTHER_BOOTSTRAP = """
UPSERT {
  CONCEPT ?t { {type: "$ConceptType", name: "$ConceptType"} SET ATTRIBUTES { description: "Other words." } }
  CONCEPT ?d { {type: "Domain", name: "CoreSchema"} SET ATTRIBUTES { description: "Other words." } }
}
"""


def answer(nexus: Nexus, text: str) -> dict[str, Any]:
    response = execute_kip(nexus, text)
    assert "error" not in response, response
    return response["result"]  # type: ignore[return-value]


def test_a_second_load_changes_nothing(empty: Nexus):
    first = load_capsules(empty, ["core", "memory"])
    assert first.created > 40
    again = load_capsules(empty, ["core", "memory"])
    assert (again.capsules, again.created, again.updated) == (2, 0, 0)
    assert empty.stats().transactions == 2


def test_a_capsule_brings_what_it_stands_on(empty: Nexus):
    assert load_capsules(empty, ["memory"]).capsules == 2
    assert empty.stats().transactions == 2
    other = empty.group("other")
    assert load_capsules(other, ["core"]).capsules == 1
    assert load_capsules(other, []).capsules == 0


def test_a_memory_with_a_bootstrap_of_its_own_keeps_it(empty: Nexus):
    empty.write(OTHER_BOOTSTRAP)
    assert load_capsules(empty, ["memory"]).capsules == 1
    described = answer(empty, 'DESCRIBE CONCEPT TYPE "$ConceptType"')["definition"]["attributes"]
    assert described == {"description": "Other words."}
    assert load_capsules(empty, ["core"]).updated > 0


def test_another_bootstrap_evolves_the_definitions(empty: Nexus):
    load_capsules(empty, STARTERS)
    before = empty.stats()
    empty.write(OTHER_BOOTSTRAP)
    empty.write(OTHER_BOOTSTRAP)
    after = empty.stats()
    assert (after.concepts, after.transactions) == (before.concepts, before.transactions + 1)
    described = answer(empty, 'DESCRIBE CONCEPT TYPE "$ConceptType"')["definition"]["attributes"]
    assert described["description"] == "Other words."
    assert "instance_schema" in described


def test_the_owner_gives_the_agent_its_core_directives_once(empty: Nexus):
    load_capsules(empty, STARTERS)
    person = '{type: "Person", name: "$self"}'
    told = f"UPSERT {{ CONCEPT ?s {{ {person} SET ATTRIBUTES {{ core_directives: $rules }} }} }}"
    empty.write(told, {"rules": ["be true"]})
    with pytest.raises(RecollectError) as raised:
        empty.write(told, {"rules": []})
    assert raised.value.code is IMMUTABLE_TARGET


def test_an_unknown_capsule_is_refused_before_anything_is_loaded(empty: Nexus):
    with pytest.raises(RecollectError) as raised:
        load_capsules(empty, ["core", "memroy"])
    assert raised.value.code is INVALID_ARGUMENT
    assert raised.value.known == ("memory",)
    assert empty.stats().concepts == 0


def test_a_strict_memory_begins_with_them(empty: Nexus):
    empty.set_schema("strict")
    load_capsules(empty, STARTERS)
    assert empty.declared.schema().misfits == ()
    assert load_capsules(empty, STARTERS).created == 0


def test_what_they_bring_is_all_described(empty: Nexus):
    load_capsules(empty, STARTERS)
    for kind in ("CONCEPT", "PROPOSITION"):
        items = answer(empty, f"DESCRIBE {kind} TYPES")["items"]
        assert all(one["description"] for one in items)
        for one in items:
            described = answer(empty, f'DESCRIBE {kind} TYPE "{one["name"]}"')
            attributes = described["definition"]["attributes"]
            for rule in attributes.get("instance_schema", {}).values():
                assert {"type", "is_required", "description"} <= rule.keys()
    names = {one["name"] for one in answer(empty, "DESCRIBE CONCEPT TYPES")["items"]}
    assert names >= {"Person", "Event", "Preference", "Insight", "Commitment", "Domain"}
    domains = {one["name"] for one in answer(empty, "DESCRIBE DOMAINS")["items"]}
    assert domains == {"CoreSchema", "Unsorted", "Archived"}


def test_every_definition_belongs_to_the_core_domain(empty: Nexus):
    load_capsules(empty, ["core", "memory"])
    asked = """
    FIND(?name) WHERE {
      ?x {type: "%s"} ATTR(?x, "name", ?name)
      NOT { (?x, "belongs_to_domain", {type: "Domain", name: "CoreSchema"}) }
    }
    """
    for type_ in ("$ConceptType", "$PropositionType"):
        assert answer(empty, asked % type_)["rows"] == []


MEMORIES = """
UPSERT {
  CONCEPT @ann { {type: "Person", name: "Ann"} SET ATTRIBUTES { person_class: "Human" } }
  CONCEPT @talk {
    {type: "Event", name: "2025-03-04 talk about Lisbon"}
    SET ATTRIBUTES {
      event_class: "Conversation", start_time: "2025-03-04T10:00:00Z",
      content_summary: "Ann moves to Lisbon in May and wants answers in Portuguese then."
    }
    SET PROPOSITIONS { ("involves", @ann) ("involves", {type: "Person", name: "$self"}) }
  }
  CONCEPT @wish {
    {type: "Preference", name: "Ann wants Portuguese"}
    SET ATTRIBUTES { description: "Answer Ann in Portuguese from May on.", evidence_count: 1 }
    SET PROPOSITIONS { ("derived_from", @talk) }
  }
  CONCEPT @promise {
    {type: "Commitment", name: "Find Ann a flat"}
    SET ATTRIBUTES { description: "Send Ann three flats.", status: "pending", due_at: "2025-04-01" }
    SET PROPOSITIONS { ("owed_to", @ann) }
  }
  CONCEPT @lesson {
    {type: "Insight", name: "Ask for dates"}
    SET ATTRIBUTES { description: "Ask when a move is, before looking for flats." }
  }
  PROPOSITION { (@ann, "prefers", @wish) }
  PROPOSITION { ({type: "Person", name: "$self"}, "committed_to", @promise) }
  PROPOSITION { ({type: "Person", name: "$self"}, "learned", @lesson) }
}
"""


def test_a_strict_memory_takes_what_they_describe_and_nothing_less(empty: Nexus):
    load_capsules(empty, STARTERS)
    empty.set_schema("strict")
    assert answer(empty, MEMORIES)["created"] == 12
    without = re.sub(r'status: "pending", ', "", MEMORIES.replace("Find Ann a flat", "Another"))
    error = execute_kip(empty, without)["error"]
    assert (error["code"], error["hint"]) == ("KIP_2002", 'set "status" to a string')  # type: ignore[index]


def test_they_are_carried_to_another_memory_like_all_else(empty: Nexus):
    load_capsules(empty, STARTERS)
    with recollect.open(":memory:") as copy:
        list(import_capsules(copy, list(export_capsules(empty))))
        assert load_capsules(copy, STARTERS).created == 0


def test_the_texts_are_kip_and_say_where_they_are_from():
    for name in STARTERS:
        text = starter_capsule(name)
        assert parse(text).statements
        assert f'source: "recollect:{name}"' in text


def test_an_agent_is_told_who_it_is(empty: Nexus):
    assert identity_of(empty) == Identity(None, None, None)
    set_identity(empty, "a physician's helper", ["be right", "be quick"], actor="me")
    set_identity(empty, capabilities=["read charts"])
    told = Identity("a physician's helper", ["be right", "be quick"], ["read charts"])
    assert identity_of(empty) == told
    primer = answer(empty, "DESCRIBE PRIMER")["identity"]
    assert primer == {
        "role": told.role,
        "objectives": told.objectives,
        "capabilities": told.capabilities,
        "serves": None,
    }
    (life,) = empty.history(Key("Person", "$self"))
    assert [one.since.actor for one in life.versions] == ["me", None]


def test_telling_nothing_writes_nothing(empty: Nexus):
    set_identity(empty)
    assert empty.stats().transactions == 0


def test_a_load_leaves_what_the_agent_became(empty: Nexus):
    load_capsules(empty, STARTERS)
    set_identity(empty, "a helper")
    assert load_capsules(empty, STARTERS).updated == 0
    assert identity_of(empty).role == "a helper"
