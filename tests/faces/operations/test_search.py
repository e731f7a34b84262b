"""What a search finds, in which order, and what changes nothing about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.faces.operations.calls import TIME, Service, added_facts, edge, found, refused, told

from recollect.faces.operations import Operations, Policy
from recollect.kernel import Nexus
from recollect.model import AsOf, Key, Named, PutConcept, PutFact, Ranked


def test_a_fact_is_found_by_its_words_its_relation_and_its_nodes(furnished: Service) -> None:
    added_facts(
        furnished,
        "g",
        {"uuid": "x", "name": "MENTORS", "fact": "she teaches him", "from": "bob", "to": "globex"},
    )
    assert found(furnished, "teaches") == ["x"]
    assert found(furnished, "mentors") == ["x"]
    assert found(furnished, "globex") == ["x"]
    assert found(furnished, "nothing of it") == []


def test_a_fact_is_not_found_by_what_is_kept_about_it(furnished: Service) -> None:
    item = {"uuid": "lineage", "source": "text", "body": "b", "reference_time": TIME}
    told(furnished.add_episodes(group_id="g", items=[item]))  # type: ignore[list-item]
    added_facts(
        furnished,
        "g",
        {
            "name": "R",
            "fact": "it is so",
            "from": "bob",
            "to": "globex",
            "valid_at": "1987-01-01T00:00:00Z",
            "qualifiers": {"role": "owner"},
            "source_episode_uuid": "lineage",
        },
    )
    assert [found(furnished, word) for word in ("lineage", "1987", "owner", "sources")] == [
        [],
        [],
        [],
        [],
    ]


@pytest.mark.usefixtures("furnished")
def test_only_listed_attributes_of_nodes_are_searched(nexus: Nexus) -> None:
    both = {"city": "Lisbon", "motto": "onward"}
    listing = Operations(nexus, policy=Policy(search_attributes=("summary", "city")))
    told(listing.add_entity_node(group_id="g", uuid="acme", name="Acme", attributes=both))
    assert found(listing, "Lisbon") == ["f1"]
    assert found(listing, "onward") == []


def test_a_blank_query_is_empty(furnished: Service) -> None:
    assert [found(furnished, query) for query in ("", " ", "\n\t")] == [[], [], []]
    assert told(furnished.search_nodes(group_ids=["g"], query=""))["nodes"] == []


@pytest.mark.parametrize(
    "query", ['"Ann" OR NOT *', "Ann) WHERE {", "Ann" + "\0", "?" * 999, "Ann " * 9999]
)
def test_no_text_is_an_operator(furnished: Service, query: str) -> None:
    assert set(found(furnished, query)) <= {"f1", "f2"}


def test_a_fact_shows_all_that_is_known_of_it(furnished: Service) -> None:
    (fact,) = told(furnished.search_facts(group_ids=["g"], query="Acme"))["facts"]
    assert fact == edge(furnished, "f1") | {"score": 1.0, "rrf": 1 / 61}
    assert (fact["source_node_name"], fact["target_node_name"]) == ("Ann", "Acme")
    assert (fact["source_episode_uuid"], fact["source_episode_uuids"]) == (None, [])


def test_equal_facts_come_in_the_order_of_their_uuids(furnished: Service) -> None:
    uuids = [f"u{(at * 37) % 100:02}" for at in range(100)]
    equal = [
        {"uuid": uuid, "name": f"R{at}", "fact": "the very same", "from": "ann", "to": "acme"}
        for at, uuid in enumerate(uuids)
    ]
    added_facts(furnished, "g", *equal)
    assert found(furnished, "very same", max_facts=7) == sorted(uuids)[:7]
    assert found(furnished, "very same", max_facts=100) == sorted(uuids)


def test_another_group_changes_no_order_and_no_score(furnished: Service) -> None:
    asked = {"group_ids": ["g"], "query": "Ann works at Acme"}
    before = told(furnished.search_facts(**asked))  # type: ignore[arg-type]
    told(furnished.delete_group(group_id="decoy"))
    assert told(furnished.search_facts(**asked)) == before  # type: ignore[arg-type]


def test_groups_are_ranked_each_in_itself_and_merged(furnished: Service) -> None:
    facts = told(furnished.search_facts(group_ids=["decoy", "g"], query="Ann Acme"))["facts"]
    assert [(one["uuid"], one["group_id"]) for one in facts] == [
        ("f1", "decoy"), ("f1", "g"), ("f2", "decoy"), ("f2", "g"),
    ]  # fmt: skip
    assert (
        facts
        == told(furnished.search_facts(group_ids=["g", "decoy", "g"], query="Ann Acme"))["facts"]
    )
    assert (
        len(
            told(furnished.search_facts(group_ids=["g", "decoy"], query="Ann", max_facts=3))[
                "facts"
            ]
        )
        == 3
    )


def test_a_group_that_nobody_wrote_to_is_empty(service: Service) -> None:
    assert found(service, "Ann") == []
    assert (
        refused(service.search_facts(group_ids=["g"], query="Ann", center_node_uuid="ann"))
        == "NOT_FOUND"
    )


def chain(service: Service, length: int) -> None:
    """Nodes `n0` to the last, each joined to the next, and a fact `x` at each, all alike."""
    for at in range(length):
        told(service.add_entity_node(group_id="g", uuid=f"n{at}", name=f"Node {at}"))
        told(service.add_entity_node(group_id="g", uuid=f"leaf{at}", name=f"Leaf {at}"))
    for at in range(length - 1):
        added_facts(
            service,
            "g",
            {
                "uuid": f"step{at}",
                "name": "NEXT",
                "fact": "joined",
                "from": f"n{at + 1}",
                "to": f"n{at}",
            },
        )
    for at in range(length):
        added_facts(
            service,
            "g",
            {
                "uuid": f"x{length - at}",
                "name": "HAS",
                "fact": "target",
                "from": f"n{at}",
                "to": f"leaf{at}",
            },
        )


def test_facts_near_the_centre_come_first(service: Service) -> None:
    chain(service, 6)
    assert found(service, "target") == ["x1", "x2", "x3", "x4", "x5", "x6"]
    facts = told(service.search_facts(group_ids=["g"], query="target", center_node_uuid="n0"))[
        "facts"
    ]
    ranks = {f"x{6 - at}": 6 - at for at in range(6)}
    near = {"x6": 1, "x5": 1 / 2, "x4": 1 / 3, "x3": 1 / 4}  # beyond three steps nothing is added
    expected = {
        uuid: 0.8 * (1 / (60 + rank)) / (1 / 61) + 0.2 * near.get(uuid, 0.0)
        for uuid, rank in ranks.items()
    }
    assert [one["uuid"] for one in facts] == sorted(expected, key=lambda one: -expected[one])
    assert {one["uuid"]: one["score"] for one in facts} == pytest.approx(expected)


def test_a_score_is_from_0_to_1_beside_the_specified_ranks(furnished: Service) -> None:
    facts = told(furnished.search_facts(group_ids=["g", "decoy"], query="Ann works"))["facts"]
    assert all(0 < one["score"] <= 1 for one in facts)
    assert [one["score"] / 61 for one in facts] == pytest.approx([one["rrf"] for one in facts])
    nodes = told(furnished.search_nodes(group_ids=["g"], query="Ann"))["nodes"]
    assert (nodes[0]["score"], nodes[0]["rrf"]) == (1.0, 1 / 61)
    near = told(furnished.search_facts(group_ids=["g"], query="Ann", center_node_uuid="ann"))
    assert near["facts"][0]["rrf"] == 1 / 61
    assert (edge(furnished, "f1")["score"], edge(furnished, "f1")["rrf"]) == (None, None)


def test_nearness_counts_before_the_cut(service: Service) -> None:
    chain(service, 6)
    assert found(service, "target", max_facts=3, center_node_uuid="n0")[0] == "x6"


def test_only_live_links_are_near(service: Service) -> None:
    chain(service, 3)
    told(service.delete_entity_edge(uuid="step0", group_id="g"))
    facts = told(service.search_facts(group_ids=["g"], query="target", center_node_uuid="n0"))[
        "facts"
    ]
    assert {one["uuid"]: one["score"] for one in facts}["x2"] == pytest.approx(0.8 * 61 / 62)


def test_an_unknown_centre_is_not_found(furnished: Service) -> None:
    for center in ("nobody", "f1"):
        answer = furnished.search_facts(group_ids=["g"], query="Ann", center_node_uuid=center)
        assert refused(answer) == "NOT_FOUND"


class Meaning:
    """A semantic leg that ranks as it is told; it stands where vectors will."""

    def __init__(self, *uuids: str) -> None:
        self.ranked = [Ranked(uuid, 1.0) for uuid in uuids]

    def facts(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        assert query
        return self.ranked[:limit] if nexus.group_name == "g" and as_of.valid is not None else []

    def nodes(self, nexus: Nexus, query: str, limit: int, as_of: AsOf) -> Sequence[Ranked]:
        return self.facts(nexus, query, limit, as_of)


@pytest.mark.usefixtures("furnished")
def test_words_and_meaning_are_fused_by_reciprocal_ranks(nexus: Nexus) -> None:
    hybrid = Operations(nexus, semantic=Meaning("f2", "f1"))
    facts = told(hybrid.search_facts(group_ids=["g"], query="works at Acme"))["facts"]
    assert [(one["uuid"], one["rrf"]) for one in facts] == [
        ("f1", pytest.approx(1 / 61 + 1 / 62)),
        ("f2", pytest.approx(1 / 61)),
    ]
    assert [one["score"] for one in facts] == pytest.approx([(1 + 61 / 62) / 2, 0.5])
    alone = told(hybrid.search_facts(group_ids=["g"], query="zzz"))["facts"]
    assert [one["uuid"] for one in alone] == ["f2", "f1"]
    nodes = told(
        Operations(nexus, semantic=Meaning("acme")).search_nodes(group_ids=["g"], query="Globex")
    )
    assert [one["uuid"] for one in nodes["nodes"]] == ["acme", "globex"]


def test_nodes_are_found_by_name_and_summary(furnished: Service) -> None:
    told(
        furnished.add_entity_node(
            group_id="g",
            uuid="acme",
            name="Acme",
            summary="makes anvils",
            attributes={"city": "Lisbon"},
        )
    )
    nodes = told(furnished.search_nodes(group_ids=["g"], query="anvils"))["nodes"]
    assert [(one["uuid"], one["summary"], one["attributes"]) for one in nodes] == [
        ("acme", "makes anvils", {"city": "Lisbon"})
    ]
    assert told(furnished.search_nodes(group_ids=["g"], query="Lisbon"))["nodes"] == []


def test_get_memory_is_search_on_the_composed_query(furnished: Service) -> None:
    messages: list[Any] = [
        {"role_type": "user", "role": "Ann", "content": "Where do I work?", "timestamp": TIME},
        {"role_type": "assistant", "content": "At Acme.", "timestamp": TIME},
    ]
    query = "user(Ann): Where do I work?\nassistant(): At Acme.\n"
    for more in ({}, {"max_facts": 1}, {"center_node_uuid": "bob"}):
        memory = told(furnished.get_memory(group_id="g", messages=messages, **more))  # type: ignore[arg-type]
        assert memory == told(furnished.search_facts(group_ids=["g"], query=query, **more))  # type: ignore[arg-type]
        assert memory["facts"]


def test_ties_are_by_uuid_however_many_there_are(service: Service) -> None:
    for uuid in ("hub", "other"):
        told(service.add_entity_node(group_id="g", uuid=uuid, name=uuid))
    uuids = [f"u{(at * 377) % 1000:03}" for at in range(1000)]
    for start in range(0, 1000, 100):
        batch = [
            {"uuid": uuid, "name": f"R{start + at}", "fact": "alike", "from": "hub", "to": "other"}
            for at, uuid in enumerate(uuids[start : start + 100])
        ]
        added_facts(service, "g", *batch)
    assert found(service, "alike") == sorted(uuids)[:10]
    assert found(service, "hub") == sorted(uuids)[:10]


def test_a_text_that_no_memory_can_hold_is_searched_like_any_other(nexus: Nexus) -> None:
    assert nexus.elements.rank_facts("\ud800", 1, through="Entity") == ()


def test_a_fact_is_found_by_the_name_of_what_it_is_told_about_whatever_its_type(
    nexus: Nexus,
) -> None:
    group = nexus.group("team")
    told = "She works at the plant."
    changes = [
        PutConcept("Person", "Zenobia Quill"),
        PutConcept("Claim", "Zenobia Quill"),
        PutFact(Key("Person", "Zenobia Quill"), "works_at", Named("BMW"), told),
    ]
    (report,) = group.write(changes).results
    (found_,) = group.elements.rank_facts("where is Zenobia Quill", through="Entity")
    assert found_.id == report.ids[-1]  # type: ignore[union-attr]
    assert group.elements.rank_facts("where is Zenobia Quill", through="Drug") == ()
