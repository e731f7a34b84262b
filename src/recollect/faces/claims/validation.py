"""What the fields of claims and evidence may hold.

The rule: what cannot be kept as it was given is refused when it is made, not when it is stored.
"""

from __future__ import annotations

import math
import unicodedata
from typing import Final

from recollect.errors import INVALID_ARGUMENT, Hint, RecollectError, ToDo
from recollect.kernel import instant

LONGEST_TEXT: Final = 100_000
"""Characters of one field."""

LONGEST_NAME: Final = 4_096
"""Characters of what an element of the graph is called by: an id or a tag."""

EARLIEST: Final = -62_135_596_800.0
"""The beginning of the year 1, in seconds since 1970."""

LATEST: Final = 253_402_300_800.0
"""The end of the year 9999, in seconds since 1970."""

LARGEST_LIMIT: Final = 1_000_000_000
"""More than this is as much as there is."""


def refused(message: str, hint: str) -> RecollectError:
    """Return the error for an argument that cannot be taken."""
    return RecollectError(INVALID_ARGUMENT, message, hint=hint)


def checked_text(value: object, name: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text that can be stored: Unicode, not blank, not endless."""
    if not isinstance(value, str):
        raise refused(
            f"{name} is of type {type(value).__name__}, not a text", f"pass {name} as a text"
        )
    if not value.strip():
        raise refused(f"{name} is blank", f"say something in {name}, or leave it out")
    if len(value) > longest:
        raise refused(
            f"{name} has {len(value)} characters, and {longest} is the most", f"shorten {name}"
        )
    if "\0" in value:
        raise refused(f"{name} holds the character NUL", "remove it")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refused(f"{name} is not Unicode text", "remove its lone surrogates") from None
    return value


def storable(text: str) -> str:
    r"""Return a text with a question mark for each character that cannot be stored.

    >>> storable("a\0b\ud800")
    'a?b?'
    """
    return text.replace("\0", "?").encode("utf-8", "replace").decode()


def optional_text(value: object, name: str, longest: int = LONGEST_TEXT) -> str | None:
    """Return a text, or None where none was given."""
    return None if value is None else checked_text(value, name, longest)


def checked_id(value: object, name: str = "claim_id") -> str:
    r"""Return the id of a claim as it is stored, in NFC, so that ids equal to the eye are one.

    >>> checked_id("cafe\u0301", "id") == "caf\u00e9"
    True
    """
    given = checked_text(value, name, LONGEST_NAME)
    return checked_text(unicodedata.normalize("NFC", given), name, LONGEST_NAME)  # may be longer


def checked_number(value: object, name: str) -> float:
    """Return a finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(
            f"{name} is of type {type(value).__name__}, not a number", f"pass {name} as a number"
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise refused(
            f"{name} is not a finite number",
            Hint(f"pass a finite {name}", ToDo.PASS_OPTION, name, "0.5"),
        )
    return number + 0.0  # so -0.0 is 0.0, which equals it and is written otherwise


def checked_time(value: object, name: str) -> float:
    """Return seconds since 1970, of the years 1 to 9999: others no calendar can show."""
    number = checked_number(value, name)
    if not EARLIEST <= number < LATEST:
        raise refused(
            f"{name} is {number:g}, which is outside the years 1 to 9999",
            f"pass {name} in seconds since 1970",
        )
    return number


def asked_time(value: object, name: str) -> float:
    """Return seconds since 1970: a number, or a text that is an ISO 8601 date or time."""
    return instant(value) / 1_000 if isinstance(value, str) else checked_time(value, name)


def checked_share(value: object, name: str) -> float:
    """Return a number from 0 to 1."""
    number = checked_number(value, name)
    if not 0.0 <= number <= 1.0:
        raise refused(
            f"{name} is {number}, which is not from 0 to 1",
            Hint(f"pass {name}=0.5", ToDo.PASS_OPTION, name, "0.5"),
        )
    return number


def checked_limit(limit: object) -> int:
    """Return a limit: a whole number from 1."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise refused(f"limit is {limit!r:.40}, not a whole number from 1", "pass limit=10")
    return min(limit, LARGEST_LIMIT)
