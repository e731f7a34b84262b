"""A text of Knowing Markup as lines: what may stand in it, where its faults are, what values say.

The rule: every fault is told at its place in the text as it was given, byte order mark and
carriage returns included, and shows at most eighty characters of it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Final

from recollect.errors import (
    INVALID_CHARACTER,
    MARKUP_LIMIT,
    MIXED_INDENTATION,
    Code,
    Fix,
    RecollectError,
    Span,
)

MOST_BYTES: Final = 64 * 2**20
"""The size of a text, in UTF-8."""

MOST_LEVELS: Final = 256
MOST_NODES: Final = 100_000
MOST_FIELDS: Final = 64  # of one node
MOST_KEY: Final = 64  # characters of the name of a field
MOST_ID: Final = 200  # characters of an id
SHOWN: Final = 80  # characters of a text that a message shows

FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"  # with a line break as it is
)
"""What never stands bare in a text: controls but tab, other line ends, marks, half characters."""

QUOTED: Final = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")(?:[ \t]+#.*)?')
"""What may be a JSON string, with or without a comment behind it."""

_UNPLAIN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]|^[ \t#]|[ \t]$|[ \t]#"
)
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_BLANK_LINE: Final = re.compile("^[ \t]+$", re.MULTILINE)
_FENCE_LINE: Final = re.compile("^[ \t]*(`+)[ \t]*$", re.MULTILINE)

Sink = Callable[[RecollectError], None]
"""Takes each fault of a text; a strict reader raises it."""


def raise_fault(error: RecollectError) -> None:
    """Raise a fault: the sink of a strict reader."""
    raise error


def ignore_fault(_: RecollectError) -> None:
    """Leave a fault out: the sink of a second reading, whose faults the first one told."""


def shown(text: str) -> str:
    """Return the beginning of a text, as a message shows it.

    >>> len(shown("x" * 200))
    80
    """
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]} ..."


def json_string(value: str) -> str | None:
    r"""Return the text of a value that is as a whole one valid JSON string; None if it is not.

    >>> json_string('"a\\nb" # a comment'), json_string('"To be" or "not"')
    ('a\nb', None)
    """
    found = QUOTED.fullmatch(value)
    if found is None:
        return None
    try:
        text = json.loads(found[1])
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def value_text(value: str, margin: int) -> str:
    r"""Return a value as it stands after the colon of its field, which begins at a column.

    >>> value_text("a b", 0), value_text("", 0), value_text("a\nb", 0), value_text(" a", 0)
    (' a b', '', ' `\n  a\n  b\n`', ' " a"')
    """
    if not value:
        return ""
    if _UNPLAIN.search(value) is None and value.strip("`") and not _is_json(value):
        return f" {value}"
    return block_text(value, margin) or f" {quoted_text(value)}"


def block_text(value: str, margin: int) -> str | None:
    """Return a value as a block, if it has several lines and a block says it as it is."""
    if "\n" not in value or FORBIDDEN.search(value) is not None or _BLANK_LINE.search(value):
        return None
    runs = {len(one[1]) for one in _FENCE_LINE.finditer(value)}
    fence = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    blanks = " " * (margin + 2)
    lines = (f"{blanks}{line}\n" if line else "\n" for line in value.split("\n"))
    return f" {fence}\n{''.join(lines)}{' ' * margin}{fence}"


def quoted_text(value: str) -> str:
    r"""Return a value as a JSON string on one line; only what may not stand bare is escaped.

    >>> quoted_text("a\tb\u2028\u00e9")
    '"a\\tb\\u2028é"'
    """
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_json(value: str) -> bool:
    return value[0] == '"' and json_string(value) is not None


class Lines:
    """The lines of a text, without their ends; `source` is the text as it was given."""

    __slots__ = (
        "_added",
        "_fences",
        "_free",
        "_shift",
        "is_plain",
        "lines",
        "sink",
        "source",
        "text",
    )

    def __init__(
        self, source: str, sink: Sink = raise_fault, *, most_bytes: int = MOST_BYTES
    ) -> None:
        """Cut a text into lines.

        Raises KM_4002 for a text that is too large; KM_1001 for what may not stand in it goes to
        the sink.
        """
        self.source = source
        self.sink = sink
        self._fences: dict[str, int] | None = None
        self._free = 0  # the temporary id that was given last
        self._shift = int(source.startswith("\ufeff"))
        self._added: list[int] = []  # where in the text each CRLF was
        text = source[1:] if self._shift else source
        if len(text) > most_bytes // 4 and len(text.encode("utf-8", "replace")) > most_bytes:
            raise MARKUP_LIMIT.error(f"the text has more than {most_bytes} bytes", "split it")
        if "\r" in text:
            self._added = [
                at - number for number, at in enumerate(one.start() for one in _CRLF.finditer(text))
            ]
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = text
        self.is_plain = text == source  # whether its places are those of the source
        self.lines = text.split("\n")
        for found in FORBIDDEN.finditer(text):
            self._refuse(found.start(), found[0])

    def span(self, start: int, end: int) -> Span:
        """Return a place of the text as one of the source."""
        if self._added:
            return Span(
                start + self._shift + bisect_left(self._added, start),
                end + self._shift + bisect_left(self._added, end),
            )
        return Span(start + self._shift, end + self._shift)

    def last_fence(self, fence: str) -> int:
        """Return the last line that holds only these backticks; -1 for none."""
        if self._fences is None:  # once, so that blocks that nothing closes cost no more
            found = ((one.strip(" \t"), number) for number, one in enumerate(self.lines))
            self._fences = {one: number for one, number in found if one[:1] == "`"}
        return self._fences.get(fence, -1)

    def free_id(self) -> str:
        """Return a temporary id that the text does not hold, another one each time."""
        if not self._free:
            self._free = max((int(one[1]) for one in _TEMPORARY.finditer(self.text)), default=0)
        self._free += 1
        return f"new-{self._free}"

    def fault(
        self,
        code: Code,
        message: str,
        start: int,
        end: int,
        *,
        hint: str = "",
        known: tuple[str, ...] = (),
        fix: str | None = None,
        at: tuple[int, int] | None = None,
    ) -> None:
        """Tell of a fault between two characters of the text.

        `fix` is what stands there mended, or between the two of `at`.
        """
        span = self.span(start, end)
        edit = None if fix is None else Fix(span if at is None else self.span(*at), fix)
        self.sink(
            RecollectError(
                code, message, hint=hint, source=self.source, span=span, known=known, fix=edit
            )
        )

    def column(self, line: str, start: int) -> tuple[int, int]:
        """Return the column of a line that begins at a character, and how many blanks it has.

        A leading tab is two columns; KM_1002 for one after a blank.
        """
        width = len(line) - len(line.lstrip(" \t"))
        blanks = line[:width]
        tabs = len(blanks) - len(blanks.lstrip("\t"))
        if "\t" in blanks[tabs:]:
            at = start + tabs
            self.fault(
                MIXED_INDENTATION,
                "a tab stands after a blank",
                at,
                start + width,
                hint="indent with blanks, two a level",
                fix=blanks[tabs:].replace("\t", "  "),
            )
        return 2 * blanks.count("\t") + blanks.count(" "), width

    def _refuse(self, at: int, character: str) -> None:
        name = f"U+{ord(character):04X}"
        self.fault(
            INVALID_CHARACTER,
            f"the character {name} stands bare in the text",
            at,
            at + 1,
            hint=f"remove it, or write it as \\u{ord(character):04x} in a JSON string",
            fix="",
        )


_CRLF = re.compile("\r\n")
_TEMPORARY = re.compile(r"new-([0-9]{1,9})(?![0-9])")
