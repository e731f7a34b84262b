"""The index of texts on a server: blocks of postings in an ordinary table.

The rule: a write adds a block for each word of the documents that come and one for each word of
those that go, and changes none: no row is hot. What a word's blocks have together is where it
stands, and the sum of their documents is how often. The empty word stands in every document, and
has a block of the last write, also where that was erased or taken back: the number of the next is
one more. One write of eight looks how many blocks a word has, and joins the newest of many.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Final, NamedTuple, Protocol
from zlib import crc32

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

_MOST_BLOCKS: Final = 24  # of a word, before some are joined by ...
_LOOKED_AT: Final = 8  # ... one of so many writes of the word, which looks how many there are
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

# Words come as one text, and so do numbers and bytes: the server reads them in a third of the time
# of a JSON. A block without a number has that of the write. Of a list of nothing but one empty text
# the server makes an empty one, whose items are null.
_PUT: Final = """
INSERT INTO text_block (group_id, part, term, number, kind, documents, data)
SELECT :group::bigint, :part::smallint, coalesce(c.term, ''), coalesce(c.number::bigint, (
    SELECT 1 + coalesce(max(l.number), 0) FROM text_block AS l
    WHERE l.group_id = :group::bigint AND l.part = :part::smallint AND l.term = '')),
  (c.documents LIKE '-%')::int, c.documents::integer, coalesce(decode(c.data, 'hex'), '')
FROM unnest(string_to_array(:terms, ' '), string_to_array(:numbers, ' ', ''),
  string_to_array(:documents, ' '), string_to_array(:data, ' ')) AS c(term, number, documents, data)
"""

# Of a word of more blocks than `most` the newest are joined, as long as the next is no larger than
# all newer ones together, so that each posting is written anew a few times only.
_LONG: Final = """
WITH long AS MATERIALIZED (
  SELECT t.part, t.term FROM jsonb_to_recordset(:terms::jsonb) AS t(part smallint, term text)
  CROSS JOIN LATERAL (
    SELECT count(*) AS many FROM text_block AS b
    WHERE b.group_id = :group::bigint AND b.part = t.part AND b.term = t.term COLLATE "C") AS b
  WHERE b.many > :most::bigint
), sized AS (
  SELECT b.part, b.term, b.number, b.kind, b.data, row_number() OVER newer AS place,
    :share::bigint * length(b.data) > sum(length(b.data)) OVER newer AS is_large
  FROM long AS l CROSS JOIN LATERAL (
    SELECT * FROM text_block AS b
    WHERE b.group_id = :group::bigint AND b.part = l.part AND b.term = l.term COLLATE "C"
    OFFSET 0) AS b
  WINDOW newer AS (PARTITION BY b.part, b.term ORDER BY b.number DESC, b.kind)
), beyond AS (
  SELECT s.*, max(s.number) FILTER (WHERE s.place > 2 AND s.is_large)
    OVER (PARTITION BY s.part, s.term) AS kept FROM sized AS s
)
SELECT o.part, o.term, o.number, o.kind, o.data FROM beyond AS o
WHERE o.number > coalesce(o.kept, 0) ORDER BY o.part, o.term
"""

_TAKE: Final = """
DELETE FROM text_block
WHERE group_id = :group AND part = :part AND term = :term AND number BETWEEN :first AND :last
"""

_ALL: Final = """
SELECT b.part, b.term, b.number, b.kind, b.data FROM text_block AS b
WHERE b.group_id = :group ORDER BY b.part, b.term, b.number, b.kind
"""

_REPLACE: Final = """
UPDATE text_block SET documents = :documents, data = :data
WHERE group_id = :group AND part = :part AND term = :term AND number = :number AND kind = :kind
"""

_REMOVE: Final = "DELETE FROM text_block WHERE group_id = :group AND data = ''"

# A word may still have blocks of a write of which every document was erased.
LAST_WRITES: Final = """
INSERT INTO text_block SELECT b.group_id, b.part, '', max(b.number), 0, 0, '' FROM text_block AS b
GROUP BY 1, 2 HAVING max(b.number) > coalesce(max(b.number) FILTER (WHERE b.term = ''), 0);
"""
_LAST_WRITES: Final = LAST_WRITES.replace("GROUP", "WHERE b.group_id = :group::bigint GROUP", 1)

_FORGET: Final = "DELETE FROM text_block WHERE group_id = :group"

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

    draws: Iterator[int]

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
        self._session.settle()  # blocks to be joined are looked at after those before were
        blocks: list[PutBlock] = []
        group_id = 0
        for sign, changed in ((-1, gone), (1, come)):
            for partition, documents in changed:
                group_id, part = partition.group_id, partition.part
                for term, own in _posted(partition, documents).items():
                    blocks.append(PutBlock(part, term, None, sign * len(own), pack(own)))
        self._put(group_id, blocks)
        drawn = f" {next(self._session.draws)}"
        looked_at = [one for one in blocks if crc32((one.term + drawn).encode()) % _LOOKED_AT == 0]
        if words := [(group_id, one.part, one.term) for one in looked_at]:
            asked = {**_asking(group_id, words, _MOST_BLOCKS), "share": 2}
            self._session.later(_LONG, asked, partial(self._rejoin, group_id))

    def erase(self, group_id: int, documents: Collection[int]) -> None:
        """Write the blocks that name some documents anew without them."""
        self._read, self._sets = {}, {}
        doomed = set(documents)
        changed: list[dict[str, SqlValue]] = []
        with closing(self._session.each(_ALL, {"group": group_id})) as rows:
            for part, term, number, kind, data in rows:
                if (left := without(octets(data), doomed)) is not None:
                    key = {"group": group_id, "part": part, "term": term, "number": number}
                    many = left[0] if kind == 0 else -left[0]
                    changed.append({**key, "kind": kind, "documents": many, "data": left[1]})
        self._session.execute_many(_REPLACE, changed)
        for sql in (_REMOVE, _LAST_WRITES):
            self._session.execute_many(sql, [{"group": group_id}])

    def forget(self, group_id: int) -> None:
        """Take out every document of a group."""
        self._read, self._sets = {}, {}
        self._session.execute_many(_FORGET, [{"group": group_id}])

    def forget_all(self) -> None:
        """Take out every document there is."""
        self._read, self._sets = {}, {}
        self._session.execute_many("DELETE FROM text_block", [()])

    def expect(self, partitions: Sequence[Partition], terms: Sequence[Term]) -> None:
        """Tell of which terms `frequencies` is asked soon; see `Session.soon`."""
        words = _exact_words(partitions, terms)
        self._session.soon(_WORDS, _asking(partitions[0].group_id, words, _RARE))

    def frequencies(
        self, partitions: Sequence[Partition], terms: Sequence[Term], most: int
    ) -> list[int]:
        """Return in how many documents each term is; `most` is no help here.

        Where a rare one stands comes with the answer, and is kept.
        """
        words = _exact_words(partitions, terms)
        many, rare = self._asked(partitions[0].group_id, words, _RARE)
        if len(self._rare) + len(rare) > _MOST_RARE:
            self._rare.clear()
        self._rare.update(rare)
        self._read.update(rare)
        self._read_all(partitions, [one for one in terms if one.is_prefix])
        found = [
            len(set[int]().union(*map(self._set, _words(partitions, term))))
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
        rows = self._session.rows(_SCATTERED)
        scattered = [(whole(group), whole(part), text(term)) for group, part, term in rows]
        for group_id, words in groupby(scattered, itemgetter(0)):
            while some := list(islice(words, _AT_ONCE)):
                asked = {**_asking(group_id, some, 1), "share": 0}
                self._rejoin(group_id, self._session.rows(_LONG, asked))

    def _set(self, word: Word) -> set[int]:
        if word not in self._sets:
            self._sets[word] = set(self._read[word].documents)
        return self._sets[word]

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
        if unread := set(words) - self._read.keys():
            self._read.update(self._asked(group_id, unread, _ALL_OF_THEM)[1])

    def _asked(
        self, group_id: int, words: Iterable[Word], most: int
    ) -> tuple[dict[Word, int], dict[Word, Postings]]:
        """Return in how many documents words are, and where those in at most so many stand."""
        self._session.settle()  # blocks that are taken out to be joined are put back by then
        many = dict[Word, int]()
        blocks = defaultdict[Word, list[tuple[int, bytes]]](list)
        for part, term, documents, kind, data in self._session.rows(
            _WORDS, _asking(group_id, words, most)
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

    def _rejoin(self, group_id: int, found: Sequence[SqlRow]) -> None:
        """Take blocks out, and put in what those of each word are together."""
        blocks: list[PutBlock] = []
        for (part, term), rows in groupby(found, itemgetter(0, 1)):
            own = [(whole(number), (whole(one), octets(data))) for _, _, number, one, data in rows]
            first, last = min(own)[0], max(own)[0]
            taken = {"group": group_id, "part": part, "term": term, "first": first, "last": last}
            self._session.execute_many(_TAKE, [taken])
            blocks += [
                PutBlock(part, term, last, sign * len(one.documents), pack(zip(*one, strict=True)))
                for sign, one in zip((1, -1), joined(block for _, block in own), strict=True)
                if one.documents or (term == _EVERY and sign > 0)
            ]
        self._put(group_id, blocks)

    def _put(self, group_id: int, blocks: Iterable[PutBlock]) -> None:
        """Put blocks in, those of each part by a statement."""
        by_part = defaultdict[int, list[PutBlock]](list)
        for one in blocks:
            by_part[one.part].append(one)
        for part, own in by_part.items():
            _, terms, numbers, documents, data = zip(*own, strict=True)
            columns: dict[str, SqlValue] = {
                "terms": " ".join(terms),
                "numbers": " ".join("" if one is None else str(one) for one in numbers),
                "documents": " ".join(map(str, documents)),
                "data": " ".join(map(bytes.hex, data)),
            }
            self._session.later(_PUT, {"group": group_id, "part": part, **columns})


class PutBlock(NamedTuple):
    """A block to put in; its number is that of the write unless it says one."""

    part: int
    term: str
    number: int | None
    documents: int
    data: bytes


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


def _exact_words(partitions: Sequence[Partition], terms: Iterable[Term]) -> list[Word]:
    return [word for one in terms if not one.is_prefix for word in _words(partitions, one)]


def _asking(group_id: int, words: Iterable[Word], most: int) -> dict[str, SqlValue]:
    wanted = [{"part": part, "term": term} for _, part, term in dict.fromkeys(words)]
    return {"group": group_id, "terms": orjson.dumps(wanted).decode(), "most": most}


def _words(partitions: Sequence[Partition], term: Term) -> list[Word]:
    """Return where a term is looked up: its stem, or itself with a star."""
    if term.is_prefix:
        return [(one.group_id, one.part, f"{term.text}*") for one in partitions]
    return [(one.group_id, one.part, stems_of(one)[term.text]) for one in partitions]
