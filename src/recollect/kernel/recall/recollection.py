"""What a recall is asked and answers with, and its door, which loads the rest when first asked.

The rules: the points of the shares of a memory add up to its score. Who never recalls loads no
NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module, resources
from types import ModuleType
from typing import Final, NamedTuple

from recollect.errors import Notice
from recollect.kernel.read.catalogs import Forgetful, OpenGroup
from recollect.model import AsOf, Dated, Progress, silent
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
    holds: float = 1.0  # of what is asked beside names; 0 where one that says whom is lacking
    held: frozenset[int] = frozenset()  # which words of the question, or such as say the same
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


LIMIT: Final = 10
"""Memories of an answer, where the question does not say how many."""

_KEPT: Final = "recall"


class Recall:
    """What a group recalls: called with a question it answers with memories, best first.

    >>> from recollect import Nexus
    >>> with Nexus.open(":memory:") as nexus:
    ...     _ = nexus.write('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} '
    ...         'SET ATTRIBUTES { summary: "eases headaches" } } }')
    ...     nexus.recall("What helps against a headache?").memories[0].passage
    'Aspirin: eases headaches'
    """

    def __init__(self, group: OpenGroup) -> None:
        self._group = group

    def __call__(
        self,
        question: str,
        *,
        kinds: Sequence[str] | None = None,
        limit: int = LIMIT,
        max_tokens: int | None = None,
        as_of: AsOf | None = None,
        past: bool = False,
        threshold: float | None = None,
        cursor: str | None = None,
        asker: str | Sequence[str] | None = None,
    ) -> Recollection:
        """Return the memories that a question in plain words is about, best first, ties by age.

        `kinds` are some of "fact", "claim", "concept", "episode" and "piece". What has ended or was
        withdrawn is there with `past` alone, at half its score. What scores below `threshold` is
        left out; what is not near enough always is, and then `nearest` tells what came nearest.
        `asker` names who asks: "my" address is theirs, where the question names nobody; `$self` is
        whom the agent serves, and of several names the first that is known counts.
        `cursor` is that of an earlier answer to the same question, and keeps its moment.
        INVALID_ARGUMENT for a blank question, an unknown kind or a cursor of another call.
        Cost: a few passes over the memories of the group, and what was written since it was last
        asked; the first time, every content of the group.
        """
        return self.answer(
            RecallQuestion(
                question, limit, kinds, max_tokens, as_of, past, threshold, cursor, asker
            )
        )

    def answer(self, asked: RecallQuestion) -> Recollection:
        """Return the same for a question that is put together."""
        engine, kept = self._engine()
        with self._group.reader() as reader:
            found: Recollection = engine.answer_recall(reader, kept, asked, self._group.clock())
        return found

    def is_prepared(self) -> bool:
        """Whether this process has read the group for a question before."""
        engine, kept = self._engine()
        with self._group.reader() as reader:
            found: bool = engine.is_held(reader, kept)
        return found

    def prepare(self, progress: Progress = silent) -> None:
        """Read what the first question to the group would read; later ones read what is new.

        `progress` is told how many contents are read, now and then. Cost: every content.
        """
        engine, kept = self._engine()
        with self._group.reader() as reader:
            engine.hold(reader, kept, progress)

    def _engine(self) -> tuple[ModuleType, Forgetful]:
        engine = import_module("recollect.kernel.recall.engine")
        kept = self._group.catalogs.beside.get(_KEPT)
        if kept is None:
            kept = self._group.catalogs.beside.setdefault(_KEPT, engine.HeldColumns())
        return engine, kept
