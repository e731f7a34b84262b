"""A service of each kind, and the stores on it, over every backend of the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from faces.knowledge.services.backends import chosen
from recollect.faces.knowledge.adapters import (
    GraphServiceEntityGraphStore,
    KeyValueMetadataStore,
    RetrievalKnowledgePieceStore,
)
from recollect.faces.knowledge.services.base import (
    GraphServiceBase,
    KeyValueServiceBase,
    RetrievalServiceBase,
    Service,
)

KINDS = ("key_value", "retrieval", "graph")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for kind in KINDS:
        if f"{kind}_backend" in metafunc.fixturenames:
            is_foreign = bool(metafunc.config.getoption("--foreign"))
            metafunc.parametrize(f"{kind}_backend", list(chosen(kind, is_foreign=is_foreign)))


def made(request: pytest.FixtureRequest, kind: str, backend: str, folder: Path) -> Service:
    is_foreign = bool(request.config.getoption("--foreign"))
    return chosen(kind, is_foreign=is_foreign)[backend](folder)


@pytest.fixture
def key_value(
    request: pytest.FixtureRequest, key_value_backend: str, tmp_path: Path
) -> Iterator[KeyValueServiceBase]:
    with made(request, "key_value", key_value_backend, tmp_path) as service:
        yield service


@pytest.fixture
def retrieval(
    request: pytest.FixtureRequest, retrieval_backend: str, tmp_path: Path
) -> Iterator[RetrievalServiceBase]:
    with made(request, "retrieval", retrieval_backend, tmp_path) as service:
        yield service


@pytest.fixture
def graph(
    request: pytest.FixtureRequest, graph_backend: str, tmp_path: Path
) -> Iterator[GraphServiceBase]:
    with made(request, "graph", graph_backend, tmp_path) as service:
        yield service


@pytest.fixture
def metadata_store(key_value: KeyValueServiceBase) -> KeyValueMetadataStore:
    return KeyValueMetadataStore(key_value)


@pytest.fixture
def piece_store(retrieval: RetrievalServiceBase) -> RetrievalKnowledgePieceStore:
    return RetrievalKnowledgePieceStore(retrieval)


@pytest.fixture
def graph_store(graph: GraphServiceBase) -> GraphServiceEntityGraphStore:
    return GraphServiceEntityGraphStore(graph, namespace="tenant")
