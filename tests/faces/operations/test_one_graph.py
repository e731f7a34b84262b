"""What the operations keep is in the one graph: KIP reads it, and writes what it may."""

from __future__ import annotations

import pytest
from tests.faces.operations.calls import TIME, Service, added_facts, edge, found, refused, told

from recollect.errors import DUPLICATE_EXISTS, IMMUTABLE_TARGET, Code, RecollectError
from recollect.faces.operations.naming import fact_uuid, node_uuid
from recollect.kernel import Nexus
from recollect.model import AsOf, PutConcept, Rows, Value, instant_text

FACTS = """
FIND(?who, ?text, ?where) WHERE {
  ?fact ({type: "Entity", name: $name}, "WORKS_AT", ?company)
  ATTR(?fact, "fact", ?text)
  META(?fact, "sources", ?sources)
  ATTR(?company, "name", ?where)
  ATTR(?company, "id", ?who)
}
"""


def rows(nexus: Nexus, text: str, as_of: AsOf | None = None, **parameters: Value) -> list[object]:
    (answer,) = nexus.group("g").read(text, parameters, as_of=as_of).results
    assert isinstance(answer, Rows)
    return list(answer.rows)


def fault(nexus: Nexus, text: str) -> Code:
    with pytest.raises(RecollectError) as caught:
        nexus.group("g").write(text)
    return caught.value.code


@pytest.mark.usefixtures("furnished")
def test_kip_finds_facts_and_nodes(nexus: Nexus) -> None:
    assert rows(nexus, FACTS, name="Ann") == [("acme", "Ann works at Acme", "Acme")]


def test_kip_reads_facts_as_of_both_clocks(nexus: Nexus, furnished: Service) -> None:
    work = {"name": "WORKS_AT", "from": "bob", "to": "acme"}
    added_facts(
        furnished,
        "g",
        work | {"uuid": "a", "fact": "Bob joins", "valid_at": "2018-01-01T00:00:00Z"},
    )
    number = nexus.group("g").stats().transactions
    added_facts(
        furnished,
        "g",
        work | {"uuid": "b", "fact": "Bob leads", "valid_at": "2021-01-01T00:00:00Z"},
    )
    texts = 'FIND(?text) WHERE { ?fact ({type: "Entity", name: "Bob"}, "WORKS_AT", ?o) ATTR(?fact, "fact", ?text) }'
    in_2019, in_2022 = 1_546_300_800_000, 1_640_995_200_000
    before = {"transaction": number}
    assert rows(nexus, texts) == [("Bob leads",)]
    assert rows(nexus, texts, AsOf(**before)) == [("Bob joins",)]  # type: ignore[arg-type]
    assert rows(nexus, texts, AsOf(valid=in_2022, **before)) == [("Bob joins",)]  # type: ignore[arg-type]
    assert rows(nexus, texts, AsOf(valid=in_2019)) == []  # type: ignore[arg-type]


def test_a_node_that_kml_wrote_is_a_node(nexus: Nexus, furnished: Service) -> None:
    nexus.group("g").write(
        'UPSERT { CONCEPT { {type: "Entity", name: "Initech"} SET ATTRIBUTES { summary: "a firm" } } }'
    )
    (node,) = told(furnished.search_nodes(group_ids=["g"], query="Initech"))["nodes"]
    assert (node["name"], node["summary"]) == ("Initech", "a firm")
    added_facts(
        furnished,
        "g",
        {"uuid": "x", "name": "OWNS", "fact": "Bob owns it", "from": "bob", "to": node["uuid"]},
    )
    assert found(furnished, "Initech") == ["x"]
    assert refused(furnished.add_entity_node(group_id="g", uuid="i", name="INITECH")) == "CONFLICT"
    told(furnished.add_entity_node(group_id="g", uuid=node["uuid"], name="initech"))


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("name", ["ANN", "ann", " Ann"])
def test_kml_cannot_write_a_second_node_of_one_name(nexus: Nexus, name: str) -> None:
    text = f'UPSERT {{ CONCEPT {{ {{type: "Entity", name: "{name}"}} }} }}'
    assert fault(nexus, text) is DUPLICATE_EXISTS
    nexus.group("g").write(
        'UPSERT { CONCEPT { {type: "Entity", name: "Ann"} SET ATTRIBUTES { a: 1 } } }'
    )
    nexus.group("g").write('DELETE CONCEPT {type: "Entity", name: "Ann"} DETACH')
    nexus.group("g").write(text)


def test_kml_may_talk_of_an_episode_but_not_write_it(nexus: Nexus, service: Service) -> None:
    item = {"uuid": "e", "source": "text", "body": "b", "reference_time": TIME}
    told(service.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
    nexus.group("g").write(
        'UPSERT { CONCEPT { {type: "Insight", name: "i"} SET PROPOSITIONS { ("from", {type: "Episode", name: "e"}) } } }'
    )
    for text in (
        'UPSERT { CONCEPT { {type: "Episode", name: "new"} } }',
        'UPSERT { CONCEPT { {type: "Episode", name: "e"} SET ATTRIBUTES { body: "other" } } }',
        'DELETE CONCEPT {type: "Episode", name: "e"} DETACH',
        'DELETE ATTRIBUTES {"body"} FROM ?e WHERE { ?e {type: "Episode"} }',
    ):
        assert fault(nexus, text) is IMMUTABLE_TARGET
    (episode,) = told(service.get_episodes(group_id="g", last_n=9))["episodes"]
    assert (episode["uuid"], episode["body"]) == ("e", "b")


def test_what_says_nothing_of_an_episode_is_none_of_the_newest(
    nexus: Nexus, service: Service
) -> None:
    said = {"body": "Hello", "source": "text", "reference_time": TIME}
    told(service.add_episodes(group_id="g", items=[said | {"uuid": "e1"}]))  # type: ignore[list-item]
    later = said | {"reference_time": "9" + TIME[1:]}
    others = [
        *[{key: later[key] for key in said if key != left} for left in said],
        *[later | {key: 1} for key in said],
        later | {"source": "rumour"},
    ]
    written = [PutConcept("Episode", f"x{at}", one) for at, one in enumerate(others)]
    nexus.group("g").write([*written, PutConcept("Episode", "e2", later, id="e2")])
    for last_n, uuids in ((1, ["e2"]), (9, ["e1", "e2"])):
        shown = told(service.get_episodes(group_id="g", last_n=last_n))["episodes"]
        assert [one["uuid"] for one in shown] == uuids


def test_a_link_without_words_becomes_a_fact_when_it_is_told(
    nexus: Nexus, furnished: Service
) -> None:
    nexus.group("g").write(
        'UPSERT { PROPOSITION { ({type: "Entity", name: "Bob"}, "OWNS", {type: "Entity", name: "Acme"}) } }'
    )
    assert "OWNS" not in [
        one["name"] for one in told(furnished.search_facts(group_ids=["g"], query="owns"))["facts"]
    ]
    (fact,) = added_facts(
        furnished, "g", {"name": "OWNS", "fact": "Bob owns Acme", "from": "bob", "to": "acme"}
    )
    links = 'FIND(?id) WHERE { ?l ({type: "Entity", name: "Bob"}, "OWNS", ?o) ATTR(?l, "id", ?id) }'
    assert rows(nexus, links) == [(fact["uuid"],)]
    assert edge(furnished, fact["uuid"])["fact"] == "Bob owns Acme"


def test_a_link_is_found_as_of_the_past_only_if_it_was_a_fact_then(
    nexus: Nexus, furnished: Service
) -> None:
    moments = []
    for said in ("", 'SET ATTRIBUTES { fact: "Bob owns Acme" }', "SET ATTRIBUTES { fact: 1 }"):
        nexus.group("g").write(
            f"""UPSERT {{ PROPOSITION ?p {{
              ({{type: "Entity", name: "Bob"}}, "OWNS", {{type: "Entity", name: "Acme"}}) {said}
            }} }}"""
        )
        at = nexus.group("g").stats().last_at
        assert at is not None
        moments.append(instant_text(at))
    counts = [len(found(furnished, "owns", known_as_of=moment)) for moment in moments]
    assert counts == [0, 1, 0]


def test_a_restored_memory_keeps_names_unique(
    nexus: Nexus, furnished: Service, tmp_path: object
) -> None:
    path = f"{tmp_path}/dump.jsonl"
    nexus.dump(path, all_groups=True)
    told(furnished.clear_all())
    nexus.restore(path)
    assert refused(furnished.add_entity_node(group_id="g", uuid="x", name="ANN")) == "CONFLICT"
    assert found(furnished, "Ann works") == ["f1", "f2"]
    assert nexus.doctor().is_well


def test_made_uuids_are_the_same_every_time() -> None:
    assert (
        node_uuid("g", "Acme  CORP") == node_uuid("g", "acme corp") != node_uuid("h", "acme corp")
    )
    assert fact_uuid("e", 0) == fact_uuid("e", 0) != fact_uuid("e", 1)
    assert node_uuid("g", "x") == "7eb65aae-0928-56aa-b98d-9ef413d3ffb6"
