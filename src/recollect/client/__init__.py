"""The operations and the claims of a server, with the methods of the faces in this process."""

from __future__ import annotations

from recollect.client.knowledge import RemoteKnowledgeStore
from recollect.client.operations import AsyncOperations, Operations

__all__ = ["AsyncOperations", "Operations", "RemoteKnowledgeStore"]
