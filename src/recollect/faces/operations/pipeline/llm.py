"""The extractor that asks a language model, at any endpoint that speaks OpenAI's protocol.

The rule: one call for each attempt, and the answer is checked as strictly as input from a caller;
if it is refused, the next attempt tells the model why. Needs the extra `llm`.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from openai.types.chat import ChatCompletionMessageParam
from openai.types.shared_params import ResponseFormatJSONSchema

from recollect.errors import RecollectError
from recollect.faces.operations.pipeline.extraction import (
    NOTHING,
    check_refs,
    checked_extraction,
    outside_refs,
)
from recollect.faces.operations.pipeline.ports import (
    Episode,
    Extracted,
    Extractor,
    Known,
    Refused,
    Rejected,
)
from recollect.faces.operations.pipeline.prompt import INSTRUCTIONS, SCHEMA, complaint, shown
from recollect.faces.operations.pipeline.structured import StructuredExtractor, stated
from recollect.llm import Completion, Usage
from recollect.llm.chat import Chat, LanguageModel

_LONGEST_ANSWER = 100_000  # characters; a longer answer cannot be a list of facts
_FORMAT: ResponseFormatJSONSchema = {
    "type": "json_schema",
    "json_schema": {"name": "extraction", "strict": True, "schema": SCHEMA},
}


class LlmExtractor:
    """Asks a model what an episode says; an episode that states it itself is taken as it is."""

    def __init__(self, model: LanguageModel) -> None:
        self._chat = Chat(model)
        self._structured: Extractor = StructuredExtractor()

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return what the model found. Cost: one call, or none."""
        if stated(episode) is not None:
            return self._structured.extract(episode, known, rejected)
        if not episode.body.strip():
            return Extracted(NOTHING)
        messages = list(_messages(episode, known, rejected))
        try:
            completion = self._chat.complete(messages, _FORMAT)
        except RecollectError as error:
            seconds = error.details.get("retry_seconds")
            wait = seconds if isinstance(seconds, float) else 0.0
            return Refused(error.message, usage=Usage(1), retry_seconds=wait)
        return _found(completion, known)

    def close(self) -> None:
        """Close the connections."""
        self._chat.close()


def _messages(
    episode: Episode, known: Known, rejected: Rejected | None
) -> Iterator[ChatCompletionMessageParam]:
    yield {"role": "system", "content": INSTRUCTIONS}
    yield {"role": "user", "content": shown(episode, known)}
    if rejected is not None:
        yield {"role": "assistant", "content": rejected.answer}
        yield {"role": "user", "content": complaint(rejected)}


def _found(completion: Completion, known: Known) -> Extracted | Refused:
    """Return what an answer says, checked."""
    content, usage = completion.text, completion.usage
    if not content:
        return Refused("the model gave no answer", usage=usage)
    if len(content) > _LONGEST_ANSWER:
        return Refused(f"the answer has {len(content)} characters, which is too long", usage=usage)
    if not completion.is_complete:
        return Refused("the answer was cut off before its end", usage=usage)
    try:
        extraction = checked_extraction(orjson.loads(content))
        check_refs(extraction, known.node_types(sorted(outside_refs(extraction))))
    except orjson.JSONDecodeError as error:
        return Refused(f"it is not JSON: {error.msg}", answer=content, usage=usage)
    except RecollectError as error:
        return Refused(error.message, answer=content, usage=usage)
    return Extracted(extraction, usage)
