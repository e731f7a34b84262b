"""The command that takes in files, each all or nothing, and shows what became of each."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.table import Table

from recollect.errors import RecollectError
from recollect.integrations.exchange import ImportReport, take_in
from recollect.node import replace
from recollect.servers.cli.cells import counted, open_table
from recollect.servers.cli.given import STANDARD_INPUT
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import NOTHING_KEPT, Output, output, progress_bars
from recollect.servers.cli.safe_text import shown
from recollect.servers.cli.wanted import ImportOptions
from recollect.servers.settings import Settings

_STANDARD_INPUT = "standard input"


def take_in_files(on: Invocation, files: Sequence[str], wanted: ImportOptions) -> None:
    """Take in files one after another, creating the memory if need be; show the reports."""
    is_together = wanted.dry_run and len(files) > 1
    with output(on) as out:
        reports: list[ImportReport] = []
        out.if_stopped = _kept(0, len(files))
        with opened(on, create=True, dry_run=wanted.dry_run) as nexus, ExitStack() as entered:
            paths: Iterable[Path] = (entered.enter_context(_on_disk(file)) for file in files)
            if is_together:
                # In a dry run a file sees those before it, as it would if they were kept. Others
                # cannot write meanwhile, so standard input is waited for before.
                paths = list(paths)
                entered.enter_context(nexus.transaction(dry_run=True))
            for file, path in zip(files, paths, strict=True):
                name = _STANDARD_INPUT if file == STANDARD_INPUT else file
                with progress_bars(out, "bytes") as progress, _beside(reports):
                    report = take_in(
                        nexus,
                        path,
                        **told(replace(wanted, dry_run=wanted.dry_run and not is_together)),
                        actor=Settings().actor(on.actor),
                        request_id=on.request_id,
                        progress=progress,
                        name=name,
                    )
                report = replace(report, is_dry_run=wanted.dry_run)
                reports.append(report)
                out.if_stopped = _kept(0 if wanted.dry_run else len(reports), len(files))
                _show(out, report)
        out.give_json(_files(reports))


def _files(reports: Sequence[ImportReport]) -> Mapping[str, object]:
    return {"files": [one.to_wire() for one in reports]}


@contextmanager
def _beside(reports: Sequence[ImportReport]) -> Iterator[None]:
    """Let the error of a file carry the reports of those before it, which came in."""
    try:
        yield
    except RecollectError as error:
        if not reports:
            raise
        raise replace(error, details={**error.details, **_files(reports)}) from error


def _kept(done: int, files: int) -> str:
    """Return what became of several files if the first ones are in and the next is under way."""
    if not done:
        return NOTHING_KEPT
    if done == files:
        return "all came in; only the report is missing"
    others = "other" if files - done == 1 else "others"
    return f"{done:,} of {counted(files, 'file')} came in, and nothing of the {others}"


@contextmanager
def _on_disk(file: str) -> Iterator[Path]:
    """Give the path of a file; standard input is kept in one, since a file is read twice."""
    if file != STANDARD_INPUT:
        yield Path(file)
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        with path.open("xb") as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
        yield path


def _show(out: Output, report: ImportReport) -> None:
    would = "would be " if report.is_dry_run else ""
    out.say(
        f"{report.path} ({report.format}): {counted(report.records, 'record')},"
        f" {report.created:,} {would}created, {report.updated:,} {would}updated",
        "green",
    )
    if report.concepts or report.links:
        out.show(_table(report))
    if out.as_json:
        return
    out.warn_of(report.warnings)
    for one in report.skipped:
        lines = ", ".join(str(line) for line in one.lines)
        more = ", ..." if one.records > len(one.lines) else ""
        out.warn(f"{counted(one.records, 'record')} left out: {one.reason}", f"line {lines}{more}")


def _table(report: ImportReport) -> Table:
    table = open_table()
    for heading in ("kind", "name", "records", "created", "updated", ""):
        table.add_column(heading, justify="left" if heading in ("kind", "name", "") else "right")
    for kind, counts in (("type", report.concepts), ("predicate", report.links)):
        for one in counts:
            numbers = (f"{n:,}" for n in (one.records, one.created, one.updated))
            table.add_row(kind, shown(one.name), *numbers, "new" if one.is_new else "")
    return table
