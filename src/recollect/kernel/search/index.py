"""The index of texts as the writer keeps it, and as it is rebuilt from the rows.

The rule: an element's document stands under its own id, in the living partition until the
element is closed, then in the closed one, and never comes back. Contents that were superseded
have documents of their own in the closed partition, numbered by `text_past`. Documents and words of
every partition are counted in `tally`, for ranking. Nothing reaches the store before `flush`. What
is rebuilt is exactly what the writer would have written, so it gives the same answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import orjson

from recollect.kernel.search.tokens import concept_text, link_text, tokens
from recollect.kernel.store.cells import TALLY_DOCUMENTS, TALLY_TOKENS, members, text, whole
from recollect.kernel.store.insertion import add_counts
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.text_index import (
    ELEMENTS,
    FORGET_COUNTS,
    FORGET_PAST,
    LAST_PAST,
    PAST_DOCUMENTS,
    PUT_PAST,
    REMOVE_PAST,
    SAID,
    SAID_BEFORE,
)
from recollect.kernel.store.text_index import IndexedDocuments, Partition, partition_of
from recollect.model import CONCEPT_BIT, LINK_BIT, LIVING, Progress, silent
from recollect.node import dataclass

Counts = Counter[tuple[str, int]]
"""Differences by kind of tally and part."""


class _Part:
    """What one flush does to a partition: the texts that come and those that go, by document.

    Their words are made as they are asked for, and counted: those of all texts take much memory.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.come: dict[int, str] = {}
        self.gone: dict[int, str] = {}
        self._words = 0

    def coming(self) -> IndexedDocuments:
        """Return the documents that come."""
        return IndexedDocuments(self.partition, self._documents(self.come, 1))

    def going(self) -> IndexedDocuments:
        """Return the documents that go."""
        return IndexedDocuments(self.partition, self._documents(self.gone, -1))

    def _documents(self, texts: Mapping[int, str], sign: int) -> Iterator[tuple[int, list[str]]]:
        said, words = "", list[str]()
        for document, own in texts.items():
            if own != said:  # many links have no words of their own, and say the same
                said, words = own, tokens(own)
            self._words += sign * len(words)
            yield document, words

    def count(self, counts: Counts) -> None:
        """Add how many documents and words the partition has more, now that they were read."""
        part = self.partition.part
        counts[TALLY_DOCUMENTS, part] += len(self.come) - len(self.gone)
        counts[TALLY_TOKENS, part] += self._words


class _Parts(dict[tuple[int, bool], _Part]):
    """What one flush does to each of a group's partitions, by kind and whether it is living."""

    def __init__(self, group_id: int) -> None:
        super().__init__()
        self._group_id = group_id

    def __missing__(self, key: tuple[int, bool]) -> _Part:
        """Begin a partition that is met for the first time."""
        self[key] = part = _Part(partition_of(self._group_id, *key))
        return part


class TextIndex:
    """Collects what one write transaction does to a group's documents, and writes it at once.

    One per write session and group. Of an element one thing is told before a flush, beside its
    superseded texts. Cost: a few statements per `flush`, whatever their number.
    """

    def __init__(self, session: Session, group_id: int) -> None:
        self._session = session
        self._group_id = group_id
        self._past: dict[tuple[int, int], str] = {}  # by element and until
        self._parts = _Parts(group_id)

    def put(self, element: int, is_living: bool, text: str, before: str | None = None) -> None:
        """Set an element's document; `text` is from `document.py`.

        `before` is what it is while the element is living, None where it has none.
        `is_living=False` closes it: pass the text again.
        """
        self._parts[element & 1, is_living].come[element] = text
        if before is not None:
            self.take_back(element, before)

    def take_back(self, element: int, text: str) -> None:
        """Take out the document of a living element, which is this text."""
        self._parts[element & 1, True].gone[element] = text

    def supersede(self, element: int, until: int, text: str) -> None:
        """Keep the text an element had until a transaction, beside its current document.

        Of several calls for one element and transaction the first counts: what stood there
        before the transaction. It moves nothing: `put` the new text as well. A text that did
        not change needs no call: the next one stands for the time before it too.
        """
        self._past.setdefault((element, until), text)

    def flush(self) -> None:
        """Write everything collected; the index and its counts agree afterwards."""
        add_counts(self._session, self._group_id, self.write())

    def write(self) -> Mapping[tuple[str, int], int]:
        """Write everything collected but for its counts, and return those, to be added."""
        if not (self._parts or self._past):
            return {}
        self._put_past()
        parts, counts = list(self._parts.values()), Counts()
        self._session.texts.change(
            [one.going() for one in parts if one.gone], [one.coming() for one in parts if one.come]
        )
        for part in parts:
            part.count(counts)
        self._parts.clear()
        return counts

    def _put_past(self) -> None:
        """Number the superseded texts, and let their documents come."""
        if not self._past:
            return
        group = {"group": self._group_id}
        last = whole(self._session.rows(LAST_PAST, group)[0][0])
        rows = []
        for number, ((element, until), own) in enumerate(self._past.items(), last + 1):
            rows.append({**group, "number": number, "element": element, "until": until})
            self._parts[element & 1, False].come[-number] = own
        self._session.execute_many(PUT_PAST, rows)
        self._past = {}


def erase_texts(session: Session, group_id: int, elements: Mapping[int, bool]) -> None:
    """Erase the documents of elements and all their past ones, as a purge does.

    Whether an element was living before the transaction is told with it. One without a document
    is no error. Cost: the group's index.
    """
    wanted = orjson.dumps(list(elements)).decode()
    rows = session.rows(PAST_DOCUMENTS, {"group": group_id, "elements": wanted})
    past = {-whole(number): whole(element) for number, element in rows}
    texts, counts = session.texts, Counts()
    for document, length in texts.lengths(group_id, [*elements, *past]).items():
        element = past.get(document, document)
        is_living = document not in past and elements[element]
        part = partition_of(group_id, element, is_living).part
        counts[TALLY_DOCUMENTS, part] -= 1
        counts[TALLY_TOKENS, part] -= length
    texts.erase(group_id, [*elements, *past])
    session.execute_many(REMOVE_PAST, [{"group": group_id, "number": -one} for one in past])
    add_counts(session, group_id, counts)


def forget_texts(session: Session, group_id: int) -> None:
    """Take out every document of a group, with their counts; its elements are still there."""
    session.texts.forget(group_id)
    session.execute_many(FORGET_PAST, [{"group": group_id}])
    counts = {"documents": TALLY_DOCUMENTS, "tokens": TALLY_TOKENS}
    session.execute_many(FORGET_COUNTS, [{"group": group_id, **counts}])


_AT_ONCE = 1_000  # elements read and written together


def rebuild(session: Session, group_id: int, progress: Progress = silent) -> int:
    """Write every document of a group anew and return how many elements have one.

    Runs in a write transaction. Cost: every element of the group, and of its past.
    """
    total = whole(session.rows(ELEMENTS, {"group": group_id})[0][0])
    progress("texts", 0, total)
    forget_texts(session, group_id)
    index = TextIndex(session, group_id)
    asked: dict[str, SqlValue] = {"group": group_id, "after": -1, "most": _AT_ONCE}
    count = 0
    while rows := session.rows(SAID, asked):
        last = whole(rows[-1][0])
        past = {"group": group_id, "after": asked["after"], "last": last}
        _put(index, rows, session.rows(SAID_BEFORE, past))
        asked["after"] = last
        count += len(rows)
        progress("texts", count, total)
    return count


@dataclass(frozen=True, slots=True)
class _Identity:
    """The part of a document that never changes: a name and given id, or a predicate."""

    element: int
    name: str
    given_id: str | None

    def document(self, attributes: SqlValue, metadata: SqlValue) -> str:
        """Return the document of one content."""
        said, noted = members(attributes), members(metadata)
        if self.element & LINK_BIT == CONCEPT_BIT:
            return concept_text(self.name, self.given_id, said, noted)
        return link_text(self.name, said, noted)


def _put(index: TextIndex, rows: Sequence[SqlRow], past: Sequence[SqlRow]) -> None:
    """Put the documents of some elements, and those of what they said before."""
    identities: dict[int, _Identity] = {}
    following: dict[int, str] = {}  # the document after the one looked at, by element
    for element, expired_at, name, given, attributes, metadata in rows:
        identity = _Identity(whole(element), text(name), None if given is None else text(given))
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
