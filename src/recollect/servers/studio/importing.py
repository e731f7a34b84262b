"""Bringing in a file: a capsule, a table, what another program remembers, a document, a dump.

The rule: a file is data, and tried before it is kept; the form that tries it and the one that
keeps it carry the same bytes. It comes in whole or not at all. Every field of a form is a text, so
a file becomes two of them: its bytes in base64 and, below the name with `.name` behind it, what it
is called; so a page can carry a file on and get it back.
"""

from __future__ import annotations

import io
import re
import tempfile
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

from recollect.errors import Notice, RecollectError, refused
from recollect.faces.markup import Markup
from recollect.integrations.exchange import ImportReport, take_in
from recollect.kernel import Nexus
from recollect.model import Stats
from recollect.node import dataclass
from recollect.servers.studio.care import check_whole
from recollect.servers.studio.trying import Tried, tried
from recollect.servers.studio.visit import Answered, Route, StudioPage, Visit

_MOST_FIELDS: Final = 200
_FILES: Final = "multipart/form-data"
_NAMED: Final = re.compile(rb';\s*(name|filename)="([^"]*)"', re.IGNORECASE)
_ESCAPED: Final = (("%22", '"'), ("%0D", "\r"), ("%0A", "\n"))
"""How a browser writes what would end a name."""


def fields_of(content_type: str, body: bytes) -> Mapping[str, str]:
    r"""Return the fields of a form, the lines of texts ending alike.

    INVALID_ARGUMENT for a body that is no form. Cost: the body, copied once.

    >>> fields_of("application/x-www-form-urlencoded", b"a=1%0D%0A2&b=")
    {'a': '1\n2', 'b': ''}
    """
    kind = Message()
    kind["content-type"] = content_type
    try:
        if kind.get_content_type() == _FILES:
            return _parts(body, str(kind.get_boundary("")).encode("latin-1"))
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError as error:
        raise refused("the body is not a form", "send the fields of the page") from error
    return {name: _lines(value) for name, value in pairs}


def file_of(field: str) -> bytes:
    """Return the bytes of a file in a field; INVALID_ARGUMENT for what is none."""
    try:
        return urlsafe_b64decode(field)
    except ValueError as error:
        raise refused("the field holds no file", "choose the file again") from error


def _parts(body: bytes, boundary: bytes) -> Mapping[str, str]:
    """Return the fields of a form with files; ValueError for a body that is not whole."""
    first, *parts, last = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if first or not boundary or not last.startswith(b"--") or len(parts) > _MOST_FIELDS:
        raise ValueError
    fields: dict[str, str] = {}
    for part in parts:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        named = {one.lower(): _unescaped(text) for one, text in _NAMED.findall(head)}
        name, file = named.get(b"name", ""), named.get(b"filename")
        if file is None:
            fields[name] = _lines(content.decode())
        elif file or content:  # without either, no file was chosen
            fields[name] = urlsafe_b64encode(content).decode("ascii")
            fields[f"{name}.name"] = file
    return fields


def _unescaped(given: bytes) -> str:
    text = given.decode()
    for written, meant in _ESCAPED:
        text = text.replace(written, meant)
    return text


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


BRING_IN: Final = "/care/import"
FILE_BYTES: Final = 16_000_000
BODY_BYTES: Final = FILE_BYTES * 4 // 3 + 2**16
"""Of the form that carries a file of that size on."""

_AUTO: Final = "auto"
_MARKUP: Final = "markup"
_DUMP: Final = "dump"
TITLES: Final = {
    _AUTO: "what it looks like",
    "kip": "a capsule of KIP",
    "csv": "a table of triples (CSV)",
    _MARKUP: "a document of Knowing Markup",
    _DUMP: "a dump of Recollect",
    "jsonl": "lines of JSON",
    "mcp-memory": "memory of the MCP memory server",
    "mem0": "memories of mem0",
    "graphiti": "a group of Graphiti",
    "turtle": "RDF as Turtle",
    "ntriples": "RDF as N-Triples",
}
"""What a file may be, and how a person calls that."""

_DUMP_BEGINS: Final = b'{"recollect_dump":'
_MARKUP_BEGINS: Final = ("- ID:", "- CONCEPTUAL SPACE", "- ATTRIBUTE SPACE", "- ONTOLOGY SPACE")


@dataclass(frozen=True, slots=True)
class File:
    """What a person brings, and as what."""

    name: str
    content: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of a file, or would."""

    kind: str
    report: ImportReport | None = None
    groups: tuple[tuple[str, Stats], ...] = ()  # of a dump
    notices: tuple[Notice, ...] = ()


def import_page(visit: Visit) -> Answered:
    """Show what can be brought in."""
    return _page(visit, {})


def bring_in(visit: Visit) -> Answered:
    """Show what a file would do, or keep it."""
    try:
        file = _given(visit)
        work = _work(visit, file)
        before = visit.transactions
        if visit.form.get("step") == "apply":
            brought = work(visit.nexus)
            return _page(visit, {"brought": brought, "kept": (before, visit.transactions)})
        made: list[Brought] = []
        effects: Tried | None = tried(visit, lambda nexus: made.append(work(nexus)))
        (brought,) = made
        if brought.groups:
            effects = None  # they are in groups of their own
        return _page(visit, {"brought": brought, "tried": effects, "file": file})
    except RecollectError as error:
        return _page(visit, {"error": error}, error.code.http)


def _given(visit: Visit) -> File:
    """Return the file that was chosen, else the text that was pasted."""
    kind, name = visit.form.get("kind", _AUTO), visit.form.get("file.name", "")
    if name or visit.form.get("file"):
        content = file_of(visit.form.get("file", ""))
    else:
        name, content = "pasted text", visit.form.get("text", "").encode("utf-8", "replace")
    if not content.strip():
        raise refused("there is nothing to bring in", "choose a file, or paste a text")
    if kind not in TITLES:
        raise refused("this kind of file is not known", "choose one of the list")
    return File(name, content, _file_kind(content) if kind == _AUTO else kind)


def _file_kind(content: bytes) -> str:
    """Return the kind of a file by its beginning, as far as nothing but this page knows it."""
    if content.startswith(_DUMP_BEGINS):
        return _DUMP
    lines = content[:4_096].decode("utf-8", "replace").splitlines()
    first = next((one.strip() for one in lines if one.strip(" -")), "")
    return _MARKUP if first.startswith(_MARKUP_BEGINS) else _AUTO


def _work(visit: Visit, file: File) -> Callable[[Nexus], Brought]:
    """Return what brings in a file."""
    match file.kind:
        case "dump":
            check_whole(visit)
            return lambda nexus: _restored(nexus, file)
        case "markup":
            return lambda nexus: _loaded(visit, nexus, file)
        case _:
            return lambda nexus: _taken_in(visit, nexus, file)


def _restored(nexus: Nexus, file: File) -> Brought:
    names = nexus.restore(io.BytesIO(file.content))
    return Brought(_DUMP, groups=tuple((one, nexus.group(one).stats()) for one in names))


def _loaded(visit: Visit, nexus: Nexus, file: File) -> Brought:
    try:
        text = file.content.decode()
    except UnicodeDecodeError as error:
        raise refused("the document is not UTF-8", "save it as UTF-8") from error
    markup = Markup(nexus, functions=visit.service.functions, actor=visit.actor)
    return Brought(_MARKUP, notices=markup.load(text).notices)


def _taken_in(visit: Visit, nexus: Nexus, file: File) -> Brought:
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        path = Path(folder) / "file"  # what it is called is a text, and no path
        path.write_bytes(file.content)
        report = take_in(
            nexus,
            path,
            format=file.kind,
            source=visit.form.get("source", "").strip() or None,
            skip_bad=bool(visit.form.get("skip_bad")),
            actor=visit.actor,
            name=file.name,
        )
    return Brought(report.format, report, notices=report.warnings)


def _page(visit: Visit, shows: dict[str, object], status: int = 200) -> StudioPage:
    nothing = dict.fromkeys(("brought", "tried", "file", "kept", "error"))
    frame = {"titles": TITLES, "largest": FILE_BYTES, "fields": visit.form}
    return StudioPage("import.html", "Bring something in", {**nothing, **frame, **shows}, status)


ROUTES: Final = (Route(BRING_IN, import_page), Route(BRING_IN, bring_in, "POST", writes=True))
