"""What files hold that evidence names, read by child processes: in a folder, or at a commit.

The rule: this process opens none of them, since to close a file ends all locks that the process
has on it, such as those of an engine; and git fetches nothing that a clone left out.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
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
_ENTRY: Final = re.compile(r"(\d+) (\w+) (\w+)\t([^\0]+)\0")
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
"""What git lists, and its modes of what leads away."""

_SECONDS: Final = 20
_MOST_BYTES: Final = 200 * 2**20
_SHOWN: Final = 200  # characters of what a program says


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file; UNAVAILABLE when it is too large or cannot be read."""
    _check_size(path.stat().st_size)
    if not sys.executable:
        raise _unavailable("this program has no Python to read it with")
    return _output_of("Python", sys.executable, "-I", "-S", "-c", _HASH, str(path)).decode().strip()


def entry_at(folder: Path, path: Path, commit: str) -> tuple[str, str] | None:
    """Return git's type and the id of what a commit has at a path in a folder; None for nothing.

    UNAVAILABLE if git cannot tell, for example because the commit is not there, or the path leads
    over a symbolic link or into a submodule.
    """
    prefix = os.fsdecode(_git(folder, "rev-parse", "--show-prefix")).removesuffix("\n")
    whole = PurePosixPath(prefix, path.as_posix())
    way = [str(one) for one in (whole, *whole.parents)]
    named = (f"./{one}" for one in way)
    listed = _git(folder, "ls-tree", "-z", "--full-tree", f"{commit}^{{commit}}", "--", *named)
    entries = {".": ("", "tree", commit)}
    for mode, type_, id, place in _ENTRY.findall(os.fsdecode(listed)):
        entries[place] = mode, type_, id
    (mode, type_, id), *above = [entries.get(one, ("", "", "")) for one in way]
    if mode == _LINK or any(one[0] in (_LINK, _SUBMODULE) for one in above):
        raise _unavailable(f"a symbolic link or a submodule is on its way at {commit}")
    return (type_, id) if type_ else None


def blob_hash(folder: Path, id: str) -> str:
    """Return the SHA-256 of a blob; UNAVAILABLE when it is too large or not in the clone."""
    _check_size(int(_git(folder, "cat-file", "-s", id)))
    return hashlib.sha256(_git(folder, "cat-file", "blob", id)).hexdigest()


def commit_of(folder: Path, path: Path, hash: str) -> str | None:
    """Return the last commit that changed a file of a folder, if the file is as it was there.

    None where it is not, where git cannot tell, and where there is no git.
    """
    try:
        found = _git(folder, "--literal-pathspecs", "rev-list", "-1", "HEAD", "--", str(path))
        commit = found.decode().strip()
        entry = entry_at(folder, path.relative_to(folder), commit) if commit else None
        is_same = entry is not None and blob_hash(folder, entry[1]) == hash
    except (RecollectError, OSError):
        return None
    return commit if is_same else None


def _check_size(size: int) -> None:
    if size > _MOST_BYTES:
        raise _unavailable(f"it is too large, {size} bytes where {_MOST_BYTES} are compared")


def _git(folder: Path, *words: str) -> bytes:
    return _output_of("git", *_GIT, "-C", str(folder), "--no-pager", *words)


def _output_of(program: str, *words: str) -> bytes:
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
    return UNAVAILABLE.error(message)
