"""Where things are: the database, the group, the directories of the user.

The only module that reads the environment. Everything else is told.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MEMORY = ":memory:"
FILE_NAME = "memory.db"


@dataclass(frozen=True, slots=True)
class Located:
    """A database and why it is the one in use."""

    path: str  # as `recollect.open` takes it
    reason: str
    is_own: bool = False  # the user's own, in a folder that this program may have to make

    @property
    def file(self) -> Path | None:
        """The file on disk; None for a memory that lives in this process or on a server."""
        if self.path == MEMORY:
            return None
        scheme, colon, rest = self.path.partition(":///")
        if colon:
            return Path(rest) if scheme == "sqlite" and rest != MEMORY else None
        return None if "://" in self.path else Path(self.path)

    @property
    def exists(self) -> bool:
        """Whether opening it creates nothing; always true of what is not a file."""
        return self.file is None or self.file.exists()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says, read once at construction."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    platform: str = sys.platform

    def database(self, given: str | None = None) -> Located:
        """Return the database to use: given, RECOLLECT_DB, ./memory.db, the user's own."""
        if given:
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
        return given or self.environment.get("RECOLLECT_GROUP") or "default"

    def history(self) -> Path:
        """Return the file of the shell's history."""
        return self._directory("XDG_STATE_HOME", ".local/state") / "history"

    def user_data(self) -> Path:
        """Return the directory of the user's own memory."""
        return self._directory("XDG_DATA_HOME", ".local/share")

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
