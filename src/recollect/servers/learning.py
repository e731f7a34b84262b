"""How a service learns from episodes: the extractor that the settings name.

The rule: a service starts even if something is missing, and says what it cannot learn.
"""

from __future__ import annotations

from typing import Any

from recollect.errors import load_extra, refused
from recollect.faces.knowledge.ingestion import Llm
from recollect.faces.markup.exchanges import Model
from recollect.faces.operations.pipeline import Extractor, PatternExtractor, StructuredExtractor
from recollect.node import dataclass
from recollect.servers.settings import Learning

_CHAT = "recollect.llm.chat"  # needs the extra llm, as what asks through it
_LLM = "recollect.faces.operations.pipeline.llm"
_MARKUP = "recollect.faces.markup.llm"
_KNOWLEDGE = "recollect.faces.knowledge.llm"
_ONLY_STATED = "texts and messages are kept, and no facts are learnt from them"


@dataclass(frozen=True, slots=True)
class ExtractorTold:
    """An extractor, and what to tell of it."""

    extractor: Extractor
    name: str  # structured, patterns, or the name of a model
    warning: str = ""
    hint: str = ""


def make_learner(learning: Learning) -> ExtractorTold:
    """Return the extractor; without a key of a model it is the one that needs none.

    INVALID_ARGUMENT for a model without a name, UNAVAILABLE without the extra `llm`.
    """
    if learning.extractor == "patterns":
        return ExtractorTold(PatternExtractor(), "patterns")
    if learning.extractor != "llm":
        hint = "set RECOLLECT_EXTRACTOR to llm"
        return ExtractorTold(StructuredExtractor(), "structured", _ONLY_STATED, hint)
    if not learning.key and not learning.url:
        warning = f"RECOLLECT_LLM_KEY is not set: {_ONLY_STATED}"
        hint = "set it, or RECOLLECT_LLM_URL to an endpoint that needs none"
        return ExtractorTold(StructuredExtractor(), "structured", warning, hint)
    if not learning.model:
        raise refused(
            "RECOLLECT_LLM_MODEL is not set, so no model is named",
            "set it to the name of a model of your endpoint",
        )
    chat, llm = _module(_CHAT), _module(_LLM)
    model = chat.LanguageModel(
        learning.model,
        learning.key or "none",
        learning.url or chat.DEFAULT_URL,
        learning.timeout_seconds,
    )
    return ExtractorTold(llm.LlmExtractor(model), learning.model)


def make_chat(learning: Learning) -> Model:
    """Return the model of RECOLLECT_LLM_* as one that answers Knowing Markup.

    INVALID_ARGUMENT where none is named, UNAVAILABLE without the extra `llm`.
    """
    model: Model = _named(learning, _MARKUP, "ChatModel")
    return model


def make_structuring(learning: Learning) -> Llm:
    """Return the model of RECOLLECT_LLM_* as one that structures free text; raises the same."""
    model: Llm = _named(learning, _KNOWLEDGE, "StructuringModel")
    return model


def _named(learning: Learning, module: str, kind: str) -> Any:  # noqa: ANN401 - of an extra
    """Return the model that the settings name, as a class of a module asks it."""
    if not learning.model or not (learning.key or learning.url):
        raise refused(
            "no model is named",
            "set RECOLLECT_LLM_MODEL, and RECOLLECT_LLM_KEY or RECOLLECT_LLM_URL",
        )
    chat, llm = _module(_CHAT), _module(module)
    return getattr(llm, kind)(
        learning.model,
        learning.key or "none",
        learning.url or chat.DEFAULT_URL,
        learning.timeout_seconds,
    )


def _module(name: str) -> Any:  # noqa: ANN401 - loaded only by those who ask a model
    return load_extra(name, "llm", "a language model is asked through it")
