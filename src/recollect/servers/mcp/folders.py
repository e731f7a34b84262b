"""The folders that files may be imported from, as allowed by whoever starts the server.

The rule: a path is judged by the file it leads to, and the file checked is the one read. Links are
followed first, then each part of the path is opened without following any. So nothing outside the
folders is opened, whatever the path holds and whoever moves things meanwhile, and nothing is
revealed about what is there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Final

from recollect.errors import LIMIT_EXCEEDED, PERMISSION_DENIED, RESOURCE_NOT_FOUND, refused
from recollect.node import dataclass

LARGEST: Final = 256 * 2**20
"""Bytes of a file that is taken in over MCP."""


def _flags(*names: str) -> int:
    """Return how to open; what a system does not know, Windows most of it, is left out."""
    return reduce(or_, (getattr(os, one, 0) for one in names), os.O_RDONLY)


_FILE: Final = _flags("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # a pipe is not waited for
_FOLDER: Final = _flags("O_NOFOLLOW", "O_DIRECTORY")


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders, by their whole paths without links, with all that is below them."""

    allowed: tuple[Path, ...] = ()

    @contextmanager
    def opened(self, named: str) -> Iterator[int]:
        """Open the file at a path, which is one of a folder or begins at the root.

        PERMISSION_DENIED for a path that leads out of the folders, RESOURCE_NOT_FOUND if nothing is
        there, INVALID_ARGUMENT for anything but a regular file, LIMIT_EXCEEDED for too large a one.
        """
        if not self.allowed:
            raise PERMISSION_DENIED.error(
                "this server imports no files: it was started without a folder for them",
                "start it with --import-from DIR, or ask the user to do so",
            )
        if "\0" in named:
            raise refused("path holds a zero byte", "leave it out")
        inside = list(self._led_to(named))
        if not inside:
            raise PERMISSION_DENIED.error(
                "path leads out of the folders that files may be imported from",
                f"name a file below {self.allowed[0]}",
            )
        file = next((one for one in map(_opened, inside) if one is not None), None)
        if file is None:
            raise RESOURCE_NOT_FOUND.error(
                "there is no file at this path that can be read",
                f"name a file below {self.allowed[0]}",
            )
        try:
            _check(file)
            yield file
        finally:
            os.close(file)

    def _led_to(self, named: str) -> Iterator[tuple[Path, Path]]:
        """Yield where a path leads from each folder: the folder it is in, and the way from it."""
        for start in self.allowed:
            try:
                end = Path(os.path.realpath(start / named))
            except OSError:
                continue  # a link on the way went while it was followed
            for folder in self.allowed:
                if end.is_relative_to(folder):
                    yield folder, end.relative_to(folder)


def _opened(place: tuple[Path, Path]) -> int | None:
    """Open the end of a path, which is free of links by now, without following any."""
    folder, way = place
    try:
        if os.open not in os.supports_dir_fd:
            return os.open(folder / way, _FILE)
        at = os.open(folder, _FOLDER)
        for place_of, part in enumerate(way.parts, 1):
            before = at
            try:
                at = os.open(part, _FOLDER if place_of < len(way.parts) else _FILE, dir_fd=before)
            finally:
                os.close(before)
    except OSError:
        return None  # to whoever asks it is not there
    return at


def _check(file: int) -> None:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        raise refused("path is not a regular file", "name a file, not a folder or a pipe")
    if found.st_size > LARGEST:
        raise LIMIT_EXCEEDED.error(
            f"the file is larger than {LARGEST // 2**20} MB", "take it in with: recollect import"
        )
