r"""A document as its one canonical text.

The rule: no stored text can become structure. A value stands plain on its line only if that reads
back as itself; else in a block whose fence is no line of it; else as a JSON string. So
`parse(print_text(document)) == document`, whatever the values hold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final

from recollect.errors import refused
from recollect.faces.markup.headers import BARE_ID, TEMPORARY
from recollect.faces.markup.model import (
    CONTENT,
    EXTENSIONS,
    KNOWN_FIELDS,
    LABEL,
    SPACE_KINDS,
    STATES,
    USE_FUNCTION,
    USE_TEMPLATE,
    VALUE,
    Document,
    Id,
    Node,
    Space,
    sign_of,
)
from recollect.faces.markup.parser import KEY, Place
from recollect.faces.markup.text import FORBIDDEN, MOST_ID, MOST_KEY, quoted_text, shown, value_text

_SIMPLE: Final = re.compile(
    r'[^\W_`"#][^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff#]*(?<! )'
)
_FIRST: Final = (LABEL, USE_TEMPLATE, USE_FUNCTION, VALUE)
_LOWER: Final = frozenset(one.lower() for one in (*KNOWN_FIELDS, "ID"))
Comments = Mapping[Place, list[str]]
_NO_COMMENTS: Final[Comments] = {}


def document_text(document: Document, comments: Comments = _NO_COMMENTS) -> str:
    """Return the canonical text of a document, with whole-line comments before what they tell of.

    Raises INVALID_ARGUMENT for a value that no text says: an id or the name of a field that is
    none, two states, an unknown kind. Cost is linear: some 8 MB/s.

    >>> print(document_text(Document((Space(nodes=(Node(Id("1"), fields={"Label": "Lion"}),)),))))
    ---
    - ID: 1
      Label: Lion
    <BLANKLINE>
    """
    printer = Printer(comments)
    for section in document.sections:
        printer.add_section(section)
    printer.add_comments((-1, None), 0)
    return "".join(printer.parts)


class Printer:
    """The parts of a text that grows."""

    def __init__(self, comments: Comments = _NO_COMMENTS) -> None:
        self.parts: list[str] = []
        self._comments = comments
        self._keys = set(KNOWN_FIELDS)  # names that are known to be possible

    def add_section(self, space: Space) -> None:
        """Add a section: its separator, its header if it has one, its nodes."""
        add = self.parts.append
        add("---\n")
        margin = 0
        if space.kind is not None:
            self._check(space, SPACE_KINDS)
            start = -2 if space.span is None else space.span.start
            self.add_comments((start, None), 0)
            state = sign_of(space.state)
            if space.id is None:
                add(f"- {space.kind}{state}\n")
            else:
                add(f"- {space.kind}\n  ID: {id_text(space.id)}{state}\n")
            self._add_fields(space.fields, 2, start)
            margin = 2
        self._add_nodes(space.nodes, margin)

    def _add_nodes(self, nodes: tuple[Node, ...], margin: int) -> None:
        """Add nodes and what stands below them; levels may be many, so none calls itself."""
        waiting: list[tuple[Iterator[Node], int]] = [(iter(nodes), margin)]
        add, has_comments = self.parts.append, bool(self._comments)
        while waiting:
            rest, margin = waiting[-1]
            one = next(rest, None)
            if one is None:
                waiting.pop()
                continue
            if one.states or one.kind is not None:
                self._check(one, EXTENSIONS)
            start = -2 if one.span is None else one.span.start
            if has_comments:
                self.add_comments((start, None), margin)
            add(header_line(one.kind, one.id, one.state, margin))
            if one.fields:
                self._add_fields(one.fields, margin + 2, start)
            if one.nodes:
                waiting.append((iter(one.nodes), margin + 2))

    def _add_fields(self, fields: Mapping[str, str], margin: int, start: int) -> None:
        add, blanks = self.parts.append, " " * margin
        names = fields if len(fields) == 1 else _ordered(fields)
        for key in names:
            if key not in self._keys:
                self._admit(key)
            if self._comments:
                self.add_comments((start, key), margin)
            value = fields[key]
            if _SIMPLE.fullmatch(value):
                add(f"{blanks}{key}: {value}\n")
            else:
                add(f"{blanks}{key}:{value_text(value, margin)}\n")

    def add_comments(self, place: Place, margin: int) -> None:
        """Add the comments that stand before something."""
        for comment in self._comments.get(place, ()):
            self.parts.append(f"{' ' * margin}{comment}\n")

    def _admit(self, key: str) -> None:
        if not KEY.fullmatch(key) or key != key.rstrip() or len(key) > MOST_KEY:
            told = f"{shown(key)!r} is no name of a field"
            raise refused(told, "begin it with a letter; letters, digits, ` `, _, -")
        if key.lower() in _LOWER or " ".join(key.split()).lower() in _LOWER:
            told = f"`{shown(key)}` is not how that field is written"
            raise refused(told, f"use one of {', '.join(KNOWN_FIELDS)}")
        self._keys.add(key)

    def _check(self, one: Node | Space, kinds: tuple[str, ...]) -> None:
        """Refuse a kind or states that no text says."""
        if one.kind is not None and one.kind not in kinds:
            told = f"there is no kind {shown(one.kind)!r}"
            raise refused(told, known=kinds)
        if len(one.states) > 1 or any(state not in STATES for state in one.states):
            told = f"{', '.join(one.states)} is not one state"
            raise refused(told, known=STATES)


def header_line(kind: str | None, id: Id, state: str | None, margin: int) -> str:
    """Return the line that a node begins with."""
    word = "" if kind is None else f"{kind} "
    return f"{' ' * margin}- {word}ID: {id_text(id)}{sign_of(state)}\n"


def id_text(id: Id) -> str:
    """Return an id as it is written: in quotes if it is permanent and would read otherwise.

    >>> id_text(Id("new-1", is_temporary=True)), id_text(Id("new-1")), id_text(Id("a b"))
    ('new-1', '"new-1"', '"a b"')
    """
    text = id.text
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if BARE_ID.fullmatch(text) and FORBIDDEN.search(text) is None:
        if (TEMPORARY.fullmatch(text) is not None) == id.is_temporary:
            return text
    elif not 1 <= len(text) <= MOST_ID or not text.strip():
        told = f"{shown(text)!r} is no id"
        raise refused(told, f"give 1 to {MOST_ID} characters")
    if id.is_temporary:
        told = f"{shown(text)!r} is no temporary id"
        raise refused(told, "use new- and digits: new-1")
    return quoted_text(text)


def _ordered(fields: Mapping[str, str]) -> list[str]:
    """Return the names of fields in the order in which they are printed."""
    known = [one for one in _FIRST if one in fields]
    others = [one for one in fields if one not in _FIRST and one != CONTENT]
    return [*known, *others, *([CONTENT] if CONTENT in fields else ())]
