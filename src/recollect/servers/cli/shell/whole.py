"""Decide whether a text is whole, so that Enter may run it, or more is to come."""

from __future__ import annotations

from enum import StrEnum

from pygments.token import Comment, Punctuation, String

from recollect.errors import RecollectError
from recollect.kernel import parse
from recollect.servers.cli.lexer import KipLexer

_MAY_FOLLOW = (" WITH METADATA {}", " ORDER BY ?x", " LIMIT 1", " OFFSET 1", ' WITH TYPE "x"')
"""Clauses that may end a statement."""

SENDS = ";"
"""Always ends a text; it is not part of KIP."""

_OPEN, _CLOSED = "{([", "})]"
_LEXER = KipLexer(stripnl=False, ensurenl=False)


class TextState(StrEnum):
    """How far a text is."""

    EMPTY = "empty"
    PARTIAL = "partial"
    OPEN = "open"  # it parses, and another clause may follow
    WHOLE = "whole"  # nothing can follow, or no further line could mend it


def state_of(text: str) -> TextState:
    """Return whether a text is empty, needs another line, may have one, or can be run.

    >>> state_of("FIND(?x)"), state_of("FIND(?x) WHERE { ?x {id: $id} }")
    (<TextState.PARTIAL: 'partial'>, <TextState.OPEN: 'open'>)
    >>> state_of("DESCRIBE PRIMER"), state_of("FIND(?x) WHERE { ?x {id: $id} };")
    (<TextState.WHOLE: 'whole'>, <TextState.WHOLE: 'whole'>)
    """
    if not _without_comments(text).strip():
        return TextState.EMPTY
    if without_end(text) != text:
        return TextState.WHOLE
    if depth_of(text) > 0:
        return TextState.PARTIAL
    try:
        parse(text)
    except RecollectError as error:
        at_end = error.span is not None and error.span.start >= len(text.rstrip())
        return TextState.PARTIAL if at_end else TextState.WHOLE
    return TextState.OPEN if not _is_list(text) and _may_go_on(text) else TextState.WHOLE


def only_asks(text: str) -> bool:
    """Whether a text that parses changes nothing.

    >>> only_asks("FIND(?x) WHERE { ?x {id: $id} }"), only_asks("UPSERT { }")
    (True, False)
    """
    return parse(text).is_read_only


def _is_list(text: str) -> bool:
    """Whether the last line asks for a description, which seldom goes on after it."""
    return text.rstrip().rpartition("\n")[2].lstrip().startswith("DESCRIBE ")


def without_end(text: str) -> str:
    """Return the text without the semicolon that sends it, if one ends it.

    >>> without_end("DESCRIBE PRIMER;"), without_end("// not yet;")
    ('DESCRIBE PRIMER', '// not yet;')
    """
    stripped = text.rstrip()
    if not stripped.endswith(SENDS):
        return text
    *_, (kind, _) = (pair for pair in _LEXER.get_tokens(stripped) if pair[1])
    return text if kind in (Comment.Single, String.Double) else stripped[: -len(SENDS)]


def _may_go_on(text: str) -> bool:
    """Whether a text that parses would also parse with one more clause at its end."""
    return any(_parses(text + "\n" + clause) for clause in _MAY_FOLLOW)


def _parses(text: str) -> bool:
    try:
        parse(text)
    except RecollectError:
        return False
    return True


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
