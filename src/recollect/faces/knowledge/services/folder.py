"""Names and files of services that keep a file a value.

The rule: a name in the folder is made of `a-z 0-9 _ - % ~` only, so no id leaves its folder or
meets another, also where upper and lower case are one. A file is written aside, flushed to the
disk and renamed; whoever reads meets the old one or the new one, whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from recollect.errors import STORE_CORRUPT, STORE_UNAVAILABLE, refused

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST: Final = 180  # characters of a name in the folder, of the 255 that systems allow
_SUFFIX: Final = ".json"


def name_of(text: str) -> str:
    """Return how an id is called in a folder; what is too long ends in its digest.

    >>> name_of("user:Alice"), name_of("../x")
    ('k-user%3a%41lice', 'k-%2e%2e%2fx')
    """
    spelled = "".join(
        one if one in _PLAIN else "".join(f"%{byte:02x}" for byte in one.encode()) for one in text
    )
    if len(spelled) > _LONGEST:
        spelled = f"{spelled[:100]}~{hashlib.sha256(text.encode()).hexdigest()}"
    return f"k-{spelled}"  # some systems reserve names such as "con"


def text_of(name: str) -> str | None:
    """Return the id that a name in a folder stands for; None where only its file tells."""
    return None if "~" in name else unquote(name.removeprefix("k-"))


class Folder:
    """A folder of JSON files, one a name; it is made when the first is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def within(self, name: str) -> Folder:
        """Return the folder of a name in this one."""
        return Folder(self.path / name)

    def read(self, name: str) -> dict[str, Any] | None:
        """Return what a file says."""
        path = self.path / (name + _SUFFIX)
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            found: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise STORE_CORRUPT.error(f"{path} is damaged", "restore it from a copy") from error
        return found

    def has(self, name: str) -> bool:
        """Whether there is a file of a name."""
        return (self.path / (name + _SUFFIX)).is_file()

    def write(self, name: str, value: object) -> None:
        """Write a file whole, in place of the one there is."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self._make()
        part = self.path / f".{secrets.token_hex(8)}.part"
        try:
            with part.open("xb") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.path / (name + _SUFFIX))
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        self._flush()

    def remove(self, name: str) -> bool:
        """Remove a file; False where there is none."""
        try:
            (self.path / (name + _SUFFIX)).unlink()
        except FileNotFoundError:
            return False
        self._flush()
        return True

    def names(self) -> list[str]:
        """Return the names of the files."""
        try:
            with os.scandir(self.path) as found:
                return [
                    one.name.removesuffix(_SUFFIX) for one in found if one.name.endswith(_SUFFIX)
                ]
        except FileNotFoundError:
            return []

    def first(self) -> str | None:
        """Return the name of a file, if there is one."""
        try:
            with os.scandir(self.path) as found:
                names = (one.name for one in found if one.name.endswith(_SUFFIX))
                return next((name.removesuffix(_SUFFIX) for name in names), None)
        except FileNotFoundError:
            return None

    def folders(self) -> list[str]:
        """Return the names of the folders in this one."""
        try:
            with os.scandir(self.path) as found:
                return [one.name for one in found if one.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return []

    def _make(self) -> None:
        missing = [one for one in (self.path, *self.path.parents) if not one.is_dir()]
        self.path.mkdir(parents=True, exist_ok=True)
        for made in missing:
            Folder(made.parent)._flush()

    def _flush(self) -> None:
        """Bring the names in a folder to the disk, where a folder can be opened at all."""
        if os.name == "nt":
            return
        opened = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def base_folder(base_dir: object) -> Folder:
    """Return the folder of a service, made if it is not there."""
    path = os.fspath(base_dir) if isinstance(base_dir, str | os.PathLike) else ""
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise refused("base_dir names no folder", 'give a path such as "knowledge"')
    with folder_errors():
        Path(path).mkdir(parents=True, exist_ok=True)
    return Folder(Path(path))


@contextmanager
def folder_errors() -> Iterator[None]:
    """Turn errors of the file system into ours."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno or errno.EIO)
        raise STORE_UNAVAILABLE.error(
            f"{error.filename} cannot be used: {why}",
            "check the folder's permissions and the space on its disk",
        ) from error
