from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.kernel.search.graph import Graph

from recollect.kernel.store.opening import open_store
from recollect.kernel.store.port import Session


@pytest.fixture
def session(address: str) -> Iterator[Session]:
    store = open_store(address)
    with store.writing() as session:
        yield session
    store.close()


@pytest.fixture
def graph(session: Session) -> Graph:
    """The tests' group, after a decoy that holds other things under the same names."""
    decoy = Graph(session, "decoy")
    decoy.concept("Drug", "Aspirin", {"note": "decoy"}, id="aspirin")
    return Graph(session)
