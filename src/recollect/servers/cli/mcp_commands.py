"""The command about serving a memory to agents' programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.servers.cli.options import Database, GroupName, Json
from recollect.servers.cli.server_commands import TokensFile


class McpAction(StrEnum):
    """What `mcp` does besides serving."""

    INSTALL = "install"
    UNINSTALL = "uninstall"
    DOCTOR = "doctor"


class McpClient(StrEnum):
    """The programs that `mcp install` knows."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"
    WINDSURF = "windsurf"


ImportFrom = Annotated[
    list[Path] | None,
    typer.Option(
        "--import-from",
        metavar="DIR",
        help="A folder that files may be taken in from. Repeat it for more.",
    ),
]
Tools = Annotated[
    str | None,
    typer.Option(
        "--tools", metavar="SETS", help="Of memory, kip, knowledge and markup; all of them."
    ),
]
Http = Annotated[
    str | None,
    typer.Option("--http", metavar="HOST:PORT", help="Streamable HTTP instead of standard input."),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=1,
        max=3_600,
        help="With doctor: how long it may take; 20.",
    ),
]


_SETS = ("memory", "kip", "knowledge", "markup")


def _sets(given: str | None) -> frozenset[str] | None:
    """Return the sets of tools that are named, if any are."""
    if given is None:
        return None
    sets = [one.strip() for one in given.split(",") if one.strip()]
    unknown = [one for one in sets if one not in _SETS]
    if unknown or not sets:
        raise typer.BadParameter(f"--tools takes {', '.join(_SETS)}, with commas between them")
    return frozenset(sets)


def _uninstall(client: McpClient | None, writes: bool, as_json: bool) -> None:
    """Take the memory out of the file of a client, which alone says what is to be taken."""
    if client is None:
        raise typer.BadParameter("uninstall takes a client alone, such as claude-code")
    from recollect.servers.cli.mcp_install import uninstall

    uninstall(client.value, writes=writes, as_json=as_json)


def serve_agents(
    action: Annotated[
        McpAction | None,
        typer.Argument(
            metavar="[ACTION]", help="install, uninstall or doctor; serving without it."
        ),
    ] = None,
    client: Annotated[
        McpClient | None,
        typer.Argument(
            metavar="[CLIENT]",
            help="claude-code, claude-desktop, cursor, vscode, codex or windsurf.",
        ),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer nothing that writes.")
    ] = False,
    import_from: ImportFrom = None,
    http: Http = None,
    tokens: TokensFile = None,
    tools: Tools = None,
    write: Annotated[
        bool,
        typer.Option("--write", help="With install and uninstall: edit the file, with a copy."),
    ] = False,
    timeout: Timeout = None,
    db: Database = None,
    group: GroupName = None,
    json: Json = False,
) -> None:
    """Serve an agent's program over MCP, install this memory in one, or try that; docs/mcp.md."""
    folders = tuple(import_from or ())
    if tokens is not None and http is None:
        raise typer.BadParameter("--tokens belongs to --http")
    if write and action not in (McpAction.INSTALL, McpAction.UNINSTALL):
        raise typer.BadParameter("--write belongs to install and uninstall")
    if timeout is not None and action is not McpAction.DOCTOR:
        raise typer.BadParameter("--timeout belongs to doctor")
    if http is not None and action is not None:
        raise typer.BadParameter("--http belongs to serving; programs speak over standard input")
    match action:
        case None:
            from recollect.servers.cli.mcp import Asked, serve

            asked = Asked(db, group, http, tokens, folders, read_only, _sets(tools))
            serve(asked, as_json=json)
        case McpAction.INSTALL:
            if client is None:
                raise typer.BadParameter("install needs a client, such as claude-code")
            from recollect.servers.cli.mcp_install import Served, install

            served = Served(db, group, folders, read_only)
            install(client.value, served, writes=write, as_json=json)
        case McpAction.UNINSTALL:
            _uninstall(None if db or group or folders or read_only else client, write, json)
        case McpAction.DOCTOR:
            if client is not None and (db or group or folders or read_only):
                raise typer.BadParameter(f"what {client} starts stands in its file; leave it out")
            from recollect.servers.cli.mcp_doctor import examine
            from recollect.servers.cli.mcp_install import Served

            served = Served(db, group, folders, read_only)
            examine(None if client is None else client.value, served, timeout, as_json=json)
