"""The layers on the graph keep what every backend of them keeps."""

from __future__ import annotations

import pytest
from tests.faces.knowledge.services.test_stores import *  # noqa: F403 - the suite of the layers

from recollect.faces.knowledge import (
    NexusEntityGraphStore,
    NexusKnowledgePieceStore,
    NexusMetadataStore,
)
from recollect.kernel import Nexus


@pytest.fixture
def metadata_store(nexus: Nexus) -> NexusMetadataStore:
    return NexusMetadataStore(nexus)


@pytest.fixture
def piece_store(nexus: Nexus) -> NexusKnowledgePieceStore:
    return NexusKnowledgePieceStore(nexus)


@pytest.fixture
def graph_store(nexus: Nexus) -> NexusEntityGraphStore:
    return NexusEntityGraphStore(nexus)
