"""Chooses the engine for an address; the driver of a server is imported for one of its own only."""

from __future__ import annotations

import os

from recollect.errors import load_extra
from recollect.kernel.store.address import is_server
from recollect.kernel.store.port import Store
from recollect.kernel.store.settings import Settings
from recollect.kernel.store.sqlite.store import SqliteStore

_SERVER = "recollect.kernel.store.postgres.store"


def open_store(address: str | os.PathLike[str], settings: Settings | None = None) -> Store:
    """Open the store at an address; see `Nexus.open` for what it may be and raise."""
    if isinstance(address, str) and is_server(address):
        module = load_extra(_SERVER, "postgres", "it is the driver of a memory on a server")
        store: Store = module.PostgresStore(address, settings)
        return store
    return SqliteStore(address, settings)
