"""The command about serving a memory to agents' programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recollect.servers.cli.options import Database, GroupName, Json


class McpAction(StrEnum):
    """What `mcp` does besides serving."""

    INSTALL = "install"


class McpClient(StrEnum):
    """The programs that `mcp install` knows."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"
    WINDSURF = "windsurf"


def serve_agents(
    action: Annotated[
        McpAction | None, typer.Argument(metavar="[ACTION]", help="install; serving without it.")
    ] = None,
    client: Annotated[
        McpClient | None,
        typer.Argument(
            metavar="[CLIENT]",
            help="claude-code, claude-desktop, cursor, vscode, codex or windsurf.",
        ),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", metavar="", help="Offer nothing that writes.")
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(
            "--http", metavar="HOST:PORT", help="Streamable HTTP instead of standard input."
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", metavar="", help="With install: edit the file, with a copy.")
    ] = False,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Serve an agent's program over MCP, or install this memory in one; see docs/mcp.md."""
    if (action is None) != (client is None):
        raise typer.BadParameter("install needs a client, such as claude-code")
    if action is None:
        if write:
            raise typer.BadParameter("--write belongs to install")
        from recollect.servers.cli.mcp import serve

        serve(db, group, http, is_read_only=read_only, as_json=json)
        return
    if http is not None or client is None:
        raise typer.BadParameter("--http belongs to serving; install sets up standard input")
    from recollect.servers.cli.mcp_install import install

    install(client.value, db, group, is_read_only=read_only, writes=write, as_json=json)
