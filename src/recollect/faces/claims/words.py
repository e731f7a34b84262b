"""The words of specification 002: statuses, kinds, types, and what is said about each.

The rule: a word that is not here is refused, with the nearest that is.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from recollect.errors import INVALID_ARGUMENT, RecollectError, nearest

OBSERVED: Final = "observed"
INFERRED: Final = "inferred"
HYPOTHESIS: Final = "hypothesis"
VERIFIED: Final = "verified"
DISPUTED: Final = "disputed"
SUPERSEDED: Final = "superseded"

STATUSES: Final = (OBSERVED, INFERRED, HYPOTHESIS, VERIFIED, DISPUTED, SUPERSEDED)
"""What a claim can be."""

ACTIVE: Final = (OBSERVED, INFERRED, VERIFIED)
"""What `recall` returns when nothing else is asked for."""

Kind = Literal[
    "message",
    "user_statement",
    "tool_result",
    "artifact",
    "url",
    "file",
    "model_inference",
    "human_assertion",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""The kinds of evidence."""

USER_KINDS: Final = frozenset[Kind]({"user_statement", "human_assertion"})
"""The kinds of evidence that a person gives."""

SCOPE_TYPES: Final = ("project", "repo", "agent", "run")
"""What a claim may be about."""

ACTOR_TYPES: Final = ("agent", "user", "system", "tool")
"""Who may act."""


def known_word(word: object, known: tuple[str, ...], what: str) -> str:
    """Return a word of a list; INVALID_ARGUMENT for any other.

    >>> known_word("observed", STATUSES, "claim_status")
    'observed'
    """
    if isinstance(word, str) and word in known:
        return word
    near = nearest(word, known) if isinstance(word, str) else ()
    raise RecollectError(
        INVALID_ARGUMENT,
        f"{what} is {word!r:.60}, which is not one of {', '.join(known)}",
        hint=f'use "{(near or known)[0]}"',
        known=near or known,
    )
