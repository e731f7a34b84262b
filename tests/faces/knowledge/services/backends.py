"""The services that the suites run over, and when.

The rule: what needs no server runs always, Redis where `redis-server` is on the PATH (`.ci/run`
installs it and stops if it cannot), and with `--foreign` the others instead; none is skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from faces.knowledge.services.servers import redis_port
from recollect.faces.knowledge.services import (
    FileGraphService,
    FileKeyValueService,
    MemoryGraphService,
    MemoryKeyValueService,
    MemoryRetrievalService,
    NetworkxGraphService,
    RedisKeyValueService,
    SQLiteFTS5RetrievalService,
    SQLiteKeyValueService,
)
from recollect.faces.knowledge.services.base import Service

Make = Callable[[Path], Service]

KEY_VALUE: dict[str, Make] = {
    "memory": lambda _: MemoryKeyValueService(),
    "file": lambda folder: FileKeyValueService(folder / "files"),
    "sqlite": lambda folder: SQLiteKeyValueService(folder / "values.db"),
}
if shutil.which("redis-server"):
    KEY_VALUE["redis"] = lambda folder: RedisKeyValueService(
        "localhost", redis_port(), 3, f"{folder.parent.name}:{folder.name}"
    )
RETRIEVAL: dict[str, Make] = {
    "memory": lambda _: MemoryRetrievalService(),
    "fts5": lambda folder: SQLiteFTS5RetrievalService(folder / "documents.db"),
}
GRAPH: dict[str, Make] = {
    "memory": lambda _: MemoryGraphService(),
    "file": lambda folder: FileGraphService(folder / "files"),
    "networkx": lambda _: NetworkxGraphService(),
}
HERE: dict[str, dict[str, Make]] = {
    "key_value": KEY_VALUE,
    "retrieval": RETRIEVAL,
    "graph": GRAPH,
}


def chosen(kind: str, *, is_foreign: bool) -> dict[str, Make]:
    """Return the services of a kind that this run looks at."""
    if not is_foreign:
        return HERE[kind]
    return import_module("faces.knowledge.services.with_clients.backends").FOREIGN[kind]
