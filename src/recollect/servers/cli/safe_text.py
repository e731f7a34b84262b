"""Make stored text safe to show: it was written by others and may hold anything.

Everything the command line prints from a memory goes through `shown`.
"""

from __future__ import annotations

import re

from rich.text import Text

# Terminal control characters, and those that reorder or hide what stands beside them.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


def plain(text: str) -> str:
    r"""Return the text with each control character replaced by a visible picture of it.

    >>> plain("red \x1b[31m")
    'red ␛[31m'
    """
    return _CONTROL.sub(_picture, text)


def shown(text: str, style: str = "") -> Text:
    """Return the text for Rich: no control characters, and brackets mean nothing."""
    return Text(plain(text), style=style)


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
