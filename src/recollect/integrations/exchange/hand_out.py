"""A memory written for other programs, element by element.

The rule: what is written is one moment of the memory, and stands in the order in which it stands
on one another. Memory: some hundred elements, and the ids of the links that links end in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import BinaryIO, Final, Protocol

from recollect.errors import STORE_BUSY, refused
from recollect.integrations.exchange.graphml import GraphmlWriter
from recollect.integrations.exchange.lines import line_of
from recollect.integrations.exchange.rdf_writer import RdfWriter
from recollect.kernel import Nexus, read_as_of
from recollect.model import AsOf, ConceptRecord, Dated, Found, LinkRecord, Progress, Record, silent
from recollect.node import dataclass, replace

EXPORT_FORMATS: Final = ("jsonl", "graphml", "turtle", "ntriples")
"""The formats that are written, beside KIP's capsules."""

_AT_ONCE: Final = 500  # elements read together


class RecordWriter(Protocol):
    """Spells elements, each after those that it stands on."""

    def head(self) -> bytes:
        """Return what stands before them."""
        ...

    def element(self, record: Record, dated: Dated) -> bytes:
        """Return one of them."""
        ...

    def tail(self) -> bytes:
        """Return what stands after them."""
        ...


@dataclass(frozen=True, slots=True)
class LinesWriter:
    """Writes an element as a line of JSON."""

    def head(self) -> bytes:
        """Return nothing: every line stands for itself."""
        return b""

    def element(self, record: Record, dated: Dated) -> bytes:
        """Return a line."""
        return line_of(record, dated)

    def tail(self) -> bytes:
        """Return nothing."""
        return b""


def hand_out(
    nexus: Nexus,
    stream: BinaryIO,
    format: str,
    found: Found | None = None,
    *,
    as_of: AsOf | Mapping[str, object] | None = None,
    progress: Progress = silent,
) -> int:
    """Write what a group holds, or what a FIND finds, and return how many elements.

    `format` is one of EXPORT_FORMATS. A link that is found brings its ends. The same graph gives
    the same text. STORE_BUSY when something of the group is purged meanwhile.
    """
    writer = _writer(format)
    asked = read_as_of(as_of)
    with nexus.snapshot():  # else the group could be dropped before the reading begins
        moment = _pinned(nexus, asked)
        records = nexus.elements.records(found, as_of=moment)
    known = replace(moment, valid=None)
    written = 0
    stream.write(writer.head())
    for chunk in _chunks(records):
        dated = nexus.elements.look_up([_id(one) for one in chunk], as_of=known, closed=True)
        for one in chunk:
            if _id(one) not in dated:
                raise STORE_BUSY.error(
                    "something of the group was purged while it was read",
                    "send the same request again",
                )
            stream.write(writer.element(one, dated[_id(one)]))
            written += 1
        progress("elements", written, 0)
    stream.write(writer.tail())
    return written


def _writer(format: str) -> RecordWriter:
    match format:
        case "jsonl":
            return LinesWriter()
        case "graphml":
            return GraphmlWriter()
        case "turtle" | "ntriples":
            return RdfWriter(format == "turtle")
    raise refused(
        f"{format!r} is not a format that can be written",
        f"use one of {', '.join(EXPORT_FORMATS)}",
        known=EXPORT_FORMATS,
    )


def _pinned(nexus: Nexus, as_of: AsOf | None) -> AsOf:
    """Return the moment with a transaction for now, so that all that is read is of one."""
    moment = as_of or AsOf()
    if moment.known is not None or moment.transaction is not None:
        return moment
    return replace(moment, transaction=nexus.stats().transactions)


def _chunks(records: Iterator[Record]) -> Iterator[list[Record]]:
    while chunk := list(islice(records, _AT_ONCE)):
        yield chunk


def _id(record: Record) -> str:
    match record:
        case ConceptRecord(concept):
            return concept.id
        case LinkRecord(link):
            return link.id
