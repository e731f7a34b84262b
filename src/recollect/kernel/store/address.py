"""Store addresses: a path, `sqlite:///path`, or `:memory:`; nothing is opened or made here."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from recollect.errors import refused
from recollect.node import dataclass

_MEMORY = ":memory:"
_SERVERS = ("postgresql://", "postgres://")
_PASSWORD = re.compile(r"(?<=//)([^:@/]*):[^/]*@")  # it may hold a question mark
_SCHEME_BEFORE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # a single letter is a drive


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is; no path means in memory."""

    path: Path | None


def is_server(address: str) -> bool:
    """Whether an address names a server, which only its own engine reads further.

    >>> is_server("postgresql://user@host/database"), is_server("memory.db")
    (True, False)
    """
    return address.startswith(_SERVERS)


def shown_address(address: str) -> str:
    """Return an address as people see it, and as it leads there again: without a password.

    >>> shown_address("postgresql://ann:secret@db:5433/notes?password=secret")
    'postgresql://ann@db:5433/notes'
    >>> shown_address("postgresql://db/notes?sslpassword=secret&schema=team")
    'postgresql://db/notes?schema=team'
    """
    if not is_server(address):
        return address
    place, _, given = _PASSWORD.sub(r"\1@", address).partition("?")
    kept = [one for one in given.split("&") if "password" not in one.partition("=")[0]]
    return "?".join(filter(None, (place, "&".join(kept))))


def parse_address(address: str | os.PathLike[str]) -> Address:
    """Return the place an address names; INVALID_ARGUMENT when it names none.

    >>> parse_address("sqlite:///notes/memory.db").path.as_posix()
    'notes/memory.db'
    >>> parse_address(":memory:").path is None
    True
    """
    text = address if isinstance(address, str) else _path_text(address)
    scheme = _SCHEME_BEFORE.match(text) if isinstance(address, str) else None
    if scheme is not None:
        text = _path_of(text, scheme[1])
    if text == _MEMORY:
        return Address(None)
    if not text or not _is_storable(text):
        raise refused(
            "the store address is empty or not text that names a file",
            'use a path such as "memory.db"',
        )
    return Address(Path(text))


def named_file(path: str | os.PathLike[str]) -> Path:
    """Return the path that a caller names; INVALID_ARGUMENT for what can name no file."""
    text = path if isinstance(path, str) else _path_text(path, "the path")
    if not text or not _is_storable(text):
        raise refused("the path is empty or not text that names a file", "name a file")
    return Path(text)


def _path_text(address: object, what: str = "the store address") -> str:
    text = os.fspath(address) if isinstance(address, os.PathLike) else None
    if isinstance(text, str):
        return text
    raise refused(
        f"{what} is of type {type(text or address).__name__}, not a text or a path",
        'use a path such as "memory.db"',
    )


def _path_of(text: str, scheme: str) -> str:
    """Return the path of an address with a scheme; only `sqlite:///path` is one."""
    rest = text.removeprefix(f"{scheme}:")
    path = rest.lstrip("/").partition("?")[0] or "memory.db"
    if is_server(text):
        raise refused("a memory on a server is not a file", "use recollect.open")
    if scheme != "sqlite":
        itself = rest.removeprefix("//").partition("?")[0] if scheme == "file" else ""
        raise refused(
            f"the store address scheme {scheme!r} is not known",
            f'use the path itself: "{itself or "memory.db"}"',
            known=("sqlite",),
        )
    if rest == "//":
        return _MEMORY
    if not rest.startswith("///") or "?" in rest:
        raise refused(
            f'the store address "{text}" is not sqlite:/// and a path alone',
            f'use "sqlite:///{path}"',
        )
    return unquote(rest.removeprefix("///")) or _MEMORY


def check_place(path: Path, name: str = "memory.db") -> Path:
    """Return the file that `path` leads to, absolute; INVALID_ARGUMENT when none can be there.

    Links are followed once and for all: the engine keeps its log beside the file itself. Where a
    folder stands, `name` is what is said to fit into it.
    """
    try:
        _refuse_folder(path, name)
        return path.resolve()
    except (OSError, RuntimeError) as error:  # a name that is too long, links in a circle
        raise refused(f"no file can be made at {path}", f'use a path such as "{name}"') from error


def _is_storable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _refuse_folder(path: Path, name: str) -> None:
    if path.is_dir():
        raise refused(f"{path} is a folder, not a file", f"use {path / name}")
    parent = next((one for one in path.parents if one.exists()), path.parent)
    if not parent.is_dir():
        raise refused(f"{parent} is a file, not a folder", f"use {parent.with_name(name)}")
    if not path.parent.is_dir():
        raise refused(
            f"the folder {path.parent} does not exist", f"create it: mkdir -p {path.parent}"
        )
