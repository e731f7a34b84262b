"""The faces of a server, with the methods that they have in this process."""

from __future__ import annotations

from recollect.client.claims import RemoteKnowledgeStore
from recollect.client.kip import AsyncKip, Kip
from recollect.client.knowledge import AsyncKnowledge, Knowledge
from recollect.client.markup import AsyncMarkup, Markup
from recollect.client.memory import AsyncMemory, Memory
from recollect.client.operations import AsyncOperations, Operations

__all__ = [
    "AsyncKip",
    "AsyncKnowledge",
    "AsyncMarkup",
    "AsyncMemory",
    "AsyncOperations",
    "Kip",
    "Knowledge",
    "Markup",
    "Memory",
    "Operations",
    "RemoteKnowledgeStore",
]
