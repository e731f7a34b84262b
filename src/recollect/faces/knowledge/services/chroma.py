"""Documents in a Chroma collection, in a folder on this machine."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any, Final, cast

from recollect.errors import refused
from recollect.faces.knowledge.model import Document
from recollect.faces.knowledge.services.base import Namespace, Scored, client, not_there
from recollect.faces.knowledge.services.facets import facets_of
from recollect.faces.knowledge.services.json_text import document_of, document_text
from recollect.faces.knowledge.services.vectors import (
    TextEmbedder,
    VectorRetrievalService,
    document_key,
    space_key,
)

_EMBEDDER: Final = "recollect_embedder"
_FEW: Final = 2_000  # documents that are compared one by one, since the index may miss some


class ChromaRetrievalService(VectorRetrievalService):
    """Documents in a collection of Chroma. Needs the extra `chroma`; telemetry is off.

    Up to 2,000 documents of a namespace that pass the filters are compared one by one. Among more
    the index of Chroma is asked, which is approximate and may miss some of the nearest.
    """

    def __init__(
        self,
        collection_name: str,
        persist_directory: str | os.PathLike[str],
        embedder: TextEmbedder | None = None,
    ) -> None:
        super().__init__(embedder)
        self._place = f"the Chroma collection {collection_name}"
        chroma = client("chromadb", "chroma")
        self._errors = client("chromadb.errors", "chroma")
        settings = client("chromadb.config", "chroma").Settings(anonymized_telemetry=False)
        with self._own_errors():
            self._client: Any = chroma.PersistentClient(os.fspath(persist_directory), settings)
            self._collection: Any = self._client.get_or_create_collection(
                collection_name,
                embedding_function=None,
                metadata={_EMBEDDER: self._embedder.name},
                configuration={
                    "hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 200}
                },
            )
        self._check_embedder(self._place, (self._collection.metadata or {}).get(_EMBEDDER))

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            yield
        except self._errors.InvalidArgumentError as error:
            raise refused(
                f"{self._place} is refused: {error}",
                'name it by letters and digits, such as "knowledge"',
            ) from error
        except (self._errors.ChromaError, OSError) as error:
            raise not_there(self._place, error) from error

    def _add(self, document: Document, namespace: Namespace) -> bool:
        if self._document(document.doc_id, namespace) is not None:
            return False
        self._put(document, namespace)
        return True

    def _document(self, doc_id: str, namespace: Namespace) -> Document | None:
        found = self._collection.get(ids=[document_key(doc_id, namespace)], include=["metadatas"])
        return document_of(found["metadatas"][0]["value"]) if found["ids"] else None

    def _update(self, document: Document, namespace: Namespace) -> bool:
        if self._document(document.doc_id, namespace) is None:
            return False
        # Chroma merges metadata: what the old one had and the new one lacks would stay.
        self._collection.delete(ids=[document_key(document.doc_id, namespace)])
        self._put(document, namespace)
        return True

    def _remove(self, doc_id: str, namespace: Namespace) -> bool:
        if self._document(doc_id, namespace) is None:
            return False
        self._collection.delete(ids=[document_key(doc_id, namespace)])
        return True

    def _put(self, document: Document, namespace: Namespace) -> None:
        told = {
            "space": space_key(namespace),
            "doc_id": document.doc_id,
            "value": document_text(document),
            **dict.fromkeys(facets_of(document.metadata), True),
        }
        if namespace is not None:
            told["namespace"] = namespace
        self._collection.add(
            ids=[document_key(document.doc_id, namespace)],
            embeddings=[self._vector(document)],
            metadatas=[told],
            documents=[document.content],
        )

    def _nearest(
        self, vector: Sequence[float], wanted: Set[str], namespace: Namespace, count: int
    ) -> Scored:
        where = _where(wanted, namespace)
        few = self._collection.get(where=where, limit=_FEW + 1, include=["embeddings"])
        if len(few["ids"]) <= _FEW:
            return self._compared(few, vector, count)
        found = self._collection.query(
            query_embeddings=[vector],
            n_results=count,
            where=where,
            include=["metadatas", "distances"],
        )
        pairs = zip(found["metadatas"][0], found["distances"][0], strict=True)
        return [(document_of(told["value"]), 1.0 - distance) for told, distance in pairs]

    def _compared(self, few: Any, vector: Sequence[float], count: int) -> Scored:  # noqa: ANN401
        """Return the nearest of a few documents, each compared with the question."""
        if not few["ids"]:
            return []
        cosines = (few["embeddings"] @ vector).tolist()
        best = sorted(zip(few["ids"], cosines, strict=True), key=lambda one: (-one[1], one[0]))
        nearest = dict(best[:count])
        found = self._collection.get(ids=list(nearest), include=["metadatas"])
        told = dict(zip(found["ids"], found["metadatas"], strict=True))
        return [
            (document_of(told[key]["value"]), near) for key, near in nearest.items() if key in told
        ]

    def _list(self, wanted: Set[str], namespace: Namespace) -> Collection[Document]:
        found = self._collection.get(where=_where(wanted, namespace), include=["metadatas"])
        return [document_of(told["value"]) for told in found["metadatas"]]

    def _size(self, namespace: Namespace) -> int:
        return len(self._ids(namespace))

    def _clear(self, namespace: Namespace) -> int:
        held = self._ids(namespace)
        at_once = self._client.get_max_batch_size()
        for start in range(0, len(held), at_once):
            self._collection.delete(ids=held[start : start + at_once])
        return len(held)

    def _namespaces(self) -> Collection[str]:
        told = self._collection.get(include=["metadatas"])["metadatas"]
        return {one["namespace"] for one in told if "namespace" in one}

    def _holders(self, doc_id: str) -> Collection[Namespace]:
        found = self._collection.get(where={"doc_id": doc_id}, include=["metadatas"])
        return [told.get("namespace") for told in found["metadatas"]]

    def _reach(self) -> None:
        self._client.heartbeat()

    def _release(self) -> None:
        self._client.close()

    def _ids(self, namespace: Namespace) -> list[str]:
        found = self._collection.get(where={"space": space_key(namespace)}, include=[])
        return cast("list[str]", found["ids"])


def _where(wanted: Set[str], namespace: Namespace) -> dict[str, object]:
    space: dict[str, object] = {"space": space_key(namespace)}
    facets: list[dict[str, object]] = [{facet: True} for facet in sorted(wanted)]
    return {"$and": [space, *facets]} if facets else space
