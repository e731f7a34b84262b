"""The commands that keep a memory safe: its copies, its examination, the audit of its log."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from shlex import quote

import typer

from recollect.errors import INVALID_ARGUMENT, RecollectError, refused
from recollect.faces.kip.maintenance import both_hold
from recollect.kernel import compared_by, distribute_groups, roles_script
from recollect.model import Finding
from recollect.servers.cli.cells import counted
from recollect.servers.cli.given import STANDARD_INPUT, STANDARD_OUTPUT, refuse_json_beside
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import CUT_SHORT, NOTHING_KEPT, output, progress_bars
from recollect.servers.cli.own_words import own_hint
from recollect.servers.cli.safe_text import stdout_bytes
from recollect.servers.settings import Settings
from recollect.servers.wiring import require_group

_SQLITE = b"SQLite format 3\0"
_BEGINNING = b'"recollect_dump"'
_LONGEST = 2**16  # bytes of a first line that are looked at
_NAME_A_DUMP = "name a file that `recollect dump` wrote"
_MEND = "try: recollect doctor --fix"
_COUNTING = "tell how many elements other groups write; those of groups that are made now do not"
_GO_BACK = (
    "the rest cannot be rebuilt: keep this file, and put the last backup in its place, or restore"
    " a dump into a new one: recollect restore DUMP --db NEW"
)


def copy_memory(on: Invocation, path: str) -> None:
    """Copy the store to a new file."""
    with output(on) as out:
        out.if_stopped = NOTHING_KEPT
        with opened(on) as nexus, progress_bars(out) as progress:
            nexus.backup(path, progress=progress)
        size = Path(path).stat().st_size
        out.give_json({"path": path, "size_bytes": size})
        out.say(f"copied to {path} ({counted(size, 'byte')})", "green")


def print_roles(on: Invocation, owner: str, user: str) -> None:
    """Print what makes the two roles of a memory on a server; nothing is asked there."""
    with output(as_json=False):
        typer.echo(roles_script(Settings().database(on.database).path, owner, user), nl=False)


def distribute(on: Invocation) -> None:
    """Spread the tables of a memory over machines, and say which were not yet."""
    with output(on) as out:
        tables = distribute_groups(Settings().database(on.database).path)
        out.give_json({"distributed": tables})
        out.say(f"distributed {counted(len(tables), 'table')}", "green")


def write_dump(on: Invocation, path: str, *, all_groups: bool) -> None:
    """Write a group, or all, as lines of JSON to a new file or to standard output."""
    refuse_json_beside(path, as_json=on.as_json)
    with output(on) as out:
        is_stream = path == STANDARD_OUTPUT
        out.if_stopped = CUT_SHORT if is_stream else NOTHING_KEPT
        with opened(on) as nexus, progress_bars(out) as progress:
            if not all_groups:
                require_group(nexus)
            target = stdout_bytes() if is_stream else path
            lines = nexus.dump(target, all_groups=all_groups, progress=progress)
        if is_stream:
            sys.stdout.buffer.flush()
            return
        out.give_json({"path": path, "lines": lines})
        out.say(f"wrote {counted(lines, 'line')} to {path}", "green")


def restore_dump(on: Invocation, path: str) -> None:
    """Read a dump back, creating the memory if it is not there."""
    with output(on) as out:
        out.if_stopped = NOTHING_KEPT
        _refuse_foreign(path)
        with opened(on, create=True) as nexus, progress_bars(out) as progress:
            source = sys.stdin.buffer if path == STANDARD_INPUT else path
            try:
                groups = nexus.restore(source, progress=progress)
            except RecollectError as error:
                if error.details.get("line") != 1:
                    raise
                raise _no_dump(path) from error
            out.if_stopped = "the dump is restored; only its report is missing"
        out.give_json({"groups": groups})
        out.say(f"restored {counted(len(groups), 'group')}: {', '.join(groups)}", "green")


def _refuse_foreign(path: str) -> None:
    """Refuse a file that is no dump before a memory is made; a pipe can be read only once."""
    if path == STANDARD_INPUT or Path(path).is_fifo():
        return
    try:
        with Path(path).open("rb") as file:
            first = file.readline(_LONGEST)
    except OSError as error:
        reason = error.strerror or "it is no file"
        raise refused(f"{path} cannot be read: {reason}", _NAME_A_DUMP) from error
    if first.startswith(_SQLITE):
        raise refused(
            f"{path} is an SQLite file, not a Recollect dump",
            f"a backup is a memory already: copy it, or use it with --db {quote(path)}",
        )
    if _BEGINNING not in first:
        raise _no_dump(path)


def _no_dump(path: str) -> RecollectError:
    """Return the error for a text whose first line is not how a dump begins."""
    name = "standard input" if path == STANDARD_INPUT else path
    return refused(f"{name} is not a Recollect dump", _NAME_A_DUMP)


def examine_memory(on: Invocation, *, fix: bool) -> None:
    """Show what is wrong; exit with 1 when something still is."""
    with output(on) as out:
        out.if_stopped = "what is mended by now is kept; run it again" if fix else ""
        with opened(on, is_checked=False) as nexus, progress_bars(out) as progress:
            diagnosis = nexus.doctor(fix=fix, progress=progress)
            compares = compared_by(nexus.vectors.model)
            groups = nexus.groups(every=True) if diagnosis.is_well else ()
            beside = [(group, one) for group in groups for one in both_hold(nexus.group(group))]
        out.failed = not diagnosis.is_well
        found = {**asdict(diagnosis), "is_well": diagnosis.is_well, "recall": compares}
        both = [{"group": group, **one.to_wire()} for group, one in beside]
        if out.give_json({**found, "both_hold": both}):
            return
        for finding in diagnosis.findings:
            out.say(_finding_line(finding), "green" if finding.is_mended else "red")
        for note in diagnosis.engine:
            out.say(f"note: {note}", "dim")
        for group in diagnosis.counting:
            out.say(f"note: ids of the group {group} {_COUNTING}", "dim")
        for group, one in beside:
            out.say(f"note: in the group {group}, {one.message}", "dim")
            out.advise(f"{own_hint(one.hint)} --group {quote(group)}", "  end it: ")
        looked = f"{counted(diagnosis.elements, 'element')} of {counted(diagnosis.groups, 'group')}"
        verdict = "all is well" if diagnosis.is_well else "not all is well"
        out.say(f"{verdict}: looked at {looked}", "bold")
        out.say(f"recall compares {compares}", "dim")
        if not diagnosis.is_well:
            out.say(_MEND if diagnosis.is_mendable and not fix else _GO_BACK, "dim")


def _finding_line(finding: Finding) -> str:
    place = "" if finding.group is None else f" in the group {finding.group}"
    state = "mended: " if finding.is_mended else ""
    return f"{state}{finding.check}{place}: {finding.message}"


def verify_log(on: Invocation, head: str | None) -> None:
    """Compute the log again and print its head; exit with 1 when something was changed."""
    with output(on) as out:
        with opened(on) as nexus, progress_bars(out) as progress:
            require_group(nexus)
            try:
                audit = nexus.verify(head, progress=progress)
            except RecollectError as error:
                if error.code is not INVALID_ARGUMENT:
                    raise
                raise typer.BadParameter(error.message, param_hint="--head") from error
        out.failed = not audit.is_whole
        if out.give_json({**asdict(audit), "is_whole": audit.is_whole}):
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


def make_vectors(on: Invocation) -> None:
    """Embed what has no vector, in one group or in all, and say how much it was."""
    with output(on) as out, opened(on) as nexus:
        names = nexus.groups(every=on.group is None)
        if on.group is not None:
            require_group(nexus)
            names = [nexus.group_name]
        nexus.vectors.check_embedder()
        out.if_stopped = "what is embedded by now is kept; run it again for the rest"
        with progress_bars(out) as progress:
            embedded = {one: nexus.group(one).vectors.reindex(progress).embedded for one in names}
        model, total = nexus.vectors.model, sum(embedded.values())
        if out.give_json({"model": model, "embedded": total, "groups": embedded}):
            return
        of = f" of {counted(len(names), 'group')}" if on.group is None else ""
        out.say(f"embedded {counted(total, 'element')}{of} with {model}", "green")
