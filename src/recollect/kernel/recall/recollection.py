"""What a recall answers with: memories, each with what its score is made of.

The rule: the points of the shares of a memory add up to its score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final, NamedTuple

from recollect.errors import Notice
from recollect.model import AsOf, Dated
from recollect.node import dataclass

EMBEDDING: Final = resources.files("recollect.kernel.recall") / "meanings.npz"
"""The embedding that meanings are compared by, where it is installed."""


def compared_by(model: str | None = None) -> str:
    """Return what recall compares texts by: words, or words and meaning, by a model too."""
    if model is None:
        return "words and meaning" if EMBEDDING.is_file() else "words"
    return f"words and meaning, by {model} too" if EMBEDDING.is_file() else f"words and {model}"


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question with all that may be said of its answer; `Recall` tells what each is."""

    text: str
    limit: int = 10
    kinds: Sequence[str] | None = None
    max_tokens: int | None = None
    as_of: AsOf | None = None
    past: bool = False
    threshold: float | None = None
    cursor: str | None = None
    asker: str | Sequence[str] | None = None


class Share(NamedTuple):
    """One part of a score, and why in words."""

    points: float
    words: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory that a question is about."""

    element: Dated  # as it stood at the moment asked about, with its clocks
    kind: str  # "fact", "claim", "concept", "episode" or "piece"
    score: float  # 0 to 1: the sum of the points of `why`
    why: Mapping[str, Share]
    passage: str  # the part of its text that answers best
    others: tuple[Dated, ...] = ()  # memories that say the same, which it stands for
    is_near: bool = True  # holds or means enough of what is asked by itself
    is_past: bool = False  # ended or was withdrawn: there only with `past=True`

    @property
    def copies(self) -> int:
        """How many others say the same, and take no places of their own."""
        return len(self.others)


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a question recalls, best first, ties by age."""

    memories: tuple[Recalled, ...]
    as_of: AsOf  # the moment of the answer: pass it on to look again at the same one
    nearest: Recalled | None = None  # what came nearest, where nothing was near enough
    cursor: str | None = None  # leads to those that are left
    mode: str = "words"  # what texts are compared by
    notices: tuple[Notice, ...] = ()
