"""Open the memory a command is about, and say why its answer may be empty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from recollect.errors import TYPE_MISMATCH, Notice, RecollectError
from recollect.kernel import Nexus
from recollect.model import AsOf, Found
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import Output
from recollect.servers.settings import Settings
from recollect.servers.wiring import absent_group, open_nexus

_NOTHING = 'FIND(?x) WHERE { ?x {id: "none"} }'


@contextmanager
def opened(
    on: Invocation, *, create: bool = False, is_checked: bool = True, dry_run: bool = False
) -> Iterator[Nexus]:
    """Open the memory a command is about; one that is not there is made only if it may be.

    A dry run makes none: it looks at an empty one that is kept nowhere. A command that fails
    leaves none: what it made is taken away, unless something was written to it meanwhile.
    """
    settings = Settings()
    located = settings.database(on.database)
    if dry_run and not located.exists:
        located = settings.database(":memory:")
    made = None if located.exists else located.file
    group = settings.group(on.group)
    try:
        with open_nexus(located, group, create=create, is_checked=is_checked) as nexus:
            try:
                yield nexus
            except BaseException:
                made = made if made is not None and not nexus.groups() else None
                raise
            made = None
    finally:
        # The last who closes a file takes its log away: where there is one, others have it open.
        if made is not None and not made.with_name(f"{made.name}-wal").exists():
            made.unlink(missing_ok=True)


@contextmanager
def opened_to_read(out: Output, on: Invocation) -> Iterator[Nexus]:
    """Open the memory a command is about, and warn of a group that was never written to."""
    with opened(on) as nexus:
        warn_of_absent_group(out, nexus)
        yield nexus


def warn_of_absent_group(out: Output, nexus: Nexus) -> None:
    """Tell that what follows is empty since the group is not there: its name may be misspelt."""
    absent = absent_group(nexus)
    if absent is not None:
        out.warn(absent.message, absent.hint)


def warn_of_question(out: Output, nexus: Nexus, found: Found | None, as_of: AsOf | None) -> None:
    """Warn as `query` would of the same question: of the moment, and of the names in a FIND.

    Queries that `query` would refuse are left to the work itself, which may accept them: a strict
    group can delete what it has not declared. Cost: one FIND, run for its warnings alone.
    """
    text, parameters = (_NOTHING, {}) if found is None else (found.text, found.parameters)
    try:
        out.warn_of(nexus.read(text, parameters, as_of=as_of).notices)
    except RecollectError as error:
        if error.code is TYPE_MISMATCH:
            out.warn_of([Notice(error.code.code, error.message, error.hint)])
