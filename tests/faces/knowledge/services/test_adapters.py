"""What the adapters make of a service: which namespaces it has then, and what is in them."""

from __future__ import annotations

from faces.knowledge.services.test_stores import LES
from recollect.faces.knowledge import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    GraphServiceEntityGraphStore,
    KeyValueMetadataStore,
    RetrievalKnowledgePieceStore,
)
from recollect.faces.knowledge.services import (
    GraphServiceBase,
    KeyValueServiceBase,
    RetrievalServiceBase,
)


def test_the_namespace_of_a_profile_is_its_type_and_its_value_a_dict(
    key_value: KeyValueServiceBase,
) -> None:
    store = KeyValueMetadataStore(key_value)
    alice = EntityMetadata("user:alice", "user", {"team": "aero"})
    store.save_metadata(alice)
    assert key_value.namespaces() == ["user"]
    assert key_value.get("user:alice", "user") == alice.to_dict()


def test_the_namespace_of_a_piece_is_its_entity_and_it_is_a_document(
    retrieval: RetrievalServiceBase,
) -> None:
    RetrievalKnowledgePieceStore(retrieval).add(LES)
    assert retrieval.namespaces() == ["user:alice"]
    document = retrieval.get_by_id("les-rans-init", "user:alice")
    assert (document.content, document.metadata["tags"]) == (LES.content, LES.tags)


def test_nodes_and_edges_are_those_of_the_service(graph: GraphServiceBase) -> None:
    store, edge = GraphServiceEntityGraphStore(graph), GraphEdge("a", "b", "R", {"w": [1]})
    for name in "ab":
        store.add_node(GraphNode(name, "node"))
    store.add_relation(edge)
    assert graph.list_nodes() == [GraphNode("a", "node"), GraphNode("b", "node")]
    assert graph.get_edges("a") == [edge]


def test_a_graph_store_sees_its_namespace_only(graph: GraphServiceBase) -> None:
    service, graph_store = graph, GraphServiceEntityGraphStore(graph, namespace="tenant")
    graph_store.add_node(GraphNode("a", "node"))
    assert service.namespaces() == ["tenant"]
    service.add_node(GraphNode("b", "node"))
    service.add_node(GraphNode("a", "decoy"), "other")
    assert graph_store.get_node("b") is None
    assert graph_store.get_node("a").node_type == "node"
