"""A model that structures free text, at any OpenAI-compatible endpoint. Needs the extra `llm`."""

from __future__ import annotations

from recollect.llm import Completion
from recollect.llm.chat import DEFAULT_URL, Chat, LanguageModel


class StructuringModel:
    """A model for `KnowledgeIngestionCLI`; the key is never shown nor stored."""

    def __init__(
        self, model: str, key: str, url: str = DEFAULT_URL, timeout_seconds: float = 60.0
    ) -> None:
        self.model, self.timeout_seconds = model, timeout_seconds
        self._chat = Chat(LanguageModel(model, key, url, timeout_seconds))

    def __repr__(self) -> str:
        return repr(self._chat.model).replace("LanguageModel", "StructuringModel", 1)

    def __call__(self, prompt: str) -> Completion:
        """Return the model's answer to a prompt; UNAVAILABLE where it has none."""
        return self._chat.complete([{"role": "user", "content": prompt}])

    def close(self) -> None:
        """Close the connections."""
        self._chat.close()
