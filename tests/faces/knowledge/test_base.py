"""What a question finds, and how what is kept stands in the graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faces.knowledge.conftest import QUESTION, TRACE, piece

import recollect
from faces.knowledge.services.backends import GRAPH, KEY_VALUE, RETRIEVAL
from recollect.errors import RecollectError
from recollect.faces.knowledge import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgeBase,
    KnowledgeDataLoader,
)
from recollect.faces.knowledge.adapters import (
    GraphServiceEntityGraphStore,
    KeyValueMetadataStore,
    RetrievalKnowledgePieceStore,
)
from recollect.faces.knowledge.nexus_stores import OnNexus, piece_attributes
from recollect.kernel import Nexus
from recollect.model import AsOf, Attributes, PutConcept

BACKENDS = {
    "memory": ("memory", "memory", "memory"),
    "files": ("file", "fts5", "file"),
    "clients": ("redis", "fts5", "networkx"),
    "sqlite": ("sqlite", "memory", "networkx"),
}
"""For each base on services its metadata, its pieces and its graph."""


@pytest.fixture(
    params=["nexus", *(one for one, kinds in BACKENDS.items() if kinds[0] in KEY_VALUE)]
)
def any_kb(request: pytest.FixtureRequest, nexus: Nexus, tmp_path: Path) -> Iterator[KnowledgeBase]:
    if request.param == "nexus":
        with KnowledgeBase(nexus=nexus, active_entity_id="user:alice") as kb:
            yield kb
        return
    profiles, pieces, graph = BACKENDS[request.param]
    with KnowledgeBase(
        KeyValueMetadataStore(KEY_VALUE[profiles](tmp_path)),
        RetrievalKnowledgePieceStore(RETRIEVAL[pieces](tmp_path)),
        GraphServiceEntityGraphStore(GRAPH[graph](tmp_path)),
        active_entity_id="user:alice",
    ) as kb:
        yield kb


def code_of(call, *args, **given) -> str:
    with pytest.raises(RecollectError) as caught:
        call(*args, **given)
    return caught.value.code.code


def ids(found) -> list[str]:
    return [one.piece_id for one, _ in found.pieces]


def test_the_trace_of_the_specification_finds_all_three_layers(any_kb: KnowledgeBase) -> None:
    KnowledgeDataLoader().load(any_kb, TRACE)
    found = any_kb.retrieve(QUESTION)
    assert found.metadata.get("specialization") == "turbomachinery"
    assert found.global_metadata is None
    assert ids(found) == ["les-rans-init"]
    assert found.pieces[0][1] == 1.0  # of the edge, which is higher than that of the words
    (entry,) = found.graph_context
    assert {name: entry[name] for name in entry if name != "piece"} == {
        "relation_type": "SPECIALIZES_IN",
        "source_node_id": "user:alice",
        "target_node_id": "technique:les",
        "target_label": "LES",
        "target_type": "technique",
        "depth": 1,
        "score": 1.0,
    }
    assert entry["piece"].piece_id == "les-rans-init"


def test_words_alone_find_the_piece(any_kb: KnowledgeBase) -> None:
    KnowledgeDataLoader().load(any_kb, {"pieces": TRACE["pieces"]})
    ((found, score),) = any_kb.retrieve(QUESTION).pieces
    assert found.piece_id == "les-rans-init"
    assert 0 < score <= 1


def test_own_and_global_pieces_compete_for_top_k(any_kb: KnowledgeBase) -> None:
    for number in range(6):
        owner = "user:alice" if number % 2 else None
        any_kb.add_piece(piece(f"mesh {'mesh ' * number}", f"p{number}", entity_id=owner))
    any_kb.add_piece(piece("mesh mesh mesh", "of-bob", entity_id="user:bob"))
    found = any_kb.retrieve("mesh", top_k=4)
    assert len(found.pieces) == 4
    assert "of-bob" not in ids(found)
    order = [(-score, one.piece_id) for one, score in found.pieces]
    assert order == sorted(order)
    own = any_kb.retrieve("mesh", top_k=10, include_global=False)
    assert sorted(ids(own)) == ["p1", "p3", "p5"]


def test_a_blank_query_searches_nothing_and_walks_all_the_same(any_kb: KnowledgeBase) -> None:
    KnowledgeDataLoader().load(any_kb, TRACE)
    any_kb.add_piece(piece("LES"))
    for query in ("", "  \n"):
        assert ids(any_kb.retrieve(query)) == ["les-rans-init"]


def test_type_and_all_tags_filter_what_words_and_edges_find(any_kb: KnowledgeBase) -> None:
    KnowledgeDataLoader().load(any_kb, TRACE)
    any_kb.add_piece(piece("LES", "fact", tags=["les", "rans"]))
    assert ids(any_kb.retrieve("LES", knowledge_type="FACT")) == ["fact"]
    assert ids(any_kb.retrieve("LES", tags=[" Initialization ", "les"])) == ["les-rans-init"]
    assert ids(any_kb.retrieve("LES", tags=["other"])) == []
    assert len(any_kb.retrieve("LES", tags=["other"]).graph_context) == 1


def test_many_pieces_before_those_with_the_tag_do_not_hide_them(kb: KnowledgeBase) -> None:
    kb.bulk_load([piece("mesh", f"p{number:03}") for number in range(200)])
    kb.add_piece(piece("mesh and much else beside it", "tagged", tags=["rare"]))
    assert ids(kb.retrieve("mesh", tags=["rare"])) == ["tagged"]


def test_equal_scores_stand_by_their_ids_also_where_they_are_cut(kb: KnowledgeBase) -> None:
    kb.bulk_load([piece("mesh", f"p{number:03}") for number in reversed(range(300))])
    assert ids(kb.retrieve("mesh", top_k=3)) == ["p000", "p001", "p002"]


@pytest.fixture
def walked(any_kb: KnowledgeBase) -> KnowledgeBase:
    graph = any_kb.graph_store
    for name in ("user:alice", "a", "b", "c"):
        graph.add_node(GraphNode(name, "thing", name.upper()))
    any_kb.add_piece(piece("far away", "far", entity_id="user:bob"))
    for edge in (
        GraphEdge("user:alice", "a", "USES"),
        GraphEdge("user:alice", "a", "KNOWS"),
        GraphEdge("a", "user:alice", "BACK"),
        GraphEdge("a", "b", "USES", {"piece_id": "far"}),
        GraphEdge("b", "a", "USES"),
        GraphEdge("b", "c", "USES", {"piece_id": "nothing"}),
    ):
        graph.add_relation(edge)
    return any_kb


def test_one_hop_is_the_default(walked: KnowledgeBase) -> None:
    found = walked.retrieve("").graph_context
    assert [one["relation_type"] for one in found] == ["KNOWS", "USES"]


def test_every_edge_is_told_by_its_depth_but_those_into_the_start(walked: KnowledgeBase) -> None:
    walked.graph_traversal_depth = 3
    found = walked.retrieve("")
    told = [
        (one["depth"], one["source_node_id"], one["relation_type"], one["target_node_id"])
        for one in found.graph_context
    ]
    assert told == [
        (1, "user:alice", "KNOWS", "a"),
        (1, "user:alice", "USES", "a"),
        (2, "a", "USES", "b"),
        (3, "b", "USES", "a"),
        (3, "b", "USES", "c"),
    ]
    assert [one["score"] for one in found.graph_context[2:4]] == [0.5, 1 / 3]
    assert ids(found) == ["far"]
    assert found.pieces[0][1] == 0.5
    assert found.graph_context[-1]["piece"] is None


@pytest.mark.parametrize("is_on_services", [False, True])
def test_of_too_many_edges_the_nearest_are_told(kb: KnowledgeBase, is_on_services: bool) -> None:
    if is_on_services:
        kb.graph_store = GraphServiceEntityGraphStore(GRAPH["memory"](Path()))
    nodes = [f"n:{at:05}" for at in range(9_990)]
    kb.graph_store.add_nodes([GraphNode(one, "node") for one in ("user:alice", *nodes)])
    near = [GraphEdge("user:alice", one, "NEAR") for one in nodes]
    far = [GraphEdge(nodes[at], nodes[at + 1], "FAR") for at in range(40)]
    kb.graph_store.add_relations([*far, *near])
    kb.graph_traversal_depth = 3
    depths = [entry["depth"] for entry in kb.retrieve("").graph_context]
    assert depths == [1] * 9_990 + [2] * 10


def test_no_depth_and_no_entity_walk_nothing(walked: KnowledgeBase) -> None:
    walked.graph_traversal_depth = 0
    assert walked.retrieve("").graph_context == []
    walked.graph_traversal_depth, walked.active_entity_id = 1, None
    assert walked.retrieve("").graph_context == []


def test_global_metadata_is_found_whatever_its_type(any_kb: KnowledgeBase) -> None:
    any_kb.metadata_store.save_metadata(EntityMetadata("global", "site", {"organization": "NASA"}))
    assert any_kb.retrieve("x").global_metadata.get("organization") == "NASA"
    assert any_kb.retrieve("x", include_global=False).global_metadata is None


def test_layers_can_be_left_out(walked: KnowledgeBase) -> None:
    walked.metadata_store.save_metadata(EntityMetadata("user:alice", "user"))
    walked.include_metadata = walked.include_pieces = walked.include_graph = False
    found = walked.retrieve("far")
    assert (found.metadata, found.pieces, found.graph_context) == (None, [], [])


def test_an_id_that_is_there_is_a_conflict_whosever_it_is(any_kb: KnowledgeBase) -> None:
    assert any_kb.add_piece(piece(entity_id="user:bob")) == "p1"
    assert code_of(any_kb.add_piece, piece()) == "CONFLICT"


def test_the_words_of_an_id_find_no_piece(any_kb: KnowledgeBase) -> None:
    any_kb.add_piece(piece("Jets are loud.", "turbulence-advice"))
    assert ids(any_kb.retrieve("turbulence advice")) == []
    assert ids(any_kb.retrieve("jets")) == ["turbulence-advice"]


def test_an_id_whose_words_were_searched_is_not_once_its_piece_is_replaced(
    nexus: Nexus, kb: KnowledgeBase
) -> None:
    said = piece("Jets are loud.", "turbulence-advice")
    listed: Attributes = {"search_attributes": ["content", "tags", "embedding_text"]}
    nexus.write([PutConcept("KnowledgePiece", said.piece_id, piece_attributes(said), listed)])
    assert ids(kb.retrieve("turbulence")) == ["turbulence-advice"]
    assert kb.update_piece(said)
    assert ids(kb.retrieve("turbulence")) == []
    assert ids(kb.retrieve("jets")) == ["turbulence-advice"]
    assert nexus.doctor().is_well
    (hit,) = nexus.search("turbulence-advice").results[0].hits
    assert hit.score == 1.0


def test_a_piece_is_shown_updated_and_removed_everywhere(any_kb: KnowledgeBase) -> None:
    KnowledgeDataLoader().load(any_kb, TRACE)
    held = any_kb.get_piece("les-rans-init")
    assert held.tags == ["les", "initialization", "rans"]
    assert any_kb.update_piece(piece("Jet noise is loud.", "les-rans-init"))
    assert any_kb.get_piece("les-rans-init").content == "Jet noise is loud."
    assert any_kb.remove_piece("les-rans-init")
    found = any_kb.retrieve("jet noise LES")
    assert (found.pieces, found.graph_context[0]["piece"]) == ([], None)
    assert any_kb.get_piece("les-rans-init") is None
    assert not any_kb.remove_piece("les-rans-init")
    assert not any_kb.update_piece(piece("x", "les-rans-init"))
    assert any_kb.add_piece(piece("x", "les-rans-init")) == "les-rans-init"


def test_bulk_load_skips_what_it_cannot_keep(any_kb: KnowledgeBase, caplog) -> None:
    given = [piece(), piece(), {"content": ""}, {"content": "a", "piece_id": "b"}]
    assert any_kb.bulk_load(given) == 2
    assert len(caplog.records) == 2


def test_closing_closes_the_layers_and_no_memory_that_was_given(nexus: Nexus) -> None:
    with KnowledgeBase(nexus=nexus) as kb:
        pass
    assert code_of(kb.retrieve, "x") == "STORE_CLOSED"
    assert code_of(kb.metadata_store.get_metadata, "x") == "STORE_CLOSED"
    kb.close()
    assert nexus.groups() == ["decoy"]


@pytest.mark.parametrize("given", [0, 1_001, True, 1.5])
def test_top_k_is_bounded(any_kb: KnowledgeBase, given: object) -> None:
    assert code_of(any_kb.retrieve, "x", top_k=given) in ("INVALID_ARGUMENT", "LIMIT_EXCEEDED")


def test_kip_reads_pieces_and_edges_and_writes_none(kb: KnowledgeBase, nexus: Nexus) -> None:
    KnowledgeDataLoader().load(kb, TRACE)
    question = 'FIND(?p.name, ?e.name) WHERE { ?p {type: "KnowledgePiece"} (?p, "belongs_to", ?e) }'
    assert nexus.read(question).results[0].rows == [("les-rans-init", "user:alice")]
    edge = (
        'FIND(?t.attributes.label) WHERE { ?l (?s, "SPECIALIZES_IN", ?t) '
        'FILTER(?l.attributes.piece_id == "les-rans-init") }'
    )
    assert nexus.read(edge).results[0].rows == [("LES",)]
    for text in (
        'UPSERT { CONCEPT ?p { {type: "KnowledgePiece", name: "x"} } }',
        'UPSERT { CONCEPT ?p { {type: "KnowledgeEntity", name: "x"} } }',
        'DELETE CONCEPT ?p DETACH WHERE { ?p {type: "KnowledgePiece"} }',
        'DELETE PROPOSITIONS ?l WHERE { ?l (?s, "SPECIALIZES_IN", ?t) }',
    ):
        assert code_of(nexus.write, text) == "KIP_3004"


def test_a_node_type_reaches_no_type_of_another_face(kb: KnowledgeBase, nexus: Nexus) -> None:
    kb.graph_store.add_node(GraphNode("c1", "Claim", "no claim"))
    assert nexus.read('FIND(?c) WHERE { ?c {type: "Claim"} }').results[0].rows == []


def test_the_past_stays_readable_and_loading_twice_changes_nothing(
    kb: KnowledgeBase, nexus: Nexus
) -> None:
    KnowledgeDataLoader().load(kb, TRACE)
    before = nexus.changes(0)
    KnowledgeDataLoader().load(kb, TRACE)
    assert nexus.changes(0) == before
    number = before[-1].transaction.number
    kb.remove_piece("les-rans-init")
    question = 'FIND(?p.name) WHERE { ?p {type: "KnowledgePiece"} }'
    assert nexus.read(question).results[0].rows == []
    assert nexus.read(question, as_of=AsOf(transaction=number)).results[0].rows == [
        ("les-rans-init",)
    ]


def test_a_base_of_then_answers_what_it_would_have_answered(
    kb: KnowledgeBase, nexus: Nexus
) -> None:
    KnowledgeDataLoader().load(kb, TRACE)
    then = AsOf(transaction=nexus.stats().transactions)
    before = kb.retrieve(QUESTION, "user:alice").to_dict()
    kb.update_piece(piece("Initialize LES from noise.", "les-rans-init"))
    kb.metadata_store.delete_metadata("user:alice")
    kb.graph_store.remove_node("technique:les")
    assert kb.retrieve(QUESTION, "user:alice").to_dict() != before
    past = kb.at(then)
    assert past.retrieve(QUESTION, "user:alice").to_dict() == before
    assert past.piece_store.list_all("user:alice")[0].content.endswith("~40%")
    assert [one.edge_type for one in past.graph_store.get_relations("user:alice")] == [
        "SPECIALIZES_IN"
    ]
    assert kb.at(AsOf(transaction=0)).retrieve(QUESTION, "user:alice").pieces == []


def test_a_piece_that_leaves_does_not_close_the_entity_of_one_that_comes(
    kb: KnowledgeBase,
) -> None:
    kb.piece_store.put_all([piece("First.", "p1", entity_id="user:bob")])
    came = piece("Second.", "p2", entity_id="user:bob")
    kb.piece_store.put_all([came, piece("First.", "p1", entity_id="user:eve")])
    assert [one.piece_id for one in kb.piece_store.list_all("user:bob")] == ["p2"]
    assert [one.piece_id for one in kb.piece_store.list_all("user:eve")] == ["p1"]


def test_the_past_is_not_written(any_kb: KnowledgeBase) -> None:
    assert any_kb.at(None) is any_kb
    if not isinstance(any_kb.piece_store, OnNexus):
        assert code_of(any_kb.at, AsOf(transaction=1)) == "INVALID_ARGUMENT"
    else:
        past = any_kb.at(AsOf(transaction=0))
        assert code_of(past.add_piece, piece("new", "new")) == "INVALID_ARGUMENT"


def test_a_purged_piece_is_nowhere(kb: KnowledgeBase, nexus: Nexus) -> None:
    KnowledgeDataLoader().load(kb, TRACE)
    (row,) = nexus.read('FIND(?p) WHERE { ?p {type: "KnowledgePiece"} }').results[0].rows
    nexus.purge(row[0].id)
    assert kb.retrieve(QUESTION).pieces == []
    assert nexus.verify().is_whole


def test_knowledge_is_the_same_where_a_dump_of_it_is_restored(
    kb: KnowledgeBase, nexus: Nexus, tmp_path: Path
) -> None:
    KnowledgeDataLoader().load(kb, TRACE)
    text = kb(QUESTION)
    nexus.dump(tmp_path / "memory.jsonl")
    with recollect.open(":memory:") as other:
        other.restore(tmp_path / "memory.jsonl")
        with KnowledgeBase(nexus=other, active_entity_id="user:alice") as there:
            assert there(QUESTION) == text
            assert there.get_piece("les-rans-init") == kb.get_piece("les-rans-init")


def test_groups_do_not_meet(kb: KnowledgeBase, nexus: Nexus) -> None:
    assert kb.retrieve(QUESTION).pieces == []
    with KnowledgeBase(nexus=nexus.group("decoy"), active_entity_id="user:alice") as other:
        assert ids(other.retrieve(QUESTION)) == ["les-rans-init"]


def test_a_base_without_anything_has_a_memory_of_its_own() -> None:
    with KnowledgeBase() as first, KnowledgeBase() as second:
        first.add_piece(piece())
        assert second.get_piece("p1") is None


def test_what_is_written_is_there_when_the_file_is_opened_again(tmp_path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus, KnowledgeBase(nexus=nexus) as kb:
        KnowledgeDataLoader().load(kb, TRACE)
        text = kb("LES")
    with recollect.open(path) as nexus, KnowledgeBase(nexus=nexus) as kb:
        assert kb("LES") == text
