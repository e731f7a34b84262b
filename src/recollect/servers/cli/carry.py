"""The command that writes a memory for another one, or for another program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from typing import BinaryIO

from recollect.errors import Notice
from recollect.faces.kip.capsules import export_capsules, write_capsules
from recollect.integrations.exchange import hand_out
from recollect.kernel import new_file, read_as_of
from recollect.model import Found, Progress, Value
from recollect.node import dataclass
from recollect.servers.cli.cells import counted
from recollect.servers.cli.given import STANDARD_OUTPUT, refuse_json_beside
from recollect.servers.cli.opening import opened, warn_of_question
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import CUT_SHORT, NOTHING_KEPT, output, progress_bars
from recollect.servers.cli.safe_text import stdout_bytes
from recollect.servers.wiring import require_group

_KIP = "kip"


@dataclass(frozen=True, slots=True)
class Carried:
    """What is written, and in which format."""

    format: str
    query: str | None
    parameters: Mapping[str, Value]


def write_out(on: Invocation, path: str, carried: Carried) -> None:
    """Write a group in one of the formats to a new file or to standard output."""
    refuse_json_beside(path, as_json=on.as_json)
    query, parameters, as_of = carried.query, carried.parameters, on.as_of
    noun = "capsule" if carried.format == _KIP else "element"
    notices: list[Notice] = []
    with output(on) as out:
        out.if_stopped = CUT_SHORT if path == STANDARD_OUTPUT else NOTHING_KEPT
        with opened(on) as nexus, progress_bars(out) as progress:
            require_group(nexus)
            found = None if query is None else Found(query, parameters)
            warn_of_question(out, nexus, found, read_as_of(as_of))
            with _written(path, carried.format) as stream:
                if carried.format == _KIP:
                    capsules = export_capsules(
                        nexus, query, parameters, as_of=as_of, notices=notices
                    )
                    written = _counted_capsules(capsules, stream, progress)
                else:
                    written = hand_out(
                        nexus, stream, carried.format, found, as_of=as_of, progress=progress
                    )
        out.warn_of(notices)
        if path == STANDARD_OUTPUT:
            return
        out.give_json({"path": path, f"{noun}s": written})
        out.say(f"wrote {counted(written, noun)} to {path}", "green")


def _counted_capsules(capsules: Iterable[str], stream: BinaryIO, progress: Progress) -> int:
    """Write the capsules of a group and return how many."""
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
