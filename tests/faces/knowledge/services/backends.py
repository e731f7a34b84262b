"""The services that the suites run over, and when.

The rule: what needs no server runs always, Redis where `redis-server` is on the PATH (`.ci/run`
installs it and stops if it cannot), and with `--foreign` the others instead; none is skipped.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from faces.knowledge.services.servers import redis_port
from recollect.faces.knowledge.services import (
    FileGraphService,
    FileKeyValueService,
    KeyValueServiceBase,
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


class OwnKeyValueService(KeyValueServiceBase):
    """A service of a user, which says no more than it has to."""

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[tuple[str | None, str], str] = {}

    def _text(self, key: str, namespace: str | None) -> str | None:
        return self.held.get((namespace, key))

    def _put(self, texts: Mapping[str, str], namespace: str | None) -> None:
        self.held.update({(namespace, key): text for key, text in texts.items()})

    def _delete(self, key: str, namespace: str | None) -> bool:
        return self.held.pop((namespace, key), None) is not None

    def _keys(self, namespace: str | None) -> list[str]:
        return [key for space, key in self.held if space == namespace]

    def _size(self, namespace: str | None) -> int:
        return len(self._keys(namespace))

    def _clear(self, namespace: str | None) -> int:
        return sum(self._delete(key, namespace) for key in self._keys(namespace))

    def _namespaces(self) -> set[str]:
        return {space for space, _ in self.held if space is not None}

    def _release(self) -> None:
        self.held.clear()


KEY_VALUE: dict[str, Make] = {
    "memory": lambda _: MemoryKeyValueService(),
    "file": lambda folder: FileKeyValueService(folder / "files"),
    "sqlite": lambda folder: SQLiteKeyValueService(folder / "values.db"),
    "own": lambda _: OwnKeyValueService(),
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
