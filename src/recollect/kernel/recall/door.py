"""The door to recall, which loads what it works with when it is first asked.

The rule: who never recalls loads no NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.read.reader import Reader
from recollect.kernel.recall.recollection import Recollection
from recollect.kernel.store.port import Store
from recollect.model import AsOf, Instant, Limits

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

    def __init__(
        self,
        store: Store,
        group_name: str,
        catalogs: Catalogs,
        limits: Limits,
        clock: Callable[[], Instant],
    ) -> None:
        self._store = store
        self._group_name = group_name
        self._catalogs = catalogs
        self._limits = limits
        self._clock = clock

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
    ) -> Recollection:
        """Return the memories that a question in plain words is about, best first, ties by age.

        `kinds` are some of "fact", "claim", "concept", "episode" and "piece". What has ended or was
        withdrawn is there with `past` alone, at half its score. What scores below `threshold` is
        left out; what is not near enough always is, and then `nearest` tells what came nearest.
        `cursor` is that of an earlier answer to the same question, and keeps its moment.
        INVALID_ARGUMENT for a blank question, an unknown kind or a cursor of another call.
        Cost: a few passes over the memories of the group, and what was written since it was last
        asked; the first time, every content of the group.
        """
        engine = import_module("recollect.kernel.recall.engine")
        kept = self._catalogs.beside.get(_KEPT)
        if kept is None:
            kept = self._catalogs.beside.setdefault(_KEPT, engine.new())
        with self._store.reading() as session:
            catalog = self._catalogs.of(session, self._group_name)
            found: Recollection = engine.recollected(
                Reader(session, catalog, self._limits),
                kept,
                question,
                kinds,
                limit,
                max_tokens,
                as_of or AsOf(),
                self._clock(),
                past=past,
                threshold=threshold,
                cursor=cursor,
            )
        return found
