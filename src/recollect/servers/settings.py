"""Where things are: the database, the group, the directories of the user.

The only module that reads the environment. Everything else is told.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel import parse_address

FILE_NAME = "memory.db"
DEMO_NAME = "demo.db"
PROGRAM = "recollect"
DEFAULT_GROUP = "default"


@dataclass(frozen=True, slots=True)
class Located:
    """A database and why it is the one in use."""

    path: str  # as `recollect.open` takes it
    reason: str
    is_own: bool = False  # the user's own, in a folder that this program may have to make

    @property
    def file(self) -> Path | None:
        """The file on disk; None for a memory that is not in a file."""
        try:
            return parse_address(self.path).path
        except RecollectError:
            return None  # opening it says why

    @property
    def exists(self) -> bool:
        """Whether opening it creates nothing; always true of what is not a file.

        An empty file holds no memory yet.
        """
        if self.file is None:
            return True
        try:
            return self.file.stat().st_size > 0
        except (OSError, ValueError):
            return False


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says, read once at construction."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    platform: str = sys.platform

    def database(self, given: str | None = None) -> Located:
        """Return the database to use: given, RECOLLECT_DB, ./memory.db, the user's own."""
        if given is not None:
            return Located(given, "named on the command line")
        if named := self.environment.get("RECOLLECT_DB"):
            return Located(named, "named by RECOLLECT_DB")
        if Path(FILE_NAME).is_file():
            return Located(FILE_NAME, "found in the current directory")
        return Located(
            str(self.user_data() / FILE_NAME),
            f"your own memory: RECOLLECT_DB is not set and there is no {FILE_NAME} here",
            is_own=True,
        )

    def group(self, given: str | None = None) -> str:
        """Return the group to use: given, RECOLLECT_GROUP, `default`."""
        if given == "":
            raise RecollectError(
                INVALID_ARGUMENT, "the group has no name", hint="leave --group out, or name one"
            )
        if given is not None:
            return given
        return self.environment.get("RECOLLECT_GROUP") or DEFAULT_GROUP

    def actor(self, given: str | None = None) -> str | None:
        """Return who writes: given, RECOLLECT_ACTOR, nobody that is known."""
        return self.environment.get("RECOLLECT_ACTOR") or None if given is None else given

    def history(self) -> Path:
        """Return the file of the shell's history."""
        return self._directory("XDG_STATE_HOME", ".local/state") / "history"

    def user_data(self) -> Path:
        """Return the directory of the user's own memory."""
        return self._directory("XDG_DATA_HOME", ".local/share")

    def demo(self) -> Path:
        """Return the file of the demo's memory, which every run of the demo makes anew."""
        return self.user_data() / DEMO_NAME

    def program(self) -> str:
        """Return what calls this program from a terminal: its path where its name would not."""
        if shutil.which(PROGRAM, path=self.environment.get("PATH", "")):
            return PROGRAM
        beside = shutil.which(PROGRAM, path=str(Path(sys.executable).parent))
        return beside or PROGRAM

    def _directory(self, variable: str, below_home: str) -> Path:
        match self.platform:
            case "win32":
                local = self.environment.get("LOCALAPPDATA")
                parent = Path(local) if local else Path.home() / "AppData" / "Local"
            case "darwin":
                parent = Path.home() / "Library" / "Application Support"
            case _:
                chosen = self.environment.get(variable)
                parent = Path(chosen) if chosen else Path.home() / below_home
        return parent / "recollect"
