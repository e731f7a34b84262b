"""Embedders: what turns texts into vectors, so that a memory can be searched by meaning.

Needs the extra `embed`. Each kind of embedder is in a module of its own, with an extra of its
own where it needs one.
"""

from recollect.embeddings.embedder import Embedder

__all__ = ["Embedder"]
