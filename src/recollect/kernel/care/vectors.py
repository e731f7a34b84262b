"""What the elements of one group mean: made in advance, made up for, and searched.

The rule: nothing here changes what an element says, so nothing of it is in the log. No model is
called inside a transaction, and where living elements lack vectors, such as all of them after a
change of embedder, those already made stay if it fails.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import refused
from recollect.kernel.read.catalogs import OpenGroup
from recollect.kernel.read.moment import resolve_moment
from recollect.kernel.search.known_terms import term_code
from recollect.kernel.search.nearest import nearest
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.store.cells import members, text, whole
from recollect.kernel.store.group import Group, load_group, make_stale
from recollect.kernel.store.port import Session, Store
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.vectors import CONCEPTS, LINKS
from recollect.kernel.vectors.embedder import link_meaning, model_of
from recollect.kernel.vectors.meanings import Meanings, Preparation, VectorRows, forget_vectors
from recollect.kernel.write.validation import meaning_of
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

_AT_ONCE = 512  # elements


def reindex(store: Store, name: str, meanings: Meanings, progress: Progress) -> Reindexed:
    """Make the vectors that the living elements of a group lack, and return how many they were.

    Vectors of another model go first. EMBEDDER_UNAVAILABLE when the model does not answer; the
    next call goes on from there. Cost: the model, once for every text.
    """
    with store.reading() as session:
        group = load_group(session, name)
    if group is None:
        return Reindexed(meanings.embedder.name, 0)
    own = meanings.embedder.name, meanings.dimension()  # may ask the model: not while others wait
    with store.writing(group=name) as session:
        if model_of(session, group.group_id) not in (None, own):
            forget_vectors(session, group.group_id)
            make_stale(session, group.group_id)
    count = 0
    for statement, step in ((CONCEPTS, "concepts"), (LINKS, "links")):
        count += _embed_all(store, group, meanings, statement, progress, f"{name}: {step}")
    return Reindexed(meanings.embedder.name, count)


def _embed_all(
    store: Store,
    group: Group,
    meanings: Meanings,
    statement: Statement,
    progress: Progress,
    step: str,
) -> int:
    group_id, after, count = group.group_id, -1, 0
    while True:
        with store.reading() as session:
            said = _lacking_texts(session, group_id, statement, after)
            texts = [one for one in said.values() if one is not None]
            lacking = meanings.without_vectors(session, group_id, texts)
        if not said:
            return count
        vectors = meanings.vectors_of(lacking)
        with store.writing(group=group.name) as session:
            rows = VectorRows(session, group_id, meanings.embedder, vectors.get)
            now = _lacking_texts(session, group_id, statement, after)
            same = {one: text for one, text in now.items() if text and said.get(one) == text}
            rows.write(same)
        after, count = max(said), count + len(same)
        progress(step, count, 0)


def _lacking_texts(
    session: Session, group_id: int, statement: Statement, after: int
) -> dict[int, str | None]:
    """Return what the next elements without a vector say; those that say nothing, too."""
    rows = session.rows(statement, {"group": group_id, "after": after, "most": _AT_ONCE})
    said: dict[int, str | None] = {}
    for element, kind, name, attributes in rows:
        if name is None:
            said[whole(element)] = link_meaning(members(attributes))
        else:
            said[whole(element)] = meaning_of(
                session.kinds, text(kind), text(name), members(attributes)
            )
    return said


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

    def preparation(self, changes: Iterable[Change]) -> Preparation:
        """Return the prepared vectors for a write of these changes.

        The words of facts are embedded at once; other texts are only known inside the transaction.
        """
        meanings = self._meanings()
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
            raise refused(
                "no embedder is configured",
                "open the memory with an embedder, or set RECOLLECT_EMBEDDER",
            )
        return meanings
