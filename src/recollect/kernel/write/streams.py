"""Where a dump goes and comes from: a file by its path, or a stream that the caller holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOBase
from os import PathLike
from typing import BinaryIO

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.store.address import named_file
from recollect.kernel.store.new_file import new_file


@contextmanager
def written_whole(target: str | PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """Give the stream to write to; a file appears under its name only when it is whole."""
    if not isinstance(target, (str, PathLike)):
        _check_stream(target, "write")
        yield target
        return
    with new_file(target, "memory.jsonl") as part, part.open("xb") as stream:
        yield stream


@contextmanager
def readable(source: str | PathLike[str] | BinaryIO) -> Iterator[BinaryIO]:
    """Give the stream to read from; INVALID_ARGUMENT for a file that cannot be read."""
    if not isinstance(source, (str, PathLike)):
        _check_stream(source, "readline")
        yield source
        return
    path = named_file(source)
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{source} cannot be read: {error.strerror}",
            hint="name a file that `recollect dump` wrote",
        ) from error


def _check_stream(stream: object, method: str) -> None:
    """Refuse anything that does not carry bytes, whatever its declared type."""
    if isinstance(stream, TextIOBase) or not hasattr(stream, method):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"a {type(stream).__name__} does not carry bytes",
            hint='pass a path, or a file opened with "b" in its mode',
        )
