"""The text index as the writer keeps it: one document per element, and the past ones.

The rule: an element's document stands under its own id, in the living partition until the
element is closed, then in the closed one, and never comes back. Contents that were superseded
have documents of their own in the closed partition, numbered by `text_past`. Documents and
tokens of every partition are counted in `tally`, for ranking. Nothing reaches the store before
`flush`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import orjson

from recollect.kernel.search.partition import Partition, partition_of
from recollect.kernel.search.tokens import tokens
from recollect.kernel.store.cells import whole
from recollect.kernel.store.counts import add_counts
from recollect.kernel.store.insertion import Insertion
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.schema import TALLY_DOCUMENTS, TALLY_TOKENS

_LENGTHS = """
SELECT text_index.rowid, text_length(text_index) FROM text_index
WHERE text_index.rowid IN (SELECT one.value FROM json_each(:documents) AS one)
"""

_PAST_DOCUMENTS = """
SELECT past.doc, past.element FROM text_past AS past
WHERE past.group_id = :group
  AND past.element IN (SELECT one.value FROM json_each(:elements) AS one)
"""

_DOCUMENTS = Insertion("text_index (rowid, body)", "bigint text")

_REPLACE_DOCUMENT = "INSERT OR REPLACE INTO text_index (rowid, body) VALUES (?, ?)"

_REMOVE = "DELETE FROM text_index WHERE rowid = ?"

_PUT_PAST = "INSERT INTO text_past (group_id, element, until) VALUES (?, ?, ?)"

_PUT_PAST_BODY = """
INSERT INTO text_index (rowid, body) SELECT -past.doc, :body FROM text_past AS past
WHERE past.group_id = :group AND past.element = :element AND past.until = :until
"""

_REMOVE_PAST = "DELETE FROM text_past WHERE group_id = ? AND doc = ?"


_Document = tuple[bool, str]
"""Whether its element is living, and its text."""


class _Part(dict[str, tuple[str, int]]):
    """What one flush adds to a partition: the body and the words of each text, made once.

    Many links have no words of their own, and say the same.
    """

    def __init__(self, partition: Partition) -> None:
        super().__init__()
        self.partition = partition
        self.documents = self.words = 0

    def __missing__(self, text: str) -> tuple[str, int]:
        """Return the body and the number of words of a text, and keep them."""
        words = tokens(text)
        self[text] = made = self.partition.body(words), len(words)
        return made

    def body(self, text: str) -> str:
        """Return the text the engine indexes for a new document, and count it."""
        body, words = self[text]
        self.documents += 1
        self.words += words
        return body


class _Parts(dict[tuple[int, bool], _Part]):
    """What one flush adds to each of a group's partitions, by kind and whether it is living."""

    def __init__(self, group_id: int) -> None:
        super().__init__()
        self._group_id = group_id

    def __missing__(self, key: tuple[int, bool]) -> _Part:
        """Begin a partition that is met for the first time."""
        self[key] = part = _Part(partition_of(self._group_id, *key))
        return part


class TextIndex:
    """Collects what one write transaction does to a group's documents, and writes it at once.

    One per write session and group. Cost: a few statements per `flush`, whatever their number.
    """

    def __init__(self, session: Session, group_id: int) -> None:
        self._session = session
        self._group_id = group_id
        self._added: list[SqlRow] = []  # documents of elements that had none
        self._current: dict[int, _Document] = {}
        self._removed: dict[int, bool] = {}  # whether each was living
        self._past: dict[tuple[int, int], str] = {}  # by element and until
        self._counts: Counter[tuple[str, int]] = Counter()  # by kind of tally and part
        self._parts = _Parts(group_id)

    def add(self, element: int, text: str) -> None:
        """Set the first document of a living element, of which nothing was told before a flush."""
        self._added.append((element, self._parts[element & 1, True].body(text)))

    def put(self, element: int, is_living: bool, text: str) -> None:
        """Set an element's document, replacing the one it has; `text` is from `document.py`.

        `is_living=False` closes it: pass the text again. The last call before a flush counts.
        """
        self._current[element] = is_living, text
        if self._removed:
            self._removed.pop(element, None)

    def supersede(self, element: int, until: int, text: str) -> None:
        """Keep the text an element had until a transaction, beside its current document.

        Of several calls for one element and transaction the first counts: what stood there
        before the transaction. It moves nothing: `put` the new text as well. A text that did
        not change needs no call: the next one stands for the time before it too.
        """
        self._past.setdefault((element, until), text)

    def remove(self, element: int, was_living: bool) -> None:
        """Remove an element's document and all its past ones, as a purge does.

        `was_living` is whether its row was alive before the transaction. An element without
        a document is no error.
        """
        self._removed[element] = was_living
        self._current.pop(element, None)
        self._past = {key: text for key, text in self._past.items() if key[0] != element}

    def flush(self) -> None:
        """Write everything collected; the index and its counts agree afterwards."""
        add_counts(self._session, self._group_id, self.write())

    def write(self) -> Mapping[tuple[str, int], int]:
        """Write everything collected but for its counts, and return those, to be added."""
        if not (self._added or self._current or self._removed or self._past):
            return {}
        _DOCUMENTS.run(self._session, self._added)
        self._flush_removed()
        self._flush_current()
        self._flush_past()
        for part in self._parts.values():
            self._count(part.partition, part.documents, part.words)
        self._added, self._current, self._removed, self._past = [], {}, {}, {}
        self._parts.clear()
        counts, self._counts = self._counts, Counter()
        return counts

    def _flush_removed(self) -> None:
        removed = self._removed
        if not removed:
            return
        for element, length in self._lengths(removed).items():
            self._count(partition_of(self._group_id, element, removed[element]), -1, -length)
        past = self._past_documents(removed)
        for document, length in self._lengths(-one for one in past).items():
            closed = partition_of(self._group_id, past[-document], is_living=False)
            self._count(closed, -1, -length)
        documents = [*removed, *(-one for one in past)]
        self._session.execute_many(_REMOVE, [(one,) for one in documents])
        self._session.execute_many(_REMOVE_PAST, [(self._group_id, one) for one in past])

    def _flush_current(self) -> None:
        replaced = [
            (element, self._parts[element & 1, is_living].body(text))
            for element, (is_living, text) in self._current.items()
        ]
        for element, length in self._lengths(self._current).items():
            was = partition_of(self._group_id, element, is_living=True)
            self._count(was, -1, -length)
        self._session.execute_many(_REPLACE_DOCUMENT, replaced)

    def _flush_past(self) -> None:
        if not self._past:
            return
        bodies: list[Parameters] = [
            {
                "group": self._group_id,
                "element": element,
                "until": until,
                "body": self._parts[element & 1, False].body(text),
            }
            for (element, until), text in self._past.items()
        ]
        self._session.execute_many(_PUT_PAST, [(self._group_id, *key) for key in self._past])
        self._session.execute_many(_PUT_PAST_BODY, bodies)

    def _count(self, partition: Partition, documents: int, words: int) -> None:
        part = partition.part
        self._counts[TALLY_DOCUMENTS, part] += documents
        self._counts[TALLY_TOKENS, part] += words

    def _lengths(self, documents: Iterable[int]) -> dict[int, int]:
        wanted = orjson.dumps(list(documents)).decode()
        if wanted == "[]":
            return {}
        rows = self._session.rows(_LENGTHS, {"documents": wanted})
        return {whole(document): whole(length) for document, length in rows}

    def _past_documents(self, elements: Iterable[int]) -> dict[int, int]:
        wanted = orjson.dumps(list(elements)).decode()
        rows = self._session.rows(_PAST_DOCUMENTS, {"group": self._group_id, "elements": wanted})
        return {whole(document): whole(element) for document, element in rows}
