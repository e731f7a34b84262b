"""`recollect mcp`: a memory for the programs of agents."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from recollect.servers.cli.options import Invocation, argument, option
from recollect.servers.cli.usage import noun
from recollect.servers.cli.wanted import AgentService, Offered

app = noun(
    "mcp",
    "Serve an agent's program over MCP, install this memory in one, or try that; docs/mcp.md.",
    default="serve",
)


ClientName = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf"]
"""The programs that are known by name."""

ClientArgument = Annotated[
    ClientName,
    argument("CLIENT", "claude-code, claude-desktop, cursor, vscode, codex or windsurf."),
]
Write = Annotated[
    bool, option("--write", "Edit the program's file; a copy of it is kept beside it.")
]


@app.verb("serve", "db", "group", "json")
def serve_agents(on: Invocation, service: AgentService) -> None:
    """Serve one program over standard input and output, or many over HTTP."""
    if service.tokens is not None and service.http is None:
        raise typer.BadParameter("--tokens belongs to --http")
    sets = service.tool_sets()
    from recollect.servers.cli.mcp import serve_agents

    serve_agents(on, service, sets)


@app.verb("install", "db", "group", "json")
def install_memory(
    on: Invocation, client: ClientArgument, given: Offered, write: Write = False
) -> None:
    """Print what belongs into a program's file, or write it there."""
    from recollect.servers.cli.mcp_install import install_memory

    install_memory(on, client, given, writes=write)


@app.verb("uninstall", "json")
def uninstall_memory(on: Invocation, client: ClientArgument, write: Write = False) -> None:
    """Tell where a program has the memory, or take it out of its file."""
    from recollect.servers.cli.mcp_install import uninstall_memory

    uninstall_memory(on, client, writes=write)


@app.verb("doctor", "db", "group", "json")
def try_memory(
    on: Invocation,
    given: Offered,
    client: Annotated[
        ClientName | None, argument("[CLIENT]", "What this program starts; else what is given.")
    ] = None,
    timeout: Annotated[
        float | None, option("--timeout", "SECONDS", "How long it may take; 20.", min=1, max=3_600)
    ] = None,
) -> None:
    """Try a memory as an agent's program would use it."""
    if client is not None and (on.database or on.group or given != Offered()):
        raise typer.BadParameter(f"what {client} starts stands in its file; leave it out")
    from recollect.servers.cli.mcp_doctor import try_memory

    try_memory(on, client, given, timeout)
