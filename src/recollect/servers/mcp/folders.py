"""The folders that files may be taken in from, as whoever starts the server allows them.

The rule: a path counts as what it leads to. Links are followed first, so that nothing outside of
the folders is opened, whatever a path is made of, and nothing is told of what is there.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from os import path as paths
from os import stat_result
from pathlib import Path
from typing import Final

from recollect.errors import (
    INVALID_ARGUMENT,
    LIMIT_EXCEEDED,
    PERMISSION_DENIED,
    RESOURCE_NOT_FOUND,
    RecollectError,
)

LARGEST: Final = 256 * 2**20
"""Bytes of a file that is taken in over MCP."""


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders with all that is below them; without any, nothing is taken in."""

    allowed: tuple[Path, ...] = ()

    def file(self, named: str) -> Path:
        """Return the file at a path, which is one of a folder or begins at the root.

        PERMISSION_DENIED for a path that leads out of the folders, RESOURCE_NOT_FOUND for one of
        nothing, INVALID_ARGUMENT for what is no regular file, LIMIT_EXCEEDED for too large a one.
        """
        if not self.allowed:
            raise RecollectError(
                PERMISSION_DENIED,
                "this server takes in no files: it was started without a folder for them",
                hint="start it with --import-from DIR, or ask the user to do so",
            )
        if "\0" in named:
            raise RecollectError(INVALID_ARGUMENT, "path holds a zero byte", hint="leave it out")
        inside = [one for one in self._led_to(named) if one is not None]
        if not inside:
            raise RecollectError(
                PERMISSION_DENIED,
                "path leads out of the folders that files may be taken in from",
                hint=f"name a file below {self.allowed[0]}",
            )
        for one in inside:
            if (found := _looked_at(one)) is not None:
                return _checked(one, found)
        raise RecollectError(
            RESOURCE_NOT_FOUND,
            "there is no file at this path",
            hint=f"name a file below {self.allowed[0]}",
        )

    def _led_to(self, named: str) -> list[Path | None]:
        """Return where a path leads from each folder; None where that is outside of all."""
        ends = [Path(paths.realpath(folder / named)) for folder in self.allowed]
        roots = [paths.realpath(folder) for folder in self.allowed]
        return [end if any(map(end.is_relative_to, roots)) else None for end in ends]


def _looked_at(file: Path) -> stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None  # to whoever asks it is not there


def _checked(file: Path, found: stat_result) -> Path:
    if not stat.S_ISREG(found.st_mode):
        raise RecollectError(
            INVALID_ARGUMENT, "path is no regular file", hint="name a file, not a folder or a pipe"
        )
    if found.st_size > LARGEST:
        raise RecollectError(
            LIMIT_EXCEEDED,
            f"the file is larger than {LARGEST // 2**20} MB",
            hint="take it in with: recollect import",
        )
    return file
