"""`recollect mcp`: a memory for the programs of agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from recollect.servers.cli.options import Invocation, TokensFile, argument, option, takes
from recollect.servers.cli.usage import noun

app = noun(
    "mcp",
    "Serve an agent's program over MCP, install this memory in one, or try that; docs/mcp.md.",
    default="serve",
)

TOOL_SETS: Final = ("memory", "kip", "knowledge", "markup")


ClientName = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf"]
"""The programs that are known by name."""

ClientArgument = Annotated[
    ClientName,
    argument("CLIENT", "claude-code, claude-desktop, cursor, vscode, codex or windsurf."),
]
ReadOnly = Annotated[bool, option("--read-only", "Offer nothing that writes.")]
ImportFrom = Annotated[
    list[Path] | None,
    option("--import-from", "DIR", "A folder that files may be taken in from. Repeat it for more."),
]
Write = Annotated[
    bool, option("--write", "Edit the program's file; a copy of it is kept beside it.")
]


@app.command("serve")
@takes("db", "group", "json")
def serve_agents(
    on: Invocation,
    read_only: ReadOnly = False,
    import_from: ImportFrom = None,
    http: Annotated[
        str | None, option("--http", "HOST:PORT", "Streamable HTTP instead of standard input.")
    ] = None,
    tokens: TokensFile = None,
    tools: Annotated[
        str | None, option("--tools", "SETS", "Of memory, kip, knowledge and markup; all of them.")
    ] = None,
    allow_erase: Annotated[
        bool, option("--allow-erase", "Let programs erase memories for ever.")
    ] = False,
) -> None:
    """Serve one program over standard input and output, or many over HTTP."""
    if tokens is not None and http is None:
        raise typer.BadParameter("--tokens belongs to --http")
    sets = _tool_sets(tools)
    from recollect.servers.cli.mcp import AgentService, serve_agents

    service = AgentService(
        http, tokens, tuple(import_from or ()), read_only, sets, may_erase=allow_erase
    )
    serve_agents(on, service)


@app.command("install")
@takes("db", "group", "json")
def install_memory(
    on: Invocation,
    client: ClientArgument,
    read_only: ReadOnly = False,
    import_from: ImportFrom = None,
    write: Write = False,
) -> None:
    """Print what belongs into a program's file, or write it there."""
    from recollect.servers.cli.mcp_install import Served, install_memory

    served = Served(on.database, on.group, tuple(import_from or ()), read_only)
    install_memory(client, served, writes=write, as_json=on.as_json)


@app.command("uninstall")
@takes("json")
def uninstall_memory(on: Invocation, client: ClientArgument, write: Write = False) -> None:
    """Tell where a program has the memory, or take it out of its file."""
    from recollect.servers.cli.mcp_install import uninstall_memory

    uninstall_memory(client, writes=write, as_json=on.as_json)


@app.command("doctor")
@takes("db", "group", "json")
def try_memory(
    on: Invocation,
    client: Annotated[
        ClientName | None, argument("[CLIENT]", "What this program starts; else what is given.")
    ] = None,
    read_only: ReadOnly = False,
    import_from: ImportFrom = None,
    timeout: Annotated[
        float | None, option("--timeout", "SECONDS", "How long it may take; 20.", min=1, max=3_600)
    ] = None,
) -> None:
    """Try a memory as an agent's program would use it."""
    folders = tuple(import_from or ())
    if client is not None and (on.database or on.group or folders or read_only):
        raise typer.BadParameter(f"what {client} starts stands in its file; leave it out")
    from recollect.servers.cli.mcp_doctor import try_memory
    from recollect.servers.cli.mcp_install import Served

    served = Served(on.database, on.group, folders, read_only)
    try_memory(client, served, timeout, as_json=on.as_json)


def _tool_sets(given: str | None) -> frozenset[str] | None:
    """Return the sets of tools that are named, if any are."""
    if given is None:
        return None
    sets = [one.strip() for one in given.split(",") if one.strip()]
    unknown = [one for one in sets if one not in TOOL_SETS]
    if unknown or not sets:
        raise typer.BadParameter(f"--tools takes {', '.join(TOOL_SETS)}, with commas between them")
    return frozenset(sets)
