"""A graph in Neo4j, or in whatever speaks its protocol, Bolt.

The rule: every node of ours has one label and every edge one type; ids, types and namespaces are
properties, bound as parameters, so nothing that others wrote is ever part of a statement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from recollect.errors import refused
from recollect.faces.knowledge.model import GraphEdge, GraphNode
from recollect.faces.knowledge.services.base import GraphServiceBase, Namespace, client, not_there
from recollect.faces.knowledge.services.json_text import edge_of, edge_text, node_of, node_text
from recollect.faces.knowledge.services.vectors import document_key, space_key

_PREPARE: Final = (
    "CREATE CONSTRAINT recollect_node IF NOT EXISTS FOR (n:RecollectNode) REQUIRE n.key IS UNIQUE",
    "CREATE INDEX recollect_space IF NOT EXISTS FOR (n:RecollectNode) ON (n.space)",
)

_PUT_NODE: Final = """
MERGE (n:RecollectNode {key: $key})
SET n.space = $space, n.namespace = $namespace, n.node_id = $node_id, n.node_type = $node_type,
    n.label = $label, n.value = $value
"""

_NODE: Final = "MATCH (n:RecollectNode {key: $key}) RETURN n.value AS value"

_REMOVE_NODE: Final = "MATCH (n:RecollectNode {key: $key}) DETACH DELETE n RETURN count(*) AS gone"

_PUT_EDGE: Final = """
MATCH (a:RecollectNode {key: $source}), (b:RecollectNode {key: $target})
MERGE (a)-[r:RECOLLECT_EDGE {edge_type: $edge_type, piece: $piece}]->(b)
SET r.value = $value
"""

_OUTGOING: Final = """
MATCH (n:RecollectNode {key: $key})-[r:RECOLLECT_EDGE]->(:RecollectNode) RETURN r.value AS value
"""

_INCOMING: Final = """
MATCH (n:RecollectNode {key: $key})<-[r:RECOLLECT_EDGE]-(:RecollectNode) RETURN r.value AS value
"""

_TARGETS: Final = """
MATCH (n:RecollectNode)-[r:RECOLLECT_EDGE]->(m:RecollectNode)
WHERE n.key IN $keys AND ($edge_type IS NULL OR r.edge_type = $edge_type)
RETURN DISTINCT m.node_id AS target
"""

_REMOVE_EDGE: Final = """
MATCH (a:RecollectNode {key: $source})-[r:RECOLLECT_EDGE {edge_type: $edge_type}]->
      (b:RecollectNode {key: $target})
DELETE r RETURN count(*) AS gone
"""

_NODES: Final = "MATCH (n:RecollectNode {space: $space}) RETURN n.value AS value"

_SIZE: Final = "MATCH (n:RecollectNode {space: $space}) RETURN count(n) AS held"

_CLEAR: Final = "MATCH (n:RecollectNode {space: $space}) DETACH DELETE n RETURN count(*) AS gone"

_NAMESPACES: Final = """
MATCH (n:RecollectNode) WHERE n.namespace IS NOT NULL RETURN DISTINCT n.namespace AS name
"""

_RETRY_SECONDS: Final = 5.0  # the driver's own 30 would be waited for at each call of a lost server


class Neo4jGraphService(GraphServiceBase):
    """Nodes and edges in Neo4j. Needs the extra `neo4j`.

    Nothing is connected before the first call; the constraint it needs is made then.
    `auth` is a pair of name and password, None where the server wants none.
    """

    def __init__(self, uri: str, auth: tuple[str, str] | None, database: str | None = None) -> None:
        super().__init__()
        neo4j = client("neo4j", "neo4j")
        self._errors = client("neo4j.exceptions", "neo4j")
        self._database = database
        self._place = f"Neo4j at {uri}"
        self._is_ready = False
        try:
            self._driver: Any = neo4j.GraphDatabase.driver(
                uri, auth=auth, max_transaction_retry_time=_RETRY_SECONDS
            )
        except (self._errors.ConfigurationError, ValueError, TypeError) as error:
            raise refused(f"uri is no address of Neo4j: {error}", "use bolt://host:7687") from error

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            if not self._is_ready:
                for statement in _PREPARE:
                    self._run(statement)
                self._is_ready = True
            yield
        except (self._errors.Neo4jError, self._errors.DriverError) as error:
            raise not_there(self._place, error) from error

    def _run(self, statement: str, **values: object) -> list[dict[str, Any]]:
        """Run a statement as one transaction, again where the server says that it may."""
        found = self._driver.execute_query(statement, values, database_=self._database)
        return [one.data() for one in found.records]

    def _put_node(self, node: GraphNode, namespace: Namespace) -> None:
        self._run(
            _PUT_NODE,
            key=document_key(node.node_id, namespace),
            space=space_key(namespace),
            namespace=namespace,
            node_id=node.node_id,
            node_type=node.node_type,
            label=node.label,
            value=node_text(node),
        )

    def _node(self, node_id: str, namespace: Namespace) -> GraphNode | None:
        rows = self._run(_NODE, key=document_key(node_id, namespace))
        return node_of(rows[0]["value"]) if rows else None

    def _remove_node(self, node_id: str, namespace: Namespace) -> bool:
        (row,) = self._run(_REMOVE_NODE, key=document_key(node_id, namespace))
        return cast("int", row["gone"]) > 0

    def _put_edge(self, edge: GraphEdge, namespace: Namespace) -> None:
        self._run(
            _PUT_EDGE,
            source=document_key(edge.source_id, namespace),
            target=document_key(edge.target_id, namespace),
            edge_type=edge.edge_type,
            piece=edge.piece_id or "",
            value=edge_text(edge),
        )

    def _edges(
        self, node_id: str, namespace: Namespace, *, incoming: bool
    ) -> Collection[GraphEdge]:
        rows = self._run(_INCOMING if incoming else _OUTGOING, key=document_key(node_id, namespace))
        return [edge_of(row["value"]) for row in rows]

    def _targets(self, sources: Sequence[str], kind: str | None, namespace: Namespace) -> set[str]:
        keys = [document_key(source, namespace) for source in sources]
        rows = self._run(_TARGETS, keys=keys, edge_type=kind) if keys else []
        return {row["target"] for row in rows}

    def _remove_edge(self, source: str, target: str, kind: str, namespace: Namespace) -> bool:
        (row,) = self._run(
            _REMOVE_EDGE,
            source=document_key(source, namespace),
            target=document_key(target, namespace),
            edge_type=kind,
        )
        return cast("int", row["gone"]) > 0

    def _nodes(self, namespace: Namespace) -> Collection[GraphNode]:
        return [node_of(row["value"]) for row in self._run(_NODES, space=space_key(namespace))]

    def _size(self, namespace: Namespace) -> int:
        return cast("int", self._run(_SIZE, space=space_key(namespace))[0]["held"])

    def _clear(self, namespace: Namespace) -> int:
        return cast("int", self._run(_CLEAR, space=space_key(namespace))[0]["gone"])

    def _namespaces(self) -> Collection[str]:
        return [row["name"] for row in self._run(_NAMESPACES)]

    def _reach(self) -> None:
        self._run("RETURN 1 AS one")

    def _release(self) -> None:
        self._driver.close()
