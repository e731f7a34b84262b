"""The programs of agents: where each keeps its servers, and what is written there.

The rule: everything here is computed; nothing is read or written.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from recollect.errors import INVALID_VALUE, RESOURCE_NOT_FOUND, RecollectError
from recollect.node import dataclass, field

NAME: Final = "recollect"


@dataclass(frozen=True, slots=True)
class ClientEntry:
    """What a client starts: a command, and the variables added to its environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Client:
    """One program; `member` holds the servers in its file, which is TOML or JSON."""

    file: Path
    member: str
    is_toml: bool = False
    has_type: bool = False  # whether an entry says that it speaks over standard input
    is_of_project: bool = False  # whether its servers start where its file is kept

    def entry(self, command: Sequence[str]) -> dict[str, object]:
        """Return what the file says of this server."""
        kind: dict[str, object] = {"type": "stdio"} if self.has_type else {}
        return {**kind, "command": command[0], "args": list(command[1:])}

    def snippet(self, command: Sequence[str]) -> str:
        """Return what to write into the file, where it has no servers yet."""
        entry = self.entry(command)
        if self.is_toml:
            lines = [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
            return "\n".join([f"[{self.member}.{NAME}]", *lines])
        return json.dumps({self.member: {NAME: entry}}, indent=2, ensure_ascii=False)

    def read(self, text: str) -> ClientEntry:
        """Return what a file of the program starts as this server.

        INVALID_VALUE for a file that is not of its form, RESOURCE_NOT_FOUND for one without it.
        """
        try:
            members = tomllib.loads(text) if self.is_toml else json.loads(text or "{}")
        except (ValueError, RecursionError) as error:
            form = "TOML" if self.is_toml else "JSON"
            raise self.unreadable(f"{form}: {error}") from error
        servers = members.get(self.member) if isinstance(members, dict) else None
        entry = servers.get(NAME) if isinstance(servers, dict) else None
        program = entry.get("command") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(program, str):
            raise RESOURCE_NOT_FOUND.error(f"{self.file} has no server {NAME}")
        return ClientEntry((program, *self._texts(entry)), self._variables(entry))

    def unreadable(self, what: str) -> RecollectError:
        """Return the error for a file that is not what it must be."""
        return INVALID_VALUE.error(f"{self.file} is not {what}")

    def _texts(self, entry: Mapping[str, object]) -> list[str]:
        match entry.get("args", []):
            case list() as found if all(isinstance(one, str) for one in found):
                return found
        raise self.unreadable(f"right: the args of {NAME} are not a list of texts")

    def _variables(self, entry: Mapping[str, object]) -> dict[str, str]:
        match entry.get("env", {}):
            case dict() as found if all(isinstance(one, str) for one in found.values()):
                return found
        raise self.unreadable(f"right: the env of {NAME} is not an object of texts")


def client_named(name: str, home: Path, here: Path, platform: str = sys.platform) -> Client:
    """Return a program by its name; `here` is the project of those that keep a file in it."""
    match name:
        case "claude-code":
            return Client(here / ".mcp.json", "mcpServers", is_of_project=True)
        case "claude-desktop":
            folder = _applications(home, platform) / "Claude"
            return Client(folder / "claude_desktop_config.json", "mcpServers")
        case "cursor":
            return Client(home / ".cursor" / "mcp.json", "mcpServers")
        case "vscode":
            file = here / ".vscode" / "mcp.json"
            return Client(file, "servers", has_type=True, is_of_project=True)
        case "codex":
            return Client(home / ".codex" / "config.toml", "mcp_servers", is_toml=True)
        case _:
            return Client(home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers")


def _applications(home: Path, platform: str) -> Path:
    match platform:
        case "win32":
            return home / "AppData" / "Roaming"
        case "darwin":
            return home / "Library" / "Application Support"
        case _:
            return home / ".config"
