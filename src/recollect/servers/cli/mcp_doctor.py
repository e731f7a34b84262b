"""The command that tries a memory as an agent's program would use it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError
from recollect.servers.cli.loading import require
from recollect.servers.cli.mcp_install import server_command
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import one_line
from recollect.servers.cli.wanted import Offered
from recollect.servers.settings import Settings

if TYPE_CHECKING:
    from recollect.servers.mcp.clients import Client, ClientEntry
    from recollect.servers.mcp.trial import TrialStep


def try_memory(on: Invocation, name: str | None, given: Offered, seconds: float | None) -> None:
    """Show how the server does that a program starts; exit with 1 when something fails."""
    with output(as_json=on.as_json) as out:
        require("mcp", "mcp", "the MCP server")
        from recollect.servers.mcp.clients import ClientEntry, client_named
        from recollect.servers.mcp.trial import SECONDS, tried

        install = f"{quote(Settings().program())} mcp install {name or 'CLIENT'} --write"
        if name is None:
            entry, starts_here = ClientEntry(tuple(server_command(on, given))), True
        else:
            client = client_named(name, Path.home(), Path.cwd())
            entry, starts_here = _entry(client, install), client.is_of_project
        if not out.as_json:
            out.say(join(entry.command), "dim")  # at once: a server may take long to start
        steps = tried(entry, install, starts_here=starts_here, seconds=seconds or SECONDS)
        out.failed = not all(one.is_well for one in steps)
        told = {"command": list(entry.command), "is_well": not out.failed}
        if out.give_json({**told, "steps": [asdict(one) for one in steps]}):
            return
        _tell(out, steps)


def _entry(client: Client, install: str) -> ClientEntry:
    """Return what a program starts, as its file says it."""
    try:
        return client.read(_text(client))
    except OSError as error:
        raise RESOURCE_NOT_FOUND.error(f"{client.file}: {error.strerror}", install) from error
    except RecollectError as error:
        is_missing = error.code == RESOURCE_NOT_FOUND
        hint = install if is_missing else install.removesuffix(" --write")
        raise replace(error, hint=hint) from error


def _text(client: Client) -> str:
    try:
        return client.file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise client.unreadable("UTF-8") from error


def _tell(out: Output, steps: list[TrialStep]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for _ in range(3):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for one in steps:
        sign, style = ("✓", "green") if one.is_well else ("✗", "red")
        time = f"{one.milliseconds} ms" if one.milliseconds else ""
        table.add_row(Text(sign, style), one.name, Text(time, "dim"), Text(one_line(one.message)))
    out.show(table)
    for one in steps:
        if one.hint:
            out.say(f"try: {one.hint}", "dim")
    out.say("not all is well" if out.failed else "all is well", "bold")
