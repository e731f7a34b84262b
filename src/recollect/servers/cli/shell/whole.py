"""Decide whether a text is whole, so that Enter may run it, or more is to come."""

from __future__ import annotations

from enum import StrEnum

from pygments.token import Comment, Punctuation, String

from recollect.errors import RecollectError
from recollect.kernel import parse
from recollect.servers.cli.lexer import KipLexer

_OPEN, _CLOSED = "{([", "})]"
_LEXER = KipLexer(stripnl=False, ensurenl=False)


class State(StrEnum):
    """How far a text is."""

    EMPTY = "empty"
    PARTIAL = "partial"
    WHOLE = "whole"  # it parses, or no further line could mend it


def state_of(text: str) -> State:
    """Return whether a text is empty, needs another line, or can be run.

    >>> state_of("FIND(?x)"), state_of("FIND(?x) WHERE { ?x {id: $id} }")
    (<State.PARTIAL: 'partial'>, <State.WHOLE: 'whole'>)
    """
    if not _without_comments(text).strip():
        return State.EMPTY
    if depth_of(text) > 0:
        return State.PARTIAL
    try:
        parse(text)
    except RecollectError as error:
        at_end = error.span is not None and error.span.start >= len(text.rstrip())
        return State.PARTIAL if at_end else State.WHOLE
    return State.WHOLE


def depth_of(text: str) -> int:
    """Return how many braces, brackets and parentheses are still open."""
    depth = 0
    for kind, value in _LEXER.get_tokens(text):
        if kind is Punctuation:
            depth += (value in _OPEN) - (value in _CLOSED)
    return depth


def is_inside_string(text: str) -> bool:
    """Whether the end of a text stands inside a string that is not closed."""
    tokens = [pair for pair in _LEXER.get_tokens(text) if pair[1]]
    if not tokens or tokens[-1][0] is not String.Double:
        return False
    value = tokens[-1][1]
    return len(value) == 1 or not value.endswith('"') or value.endswith('\\"')


def _without_comments(text: str) -> str:
    return "".join(value for kind, value in _LEXER.get_tokens(text) if kind is not Comment.Single)
