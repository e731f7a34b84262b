"""The text index rebuilt from the rows, for one group.

The rule: it writes exactly what the writer would have written, so a rebuilt index gives the same
answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recollect.kernel.search.document import concept_text, link_text
from recollect.kernel.search.index import TextIndex
from recollect.kernel.store.cells import members, text, whole
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.schema import LIVING, TALLY_DOCUMENTS, TALLY_TOKENS
from recollect.model import Progress, silent

_AT_ONCE = 1_000  # elements read and written together

_FORGET: tuple[str, ...] = (
    """
DELETE FROM text_index WHERE rowid IN (
  SELECT concept.id FROM concept WHERE concept.group_id = ?)
""",
    """
DELETE FROM text_index WHERE rowid IN (
  SELECT link.id FROM link WHERE link.group_id = ?)
""",
    """
DELETE FROM text_index WHERE rowid IN (
  SELECT -past.doc FROM text_past AS past WHERE past.group_id = ?)
""",
    "DELETE FROM text_past WHERE group_id = ?",
)

_FORGET_COUNTS = "DELETE FROM tally WHERE group_id = ? AND kind IN (?, ?)"

_ELEMENTS = """
SELECT (SELECT count(*) FROM concept WHERE concept.group_id = :group)
  + (SELECT count(*) FROM link WHERE link.group_id = :group)
"""

_CONCEPTS = """
SELECT concept.id, concept.expired_at, concept.name, concept.public_id,
  concept.attributes, concept.metadata
FROM concept WHERE concept.group_id = :group AND concept.id > :after
ORDER BY concept.id LIMIT :most
"""

_LINKS = """
SELECT link.id, link.expired_at, term.text, NULL, link.attributes, link.metadata
FROM link CROSS JOIN term ON term.code = link.predicate
WHERE link.group_id = :group AND term.group_id = :group AND link.id > :after
ORDER BY link.id LIMIT :most
"""

_PAST_CONCEPTS = """
SELECT past.id, past.until, past.attributes, past.metadata FROM concept_past AS past
WHERE past.group_id = :group AND past.id > :after AND past.id <= :last
ORDER BY past.id DESC, past.until DESC
"""

_PAST_LINKS = """
SELECT past.id, past.until, past.attributes, past.metadata FROM link_past AS past
WHERE past.group_id = :group AND past.id > :after AND past.id <= :last
ORDER BY past.id DESC, past.until DESC
"""


def rebuild(session: Session, group_id: int, progress: Progress = silent) -> int:
    """Write every document of a group anew and return how many elements have one.

    Runs in a write transaction. Cost: every element of the group, and of its past.
    """
    total = whole(session.rows(_ELEMENTS, {"group": group_id})[0][0])
    progress("texts", 0, total)
    forget(session, group_id)
    count = 0
    for elements, contents in ((_CONCEPTS, _PAST_CONCEPTS), (_LINKS, _PAST_LINKS)):
        for put in _put_all(session, group_id, elements, contents):
            count += put
            progress("texts", count, total)
    return count


def forget(session: Session, group_id: int) -> None:
    """Remove every document of a group, and their counts."""
    for statement in _FORGET:
        session.execute_many(statement, [(group_id,)])
    session.execute_many(_FORGET_COUNTS, [(group_id, TALLY_DOCUMENTS, TALLY_TOKENS)])


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


def _put_all(session: Session, group_id: int, elements: str, contents: str) -> Iterator[int]:
    """Put the documents of one kind; yield how many elements they are of, some at a time."""
    index, after = TextIndex(session, group_id), -1
    while rows := session.rows(elements, {"group": group_id, "after": after, "most": _AT_ONCE}):
        last = whole(rows[-1][0])
        past = session.rows(contents, {"group": group_id, "after": after, "last": last})
        _put(index, rows, past, is_concept=elements is _CONCEPTS)
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
