"""The text of a model made strict: ten repairs, each told of, tried only where the text fails.

How it works. The strict reader goes first: a text that it reads is never touched. Else what
stands around the text is taken off, and its lines are gone through once. Blocks are copied as they
are. A header and a field are written as the grammar wants them, and lines that belong to the value
above are joined to it as one JSON string, which no later rule can take for structure. Then the
strict reader reads what came out; if it still fails, its first error about the text as it was
given stands, and nothing was repaired.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from recollect.errors import Notice, RecollectError
from recollect.faces.markup.headers import BARE_ID
from recollect.faces.markup.messages import (
    CONTEXTS,
    FINISHED,
    REQUEST_ENTRIES,
    RESPONSE_ENTRIES,
    RESPONSES,
    Response,
    parse_response,
)
from recollect.faces.markup.model import EXTENSIONS, KNOWN_FIELDS, SPACE_KINDS, STATES, Document
from recollect.faces.markup.parser import parse, undented
from recollect.faces.markup.text import MOST_BYTES, quoted_text
from recollect.node import dataclass

ValueT = TypeVar("ValueT")

_MOST: Final = 100  # repairs of one text that are told

_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2022\u25cf\u25aa\u2023\u00b7*+"
_BLANKS: Final = str.maketrans(dict.fromkeys("\u00a0\u2007\u202f\u2002\u2003\u2009", " "))
_DASHED = re.compile(rf"([ \t]*)[{re.escape(_DASHES)}](?=[ \t]*(?:[A-Za-z]+[ \t]+)?[A-Za-z]+)")
_HEADER = re.compile(
    r"([ \t]*+)-[ \t]*+(?:(conceptual|attribute|ontology)[ \t]++space|([A-Za-z]+))?[ \t]*+"
    r"(?:(id)[ \t]*+:[ \t]*+(?:\[([^\[\]]*)\](?![ \t]*+\S*:)|(\"[^\"]*\"|[^\s\[\]#`\"]+)))?"
    r"((?:[ \t]*+\[[^\[\]]*\])*)[ \t]*+((?<=[ \t])#.*)?",
    re.IGNORECASE,
)
_MEANT = re.compile(r"[ \t]*-[ \t]*(?:[A-Za-z]+[ \t]+)?ID[ \t]*:", re.IGNORECASE)
_FIELD = re.compile(r"([ \t]*)([^\W\d_][\w \-]{0,63}?)[ \t]*:(?:[ \t]+(.*)|[ \t]*$)")
_STATE = re.compile(r"\[([^\[\]]*)\]")
_FENCED = re.compile(r"[ \t]*+(`{3,}|~{3,})[ \t]*+[\w+-]*+[ \t]*+")
_SCALARS: Final = frozenset({"|", "|-", "|+", ">", ">-", ">+"})
_FIELDS: Final = {one.lower(): one for one in (*KNOWN_FIELDS, "ID")}
_OF_RESPONSES: Final = {one for entries in RESPONSE_ENTRIES.values() for one in entries}
_OF_REQUESTS: Final = {one for entries in REQUEST_ENTRIES.values() for one in entries}
_ENTRIES: Final = {one.lower(): one for one in (*_OF_RESPONSES, *_OF_REQUESTS, "Context")}
_WORDS: Final = {
    "Context": {one.lower(): one for one in CONTEXTS},
    "Response": {one.lower(): one for one in (*RESPONSES, FINISHED)},
    "Workflow status": {"finished": "finished"},
}


@dataclass(frozen=True, slots=True)
class Repaired(Generic[ValueT]):
    """What a text says, and what was repaired to read it: nothing, if it was strict."""

    value: ValueT
    notices: tuple[Notice, ...] = ()


def repair(text: str) -> Repaired[Document]:
    r"""Return the document that the text of a model says, strictly if it can be read so.

    Raises the first error of the strict reader, if the repairs R1 to R8 do not make the text
    strict. Each repair is a notice `repaired`. Cost is linear in the text.

    >>> repaired = repair("Here it is:\n- id: [new-1] [Created]\n  label: Eating")
    >>> repaired.value.sections[0].nodes[0].label, len(repaired.notices)
    ('Eating', 4)
    """
    return _repaired(text, parse, _Repairs(text, is_message=False))


def repair_response(
    text: str, *, context: str | None = None, step: str | None = None
) -> Repaired[Response]:
    r"""Return the response that the text of a model says, strictly if it can be read so.

    `step` is that of the run, which an answer may leave out. Raises the first error of the strict
    reader, if the repairs R1 to R10 do not make the text strict.

    >>> repair_response("```\nContext: command\nResponse: Error\nError: none\n```").value.error
    'none'
    """

    def read(given: str) -> Response:
        return parse_response(given, context=context)

    return _repaired(text, read, _Repairs(text, is_message=True, step=step))


def _repaired(text: str, read: Callable[[str], ValueT], repairs: _Repairs) -> Repaired[ValueT]:
    try:
        return Repaired(read(text))
    except RecollectError as error:
        if len(text) > MOST_BYTES:
            raise
        fault = error
    try:
        value = read(repairs.text())
    except RecollectError:
        raise fault from None
    return Repaired(value, tuple(repairs.notices))


class _Repairs:
    """The repairs of one text."""

    def __init__(self, text: str, *, is_message: bool, step: str | None = None) -> None:
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._lines = lines
        self._is_message = is_message
        self._step = step
        self._at = 0
        self._context = ""
        self._out: list[str] = []
        self._has_step = False
        self.notices: list[Notice] = []
        self._said: set[tuple[str, str]] = set()
        self._unwrapped_keys: set[str] = set()  # once each: a second is a fault whatever it says
        self._ticks: dict[str, list[int]] = {}  # lines of backticks, up to the line ...
        self._seen = 0  # ... that is looked at next

    def text(self) -> str:
        """Return the text after all repairs."""
        self._lines = self._unwrapped(self._lines, self._begins)
        while self._at < len(self._lines):
            self._repair_line(self._lines[self._at])
        if self._context == "workflow" and self._step and not self._has_step:
            place = next((at for at, one in enumerate(self._out) if one.strip()), 0) + 1
            self._out.insert(place, f"Workflow step: {self._step}")
            self._tell("R9", "the answer had no Workflow step: it is the one of the run")
        return "\n".join(self._out)

    def _tell(self, rule: str, message: str) -> None:
        if (rule, message) not in self._said and len(self._said) < _MOST:
            self._said.add((rule, message))
            self.notices.append(Notice("repaired", message))

    # R1: what stands around the text

    def _begins(self, line: str) -> bool:
        """Whether a text may begin with a line."""
        if self._is_message:
            return re.match(r"\s*context[ \t]*:", line, re.IGNORECASE) is not None
        stripped = line.strip()
        is_separator = len(stripped) >= 3 and not stripped.strip("-")
        return is_separator or _MEANT.match(line) is not None or self._header(line) is not None

    def _unwrapped(self, lines: list[str], begins: Callable[[str], bool]) -> list[str]:
        """Return the lines without the prose before them and the fence around them."""
        first = next((at for at, line in enumerate(lines) if begins(line)), None)
        if first is None:
            return lines
        before = lines[:first]
        fences = [one for one in before if _FENCED.fullmatch(one)]
        if any(one.strip() for one in before):
            self._tell("R1", "what stood around the text was left out")
        rest = lines[first:]
        return self._to_fence(rest, fences[-1].strip()) if fences else rest

    def _to_fence(self, lines: list[str], fence: str) -> list[str]:
        """Return the lines before the one that closes a code fence, which stands in no block.

        A fence directly below `Data:` is one of its own, and closes first.
        """
        mark = _run(fence)
        block, inner, above = "", "", ""
        for at, line in enumerate(lines):
            stripped = line.strip()
            if block:
                block = "" if stripped == block else block
            elif inner:
                inner = "" if stripped == inner else inner
            elif above in ("data:", "action:") and _FENCED.fullmatch(line):
                inner = _run(stripped)
            elif stripped == mark:
                return lines[:at]
            elif (field := _FIELD.fullmatch(line)) and _is_fence(field[3]):
                block = field[3].strip()
            above = stripped.lower() or above
        return lines

    # One line

    def _repair_line(self, line: str) -> None:
        given = self._straight(line)
        stripped = given.strip(" \t")
        if not stripped or stripped[0] == "#" or (len(stripped) > 2 and not stripped.strip("-")):
            self._emit(given)
            return
        if stripped[0] == "-":
            header = self._header(given)
            if header is not None and header != given.rstrip():
                self._tell("R2", f"a header was written as `{header.strip()[:80]}`")
            self._emit(given if header is None else header)
            return
        field = _FIELD.fullmatch(given)
        if field is None:
            self._emit(given)
            return
        self._repair_field(given, field[1], field[2], (field[3] or "").strip(" \t"))

    def _emit(self, line: str) -> None:
        self._out.append(line)
        self._at += 1

    def _straight(self, line: str) -> str:
        """Return a line with plain blanks and dashes at its beginning."""
        blanks = line[: len(line) - len(line.lstrip())]
        plain = blanks.translate(_BLANKS) + line[len(blanks) :]
        found = _DASHED.match(plain)
        dashed = plain if found is None else f"{found[1]}-{plain[found.end() :]}"
        if self._header(dashed) is None:
            dashed = plain
        if dashed != line:
            self._tell("R8", "other dashes and blanks were written as plain ones")
        return dashed

    def _header(self, line: str) -> str | None:
        """Return a header as it is written; None for what is no header."""
        found = _HEADER.fullmatch(line.rstrip())
        if found is None:
            return None
        blanks, space, word, marked, bracketed, plain, states, comment = found.groups()
        kind = f"{space.upper()} SPACE" if space else (word or "").upper()
        if word and word.lower() == "id" and marked is None:
            return None
        known = kind in SPACE_KINDS or kind in EXTENSIONS
        if (kind and not known) or (not kind and marked is None):
            return None
        parts = [f"{blanks}-"]
        parts += [kind] if kind else []
        id = plain if bracketed is None else bracketed.strip()
        if marked is not None:
            if bracketed is not None:
                if not BARE_ID.fullmatch(id) or id in STATES:
                    return None
                self._tell("R3", "an id was written without brackets")
            parts.append(f"ID: {id}")
        for state in _STATE.findall(states):
            lower = state.strip().lower()
            parts.append(f"[{lower if lower in STATES else state}]")
        parts += [comment] if comment else []
        return " ".join(parts)

    # Fields and entries

    def _repair_field(self, line: str, blanks: str, name: str, value: str) -> None:
        is_entry = self._is_message and not blanks
        known = (_ENTRIES if is_entry else _FIELDS).get(" ".join(name.split()).lower())
        key = known or name
        if is_entry and key in _OF_REQUESTS and key not in _OF_RESPONSES:
            self._drop_entry(key, value)
            return
        words = _WORDS.get(key) if is_entry else None
        if words is not None:
            bare = value.strip('"').strip()
            better = words.get(bare.lower(), value)
            self._context = better if key == "Context" else self._context
            value = better
        if is_entry and key == "Workflow step":
            self._has_step = True
        written = f"{blanks}{key}: {value}".rstrip(" \t")
        if written != line.rstrip(" \t"):
            self._tell("R2", f"`{name.strip()[:60]}` was written as `{key}: {value[:20]}`".rstrip())
        is_document = is_entry and key in ("Data", "Action", "Messages")
        if is_document and not value:
            self._emit(written)
            if key not in self._unwrapped_keys:
                self._unwrapped_keys.add(key)
                self._unwrap_document()
        elif key == "ID" or (is_entry and key in _WORDS):
            self._emit(written)
        elif _is_fence(value):
            self._emit(written)
            self._copy_block(value)
        else:
            self._repair_value(blanks, key, value, written)

    def _drop_entry(self, key: str, value: str) -> None:
        """Leave out an entry of a request, with what belongs to it (R10)."""
        self._tell("R10", f"the entry {key} of a request was left out")
        self._at += 1
        if _is_fence(value):
            while self._at < len(self._lines) and self._lines[self._at].strip() != value:
                self._at += 1
            self._at += 1
            return
        while self._at < len(self._lines) and self._lines[self._at][:1] in (" ", "\t", "-"):
            self._at += 1

    def _unwrap_document(self) -> None:
        """Take off the code fence directly below `Data:` (R1)."""
        at = self._at
        while at < len(self._lines) and not self._lines[at].strip():
            at += 1
        fence = _FENCED.fullmatch(self._lines[at]) if at < len(self._lines) else None
        if fence is None:
            return
        rest = self._lines[at + 1 :]
        inside = self._to_fence(rest, fence[1])
        if len(inside) < len(rest):
            self._tell("R1", "what stood around the text was left out")
            after = rest[len(inside) + 1 :]
            entry = next((place for place, one in enumerate(after) if self._is_entry(one)), None)
            self._lines = [*inside, *(after[entry:] if entry is not None else ())]
            self._at = self._seen = 0

    def _is_entry(self, line: str) -> bool:
        found = _FIELD.fullmatch(line)
        return found is not None and not found[1] and found[2].lower() in _ENTRIES

    def _copy_block(self, fence: str) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._emit(line)
            if line.strip(" \t") == fence:
                return

    def _repair_value(self, blanks: str, key: str, value: str, written: str) -> None:
        """Join the lines of a value that is no block to it (R4, R5, R6)."""
        self._at += 1
        column = _columns(blanks)
        run = value[: len(value) - len(value.lstrip("`"))]
        closing = self._closing(run) if run else None
        if run and closing is not None:
            lines = [value[len(run) :].strip(" \t"), *self._lines[self._at : closing]]
            self._at = closing + 1
            body = undented(lines[1:], column + 2)
            self._join(blanks, key, f"{lines[0]}\n{body}" if len(lines) > 1 else lines[0])
            self._tell("R6", f"the text beside the backticks of {key[:60]} was joined to its block")
            return
        if value in _SCALARS:
            below = self._deeper(column, is_any=True)
            if below:
                self._join(blanks, key, undented(below, column + 64))
                self._tell("R4", f"`{key[:60]}: {value}` was read as a text of several lines")
                return
        more = self._deeper(column, is_any=False)
        if not more:
            self._out.append(written)
            return
        self._join(blanks, key, "\n".join([value, *(one.strip(" \t") for one in more)]).strip("\n"))
        self._tell("R5", f"the lines below {key[:60]} were joined to it")

    def _closing(self, run: str) -> int | None:
        """Return the line that closes a block, before the next header or field outside."""
        if self._at >= self._seen:
            self._look_ahead()
        places = self._ticks.get(run, [])
        at = bisect_left(places, self._at)
        return places[at] if at < len(places) else None

    def _look_ahead(self) -> None:
        """Note the lines of backticks up to the next header or field outside: each line once."""
        self._ticks, self._seen = {}, len(self._lines)
        for at in range(self._at, len(self._lines)):
            line = self._lines[at]
            if _is_fence(line):
                self._ticks.setdefault(line.strip(" \t"), []).append(at)
            elif self._is_entry(line) or self._header(line) is not None:
                self._seen = at
                return

    def _deeper(self, column: int, *, is_any: bool) -> list[str]:
        """Take the lines that stand deeper than a field, and belong to its value."""
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip(" \t"):
                if _columns(line) <= column or (not is_any and self._is_markup(line)):
                    break
            elif not is_any:
                break
            taken.append(line)
            self._at += 1
        while taken and not taken[-1].strip(" \t"):
            taken.pop()
            self._at -= 1
        return taken

    def _is_markup(self, line: str) -> bool:
        stripped = line.strip(" \t")
        if stripped[0] == "#" or _FIELD.fullmatch(line) is not None:
            return True
        return self._header(self._straight(line)) is not None

    def _join(self, blanks: str, key: str, text: str) -> None:
        self._out.append(f"{blanks}{key}: {quoted_text(text)}")


def _is_fence(value: str | None) -> bool:
    stripped = (value or "").strip(" \t")
    return bool(stripped) and not stripped.strip("`")


def _run(fence: str) -> str:
    """Return the marks that a code fence begins with."""
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]


def _columns(line: str) -> int:
    blanks: Sequence[str] = line[: len(line) - len(line.lstrip(" \t"))]
    return sum(2 if one == "\t" else 1 for one in blanks)
