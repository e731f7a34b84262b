"""The command that audits a group's log."""

from __future__ import annotations

from dataclasses import asdict

import typer

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.servers.cli.output import output
from recollect.servers.cli.progress import told
from recollect.servers.cli.render import counted
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus, require_group


def verify(head: str | None, database: str | None, group: str | None, *, as_json: bool) -> None:
    """Compute the log again and print its head; exit with 1 when something was changed."""
    settings = Settings()
    with output(as_json=as_json) as out:
        with (
            open_nexus(settings.database(database), settings.group(group)) as nexus,
            told(out) as progress,
        ):
            require_group(nexus)
            try:
                audit = nexus.verify(head, progress=progress)
            except RecollectError as error:
                if error.code is not INVALID_ARGUMENT:
                    raise
                raise typer.BadParameter(error.message, param_hint="--head") from error
        out.failed = not audit.is_whole
        if out.as_json:
            out.json({"result": {**asdict(audit), "is_whole": audit.is_whole}})
            return
        if audit.breach is not None:
            place = f"transaction {audit.breach.transaction} of the group {audit.group}"
            out.say(f"broken at {place}: {audit.breach.problem}", "bold red")
            return
        out.say(
            f"whole: {counted(audit.transactions, 'transaction')} of the group {audit.group}, "
            f"{counted(audit.contents, 'content')} checked, {audit.purged:,} erased",
            "green",
        )
        out.say(f"head, to keep elsewhere: {audit.head}")
