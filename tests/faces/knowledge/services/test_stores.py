"""What the three layers do on the graph, and on every service through the adapters."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from faces.knowledge.services.test_key_value import ODD_IDS, code_of
from recollect.faces.knowledge import (
    EntityGraphStore,
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgePieceStore,
    KnowledgeType,
    MetadataStore,
)

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)
LES = KnowledgePiece(
    "Initialize transient LES from converged RANS -- cuts spin-up by ~40%",
    "les-rans-init",
    KnowledgeType.Procedure,
    "instructions",
    ["les", "initialization", "rans"],
    "user:alice",
    "check-in:1",
    "LES RANS initialization spin-up transient warm start",
    MOMENT,
    MOMENT,
)
MESH = KnowledgePiece("Always check mesh quality", "mesh", created_at=MOMENT, updated_at=MOMENT)


def ids(found: list[tuple[KnowledgePiece, float]]) -> list[str]:
    return [piece.piece_id for piece, _ in found]


# Metadata


def test_a_profile_comes_back_as_it_was_saved(metadata_store: MetadataStore) -> None:
    alice = EntityMetadata("user:alice", "user", {"team": "aero", "n": [1, None]}, MOMENT, MOMENT)
    metadata_store.save_metadata(alice)
    assert metadata_store.get_metadata("user:alice") == alice
    assert metadata_store.get_metadata("user:bob") is None


def test_a_profile_is_found_whatever_its_type(metadata_store: MetadataStore) -> None:
    metadata_store.save_metadata(EntityMetadata("global", "organization", {"name": "NASA"}))
    metadata_store.save_metadata(EntityMetadata("user:alice", "user"))
    assert metadata_store.get_metadata("global").entity_type == "organization"
    assert metadata_store.list_entities() == ["global", "user:alice"]
    assert metadata_store.list_entities("user") == ["user:alice"]
    assert metadata_store.list_entities("nothing") == []


def test_saving_under_another_type_moves_the_profile(metadata_store: MetadataStore) -> None:
    metadata_store.save_metadata(EntityMetadata("user:alice", "user", {"a": 1}))
    metadata_store.save_metadata(EntityMetadata("user:alice", "person", {"b": 2}))
    found = metadata_store.get_metadata("user:alice")
    assert (found.entity_type, found.properties) == ("person", {"b": 2})
    assert metadata_store.list_entities("user") == []
    assert metadata_store.list_entities() == ["user:alice"]


def test_a_deleted_profile_is_gone(metadata_store: MetadataStore) -> None:
    metadata_store.save_metadata(EntityMetadata("user:alice", "user"))
    assert metadata_store.delete_metadata("user:alice")
    assert not metadata_store.delete_metadata("user:alice")
    assert metadata_store.get_metadata("user:alice") is None
    assert metadata_store.list_entities() == []


def test_what_says_the_same_again_changes_no_instant(metadata_store: MetadataStore) -> None:
    first = EntityMetadata("user:alice", "user", {"a": 1}, MOMENT, MOMENT)
    metadata_store.save_metadata(first)
    metadata_store.save_metadata(EntityMetadata("user:alice", "user", {"a": 1}))
    assert metadata_store.get_metadata("user:alice") == first
    metadata_store.save_metadata(EntityMetadata("user:alice", "user", {"a": 2}))
    changed = metadata_store.get_metadata("user:alice")
    assert (changed.created_at, changed.get("a")) == (MOMENT, 2)
    assert changed.updated_at > MOMENT


def test_what_is_no_profile_is_refused(metadata_store: MetadataStore) -> None:
    for other in (None, {"entity_id": "a", "entity_type": "b"}, LES):
        assert code_of(metadata_store.save_metadata, other) == "INVALID_ARGUMENT"
    for call in (metadata_store.get_metadata, metadata_store.list_entities):
        assert code_of(call, 3) == "INVALID_ARGUMENT"
    assert metadata_store.list_entities() == []


def test_a_profile_returned_is_a_copy(metadata_store: MetadataStore) -> None:
    alice = EntityMetadata("user:alice", "user", {"langs": ["en"]})
    metadata_store.save_metadata(alice)
    alice.properties["langs"].append("de")
    metadata_store.get_metadata("user:alice").set("team", "aero")
    assert metadata_store.get_metadata("user:alice").properties == {"langs": ["en"]}


def test_any_printable_text_is_an_entity_and_a_type(metadata_store: MetadataStore) -> None:
    for name in ODD_IDS:
        metadata_store.save_metadata(EntityMetadata(name, name, {"name": name}))
    assert metadata_store.list_entities() == sorted(ODD_IDS)
    assert [metadata_store.get_metadata(name).get("name") for name in ODD_IDS] == ODD_IDS


def test_a_closed_metadata_store_says_so(metadata_store: MetadataStore) -> None:
    metadata_store.close()
    metadata_store.close()
    assert code_of(metadata_store.get_metadata, "a") == "STORE_CLOSED"
    assert code_of(metadata_store.save_metadata, EntityMetadata("a", "b")) == "STORE_CLOSED"
    assert code_of(metadata_store.list_entities) == "STORE_CLOSED"


def test_threads_share_a_metadata_store(metadata_store: MetadataStore) -> None:
    def work(worker: int) -> None:
        for at in range(5):
            metadata_store.save_metadata(EntityMetadata(f"{worker}-{at}", "user", {"at": at}))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(metadata_store.list_entities("user")) == 20


# Pieces


def test_a_piece_comes_back_as_it_was_added(piece_store: KnowledgePieceStore) -> None:
    assert piece_store.add(LES) == "les-rans-init"
    piece_store.add(MESH)
    assert piece_store.get_by_id("les-rans-init") == LES
    assert piece_store.get_by_id("mesh") == MESH
    assert piece_store.get_by_id("other") is None


def test_a_piece_of_an_entity_is_found_by_its_words(piece_store: KnowledgePieceStore) -> None:
    piece_store.add(LES)
    found = piece_store.search("Set up an LES simulation for jet noise", "user:alice")
    assert found[0][0] == LES
    assert 0 < found[0][1] <= 1


def test_no_entity_means_the_global_pieces_only(piece_store: KnowledgePieceStore) -> None:
    piece_store.add(LES)
    piece_store.add(MESH)
    assert piece_store.search("LES") == []
    assert ids(piece_store.search("mesh LES")) == ["mesh"]
    assert ids(piece_store.search("mesh LES", "user:alice")) == ["les-rans-init"]
    assert piece_store.list_all() == [MESH]
    assert piece_store.list_all("user:alice") == [LES]
    assert piece_store.list_all("user:bob") == []


@pytest.mark.parametrize("query", ["initialization", "warm", "transient"])
def test_tags_and_the_embedding_text_are_searched_too(
    piece_store: KnowledgePieceStore, query: str
) -> None:
    piece_store.add(replace(LES, embedding_text="warm start"))
    assert ids(piece_store.search(query, "user:alice")) == ["les-rans-init"]


def test_a_piece_of_the_greatest_size_is_kept_whole(piece_store: KnowledgePieceStore) -> None:
    largest = KnowledgePiece(
        "word " * 2_000,
        "largest",
        tags=[f"{at:02}{'t' * 62}" for at in range(64)],
        embedding_text="other " * 1_666,
        created_at=MOMENT,
        updated_at=MOMENT,
    )
    piece_store.add(largest)
    assert piece_store.get_by_id("largest") == largest
    assert ids(piece_store.search(f"63{'t' * 62}")) == ["largest"]


def test_an_id_is_taken_whatever_the_entity(piece_store: KnowledgePieceStore) -> None:
    piece_store.add(LES)
    for entity in ("user:alice", "user:bob", None):
        assert code_of(piece_store.add, replace(LES, entity_id=entity)) == "CONFLICT"
    assert piece_store.list_all() == piece_store.list_all("user:bob") == []


def test_types_and_tags_filter_before_ranking(piece_store: KnowledgePieceStore) -> None:
    for at in range(10):
        piece_store.add(KnowledgePiece("les les les", f"{at}", tags=["other"]))
    piece_store.add(replace(LES, entity_id=None))
    wanted = {"knowledge_type": "PROCEDURE", "tags": [" RANS ", "les"], "top_k": 1}
    assert ids(piece_store.search("les", **wanted)) == ["les-rans-init"]
    assert piece_store.search("les", tags=["les", "other"]) == []
    assert len(piece_store.search("les", tags=[], top_k=20)) == 11
    assert [one.piece_id for one in piece_store.list_all(None, KnowledgeType.Procedure)] == [
        "les-rans-init"
    ]
    assert code_of(piece_store.search, "les", knowledge_type="rumour") == "INVALID_ARGUMENT"
    assert code_of(piece_store.search, "les", tags="les") == "INVALID_ARGUMENT"
    assert code_of(piece_store.search, "les", top_k=0) == "INVALID_ARGUMENT"
    assert piece_store.search("  ") == []


def test_an_update_replaces_a_piece_and_tells_when(piece_store: KnowledgePieceStore) -> None:
    piece_store.add(LES)
    assert piece_store.update(
        replace(LES, content="Prefer polyhedra", embedding_text=None, tags=[])
    )
    found = piece_store.get_by_id("les-rans-init")
    assert (found.content, found.tags, found.created_at) == ("Prefer polyhedra", [], MOMENT)
    assert found.updated_at > MOMENT
    assert piece_store.search("transient", "user:alice") == []
    assert not piece_store.update(MESH)
    assert piece_store.get_by_id("mesh") is None


def test_pieces_that_say_the_same_again_change_no_instant(piece_store: KnowledgePieceStore) -> None:
    piece_store.put_all([LES, MESH])
    again = replace(LES, created_at=MOMENT.replace(year=2027), updated_at=MOMENT.replace(year=2027))
    piece_store.put_all([again, replace(MESH, content="Check the mesh")])
    assert piece_store.get_by_id("les-rans-init") == LES
    changed = piece_store.get_by_id("mesh")
    assert (changed.content, changed.created_at) == ("Check the mesh", MOMENT)
    assert changed.updated_at > MOMENT


def test_what_is_no_piece_is_refused(piece_store: KnowledgePieceStore) -> None:
    for call in (piece_store.add, piece_store.update, lambda one: piece_store.put_all([one])):
        for other in (None, "les", {"content": "les"}):
            assert code_of(call, other) == "INVALID_ARGUMENT"
    for call in (piece_store.get_by_id, piece_store.remove, piece_store.search):
        assert code_of(call, None) == "INVALID_ARGUMENT"
    assert piece_store.list_all() == []


def test_an_update_may_change_the_entity(piece_store: KnowledgePieceStore) -> None:
    piece_store.add(LES)
    for entity in ("user:bob", None, "user:alice"):
        assert piece_store.update(replace(LES, entity_id=entity))
        for one in ("user:alice", "user:bob", None):
            expected = ["les-rans-init"] if one == entity else []
            assert ids(piece_store.search("transient", one)) == expected
        assert piece_store.get_by_id("les-rans-init").entity_id == entity


def test_a_removed_piece_is_gone_and_its_id_is_free(piece_store: KnowledgePieceStore) -> None:
    piece_store.add(LES)
    assert piece_store.remove("les-rans-init")
    assert not piece_store.remove("les-rans-init")
    assert piece_store.get_by_id("les-rans-init") is None
    assert piece_store.search("LES", "user:alice") == piece_store.list_all("user:alice") == []
    assert piece_store.add(replace(LES, entity_id="user:bob")) == "les-rans-init"


def test_any_printable_text_is_a_piece_and_an_entity(piece_store: KnowledgePieceStore) -> None:
    for name in ODD_IDS:
        piece_store.add(KnowledgePiece("mesh", name, entity_id=name))
    assert [ids(piece_store.search("mesh", name)) for name in ODD_IDS] == [[one] for one in ODD_IDS]
    assert [piece_store.get_by_id(name).entity_id for name in ODD_IDS] == ODD_IDS


def test_a_closed_piece_store_says_so(piece_store: KnowledgePieceStore) -> None:
    piece_store.close()
    piece_store.close()
    assert code_of(piece_store.get_by_id, "a") == "STORE_CLOSED"
    assert code_of(piece_store.add, MESH) == "STORE_CLOSED"
    assert code_of(piece_store.update, MESH) == "STORE_CLOSED"
    assert code_of(piece_store.search, "mesh") == "STORE_CLOSED"
    assert code_of(piece_store.search, "") == "STORE_CLOSED"
    assert code_of(piece_store.list_all) == "STORE_CLOSED"


def test_threads_share_a_piece_store(piece_store: KnowledgePieceStore) -> None:
    def work(worker: int) -> int:
        for at in range(5):
            piece_store.add(KnowledgePiece(f"mesh {at}", f"{worker}-{at}"))
        return len(piece_store.search("mesh", top_k=100))

    with ThreadPoolExecutor(4) as pool:
        assert all(found >= 5 for found in pool.map(work, range(4)))
    assert len(piece_store.list_all()) == 20


# The graph


def test_nodes_and_relations_come_back_as_they_were_added(graph_store: EntityGraphStore) -> None:
    alice = GraphNode("user:alice", "user", "Alice", {"a": [1]})
    les = GraphNode("technique:les", "technique", "LES")
    edge = GraphEdge("user:alice", "technique:les", "SPECIALIZES_IN", {"piece_id": "les-rans-init"})
    graph_store.add_node(alice)
    assert code_of(graph_store.add_relation, edge) == "NOT_FOUND"
    graph_store.add_node(les)
    graph_store.add_relation(edge)
    assert graph_store.get_node("user:alice") == alice
    assert graph_store.get_node("user:bob") is None
    assert graph_store.get_relations("user:alice", "SPECIALIZES_IN") == [edge]
    assert graph_store.get_relations("user:alice", "OTHER") == []
    assert graph_store.get_relations("technique:les", direction="incoming") == [edge]
    assert graph_store.get_relations("technique:les", direction="both") == [edge]
    assert graph_store.get_neighbors("user:alice") == [(les, 1)]
    assert graph_store.get_neighbors("technique:les", depth=10) == []
    assert graph_store.get_neighbors("user:alice", depth=0) == []
    for call in (graph_store.add_node, graph_store.add_relation, graph_store.get_relations):
        assert code_of(call, None) == "INVALID_ARGUMENT"


def test_relations_of_a_triple_go_together_and_nodes_take_theirs(
    graph_store: EntityGraphStore,
) -> None:
    for name in ("a", "b", "c"):
        graph_store.add_node(GraphNode(name, "node"))
    for piece in (None, "p1", "p2"):
        graph_store.add_relation(GraphEdge("a", "b", "R", {"piece_id": piece} if piece else {}))
    graph_store.add_relation(GraphEdge("a", "b", "R", {"piece_id": "p1", "new": True}))
    assert [one.properties for one in graph_store.get_relations("a")] == [
        {},
        {"piece_id": "p1", "new": True},
        {"piece_id": "p2"},
    ]
    assert graph_store.remove_relation("a", "b", "R")
    assert not graph_store.remove_relation("a", "b", "R")
    graph_store.add_relation(GraphEdge("b", "c", "R"))
    assert graph_store.remove_node("b")
    assert not graph_store.remove_node("b")
    assert graph_store.get_relations("c", direction="incoming") == []


def test_threads_share_a_graph_store(graph_store: EntityGraphStore) -> None:
    graph_store.add_node(GraphNode("hub", "node"))

    def work(worker: int) -> None:
        for at in range(5):
            graph_store.add_node(GraphNode(f"{worker}-{at}", "node"))
            graph_store.add_relation(GraphEdge("hub", f"{worker}-{at}", "R"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(graph_store.get_neighbors("hub")) == 20


def test_a_closed_graph_store_says_so(graph_store: EntityGraphStore) -> None:
    graph_store.close()
    graph_store.close()
    assert code_of(graph_store.get_node, "a") == "STORE_CLOSED"
    assert code_of(graph_store.add_node, GraphNode("a", "b")) == "STORE_CLOSED"
    assert code_of(graph_store.get_neighbors, "a") == "STORE_CLOSED"
