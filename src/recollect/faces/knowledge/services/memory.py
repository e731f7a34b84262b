"""The services that hold everything in this process and forget it at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Set

from recollect.faces.knowledge.model import Document, GraphEdge, GraphNode
from recollect.faces.knowledge.services.base import (
    GraphServiceBase,
    KeyValueServiceBase,
    Namespace,
    RetrievalServiceBase,
    Scored,
)
from recollect.faces.knowledge.services.facets import facets_of
from recollect.faces.knowledge.services.ranking import (
    Collection as Counted,
    asked,
    scores,
    words_of,
)
from recollect.node import dataclass, field, replace


class MemoryKeyValueService(KeyValueServiceBase):
    """Values in memory.

    >>> with MemoryKeyValueService() as service:
    ...     service.put("user:alice", {"team": "aero"}, "user")
    ...     service.get("user:alice", "user"), service.get("user:alice")
    ({'team': 'aero'}, None)
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[Namespace, dict[str, str]] = {}

    def _text(self, key: str, namespace: Namespace) -> str | None:
        return self._held.get(namespace, {}).get(key)

    def _put(self, texts: Mapping[str, str], namespace: Namespace) -> None:
        self._held.setdefault(namespace, {}).update(texts)

    def _delete(self, key: str, namespace: Namespace) -> bool:
        return self._held.get(namespace, {}).pop(key, None) is not None

    def _keys(self, namespace: Namespace) -> Collection[str]:
        return list(self._held.get(namespace, {}))

    def _size(self, namespace: Namespace) -> int:
        return len(self._held.get(namespace, {}))

    def _clear(self, namespace: Namespace) -> int:
        return len(self._held.pop(namespace, {}))

    def _namespaces(self) -> Collection[str]:
        return [name for name, held in self._held.items() if name is not None and held]

    def _release(self) -> None:
        self._held.clear()


@dataclass(slots=True)
class _Shelf:
    """The documents of a namespace, and where each word stands."""

    documents: dict[str, Document] = field(default_factory=dict)
    facets: dict[str, frozenset[str]] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)
    holding: dict[str, dict[str, int]] = field(default_factory=dict)
    words: int = 0

    def put(self, document: Document) -> None:
        words = words_of(document)
        one = document.doc_id
        self.documents[one] = replace(document)  # a copy, its metadata too
        self.facets[one] = facets_of(document.metadata)
        self.lengths[one] = len(words)
        self.words += len(words)
        for word, count in Counter(words).items():
            self.holding.setdefault(word, {})[one] = count

    def take(self, doc_id: str) -> None:
        document = self.documents.pop(doc_id)
        del self.facets[doc_id]
        self.words -= self.lengths.pop(doc_id)
        for word in set(words_of(document)):
            del self.holding[word][doc_id]
            if not self.holding[word]:
                del self.holding[word]

    def scored(self, query: str) -> dict[str, float]:
        occurrences: list[Mapping[str, int]] = []
        for term in asked(query):
            if not term.is_prefix:
                occurrences.append(self.holding.get(term.text, {}))
                continue
            held: Counter[str] = Counter()
            for word, counts in self.holding.items():
                if word.startswith(term.text):
                    held.update(counts)
            occurrences.append(held)
        return scores(occurrences, self.lengths, Counted(len(self.documents), self.words))


class MemoryRetrievalService(RetrievalServiceBase):
    """Documents in memory, ranked by their words.

    >>> with MemoryRetrievalService() as service:
    ...     service.add(Document("les", "Initialize LES from a converged RANS"))
    ...     [(one.doc_id, score > 0) for one, score in service.search("Set up an LES simulation")]
    'les'
    [('les', True)]
    """

    def __init__(self) -> None:
        super().__init__()
        self._shelves: dict[Namespace, _Shelf] = {}

    def _add(self, document: Document, namespace: Namespace) -> bool:
        shelf = self._shelves.setdefault(namespace, _Shelf())
        if document.doc_id in shelf.documents:
            return False
        shelf.put(document)
        return True

    def _document(self, doc_id: str, namespace: Namespace) -> Document | None:
        found = self._shelf(namespace).documents.get(doc_id)
        return None if found is None else replace(found)

    def _update(self, document: Document, namespace: Namespace) -> bool:
        shelf = self._shelf(namespace)
        if document.doc_id not in shelf.documents:
            return False
        shelf.take(document.doc_id)
        shelf.put(document)
        return True

    def _remove(self, doc_id: str, namespace: Namespace) -> bool:
        shelf = self._shelf(namespace)
        if doc_id not in shelf.documents:
            return False
        shelf.take(doc_id)
        return True

    def _search(self, query: str, wanted: Set[str], namespace: Namespace, most: int) -> Scored:
        shelf = self._shelf(namespace)
        found = [
            (score, one)
            for one, score in shelf.scored(query).items()
            if shelf.facets[one] >= wanted
        ]
        best = sorted(found, key=lambda one: (-one[0], one[1]))[:most]
        return [(replace(shelf.documents[one]), score) for score, one in best]

    def _list(self, wanted: Set[str], namespace: Namespace) -> Collection[Document]:
        shelf = self._shelf(namespace)
        return [replace(one) for key, one in shelf.documents.items() if shelf.facets[key] >= wanted]

    def _size(self, namespace: Namespace) -> int:
        return len(self._shelf(namespace).documents)

    def _clear(self, namespace: Namespace) -> int:
        return len(self._shelves.pop(namespace, _Shelf()).documents)

    def _namespaces(self) -> Collection[str]:
        return [one for one, shelf in self._shelves.items() if one is not None and shelf.documents]

    def _holders(self, doc_id: str) -> Collection[Namespace]:
        return [one for one, shelf in self._shelves.items() if doc_id in shelf.documents]

    def _release(self) -> None:
        self._shelves.clear()

    def _shelf(self, namespace: Namespace) -> _Shelf:
        return self._shelves.get(namespace) or _Shelf()


_Identity = tuple[str, str, str, str]


@dataclass(slots=True)
class _Graph:
    """The nodes of a namespace, and the edges at each: those that come in, those that go out."""

    nodes: dict[str, GraphNode] = field(default_factory=dict)
    incoming: dict[str, dict[_Identity, GraphEdge]] = field(default_factory=dict)
    outgoing: dict[str, dict[_Identity, GraphEdge]] = field(default_factory=dict)

    def drop(self, edge: GraphEdge) -> None:
        del self.outgoing[edge.source_id][edge.identity]
        del self.incoming[edge.target_id][edge.identity]


class MemoryGraphService(GraphServiceBase):
    """Nodes and edges in memory.

    >>> with MemoryGraphService() as service:
    ...     service.add_node(GraphNode("alice", "user"))
    ...     service.add_node(GraphNode("les", "technique"))
    ...     service.add_edge(GraphEdge("alice", "les", "USES"))
    ...     [(node.node_id, depth) for node, depth in service.get_neighbors("alice")]
    [('les', 1)]
    """

    def __init__(self) -> None:
        super().__init__()
        self._graphs: dict[Namespace, _Graph] = {}

    def _put_node(self, node: GraphNode, namespace: Namespace) -> None:
        self._graphs.setdefault(namespace, _Graph()).nodes[node.node_id] = replace(node)

    def _node(self, node_id: str, namespace: Namespace) -> GraphNode | None:
        found = self._graph(namespace).nodes.get(node_id)
        return None if found is None else replace(found)

    def _remove_node(self, node_id: str, namespace: Namespace) -> bool:
        graph = self._graph(namespace)
        if graph.nodes.pop(node_id, None) is None:
            return False
        for edge in list(graph.outgoing.get(node_id, {}).values()):
            graph.drop(edge)
        for edge in list(graph.incoming.get(node_id, {}).values()):
            graph.drop(edge)
        return True

    def _put_edge(self, edge: GraphEdge, namespace: Namespace) -> None:
        graph, kept = self._graph(namespace), replace(edge)
        graph.outgoing.setdefault(edge.source_id, {})[edge.identity] = kept
        graph.incoming.setdefault(edge.target_id, {})[edge.identity] = kept

    def _edges(
        self, node_id: str, namespace: Namespace, *, incoming: bool
    ) -> Collection[GraphEdge]:
        graph = self._graph(namespace)
        held = (graph.incoming if incoming else graph.outgoing).get(node_id, {})
        return [replace(one) for one in held.values()]

    def _remove_edge(self, source: str, target: str, kind: str, namespace: Namespace) -> bool:
        graph = self._graph(namespace)
        found = [
            one
            for one in graph.outgoing.get(source, {}).values()
            if (one.target_id, one.edge_type) == (target, kind)
        ]
        for one in found:
            graph.drop(one)
        return bool(found)

    def _nodes(self, namespace: Namespace) -> Collection[GraphNode]:
        return [replace(one) for one in self._graph(namespace).nodes.values()]

    def _size(self, namespace: Namespace) -> int:
        return len(self._graph(namespace).nodes)

    def _clear(self, namespace: Namespace) -> int:
        return len(self._graphs.pop(namespace, _Graph()).nodes)

    def _namespaces(self) -> Collection[str]:
        return [one for one, graph in self._graphs.items() if one is not None and graph.nodes]

    def _release(self) -> None:
        self._graphs.clear()

    def _graph(self, namespace: Namespace) -> _Graph:
        return self._graphs.get(namespace) or _Graph()
