"""The embedder that the settings name.

The rule: its packages are loaded only where one is named, so that every other start stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recollect.errors import INVALID_ARGUMENT, RecollectError, load_extra
from recollect.servers.settings import EmbeddingSettings

if TYPE_CHECKING:
    from recollect.embeddings import Embedder

_EXTRAS: Final = {
    "http": "embed",
    "minilm": "minilm",
    "fastembed": "fastembed",
    "sentence-transformers": "sentence-transformers",
}


def make_embedder(embedding: EmbeddingSettings) -> Embedder:
    """Return the embedder; its model is loaded when it is first asked.

    INVALID_ARGUMENT for a model without a name, UNAVAILABLE without the extra it needs.
    """
    if not embedding.model and embedding.embedder != "minilm":
        raise RecollectError(
            INVALID_ARGUMENT,
            "RECOLLECT_EMBEDDER_MODEL is not set, so no model is named",
            hint="set it to the name of a model",
        )
    module = _module(embedding.embedder)
    match embedding.embedder:
        case "http":
            made: Embedder = module.HttpEmbedder(
                embedding.model,
                key=embedding.key or "none",
                url=embedding.url or module.DEFAULT_URL,
                dimension=embedding.dimension,
                timeout_seconds=embedding.timeout_seconds,
            )
        case "minilm":
            made = module.MiniLmEmbedder()
        case "fastembed":
            made = module.FastEmbedder(embedding.model, embedding.dimension)
        case _:
            made = module.SentenceTransformersEmbedder(embedding.model, embedding.dimension)
    return made


def _module(embedder: str) -> Any:  # noqa: ANN401 - loaded only by those who embed
    module = f"recollect.embeddings.{embedder.replace('-', '_')}"
    return load_extra(module, _EXTRAS[embedder], "texts become vectors through it")
