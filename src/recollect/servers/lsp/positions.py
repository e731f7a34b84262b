"""Characters of a text to the lines and columns of an editor, and back.

The rule: an editor counts columns in UTF-16 code units, where a character beyond U+FFFF takes
two, and ends a line only at a line feed, a carriage return, or both.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol.types import Position, Range

from recollect.errors import Span

_LINE_END = re.compile(r"\r\n|\n|\r")


class Positions:
    """The places of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [found.start() for found in _LINE_END.finditer(text)]
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        r"""Return the line and column of a character; those beyond the text are at its end.

        >>> Positions("\U0001f48a?x").position(1)
        0:2
        """
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, _units(self._text[self._starts[line] : offset]))

    def range(self, span: Span) -> Range:
        """Return where a span begins and ends."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, position: Position) -> int:
        r"""Return the character at a line and column; a column beyond its line is at its end.

        >>> Positions("\U0001f48a?x").offset(Position(0, 2))
        1
        """
        if position.line >= len(self._starts):
            return len(self._text)
        start = self._starts[position.line]
        is_last = position.line == len(self._ends)
        line = self._text[start : len(self._text) if is_last else self._ends[position.line]]
        if line.isascii():
            return start + min(position.character, len(line))
        units = 0
        for at, character in enumerate(line):
            if units >= position.character:
                return start + at
            units += 1 + (ord(character) > 0xFFFF)
        return start + len(line)


def _units(text: str) -> int:
    return len(text) + sum(ord(one) > 0xFFFF for one in text)
