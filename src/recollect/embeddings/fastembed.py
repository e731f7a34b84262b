"""The embedder that runs ONNX models on this machine, through fastembed.

The rule: the model is loaded when it is first asked, since most commands never ask. Needs the
extra `fastembed`; a model that is not on this machine yet is downloaded by the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from fastembed import TextEmbedding
from numpy.typing import NDArray

from recollect.embeddings.embedder import Embedder


class FastEmbedder(Embedder):
    """A model by the name that fastembed gives it: `FastEmbedder("BAAI/bge-small-en-v1.5")`."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of numbers for each text."""
        return np.stack(list(self._model.passage_embed(texts)))

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Return the numbers of a text that is looked for."""
        numbers: NDArray[np.float32] = next(iter(self._model.query_embed(text)))
        return numbers

    @cached_property
    def _model(self) -> TextEmbedding:
        return TextEmbedding(self.name)
