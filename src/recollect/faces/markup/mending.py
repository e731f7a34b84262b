"""The one edit that mends a fault of a text, where one does.

The rule: nothing that was written is lost. Text that stands where none may goes on with the field
above it, else it becomes a field, and where it belongs to nothing a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from recollect.faces.markup.model import KNOWN_FIELDS, LABEL, STATES
from recollect.faces.markup.text import Lines, value_text

_MEANT: Final = {
    **dict.fromkeys(("new", "add", "added"), "created"),
    **dict.fromkeys(("changed", "modified", "edited"), "updated"),
    **dict.fromkeys(("removed", "gone"), "deleted"),
}
_MARKED: Final = re.compile(rf"(.*?)((?:[ \t]*\[(?:{'|'.join(STATES)})\])?)[ \t]*", re.DOTALL)
_AS_FIELD: Final = re.compile(rf"({'|'.join(KNOWN_FIELDS)}):[ \t]+\S")


def meant_state(word: str) -> str | None:
    """Return the state that a word of another name means; a word that is only like one does not.

    >>> meant_state("Created"), meant_state("new"), meant_state("undated")
    ('created', 'created', None)
    """
    return in_its_case(word.strip(), STATES) or _MEANT.get(word.strip().lower())


def in_its_case(word: str, known: Sequence[str]) -> str | None:
    """Return the known word that another is but for capitals: one that is like it may mean more.

    >>> in_its_case("Data", ["data"]), in_its_case("no data", ["data"])
    ('data', None)
    """
    return next((one for one in known if one.lower() == word.lower()), None)


def has_below(lines: Lines, at: int, key: str) -> bool:
    """Whether a field stands below the line that ends at a character, before the next header."""
    below = re.compile(rf"(?:\n[ \t]*(?:[^\s-].*)?)*?\n[ \t]*{key}:")
    return below.match(lines.text, at) is not None


def header_of(lines: Lines, said: str, end: int, blanks: str, head: str = "") -> str | None:
    """Return the header that says a text of its node in a field; by itself it makes the node.

    The line it mends ends at a character of the text, `blanks` before `-` are its indentation.
    None for a node that is not new, and has no id, and for a second state.
    """
    found = _MARKED.fullmatch(said)
    assert found is not None
    told, state = found[1], found[2].strip()
    if state and (head.endswith("]") if head else state != "[created]"):
        return None
    state = state if head else "[created]"
    header = " ".join(filter(None, (head or f"- ID: {lines.free_id()}", state)))
    if not told:
        return header
    field = _AS_FIELD.match(told)
    key = LABEL if field is None else field[1]
    if has_below(lines, end, key) or not told.strip("`"):
        return f"{header} # {told}"  # the field is there
    return f"{header}\n{blanks}  {told if field else f'{LABEL}: {told}'}"


def joined(value: str, run: Sequence[str], margin: int) -> str:
    r"""Return what stands behind the colon of a field that further lines belong to.

    >>> joined("a", ["  b"], 0)
    ' `\n  a\n  b\n`'
    """
    return value_text("\n".join(filter(None, (value, *(one.strip(" \t") for one in run)))), margin)


def as_comments(run: Sequence[str]) -> str:
    """Return lines as comments; the first one without what stands before it."""
    return "\n".join(f"# {one.strip()}" for one in run)
