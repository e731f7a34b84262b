"""The operations, the claims and the KIP of a server, as the faces in this process have them."""

from __future__ import annotations

from recollect.client.kip import AsyncKip, Kip
from recollect.client.knowledge import RemoteKnowledgeStore
from recollect.client.operations import AsyncOperations, Operations

__all__ = ["AsyncKip", "AsyncOperations", "Kip", "Operations", "RemoteKnowledgeStore"]
