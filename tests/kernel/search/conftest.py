from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.kernel.search.graph import Graph

from recollect.kernel.store.port import Session
from recollect.kernel.store.sqlite.store import SqliteStore


@pytest.fixture
def session() -> Iterator[Session]:
    store = SqliteStore(":memory:")
    with store.writing() as session:
        yield session
    store.close()


@pytest.fixture
def graph(session: Session) -> Graph:
    """The tests' group, after a decoy that holds other things under the same names."""
    decoy = Graph(session, "decoy")
    decoy.concept("Drug", "Aspirin", {"note": "decoy"}, id="aspirin")
    return Graph(session)
