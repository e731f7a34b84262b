"""Vectors made before the facts are written, by the embedder of the memory.

The rule: what has a vector is not embedded again, and a memory without an embedder needs none.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.faces.operations.pipeline.extraction import Extraction
from recollect.kernel import Nexus


class VectorsInAdvance:
    """Makes the vectors of an extraction; implements `ports.Embedding`.

    They wait in memory for the step that writes; after a crash that step makes them itself.
    """

    def is_needed(self, nexus: Nexus) -> bool:
        """Whether the memory has an embedder."""
        return nexus.vectors.model is not None

    def prepare(self, nexus: Nexus, extractions: Sequence[Extraction]) -> None:
        """Embed the texts of extractions. EMBEDDER_UNAVAILABLE where the model is away."""
        nexus.vectors.prepare([text for one in extractions for text in _texts(one)])


def _texts(extraction: Extraction) -> list[str]:
    """Return what the memory will embed: name and summary of nodes, words of facts."""
    nodes = extraction.get("nodes") or []
    told = [edge["fact"] for edge in extraction.get("edges") or []]
    return [*(f"{one['name']}\n{one.get('summary') or ''}".rstrip() for one in nodes), *told]
