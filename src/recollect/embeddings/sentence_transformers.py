"""The embedder that runs models of sentence-transformers on this machine.

The rule: the model is loaded when it is first asked, since most commands never ask. Needs the
extra `sentence-transformers`; a model that is not on this machine is downloaded by the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from recollect.embeddings.embedder import Embedder, not_loaded


class SentenceTransformersEmbedder(Embedder):
    """A model by name or folder: `SentenceTransformersEmbedder("all-MiniLM-L6-v2")`."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of numbers for each text."""
        rows: NDArray[np.float32] = self._model.encode_document(list(texts))
        return rows

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Return the numbers of a text that is looked for."""
        numbers: NDArray[np.float32] = self._model.encode_query(text)
        return numbers

    @cached_property
    def _model(self) -> SentenceTransformer:
        try:
            return SentenceTransformer(self.name)
        except Exception as error:  # each layer of it raises classes of its own
            raise not_loaded(self.name, error) from error
