"""A model that answers requests of Knowing Markup, at any OpenAI-compatible endpoint.

The rule: the system message is the syntax card, the last message the text of the request itself,
and the answer is text. Needs the extra `llm`.
"""

from __future__ import annotations

from recollect.faces.markup.card import syntax_card
from recollect.llm import Completion
from recollect.llm.chat import DEFAULT_URL, Chat, LanguageModel


class ChatModel:
    """A model for `exchanges.ask` and `runner.drive`; the key is never shown nor stored."""

    def __init__(
        self, model: str, key: str, url: str = DEFAULT_URL, timeout_seconds: float = 60.0
    ) -> None:
        self._chat = Chat(LanguageModel(model, key, url, timeout_seconds))

    def __repr__(self) -> str:
        return repr(self._chat.model).replace("LanguageModel", "ChatModel", 1)

    def __call__(self, request: str) -> Completion:
        """Return the model's answer to the text of a request; UNAVAILABLE where it has none.

        An answer that was cut off for its length is not complete.
        """
        return self._chat.complete(
            [{"role": "system", "content": syntax_card()}, {"role": "user", "content": request}]
        )

    def close(self) -> None:
        """Close the connections."""
        self._chat.close()
