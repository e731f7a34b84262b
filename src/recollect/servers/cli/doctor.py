"""The command that examines a memory, and mends what can be made anew."""

from __future__ import annotations

from dataclasses import asdict

from recollect.model import Finding
from recollect.servers.cli.output import output
from recollect.servers.cli.progress import told
from recollect.servers.cli.render import counted
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus

_MEND = "try: recollect doctor --fix"
_COUNTING = "tell how many elements other groups write; those of groups that are made now do not"
_GO_BACK = (
    "the rest cannot be rebuilt: keep this file, and put the last backup in its place, or restore"
    " a dump into a new one: recollect restore DUMP --db NEW"
)


def examine(database: str | None, *, fix: bool, as_json: bool) -> None:
    """Show what is wrong; exit with 1 when something still is."""
    settings = Settings()
    with output(as_json=as_json) as out:
        out.if_stopped = "what is mended by now is kept; run it again" if fix else ""
        with (
            open_nexus(settings.database(database), settings.group(), is_checked=False) as nexus,
            told(out) as progress,
        ):
            diagnosis = nexus.doctor(fix=fix, progress=progress)
        out.failed = not diagnosis.is_well
        if out.as_json:
            out.json({"result": {**asdict(diagnosis), "is_well": diagnosis.is_well}})
            return
        for finding in diagnosis.findings:
            out.say(_line(finding), "green" if finding.is_mended else "red")
        for group in diagnosis.counting:
            out.say(f"note: ids of the group {group} {_COUNTING}", "dim")
        looked = f"{counted(diagnosis.elements, 'element')} of {counted(diagnosis.groups, 'group')}"
        verdict = "all is well" if diagnosis.is_well else "not all is well"
        out.say(f"{verdict}: looked at {looked}", "bold")
        if not diagnosis.is_well:
            out.say(_MEND if diagnosis.is_mendable and not fix else _GO_BACK, "dim")


def _line(finding: Finding) -> str:
    place = "" if finding.group is None else f" in the group {finding.group}"
    state = "mended: " if finding.is_mended else ""
    return f"{state}{finding.check}{place}: {finding.message}"
