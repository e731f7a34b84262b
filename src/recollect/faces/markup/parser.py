"""Text to a document: the one strict grammar of Knowing Markup.

How it works. A text is read line by line, once. A stack holds the headers that are open, each with
the column it begins at; a new header closes all at its column or deeper, and stands below the one
that is left. A field closes nothing: it belongs to the latest open header whose column is smaller
than its own. Nearly all lines have one of two plain forms, which one regular expression knows;
whatever else a line may be is read by hand. A fault goes to the sink of the lines: a strict reader
raises it, a checker notes it and the line is left out.

Columns are doubled, and a space stands half a column to the left: so a node at the column of its
space stands below it, and one rule serves nodes and spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Final

from recollect.errors import (
    DUPLICATE_FIELD,
    FIELD_WITHOUT_NODE,
    INVALID_ID,
    INVALID_STATE,
    MARKUP_LIMIT,
    MISPLACED_SPACE,
    UNCLOSED_BLOCK,
    UNEXPECTED_LINE,
    RecollectError,
    Span,
)
from recollect.faces.markup.headers import Header, HeaderReader, bare_id, refuse_kind
from recollect.faces.markup.mending import as_comments, has_below, joined
from recollect.faces.markup.model import (
    CONTENT,
    EXTENSIONS,
    KNOWN_FIELDS,
    SPACE_KINDS,
    STATES,
    USE_FUNCTION,
    USE_TEMPLATE,
    VALUE,
    Document,
    Id,
    Node,
    Space,
)
from recollect.faces.markup.text import (
    MOST_FIELDS,
    MOST_ID,
    MOST_KEY,
    MOST_LEVELS,
    MOST_NODES,
    Lines,
    ignore_fault,
    json_string,
    shown,
)
from recollect.node import dataclass, field

KEY: Final = re.compile(r"[^\W\d_][\w \-]*")

_PLAIN = re.compile(
    rf"( *)(?:- (?:([A-Z]+) )?ID: ([^\s\[\]#`\"]+)(?: \[({'|'.join(STATES)})\])?"
    r"|((?!ID:)[A-Za-z][A-Za-z0-9 _-]*):(?: (.*))?)$"
)
"""A node as it is printed, or a field: indentation, extension, id, state; name, value."""

_ODD_FIELD = re.compile(r"([^\W\d_][\w \-]*):(?:[ \t]+(.*)|$)")
_FENCE = re.compile(r"`+")
_CODE_FENCE = re.compile(r"(?:`{3,}|~{3,})[ \t]*[\w.+-]*")
_NO_COLON = re.compile(rf"({'|'.join(('ID', *KNOWN_FIELDS))})[ \t]+(.+)")
_BULLET = re.compile(r"[\u2010-\u2015\u2212\u2022*+][ \t]+((?:[A-Z]+ )?ID:.*)")
_NO_TEXTS: Final = frozenset({USE_FUNCTION, USE_TEMPLATE, VALUE})  # a further line breaks them
_REMARK = re.compile(r"[ \t]+#")
MOST_REMARKS: Final = 16
"""Places of one text where a remark may begin; so that a text is read in linear time."""

_LOWER: Final = {one.lower(): one for one in (*KNOWN_FIELDS, "ID")}
_HEADLESS: Final = -2
_SPECIAL: Final = frozenset('"` \t')  # a value that begins otherwise, without `#`, is as it is
Place = tuple[int, str | None]
"""What a comment stands before: where its header begins, and the name of the field; (-1, None)."""


def parse(text: str) -> Document:
    r"""Return the document that a text says, strictly.

    Raises a `RecollectError` with a KM code for the first fault: KM_1001 to KM_1010 for what is
    not the language, KM_4002 beyond 64 MiB, 256 levels, 100,000 nodes or 64 fields of a node;
    always with the text and a span. Cost is linear in the text: some 4 MB/s. Knowing Markup
    specification, section 4.

    >>> parse("- ID: 1 [updated]\n  Label: Lion").sections[0].nodes[0].state
    'updated'
    """
    document, _ = read_document(Lines(text), 0, 0)
    return document


def read_document(
    lines: Lines, first: int, offset: int, *, is_entry: bool = False
) -> tuple[Document, int]:
    """Return the document from a line on, which begins at a character, and the line it ends at.

    As an entry of a message it ends before the first `Key:` at column 0 outside a block.
    """
    reader = DocumentReader(lines, first, offset, is_entry=is_entry)
    return reader.read(), reader.at


def field_places(source: str) -> dict[Place, Span]:
    """Return where the fields of a document, or of the document in a message, stand."""
    reader = DocumentReader(Lines(source, ignore_fault))
    reader.fields = {}
    reader.read()
    return reader.fields


@dataclass(slots=True)
class _Open:
    """A header that is open: what stands below it is still to come."""

    column: int
    kind: str | None
    id: Id | None
    states: tuple[str, ...]
    start: int  # of its header
    end: int
    is_space: bool = False
    fields: dict[str, str] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    remarked: list[str] | None = None


class DocumentReader:
    """Reads one document; `comments` are the whole-line comments, by what they stand before."""

    def __init__(
        self, lines: Lines, first: int = 0, offset: int = 0, *, is_entry: bool = False
    ) -> None:
        self.lines = lines
        self.at = first  # the line that is read next
        self.comments: dict[Place, list[str]] = {}
        self.fields: dict[Place, Span] | None = None  # where they stand, if that is asked
        self._offset = offset
        self._is_entry = is_entry
        self._sections: list[Space] = []
        self._stack: list[_Open] = []
        self._count = 0
        self._has_remarks = False
        self._may_be_remark = False  # whether the value read last may hold one
        self._keys = set(KNOWN_FIELDS)  # names of fields that are known to be possible
        self._waiting: list[str] = []  # comments that wait for what follows them

    def read(self) -> Document:
        """Return the document."""
        texts, plain, stack = self.lines.lines, _PLAIN.match, self._stack
        known, is_entry = self._keys if self.fields is None else (), self._is_entry
        while self.at < len(texts):
            line = texts[self.at]
            found = plain(line)
            if found is None:
                if self._read_odd(line):
                    break
                continue
            blanks, word, id_text, state, key, value = found.groups()
            column, start = 2 * len(blanks), self._offset
            if id_text is not None:
                self._offset = start + len(line) + 1
                self.at += 1
                while stack and stack[-1].column >= column:
                    self._close()
                if not stack:
                    stack.append(_Open(_HEADLESS, None, None, (), start, start))
                if id_text.isascii() and len(id_text) <= MOST_ID and id_text[:4] != "new-":
                    id: Id | None = Id(id_text)
                else:
                    id = bare_id(self.lines, id_text, start + found.start(3))
                states = () if state is None else (state,)
                one = _Open(column, word, id, states, start + len(blanks), start + len(line))
                if word is not None and word not in EXTENSIONS:
                    refuse_kind(self.lines, word, start + found.start(2), len(word))
                self._push(one)
                continue
            if column == 0 and is_entry:
                break
            self._offset = start + len(line) + 1
            self.at += 1
            if (
                value
                and value[0] not in _SPECIAL
                and "#" not in value
                and key in known
                and stack
                and (top := stack[-1]).column + top.is_space < column
                and key not in top.fields
                and top.column != _HEADLESS
                and len(top.fields) < MOST_FIELDS
                and not self._waiting
            ):
                top.fields[key] = value.rstrip(" \t") if value[-1] in " \t" else value
            else:
                self._put(column, key, value or "", start + len(blanks), start + found.start(6))
        while stack:
            self._close()
        if self._waiting:
            self.comments[-1, None] = self._waiting
        if self._has_remarks:
            _drop_remarks(self._sections)
        return Document(tuple(self._sections))

    @property
    def offset(self) -> int:
        """The character that the next line begins at."""
        return self._offset

    # Headers

    def _push(self, one: _Open) -> None:
        self._stack.append(one)
        self._count += 1
        if len(self._stack) > MOST_LEVELS + 1 or self._count > MOST_NODES:
            deep = len(self._stack) > MOST_LEVELS + 1
            most = f"{MOST_LEVELS} levels" if deep else f"{MOST_NODES} nodes"
            raise self._too_much(f"the text has more than {most}", one.start, one.end)
        if self._waiting:
            self._comment(one.start, None)

    def _close(self) -> None:
        """Make what is open last a value, and put it where it belongs."""
        one, lines = self._stack.pop(), self.lines
        remarked = tuple(one.remarked) if one.remarked else ()
        start, end = one.start, one.end
        span = Span(start, end) if lines.is_plain else lines.span(start, end)
        if one.is_space or one.column == _HEADLESS:
            self._sections.append(
                Space(one.kind, one.id, one.states, one.fields, tuple(one.nodes), span, remarked)
            )
            return
        if one.id is None:
            hint, told = f"write - {one.kind} ID: new-1 [created]", f"this {one.kind} has no id"
            head = lines.text.index(str(one.kind), start) + len(str(one.kind))
            is_new, state = one.states in ((), ("created",)), "" if one.states else " [created]"
            fix = f" ID: {lines.free_id()}{state}" if is_new else None
            lines.fault(INVALID_ID, told, start, end, hint=hint, fix=fix, at=(head, head))
            return
        made = Node(one.id, one.kind, one.states, one.fields, tuple(one.nodes), span, remarked)
        self._stack[-1].nodes.append(made)

    def _read_header(self, line: str, column: int, width: int) -> None:
        """Read a line that begins with `-` and is no plain node."""
        start = self._offset
        begin, end = start + width, start + len(line.rstrip(" \t"))
        header = HeaderReader(self.lines, line, start, width).header()
        if header is None:  # its fault is told; what stands below it still belongs to it
            header = Header(None, Id("?"), ())
        is_space = header.kind in SPACE_KINDS
        place = 2 * column - is_space
        while self._stack and self._stack[-1].column >= place:
            self._close()
        one = _Open(place, header.kind, header.id, header.states, begin, end, is_space)
        if is_space:
            self._open_space(one)
            return
        if not self._stack:
            self._stack.append(_Open(_HEADLESS, None, None, (), begin, begin))
        self._push(one)

    def _open_space(self, space: _Open) -> None:
        if any(one.column != _HEADLESS for one in self._stack):
            told = f"{space.kind} stands below another header"
            hint = "write it at the column of the first header, or refer to it: - SPACE ID: ..."
            place, at = (space.start, space.end), (self._offset, space.start)
            self.lines.fault(MISPLACED_SPACE, told, *place, hint=hint, fix="", at=at)
        while self._stack:
            self._close()
        self._stack.append(space)
        self._comment(space.start, None)

    # Fields

    def _put(self, column: int, key: str, value: str, start: int, at: int) -> None:
        """Give a field to the header it belongs to; its value begins at a character."""
        stack = self._stack
        owner = None
        for one in reversed(stack):
            if one.column + one.is_space < column:
                owner = one
                break
        if key not in self._keys:
            key = key.rstrip()
            if key not in self._keys and not self._admit(key, start):
                owner = None if owner is None else _Open(0, None, None, (), 0, 0)
        text = self.value(column, value.strip(" \t"), at)
        if text is not None and self._may_be_remark and owner is not None:
            owner.remarked = [*(owner.remarked or ()), key]
            self._has_remarks = True
        if text is None:
            return
        end = start + len(key) + 1
        if owner is None or owner.column == _HEADLESS:
            told = f"the field {shown(key)} belongs to no node"
            hint = "indent it below the header of its node"
            edit, fix = self._to_header(key, value, start)
            self.lines.fault(FIELD_WITHOUT_NODE, told, start, end, hint=hint, fix=fix, at=edit)
            return
        if key in owner.fields:
            told, hint = f"{shown(key)} is given twice", f"keep one {shown(key)}"
            fix, lines = "" if owner.fields[key] == text else None, self._line_of(start)
            self.lines.fault(DUPLICATE_FIELD, told, start, end, hint=hint, fix=fix, at=lines)
            return
        owner.fields[key] = text
        if self.fields is not None:
            header = self.lines.span(owner.start, owner.start)
            end = max(at + len(value), end)
            self.fields[header.start, key] = self.lines.span(start, end)
        if len(owner.fields) > MOST_FIELDS:
            raise self._too_much(f"a node has more than {MOST_FIELDS} fields", start, start + 1)
        if self._waiting:
            self._comment(owner.start, key)

    def _line_of(self, start: int) -> tuple[int, int]:
        """Return where the lines stand that were read last, from that of a character on."""
        text = self.lines.text
        return text.rfind("\n", 0, start) + 1, min(self._offset, len(text))

    def _to_header(self, key: str, value: str, start: int) -> tuple[tuple[int, int], str | None]:
        """Return the edit that gives a field to the header above it, or to one of its own."""
        line, _ = self._line_of(start)
        if self._stack and self._stack[-1].column != _HEADLESS:
            blanks = " " * ((self._stack[-1].column + 1) // 2 + 2)
            return (line, start), None if key in self._stack[-1].fields else blanks
        if key in KNOWN_FIELDS:
            return (line, line), f"- ID: {self.lines.free_id()} [created]\n  "
        return (start, start), None if _FENCE.fullmatch(value.strip()) else "# "

    def _admit(self, key: str, start: int) -> bool:
        """Whether a name may be one of a field."""
        known = _LOWER.get(" ".join(key.split()).lower())
        if known is not None and key != known:
            told = f"the field {known} is written `{shown(key)}`"
            end = start + len(key)
            self.lines.fault(UNEXPECTED_LINE, told, start, end, hint=f"use {known}", fix=known)
            return False
        if len(key) > MOST_KEY:
            told = f"the name of a field has more than {MOST_KEY} characters"
            raise self._too_much(told, start, start + len(key), "shorten it")
        self._keys.add(key)
        return True

    def value(self, column: int, value: str, at: int) -> str | None:
        """Return the text of a field at a (doubled) column, whose value begins at a character.

        The lines of a block are read too. None after a fault.
        """
        first = value[:1]
        self._may_be_remark = False
        if first == '"':
            said = json_string(value)
            if said is not None:
                return said
        elif first == "`" and _FENCE.fullmatch(value):
            return self._block(column, value, at)
        self._may_be_remark = " #" in value or "\t#" in value
        return value

    def _block(self, column: int, fence: str, at: int) -> str | None:
        """Read the lines of a block, up to one that holds exactly the fence."""
        texts, first = self.lines.lines, self.at
        end, is_closed = first, self.lines.last_fence(fence) >= first
        while end < len(texts) and (
            texts[end].strip(" \t") != fence
            if is_closed
            else not self._is_structure(texts[end], column)
        ):
            end += 1
        inside = texts[first:end]
        self._offset += sum(map(len, inside)) + len(inside)
        self.at = end
        if not is_closed:
            told, hint = (
                "no line with the same backticks closes this block",
                f"close it with a line: {fence[:20]}",
            )
            close, size = f"{' ' * (column // 2)}{fence}", len(self.lines.text)
            place = min(self._offset, size)
            fix = f"{close}\n" if self._offset <= size else f"\n{close}"
            self.lines.fault(
                UNCLOSED_BLOCK, told, at, at + len(fence), hint=hint, fix=fix, at=(place, place)
            )
            return None
        self._offset += len(texts[end]) + 1
        self.at = end + 1
        return undented(inside, column // 2 + 2)

    def _is_structure(self, line: str, column: int) -> bool:
        """Whether a line that a block does not hold, since it is not closed, begins something."""
        if 2 * (len(line) - len(line.lstrip(" \t"))) > column:
            return False
        return _ODD_FIELD.match(line.lstrip(" \t")) is not None or line.lstrip(" \t")[:1] == "-"

    # Lines of no plain form

    def _read_odd(self, line: str) -> bool:
        """Read one line of no plain form; say whether the document ends before it."""
        start = self._offset
        stripped = line.strip(" \t")
        if not stripped:
            self._next(line)
            return False
        if stripped[0] == "#":
            self._waiting.append(stripped)
            self._next(line)
            return False
        column, width = self.lines.column(line, start)
        if stripped[0] == "-":
            if len(stripped) >= 3 and not stripped.strip("-"):
                while self._stack:
                    self._close()
            else:
                self._read_header(line, column, width)
            self._next(line)
            return False
        found = _ODD_FIELD.match(line, width)
        if found is None:
            self._refuse_lines(stripped, start + width, 2 * column)
            return False
        if column == 0 and self._is_entry:
            return True
        if found[1].rstrip() == "ID":
            self._read_id_line(line, 2 * column, found.end(1) + 1, start + width)
            self._next(line)
            return False
        self._next(line)
        value = found[2] or ""
        at = start + (found.start(2) if found[2] is not None else len(line))
        self._put(2 * column, found[1].rstrip(), value, start + width, at)
        return False

    def _next(self, line: str) -> None:
        self._offset += len(line) + 1
        self.at += 1

    def _read_id_line(self, line: str, column: int, at: int, start: int) -> None:
        """Read `ID: x [state]` below a header without an id."""
        owner = next(
            (one for one in reversed(self._stack) if one.column + one.is_space < column), None
        )
        end = self._offset + len(line)
        if owner is None or owner.column == _HEADLESS:
            told, hint = "this id belongs to no header", "write `- ID: ...`"
            self.lines.fault(
                FIELD_WITHOUT_NODE, told, start, end, hint=hint, fix="- ", at=(start, start)
            )
            return
        if owner.id is not None:
            told = f"{shown(owner.id.text)} has a second id"
            self.lines.fault(DUPLICATE_FIELD, told, start, end, hint="keep one id")
            return
        width = len(line) - len(line.lstrip(" \t"))
        said = HeaderReader(self.lines, line, self._offset, width).id_at(at)
        if said is None:
            owner.id = Id("?")  # a fault is told of it already
            return
        if said.states and owner.states:
            told = "a state stands on the header and on the line of the id"
            state = self._offset + line.rindex("[", at), end
            fix = "" if said.states == owner.states else None
            self.lines.fault(INVALID_STATE, told, *state, hint="keep one state", fix=fix)
        owner.id, owner.states = said.id, owner.states or said.states

    def _refuse_lines(self, stripped: str, start: int, column: int) -> None:
        """Tell of a line that is neither header nor field, and of those that go on with it."""
        first = self.at
        self._next(self.lines.lines[first])
        colon = re.match(r"([^\W\d_][\w \-]{0,63}):(\S.*)", stripped)
        fix, at = None, None
        hint = "write a text of several lines between two lines of one backtick"
        if colon is not None and not colon[2].startswith("/"):
            fix, hint = f"{colon[1]}: {colon[2]}", f"write a blank after `{shown(colon[1])}:`"
        elif _CODE_FENCE.fullmatch(stripped):
            fix, hint = "", "leave the code fence out"
        elif (bare := _NO_COLON.match(stripped)) is not None:
            fix, hint = f"{bare[1]}: {bare[2]}", f"write a colon after `{bare[1]}`"
        elif (bullet := _BULLET.match(stripped)) is not None:
            fix, hint = f"- {bullet[1]}", "begin a header with `-`"
        else:
            at, fix = self._joined(first, start, column)
        told = f"`{shown(stripped)}` is neither a header nor a field"
        end = start + len(stripped)
        self.lines.fault(UNEXPECTED_LINE, told, start, end, hint=hint, fix=fix, at=at)

    def _joined(self, first: int, start: int, column: int) -> tuple[tuple[int, int], str | None]:
        """Read the lines that go on with one; return the edit that says where they belong."""
        texts = self.lines.lines
        while self.at < len(texts) and _is_text(texts[self.at]):
            self._next(texts[self.at])
        run, end = texts[first : self.at], min(self._offset, len(self.lines.text) + 1) - 1
        owner = next((one for one in reversed(self._stack) if one.column < column), None)
        if owner is None or owner.column == _HEADLESS:
            return (start, end), as_comments(run)
        above = texts[first - 1]
        field = _ODD_FIELD.match(above.lstrip(" \t"))
        value = None if field is None else owner.fields.get(field[1].rstrip())
        if field is not None and value is not None and (field[2] or "").strip("` \t"):
            colon = above.index(":") + 1 - len(above)
            is_text = field[1].rstrip() not in _NO_TEXTS
            fix = joined(value, run, above.index(field[1])) if is_text else None
            return (self._line_of(start)[0] - 1 + colon, end), fix
        if CONTENT in owner.fields or has_below(self.lines, end, CONTENT):
            return (start, end), as_comments(run)
        return (start, end), f"{CONTENT}:{joined('', run, column // 2)}"

    # What is done at the end

    def _comment(self, header: int, key: str | None) -> None:
        if self._waiting:
            span = self.lines.span(header, header)
            self.comments[span.start, key] = self._waiting
            self._waiting = []

    def _too_much(
        self, message: str, start: int, end: int, hint: str = "split the text"
    ) -> RecollectError:
        return MARKUP_LIMIT.error(
            message, hint, source=self.lines.source, span=self.lines.span(start, end)
        )


def _is_text(line: str) -> bool:
    """Whether a line has none of the forms of the grammar."""
    said = line.strip(" \t")
    is_said = said != "" and said[0] not in "-#`~" and _BULLET.match(said) is None
    return is_said and _ODD_FIELD.match(said) is None and _NO_COLON.match(said) is None


def _drop_remarks(sections: Iterable[Space]) -> None:
    """Take the remark off a field whose text before ` #` stands at another appearance."""
    by_id: dict[Id, list[Node]] = {}
    for section in sections:
        for one in section.walk():
            by_id.setdefault(one.id, []).append(one)
    for nodes in by_id.values():
        if len(nodes) > 1 and any(one.remarked for one in nodes):
            _drop_remarks_of(nodes)


def _drop_remarks_of(nodes: list[Node]) -> None:
    values: dict[str, set[str]] = {}
    for one in nodes:
        for key, text in one.fields.items():
            values.setdefault(key, set()).add(text)
    for one in nodes:
        for key in one.remarked:
            said = before_remark(one.fields[key], values[key])
            if said is not None and isinstance(one.fields, dict):
                one.fields[key] = said


def before_remark(text: str, said: Set[str]) -> str | None:
    """Return what stands before a remark, if it is one of the texts said elsewhere.

    >>> before_remark("Car #Car is having a blue color", frozenset({"Car"}))
    'Car'
    """
    for number, found in enumerate(_REMARK.finditer(text)):
        if number == MOST_REMARKS:
            break
        if text[: found.start()] in said:
            return text[: found.start()]
    return None


def undented(lines: list[str], most: int) -> str:
    r"""Return the text of a block: its lines without the indentation they share, at most so much.

    >>> undented(["    a", "", "      b"], 4)
    'a\n\n  b'
    """
    least = most
    for line in lines:
        said = line.lstrip(" \t")
        if said:
            width = len(line) - len(said)
            least = min(least, width + line.count("\t", 0, width))
    return "\n".join(_cut(line, least) if line.strip(" \t") else "" for line in lines)


def _cut(line: str, columns: int) -> str:
    """Return a line without its first columns, which are blank; a tab is two."""
    if "\t" not in line[:columns]:
        return line[columns:]
    at = 0
    while columns > 0:
        columns -= 2 if line[at] == "\t" else 1
        at += 1
    return " " * -columns + line[at:]
