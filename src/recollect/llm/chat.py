"""One question to a model at an endpoint that speaks OpenAI's protocol. Needs the extra `llm`.

The rule: a question is sent once. What goes wrong is UNAVAILABLE, with `retry_seconds` in its
details where asking again may help; no key is ever shown.
"""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Sequence

import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from openai.types.shared_params import ResponseFormatJSONSchema

from recollect.errors import UNAVAILABLE, RecollectError
from recollect.llm import Completion, Usage
from recollect.node import dataclass

DEFAULT_URL = "https://api.openai.com/v1"

_TOO_MANY_TOKENS = 2**31  # for one call
_LATER = "ask again later"
_PLACE = "check RECOLLECT_LLM_URL"
_MENDED_BY = {
    401: "check RECOLLECT_LLM_KEY",
    403: "check RECOLLECT_LLM_KEY",
    408: _LATER,
    429: _LATER,
}
"""What to do about a status of the 4xx; about any other, the model or the place is wrong."""

_FOREIGN = "the model's service answered what its protocol does not"


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model and where it is; the key is never shown."""

    model: str
    key: str
    url: str = DEFAULT_URL
    timeout_seconds: float = 60.0

    def __repr__(self) -> str:
        return f"LanguageModel(model={self.model!r}, url={self.url!r})"


class Chat:
    """The connections to one model; safe to share between threads."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self._client = openai.OpenAI(
            api_key=model.key, base_url=model.url, timeout=model.timeout_seconds, max_retries=0
        )

    def complete(
        self,
        messages: Sequence[ChatCompletionMessageParam],
        response_format: ResponseFormatJSONSchema | None = None,
    ) -> Completion:
        """Return the model's answer to messages, whose text may be empty.

        Raises UNAVAILABLE, with `status` and `retry_seconds` in its details where they are known:
        a status of the 4xx other than 408 and 429 is the same if it is asked again.
        """
        try:
            completion = self._client.chat.completions.create(
                model=self.model.model,
                messages=messages,
                response_format=openai.omit if response_format is None else response_format,
            )
        except openai.APITimeoutError as error:
            seconds = self.model.timeout_seconds
            raise _unavailable(f"the model did not answer within {seconds:g} s") from error
        except openai.APIStatusError as error:
            raise _unavailable(
                f"the model's service answered {error.status_code}",
                hint=_mend(error.status_code),
                status=error.status_code,
                retry_seconds=retry_after(error.response.headers.get("retry-after")),
            ) from error
        except openai.APIConnectionError as error:
            raise _unavailable("the model's service cannot be reached", hint=_PLACE) from error
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            raise _unavailable(
                _FOREIGN, hint=_PLACE
            ) from error  # a body that is not JSON, or too deep
        return _read(completion)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class EndpointModel:
    """A model at an OpenAI-compatible endpoint; the key is never shown nor stored."""

    def __init__(
        self, model: str, key: str, url: str = DEFAULT_URL, timeout_seconds: float = 60.0
    ) -> None:
        self._chat = Chat(LanguageModel(model, key, url, timeout_seconds))
        self.timeout_seconds = timeout_seconds

    def __repr__(self) -> str:
        return repr(self._chat.model).replace("LanguageModel", type(self).__name__, 1)

    def close(self) -> None:
        """Close the connections."""
        self._chat.close()


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


def _unavailable(
    message: str, *, hint: str = _LATER, status: int | None = None, retry_seconds: float = 0.0
) -> RecollectError:
    details = {"retry_seconds": retry_seconds} | ({} if status is None else {"status": status})
    return UNAVAILABLE.error(message, hint, details=details)


def _mend(status: int) -> str:
    """Return what to do about a status that is no answer."""
    if status >= 500:
        return _LATER
    return _MENDED_BY.get(status, "check RECOLLECT_LLM_MODEL and RECOLLECT_LLM_URL")


def _read(completion: object) -> Completion:
    """Return what an answer says; endpoints differ in what they leave out."""
    if not isinstance(completion, ChatCompletion):
        raise _unavailable(_FOREIGN, hint=_PLACE)
    used = completion.usage
    usage = Usage(1, _tokens(used, "prompt_tokens"), _tokens(used, "completion_tokens"))
    choices: object = completion.choices  # of whatever type: the client checks none
    if not isinstance(choices, list) or not choices:
        raise _unavailable(_FOREIGN, hint=_PLACE)
    choice = choices[0]
    content = getattr(getattr(choice, "message", None), "content", None)
    if not isinstance(content, str):
        return Completion("", usage=usage)
    return Completion(content, choice.finish_reason != "length", usage)


def _tokens(used: object, name: str) -> int:
    """Return a count of tokens; 0 if what is reported is not a count."""
    count = getattr(used, name, None)
    return count if isinstance(count, int) and 0 <= count < _TOO_MANY_TOKENS else 0
