"""Store addresses: a path, `sqlite:///path`, or `:memory:`; nothing is opened or made here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from recollect.errors import INVALID_ARGUMENT, RecollectError

_MEMORY = ":memory:"
_SCHEME = "sqlite://"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is; no path means in memory."""

    path: Path | None


def parse_address(address: str | os.PathLike[str]) -> Address:
    """Return the place an address names; INVALID_ARGUMENT when it names none.

    >>> parse_address("sqlite:///notes/memory.db").path.as_posix()
    'notes/memory.db'
    >>> parse_address(":memory:").path is None
    True
    """
    text = os.fspath(address)
    scheme, separator, _ = text.partition("://")
    if separator:
        if scheme != "sqlite":
            raise RecollectError(
                INVALID_ARGUMENT,
                f"the store address scheme {scheme!r} is not known",
                hint='use a path, "sqlite:///path" or ":memory:"',
                known=("sqlite",),
            )
        text = unquote(text.removeprefix(_SCHEME).removeprefix("/")) or _MEMORY
    if text == _MEMORY:
        return Address(None)
    if not text or not _is_storable(text):
        raise RecollectError(
            INVALID_ARGUMENT,
            "the store address is empty or not text that names a file",
            hint='use a path such as "memory.db"',
        )
    return Address(Path(text))


def check_place(path: Path) -> Path:
    """Return the file that `path` leads to, absolute; INVALID_ARGUMENT when none can be there.

    Links are followed once and for all: the engine keeps its log beside the file itself.
    """
    try:
        _refuse_folder(path)
        return path.resolve()
    except (OSError, RuntimeError) as error:  # a name that is too long, links in a circle
        raise RecollectError(
            INVALID_ARGUMENT, f"no file can stand at {path}", hint='use a path such as "memory.db"'
        ) from error


def _is_storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{path} is a folder, not a file",
            hint=f"use {path / 'memory.db'}",
        )
    if not path.parent.is_dir():
        raise RecollectError(
            INVALID_ARGUMENT,
            f"the folder {path.parent} does not exist",
            hint=f"create it: mkdir -p {path.parent}",
        )
