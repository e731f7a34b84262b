"""The text index rebuilt from the rows, for one group.

The rule: it writes exactly what the writer would have written, so a rebuilt index gives the same
answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.kernel.search.index import TextIndex, forget_texts
from recollect.kernel.search.tokens import concept_text, link_text
from recollect.kernel.store.cells import members, text, whole
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.texts import (
    CONCEPTS,
    ELEMENTS,
    LINKS,
    PAST_CONCEPTS,
    PAST_LINKS,
)
from recollect.model import LIVING, Progress, silent
from recollect.node import dataclass

_AT_ONCE = 1_000  # elements read and written together


def rebuild(session: Session, group_id: int, progress: Progress = silent) -> int:
    """Write every document of a group anew and return how many elements have one.

    Runs in a write transaction. Cost: every element of the group, and of its past.
    """
    total = whole(session.rows(ELEMENTS, {"group": group_id})[0][0])
    progress("texts", 0, total)
    forget_texts(session, group_id)
    count = 0
    for elements, contents in ((CONCEPTS, PAST_CONCEPTS), (LINKS, PAST_LINKS)):
        for put in _put_all(session, group_id, elements, contents):
            count += put
            progress("texts", count, total)
    return count


@dataclass(frozen=True, slots=True)
class _Identity:
    """The part of a document that never changes: a name and given id, or a predicate."""

    name: str
    given_id: str | None
    is_concept: bool

    def document(self, attributes: SqlValue, metadata: SqlValue) -> str:
        """Return the document of one content."""
        said, noted = members(attributes), members(metadata)
        if self.is_concept:
            return concept_text(self.name, self.given_id, said, noted)
        return link_text(self.name, said, noted)


def _put_all(
    session: Session, group_id: int, elements: Statement, contents: Statement
) -> Iterator[int]:
    """Put the documents of one kind; yield how many elements they are of, some at a time."""
    index, after = TextIndex(session, group_id), -1
    while rows := session.rows(elements, {"group": group_id, "after": after, "most": _AT_ONCE}):
        last = whole(rows[-1][0])
        past = session.rows(contents, {"group": group_id, "after": after, "last": last})
        _put(index, rows, past, is_concept=elements is CONCEPTS)
        after = last
        yield len(rows)


def _put(
    index: TextIndex, rows: Sequence[SqlRow], past: Sequence[SqlRow], is_concept: bool
) -> None:
    identities: dict[int, _Identity] = {}
    following: dict[int, str] = {}  # the document after the one looked at, by element
    for element, expired_at, name, given, attributes, metadata in rows:
        identity = _Identity(text(name), None if given is None else text(given), is_concept)
        identities[whole(element)] = identity
        following[whole(element)] = identity.document(attributes, metadata)
        index.put(whole(element), expired_at == LIVING, following[whole(element)])
    for element, until, attributes, metadata in past:  # latest first
        if whole(element) not in identities:  # its row was deleted behind the memory's back
            continue
        document = identities[whole(element)].document(attributes, metadata)
        if document != following[whole(element)]:
            index.supersede(whole(element), whole(until), document)
        following[whole(element)] = document
    index.flush()
