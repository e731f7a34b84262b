"""Where things stand in a source: its brackets, its comments, and the parts of its values.

Its rule: a tree knows the places of its nodes; what has no node is found here from the tokens.
"""

from __future__ import annotations

from bisect import bisect_left

import orjson

from recollect.errors import Span
from recollect.kernel.lang.ast import NOWHERE
from recollect.kernel.lang.tokens import CLOSERS, Tokens

OPENERS = {closer: opener for opener, closer in CLOSERS.items()}


class Places:
    """The places of one text, or of none: then nothing stands anywhere."""

    def __init__(self, tokens: Tokens | None = None) -> None:
        self._tokens = tokens
        self._comments = [one.span.start for one in tokens.comments] if tokens else []
        self._closers = _closers(tokens) if tokens else {}

    def is_commented(self, span: Span) -> bool:
        """Whether a comment stands inside a place."""
        at = bisect_left(self._comments, span.start)
        return at < len(self._comments) and self._comments[at] < span.end

    def around(self, inner: Span) -> Span:
        """Return the place of the brackets that open right before a place."""
        if self._tokens is None:
            return NOWHERE
        at = bisect_left(self._tokens.starts, inner.start) - 1
        closer = self._closers.get(at)
        return NOWHERE if closer is None else self._tokens.spans(at, closer)

    def parts(self, whole: Span) -> list[tuple[str, Span]]:
        """Return key and place of each part of an array or object, if a comment is in it.

        It stands at a place, after its key if it has one. The place of a member begins at its
        key; the parts of an array have no key.
        """
        if self._tokens is None or not self.is_commented(whole):
            return []
        texts = self._tokens.texts
        opener = bisect_left(self._tokens.starts, whole.start)
        while opener not in self._closers:  # the key before it
            opener += 1
        found: list[tuple[str, Span]] = []
        at, closer = opener + 1, self._closers[opener]
        while at < closer:
            if texts[at] == ",":
                at += 1
                continue
            key, first = "", at
            if texts[opener] == "{":
                key = _key(texts[at])
                at += 2
            last = self._closers.get(at, at)
            if texts[at] == ":":  # a placeholder, in two tokens
                last = at + 1
            found.append((key, self._tokens.spans(first, last)))
            at = last + 1
        return found


def _key(token: str) -> str:
    return str(orjson.loads(token.replace("\t", r"\t"))) if token[0] == '"' else token


def _closers(tokens: Tokens) -> dict[int, int]:
    """Return the token that closes each bracket; the text is one that parses."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens.texts):
        if token in CLOSERS:
            opened.append(at)
        elif token in OPENERS:
            found[opened.pop()] = at
    return found
