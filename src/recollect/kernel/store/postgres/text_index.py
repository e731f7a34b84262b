"""The index of texts on a server: blocks of postings in an ordinary table.

The rule: a write adds a block for each word of the documents that come and one for each word of
those that go, and changes none: no row is hot. What a word's blocks have together is where it
stands, and the sum of their documents is how often. The empty word stands in every document, and
has a block of the last write, also where that was erased: the number of the next is one more. The
write that meets a word of many blocks joins the newest of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Final, Protocol

import orjson

from recollect.kernel.store.cells import SqlValue, octets, text, whole
from recollect.kernel.store.port import (
    IndexedDocuments,
    Occurrences,
    Parameters,
    Partition,
    Session,
    Size,
    Sql,
    SqlRow,
    Term,
)
from recollect.kernel.store.postgres.pool import Answered
from recollect.kernel.store.postgres.postings import (
    Posting,
    Postings,
    joined,
    merged,
    pack,
    without,
)
from recollect.kernel.store.postgres.stems import stems_of

_MOST_BLOCKS: Final = 32  # of a word, before some are joined
_RARE: Final = 500  # postings of a word that come with how often it is
_MOST_RARE: Final = 256  # words of which a block keeps them
_ALL_OF_THEM: Final = 2**62  # postings
_AT_ONCE: Final = 1_000  # words whose blocks are joined by one statement
_EVERY: Final = ""  # the word that stands in every document
_PARTS: Final = range(4)

TABLES: Final = """
CREATE TABLE text_block (              -- where words stand: packed, and added up
    group_id    bigint NOT NULL,
    part        smallint NOT NULL,     -- of the group's documents: kind, living or closed
    term        text COLLATE "C" NOT NULL,  -- a stem, or empty: in every document
    number      bigint NOT NULL,       -- of the write, which rises
    kind        smallint NOT NULL,     -- 0: put in, 1: taken back
    documents   integer NOT NULL,      -- how many more have the word by this block
    data        bytea NOT NULL,
    PRIMARY KEY (group_id, part, term, number, kind)
) WITH (autovacuum_analyze_scale_factor = 0.02);
CREATE TABLE text_past (               -- documents of superseded contents, at -doc in the index
    doc         bigint NOT NULL,
    group_id    bigint NOT NULL,
    element     bigint NOT NULL,
    until       bigint NOT NULL,
    PRIMARY KEY (group_id, doc)
);
CREATE UNIQUE INDEX text_past_element ON text_past (group_id, element, until);
"""

# What was there before is what all parts see: a word gets one block or two by this write. Of a word
# of many blocks the newest go out to be joined, as long as the next is no larger than all newer
# ones together, so that each posting is written anew a few times only.
_PUT: Final = """
WITH come AS MATERIALIZED (
  SELECT c.part, c.term, c.kind, c.documents, decode(c.data, 'hex') AS data
  FROM jsonb_to_recordset(:blocks::jsonb)
    AS c(part smallint, term text, kind smallint, documents integer, data text)
), next AS MATERIALIZED (
  SELECT p.part, 1 + coalesce((
    SELECT max(l.number) FROM text_block AS l
    WHERE l.group_id = :group::bigint AND l.part = p.part AND l.term = ''), 0) AS number
  FROM generate_series(0, 3) AS p(part)
), put AS (
  INSERT INTO text_block (group_id, part, term, number, kind, documents, data)
  SELECT :group::bigint, c.part, c.term, n.number, c.kind, c.documents, c.data
  FROM come AS c JOIN next AS n ON n.part = c.part
), long AS MATERIALIZED (
  SELECT t.part, t.term, n.number FROM (SELECT DISTINCT c.part, c.term FROM come AS c) AS t
  JOIN next AS n ON n.part = t.part
  CROSS JOIN LATERAL (
    SELECT count(*) AS many FROM text_block AS b
    WHERE b.group_id = :group::bigint AND b.part = t.part AND b.term = t.term COLLATE "C") AS b
  WHERE b.many >= :most::bigint
), sized AS (
  SELECT l.part, l.term, l.number AS until, b.number, b.size,
    sum(b.size) OVER newer AS newer, row_number() OVER newer AS place
  FROM long AS l CROSS JOIN LATERAL (
    SELECT b.number, sum(length(b.data)) AS size FROM text_block AS b
    WHERE b.group_id = :group::bigint AND b.part = l.part AND b.term = l.term COLLATE "C"
      AND b.number < l.number GROUP BY b.number) AS b
  WINDOW newer AS (PARTITION BY l.part, l.term ORDER BY b.number DESC)
), beyond AS MATERIALIZED (
  SELECT s.part, s.term, s.until, coalesce(
    max(s.number) FILTER (WHERE s.place > 2 AND 2 * s.size > s.newer), 0) AS number
  FROM sized AS s GROUP BY s.part, s.term, s.until
)
DELETE FROM text_block AS b USING beyond AS o
WHERE b.group_id = :group::bigint AND b.part = o.part AND b.term = o.term COLLATE "C"
  AND b.number > o.number AND b.number < o.until
RETURNING b.part, b.term, b.number, b.kind, b.data
"""

_TAKE: Final = """
DELETE FROM text_block AS b
USING jsonb_to_recordset(:terms::jsonb) AS t(part smallint, term text)
WHERE b.group_id = :group::bigint AND b.part = t.part AND b.term = t.term COLLATE "C"
RETURNING b.part, b.term, b.number, b.kind, b.data
"""

_PUT_JOINED: Final = """
INSERT INTO text_block (group_id, part, term, number, kind, documents, data)
SELECT :group::bigint, c.part, c.term, c.number, c.kind, c.documents, decode(c.data, 'hex')
FROM jsonb_to_recordset(:blocks::jsonb)
  AS c(part smallint, term text, number bigint, kind smallint, documents integer, data text)
"""

_ALL: Final = """
SELECT b.part, b.term, b.number, b.kind, b.data FROM text_block AS b
WHERE b.group_id = :group ORDER BY b.part, b.term, b.number, b.kind
"""

_REPLACE: Final = """
UPDATE text_block SET documents = :documents, data = :data
WHERE group_id = :group AND part = :part AND term = :term AND number = :number AND kind = :kind
"""

_REMOVE: Final = """
DELETE FROM text_block
WHERE group_id = :group AND part = :part AND term = :term AND number = :number AND kind = :kind
"""

# A word may still have blocks of a write of which every document was erased.
LAST_WRITES: Final = """
INSERT INTO text_block SELECT b.group_id, b.part, '', max(b.number), 0, 0, '' FROM text_block AS b
GROUP BY 1, 2 HAVING max(b.number) > coalesce(max(b.number) FILTER (WHERE b.term = ''), 0);
"""
_LAST_WRITES: Final = LAST_WRITES.replace("GROUP", "WHERE b.group_id = :group::bigint GROUP", 1)

_FORGET: Final = "DELETE FROM text_block WHERE group_id = :group"
_FORGET_ALL: Final = "DELETE FROM text_block"

# How often words are there, and the blocks of those that are not there too often.
_WORDS: Final = """
SELECT t.part, t.term, f.documents::bigint, b.kind, b.data
FROM jsonb_to_recordset(:terms::jsonb) AS t(part smallint, term text)
CROSS JOIN LATERAL (
  SELECT sum(b.documents) AS documents, sum(abs(b.documents)) AS postings FROM text_block AS b
  WHERE b.group_id = :group::bigint AND b.part = t.part AND b.term = t.term COLLATE "C") AS f
LEFT JOIN LATERAL (
  SELECT b.kind, b.data FROM text_block AS b
  WHERE b.group_id = :group::bigint AND b.part = t.part AND b.term = t.term COLLATE "C"
    AND f.postings <= :most::bigint
  OFFSET 0) AS b ON true
"""

_PREFIX_POSTINGS: Final = """
SELECT b.term, b.kind, b.data FROM text_block AS b
WHERE b.group_id = :group AND b.part = :part AND b.term >= :first AND b.term < :last
ORDER BY b.term
"""

_SIZE: Final = "SELECT coalesce(sum(b.documents), 0)::bigint FROM text_block AS b WHERE b.term = ''"
_SCATTERED: Final = """
SELECT b.group_id, b.part, b.term FROM text_block AS b
GROUP BY b.group_id, b.part, b.term HAVING count(*) > 1 ORDER BY b.group_id
"""
_IS_ANY: Final = "SELECT 1 FROM text_block AS b WHERE b.group_id = :group LIMIT 1"
_PAST: Final = "SELECT p.doc, p.element, p.until FROM text_past AS p WHERE p.group_id = :group"

Word = tuple[int, int, str]
"""A group, a part of its documents, and a stem or, with a star behind it, what stems begin with."""


class _Session(Session, Protocol):
    """What the index asks of a session of its own engine."""

    def later(self, sql: Sql, parameters: Parameters, answered: Answered | None = None) -> None:
        """Run a statement when the next one runs, or at the end; tell its rows then."""

    def settle(self) -> None:
        """Let what waits arrive where its answers bring more."""


class PostgresTexts:
    """The index on a server; it implements `texts.Texts`.

    What it has read of a question's words it keeps, until it is written to. Where the `rare` ones
    stand is its session's to keep for the next index, which ranks by what this one has counted.
    """

    def __init__(self, session: _Session, rare: dict[Word, Postings]) -> None:
        self._session = session
        self._rare = rare
        self._read = rare.copy()
        self._sets: dict[Word, set[int]] = {}

    def change(self, gone: Sequence[IndexedDocuments], come: Sequence[IndexedDocuments]) -> None:
        """Add the blocks of what goes and of what comes, then join what has become too much."""
        self._read, self._sets = {}, {}
        blocks: list[dict[str, object]] = []
        group_id = 0
        for kind, changed in ((1, gone), (0, come)):
            for partition, documents in changed:
                group_id = partition.group_id
                for term, postings in _posted(partition, documents).items():
                    many = len(postings) if kind == 0 else -len(postings)
                    block = _block(partition.part, term, kind, many, pack(postings))
                    blocks.append(block)
        if blocks:
            own = {"group": group_id, "most": _MOST_BLOCKS}
            join = partial(self._put_joined, group_id)
            self._session.later(_PUT, {**own, "blocks": _json(blocks)}, join)

    def erase(self, group_id: int, documents: Collection[int]) -> None:
        """Write the blocks that name some documents anew without them."""
        self._read, self._sets = {}, {}
        doomed = set(documents)
        changed: list[dict[str, SqlValue]] = []
        with closing(self._session.each(_ALL, {"group": group_id})) as rows:
            for part, term, number, kind, data in rows:
                left = without(octets(data), doomed)
                if left is not None:
                    key = {"group": group_id, "part": part, "term": term, "number": number}
                    many = left[0] if kind == 0 else -left[0]
                    changed.append({**key, "kind": kind, "documents": many, "data": left[1]})
        self._session.execute_many(_REPLACE, [one for one in changed if one["data"]])
        self._session.execute_many(_REMOVE, [one for one in changed if not one["data"]])
        self._session.execute_many(_LAST_WRITES, [{"group": group_id}])

    def forget(self, group_id: int) -> None:
        """Take out every document of a group."""
        self._read, self._sets = {}, {}
        self._session.execute_many(_FORGET, [{"group": group_id}])

    def forget_all(self) -> None:
        """Take out every document there is."""
        self._read, self._sets = {}, {}
        self._session.execute_many(_FORGET_ALL, [()])

    def frequencies(
        self, partitions: Sequence[Partition], terms: Sequence[Term], most: int
    ) -> list[int]:
        """Return in how many documents each term is; `most` is no help here.

        Where a rare one stands comes with the answer, and is kept.
        """
        words = [word for one in terms if not one.is_prefix for word in _words(partitions, one)]
        many, rare = self._asked(partitions[0].group_id, words, _RARE)
        if len(self._rare) + len(rare) > _MOST_RARE:
            self._rare.clear()
        self._rare.update(rare)
        self._read.update(rare)
        found = [
            len(self._documents(partitions, term))
            if term.is_prefix
            else sum(many[word] for word in _words(partitions, term))
            for term in terms
        ]
        return found if most < 0 else [min(one, most) for one in found]

    def occurrences(
        self, partitions: Sequence[Partition], terms: Sequence[Term], among: Collection[int] | None
    ) -> Iterator[Occurrences]:
        """Yield where each term stands; one statement reads all that were not read before."""
        self._read_all(partitions, terms)
        some = None if among is None else set(among)
        for term in terms:
            sizes: dict[int, Size] = {}
            repeated: dict[int, tuple[Size, int]] = {}
            for word in _words(partitions, term):
                found = self._read[word] if some is None else self._read[word].among(some)
                sizes.update(zip(found.documents, found.sizes, strict=True))
                if len(set(found.counts) | {1}) > 1:
                    repeated.update(
                        (document, (size, count))
                        for document, count, size in zip(*found, strict=True)
                        if count > 1
                    )
            yield Occurrences(sizes.keys(), sizes.values(), repeated)

    def length(self, size: Size) -> int:
        """Return how many words a document of that size has: it is the same."""
        return whole(size)

    def holding(
        self, partitions: Sequence[Partition], ways: Sequence[Sequence[Term]], most: int = -1
    ) -> set[int]:
        """Return the documents that hold all terms of one of the ways."""
        self._read_all(partitions, [term for way in ways for term in way])
        found = set[int]()
        for way in ways:
            for partition in partitions:
                sets = [self._set(*_words([partition], term)) for term in way]
                found |= set.intersection(*sorted(sets, key=len))
        return found if most < 0 else set(islice(found, most))

    def lengths(self, group_id: int, documents: Iterable[int]) -> dict[int, int]:
        """Return how many words those of the documents have that are there."""
        wanted, words = set(documents), [(group_id, part, _EVERY) for part in _PARTS]
        self._read_words(group_id, words)
        found: dict[int, int] = {}
        for word in words:
            held = self._read[word].among(wanted)
            found.update(zip(held.documents, held.sizes, strict=True))
        return found

    def size(self) -> int:
        """Return how many documents there are, of all groups."""
        return whole(self._session.rows(_SIZE)[0][0])

    def fingerprint(self, group_id: int) -> bytes:
        """Return a hash of a group's words, of where they stand and how often."""
        group = {"group": group_id}
        past = {-whole(one): of for one, *of in self._session.rows(_PAST, group)}
        digest = hashlib.sha256()
        with closing(self._session.each(_ALL, group)) as rows:
            for word, blocks in groupby(rows, itemgetter(0, 1)):
                come, gone = joined((whole(kind), octets(data)) for *_, kind, data in blocks)
                # A rebuild renumbers superseded documents: their element and time are told.
                for told in (come, gone):
                    postings = [
                        (past.get(one, [one, 0]), *more) for one, *more in zip(*told, strict=True)
                    ]
                    if postings:
                        digest.update(repr((*word, sorted(postings))).encode())
        return digest.digest()

    def holds_nothing(self, group_id: int) -> bool:
        """Whether no word of a group is there."""
        return self._session.row(_IS_ANY, {"group": group_id}) is None

    def join(self) -> None:
        """Let each word of every group have one block. Cost: the whole index."""
        self._read, self._sets = {}, {}
        scattered = self._session.rows(_SCATTERED)
        for group_id, words in groupby(scattered, itemgetter(0)):
            while some := list(islice(words, _AT_ONCE)):
                words_now = _json([{"part": part, "term": term} for _, part, term in some])
                taken = self._session.rows(_TAKE, {"group": group_id, "terms": words_now})
                self._put_joined(whole(group_id), taken)

    def _documents(self, partitions: Sequence[Partition], term: Term) -> set[int]:
        self._read_all(partitions, [term])
        return set[int]().union(*(self._set(word) for word in _words(partitions, term)))

    def _set(self, word: Word) -> set[int]:
        found = self._sets.get(word)
        if found is None:
            self._sets[word] = found = set(self._read[word].documents)
        return found

    def _read_all(self, partitions: Sequence[Partition], terms: Iterable[Term]) -> None:
        words: list[Word] = []
        group_id = partitions[0].group_id
        for term in terms:
            for word in _words(partitions, term):
                if not term.is_prefix:
                    words.append(word)
                elif word not in self._read:
                    self._read[word] = self._prefixed(*word)
        self._read_words(group_id, words)

    def _read_words(self, group_id: int, words: Iterable[Word]) -> None:
        """Read where words stand that were not read before."""
        unread = set(words) - self._read.keys()
        if unread:
            self._read.update(self._asked(group_id, unread, _ALL_OF_THEM)[1])

    def _asked(
        self, group_id: int, words: Iterable[Word], most: int
    ) -> tuple[dict[Word, int], dict[Word, Postings]]:
        """Return in how many documents words are, and where those in at most so many stand."""
        self._session.settle()  # blocks that are taken out to be joined are put back by then
        wanted = _json([{"part": part, "term": term} for _, part, term in set(words)])
        many = dict[Word, int]()
        blocks = defaultdict[Word, list[tuple[int, bytes]]](list)
        for part, term, documents, kind, data in self._session.rows(
            _WORDS, {"group": group_id, "terms": wanted, "most": most}
        ):
            word = group_id, whole(part), text(term)
            many[word] = 0 if documents is None else whole(documents)
            if kind is not None:
                blocks[word].append((whole(kind), octets(data)))
            elif documents is None:
                blocks[word] = []
        return many, {word: joined(own)[0] for word, own in blocks.items()}

    def _prefixed(self, group_id: int, part: int, term: str) -> Postings:
        self._session.settle()
        first = term.removesuffix("*")
        bounds = {"first": first, "last": first + "\U0010ffff"}
        rows = self._session.rows(_PREFIX_POSTINGS, {"group": group_id, "part": part, **bounds})
        found = [
            joined((whole(kind), octets(data)) for _, kind, data in blocks)[0]
            for _, blocks in groupby(rows, itemgetter(0))
        ]
        return merged(found)

    def _put_joined(self, group_id: int, taken: Sequence[SqlRow]) -> None:
        """Put what blocks that were taken out are together."""
        blocks = [one for own in _by_word(taken) for one in _rejoined(own)]
        if blocks:
            self._session.execute_many(_PUT_JOINED, [{"group": group_id, "blocks": _json(blocks)}])


def _posted(
    partition: Partition, documents: Iterable[tuple[int, Sequence[str]]]
) -> dict[str, list[Posting]]:
    """Return where each stem stands in documents; they are read once."""
    stems, found = stems_of(partition), defaultdict[str, list[Posting]](list)
    for document, words in documents:
        size = len(words)
        found[_EVERY].append((document, 1, size))
        for stem, count in Counter([stems[word] for word in words]).items():
            found[stem].append((document, count, size))
    return found


def _words(partitions: Sequence[Partition], term: Term) -> list[Word]:
    """Return where a term is looked up: its stem, or itself with a star."""
    if term.is_prefix:
        return [(one.group_id, one.part, f"{term.text}*") for one in partitions]
    return [(one.group_id, one.part, stems_of(one)[term.text]) for one in partitions]


def _by_word(rows: Iterable[SqlRow]) -> Iterable[list[SqlRow]]:
    """Return rows that begin with a part and a stem, those of each word together."""
    found = defaultdict[tuple[SqlValue, SqlValue], list[SqlRow]](list)
    for row in rows:
        found[row[0], row[1]].append(row)
    return found.values()


def _rejoined(rows: Sequence[SqlRow]) -> Iterator[dict[str, object]]:
    """Yield the blocks that stand for some of one word: one of a kind, or none."""
    part, term, *_ = rows[0]
    number = max(whole(one[2]) for one in rows)
    found = joined((whole(one[3]), octets(one[4])) for one in rows)
    for kind, postings in enumerate(found):
        if postings.documents:
            many = len(postings.documents) if kind == 0 else -len(postings.documents)
            data = pack(zip(*postings, strict=True))
            yield {**_block(whole(part), text(term), kind, many, data), "number": number}


def _block(part: int, term: str, kind: int, documents: int, data: bytes) -> dict[str, object]:
    return {"part": part, "term": term, "kind": kind, "documents": documents, "data": data.hex()}


def _json(rows: Iterable[Mapping[str, object]]) -> str:
    return orjson.dumps(list(rows)).decode()
