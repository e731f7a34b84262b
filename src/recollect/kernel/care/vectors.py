"""What the elements of one group mean: made in advance, made up for, and searched.

The rule: nothing here changes what an element says, so nothing of it is in the log.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.care.reindex import reindex
from recollect.kernel.read.catalogs import OpenGroup
from recollect.kernel.read.moment import resolve_moment
from recollect.kernel.search.known_terms import term_code
from recollect.kernel.search.nearest import nearest
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.vectors.embedder import link_meaning
from recollect.kernel.vectors.meanings import Meanings, Preparation
from recollect.model import (
    FACT,
    AsOf,
    Change,
    ElementKind,
    Progress,
    PutFact,
    Ranked,
    Reindexed,
    silent,
)


class Vectors:
    """The vectors of one group; safe to share between threads and processes."""

    def __init__(self, group: OpenGroup) -> None:
        self._group = group

    @property
    def model(self) -> str | None:
        """The name of the model that is configured; None without an embedder."""
        meanings = self._group.catalogs.meanings
        return None if meanings is None else meanings.embedder.name

    def check_embedder(self) -> None:
        """Raise INVALID_ARGUMENT where no embedder is configured."""
        self._meanings()

    def prepare(self, texts: Iterable[str]) -> None:
        """Make the vectors of texts that are about to be written, so that the write need not.

        What has one already is not embedded again. They wait in memory. EMBEDDER_UNAVAILABLE
        when the model does not answer, EMBEDDER_CHANGED for a group of another model.
        """
        meanings = self._meanings()
        meanings.vectors_of(self._lacking(meanings, list(texts)))

    def nearest(
        self,
        term: str,
        kind: ElementKind,
        *,
        type: str | None = None,
        limit: int = 10,
        as_of: AsOf | None = None,
    ) -> tuple[Ranked, ...]:
        """Return the ids of the elements nearest to a text in meaning, best first, ties by id.

        Only elements that exist and are true then are ranked, and only links that say something in
        words. The score is the cosine, if that is above 0. Errors as for `prepare`. Cost: the
        model, and all vectors of the kind.
        """
        meanings = self._meanings()
        if term.strip():
            meanings.question(term)  # before the snapshot is taken, which should be short
        with self._group.store.reading() as session:
            group = self._group.catalog(session).group
            code = None if type is None else term_code(session, group.group_id, kind, type)
            if type is not None and code is None:
                return ()
            moment = resolve_moment(session, group, as_of)
            scope = SearchBounds(group, code, moment.valid, moment.known)
            found = nearest(session, scope, meanings, kind, term, limit)
        found.sort(key=lambda one: (-one.score, one.id))
        return tuple(Ranked(one.id, one.score) for one in found[:limit])

    def reindex(self, progress: Progress = silent) -> Reindexed:
        """Make the vectors that living elements lack; all of them for another model.

        Errors as for `prepare`, but that another model is what it is for.
        """
        return reindex(self._group.store, self._group.name, self._meanings(), progress)

    def preparation(self, changes: Iterable[Change]) -> Preparation | None:
        """Return the prepared vectors for a write of these changes; None without an embedder.

        The words of facts are embedded at once; other texts are only known inside the transaction.
        """
        meanings = self._group.catalogs.meanings
        if meanings is None:
            return None
        texts = [link_meaning({FACT: one.text}) for one in changes if isinstance(one, PutFact)]
        preparation = Preparation(meanings)
        preparation.want(self._lacking(meanings, [one for one in texts if one is not None]))
        preparation.make()
        return preparation

    def _lacking(self, meanings: Meanings, texts: list[str]) -> dict[str, str]:
        if not texts:
            return {}
        with self._group.store.reading() as session:
            group = self._group.catalog(session).group
            return meanings.without_vectors(session, group.group_id, texts)

    def _meanings(self) -> Meanings:
        meanings = self._group.catalogs.meanings
        if meanings is None:
            raise RecollectError(
                INVALID_ARGUMENT,
                "no embedder is configured",
                hint="open the memory with an embedder, or set RECOLLECT_EMBEDDER",
            )
        return meanings
