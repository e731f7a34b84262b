"""Documents from outlines of other programs, and to them: Markdown, OPML, Org, JSON, Tana Paste.

The rule: what a format cannot carry is left out with a notice that names it, never in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from recollect.errors import not_among
from recollect.faces.markup.model import Document
from recollect.faces.markup.outlines.json_tree import read_json, write_json
from recollect.faces.markup.outlines.markdown import read_markdown, write_markdown
from recollect.faces.markup.outlines.opml import read_opml, write_opml
from recollect.faces.markup.outlines.org import read_org, write_org
from recollect.faces.markup.outlines.outline_tree import Converted
from recollect.faces.markup.outlines.tana import write_tana

__all__ = ["Converted", "read_outline", "write_outline"]

ChosenT = TypeVar("ChosenT")

_READERS: Final[Mapping[str, Callable[[str], Converted[Document]]]] = {
    "markdown": read_markdown,
    "opml": read_opml,
    "org": read_org,
    "json": read_json,
}
_WRITERS: Final[Mapping[str, Callable[[Document], Converted[str]]]] = {
    "markdown": write_markdown,
    "opml": write_opml,
    "org": write_org,
    "json": write_json,
    "tana": write_tana,
}


def read_outline(text: str, format: str) -> Converted[Document]:
    r"""Return the document that an outline says: `markdown`, `opml`, `org` or `json`.

    Nodes get temporary ids in document order, each `[created]`; `json` keeps ids and states. A
    notice names what was left out. Raises INVALID_ARGUMENT for an unknown format, with the known
    ones, and for a text that is not of the format.

    >>> document = read_outline("# Animals\n- Lion\n  - Mane", "markdown").value
    >>> [one.label for one in document.walk()]
    ['Animals', 'Lion', 'Mane']
    """
    return _chosen(_READERS, format, "read")(text)


def write_outline(document: Document, format: str) -> Converted[str]:
    r"""Return an outline that says a document: `markdown`, `opml`, `org`, `json` or `tana`.

    A notice names what the format does not carry. Raises INVALID_ARGUMENT for an unknown format,
    with the known ones.

    >>> from recollect.faces.markup import parse
    >>> write_outline(parse("- ID: 1\n  Label: Lion"), "markdown").value
    '- Lion\n'
    """
    return _chosen(_WRITERS, format, "written")(document)


def _chosen(known: Mapping[str, ChosenT], format: str, done: str) -> ChosenT:
    chosen = known.get(format)
    if chosen is None:
        raise not_among(f"no outline is {done} as {format[:40]!r}", format, known)
    return chosen
