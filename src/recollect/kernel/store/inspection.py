"""Looks at a file before it is opened: what is refused here has not been touched.

Nothing is written, in the file or beside it: no journal, no shared memory.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import apsw

from recollect.errors import STORE_UNAVAILABLE, RecollectError
from recollect.kernel.store.faults import corrupt, foreign, translated
from recollect.kernel.store.migrations import VERSION, refuse_newer
from recollect.kernel.store.schema import APPLICATION_ID

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_CHECKED_BYTES = 16 * 2**20  # a larger file is not read whole on opening
_WAIT_MILLISECONDS = 5000


@dataclass(frozen=True, slots=True)
class _Header:
    """The part of a SQLite file's first 100 bytes that tells whose it is."""

    page_size: int
    is_wal: bool
    pages: int | None  # None when the count is not kept up to date
    user_version: int
    application_id: int


def refuse_unusable(path: Path) -> None:
    """Raise STORE_FOREIGN, STORE_NEWER or STORE_CORRUPT for a file that is not a whole store.

    A file that is absent or empty passes: it is about to be made one. So does one that another
    process is writing or a crash left unfinished: the engine mends it on opening, and
    `refuse_open` looks again.
    """
    size = _size(path)
    if size == 0:
        return
    header = _header(path)
    if header.application_id not in (0, APPLICATION_ID):
        raise foreign()
    if header.application_id == APPLICATION_ID and header.user_version > VERSION:
        refuse_newer(frozenset(), header.user_version)
    if _size(_beside(path, "-wal")) or _size(_beside(path, "-journal")):
        return
    if header.pages is not None and header.pages * header.page_size > size:
        raise corrupt()
    # A file in WAL mode that nobody has open is read as immutable, which makes no file beside
    # it; one in rollback mode is read under its lock, so that a half-made one is never seen.
    mode = "immutable=1" if header.is_wal else "mode=ro"
    uri = f"file:{quote(str(path.absolute()))}?{mode}"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(uri, flags=flags)
        connection.set_busy_timeout(_WAIT_MILLISECONDS)
        try:
            refuse_open(connection)
            if size <= _CHECKED_BYTES and _quick_check(connection) != "ok":
                raise corrupt()
        finally:
            connection.close()
    except apsw.Error as error:
        raise translated(error) from error


def refuse_open(connection: apsw.Connection) -> None:
    """Raise STORE_FOREIGN or STORE_NEWER by what an open connection reads."""
    application_id = connection.pragma("application_id")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    if application_id == 0 and not tables:
        return
    if application_id != APPLICATION_ID:
        raise foreign()
    if "migration" not in tables:
        raise corrupt()
    applied = frozenset(name for (name,) in connection.execute("SELECT name FROM migration"))
    refuse_newer(applied, int(str(connection.pragma("user_version"))))


def _header(path: Path) -> _Header:
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except OSError as error:
        raise RecollectError(
            STORE_UNAVAILABLE, "the file cannot be read", hint="check the file's permissions"
        ) from error
    if not head.startswith(_MAGIC):
        raise foreign()
    if len(head) < _HEADER_BYTES:
        raise corrupt()
    (page_size,) = struct.unpack(">H", head[16:18])
    change_counter, pages = struct.unpack(">II", head[24:32])
    user_version, application_id = struct.unpack(">I4xI", head[60:72])
    (valid_for,) = struct.unpack(">I", head[92:96])
    return _Header(
        page_size=65536 if page_size == 1 else page_size,
        is_wal=head[18] == 2,
        pages=pages if valid_for == change_counter else None,
        user_version=user_version,
        application_id=application_id,
    )


def _quick_check(connection: apsw.Connection) -> str:
    (verdict,) = next(iter(connection.execute("PRAGMA quick_check(1)")))
    return str(verdict)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
