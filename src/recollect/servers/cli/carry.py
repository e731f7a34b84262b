"""The commands that carry knowledge between memories as KIP capsules: export and import."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from recollect.errors import INVALID_ARGUMENT, STORE_UNAVAILABLE, RecollectError
from recollect.faces.kip.capsules import (
    Imported,
    export_capsules,
    import_capsules,
    read_capsules,
    write_capsules,
)
from recollect.model import Value
from recollect.servers.cli.given import STANDARD_INPUT, STANDARD_OUTPUT
from recollect.servers.cli.output import output
from recollect.servers.cli.progress import told
from recollect.servers.cli.render import counted
from recollect.servers.settings import Settings
from recollect.servers.wiring import filled_nexus, open_nexus, require_group


def export(
    path: str,
    query: str | None,
    parameters: Mapping[str, Value],
    as_of: Mapping[str, object],
    database: str | None,
    group: str | None,
    *,
    as_json: bool,
) -> None:
    """Write the capsules of a group to a new file or to standard output."""
    settings = Settings()
    with output(as_json=as_json) as out:
        written = 0
        with (
            open_nexus(settings.database(database), settings.group(group)) as nexus,
            told(out) as progress,
        ):
            require_group(nexus)
            capsules = export_capsules(nexus, query, parameters, as_of=as_of)
            with _written(path) as stream:
                for written in write_capsules(capsules, stream):
                    progress("capsules", written, 0)
        if path == STANDARD_OUTPUT:
            return
        if out.as_json:
            out.json({"result": {"path": path, "capsules": written}})
        out.say(f"wrote {counted(written, 'capsule')} to {path}", "green")


def take_in(
    files: Sequence[str],
    database: str | None,
    group: str | None,
    actor: str | None,
    request_id: str | None,
    *,
    as_json: bool,
) -> None:
    """Run the capsules of files, each one transaction, creating the memory if need be."""
    settings = Settings()
    with output(as_json=as_json) as out:
        done = Imported(0, 0, 0)
        with (
            filled_nexus(settings.database(database), settings.group(group)) as nexus,
            told(out) as progress,
        ):
            try:
                for done in import_capsules(
                    nexus,
                    _capsules_of(files),
                    actor=settings.actor(actor),
                    request_id=request_id,
                ):
                    progress("capsules", done.capsules, 0)
            except RecollectError:
                if done.capsules:
                    came_in = counted(done.capsules, "capsule")
                    out.say(f"{came_in} came in before the one that failed")
                raise
        if out.as_json:
            report = {"capsules": done.capsules, "created": done.created, "updated": done.updated}
            out.json({"result": report})
        out.say(
            f"{counted(done.capsules, 'capsule')}: {done.created:,} created,"
            f" {done.updated:,} updated",
            "green",
        )


def _capsules_of(files: Sequence[str]) -> Iterator[str]:
    for file in files:
        with _read(file) as stream:
            yield from read_capsules(stream)


@contextmanager
def _read(file: str) -> Iterator[TextIO]:
    name = "standard input" if file == STANDARD_INPUT else file
    try:
        if file == STANDARD_INPUT:
            with _as_text(sys.stdin.buffer) as stream:
                yield stream
        else:
            with Path(file).open(encoding="utf-8-sig") as stream:
                yield stream
    except OSError as error:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{name}: {error.strerror or 'it cannot be read'}",
            hint="name a KIP text, or - for standard input",
        ) from error
    except UnicodeDecodeError as error:
        raise RecollectError(
            INVALID_ARGUMENT, f"{name} is not UTF-8 text", hint="save it as UTF-8"
        ) from error


@contextmanager
def _written(path: str) -> Iterator[TextIO]:
    """Give the text to write: standard output, or a file that must not be there yet."""
    if path == STANDARD_OUTPUT:
        with _as_text(sys.stdout.buffer) as stream:
            yield stream
        return
    try:
        with Path(path).open("x", encoding="utf-8", newline="\n") as stream:
            yield stream
    except FileExistsError as error:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{path} is there already, and nothing is overwritten",
            hint="name a file that is not there yet",
        ) from error
    except OSError as error:
        raise RecollectError(
            STORE_UNAVAILABLE, f"{path}: {error.strerror}", hint="check the folder and the disk"
        ) from error
    except RecollectError:
        Path(path).unlink()
        raise


@contextmanager
def _as_text(binary: BinaryIO) -> Iterator[TextIO]:
    """Give a standard stream as UTF-8 text, whatever the terminal's encoding."""
    stream = TextIOWrapper(binary, encoding="utf-8", newline="\n")
    try:
        yield stream
    finally:
        stream.detach()  # flushes, and leaves the stream open
