"""Chooses the engine for an address."""

from __future__ import annotations

import os

from recollect.kernel.store.port import Store
from recollect.kernel.store.settings import Settings
from recollect.kernel.store.sqlite.store import SqliteStore


def open_store(address: str | os.PathLike[str], settings: Settings | None = None) -> Store:
    """Open the store at an address; see `Nexus.open` for what it may be and raise."""
    return SqliteStore(address, settings)
