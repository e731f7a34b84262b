"""The command that writes a memory for another one, or for another program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from typing import BinaryIO

from recollect.errors import Notice
from recollect.faces.kip.as_of import read_as_of
from recollect.faces.kip.capsules import export_capsules, write_capsules
from recollect.integrations.exchange import hand_out
from recollect.kernel import Nexus, new_file
from recollect.model import Found, Progress, Value
from recollect.servers.cli.given import STANDARD_OUTPUT, refuse_json_beside
from recollect.servers.cli.output import CUT_SHORT, NOTHING_KEPT, output
from recollect.servers.cli.progress import told
from recollect.servers.cli.reading import warn_of_question
from recollect.servers.cli.render import counted
from recollect.servers.cli.safe_text import stdout_bytes
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus, require_group

_KIP = "kip"


def export(
    path: str,
    format: str,
    query: str | None,
    parameters: Mapping[str, Value],
    as_of: Mapping[str, object],
    database: str | None,
    group: str | None,
    *,
    as_json: bool,
) -> None:
    """Write a group in one of the formats to a new file or to standard output."""
    refuse_json_beside(path, as_json=as_json)
    settings = Settings()
    noun = "capsule" if format == _KIP else "element"
    notices: list[Notice] = []
    with output(as_json=as_json) as out:
        out.if_stopped = CUT_SHORT if path == STANDARD_OUTPUT else NOTHING_KEPT
        with (
            open_nexus(settings.database(database), settings.group(group)) as nexus,
            told(out) as progress,
        ):
            require_group(nexus)
            found = None if query is None else Found(query, parameters)
            warn_of_question(out, nexus, found, read_as_of(as_of))
            with _written(path, format) as stream:
                if format == _KIP:
                    options = query, parameters, as_of
                    written = _capsules(nexus, stream, *options, progress, notices)
                else:
                    written = hand_out(
                        nexus,
                        stream,
                        format,
                        query=query,
                        parameters=parameters,
                        as_of=as_of,
                        progress=progress,
                    )
        out.warn_of(notices)
        if path == STANDARD_OUTPUT:
            return
        if out.as_json:
            out.json({"result": {"path": path, f"{noun}s": written}})
        out.say(f"wrote {counted(written, noun)} to {path}", "green")


def _capsules(
    nexus: Nexus,
    stream: BinaryIO,
    query: str | None,
    parameters: Mapping[str, Value],
    as_of: Mapping[str, object],
    progress: Progress,
    notices: list[Notice],
) -> int:
    """Write the capsules of a group and return how many."""
    capsules = export_capsules(nexus, query, parameters, as_of=as_of, notices=notices)
    written = 0
    with _as_text(stream) as text:
        for written in write_capsules(capsules, text):
            progress("capsules", written, 0)
    return written


@contextmanager
def _written(path: str, format: str) -> Iterator[BinaryIO]:
    """Give the stream to write: standard output, or a file that is there only once it is whole."""
    if path == STANDARD_OUTPUT:
        yield stdout_bytes()
        return
    with new_file(path, f"memory.{format}") as part, part.open("xb") as stream:
        yield stream


@contextmanager
def _as_text(binary: BinaryIO) -> Iterator[TextIOWrapper]:
    """Give a stream as UTF-8 text, whatever the terminal's encoding."""
    stream = TextIOWrapper(binary, encoding="utf-8", newline="\n")
    try:
        yield stream
    finally:
        stream.detach()  # flushes, and leaves the stream open
