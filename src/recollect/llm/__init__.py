"""Language models at endpoints that speak OpenAI's protocol, for all faces.

The rule: one call is one question. Nothing here asks again: whoever asks knows what an attempt is
worth. The endpoint itself, `recollect.llm.chat`, needs the extra `llm`.
"""

from __future__ import annotations

from recollect.errors import RecollectError
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What was taken of a language model so far."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """Return both together.

        >>> Usage(1, 20, 3).plus(Usage(1, 30, 4))
        Usage(calls=2, input_tokens=50, output_tokens=7)
        """
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of an answer; `is_complete` is False where the model was cut off.

    >>> Completion("yes").is_complete
    True
    """

    text: str
    is_complete: bool = True
    usage: Usage = Usage()


def may_help_again(error: RecollectError) -> bool:
    """Whether the same question, asked again, may be answered."""
    status = error.details.get("status")
    return not isinstance(status, int) or status in (408, 429) or status >= 500
