"""The commands that copy a memory whole: backup, dump, restore."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.servers.cli.given import STANDARD_INPUT, STANDARD_OUTPUT, refuse_json_beside
from recollect.servers.cli.output import CUT_SHORT, NOTHING_KEPT, output
from recollect.servers.cli.progress import told
from recollect.servers.cli.render import counted
from recollect.servers.cli.safe_text import stdout_bytes
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus, require_group

_SQLITE = b"SQLite format 3\0"
_BEGINNING = b'"recollect_dump"'
_LONGEST = 2**16  # bytes of a first line that are looked at
_NAME_A_DUMP = "name a file that `recollect dump` wrote"


def backup(path: str, database: str | None, *, as_json: bool) -> None:
    """Copy the store to a new file."""
    settings = Settings()
    with output(as_json=as_json) as out:
        out.if_stopped = NOTHING_KEPT
        with (
            open_nexus(settings.database(database), settings.group()) as nexus,
            told(out) as progress,
        ):
            nexus.backup(path, progress=progress)
        size = Path(path).stat().st_size
        if out.as_json:
            out.json({"result": {"path": path, "size_bytes": size}})
        out.say(f"copied to {path} ({counted(size, 'byte')})", "green")


def dump(
    path: str, database: str | None, group: str | None, *, all_groups: bool, as_json: bool
) -> None:
    """Write a group, or all, as lines of JSON to a new file or to standard output."""
    refuse_json_beside(path, as_json=as_json)
    settings = Settings()
    with output(as_json=as_json) as out:
        is_stream = path == STANDARD_OUTPUT
        out.if_stopped = CUT_SHORT if is_stream else NOTHING_KEPT
        with (
            open_nexus(settings.database(database), settings.group(group)) as nexus,
            told(out) as progress,
        ):
            if not all_groups:
                require_group(nexus)
            target = stdout_bytes() if is_stream else path
            lines = nexus.dump(target, all_groups=all_groups, progress=progress)
        if is_stream:
            sys.stdout.buffer.flush()
            return
        if out.as_json:
            out.json({"result": {"path": path, "lines": lines}})
        out.say(f"wrote {counted(lines, 'line')} to {path}", "green")


def restore(path: str, database: str | None, *, as_json: bool) -> None:
    """Read a dump back, creating the memory if it is not there."""
    settings = Settings()
    with output(as_json=as_json) as out:
        out.if_stopped = NOTHING_KEPT
        _refuse_foreign(path)
        with (
            open_nexus(settings.database(database), settings.group(), create=True) as nexus,
            told(out) as progress,
        ):
            source = sys.stdin.buffer if path == STANDARD_INPUT else path
            try:
                groups = nexus.restore(source, progress=progress)
            except RecollectError as error:
                if error.details.get("line") != 1:
                    raise
                raise _no_dump(path) from error
            out.if_stopped = "the dump is restored; only its report is missing"
        if out.as_json:
            out.json({"result": {"groups": groups}})
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
        raise RecollectError(
            INVALID_ARGUMENT, f"{path} cannot be read: {reason}", hint=_NAME_A_DUMP
        ) from error
    if first.startswith(_SQLITE):
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{path} is an SQLite file, not a Recollect dump",
            hint=f"a backup is a memory already: copy it, or use it with --db {quote(path)}",
        )
    if _BEGINNING not in first:
        raise _no_dump(path)


def _no_dump(path: str) -> RecollectError:
    """Return the error for a text whose first line is not how a dump begins."""
    name = "standard input" if path == STANDARD_INPUT else path
    return RecollectError(
        INVALID_ARGUMENT,
        f"{name} is not a Recollect dump",
        hint=_NAME_A_DUMP,
    )
