"""Make stored text safe to show: it was written by others and may hold anything.

Everything the command line prints from a memory goes through `shown`, or `one_line` where a
line break would let the text pass for the program's own words.
"""

from __future__ import annotations

import codecs
import re
import sys
from io import BufferedIOBase
from typing import BinaryIO, cast

from rich.text import Text
from typing_extensions import Buffer

# Terminal control characters, and those that reorder or hide their neighbours.
_UNSEEN = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f"
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f{_UNSEEN}]")
_CONTROL_OR_BREAK = re.compile(f"[\x00-\x1f{_UNSEEN}]")
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_UNSEEN_IN_JSON = re.compile(f"[{_UNSEEN}]")


def plain(text: str) -> str:
    r"""Return the text with each control character replaced by a visible picture of it.

    >>> plain("red \x1b[31m")
    'red ␛[31m'
    """
    return _CONTROL.sub(_picture, text)


def one_line(text: str) -> str:
    r"""Return the text as `plain` does, with pictures for line breaks and tabs too.

    >>> one_line("Aspirin\n  hint: run x")
    'Aspirin␊  hint: run x'
    """
    return _CONTROL_OR_BREAK.sub(_picture, text)


def shown(text: str, style: str = "") -> Text:
    """Return the text for Rich: no control characters, and brackets mean nothing."""
    return Text(plain(text), style=style)


def escaped(json_text: str) -> str:
    r"""Return an equal JSON text that a terminal shows in full: the invisible as `\uXXXX`.

    >>> escaped('["\u202egnp.exe"]')
    '["\\u202egnp.exe"]'
    """
    return _UNSEEN_IN_JSON.sub(_escape, json_text)


class EscapedStream(BufferedIOBase):
    """A stream for what programs read, onto a terminal: `escaped`, since a person looks at it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Write what is whole of a text, its unseen characters as escapes."""
        given = bytes(data)
        text = _OBEYED.sub(_picture, escaped(self._decoder.decode(given)))
        self._stream.write(text.encode())
        return len(given)

    def flush(self) -> None:
        """Let all that is written be seen."""
        self._stream.flush()


def stdout_bytes() -> BinaryIO:
    """Return standard output for bytes: as they are, but on a terminal nothing is obeyed."""
    stream = sys.stdout.buffer
    return cast(BinaryIO, EscapedStream(stream)) if sys.stdout.isatty() else stream


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
