"""The embedder that asks an endpoint which speaks OpenAI's protocol; there are many, local too.

The rule: what goes wrong on the way is tried again a few times, for as long as a caller waits,
and then told without the key or the texts. Needs the extra `embed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import openai
from numpy.typing import NDArray

from recollect.embeddings.embedder import Embedder
from recollect.errors import EMBEDDER_UNAVAILABLE, RecollectError

DEFAULT_URL: Final = "https://api.openai.com/v1"


class HttpEmbedder(Embedder):
    """A model behind HTTP: `HttpEmbedder("nomic-embed-text", url="http://localhost:11434/v1")`."""

    def __init__(
        self,
        model: str,
        *,
        key: str = "none",
        url: str = DEFAULT_URL,
        dimension: int | None = None,
        batch: int = 128,
        timeout_seconds: float = 30.0,
        retries: int = 2,
    ) -> None:
        """`dimension` is asked of models that can shorten their vectors; else it is theirs.

        429 and 5xx are tried again, after as long as the endpoint says, within `retries`.
        """
        super().__init__(model, dimension, batch)
        self._asked = openai.omit if dimension is None else dimension
        self._client = openai.OpenAI(
            api_key=key, base_url=url, timeout=timeout_seconds, max_retries=retries
        )
        self._timeout_seconds = timeout_seconds

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of numbers for each text. Cost: one call."""
        try:
            answer = self._client.embeddings.create(
                model=self.name, input=list(texts), dimensions=self._asked, encoding_format="float"
            )
            rows = [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]
            return np.asarray(rows, dtype=np.float32)
        except openai.APITimeoutError as error:
            raise _away(f"it did not answer within {self._timeout_seconds:g} s") from error
        except openai.APIStatusError as error:
            raise _away(f"it answered {error.status_code}") from error
        except openai.APIConnectionError as error:
            raise _away("it cannot be reached") from error
        except (openai.OpenAIError, AttributeError, TypeError, ValueError) as error:
            raise _away("it answered what its protocol does not") from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _away(reason: str) -> RecollectError:
    return EMBEDDER_UNAVAILABLE.error(
        f"the embedder's service gave no vectors: {reason}",
        "look at its address, its key and its log, then try again",
    )
