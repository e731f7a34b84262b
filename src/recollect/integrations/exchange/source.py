"""A file as readers see it: bytes, lines with their numbers, and how much of it is read.

The rule: no length is trusted. A line, and a file that has to be read whole, have a limit.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from recollect.errors import LIMIT_EXCEEDED, RecollectError, refused
from recollect.node import dataclass

LONGEST_LINE: Final = 64 * 2**20
"""Bytes of one line: more than the largest element takes, so that every export comes in again."""

LARGEST_WHOLE: Final = 256 * 2**20
"""Bytes of a file that can only be read whole: JSON that is no lines, RDF."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Source:
    """One file, read from its beginning as often as it is asked for."""

    file: Path | int  # its path, or a descriptor of it that stays with the caller
    name: str  # what it is called in errors and reports
    size: int
    done: int = 0  # bytes of it that were read, this time

    @classmethod
    def of(cls, file: Path | int, name: str) -> Source:
        """Return the source; INVALID_ARGUMENT where there is no file that can be read."""
        try:
            found = os.stat(file)
        except OSError as error:
            raise _unreadable(name, error) from error
        if not stat.S_ISREG(found.st_mode):
            raise refused(f"{name} is not a file", "name a file")
        return cls(file, name, found.st_size)

    def beginning(self, most: int) -> bytes:
        """Return its first bytes and the rest of their line, without a byte order mark."""
        with self._open() as stream:
            read = stream.read(most) + stream.readline(LONGEST_LINE)
            return read.removeprefix(_BYTE_ORDER_MARK)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines and their numbers, from 1; LIMIT_EXCEEDED for one without end."""
        self.done = number = 0
        with self._open() as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise LIMIT_EXCEEDED.error(
                        f"{self.name}: line {number} is longer than {LONGEST_LINE} bytes",
                        "look whether it is a file of lines",
                    )
                self.done += len(line)
                yield number, line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line

    def whole(self) -> bytes:
        """Return all of it; LIMIT_EXCEEDED where it is too large for that."""
        with self._open() as stream:
            read = stream.read(LARGEST_WHOLE + 1)
        if len(read) > LARGEST_WHOLE:
            raise LIMIT_EXCEEDED.error(
                f"{self.name} is larger than {LARGEST_WHOLE} bytes, and this format is read whole",
                "split it into several files",
            )
        self.done = len(read)
        return read.removeprefix(_BYTE_ORDER_MARK)

    @contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        try:
            with open(
                os.dup(self.file) if isinstance(self.file, int) else self.file, "rb"
            ) as stream:
                stream.seek(0)  # a descriptor stands where it was read to
                yield stream
        except OSError as error:
            raise _unreadable(self.name, error) from error


def _unreadable(name: str, error: OSError) -> RecollectError:
    reason = error.strerror or "it cannot be read"
    return refused(f"{name}: {reason}", "name a file that is there")
