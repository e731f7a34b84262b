"""Documents in a LanceDB table, in a folder on this machine."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import timedelta
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
    floats_of,
    space_key,
)

_EMBEDDER: Final = b"recollect_embedder"
_TIDY_AFTER: Final = 500  # writes, each of which makes a small file


class LanceDBRetrievalService(VectorRetrievalService):
    """Documents in a table of LanceDB. Needs the extra `lancedb`.

    Every search compares all vectors of a namespace: exact, and slower with each document. What
    stands in conditions is digits that we made, never a text of others.
    """

    def __init__(
        self,
        db_path: str | os.PathLike[str],
        embedder: TextEmbedder | None = None,
        table_name: str = "knowledge",
    ) -> None:
        super().__init__(embedder)
        self._place = f"the LanceDB table {table_name}"
        lancedb, arrow = client("lancedb", "lancedb"), client("pyarrow", "lancedb")
        dimension = len(floats_of(self._embedder.question("dimension")))
        schema = arrow.schema(
            [
                ("key", arrow.string()),
                ("space", arrow.string()),
                ("doc", arrow.string()),
                ("namespace", arrow.string()),
                ("facets", arrow.list_(arrow.string())),
                ("value", arrow.string()),
                ("vector", arrow.list_(arrow.float32(), dimension)),
            ],
            metadata={_EMBEDDER: self._embedder.name.encode()},
        )
        with self._own_errors():
            self._lancedb: Any = lancedb.connect(
                os.fspath(db_path), read_consistency_interval=timedelta(0)
            )
            self._table: Any = self._made(table_name, schema)
            known = (self._table.schema.metadata or {}).get(_EMBEDDER)
        self._check_embedder(self._place, known.decode() if known else None)
        self._writes = 0

    def _made(self, table_name: str, schema: object) -> Any:  # noqa: ANN401
        try:
            return self._lancedb.create_table(table_name, schema=schema, mode="create")
        except ValueError as error:
            if "already exists" in str(error):
                return self._lancedb.open_table(table_name)
            raise refused(
                f"{self._place} is refused: {error}",
                'name it by letters and digits, such as "knowledge"',
            ) from error

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError) as error:
            raise not_there(self._place, error) from error

    def _add(self, document: Document, namespace: Namespace) -> bool:
        merging = self._table.merge_insert("key").when_not_matched_insert_all()
        return bool(self._merged(merging, document, namespace).num_inserted_rows)

    def _document(self, doc_id: str, namespace: Namespace) -> Document | None:
        found = self._rows(f"key = '{document_key(doc_id, namespace)}'", "value")
        return document_of(found[0]["value"]) if found else None

    def _update(self, document: Document, namespace: Namespace) -> bool:
        merging = self._table.merge_insert("key").when_matched_update_all()
        return bool(self._merged(merging, document, namespace).num_updated_rows)

    def _remove(self, doc_id: str, namespace: Namespace) -> bool:
        return self._deleted(f"key = '{document_key(doc_id, namespace)}'") > 0

    def _merged(self, merging: Any, document: Document, namespace: Namespace) -> Any:  # noqa: ANN401
        row = {
            "key": document_key(document.doc_id, namespace),
            "space": space_key(namespace),
            "doc": space_key(document.doc_id),
            "namespace": namespace,
            "facets": sorted(facets_of(document.metadata)),
            "value": document_text(document),
            "vector": self._vector(document),
        }
        done = merging.execute([row])
        self._tidy()
        return done

    def _nearest(
        self, vector: Sequence[float], wanted: Set[str], namespace: Namespace, count: int
    ) -> Scored:
        rows = (
            self._table.search(vector, vector_column_name="vector")
            .distance_type("cosine")
            .where(_where(wanted, namespace), prefilter=True)
            .limit(count)
            .select(["value", "_distance"])
            .to_list()
        )
        return [(document_of(row["value"]), 1.0 - row["_distance"]) for row in rows]

    def _list(self, wanted: Set[str], namespace: Namespace) -> Collection[Document]:
        return [document_of(row["value"]) for row in self._rows(_where(wanted, namespace), "value")]

    def _size(self, namespace: Namespace) -> int:
        return cast("int", self._table.count_rows(_where(frozenset(), namespace)))

    def _clear(self, namespace: Namespace) -> int:
        return self._deleted(_where(frozenset(), namespace))

    def _namespaces(self) -> Collection[str]:
        return {row["namespace"] for row in self._rows("namespace IS NOT NULL", "namespace")}

    def _holders(self, doc_id: str) -> Collection[Namespace]:
        rows = self._rows(f"doc = '{space_key(doc_id)}'", "namespace")
        return [row["namespace"] for row in rows]

    def _release(self) -> None:
        self._table = self._lancedb = None

    def _rows(self, condition: str, column: str) -> list[dict[str, Any]]:
        found = self._table.search().where(condition).select([column]).limit(None).to_list()
        return cast("list[dict[str, Any]]", found)

    def _deleted(self, condition: str) -> int:
        count = cast("int", self._table.count_rows(condition))
        if count:
            self._table.delete(condition)
            self._tidy()
        return count

    def _tidy(self) -> None:
        """Put the small files of many writes together."""
        self._writes += 1
        if self._writes % _TIDY_AFTER == 0:
            self._table.optimize()


def _where(wanted: Set[str], namespace: Namespace) -> str:
    space = f"space = '{space_key(namespace)}'"
    if not wanted:
        return space
    facets = ", ".join(f"'{facet}'" for facet in sorted(wanted))
    return f"{space} AND array_has_all(facets, [{facets}])"
