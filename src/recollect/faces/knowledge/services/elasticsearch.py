"""Documents in an index of Elasticsearch.

The rule: the index holds our own words, divided by spaces, and it finds the candidates; the score
is made of the namespace alone, by the same sum as everywhere, since Elasticsearch's own counts
what other namespaces hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any, Final, cast

from recollect.errors import refused
from recollect.faces.knowledge.model import Document
from recollect.faces.knowledge.services.base import (
    Namespace,
    RetrievalServiceBase,
    Scored,
    client,
    not_there,
)
from recollect.faces.knowledge.services.facets import facets_of
from recollect.faces.knowledge.services.json_text import document_of, document_text
from recollect.faces.knowledge.services.ranking import (
    Collection as Counted,
    asked,
    scores,
    words_of,
)
from recollect.faces.knowledge.services.vectors import document_key, space_key
from recollect.kernel import Term

Query = dict[str, Any]

_KEYWORD: Final[Query] = {"type": "keyword"}
_MAPPINGS: Final[Query] = {
    "dynamic": False,
    "properties": {
        "space": _KEYWORD,
        "namespace": _KEYWORD,
        "doc_id": _KEYWORD,
        "facets": _KEYWORD,
        "length": {"type": "integer"},
        "words": {"type": "text", "analyzer": "whitespace"},
        "value": {"type": "keyword", "index": False, "doc_values": False},
    },
}
_PAGE: Final = 1_000
_MOST: Final = 10_000  # what one search may return
_MOST_TERMS: Final = 64  # words of a question that are counted
_CANDIDATES: Final = 4  # times as many as are wanted, and at least a hundred


class ElasticsearchRetrievalService(RetrievalServiceBase):
    """Documents in an index of Elasticsearch. Needs the extra `elasticsearch`.

    `hosts` is an address, several, or a client of yours; `auth` is a pair of name and password, or
    an API key. The index is made when it is first used. What a call writes the next one finds.
    """

    def __init__(
        self,
        hosts: Any,  # noqa: ANN401
        index_name: str,
        auth: tuple[str, str] | str | None = None,
    ) -> None:
        super().__init__()
        self._elastic: Any = client("elasticsearch", "elasticsearch")
        self._place = f"the Elasticsearch index {index_name}"
        self._index = index_name
        self._is_ready = False
        self._is_own = not isinstance(hosts, self._elastic.Elasticsearch)
        if not self._is_own:
            self._client: Any = hosts
            return
        given: dict[str, object] = {}
        if auth is not None:
            given = {"api_key": auth} if isinstance(auth, str) else {"basic_auth": tuple(auth)}
        try:
            self._client = self._elastic.Elasticsearch(hosts, **given)
        except (TypeError, ValueError) as error:
            raise refused(
                f"hosts is no address of Elasticsearch: {error}", "use http://localhost:9200"
            ) from error

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            if not self._is_ready:
                self._make_index()
            yield
        except (self._elastic.ApiError, self._elastic.TransportError) as error:
            raise not_there(self._place, error) from error

    def _make_index(self) -> None:
        try:
            self._client.indices.create(index=self._index, mappings=_MAPPINGS)
        except self._elastic.BadRequestError as error:
            if "resource_already_exists_exception" not in str(error):
                raise refused(
                    f"{self._place} is refused: {error}",
                    'name it by small letters and digits, such as "knowledge"',
                ) from error
        self._is_ready = True

    def _add(self, document: Document, namespace: Namespace) -> bool:
        try:
            self._client.index(
                index=self._index,
                id=document_key(document.doc_id, namespace),
                op_type="create",
                document=_stored(document, namespace),
                refresh=True,
            )
        except self._elastic.ConflictError:
            return False
        return True

    def _document(self, doc_id: str, namespace: Namespace) -> Document | None:
        try:
            found = self._client.get(index=self._index, id=document_key(doc_id, namespace))
        except self._elastic.NotFoundError:
            return None
        return document_of(found["_source"]["value"])

    def _update(self, document: Document, namespace: Namespace) -> bool:
        try:
            self._client.update(
                index=self._index,
                id=document_key(document.doc_id, namespace),
                doc=_stored(document, namespace),
                refresh=True,
                retry_on_conflict=3,
            )
        except self._elastic.NotFoundError:
            return False
        return True

    def _remove(self, doc_id: str, namespace: Namespace) -> bool:
        try:
            self._client.delete(index=self._index, id=document_key(doc_id, namespace), refresh=True)
        except self._elastic.NotFoundError:
            return False
        return True

    def _search(self, query: str, wanted: Set[str], namespace: Namespace, most: int) -> Scored:
        terms = asked(query)[:_MOST_TERMS]
        if not terms:
            return []
        looked_for = [_holds(term) for term in terms]
        answer = self._client.search(
            index=self._index,
            query={
                "bool": {
                    "filter": _filters(wanted, namespace),
                    "should": looked_for,
                    "minimum_should_match": 1,
                }
            },
            sort=[{"_score": "desc"}, {"doc_id": "asc"}],
            size=min(max(most * _CANDIDATES, 100), _MOST),
            source=["value"],
            aggs={"all": {"global": {}, "aggs": {"space": _counts(looked_for, namespace)}}},
        )
        documents = {
            one.doc_id: one
            for one in (document_of(hit["_source"]["value"]) for hit in answer["hits"]["hits"])
        }
        return _scored(documents, terms, answer["aggregations"]["all"]["space"])

    def _list(self, wanted: Set[str], namespace: Namespace) -> Collection[Document]:
        found: list[Document] = []
        after: Mapping[str, object] = {}
        while True:
            hits = self._client.search(
                index=self._index,
                query={"bool": {"filter": _filters(wanted, namespace)}},
                sort=[{"doc_id": "asc"}],
                size=_PAGE,
                source=["value"],
                **after,
            )["hits"]["hits"]
            found += [document_of(hit["_source"]["value"]) for hit in hits]
            if len(hits) < _PAGE:
                return found
            after = {"search_after": hits[-1]["sort"]}

    def _size(self, namespace: Namespace) -> int:
        query = {"term": {"space": space_key(namespace)}}
        return cast("int", self._client.count(index=self._index, query=query)["count"])

    def _clear(self, namespace: Namespace) -> int:
        query = {"term": {"space": space_key(namespace)}}
        done = self._client.delete_by_query(
            index=self._index, query=query, refresh=True, conflicts="proceed"
        )
        return cast("int", done["deleted"])

    def _namespaces(self) -> Collection[str]:
        found: list[str] = []
        source = {"size": _PAGE, "sources": [{"name": {"terms": {"field": "namespace"}}}]}
        while True:
            answer = self._client.search(
                index=self._index, size=0, aggs={"names": {"composite": source}}
            )["aggregations"]["names"]
            found += [bucket["key"]["name"] for bucket in answer["buckets"]]
            if len(answer["buckets"]) < _PAGE:
                return found
            source = {**source, "after": answer["buckets"][-1]["key"]}

    def _holders(self, doc_id: str) -> Collection[Namespace]:
        hits = self._client.search(
            index=self._index, query={"term": {"doc_id": doc_id}}, size=_MOST, source=["namespace"]
        )["hits"]["hits"]
        return [hit["_source"]["namespace"] for hit in hits]

    def _reach(self) -> None:
        self._client.info()

    def _release(self) -> None:
        if self._is_own:
            self._client.close()


def _stored(document: Document, namespace: Namespace) -> Query:
    """Return what the index holds of a document; every field, so that an update replaces all."""
    words = words_of(document)
    return {
        "space": space_key(namespace),
        "namespace": namespace,
        "doc_id": document.doc_id,
        "facets": sorted(facets_of(document.metadata)),
        "length": len(words),
        "words": " ".join(words),
        "value": document_text(document),
    }


def _filters(wanted: Set[str], namespace: Namespace) -> list[Query]:
    space: Query = {"term": {"space": space_key(namespace)}}
    return [space, *({"term": {"facets": facet}} for facet in sorted(wanted))]


def _holds(term: Term) -> Query:
    kind = "prefix" if term.is_prefix else "term"
    return {kind: {"words": {"value": term.text}}}


def _counts(looked_for: Sequence[Query], namespace: Namespace) -> Query:
    """Return the question how many words a namespace has, and how many documents hold each."""
    holding = {str(at): {"filter": one} for at, one in enumerate(looked_for)}
    return {
        "filter": {"term": {"space": space_key(namespace)}},
        "aggs": {"words": {"sum": {"field": "length"}}, **holding},
    }


def _scored(documents: Mapping[str, Document], terms: Sequence[Term], counts: Query) -> Scored:
    words = {one: Counter(words_of(document)) for one, document in documents.items()}
    occurrences = [
        {one: many for one, held in words.items() if (many := _count(held, term))} for term in terms
    ]
    found = scores(
        occurrences,
        {one: held.total() for one, held in words.items()},
        Counted(counts["doc_count"], int(counts["words"]["value"])),
        [counts[str(at)]["doc_count"] for at in range(len(terms))],
    )
    return [(documents[one], score) for one, score in found.items()]


def _count(held: Counter[str], term: Term) -> int:
    if not term.is_prefix:
        return held[term.text]
    return sum(many for word, many in held.items() if word.startswith(term.text))
