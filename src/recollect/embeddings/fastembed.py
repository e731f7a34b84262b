"""The embedder that runs ONNX models on this machine, through fastembed.

The rule: the model is loaded when it is first asked, since most commands never ask. Needs the
extra `fastembed`; a model that is not on this machine yet is downloaded by the package.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from fastembed import TextEmbedding
from numpy.typing import NDArray

from recollect.embeddings.embedder import Embedder, not_loaded


class FastEmbedder(Embedder):
    """A model by the name that fastembed gives it: `FastEmbedder("BAAI/bge-small-en-v1.5")`."""

    def __init__(
        self,
        name: str,
        dimension: int | None = None,
        batch: int = 64,
        *,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """With a `folder` the files of the model are read from there, and nothing is downloaded."""
        super().__init__(name, dimension, batch)
        self._folder = None if folder is None else os.fspath(folder)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of numbers for each text."""
        return np.stack(list(self._model.passage_embed(texts)))

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Return the numbers of a text that is looked for."""
        return np.asarray(next(iter(self._model.query_embed(text))), dtype=np.float32)

    @cached_property
    def _model(self) -> TextEmbedding:
        try:
            return TextEmbedding(self.name, specific_model_path=self._folder)
        except Exception as error:  # each layer of it raises classes of its own
            raise not_loaded(self.name, error) from error
