"""One header line: the word of a space or an extension, the id, the state, a comment.

The rule: a header that has a fault is told of once, with the edit that mends it wherever one does,
and is left out.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from recollect.errors import INVALID_HEADER, INVALID_ID, INVALID_STATE, nearest
from recollect.faces.markup.model import EXTENSIONS, SPACE_KINDS, STATES, Id
from recollect.faces.markup.text import MOST_ID, Lines, json_string, shown
from recollect.node import dataclass

BARE_ID: Final = re.compile(r'[^\s\[\]#`"]{1,200}')
TEMPORARY: Final = re.compile(r"new-[0-9]+")

_WORD = re.compile(r"[A-Z]+[ \t]+SPACE(?=[ \t#\[]|$)|[A-Z]+(?=[ \t#]|$)")
_ID_WORD = re.compile(r"ID:")
_NO_COLON = re.compile(r"ID(?=[ \t])")
_AN_ID = re.compile(r'[ \t]+("[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]#`"]+)')
_A_STATE = re.compile(r"[ \t]+\[([^\[\]]*)\]")
_TAIL = re.compile(r"[ \t]*(?:(?<=[ \t])#.*)?$")
_FIRST_WORDS = re.compile(r"([A-Za-z]+(?:[ \t]+[Ss][Pp][Aa][Cc][Ee])?)(?=[ \t]|$)")
_IN_BRACKETS = re.compile(r"\[([^\s\[\]#`\"]+)\]")


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says."""

    kind: str | None
    id: Id | None
    states: tuple[str, ...]


class HeaderReader:
    """Reads one line that begins, after `width` blanks, at character `start` of its text."""

    def __init__(self, lines: Lines, line: str, start: int, width: int) -> None:
        self._lines = lines
        self._line = line
        self._start = start
        self._width = width

    def header(self) -> Header | None:
        """Return what follows `-`; None after a fault."""
        line, at = self._line, self._width + 1
        if line[at : at + 1] not in (" ", "\t"):
            rest = line[at:]
            fix = f"- {rest.lstrip()}" if rest.startswith("ID:") else None
            told = f"`{shown(line.strip())}` is no header: a blank follows `-`"
            self._fault_of_line(told, "write `- ID: ...`", fix)
            return None
        at = self._after_blanks(at)
        kind, end = None, at
        is_named = _ID_WORD.match(line, at) or _NO_COLON.match(line, at)
        word = None if is_named else _WORD.match(line, at)
        if word is not None:
            kind, end = " ".join(word[0].split()), word.end()
            if kind not in EXTENSIONS and kind not in SPACE_KINDS:
                refuse_kind(self._lines, kind, self._start + word.start(), width=len(word[0]))
                return None
            at = self._after_blanks(end)
        if _ID_WORD.match(line, at):
            return self.id_at(at + 3, kind)
        if _NO_COLON.match(line, at):
            start, end = self._start + at, self._start + at + 2
            told = "no colon stands after ID"
            self._lines.fault(INVALID_HEADER, told, start, end, hint="write `ID:`", fix="ID:")
            return None
        if kind is None:
            self._refuse()
            return None
        states = self._states(end, kind)
        return None if states is None else Header(kind, None, states)

    def id_at(self, at: int, kind: str | None = None) -> Header | None:
        """Return the id and the state that follow `ID:`, which ends at a place of the line."""
        found = _AN_ID.match(self._line, at)
        if found is None:
            self._refuse_no_id(at)
            return None
        text, place = found[1], self._start + found.start(1)
        if text[0] != '"':
            id = bare_id(self._lines, text, place)
        else:
            said = json_string(text)
            if said is None or not said.strip() or len(said) > MOST_ID or _has_controls(said):
                told, hint = f"`{shown(text)}` is no id", f"write 1 to {MOST_ID} characters"
                self._lines.fault(INVALID_ID, told, place, place + len(text), hint=hint)
                return None
            id = Id(unicodedata.normalize("NFC", said))
        states = self._states(found.end(), "id")
        return None if states is None else Header(kind, id, states)

    def _states(self, at: int, after: str) -> tuple[str, ...] | None:
        """Return the states at the end of the line, and see that nothing else follows."""
        line, start, states = self._line, self._start, list[str]()
        while (found := _A_STATE.match(line, at)) is not None:
            if found[1] not in STATES:
                self._refuse_state(found[1], found.start(1) - 1, found.end())
                return None
            states.append(found[1])
            at = found.end()
        if len(states) > 1:
            hint = f"keep [{states[0]}] or [{states[1]}]"
            told, end = "a node has at most one state", start + len(line)
            self._lines.fault(INVALID_STATE, told, start + self._width, end, hint=hint)
            return None
        if _TAIL.match(line, at) is None:
            rest = line[at:].strip()
            self._lines.fault(
                INVALID_HEADER,
                f"`{shown(rest)}` stands after the {after}",
                start + at,
                start + len(line),
                hint="write it below, in a field such as Label",
                fix=f" {rest}" if rest[0] == "[" == line[at] else None,
            )
            return None
        return tuple(states)

    def _after_blanks(self, at: int) -> int:
        rest = self._line[at:]
        return at + len(rest) - len(rest.lstrip(" \t"))

    def _refuse(self) -> None:
        said = self._line.strip()[1:].strip()
        told = f"`{shown(said)}` is no header: it has neither `ID:` nor an extension"
        word = _FIRST_WORDS.match(said)
        upper = " ".join(word[1].upper().split()) if word else ""
        known = (*EXTENSIONS, *SPACE_KINDS)
        if said[:3].lower() == "id:":
            self._fault_of_line(told, "use ID", f"- ID:{said[3:]}")
        elif word and upper in known:
            self._fault_of_line(told, f"use {upper}", f"- {upper}{said[len(word[1]) :]}")
        else:
            self._fault_of_line(told, "write `- ID: new-1 [created]`, and the text in a Label")

    def _refuse_no_id(self, at: int) -> None:
        line, start = self._line, self._start
        rest, end = line[at:].strip(), len(line)
        hint, fix = "write an id: new-1 for a new node", None
        inner = _IN_BRACKETS.match(rest)
        if inner is not None and inner[1] in STATES:
            hint = "write an id before the state"
        elif inner is not None:
            hint, fix, end = f"use {inner[1]}", f" {inner[1]}", at + line[at:].index("]") + 1
        elif rest and line[at] not in " \t":
            hint, fix = "write a blank after `ID:`", f" {rest}"
        told = "an id is missing here"
        self._lines.fault(INVALID_ID, told, start + at, start + end, hint=hint, fix=fix)

    def _refuse_state(self, state: str, first: int, end: int) -> None:
        near = nearest(state.strip(), STATES, limit=1)
        self._lines.fault(
            INVALID_STATE,
            f"there is no state [{shown(state)}]",
            self._start + first,
            self._start + end,
            hint=f"use [{near[0]}]" if near else "use [created], [updated] or [deleted]",
            known=(*near, *(one for one in STATES if one not in near)),
            fix=f"[{near[0]}]" if near else None,
        )

    def _fault_of_line(self, message: str, hint: str, fix: str | None = None) -> None:
        begin = self._start + self._width
        end = self._start + len(self._line.rstrip(" \t"))
        self._lines.fault(INVALID_HEADER, message, begin, end, hint=hint, fix=fix)


def bare_id(lines: Lines, text: str, at: int) -> Id:
    """Return an id without quotes, which stands at a character of the text."""
    if len(text) > MOST_ID:
        told = f"an id has more than {MOST_ID} characters"
        lines.fault(INVALID_ID, told, at, at + len(text), hint="shorten it")
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return Id(text, text[:4] == "new-" and TEMPORARY.fullmatch(text) is not None)


def refuse_kind(lines: Lines, kind: str, at: int, *, width: int | None = None) -> None:
    """Tell of a word that is neither an extension nor a type of spaces."""
    is_space = kind.endswith(" SPACE")
    known = SPACE_KINDS if is_space else EXTENSIONS
    near = nearest(kind, known, limit=1)
    lines.fault(
        INVALID_HEADER,
        f"there is no {'space type' if is_space else 'extension'} {shown(kind)}",
        at,
        at + (width or len(kind)),
        hint=f"use {near[0]}" if near else f"use one of {', '.join(known)}",
        known=(*near, *(one for one in known if one not in near)),
        fix=near[0] if near else None,
    )


def _has_controls(text: str) -> bool:
    return any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in text)
