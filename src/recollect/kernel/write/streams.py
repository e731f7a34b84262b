"""Where a dump goes and comes from: a file by its path, or a stream that the caller holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.store.new_file import new_file


@contextmanager
def written_whole(target: str | PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """Give the stream to write to; a file appears under its name only when it is whole."""
    if not isinstance(target, (str, PathLike)):
        yield target
        return
    with new_file(target) as part, part.open("xb") as stream:
        yield stream


@contextmanager
def readable(source: str | PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """Give the stream to read from; INVALID_ARGUMENT for a file that cannot be read."""
    if not isinstance(source, (str, PathLike)):
        yield source
        return
    try:
        with Path(source).open("rb") as stream:
            yield stream
    except OSError as error:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{source} cannot be read: {error.strerror}",
            hint="name a file that `recollect dump` wrote",
        ) from error
