"""The index of texts on FTS5: one table without contents, which all groups share.

The rule: each word stands behind the name of its partition, so that what the engine counts and
looks up is always of one partition.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from operator import itemgetter
from typing import cast

import orjson

from recollect.kernel.store.cells import SqlValue, octets, text, whole
from recollect.kernel.store.port import (
    IndexedDocuments,
    Occurrences,
    Partition,
    Session,
    Size,
    Term,
    marked,
)
from recollect.kernel.store.sqlite.functions import document_length
from recollect.kernel.store.statement import Insertion

_AT_ONCE = 10_000  # terms read together

_INSERT = Insertion("text_index (rowid, body)", "bigint text")
_REPLACE = "INSERT OR REPLACE INTO text_index (rowid, body) VALUES (?, ?)"
_REMOVE = "DELETE FROM text_index WHERE rowid = ?"

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
)
_FORGET_ALL = "INSERT INTO text_index (text_index) VALUES ('delete-all')"

_SIZE = "SELECT count(*) FROM text_index"

_LENGTHS = """
SELECT text_index.rowid, text_length(text_index) FROM text_index
WHERE text_index.rowid IN (SELECT one.value FROM json_each(:documents) AS one)
"""

_FREQUENCIES = """
SELECT (
  SELECT COUNT(*) FROM (
    SELECT 1 FROM text_index WHERE text_index MATCH one.value LIMIT :most))
FROM json_each(:matches) AS one ORDER BY one.key
"""

_HOLDING = """
SELECT text_index.rowid FROM text_index WHERE text_index MATCH :match LIMIT :most
"""

_OCCURRENCES = """
SELECT word.doc, length.sz
FROM text_instance AS word CROSS JOIN text_index_docsize AS length ON length.id = word.doc
WHERE word.term = text_stem(:token)
"""

_PREFIX_OCCURRENCES = """
SELECT word.doc, length.sz
FROM text_instance AS word CROSS JOIN text_index_docsize AS length ON length.id = word.doc
WHERE word.term >= :token AND word.term < :token || char(1114111)
"""

_WITHIN = "AND word.doc IN (SELECT one.value FROM json_each(:documents) AS one)"

_OPEN = "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, text_index, instance)"
_CLOSE = "DROP TABLE temp.vocabulary"

# A rebuild renumbers superseded documents: their element and time stand for the number.
_TERMS = """
SELECT one.term, count(*),
  sum((31 * iif(one.doc > 0, one.doc, 31 * past.element + past.until) + one.offset) % 1000003)
FROM temp.vocabulary AS one
LEFT JOIN text_past AS past ON past.group_id = :group AND past.doc = -one.doc
WHERE one.term > :after AND one.term <= :last GROUP BY one.term LIMIT :most
"""

_SIZES = """
SELECT c.id, 0, s.sz FROM concept AS c
LEFT JOIN text_index_docsize AS s ON s.id = c.id WHERE c.group_id = :group
UNION ALL
SELECT k.id, 0, s.sz FROM link AS k
LEFT JOIN text_index_docsize AS s ON s.id = k.id WHERE k.group_id = :group
UNION ALL
SELECT past.element, past.until, s.sz FROM text_past AS past
LEFT JOIN text_index_docsize AS s ON s.id = -past.doc WHERE past.group_id = :group
ORDER BY 1, 2
"""


class SqliteTexts:
    """The index in a file; it implements `texts.Texts`.

    The ids of documents are those of the file, so they need no group beside them.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def change(self, gone: Sequence[IndexedDocuments], come: Sequence[IndexedDocuments]) -> None:
        """Take documents out and put documents in, in the order of their ids."""
        left = {one for documents in gone for one, _ in documents.words}
        made: list[tuple[int, str]] = []
        moved: list[tuple[int, str]] = []
        for partition, documents in come:
            prefix, said, text = partition.prefix, None, ""
            for one, words in documents:
                if words is not said:  # many links in a row say the same
                    said, text = words, body(prefix, words)
                (moved if one in left else made).append((one, text))
        left.difference_update(map(itemgetter(0), moved))
        self._session.execute_many(_REMOVE, [(one,) for one in sorted(left)])
        self._session.put(_INSERT, sorted(made))
        self._session.execute_many(_REPLACE, sorted(moved))

    def erase(self, group_id: int, documents: Collection[int]) -> None:  # noqa: ARG002
        """Take documents out; the session's `clear_remains` then takes what is left of them."""
        self._session.execute_many(_REMOVE, [(one,) for one in documents])

    def forget(self, group_id: int) -> None:
        """Take out every document of a group; its rows are still there."""
        for statement in _FORGET:
            self._session.execute_many(statement, [(group_id,)])

    def forget_all(self) -> None:
        """Take out every document there is."""
        self._session.execute_many(_FORGET_ALL, [()])

    def expect(self, partitions: Sequence[Partition], terms: Sequence[Term]) -> None:
        """Do nothing: what stands in a file takes no longer by itself."""

    def frequencies(
        self, partitions: Sequence[Partition], terms: Sequence[Term], most: int
    ) -> list[int]:
        """Return in how many documents each term is, counting to `most`."""
        matches = [" OR ".join(_match(one, term) for one in partitions) for term in terms]
        wanted = orjson.dumps(matches).decode()
        rows = self._session.rows(_FREQUENCIES, {"matches": wanted, "most": most})
        return [whole(count) for (count,) in rows]

    def occurrences(
        self, partitions: Sequence[Partition], terms: Sequence[Term], among: Collection[int] | None
    ) -> Iterator[Occurrences]:
        """Yield where each term stands, in all of the documents or in some."""
        parameters: dict[str, SqlValue] = {}
        if among is not None:
            parameters["documents"] = orjson.dumps(list(among)).decode()
        for term in terms:
            rows = self._where(partitions[0], term, parameters)
            for partition in partitions[1:]:
                rows += self._where(partition, term, parameters)
            sizes = dict(rows)
            repeated: dict[int, tuple[Size, int]] = {}
            if len(sizes) < len(rows):  # some have the word more than once
                counts = Counter(map(itemgetter(0), rows))
                repeated = {one: (sizes[one], count) for one, count in counts.items() if count > 1}
            yield Occurrences(sizes.keys(), sizes.values(), repeated)

    def length(self, size: Size) -> int:
        """Return how many words a document of that size has; STORE_CORRUPT for what is none."""
        return document_length(octets(size))

    def _where(
        self, partition: Partition, term: Term, parameters: dict[str, SqlValue]
    ) -> list[tuple[int, bytes]]:
        """Return the document, and its size, of each occurrence of a term in it."""
        if term.is_prefix:
            statement, parameters["token"] = _PREFIX_OCCURRENCES, partition.prefix + term.text
        else:
            statement, parameters["token"] = _OCCURRENCES, partition.token(term.text)
        if "documents" in parameters:
            statement += _WITHIN
        return cast("list[tuple[int, bytes]]", self._session.rows(statement, parameters))

    def holding(
        self, partitions: Sequence[Partition], ways: Sequence[Sequence[Term]], most: int = -1
    ) -> set[int]:
        """Return the documents that hold all terms of one of the ways; the engine joins lists."""
        matches = [
            " AND ".join(f"({_match(partition, one)})" for one in way)
            for partition in partitions
            for way in ways
        ]
        if not matches:
            return set()
        match = " OR ".join(f"({one})" for one in matches)
        rows = self._session.rows(_HOLDING, {"match": match, "most": most})
        return {whole(document) for (document,) in rows}

    def lengths(self, group_id: int, documents: Iterable[int]) -> dict[int, int]:  # noqa: ARG002
        """Return how many words those of the documents have that are there."""
        wanted = orjson.dumps(list(documents)).decode()
        rows = self._session.rows(_LENGTHS, {"documents": wanted})
        return {whole(document): whole(length) for document, length in rows}

    def size(self) -> int:
        """Return how many documents there are, of all groups."""
        return whole(self._session.rows(_SIZE)[0][0])

    def fingerprint(self, group_id: int) -> bytes:
        """Return a hash of a group's words and of its documents' lengths."""
        digest = hashlib.sha256(self._words(group_id))
        with closing(self._session.each(_SIZES, {"group": group_id})) as rows:
            for row in rows:
                digest.update(repr(row).encode())
        return digest.digest()

    def holds_nothing(self, group_id: int) -> bool:
        """Whether no word of a group is there."""
        return self._words(group_id) == hashlib.sha256(4 * orjson.dumps([])).digest()

    def _words(self, group_id: int) -> bytes:
        """Return a hash of a group's words; memory: some thousand of them."""
        prefixes = sorted(
            Partition(group_id, is_link, is_living).prefix
            for is_link in (False, True)
            for is_living in (False, True)
        )
        digest = hashlib.sha256()
        self._session.rows(_OPEN)
        for prefix in prefixes:
            after, last = prefix, prefix + "\U0010ffff"
            while True:
                place: dict[str, SqlValue] = {"after": after, "last": last, "most": _AT_ONCE}
                rows = self._session.rows(_TERMS, {"group": group_id, **place})
                digest.update(orjson.dumps(rows))
                if len(rows) < _AT_ONCE:
                    break
                after = text(rows[-1][0])
        self._session.rows(_CLOSE)
        return digest.digest()


def body(prefix: str, words: Iterable[str]) -> str:
    """Return the text the engine indexes for a document's words.

    >>> body("12b", ["big", "cats"])
    '12bbig 12bcats'
    """
    written = [word if len(word) > 2 else marked(word) for word in words]
    return prefix + f" {prefix}".join(written) if written else ""


def any_of(partition: Partition, terms: Iterable[Term]) -> str:
    """Return the engine's query for documents with any of the terms; there is at least one.

    >>> any_of(Partition(12, is_link=True, is_living=True), [Term("abc"), Term("b", True)])
    '"12dabc" OR "12db" *'
    """
    return " OR ".join(_match(partition, term) for term in terms)


def _match(partition: Partition, term: Term) -> str:
    """Return the engine's query for a term."""
    if term.is_prefix:
        return f'"{partition.prefix}{term.text}" *'
    return f'"{partition.token(term.text)}"'
