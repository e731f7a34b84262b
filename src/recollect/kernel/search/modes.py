"""How a search compares: by words, by meaning, or by both. KIP 1.0-RC11, section 5.2.1.

The rule: a search that cannot compare by meaning answers by words and says so; it does not fail.
"""

from __future__ import annotations

from recollect.errors import (
    EMBEDDER_UNAVAILABLE,
    INVALID_SYNTAX,
    Notice,
    RecollectError,
    Span,
    nearest,
)
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session
from recollect.kernel.vectors.meanings import Meanings

KEYWORD = "keyword"
SEMANTIC = "semantic"
HYBRID = "hybrid"
MODES = (KEYWORD, SEMANTIC, HYBRID)


def checked_mode(mode: str, span: Span) -> str:
    """Return a mode; KIP_1001 for any other word."""
    if mode not in MODES:
        known = nearest(mode, MODES) or MODES
        raise INVALID_SYNTAX.error(
            f"SEARCH has no mode {mode[:40]}", f'use MODE "{known[0]}"', span=span, known=known
        )
    return mode


def modes_with(meanings: Meanings | None) -> tuple[str, ...]:
    """Return the modes that a memory answers in."""
    return (KEYWORD,) if meanings is None else MODES


def why_by_words(session: Session, group: Group, meanings: Meanings | None, term: str) -> str:
    """Return why a text cannot be compared by its meaning; nothing where it can.

    EMBEDDER_CHANGED for vectors of another model. Cost: the model, the first time.
    """
    if meanings is None:
        return "no embedder is configured"
    if meanings.spaces(session, group.group_id) is None:
        return "nothing in the group has a vector"
    try:
        if term.strip():
            meanings.question(term)
    except RecollectError as error:
        if error.code is not EMBEDDER_UNAVAILABLE:
            raise
        return error.message
    return ""


def by_words(mode: str, reason: str, span: Span | None) -> Notice:
    """Return what to know about an answer by words that was to be another one."""
    message = f"{reason}, so the mode {mode} answers by words, as {KEYWORD} does"
    place = span if span is not None and span.end else None  # a call has no text to point into
    return Notice("answered_by_words", message, f'write MODE "{KEYWORD}"', place)
