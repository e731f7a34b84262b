"""Documents in one SQLite file, found through its text index FTS5.

The rule: the index holds our own words, each written with the number of its namespace, in letters
and digits only; so a look-up stays inside its namespace and words are the same as everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from typing import Final, cast

from recollect.faces.knowledge.model import Document
from recollect.faces.knowledge.services.base import Namespace, RetrievalServiceBase, Scored
from recollect.faces.knowledge.services.facets import facets_of
from recollect.faces.knowledge.services.json_text import document_of, document_text, json_text
from recollect.faces.knowledge.services.ranking import (
    Collection as Counted,
    asked,
    scores,
    words_of,
)
from recollect.faces.knowledge.services.sqlite_file import InSqliteFile
from recollect.kernel import Term

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS shelf (
  number INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL UNIQUE,
  documents INTEGER NOT NULL DEFAULT 0,
  words INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS document (
  number INTEGER PRIMARY KEY,
  shelf INTEGER NOT NULL REFERENCES shelf (number),
  doc_id TEXT NOT NULL,
  words INTEGER NOT NULL,
  UNIQUE (shelf, doc_id)
) STRICT;
CREATE TABLE IF NOT EXISTS document_value (
  number INTEGER PRIMARY KEY,
  facets TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS document_by_id ON document (doc_id);
CREATE VIRTUAL TABLE IF NOT EXISTS document_words USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE IF NOT EXISTS document_word USING fts5vocab (document_words, instance);
"""

_COUNT: Final = """
UPDATE shelf SET documents = documents + ?, words = words + ? WHERE number = ?
"""

_OCCURRENCES: Final = "SELECT word.doc FROM document_word AS word WHERE word.term = ?"

_PREFIX_OCCURRENCES: Final = """
SELECT word.doc FROM document_word AS word WHERE word.term >= ? AND word.term < ?
"""

_LENGTHS: Final = """
SELECT document.number, document.doc_id, document.words FROM document
WHERE document.number IN (SELECT one.value FROM json_each(?) AS one)
"""

_VALUE: Final = "SELECT facets, value FROM document_value WHERE number = ?"

_VALUES: Final = """
SELECT kept.facets, kept.value
FROM document CROSS JOIN document_value AS kept ON kept.number = document.number
WHERE document.shelf = ?
"""


class SQLiteFTS5RetrievalService(InSqliteFile, RetrievalServiceBase):
    """Documents in a SQLite file, ranked by their words; several processes may share it."""

    _tables = _TABLES

    def _add(self, document: Document, namespace: Namespace) -> bool:
        with self._file.writing():
            self._file.rows(
                "INSERT INTO shelf (namespace) VALUES (?) ON CONFLICT DO NOTHING",
                (namespace or "",),
            )
            shelf = cast("int", self._shelf(namespace))
            if self._number(shelf, document.doc_id) is not None:
                return False
            self._put(shelf, document)
        return True

    def _document(self, doc_id: str, namespace: Namespace) -> Document | None:
        with self._file.reading():
            number = self._number(self._shelf(namespace), doc_id)
            rows = self._file.rows(_VALUE, (number,))
        return document_of(cast("str", rows[0][1])) if rows else None

    def _update(self, document: Document, namespace: Namespace) -> bool:
        with self._file.writing():
            shelf = self._shelf(namespace)
            if shelf is None or not self._take(shelf, document.doc_id):
                return False
            self._put(shelf, document)
        return True

    def _remove(self, doc_id: str, namespace: Namespace) -> bool:
        with self._file.writing():
            shelf = self._shelf(namespace)
            return shelf is not None and self._take(shelf, doc_id)

    def _search(self, query: str, wanted: Set[str], namespace: Namespace, most: int) -> Scored:
        with self._file.reading():
            return self._scored(query, wanted, namespace, most)

    def _scored(self, query: str, wanted: Set[str], namespace: Namespace, most: int) -> Scored:
        rows = self._file.rows(
            "SELECT number, documents, words FROM shelf WHERE namespace = ?", (namespace or "",)
        )
        if not rows:
            return []
        shelf, documents, words = cast("list[tuple[int, int, int]]", rows)[0]
        occurrences = [self._occurrences(shelf, term) for term in asked(query)]
        holding: set[int] = set().union(*occurrences)
        rows = self._file.rows(_LENGTHS, (json_text(list(holding)),))
        known = cast("list[tuple[int, str, int]]", rows)
        lengths = {number: length for number, _, length in known}
        names = {number: doc_id for number, doc_id, _ in known}
        scored = scores(occurrences, lengths, Counted(documents, words))
        ranked = sorted(scored.items(), key=lambda one: (-one[1], names[one[0]]))
        return self._best(ranked, wanted, most)

    def _list(self, wanted: Set[str], namespace: Namespace) -> Collection[Document]:
        rows = self._file.rows(_VALUES, (self._shelf(namespace),))
        return [
            document_of(value)
            for facets, value in cast("list[tuple[str, str]]", rows)
            if wanted <= set(facets.split())
        ]

    def _size(self, namespace: Namespace) -> int:
        rows = self._file.rows(
            "SELECT documents FROM shelf WHERE namespace = ?", (namespace or "",)
        )
        return cast("int", rows[0][0]) if rows else 0

    def _clear(self, namespace: Namespace) -> int:
        with self._file.writing():
            shelf = self._shelf(namespace)
            held = self._file.rows("SELECT number FROM document WHERE shelf = ?", (shelf,))
            self._file.run_many("DELETE FROM document_words WHERE rowid = ?", held)
            self._file.run_many("DELETE FROM document_value WHERE number = ?", held)
            self._file.rows("DELETE FROM document WHERE shelf = ?", (shelf,))
            self._file.rows("UPDATE shelf SET documents = 0, words = 0 WHERE number = ?", (shelf,))
        return len(held)

    def _namespaces(self) -> Collection[str]:
        rows = self._file.rows(
            "SELECT namespace FROM shelf WHERE documents > 0 AND namespace <> ''"
        )
        return [cast("str", name) for (name,) in rows]

    def _holders(self, doc_id: str) -> Collection[Namespace]:
        rows = self._file.rows(
            "SELECT shelf.namespace FROM document JOIN shelf ON shelf.number = document.shelf "
            "WHERE document.doc_id = ?",
            (doc_id,),
        )
        return [cast("str", name) or None for (name,) in rows]

    def _shelf(self, namespace: Namespace) -> int | None:
        """Return the number of a namespace, if it ever held anything."""
        rows = self._file.rows("SELECT number FROM shelf WHERE namespace = ?", (namespace or "",))
        return cast("int", rows[0][0]) if rows else None

    def _number(self, shelf: int | None, doc_id: str) -> int | None:
        rows = self._file.rows(
            "SELECT number FROM document WHERE shelf = ? AND doc_id = ?", (shelf, doc_id)
        )
        return cast("int", rows[0][0]) if rows else None

    def _put(self, shelf: int, document: Document) -> None:
        words = words_of(document)
        ((number,),) = self._file.rows(
            "INSERT INTO document (shelf, doc_id, words) VALUES (?, ?, ?) RETURNING number",
            (shelf, document.doc_id, len(words)),
        )
        facets = " ".join(sorted(facets_of(document.metadata)))
        self._file.rows(
            "INSERT INTO document_value (number, facets, value) VALUES (?, ?, ?)",
            (number, facets, document_text(document)),
        )
        self._file.rows(
            "INSERT INTO document_words (rowid, words) VALUES (?, ?)",
            (number, " ".join(_spelled(shelf, words))),
        )
        self._file.rows(_COUNT, (1, len(words), shelf))

    def _take(self, shelf: int, doc_id: str) -> bool:
        rows = self._file.rows(
            "DELETE FROM document WHERE shelf = ? AND doc_id = ? RETURNING number, words",
            (shelf, doc_id),
        )
        if not rows:
            return False
        number, words = cast("list[tuple[int, int]]", rows)[0]
        self._file.rows("DELETE FROM document_words WHERE rowid = ?", (number,))
        self._file.rows("DELETE FROM document_value WHERE number = ?", (number,))
        self._file.rows(_COUNT, (-1, -words, shelf))
        return True

    def _occurrences(self, shelf: int, term: Term) -> Counter[int]:
        """Return how often a word stands in which documents."""
        (word,) = _spelled(shelf, [term.text])
        if term.is_prefix:
            rows = self._file.rows(_PREFIX_OCCURRENCES, (word, word + "~"))
        else:
            rows = self._file.rows(_OCCURRENCES, (word,))
        return Counter([number for (number,) in cast("list[tuple[int]]", rows)])

    def _best(self, ranked: Sequence[tuple[int, float]], wanted: Set[str], most: int) -> Scored:
        found: Scored = []
        for number, score in ranked:
            ((facets, value),) = cast("list[tuple[str, str]]", self._file.rows(_VALUE, (number,)))
            if wanted <= set(facets.split()):
                found.append((document_of(value), score))
                if len(found) == most:
                    break
        return found


def _spelled(shelf: int, words: Iterable[str]) -> list[str]:
    """Return words as the index holds them; no two are spelled alike."""
    return [
        f"{shelf}x{word}" if word.isascii() else f"{shelf}y{word.encode().hex()}" for word in words
    ]
