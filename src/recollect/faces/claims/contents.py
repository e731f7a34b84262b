"""What files hold that evidence names, read by child processes: in a folder, or at a commit.

The rule: this process opens none of them, since to close a file ends all locks that the process
has on it, such as those of an engine; and git fetches nothing that a clone left out.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Final

from recollect.errors import UNAVAILABLE, RecollectError

_GIT: Final = (
    *("env", "-u", "GIT_DIR", "-u", "GIT_COMMON_DIR", "-u", "GIT_WORK_TREE"),
    *("-u", "GIT_OBJECT_DIRECTORY", "-u", "GIT_ALTERNATE_OBJECT_DIRECTORIES"),
    *("-u", "GIT_GLOB_PATHSPECS", "-u", "GIT_ICASE_PATHSPECS"),
    *("GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "git"),
)
"""Git without what names a repository, as a hook's environment does, or how paths are meant.

A git that is too old to know the first setting fails by the second, before it opens a connection.
"""
_HASH: Final = """
import hashlib, sys
with open(sys.argv[1], "rb") as file:
    print(hashlib.file_digest(file, "sha256").hexdigest())
"""
_LINK: Final = "120000"
"""Git's mode of a symbolic link."""

_SECONDS: Final = 20
_MOST_BYTES: Final = 200 * 2**20
_SHOWN: Final = 200  # characters of what a program says


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file; UNAVAILABLE when it is too large or cannot be read."""
    _check_size(path.stat().st_size)
    if not sys.executable:
        raise _unavailable("this program has no Python to read it with")
    return _said("Python", sys.executable, "-I", "-S", "-c", _HASH, str(path)).decode().strip()


def entry_at(folder: Path, path: Path, commit: str) -> tuple[str, str] | None:
    """Return the type and the id of what a commit has at a path in a folder; None if nothing.

    The types are those of git, and "link" for the blob that holds where a symbolic link leads.

    UNAVAILABLE if git cannot tell, for example because the commit is not there.
    """
    listed = _git(folder, "ls-tree", "-z", f"{commit}^{{commit}}", "--", f"./{path.as_posix()}")
    if not listed:
        return None
    if path == Path():  # of the folder itself its content is listed
        return "tree", commit
    mode, type_, id = listed.partition(b"\t")[0].decode().split()
    return "link" if mode == _LINK else type_, id


def blob_hash(folder: Path, id: str) -> str:
    """Return the SHA-256 of a blob; UNAVAILABLE when it is too large or not in the clone."""
    _check_size(int(_git(folder, "cat-file", "-s", id)))
    return hashlib.sha256(_git(folder, "cat-file", "blob", id)).hexdigest()


def _check_size(size: int) -> None:
    if size > _MOST_BYTES:
        raise _unavailable(f"it is too large, {size} bytes where {_MOST_BYTES} are compared")


def _git(folder: Path, *words: str) -> bytes:
    return _said("git", *_GIT, "-C", str(folder), "--no-pager", *words)


def _said(program: str, *words: str) -> bytes:
    """Return what a program writes; UNAVAILABLE with its last words when it fails."""
    try:
        done = subprocess.run(
            words, capture_output=True, check=False, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise _unavailable(f"{program} takes more than {_SECONDS} seconds") from error
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode(errors="replace").split("\n")
    last = next((one for one in reversed(lines) if one.strip()), f"ended by {done.returncode}")
    raise _unavailable(f"{program} says: {last[:_SHOWN]}")


def _unavailable(message: str) -> RecollectError:
    return RecollectError(UNAVAILABLE, message)
