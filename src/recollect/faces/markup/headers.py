"""One header line: the word of a space or an extension, the id, the state, a comment.

The rule: a header that has a fault is told of once, with the edit that mends it wherever one does,
and is left out.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from typing import Final

from recollect.errors import INVALID_HEADER, INVALID_ID, INVALID_STATE, nearest
from recollect.faces.markup.mending import header_of, meant_state
from recollect.faces.markup.model import EXTENSIONS, SPACE_KINDS, STATES, Id
from recollect.faces.markup.text import MOST_ID, Lines, json_string, shown
from recollect.node import dataclass

BARE_ID: Final = re.compile(r'[^\s\[\]#`"]{1,200}')
TEMPORARY: Final = re.compile(r"new-[0-9]+")

_WORD = re.compile(r"[A-Z]+[ \t]+SPACE(?![A-Za-z])|[A-Z]+(?=[ \t#]|$)")
_ID_WORD = re.compile(r"ID:")
_NO_COLON = re.compile(r"ID(?=[ \t])")
AN_ID: Final = re.compile(r'[ \t]+("[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]#`"]+)')
_A_STATE = re.compile(r"[ \t]+\[([^\[\]]*)\]")
_TAIL = re.compile(r"[ \t]*(?:(?<=[ \t])#.*)?$")
_FIRST_WORDS = re.compile(r"([A-Za-z]+(?:[ \t]+[Ss][Pp][Aa][Cc][Ee])?)(?=[ \t]|$)")
_ANY_ID = re.compile(r"^([ \t]*)id[ \t]*:", re.IGNORECASE)
_A_SLIP = 0.8  # how like a word is to the one that it was meant to be: NODE is not NOTE
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
            is_header = _ID_WORD.match(rest) or _WORD.match(rest)
            fix = f"- {rest.rstrip()}" if is_header else self._below(rest)
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
                self._refuse_kind(kind, word)
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
        found = AN_ID.match(self._line, at)
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
        line, start, first, states = self._line, self._start, at, list[str]()
        while (found := _A_STATE.match(line, at)) is not None:
            if found[1] not in STATES:
                self._refuse_state(
                    found[1], found.start(1) - 1, found.end(), is_second=bool(states)
                )
                return None
            states.append(found[1])
            at = found.end()
        if len(states) > 1:
            hint, told = f"keep [{states[0]}] or [{states[1]}]", "a node has at most one state"
            second = start + line.index("]", first) + 1, start + at
            fix = "" if len(set(states)) == 1 else None
            self._lines.fault(INVALID_STATE, told, *second, hint=hint, fix=fix)
            return None
        if _TAIL.match(line, at) is None:
            self._refuse_rest(at, after)
            return None
        return tuple(states)

    def _refuse_rest(self, at: int, after: str) -> None:
        """Tell of what stands behind the id or the kind, and the state."""
        line, width = self._line, self._width
        rest, head = line[at:].strip(" \t"), line[width:at].rstrip(" \t")
        place = self._start + at, self._start + len(line)
        hint, fix = "write it below, in a field such as Label", self._below(rest, head)
        meant = meant_state(rest[1:].rstrip("]")) if rest[0] == "[" else None
        if meant is not None and head.endswith("]"):
            hint, fix = "keep one state", None
        elif meant is not None:
            hint, fix = f"write [{meant}] after a blank", f"{head} [{meant}]"
        elif line[at] not in " \t":
            hint, fix = "write a blank before it, or the id in quotes", None
        told, whole = f"`{shown(rest)}` stands after the {after}", (self._start + width, place[1])
        self._lines.fault(INVALID_HEADER, told, *place, hint=hint, fix=fix, at=whole)

    def _below(self, said: str, head: str = "") -> str | None:
        """Return the header with a text in a field below it."""
        line = self._line
        blanks = line[: self._width - (0 if line[self._width] == "-" else 2)]
        return header_of(self._lines, said, self._start + len(line), blanks, head)

    def _refuse_kind(self, kind: str, word: re.Match[str]) -> None:
        line, start, end = self._line, self._start, len(self._line.rstrip())
        fix = None
        if not kind.endswith(" SPACE") and "ID:" not in line[word.end() :]:
            fix = self._below(line[word.start() :].strip())
        at = start + self._width, start + end
        refuse_kind(self._lines, kind, start + word.start(), len(word[0]), fix, at)

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
            rest = _ANY_ID.sub(r"\1ID:", said[len(word[1]) :])
            self._fault_of_line(told, f"use {upper}", f"- {upper}{rest}")
        else:
            hint = "write `- ID: new-1 [created]`, and the text in a Label"
            self._fault_of_line(told, hint, self._below(said))

    def _refuse_no_id(self, at: int) -> None:
        line, start = self._line, self._start
        rest, end = line[at:].strip(" \t"), len(line)
        hint, fix = "write an id: new-1 for a new node", None
        inner = _IN_BRACKETS.match(rest)
        if inner is not None and meant_state(inner[1]) is not None:
            hint = "write an id before the state"
            fix = f" {self._lines.free_id()} {rest}" if inner[1] == "created" else None
        elif not rest:
            fix = f" {self._lines.free_id()} [created]"
        elif inner is not None:
            hint, fix, end = f"use {inner[1]}", f" {inner[1]}", at + line[at:].index("]") + 1
        elif rest and line[at] not in " \t":
            hint, fix = "write a blank after `ID:`", f" {rest}"
        told = "an id is missing here"
        self._lines.fault(INVALID_ID, told, start + at, start + end, hint=hint, fix=fix)

    def _refuse_state(self, state: str, first: int, end: int, *, is_second: bool) -> None:
        meant = None if is_second else meant_state(state)
        near = (meant,) if meant else nearest(state.strip(), STATES, limit=1)
        self._lines.fault(
            INVALID_STATE,
            f"there is no state [{shown(state)}]",
            self._start + first,
            self._start + end,
            hint=f"use [{near[0]}]" if near else "use [created], [updated] or [deleted]",
            known=tuple(sorted(STATES, key=lambda one: one not in near)),
            fix=f"[{meant}]" if meant else None,
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


def refuse_kind(
    lines: Lines,
    kind: str,
    at: int,
    width: int,
    fix: str | None = None,
    place: tuple[int, int] | None = None,
) -> None:
    """Tell of a word that is neither an extension nor a type of spaces.

    The nearest one mends it, else `fix` at a place of the text.
    """
    is_space = kind.endswith(" SPACE")
    known = SPACE_KINDS if is_space else EXTENSIONS
    names = [one.removesuffix(" SPACE") for one in (*known, *SPACE_KINDS)]
    slips = get_close_matches(kind.removesuffix(" SPACE"), names, 1, _A_SLIP)
    near = [one for one in (*known, *SPACE_KINDS) if one.removesuffix(" SPACE") in slips][:1]
    lines.fault(
        INVALID_HEADER,
        f"there is no {'space type' if is_space else 'extension'} {shown(kind)}",
        at,
        at + width,
        hint=f"use {near[0]}" if near else f"use one of {', '.join(known)}",
        known=(*near, *(one for one in known if one not in near)),
        fix=near[0] if near else fix,
        at=None if near else place,
    )


def _has_controls(text: str) -> bool:
    return any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in text)
