"""A file that may be read and not written, and how to read it without leaving a trace.

The rule: the engine keeps a log and its index beside a file. Where those are, another program is
writing and they are read too; where they cannot be made, or would be left behind, the file is
read as it stands, for as long as it stands unchanged.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from recollect.errors import STORE_UNAVAILABLE, RecollectError
from recollect.kernel.store.sqlite.forks import size_of
from recollect.node import dataclass

SCHEME = "file:"
"""How a file name begins that also says how to open it; a path that is absolute never does."""


@dataclass(frozen=True, slots=True)
class ReadOnlyFile:
    """A file as it stood when it was opened."""

    path: Path
    state: tuple[int, int, int] | None  # None when it is read with its log, which may grow

    @property
    def uri(self) -> str:
        """What the engine is given."""
        mode = "mode=ro" if self.state is None else "immutable=1"
        return f"{SCHEME}{quote(str(self.path))}?{mode}"

    def refuse_changed(self) -> None:
        """Raise STORE_UNAVAILABLE when another program has written the file since."""
        if self.state is not None and self.state != _state(self.path):
            message = "the file has been written since it was opened"
            raise STORE_UNAVAILABLE.error(message, "open it again")

    def not_writable(self, so: str = "the memory can only be read") -> RecollectError:
        """Return the error for a write, which says what follows."""
        place = self.path if not os.access(self.path, os.W_OK) else self.path.parent
        what, hint = "read-only", f"make it writable: chmod u+w {place}"
        if _is_file_system_read_only(place):
            what = "on a read-only file system"
            hint = "copy it to a file system that can be written"
        message = f"{place} is {what}, so {so}"
        return STORE_UNAVAILABLE.error(message, hint)


def read_only(path: Path) -> ReadOnlyFile | None:
    """Return how to read a file that this process may not write; None for any other.

    STORE_UNAVAILABLE when its log holds what is not in the file yet.
    """
    log, index = beside = _beside(path)
    keeps_log = os.access(path.parent, os.W_OK) or all(os.access(one, os.W_OK) for one in beside)
    if not path.exists() or (os.access(path, os.W_OK) and keeps_log):
        return None
    if not size_of(log):
        return ReadOnlyFile(path, _state(path))
    if os.access(index, os.R_OK):
        return ReadOnlyFile(path, None)
    raise STORE_UNAVAILABLE.error(
        f"{log.name} holds changes that are not in the file yet, and the file cannot be written",
        f"open it once where {path.name} and its folder can be written",
    )


def _beside(path: Path) -> tuple[Path, Path]:
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def _state(path: Path) -> tuple[int, int, int]:
    log, _ = _beside(path)
    try:
        status = path.stat()
        return (status.st_size, status.st_mtime_ns, size_of(log))
    except OSError:
        return (0, 0, 0)


def _is_file_system_read_only(path: Path) -> bool:
    if not hasattr(os, "statvfs"):  # Windows
        return False
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False
