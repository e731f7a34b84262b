"""A model that answers requests of Knowing Markup, at any OpenAI-compatible endpoint.

The rule: the system message is the syntax card, the last message the text of the request itself,
and the answer is text. Needs the extra `llm`.
"""

from __future__ import annotations

from recollect.faces.markup.checking import syntax_card
from recollect.llm import Completion
from recollect.llm.chat import EndpointModel


class ChatModel(EndpointModel):
    """A model for `exchanges.ask` and `runner.drive`."""

    def __call__(self, request: str) -> Completion:
        """Return the model's answer to the text of a request; UNAVAILABLE where it has none.

        An answer that was cut off for its length is not complete.
        """
        return self._chat.complete(
            [{"role": "system", "content": syntax_card()}, {"role": "user", "content": request}]
        )
