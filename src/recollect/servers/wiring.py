"""Open a nexus as the settings say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote

from recollect.errors import INVALID_ARGUMENT, STORE_UNAVAILABLE, RecollectError
from recollect.kernel import Nexus
from recollect.servers.settings import Located, Settings


def open_nexus(located: Located, group: str, *, create: bool = False) -> Nexus:
    """Open the database at a group; a missing file is refused unless it may be created.

    What is wrong with a file is told with its name.
    """
    if not located.exists:
        if not create:
            raise RecollectError(
                INVALID_ARGUMENT,
                f"there is no memory at {located.path} ({located.reason})",
                hint=f"{quote(Settings().program())} init {quote(located.path)}",
            )
        if located.is_own and located.file is not None:
            make_folder(located.file.parent)
    try:
        return Nexus.open(located.path, group=group)
    except RecollectError as error:
        if error.code.category != "storage":
            raise
        raise replace(error, message=f"{located.path}: {error.message}") from error


def make_folder(folder: Path) -> None:
    """Make the folder of the user's own data, which nobody made by hand."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise RecollectError(
            STORE_UNAVAILABLE,
            f"{folder} cannot be made: {error.strerror}",
            hint="name another place with --db",
        ) from error
