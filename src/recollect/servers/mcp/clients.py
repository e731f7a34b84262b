"""The programs of agents: where each keeps its servers, and what is written there.

The rule: everything here is computed; nothing is read or written.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NAME: Final = "recollect"


@dataclass(frozen=True, slots=True)
class Client:
    """One program; `member` holds the servers in its file, which is TOML or JSON."""

    file: Path
    member: str
    is_toml: bool = False
    has_type: bool = False  # whether an entry says that it speaks over standard input

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


def client_named(name: str, home: Path, here: Path, platform: str = sys.platform) -> Client:
    """Return a program by its name; `here` is the project of those that keep a file in it."""
    match name:
        case "claude-code":
            return Client(here / ".mcp.json", "mcpServers")
        case "claude-desktop":
            folder = _applications(home, platform) / "Claude"
            return Client(folder / "claude_desktop_config.json", "mcpServers")
        case "cursor":
            return Client(home / ".cursor" / "mcp.json", "mcpServers")
        case "vscode":
            return Client(here / ".vscode" / "mcp.json", "servers", has_type=True)
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
