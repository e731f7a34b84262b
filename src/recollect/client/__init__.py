"""The operations of a server, with the methods of the face in this process."""

from __future__ import annotations

from recollect.client.operations import AsyncOperations, Operations

__all__ = ["AsyncOperations", "Operations"]
