"""Chooses the engine for an address; the driver of a server is imported for one of its own only."""

from __future__ import annotations

import os
from typing import Any

from recollect.errors import load_extra, refused
from recollect.kernel.store.address import is_server, parse_address
from recollect.kernel.store.port import Store
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.store import SqliteStore

_POSTGRES = "recollect.kernel.store.postgres"


def open_store(address: str | os.PathLike[str], settings: StoreSettings | None = None) -> Store:
    """Open the store at an address; see `Nexus.open` for what it may be and raise."""
    if isinstance(address, str) and is_server(address):
        store: Store = _server("store").PostgresStore(address, settings)
        return store
    return SqliteStore(address, settings)


def is_there(address: str | os.PathLike[str]) -> bool:
    """Whether opening an address makes nothing; an empty file or schema holds no memory yet.

    STORE_UNAVAILABLE where a server cannot tell.
    """
    if isinstance(address, str) and is_server(address):
        return bool(_server("store").is_there(address))
    path = parse_address(address).path
    try:
        return path is None or path.stat().st_size > 0
    except (OSError, ValueError):
        return False


def roles_script(address: str, owner: str, user: str) -> str:
    """Return the SQL that makes the two roles of a memory on a server, and its wall."""
    return str(_server_of(address, "roles").roles_script(address, owner, user))


def distribute_groups(address: str) -> tuple[str, ...]:
    """Spread the groups of a memory over the machines of Citus; return the tables that were not."""
    return tuple(_server_of(address, "distribution").distribute_tables(address))


def _server_of(address: str, module: str) -> Any:  # noqa: ANN401 - a module
    if not is_server(address):
        raise refused(
            "a memory in a file has no roles and no machines",
            'name one on a server: --db "postgresql://host/database"',
        )
    return _server(module)


def _server(module: str) -> Any:  # noqa: ANN401 - a module
    why = "it is the driver of a memory on a server"
    return load_extra(f"{_POSTGRES}.{module}", "postgres", why)
