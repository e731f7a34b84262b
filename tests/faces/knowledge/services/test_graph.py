"""What every graph service does, whatever keeps its nodes and edges."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from faces.knowledge.services.test_key_value import ODD_IDS, code_of
from recollect.faces.knowledge import GraphEdge, GraphNode
from recollect.faces.knowledge.services import GraphServiceBase

ALICE = GraphNode("user:alice", "user", "Alice", {"team": "aero", "langs": ["en", {"a": None}]})
LES = GraphNode("technique:les", "technique", "LES")
RANS = GraphNode("technique:rans", "technique", "RANS")
JET = GraphNode("case:jet", "case")
USES = GraphEdge("user:alice", "technique:les", "USES", {"since": 2020, "why": {"a": [1]}})


@pytest.fixture
def filled(graph: GraphServiceBase) -> GraphServiceBase:
    """alice -> les -> rans -> jet -> alice, and alice -> rans."""
    for node in (ALICE, LES, RANS, JET):
        graph.add_node(node)
    graph.add_edge(USES)
    graph.add_edge(GraphEdge("technique:les", "technique:rans", "NEEDS"))
    graph.add_edge(GraphEdge("technique:rans", "case:jet", "RUNS"))
    graph.add_edge(GraphEdge("case:jet", "user:alice", "OWNED_BY"))
    graph.add_edge(GraphEdge("user:alice", "technique:rans", "KNOWS"))
    return graph


def reached(graph: GraphServiceBase, *given, **named) -> list[tuple[str, int]]:
    return [(node.node_id, depth) for node, depth in graph.get_neighbors(*given, **named)]


def test_a_node_comes_back_as_it_was_added(graph: GraphServiceBase) -> None:
    graph.add_node(ALICE)
    assert graph.get_node("user:alice") == ALICE
    assert graph.get_node("user:bob") is None
    assert graph.get_node("user:alice", "space") is None


def test_adding_a_node_again_replaces_it_and_keeps_its_edges(filled: GraphServiceBase) -> None:
    filled.add_node(GraphNode("user:alice", "person", "A."))
    assert filled.get_node("user:alice") == GraphNode("user:alice", "person", "A.")
    assert len(filled.get_edges("user:alice", direction="both")) == 3
    assert filled.size() == 4


def test_an_edge_comes_back_as_it_was_added(filled: GraphServiceBase) -> None:
    assert filled.get_edges("user:alice", "USES") == [USES]
    assert filled.get_edges("technique:les", direction="incoming") == [USES]


@pytest.mark.parametrize("missing", ["source", "target"])
def test_an_edge_needs_both_its_nodes(graph: GraphServiceBase, missing: str) -> None:
    graph.add_node(LES if missing == "source" else ALICE)
    assert code_of(graph.add_edge, USES) == "NOT_FOUND"
    assert graph.get_edges("user:alice", direction="both") == []
    assert graph.size() == 1


def test_the_nodes_of_another_namespace_are_no_ends(graph: GraphServiceBase) -> None:
    graph.add_node(ALICE)
    graph.add_node(LES, "space")
    assert code_of(graph.add_edge, USES) == "NOT_FOUND"


def test_the_same_edge_again_replaces_its_properties(filled: GraphServiceBase) -> None:
    again = GraphEdge("user:alice", "technique:les", "USES", {"since": 2021})
    filled.add_edge(again)
    assert filled.get_edges("user:alice", "USES") == [again]
    assert filled.get_edges("technique:les", direction="incoming") == [again]


def test_edges_with_other_pieces_are_others_and_go_together(filled: GraphServiceBase) -> None:
    for piece in ("p2", "p1"):
        filled.add_edge(GraphEdge("user:alice", "technique:les", "USES", {"piece_id": piece}))
    assert [one.piece_id for one in filled.get_edges("user:alice", "USES")] == [None, "p1", "p2"]
    assert filled.remove_edge("user:alice", "technique:les", "USES")
    assert filled.get_edges("user:alice", "USES") == []
    assert filled.get_edges("technique:les", direction="incoming") == []
    assert not filled.remove_edge("user:alice", "technique:les", "USES")


def test_removing_an_edge_leaves_other_types_and_directions(filled: GraphServiceBase) -> None:
    filled.add_edge(GraphEdge("user:alice", "technique:les", "LIKES"))
    filled.add_edge(GraphEdge("technique:les", "user:alice", "USES"))
    assert filled.remove_edge("user:alice", "technique:les", "USES")
    assert [one.edge_type for one in filled.get_edges("user:alice")] == ["KNOWS", "LIKES"]
    assert len(filled.get_edges("technique:les")) == 2


def test_edges_are_told_by_direction_and_in_order(filled: GraphServiceBase) -> None:
    filled.add_edge(GraphEdge("user:alice", "user:alice", "TRUSTS"))
    told = {
        direction: [
            (one.source_id, one.edge_type, one.target_id)
            for one in filled.get_edges("user:alice", direction=direction)
        ]
        for direction in ("outgoing", "incoming", "both")
    }
    out = [
        ("user:alice", "KNOWS", "technique:rans"),
        ("user:alice", "TRUSTS", "user:alice"),
        ("user:alice", "USES", "technique:les"),
    ]
    into = [("case:jet", "OWNED_BY", "user:alice"), ("user:alice", "TRUSTS", "user:alice")]
    assert told == {"outgoing": out, "incoming": into, "both": [into[0], *out]}
    assert code_of(filled.get_edges, "user:alice", direction="sideways") == "INVALID_ARGUMENT"
    assert filled.get_edges("user:bob") == []


def test_removing_a_node_removes_its_edges(filled: GraphServiceBase) -> None:
    assert filled.remove_node("technique:rans")
    assert not filled.remove_node("technique:rans")
    assert filled.get_node("technique:rans") is None
    assert filled.get_edges("technique:les") == []
    assert filled.get_edges("case:jet", direction="incoming") == []
    assert filled.get_edges("user:alice") == [USES]
    filled.add_node(RANS)
    assert filled.get_edges("technique:rans", direction="both") == []


def test_neighbours_have_their_smallest_depth_and_the_start_is_none(
    filled: GraphServiceBase,
) -> None:
    assert reached(filled, "user:alice") == [("technique:les", 1), ("technique:rans", 1)]
    assert reached(filled, "user:alice", depth=2) == [
        ("technique:les", 1),
        ("technique:rans", 1),
        ("case:jet", 2),
    ]
    assert reached(filled, "user:alice", depth=10) == reached(filled, "user:alice", depth=2)
    assert reached(filled, "user:alice", "USES", depth=10) == [("technique:les", 1)]
    assert reached(filled, "case:jet", depth=2) == [
        ("user:alice", 1),
        ("technique:les", 2),
        ("technique:rans", 2),
    ]
    assert reached(filled, "user:bob") == []
    assert filled.get_neighbors("user:alice")[0][0] == LES


@pytest.mark.parametrize("depth", [-1, 11, True, "1"])
def test_a_depth_is_from_0_to_10(filled: GraphServiceBase, depth: object) -> None:
    assert reached(filled, "user:alice", depth=0) == []
    expected = "LIMIT_EXCEEDED" if depth == 11 else "INVALID_ARGUMENT"
    assert code_of(filled.get_neighbors, "user:alice", depth=depth) == expected


def test_nodes_are_listed_by_id_and_type(filled: GraphServiceBase) -> None:
    assert filled.list_nodes() == [JET, LES, RANS, ALICE]
    assert filled.list_nodes("technique") == [LES, RANS]
    assert filled.list_nodes("nothing") == filled.list_nodes(namespace="space") == []


def test_namespaces_are_apart_and_none_is_one_of_its_own(filled: GraphServiceBase) -> None:
    for space in ("a", "A"):
        filled.add_node(GraphNode("user:alice", "user", space), space)
    assert [filled.get_node("user:alice", one).label for one in (None, "a", "A")] == [
        "Alice",
        "a",
        "A",
    ]
    assert filled.get_edges("user:alice", namespace="a") == []
    assert filled.namespaces() == ["A", "a"]
    assert filled.clear("a") == 1
    assert filled.namespaces() == ["A"]
    assert (filled.size(), filled.size("a"), filled.size("A")) == (4, 0, 1)
    assert filled.remove_node("user:alice", "A")
    assert filled.namespaces() == []
    assert filled.get_edges("user:alice", "USES") == [USES]
    assert filled.clear() == 4
    assert filled.get_node("user:alice") is None
    filled.add_node(ALICE)
    assert filled.get_edges("user:alice", direction="both") == []


def test_any_printable_text_is_an_id_a_type_and_a_namespace(graph: GraphServiceBase) -> None:
    graph.add_node(ALICE)
    for name in ODD_IDS:
        graph.add_node(GraphNode(name, name, name))
        graph.add_edge(GraphEdge(name, "user:alice", name, {"piece_id": name}))
        graph.add_node(GraphNode("node", "x"), name)
    assert [one.node_id for one in graph.list_nodes()] == sorted({*ODD_IDS, "user:alice"})
    incoming = graph.get_edges("user:alice", direction="incoming")
    assert [one.source_id for one in incoming] == sorted(ODD_IDS)
    assert [one.edge_type for one in incoming] == [one.piece_id for one in incoming]
    assert graph.namespaces() == sorted(ODD_IDS)
    for name in set(ODD_IDS) - {"user:alice"}:
        assert graph.remove_edge(name, "user:alice", name)
        assert graph.remove_node(name)
    assert graph.size() == 1


def test_what_is_no_node_and_no_edge_is_refused(graph: GraphServiceBase) -> None:
    assert code_of(graph.add_node, USES) == "INVALID_ARGUMENT"
    assert code_of(graph.add_edge, ALICE) == "INVALID_ARGUMENT"
    assert code_of(graph.get_node, "") == "INVALID_ARGUMENT"
    assert code_of(graph.get_edges, "a", 7) == "INVALID_ARGUMENT"
    assert code_of(graph.add_node, ALICE, "\n") == "INVALID_ARGUMENT"


def test_what_is_returned_is_a_copy(filled: GraphServiceBase) -> None:
    filled.get_node("user:alice").properties["langs"].append("de")
    filled.list_nodes("user")[0].properties["langs"].append("de")
    filled.get_edges("user:alice", "USES")[0].properties["why"]["a"].append(2)
    assert filled.get_node("user:alice") == ALICE
    assert filled.get_edges("user:alice", "USES") == [USES]


def test_it_tells_about_itself(filled: GraphServiceBase) -> None:
    filled.add_node(ALICE, "space")
    stats = filled.get_stats()
    assert filled.ping()
    assert (stats["size"], stats["namespaces"]) == (5, 1)
    assert stats["service"] == type(filled).__name__


def test_after_closing_every_call_says_so(graph: GraphServiceBase) -> None:
    graph.close()
    graph.close()
    calls = [
        (graph.add_node, ALICE),
        (graph.get_node, "a"),
        (graph.remove_node, "a"),
        (graph.add_edge, USES),
        (graph.get_edges, "a"),
        (graph.remove_edge, "a", "b", "c"),
        (graph.get_neighbors, "a"),
        (graph.list_nodes,),
        (graph.size,),
        (graph.clear,),
        (graph.namespaces,),
        (graph.ping,),
        (graph.get_stats,),
    ]
    assert {code_of(*call) for call in calls} == {"STORE_CLOSED"}


def test_threads_share_it(graph: GraphServiceBase) -> None:
    graph.add_node(ALICE)

    def work(worker: int) -> int:
        for at in range(5):
            graph.add_node(GraphNode(f"{worker}-{at}", "node"))
            graph.add_edge(GraphEdge("user:alice", f"{worker}-{at}", "SAW"))
        return len(graph.get_neighbors("user:alice"))

    with ThreadPoolExecutor(4) as pool:
        assert min(pool.map(work, range(4))) >= 5
    assert len(graph.get_edges("user:alice")) == 20
