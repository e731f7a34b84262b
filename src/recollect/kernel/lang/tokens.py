"""A text cut into tokens.

A token is its own text: `{`, `FIND`, `?drug`, `"Aspirin"`. What it is shows in its first
character, so no kind is stored and none can disagree with the text.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

from recollect.errors import Span

END = "\0"  # the last token of every text; no text may hold this character

CLOSERS = {"(": ")", "{": "}", "[": "]"}

IDENTIFIER = re.compile(r"[^\W\d]\w*")

# What `unexpected` is told a place wants, besides keywords and symbols.
A_STRING = "a string"
A_VALUE = "a value"
A_VARIABLE = "a variable"
A_PATTERN = "a pattern"
A_HANDLE = "a handle"
A_KEY = "a key"
A_NUMBER = "a whole number"
A_TERM = "a number"
THE_END = "the end of the text"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from `//` to the end of its line."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text cut into tokens, `END` last; arrays beside one another, for speed."""

    source: str
    texts: list[str]
    starts: array[int]
    comments: tuple[Comment, ...]

    def span(self, at: int) -> Span:
        """Return the place of one token; the END token is empty and stands at the end."""
        start = self.starts[at]
        text = self.texts[at]
        return Span(start, start if text is END else start + len(text))

    def spans(self, first: int, last: int) -> Span:
        """Return the place from token `first` to token `last`, both included."""
        return Span(self.starts[first], self.starts[last] + len(self.texts[last]))


def is_word(token: str) -> bool:
    """Whether the token is a bare word: a keyword or an unquoted name."""
    return token[0].isalpha() or token[0] == "_"


def is_named(token: str, sigil: str) -> bool:
    """Whether the token is a sigil with a name after it: `?drug`, `@handle`, `$limit`."""
    return token[0] == sigil and len(token) > 1
