"""How a search compares: by words, by meaning, or by both. KIP 1.0-RC11, section 5.2.1.

The rule: what cannot compare by meaning answers by words and says so; it never fails for it.
"""

from __future__ import annotations

from recollect.errors import INVALID_SYNTAX, Notice, RecollectError, Span, nearest

KEYWORD = "keyword"
MODES = (KEYWORD, "semantic", "hybrid")


def mode_notices(mode: str, span: Span) -> tuple[Notice, ...]:
    """Return what to know about an answer in a mode; KIP_1001 for what is no mode."""
    if mode not in MODES:
        known = nearest(mode, MODES) or MODES
        raise RecollectError(
            INVALID_SYNTAX,
            f"SEARCH has no mode {mode[:40]}",
            hint=f'use MODE "{known[0]}"',
            span=span,
            known=known,
        )
    if mode == KEYWORD:
        return ()
    message = f"no embedder is configured, so the mode {mode} answers by words, as {KEYWORD} does"
    place = span if span.end else None  # a call has no text to point into
    return (Notice("answered_by_words", message, f'write MODE "{KEYWORD}"', place),)
