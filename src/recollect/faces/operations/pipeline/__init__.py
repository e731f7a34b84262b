"""The pipeline: episodes become nodes and facts, step by step. Specification 004, section 5."""

from recollect.faces.operations.context import Transition, Watcher
from recollect.faces.operations.pipeline.extraction import Extraction
from recollect.faces.operations.pipeline.patterns import PatternExtractor, StructuredExtractor
from recollect.faces.operations.pipeline.pipeline import KeptReplays, Pipeline
from recollect.faces.operations.pipeline.ports import (
    Embedding,
    Episode,
    Extracted,
    Extractor,
    Known,
    Refused,
    Rejected,
)
from recollect.faces.operations.pipeline.work import Work
from recollect.faces.operations.pipeline.worker import Worker, kept_leases

__all__ = [
    "Embedding",
    "Episode",
    "Extracted",
    "Extraction",
    "Extractor",
    "KeptReplays",
    "Known",
    "PatternExtractor",
    "Pipeline",
    "Refused",
    "Rejected",
    "StructuredExtractor",
    "Transition",
    "Watcher",
    "Work",
    "Worker",
    "kept_leases",
]
