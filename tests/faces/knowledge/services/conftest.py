"""A service of each kind, and the stores on it, over every backend of the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import recollect
from faces.knowledge.services.backends import chosen
from recollect.faces.knowledge import (
    EntityGraphStore,
    KnowledgePieceStore,
    MetadataStore,
    NexusEntityGraphStore,
    NexusKnowledgePieceStore,
    NexusMetadataStore,
)
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
STORES = {
    "metadata_store": ("key_value", KeyValueMetadataStore, NexusMetadataStore),
    "piece_store": ("retrieval", RetrievalKnowledgePieceStore, NexusKnowledgePieceStore),
    "graph_store": (
        "graph",
        partial(GraphServiceEntityGraphStore, namespace="tenant"),
        NexusEntityGraphStore,
    ),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    is_foreign = bool(metafunc.config.getoption("--foreign"))
    for kind in KINDS:
        if f"{kind}_backend" in metafunc.fixturenames:
            metafunc.parametrize(f"{kind}_backend", list(chosen(kind, is_foreign=is_foreign)))
    for store, (kind, *_) in STORES.items():
        if f"{store}_backend" in metafunc.fixturenames:
            own = [] if is_foreign else ["nexus"]
            services = list(chosen(kind, is_foreign=is_foreign))
            metafunc.parametrize(f"{store}_backend", [*own, *services])


@contextmanager
def stored(request: pytest.FixtureRequest, name: str, backend: str, folder: Path) -> Iterator[Any]:
    """Give a store on a service, or on the graph."""
    kind, adapter, on_graph = STORES[name]
    if backend != "nexus":
        with adapter(made(request, kind, backend, folder)) as store:
            yield store
        return
    with recollect.open(folder / "memory.db") as nexus, on_graph(nexus) as store:
        yield store


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
def metadata_store(
    request: pytest.FixtureRequest, metadata_store_backend: str, tmp_path: Path
) -> Iterator[MetadataStore]:
    with stored(request, "metadata_store", metadata_store_backend, tmp_path) as store:
        yield store


@pytest.fixture
def piece_store(
    request: pytest.FixtureRequest, piece_store_backend: str, tmp_path: Path
) -> Iterator[KnowledgePieceStore]:
    with stored(request, "piece_store", piece_store_backend, tmp_path) as store:
        yield store


@pytest.fixture
def graph_store(
    request: pytest.FixtureRequest, graph_store_backend: str, tmp_path: Path
) -> Iterator[EntityGraphStore]:
    with stored(request, "graph_store", graph_store_backend, tmp_path) as store:
        yield store
