"""What the services on Elasticsearch and Neo4j do beside the rules of all; `make services` runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from faces.knowledge.services.servers import free_port
from faces.knowledge.services.test_key_value import code_of
from faces.knowledge.services.with_clients.foreign import (
    INDEX,
    bolt,
    elasticsearch,
    elasticsearch_service,
    neo4j_service,
)
from recollect.errors import RecollectError
from recollect.faces.knowledge import Document, GraphEdge, GraphNode
from recollect.faces.knowledge.services import (
    ElasticsearchRetrievalService,
    MemoryRetrievalService,
    Neo4jGraphService,
)


def test_a_document_has_the_score_that_it_has_in_memory(tmp_path: Path) -> None:
    texts = [
        "mesh quality before CHT runs",
        "a mesh of the jet",
        "coffee",
        "jet noise",
        "京都の天気",
    ]
    with elasticsearch_service(tmp_path) as service, MemoryRetrievalService() as memory:
        for at, text in enumerate(texts):
            service.add(Document(str(at), text))
            memory.add(Document(str(at), text))
            service.add(Document(str(at), "mesh mesh jet"), "decoy")
        for query in ("mesh", "jet mesh noise", "京", "runs zebra"):
            found = service.search(query)
            assert found
            told = [(one.doc_id, pytest.approx(score)) for one, score in memory.search(query)]
            assert [(one.doc_id, score) for one, score in found] == told


def test_what_one_service_writes_another_finds(tmp_path: Path) -> None:
    with elasticsearch_service(tmp_path) as one:
        one.add(Document("mesh", "mesh quality"))
        with ElasticsearchRetrievalService(elasticsearch(), INDEX) as other:
            assert [found.doc_id for found, _ in other.search("mesh")] == ["mesh"]
            assert code_of(other.add, Document("mesh", "text")) == "CONFLICT"


def test_more_documents_than_a_page_are_listed(tmp_path: Path) -> None:
    with elasticsearch_service(tmp_path) as service:
        actions = []
        for at in range(1_005):
            service.add(Document(f"{at:04}", "mesh")) if at < 3 else actions.append(at)
        stored = elasticsearch().search(index=INDEX, size=1)["hits"]["hits"][0]["_source"]
        for at in actions:
            value = stored["value"].replace(f'"{stored["doc_id"]}"', f'"{at:04}"')
            source = {**stored, "doc_id": f"{at:04}", "value": value, "namespace": f"{at:04}"}
            elasticsearch().index(index=INDEX, id=str(at), document=source)
        elasticsearch().indices.refresh(index=INDEX)
        assert [one.doc_id for one in service.list_all()] == [f"{at:04}" for at in range(1_005)]
        assert len(service.namespaces()) == 1_002


def test_an_index_name_that_is_refused_is_told() -> None:
    with ElasticsearchRetrievalService(elasticsearch(), "A B") as service:
        assert code_of(service.get_by_id, "mesh") == "INVALID_ARGUMENT"
    assert code_of(ElasticsearchRetrievalService, "no address", "name") == "INVALID_ARGUMENT"


def test_a_client_of_the_user_stays_open(tmp_path: Path) -> None:
    elasticsearch_service(tmp_path).close()
    assert elasticsearch().info()


def test_servers_that_are_not_there_are_told_when_they_are_used() -> None:
    port = free_port()
    for service, call in (
        (
            ElasticsearchRetrievalService(f"http://127.0.0.1:{port}", "name", ("me", "secret")),
            "mesh",
        ),
        (Neo4jGraphService(f"bolt://127.0.0.1:{port}", ("me", "secret")), "mesh"),
    ):
        with service, pytest.raises(RecollectError) as caught:
            assert not service.ping()
            (getattr(service, "get_by_id", None) or service.get_node)(call)
        assert caught.value.code.code == "UNAVAILABLE"
        assert "secret" not in str(caught.value)


def test_a_wrong_password_is_told() -> None:
    place, (name, _), database = bolt()
    with Neo4jGraphService(place, (name, "wrong"), database) as service:
        assert code_of(service.get_node, "a") == "UNAVAILABLE"
    assert code_of(Neo4jGraphService, "nowhere", None) == "INVALID_ARGUMENT"


def test_nothing_in_an_id_or_a_type_is_read_as_cypher(tmp_path: Path) -> None:
    hostile = "x'}) DETACH DELETE n //"
    with neo4j_service(tmp_path) as service:
        service.add_node(GraphNode("kept", "node"))
        service.add_node(GraphNode(hostile, hostile, hostile, {"a": hostile}), hostile)
        service.add_node(GraphNode("other", "node"), hostile)
        service.add_edge(GraphEdge(hostile, "other", "x'(DELETE)"), hostile)
        assert service.get_node("kept")
        assert [one.edge_type for one in service.get_edges(hostile, namespace=hostile)] == [
            "x'(DELETE)"
        ]


def test_two_services_on_one_graph_see_what_either_writes(tmp_path: Path) -> None:
    with neo4j_service(tmp_path) as one:
        one.add_node(GraphNode("a", "node"))
        with Neo4jGraphService(*bolt()) as other:
            other.add_node(GraphNode("b", "node"))
            other.add_edge(GraphEdge("a", "b", "R"))
        assert [edge.target_id for edge in one.get_edges("a")] == ["b"]
