"""Looks at a file before it is opened: what is refused here has not been touched.

Nothing is written, in the file or beside it: no journal, no shared memory.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
from functools import partial
from pathlib import Path
from shlex import quote as shell_quote
from urllib.parse import quote

import apsw

from recollect.errors import STORE_CORRUPT, STORE_UNAVAILABLE, RecollectError
from recollect.kernel.store.faults import corrupt, foreign
from recollect.kernel.store.sqlite.faults import translated
from recollect.kernel.store.sqlite.forks import FORKS, beside, held, size_of
from recollect.kernel.store.sqlite.migrations import APPLICATION_ID, VERSION, refuse_newer
from recollect.kernel.store.sqlite.stale_log import refuse_stale_log
from recollect.node import dataclass

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_CELLS = slice(103, 105)  # of page 1: how many entries the root of the schema has
_UNFINISHED = ("-journal", "-wal")  # what a writer or a crash leaves beside a file
_CHECKED_BYTES = 16 * 2**20  # a larger file is not read whole on opening
_WAIT_MILLISECONDS = 5000


_TABLES = frozenset(
    {
        *("migration", "counter", "grp", "tx", "change", "term", "tally"),
        *("concept", "link", "text_index", "text_past"),
    }
)
_STORES = (_TABLES | {"past"}, _TABLES | {"concept_past", "link_past"})
"""What every store has, since the past is one table, and what it had before."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What the beginning of a file and its directory entry say about it at one moment."""

    size: int
    changed: int  # nanoseconds
    beginning: bytes

    @property
    def page_size(self) -> int:
        (page_size,) = struct.unpack(">H", self.beginning[16:18])
        return 65536 if page_size == 1 else int(page_size)

    @property
    def is_wal(self) -> bool:
        return self.beginning[18] == 2

    @property
    def is_truncated(self) -> bool:
        """Whether the file is shorter than it says, where what it says is kept up to date."""
        change_counter, pages = struct.unpack(">II", self.beginning[24:32])
        (valid_for,) = struct.unpack(">I", self.beginning[92:96])
        return bool(valid_for == change_counter and pages * self.page_size > self.size)

    @property
    def user_version(self) -> int:
        return int.from_bytes(self.beginning[60:64], "big")

    @property
    def application_id(self) -> int:
        return int.from_bytes(self.beginning[68:72], "big")

    @property
    def has_tables(self) -> bool:
        return any(self.beginning[_CELLS])


def refuse_unusable(path: Path, *, is_checked: bool = True) -> None:
    """Raise STORE_FOREIGN, STORE_NEWER or STORE_CORRUPT for a file that is not a whole store.

    A file that is absent or empty passes: it is about to be made one. So does one of ours that
    another process is writing or a crash left unfinished: the engine mends it on opening, and
    `refuse_open` looks again. Its log must be its own, else it is
    STORE_UNAVAILABLE. One that this process has open was looked at already.
    `path` is the file itself, not a link to it. Without `is_checked` the pages of a small file
    are not read: what is broken in them is then for the doctor to say.
    """
    if FORKS.has_open(path):
        return
    look = _look(path)
    if look is None:
        return
    if look.application_id not in (0, APPLICATION_ID):
        raise foreign()
    if look.application_id == APPLICATION_ID and look.user_version > VERSION:
        refuse_newer(frozenset(), look.user_version)
    try:
        if not _is_unfinished(path):
            _refuse_finished(path, look, is_checked=is_checked)
        elif look.application_id == 0:
            _refuse_unfinished(path, look)
        else:
            refuse_stale_log(path)
    except RecollectError as error:
        # Another process may have begun to write in between: then the engine is to judge.
        if error.code is STORE_CORRUPT and (_is_unfinished(path) or _look(path) != look):
            return
        raise


def refuse_open(connection: apsw.Connection) -> None:
    """Raise STORE_FOREIGN or STORE_NEWER by what an open connection reads, at one moment."""
    with connection:
        application_id = connection.pragma("application_id")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        if application_id == 0 and not tables:
            return
        if application_id != APPLICATION_ID:
            raise foreign()
        if not any(tables >= one for one in _STORES):
            raise corrupt()
        applied = frozenset(name for (name,) in connection.execute("SELECT name FROM migration"))
        refuse_newer(applied, int(str(connection.pragma("user_version"))))


def _refuse_finished(path: Path, look: _Look, *, is_checked: bool) -> None:
    """Judge a file that nobody is writing and no crash has left.

    In WAL mode it is read as immutable, which makes no file beside it; in rollback mode it is
    read under its lock, so that a half-made one is never seen.
    """
    if look.is_truncated:
        raise corrupt()
    mode = "immutable=1" if look.is_wal else "mode=ro"
    _refuse_read(path, mode, is_checked and look.size <= _CHECKED_BYTES)


def _refuse_unfinished(path: Path, look: _Look) -> None:
    """Judge a file that does not say it is ours, by a copy that the engine may mend."""
    if look.has_tables:
        raise foreign()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        try:
            for suffix in ("", *_UNFINISHED):
                if beside(path, suffix).exists():
                    shutil.copyfile(beside(path, suffix), beside(copy, suffix))
        except OSError as error:
            raise _unreadable() from error
        _refuse_read(copy, "mode=rw", is_checked=False)


def _refuse_read(path: Path, mode: str, is_checked: bool) -> None:
    uri = f"file:{quote(str(path))}?{mode}"
    flags = apsw.SQLITE_OPEN_READONLY if mode != "mode=rw" else apsw.SQLITE_OPEN_READWRITE
    try:
        with held(partial(apsw.Connection, uri, flags | apsw.SQLITE_OPEN_URI)) as connection:
            connection.set_busy_timeout(_WAIT_MILLISECONDS)
            refuse_open(connection)
            if is_checked and not _is_sound(connection):
                raise corrupt(f"see what is broken: recollect doctor {shell_quote(str(path))}")
    except apsw.Error as error:
        raise translated(error) from error


def _look(path: Path) -> _Look | None:
    """Return a look at a file, None where there is nothing to see yet."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_CELLS.stop)
            entry = path.stat()  # after it was read: a file that grows is not a truncated one
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable() from error
    # The engine makes a mapped file as long as it will be before it writes the first page.
    is_being_made = not beginning.strip(b"\0") and _is_unfinished(path)
    if not beginning or is_being_made:
        return None
    if not beginning.startswith(_MAGIC):
        raise foreign()
    if len(beginning) < _HEADER_BYTES:
        raise corrupt()
    return _Look(entry.st_size, entry.st_mtime_ns, beginning)


def _is_unfinished(path: Path) -> bool:
    """Whether there is a log or a journal beside the file, left by a writer or by a crash."""
    return any(size_of(beside(path, suffix)) for suffix in _UNFINISHED)


def _unreadable() -> RecollectError:
    return STORE_UNAVAILABLE.error("the file cannot be read", "check the file's permissions")


def _is_sound(connection: apsw.Connection) -> bool:
    """Whether the tables hold together; the text index is made of them and can be made anew."""
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).fetchall()
    try:
        return all(connection.pragma("quick_check", name) == "ok" for (name,) in tables)
    except apsw.CorruptError:
        return False
