"""Chooses the engine for an address; the driver of a server is imported for one of its own only."""

from __future__ import annotations

import os
from typing import Any

from recollect.errors import load_extra
from recollect.kernel.store.address import is_server, parse_address
from recollect.kernel.store.port import Store
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.store import SqliteStore

_SERVER = "recollect.kernel.store.postgres.store"


def open_store(address: str | os.PathLike[str], settings: StoreSettings | None = None) -> Store:
    """Open the store at an address; see `Nexus.open` for what it may be and raise."""
    if isinstance(address, str) and is_server(address):
        store: Store = _server().PostgresStore(address, settings)
        return store
    return SqliteStore(address, settings)


def is_there(address: str | os.PathLike[str]) -> bool:
    """Whether opening an address makes nothing; an empty file or schema holds no memory yet.

    STORE_UNAVAILABLE where a server cannot tell.
    """
    if isinstance(address, str) and is_server(address):
        return bool(_server().is_there(address))
    path = parse_address(address).path
    try:
        return path is None or path.stat().st_size > 0
    except (OSError, ValueError):
        return False


def _server() -> Any:  # noqa: ANN401 - a module
    return load_extra(_SERVER, "postgres", "it is the driver of a memory on a server")
