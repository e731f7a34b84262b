"""The three kinds of services that a knowledge base may stand on, each with one set of rules.

The rule: what a service promises stands here once, and a file per client says only how it keeps
things. So a base checks every argument, counts a closed service as STORE_CLOSED, and lets one call
in at a time, whatever the thread. Namespaces are apart from one another; `None` is one of its own.
What is absent is None, False or empty; what is returned is a copy.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Final, Literal

from recollect.closing import Closing
from recollect.errors import (
    CONFLICT,
    RESOURCE_NOT_FOUND,
    STORE_CLOSED,
    UNAVAILABLE,
    RecollectError,
    install,
)
from recollect.faces.knowledge.model import (
    Document,
    GraphEdge,
    GraphNode,
    checked_as,
    checked_id,
    checked_list,
    checked_object,
)
from recollect.faces.knowledge.services.facets import facets_wanted
from recollect.faces.knowledge.services.json_text import json_text, value_of
from recollect.faces.knowledge.stores import check_depth, check_direction, check_top_k

Namespace = str | None
Scored = list[tuple[Document, float]]

_SMALLEST: Final = 1e-9  # a score below says nothing: it is the rounding of a client


class Service(Closing):
    """What is opened, asked by several threads, and closed at the end."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._is_closed = False

    def ping(self) -> bool:
        """Whether what keeps the values answers now."""
        try:
            with self._in_use():
                self._reach()
        except RecollectError as error:
            if error.code is not UNAVAILABLE:
                raise
            return False
        return True

    def get_stats(self) -> Mapping[str, object]:
        """Return the kind of the service, and how many values and namespaces it holds."""
        with self._in_use():
            named = self._namespaces()
            held = sum(self._size(one) for one in (None, *named))
        return {"service": type(self).__name__, "size": held, "namespaces": len(named)}

    def size(self, namespace: Namespace = None) -> int:
        """Return how many values a namespace holds; nodes of a graph."""
        with self._in(namespace) as space:
            return self._size(space)

    def clear(self, namespace: Namespace = None) -> int:
        """Remove everything from a namespace, and return how many values that were."""
        with self._in(namespace) as space:
            return self._clear(space)

    def namespaces(self) -> list[str]:
        """Return the names of the namespaces that hold something, in order; None has no name."""
        with self._in_use():
            return sorted(self._namespaces())

    def close(self) -> None:
        """Give back what it holds; twice is safe."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._release()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._lock:
            if self._is_closed:
                raise STORE_CLOSED.error(
                    f"this {type(self).__name__} is closed",
                    f"open it again: {type(self).__name__}(...)",
                )
            with self._own_errors():
                yield

    @contextmanager
    def _in(self, namespace: Namespace) -> Iterator[Namespace]:
        """Give a namespace as it is stored, to the only call that runs."""
        with self._in_use():
            yield None if namespace is None else checked_id("namespace", namespace)

    def _own_errors(self) -> AbstractContextManager[None]:
        """Turn what the client raises in a block into errors of ours."""
        return nullcontext()

    def _reach(self) -> None:
        """Ask what keeps the values for a sign of life; UNAVAILABLE without one."""
        self._size(None)

    @abstractmethod
    def _release(self) -> None:
        """Give back connections and memory."""

    @abstractmethod
    def _size(self, namespace: Namespace) -> int: ...

    @abstractmethod
    def _clear(self, namespace: Namespace) -> int: ...

    @abstractmethod
    def _namespaces(self) -> Collection[str]:
        """Return the named namespaces that hold something, in any order."""


class KeyValueServiceBase(Service):
    """Values of JSON by key."""

    def get(self, key: str, namespace: Namespace = None) -> object:
        """Return the value of a key."""
        with self._in(namespace) as space:
            text = self._text(checked_id("key", key), space)
        return None if text is None else value_of(text)

    def put(self, key: str, value: object, namespace: Namespace = None) -> None:
        """Set the value of a key; what JSON cannot say is refused."""
        self.put_many({key: value}, namespace)

    def delete(self, key: str, namespace: Namespace = None) -> bool:
        """Remove a key; False where it is not there."""
        with self._in(namespace) as space:
            return self._delete(checked_id("key", key), space)

    def exists(self, key: str, namespace: Namespace = None) -> bool:
        """Whether a key is there."""
        with self._in(namespace) as space:
            return self._text(checked_id("key", key), space) is not None

    def keys(self, namespace: Namespace = None) -> list[str]:
        """Return the keys of a namespace, in order."""
        with self._in(namespace) as space:
            return sorted(self._keys(space))

    def get_many(self, keys: Sequence[str], namespace: Namespace = None) -> dict[str, object]:
        """Return the values of those keys that are there."""
        with self._in(namespace) as space:
            wanted = list({checked_id("key", key): None for key in checked_list("keys", keys)})
            texts = self._texts(wanted, space)
        found = zip(wanted, texts, strict=True)
        return {key: value_of(text) for key, text in found if text is not None}

    def put_many(self, mapping: Mapping[str, object], namespace: Namespace = None) -> None:
        """Set the values of several keys; if one is refused, none is set."""
        with self._in(namespace) as space:
            given = checked_object("mapping", mapping)
            self._put({checked_id("key", key): json_text(one) for key, one in given.items()}, space)

    def holders(self, key: str) -> list[Namespace]:
        """Return the namespaces that hold a key, None first."""
        with self._in_use():
            return _in_order(self._holders(checked_id("key", key)))

    def _holders(self, key: str) -> Collection[Namespace]:
        spaces = (None, *self._namespaces())
        return [space for space in spaces if self._text(key, space) is not None]

    def _texts(self, keys: Sequence[str], namespace: Namespace) -> Sequence[str | None]:
        return [self._text(key, namespace) for key in keys]

    @abstractmethod
    def _text(self, key: str, namespace: Namespace) -> str | None:
        """Return the JSON of a value."""

    @abstractmethod
    def _put(self, texts: Mapping[str, str], namespace: Namespace) -> None:
        """Keep the JSON of values."""

    @abstractmethod
    def _delete(self, key: str, namespace: Namespace) -> bool: ...

    @abstractmethod
    def _keys(self, namespace: Namespace) -> Collection[str]:
        """Return the keys, in any order."""


class RetrievalServiceBase(Service):
    """Documents that are found by words, or by what a model makes of them."""

    def add(self, document: Document, namespace: Namespace = None) -> str:
        """Keep a new document and return its id; CONFLICT if the namespace has one of that id."""
        with self._in(namespace) as space:
            one = checked_as(Document, document)
            if not self._add(one, space):
                raise CONFLICT.error(
                    f'the document "{one.doc_id}" is there already', "use update to replace it"
                )
            return one.doc_id

    def get_by_id(self, doc_id: str, namespace: Namespace = None) -> Document | None:
        """Return a document."""
        with self._in(namespace) as space:
            return self._document(checked_id("doc_id", doc_id), space)

    def update(self, document: Document, namespace: Namespace = None) -> bool:
        """Keep a document in place of the one with its id; False where there is none."""
        with self._in(namespace) as space:
            return self._update(checked_as(Document, document), space)

    def remove(self, doc_id: str, namespace: Namespace = None) -> bool:
        """Remove a document; False where there is none."""
        with self._in(namespace) as space:
            return self._remove(checked_id("doc_id", doc_id), space)

    def search(
        self,
        query: str,
        filters: Mapping[str, object] | None = None,
        namespace: Namespace = None,
        top_k: int = 5,
    ) -> Scored:
        """Return the documents that a text finds, by (-score, doc_id), and their scores.

        Scores are above 0 and at most 1. The text is plain: its words are alternatives. A filter is
        a scalar that a document's metadata has under that key, or a list of what the list there
        has to hold.
        """
        with self._in(namespace) as space:
            most, wanted = check_top_k(top_k), facets_wanted(filters)
            if not checked_as(str, query).strip():
                return []
            scored = [
                (document, min(score, 1.0))
                for document, score in self._search(query, wanted, space, most)
                if score > _SMALLEST
            ]
        return sorted(scored, key=lambda one: (-one[1], one[0].doc_id))[:most]

    def list_all(
        self, filters: Mapping[str, object] | None = None, namespace: Namespace = None
    ) -> list[Document]:
        """Return the documents of a namespace that pass the filters, by id."""
        with self._in(namespace) as space:
            found = list(self._list(facets_wanted(filters), space))
        return sorted(found, key=lambda one: one.doc_id)

    def holders(self, doc_id: str) -> list[Namespace]:
        """Return the namespaces that hold a document of an id, None first."""
        with self._in_use():
            return _in_order(self._holders(checked_id("doc_id", doc_id)))

    def _holders(self, doc_id: str) -> Collection[Namespace]:
        spaces = (None, *self._namespaces())
        return [space for space in spaces if self._document(doc_id, space) is not None]

    @abstractmethod
    def _add(self, document: Document, namespace: Namespace) -> bool:
        """Keep a document unless there is one of its id."""

    @abstractmethod
    def _document(self, doc_id: str, namespace: Namespace) -> Document | None: ...

    @abstractmethod
    def _update(self, document: Document, namespace: Namespace) -> bool: ...

    @abstractmethod
    def _remove(self, doc_id: str, namespace: Namespace) -> bool: ...

    @abstractmethod
    def _search(self, query: str, wanted: Set[str], namespace: Namespace, most: int) -> Scored:
        """Return at least the best `most` of the documents that have all facets wanted."""

    @abstractmethod
    def _list(self, wanted: Set[str], namespace: Namespace) -> Collection[Document]: ...


class GraphServiceBase(Service):
    """Nodes and directed edges; an edge is known by its ends, its type and its `piece_id`."""

    def add_node(self, node: GraphNode, namespace: Namespace = None) -> None:
        """Keep a node in place of the one with its id."""
        with self._in(namespace) as space:
            self._put_node(checked_as(GraphNode, node), space)

    def get_node(self, node_id: str, namespace: Namespace = None) -> GraphNode | None:
        """Return a node."""
        with self._in(namespace) as space:
            return self._node(checked_id("node_id", node_id), space)

    def remove_node(self, node_id: str, namespace: Namespace = None) -> bool:
        """Remove a node with its edges; False where there is none."""
        with self._in(namespace) as space:
            return self._remove_node(checked_id("node_id", node_id), space)

    def add_edge(self, edge: GraphEdge, namespace: Namespace = None) -> None:
        """Keep an edge in place of the same one; NOT_FOUND unless both its nodes are there."""
        with self._in(namespace) as space:
            one = checked_as(GraphEdge, edge)
            for end in (one.source_id, one.target_id):
                if self._node(end, space) is None:
                    raise RESOURCE_NOT_FOUND.error(
                        f'the node "{end}" is not there', "add the node first"
                    )
            self._put_edge(one, space)

    def get_edges(
        self,
        node_id: str,
        edge_type: str | None = None,
        direction: Literal["outgoing", "incoming", "both"] = "outgoing",
        namespace: Namespace = None,
    ) -> list[GraphEdge]:
        """Return the edges of a node, by source, type, target and piece."""
        with self._in(namespace) as space:
            wanted, kind = check_direction(direction), _edge_type(edge_type)
            node = checked_id("node_id", node_id)
            found: dict[tuple[str, str, str, str], GraphEdge] = {}
            for incoming in (False, True):
                if wanted in ("both", "incoming" if incoming else "outgoing"):
                    edges = self._edges(node, space, incoming=incoming)
                    found.update((one.identity, one) for one in edges)
        return sorted(
            (one for one in found.values() if kind in (None, one.edge_type)),
            key=lambda one: (one.source_id, one.edge_type, one.target_id, one.piece_id or ""),
        )

    def remove_edge(
        self, source: str, target: str, edge_type: str, namespace: Namespace = None
    ) -> bool:
        """Remove all edges of a type from one node to another; False where there is none."""
        with self._in(namespace) as space:
            ends = checked_id("source", source), checked_id("target", target)
            return self._remove_edge(*ends, checked_id("edge_type", edge_type), space)

    def get_neighbors(
        self,
        node_id: str,
        edge_type: str | None = None,
        depth: int = 1,
        namespace: Namespace = None,
    ) -> list[tuple[GraphNode, int]]:
        """Return what outgoing edges lead to, each with its depth, by depth and id.

        The start is left out. Cost: the edges of each node nearer than `depth`.
        """
        with self._in(namespace) as space:
            kind, farthest = _edge_type(edge_type), check_depth(depth)
            start = checked_id("node_id", node_id)
            reached = {start: 0}
            frontier = [start]
            for level in range(1, farthest + 1):
                targets = self._targets(frontier, kind, space) - reached.keys()
                reached.update(dict.fromkeys(targets, level))
                frontier = sorted(targets)
            del reached[start]
            nodes = [(self._node(one, space), at) for one, at in reached.items()]
        found = [(node, at) for node, at in nodes if node is not None]
        return sorted(found, key=lambda one: (one[1], one[0].node_id))

    def list_nodes(
        self, node_type: str | None = None, namespace: Namespace = None
    ) -> list[GraphNode]:
        """Return the nodes of a namespace, or those of a type, by id."""
        with self._in(namespace) as space:
            kind = None if node_type is None else checked_id("node_type", node_type)
            found = [one for one in self._nodes(space) if kind in (None, one.node_type)]
        return sorted(found, key=lambda one: one.node_id)

    def _targets(self, sources: Sequence[str], kind: str | None, namespace: Namespace) -> set[str]:
        """Return where the outgoing edges of some nodes lead to."""
        return {
            edge.target_id
            for source in sources
            for edge in self._edges(source, namespace, incoming=False)
            if kind in (None, edge.edge_type)
        }

    @abstractmethod
    def _put_node(self, node: GraphNode, namespace: Namespace) -> None: ...

    @abstractmethod
    def _node(self, node_id: str, namespace: Namespace) -> GraphNode | None: ...

    @abstractmethod
    def _remove_node(self, node_id: str, namespace: Namespace) -> bool: ...

    @abstractmethod
    def _put_edge(self, edge: GraphEdge, namespace: Namespace) -> None:
        """Keep an edge whose nodes are there."""

    @abstractmethod
    def _edges(
        self, node_id: str, namespace: Namespace, *, incoming: bool
    ) -> Collection[GraphEdge]:
        """Return the edges that come into a node, or go out of it, in any order."""

    @abstractmethod
    def _remove_edge(self, source: str, target: str, kind: str, namespace: Namespace) -> bool: ...

    @abstractmethod
    def _nodes(self, namespace: Namespace) -> Collection[GraphNode]: ...


def client(module: str, extra: str) -> ModuleType:
    """Return the package of a client; UNAVAILABLE where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise UNAVAILABLE.error(
            f'the package "{module}" is not installed', install(extra)
        ) from error


def not_there(name: str, error: Exception) -> RecollectError:
    """Return the error of a server that does not answer; `error` is what its client said."""
    said = str(error).strip().partition("\n")[0][:300] or type(error).__name__
    return UNAVAILABLE.error(
        f"{name} does not answer: {said}", "start the server, or mend its address"
    )


def _edge_type(kind: str | None) -> str | None:
    return None if kind is None else checked_id("edge_type", kind)


def _in_order(spaces: Collection[Namespace]) -> list[Namespace]:
    return sorted(spaces, key=lambda one: (one is not None, one or ""))
