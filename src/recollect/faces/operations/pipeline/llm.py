"""The extractor that asks a language model, at any endpoint that speaks OpenAI's protocol.

The rule: one call for each attempt, and the answer is checked as strictly as input from a caller;
if it is refused, the next attempt tells the model why. Needs the extra `llm`.
"""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import openai
import orjson
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
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
    Usage,
)
from recollect.faces.operations.pipeline.prompt import INSTRUCTIONS, SCHEMA, complaint, shown
from recollect.faces.operations.pipeline.structured import StructuredExtractor, stated

DEFAULT_URL = "https://api.openai.com/v1"

_LONGEST_ANSWER = 100_000  # characters; a longer answer cannot be a list of facts
_TOO_MANY_TOKENS = 2**31  # for one call
_FOREIGN = "the model's service answered what its protocol does not"
_FORMAT: ResponseFormatJSONSchema = {
    "type": "json_schema",
    "json_schema": {"name": "extraction", "strict": True, "schema": SCHEMA},
}


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model and where it is; the key is never shown."""

    model: str
    key: str
    url: str = DEFAULT_URL
    timeout_seconds: float = 60.0

    def __repr__(self) -> str:
        return f"LanguageModel(model={self.model!r}, url={self.url!r})"


class LlmExtractor:
    """Asks a model what an episode says; an episode that states it itself is taken as it is."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._client = openai.OpenAI(
            api_key=model.key,
            base_url=model.url,
            timeout=model.timeout_seconds,
            max_retries=0,  # the pipeline retries, durably
        )
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
            completion = self._client.chat.completions.create(
                model=self._model.model, messages=messages, response_format=_FORMAT
            )
        except openai.APITimeoutError:
            seconds = self._model.timeout_seconds
            return Refused(f"the model did not answer within {seconds:g} s", usage=Usage(1))
        except openai.APIStatusError as error:
            return Refused(
                f"the model's service answered {error.status_code}",
                usage=Usage(1),
                retry_seconds=retry_after(error.response.headers.get("retry-after")),
            )
        except openai.APIConnectionError:
            return Refused("the model's service cannot be reached", usage=Usage(1))
        except (openai.OpenAIError, ValueError, RecursionError):  # a body not JSON, or too deep
            return Refused(_FOREIGN, usage=Usage(1))
        return _found(completion, known)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def retry_after(header: str | None) -> float:
    """Return the seconds that a Retry-After asks for; none for one that says nothing sensible.

    >>> retry_after("7"), retry_after(None), retry_after("soon")
    (7.0, 0.0, 0.0)
    """
    if header is None:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


def _messages(
    episode: Episode, known: Known, rejected: Rejected | None
) -> Iterator[ChatCompletionMessageParam]:
    yield {"role": "system", "content": INSTRUCTIONS}
    yield {"role": "user", "content": shown(episode, known)}
    if rejected is not None:
        yield {"role": "assistant", "content": rejected.answer}
        yield {"role": "user", "content": complaint(rejected)}


def _found(completion: object, known: Known) -> Extracted | Refused:
    """Return what an answer says, checked; endpoints differ in what they leave out."""
    if not isinstance(completion, ChatCompletion):
        return Refused(_FOREIGN, usage=Usage(1))
    used = completion.usage
    usage = Usage(1, _tokens(used, "prompt_tokens"), _tokens(used, "completion_tokens"))
    choices: object = completion.choices  # of whatever type: the client checks none
    choice = choices[0] if isinstance(choices, list) and choices else None
    content = getattr(getattr(choice, "message", None), "content", None)
    if choice is None or not isinstance(content, str) or not content:
        return Refused("the model gave no answer", usage=usage)
    if len(content) > _LONGEST_ANSWER:
        return Refused(f"the answer has {len(content)} characters, which is too long", usage=usage)
    if choice.finish_reason == "length":
        return Refused("the answer was cut off before its end", usage=usage)
    try:
        extraction = checked_extraction(orjson.loads(content))
        check_refs(extraction, known.node_types(sorted(outside_refs(extraction))))
    except orjson.JSONDecodeError as error:
        return Refused(f"it is not JSON: {error.msg}", answer=content, usage=usage)
    except RecollectError as error:
        return Refused(error.message, answer=content, usage=usage)
    return Extracted(extraction, usage)


def _tokens(used: object, name: str) -> int:
    """Return a count of tokens; 0 if what is reported is not a count."""
    count = getattr(used, name, None)
    return count if isinstance(count, int) and 0 <= count < _TOO_MANY_TOKENS else 0
