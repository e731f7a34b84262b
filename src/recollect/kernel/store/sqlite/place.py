"""Sees whether a file that is open still stands in its place.

The rule: a connection keeps the file itself, whatever its name leads to later. Who writes to one
that was deleted, moved or replaced writes where nobody will look, so nothing is written there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from recollect.errors import STORE_UNAVAILABLE, RecollectError

Identity = tuple[int, int]
"""The device and the number of a file, whatever names it has."""

LOG: Final = "-wal"
"""How the name of the log ends, which stands beside a file."""


def identity(path: str | Path) -> Identity | None:
    """Return which file stands at a path, or None. Cost: a microsecond."""
    try:
        entry = os.stat(path)
    except OSError:
        return None
    return entry.st_dev, entry.st_ino


def beside(path: Path, suffix: str) -> Path:
    """Return the file that the engine keeps beside another one."""
    return path.with_name(path.name + suffix)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes; zero where there is none, or none any more."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


class FilePlace:
    """Where a file is that was opened, and which one it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = str(path)
        self._file: Identity | None = None

    def settle(self) -> None:
        """Note which file stands here, unless it is known."""
        if self._file is None:
            self._file = identity(self._text)

    def refuse_gone(self) -> None:
        """Raise STORE_UNAVAILABLE when another file stands here now, or none."""
        if self._file is not None and identity(self._text) != self._file:
            raise RecollectError(
                STORE_UNAVAILABLE,
                f"{self.path.name} was deleted, moved or replaced while it was open",
                hint="put it back, or close the memory and open it again",
            )
