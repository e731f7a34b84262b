"""The parts of the pipeline that plug in: what extracts, and what embeds.

The rule: a port is called outside of any transaction, and may be called again for the same episode:
after a crash, or once the knowledge it asked for is written. Any other exception it raises is a
failed attempt, reported with its message.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from recollect.faces.operations.pipeline.extraction import Extraction
from recollect.kernel import Nexus
from recollect.llm import Usage
from recollect.model import Instant
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Episode:
    """An episode as an extractor reads it."""

    uuid: str
    source: str  # text | json | message
    body: str
    reference_time: str  # ISO 8601 in UTC
    name: str | None = None
    source_description: str | None = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """What an earlier attempt gave, and why it was refused."""

    reason: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an episode says."""

    extraction: Extraction
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Refused:
    """That an attempt failed; it is made again, not before `retry_seconds` from now."""

    reason: str
    answer: str = ""  # what was answered, to be mended by the next attempt
    usage: Usage = Usage()
    retry_seconds: float = 0.0


class Known(Protocol):
    """What the group knows already of what an episode may speak of."""

    def nodes(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (uuid, name) of the nodes a text is about, best first."""

    def facts(self, text: str, limit: int) -> Sequence[tuple[str, str]]:
        """Return (relation, words) of the living facts a text is about, best first."""

    def node_types(self, uuids: Sequence[str]) -> Mapping[str, str]:
        """Return the types of those of the uuids that are nodes of the group."""


class Extractor(Protocol):
    """Finds nodes and facts in an episode."""

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return what an episode says; `rejected` is what the attempt before gave, if any."""


class Embedding(Protocol):
    """Makes the vectors of what is going to be written, before it is."""

    def is_needed(self, nexus: Nexus) -> bool:
        """Whether texts written to the memory get vectors; if not, the step does nothing."""

    def prepare(self, nexus: Nexus, extractions: Sequence[Extraction]) -> None:
        """Embed the texts of extractions; texts that have vectors are not embedded again.

        Where several fail together, each is tried again by itself.
        """


Clock = Callable[[], Instant]


def system_clock() -> Instant:
    """Return the time of the machine, in milliseconds."""
    return Instant(time.time_ns() // 1_000_000)


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
