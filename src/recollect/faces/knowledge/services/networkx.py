"""A graph in memory that NetworkX can work on: `service.graph(namespace)` is one of its own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from recollect.faces.knowledge.model import GraphEdge, GraphNode
from recollect.faces.knowledge.services.base import GraphServiceBase, Namespace, client
from recollect.faces.knowledge.services.json_text import edge_of, edge_text, node_of, node_text


class NetworkxGraphService(GraphServiceBase):
    """Nodes and edges in a `networkx.MultiDiGraph` for each namespace. Needs the extra `networkx`.

    The attribute `value` of a node or an edge is its JSON; an edge's key is its type and piece.
    """

    def __init__(self) -> None:
        super().__init__()
        self._networkx = client("networkx", "networkx")
        self._graphs: dict[Namespace, Any] = {}

    def graph(self, namespace: Namespace = None) -> Any:  # noqa: ANN401
        """Return a copy of a namespace's graph, to compute with."""
        with self._in(namespace) as space:
            return self._graph(space).copy()

    def _put_node(self, node: GraphNode, namespace: Namespace) -> None:
        graph = self._graphs.setdefault(namespace, self._networkx.MultiDiGraph())
        graph.add_node(node.node_id, value=node_text(node))

    def _node(self, node_id: str, namespace: Namespace) -> GraphNode | None:
        found = self._graph(namespace).nodes.get(node_id)
        return None if found is None else node_of(found["value"])

    def _remove_node(self, node_id: str, namespace: Namespace) -> bool:
        graph = self._graph(namespace)
        if node_id not in graph:
            return False
        graph.remove_node(node_id)
        return True

    def _put_edge(self, edge: GraphEdge, namespace: Namespace) -> None:
        key = (edge.edge_type, edge.piece_id or "")
        self._graph(namespace).add_edge(
            edge.source_id, edge.target_id, key=key, value=edge_text(edge)
        )

    def _edges(
        self, node_id: str, namespace: Namespace, *, incoming: bool
    ) -> Collection[GraphEdge]:
        graph = self._graph(namespace)
        if node_id not in graph:
            return []
        found = (graph.in_edges if incoming else graph.out_edges)(node_id, data="value")
        return [edge_of(value) for _, _, value in found]

    def _remove_edge(self, source: str, target: str, kind: str, namespace: Namespace) -> bool:
        graph = self._graph(namespace)
        keys = [key for key in graph.get_edge_data(source, target) or () if key[0] == kind]
        graph.remove_edges_from([(source, target, key) for key in keys])
        return bool(keys)

    def _nodes(self, namespace: Namespace) -> Collection[GraphNode]:
        return [node_of(value) for _, value in self._graph(namespace).nodes(data="value")]

    def _size(self, namespace: Namespace) -> int:
        return cast("int", self._graph(namespace).number_of_nodes())

    def _clear(self, namespace: Namespace) -> int:
        count = self._size(namespace)
        self._graphs.pop(namespace, None)
        return count

    def _namespaces(self) -> Collection[str]:
        return [one for one, graph in self._graphs.items() if one is not None and len(graph)]

    def _release(self) -> None:
        self._graphs.clear()

    def _graph(self, namespace: Namespace) -> Any:  # noqa: ANN401
        found = self._graphs.get(namespace)
        return self._networkx.MultiDiGraph() if found is None else found
