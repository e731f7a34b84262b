"""Key-value pairs in one SQLite file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, cast

from recollect.faces.knowledge.services.base import KeyValueServiceBase, Namespace
from recollect.faces.knowledge.services.sqlite_file import InSqliteFile

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS pair (
  key TEXT NOT NULL,
  namespace TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS pair_by_key ON pair (key);
"""

_PUT: Final = """
INSERT INTO pair (namespace, key, value) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET value = excluded.value
"""


class SQLiteKeyValueService(InSqliteFile, KeyValueServiceBase):
    """Values in a SQLite file; several processes may share it."""

    _tables = _TABLES

    def _text(self, key: str, namespace: Namespace) -> str | None:
        rows = self._file.rows(
            "SELECT value FROM pair WHERE namespace = ? AND key = ?", (namespace or "", key)
        )
        return cast("str", rows[0][0]) if rows else None

    def _put(self, texts: Mapping[str, str], namespace: Namespace) -> None:
        with self._file.writing():
            self._file.run_many(
                _PUT, [(namespace or "", key, value) for key, value in texts.items()]
            )

    def _delete(self, key: str, namespace: Namespace) -> bool:
        self._file.rows("DELETE FROM pair WHERE namespace = ? AND key = ?", (namespace or "", key))
        return self._file.changes() > 0

    def _keys(self, namespace: Namespace) -> Collection[str]:
        rows = self._file.rows("SELECT key FROM pair WHERE namespace = ?", (namespace or "",))
        return [cast("str", key) for (key,) in rows]

    def _size(self, namespace: Namespace) -> int:
        rows = self._file.rows("SELECT COUNT(*) FROM pair WHERE namespace = ?", (namespace or "",))
        return cast("int", rows[0][0])

    def _clear(self, namespace: Namespace) -> int:
        self._file.rows("DELETE FROM pair WHERE namespace = ?", (namespace or "",))
        return self._file.changes()

    def _namespaces(self) -> Collection[str]:
        rows = self._file.rows("SELECT DISTINCT namespace FROM pair WHERE namespace <> ''")
        return [cast("str", name) for (name,) in rows]

    def _holders(self, key: str) -> Collection[Namespace]:
        rows = self._file.rows("SELECT namespace FROM pair WHERE key = ?", (key,))
        return [cast("str", name) or None for (name,) in rows]
