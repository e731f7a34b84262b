"""Files that are made whole or not at all, and never in the place of another."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from recollect.errors import STORE_UNAVAILABLE, RecollectError, refused
from recollect.kernel.store.address import check_place, named_file

_WITHOUT_LINKS: Final = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV}
)
"""What systems answer whose files have one name only: FAT, exFAT, some network drives."""


@contextmanager
def new_file(path: str | os.PathLike[str], name: str = "memory.db") -> Iterator[Path]:
    """Give a place beside `path` to write to; the file is called `path` once the block ends.

    Raises INVALID_ARGUMENT when something stands at `path` already; `name` is one that would fit
    into a folder there. What the block is refused of other files is its own error. A block that
    fails leaves nothing; a process that is killed may leave a file that ends in `.part`, never a
    `path`, unless it is an empty one where there are no links.
    """
    wanted = named_file(path)
    check_place(wanted, name)
    if wanted.exists() or wanted.is_symlink():
        raise _taken(wanted)
    part = wanted.with_name(f"{wanted.name}.{secrets.token_hex(4)}.part")
    process = os.getpid()
    try:
        yield part
        with part.open("rb+") as written:
            os.fsync(written.fileno())  # whole on the disk before it has its name
        _name(part, wanted)
        _keep_name(wanted.parent)
    except OSError as error:
        own = (None, str(part), str(wanted), str(wanted.parent))  # None: while it is written
        if error.filename not in own:
            raise
        is_taken = isinstance(error, FileExistsError)
        raise (_taken(wanted) if is_taken else unwritable(wanted, error.strerror)) from error
    finally:
        if os.getpid() == process:  # a child that was forked meanwhile leaves it alone
            # What the engine could not undo for want of space stays in its journal.
            for left in (part, part.with_name(f"{part.name}-journal")):
                # A disk that is only read refuses it for files too that never were there.
                with suppress(OSError):
                    left.unlink()


def unwritable(path: str | os.PathLike[str], why: str | None) -> RecollectError:
    """Return the error of a new file that cannot be made."""
    return STORE_UNAVAILABLE.error(
        f"{path} cannot be written: {why}",
        "check the folder's permissions and the space on its disk",
    )


def _name(part: Path, wanted: Path) -> None:
    """Call a whole file by its name; FileExistsError where a file has appeared meanwhile."""
    try:
        os.link(part, wanted)  # a rename would replace what has appeared
    except OSError as error:
        if error.errno not in _WITHOUT_LINKS:
            raise
        wanted.open("xb").close()  # takes the name, so that the rename replaces nothing of others
        try:
            part.replace(wanted)
        except BaseException:
            wanted.unlink(missing_ok=True)
            raise


def _taken(path: Path) -> RecollectError:
    return refused(
        f"{path} is there already, and nothing is overwritten", "name a file that is not there yet"
    )


def _keep_name(folder: Path) -> None:
    """Bring a new name of a folder to the disk, where a folder can be opened at all."""
    if os.name == "nt":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
