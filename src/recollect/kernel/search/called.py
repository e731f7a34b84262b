"""What a person calls a concept: its name, or what it says where its name is a UUID.

The rule: a name that says nothing gives way to words, if the concept has some. They are those that
a search finds it by, cut to what fits in a line.
"""

from __future__ import annotations

import re
from typing import Final

from recollect.model import SEARCH_ATTRIBUTES, Attributes

LONGEST_CALL: Final = 80  # characters

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORDS: Final = ("name", "label", "title", "text", "body", "content")


def is_wordless(name: str) -> bool:
    """Whether a name is a UUID, which tells a person nothing."""
    return _UUID.fullmatch(name) is not None


def called(name: str, attributes: Attributes, metadata: Attributes) -> str:
    """Return what a concept is called where people read.

    >>> called("5f0c7f2a-0000-4000-8000-000000000001", {"text": "payments uses sagas"}, {})
    'payments uses sagas'
    >>> called("Aspirin", {"text": "a drug"}, {})
    'Aspirin'
    """
    if not is_wordless(name):
        return name
    searched = metadata.get(SEARCH_ATTRIBUTES)
    keys = [str(one) for one in searched] if isinstance(searched, list) else []
    words = next(filter(None, (_words(attributes.get(one)) for one in (*keys, *_WORDS))), "")
    if not words and keys:  # it has words, and none in what is searched: such as the id of a tool
        words = " ".join(filter(None, map(_words, attributes.values())))
    if len(words) > LONGEST_CALL:
        words = words[: LONGEST_CALL - 1].rstrip() + "…"
    return words or name


def _words(value: object) -> str:
    """Return a text on one line; nothing for a UUID and for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) and not is_wordless(value) else ""
