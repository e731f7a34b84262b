"""A model that structures free text, at any OpenAI-compatible endpoint. Needs the extra `llm`."""

from __future__ import annotations

from recollect.llm import Completion
from recollect.llm.chat import EndpointModel


class StructuringModel(EndpointModel):
    """A model for `KnowledgeIngestionCLI`."""

    def __call__(self, prompt: str) -> Completion:
        """Return the model's answer to a prompt; UNAVAILABLE where it has none."""
        return self._chat.complete([{"role": "user", "content": prompt}])
