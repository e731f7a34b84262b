"""The formats that can be read: their names, how one is told from another, and their readers.

The rule: what a file begins with decides where its name leaves a choice; RDF's library is loaded
only for RDF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from shlex import quote
from typing import Final, Literal, cast, get_args

from recollect.errors import RecollectError, load_extra, not_among, refused
from recollect.integrations.exchange.graphiti import read_graphiti
from recollect.integrations.exchange.lines import read_jsonl
from recollect.integrations.exchange.mcp_memory import read_mcp_memory
from recollect.integrations.exchange.mem0 import read_mem0
from recollect.integrations.exchange.members import decoded_value
from recollect.integrations.exchange.records import Record
from recollect.integrations.exchange.source import Source
from recollect.integrations.exchange.triples import read_csv
from recollect.model import Value

ImportFormat = Literal[
    "auto", "kip", "mcp-memory", "mem0", "graphiti", "csv", "jsonl", "turtle", "ntriples"
]
"""What `take_in` may be told that a file is."""

KIP: Final = "kip"
"""The one format that is not read record by record."""

FORMATS: Final = tuple(one for one in get_args(ImportFormat) if one != "auto")
"""The formats that are read."""

WHOLE: Final = frozenset({"mem0", "turtle", "ntriples"})
"""Those that are held in memory while they are read."""

Reader = Callable[[Source, str], Iterator[Record]]

_READERS: Final[Mapping[str, Reader]] = {
    "mcp-memory": read_mcp_memory,
    "mem0": read_mem0,
    "graphiti": read_graphiti,
    "csv": read_csv,
    "jsonl": read_jsonl,
}

_BY_SUFFIX: Final = {
    ".kip": "kip",
    ".csv": "csv",
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".nt": "ntriples",
    ".ntriples": "ntriples",
}
_REFUSED: Final = frozenset({".rdf", ".owl", ".xml", ".jsonld", ".trig", ".nq", ".n3"})
_OF_A_TALK: Final = (b'"role"', b'"content"')
_LOOKED_AT: Final = 64 * 2**10  # bytes of a file
_TURTLE: Final = ("@prefix", "@base", "prefix ", "base ")
_KIP: Final = ("//", "upsert", "delete", "update", "merge", "find", "search", "describe", "export")


def rdf(module: str) -> object:
    """Return a module that needs RDF's library; UNAVAILABLE without the extra."""
    place = f"recollect.integrations.exchange.{module}"
    loaded: object = load_extra(place, "rdf", "RDF is read and written through it")
    return loaded


def reader_of(format: str) -> Reader:
    """Return what reads a format other than KIP."""
    reader = _READERS.get(format)
    if reader is not None:
        return reader
    return cast(Reader, getattr(rdf("rdf_reader"), f"read_{format}"))


def format_of(source: Source, given: str) -> str:
    """Return the format of a file; INVALID_ARGUMENT where neither name nor content tells."""
    if given != "auto":
        if given not in FORMATS:
            raise not_among(f"{given!r} is not a format that can be read", given, FORMATS)
        return given
    suffix = PurePath(source.name).suffix.lower()
    begins = source.beginning(_LOOKED_AT)
    found = _BY_SUFFIX.get(suffix) or _by_content(begins)
    if suffix in _REFUSED or begins.lstrip().lower().startswith((b"<?xml", b"<rdf:", b"<!doctype")):
        raise refused(
            f"{source.name} is in a format that cannot be read: of RDF, Turtle and N-Triples can",
            "save it as Turtle",
        )
    if found is None:
        message = f"neither the name nor the beginning of {source.name} tells what format it is in"
        if all(one in begins for one in _OF_A_TALK):
            said = f"recollect remember --messages {quote(source.name)}"
            raise refused(message, f"messages are told, one a line, by {said}")
        hint = f"name the format: one of {', '.join(FORMATS)}"
        raise refused(message, hint, known=FORMATS)
    return found


def _by_content(begins: bytes) -> str | None:
    beginning = begins.decode("utf-8", "replace").lstrip()
    first = beginning.split("\n", 1)[0].strip().lower()
    if beginning.startswith(("{", "[")):
        return _by_json(begins.lstrip())
    if first.startswith(_TURTLE):
        return "turtle"
    if first.startswith(("<", "_:")):
        return "ntriples"
    if first.startswith(_KIP):
        return "kip"
    columns = {cell.strip(' "') for cell in first.split(",")}
    return "csv" if {"subject", "predicate", "object"} <= columns else None


def _by_json(begins: bytes) -> str | None:
    """Return the format of a JSON file by its first line, or by what it is as a whole."""
    try:
        first = decoded_value(begins.split(b"\n", 1)[0])
    except RecollectError:
        first = None  # an object of several lines
    match first:
        case {"recollect_dump": _}:
            raise refused("it is a dump", "recollect restore reads a dump")
        case {"type": "entity", "entityType": _} | {"type": "relation", "relationType": _}:
            return "mcp-memory"
        case {"concept": _} | {"link": _} | {"subject": _, "predicate": _}:
            return "jsonl"
        case {"uuid": _, "group_id": _}:
            return "graphiti"
    return "mem0" if _is_mem0(first, begins) else None


def _is_mem0(first: Value, begins: bytes) -> bool:
    match first:
        case {"results": list()}:
            return True
        case [{"memory": _}, *_]:
            return True
    return first is None and (b'"results"' in begins or b'"memory"' in begins)
