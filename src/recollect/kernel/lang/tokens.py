"""Text to tokens, by one regular expression.

A token is its own text: `{`, `FIND`, `?drug`, `"Aspirin"`. What it is shows in its first
character, so no kind is stored and none can disagree with the text.

The rule: it never fails on the form of a token. A character that begins nothing becomes a
token of its own and an unclosed string a token without its quote; whoever meets one says what
is wrong, in the order of the text. Only what is wrong wherever it stands is refused here.
"""

from __future__ import annotations

import re
from array import array
from itertools import accumulate, compress

import orjson

from recollect.errors import INVALID_VALUE, RESOURCE_EXHAUSTED, Span
from recollect.node import dataclass

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


MAX_LENGTH = 32 * 2**20  # bytes of UTF-8

# A token with the white space after it. All repeats are possessive: no text makes the
# expression go back. None looks behind: Python before 3.11.5 forgets where it stood then. A
# string that is not closed takes the rest of its line, so that no character is looked at more
# than twice.
TOKEN = re.compile(
    r"""(?:
        [{}(),:\[\]]
      | "[^"\\\x00-\x08\x0a-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x08\x0a-\x1f]*+)*+"
      | [?@$]?+[^\W\d]\w*+
      | [-+]?+\.?+[0-9](?:[eE][-+]|[\w.])*+
      | [=!<>]=|&&|\|\|
      | //[^\n]*+
      | "[^\x00-\x08\x0a-\x1f]*+
      | \S
    )\s*+""",
    re.VERBOSE,
)


def lex(text: str, *, max_length: int = MAX_LENGTH) -> Tokens:
    """Cut a text into tokens and set its comments aside.

    Raises KIP_4002 on more than `max_length` bytes, KIP_2003 on NUL and lone surrogates.

    >>> lex("LIMIT 5 // enough").texts[:-1]
    ['LIMIT', '5']
    """
    _check_characters(text, max_length)
    first = len(text) - len(text.lstrip())
    pieces = TOKEN.findall(text, first)
    texts = list(map(str.rstrip, pieces))
    texts.append(END)
    starts = array("I", accumulate(map(len, pieces), initial=first))
    comments: tuple[Comment, ...] = ()
    if "//" in text:
        is_comment = [token.startswith("//") for token in texts]
        comments = tuple(
            Comment(Span(start, start + len(token.rstrip())), token.rstrip())
            for token, start in compress(zip(texts, starts, strict=True), is_comment)
        )
        is_code = [not one for one in is_comment]
        texts, starts = list(compress(texts, is_code)), array("I", compress(starts, is_code))
    return Tokens(text, texts, starts, comments)


def _check_characters(text: str, max_length: int) -> None:
    length = len(text)
    if length <= max_length and not text.isascii():
        try:
            length = len(text.encode())
        except UnicodeEncodeError as error:
            span = Span(error.start, error.start + 1)
            message = f"the lone surrogate U+{ord(text[error.start]):04X} is not a character"
            raise INVALID_VALUE.error(message, "remove it", source=text, span=span) from None
    if length > max_length:
        raise RESOURCE_EXHAUSTED.error(
            f"the text has more than {max_length} bytes",
            "split it into several texts",
            source=text,
            span=Span(0, 0),
        )
    if "\0" in text:
        at = text.index("\0")
        raise INVALID_VALUE.error(
            "a text cannot hold the character NUL", "remove it", source=text, span=Span(at, at + 1)
        )


def quoted(word: str) -> str:
    """Return a text as the language writes strings."""
    return orjson.dumps(word).decode()
