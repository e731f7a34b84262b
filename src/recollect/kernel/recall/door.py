"""The door to recall, which loads what it works with when it is first asked.

The rule: who never recalls loads no NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

from recollect.kernel.read.catalogs import Forgetful, OpenGroup
from recollect.kernel.recall.recollection import RecallQuestion, Recollection
from recollect.model import AsOf, Progress, silent

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
            kept = self._group.catalogs.beside.setdefault(_KEPT, engine.new())
        return engine, kept
