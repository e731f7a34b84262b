"""What only the server knows of its tables: for doctor, mends and counts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Fault, FileSize, Part
from recollect.kernel.store.postgres.migrations import whole_store
from recollect.kernel.store.postgres.session import PostgresSession

_OURS: Final = """
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema()
"""
_SIZES: Final = f"""
SELECT c.relname::text, pg_total_relation_size(c.oid) {_OURS} AND c.relkind = 'r' ORDER BY 2 DESC, 1
"""
_NAMES: Final = f"SELECT c.relname::text {_OURS} AND c.relkind IN ('r', 'p', 'i', 'I')"
_TABLES: Final = f"SELECT c.relname::text {_OURS} AND c.relkind = 'r' ORDER BY c.relname"
_INVALID: Final = f"""
SELECT c.relname::text {_OURS} AND c.relkind = 'i'
  AND EXISTS (SELECT 1 FROM pg_index AS i WHERE i.indexrelid = c.oid AND NOT i.indisvalid)
ORDER BY c.relname
"""  # noqa: S608 - only the text above is inserted
_UNSAFE: Final = {
    "fsync": "a crash of the machine may damage every table",
    "full_page_writes": "a crash of the machine may damage pages that were being written",
    "synchronous_commit": "a crash of the server may lose the last commits",
    "autovacuum": "removed rows are not reused, and the planner does not learn of new ones",
}
"""Settings of a server that should be on, and what is so where they are off."""

_LONG_SECONDS: Final = 60
_NOTES: Final = f"""
SELECT concat_ws(', ', 'PostgreSQL ' || current_setting('server_version'),
    current_setting('server_encoding'), 'collation ' || d.datcollate),
  (SELECT max(extract(epoch FROM clock_timestamp() - a.xact_start))::bigint
   FROM pg_stat_activity AS a WHERE a.datname = d.datname AND a.pid <> pg_backend_pid()
     AND a.backend_type = 'client backend'),
  {", ".join(f"current_setting('{one}') <> 'off'" for one in _UNSAFE)}
FROM pg_database AS d WHERE d.datname = current_database()
"""  # noqa: S608 - only the names above are inserted


class PostgresUpkeep:
    """What the server knows of its tables; it implements `port.Upkeep`."""

    def __init__(self, session: PostgresSession) -> None:
        self._session = session

    @property
    def engine(self) -> str:
        """Return the name of the engine and its version."""
        return f"PostgreSQL {text(self._session.rows('SHOW server_version')[0][0])}"

    def notes(self) -> tuple[str, ...]:
        """Return the version, the encoding, settings that are unsafe, and who is open for long."""
        ((what, seconds, *are_on),) = self._session.rows(_NOTES)
        unsafe = zip(are_on, _UNSAFE.items(), strict=True)
        notes = [text(what)]
        notes += (f"{name} is off: {why}" for is_on, (name, why) in unsafe if not is_on)
        if seconds is not None and whole(seconds) >= _LONG_SECONDS:
            kept = "what is purged since stays in the tables until it ends"
            notes.append(f"a transaction has been open for {whole(seconds):,} seconds: {kept}")
        return tuple(notes)

    def size(self, path: Path | None) -> FileSize:
        """Return the size of all tables with their indexes; the server's log is its own."""
        del path
        sizes = {text(name): whole(size) for name, size in self._session.rows(_SIZES)}
        return FileSize(sum(sizes.values()), 0, 0, self._session.place, sizes)

    def parts(self) -> tuple[Part, ...]:
        """Return all that a store of this version has, in the order it is made."""
        return whole_store()

    def missing_parts(self) -> tuple[Part, ...]:
        """Return what a store of this version has and this one lacks, in the order it is made."""
        there = set(self._names(_NAMES))
        return tuple(part for part in whole_store() if part.name not in there)

    def faults(self) -> tuple[Fault, ...]:
        """Return the indexes that were never finished; pages are looked at by `pg_amcheck`."""
        return tuple(Fault(f"the index {one} is not whole", one) for one in self._names(_INVALID))

    def text_parts(self) -> frozenset[str]:
        """Return the names of the tables and indexes of the text index."""
        return frozenset(one.name for one in whole_store() if one.name.startswith("text_"))

    def samples(self) -> frozenset[str]:
        """Return none: what the server counted is not in the store's own tables."""
        return frozenset()

    def text_fault(self) -> str | None:
        """Return None: the text index stands in ordinary tables, which the server keeps whole."""
        return None

    def forget(self, names: Iterable[str]) -> None:
        """Let the store have these tables and indexes no longer."""
        kinds = {one.name: one.kind for one in whole_store()}
        for name in names:
            self._session.rows(f'DROP {kinds.get(name, "index")} IF EXISTS "{name}"')

    def rebuild_indexes(self) -> None:
        """Make all indexes anew from their rows; nobody reads a table meanwhile."""
        for name in self._names(_TABLES):
            self._session.rows(f'REINDEX TABLE "{name}"')

    def optimise(self, declared: Iterable[str]) -> None:
        """Join the blocks of the text index, and let the planner count rows again.

        What the blocks were is given up after the commit: it is several times what they are.
        Declared indexes need nothing more. Cost: the text index.
        """
        del declared
        self._session.texts.join()
        self._session.remake("text_block")
        for name in self._names(_TABLES):
            self._session.rows(f'ANALYZE "{name}"')

    def _names(self, sql: str) -> list[str]:
        return [text(name) for (name,) in self._session.rows(sql)]
