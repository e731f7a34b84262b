"""What the kernel asks of a store: snapshots, one writer at a time, SQL in its words, its texts.

Of the index of texts it asks which documents hold a word, and how often.

The rule: that index is in partitions, one per group, kind, and living or closed, and every question
names its own; nothing that stands in another can be met, counted or ranked. Words come as they are
written. What they are indexed as, stemmed behind the name of their partition, is the engine's.

That name is the group's digits and one consonant: digits end at the letter, so no two names and
words can be confused; and a name without a vowel leaves the Porter stemmer the syllables it would
see without it. The stemmer leaves words of one or two letters alone, but counts the name: a mark at
their end keeps it off.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from contextlib import AbstractContextManager
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from recollect.kernel.store.cells import Sampling, SqlValue
from recollect.kernel.store.statement import Insertion, Spelling, Statement
from recollect.model import LINK_BIT, Kinds, Progress, silent
from recollect.node import dataclass, field

Sql = str | Statement
"""A text of the compiler, which is in the session's dialect, or a statement."""

Parameters = Mapping[str, SqlValue] | Sequence[SqlValue]
SqlRow = tuple[SqlValue, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much the reads of a block may cost; beyond it KIP_4002 (steps), KIP_4001 (seconds)."""

    steps: int = 500_000_000  # virtual-machine instructions: the same on every machine
    seconds: float = 30.0
    spent: float = 0.0  # seconds that are gone before the first read


@dataclass(slots=True)
class EngineWork:
    """What the statements of a block took the engine."""

    steps: int | None = None  # virtual-machine instructions; None where the engine counts none
    scanned: int | None = None  # rows met in full scans, which no index led to


@dataclass(frozen=True, slots=True)
class FileSize:
    """How large a store is, in bytes; nothing of it in memory."""

    file_bytes: int
    log_bytes: int  # of the file beside it that holds the last writes
    free_bytes: int  # of the file, unused
    place: str | None = None  # of a store on a server
    relations: Mapping[str, int] = field(default_factory=dict)  # the bytes of its tables


@dataclass(frozen=True, slots=True)
class Part:
    """A table or an index of a store."""

    kind: str  # "table" or "index"
    name: str
    sql: str  # the statement that makes it

    @property
    def is_table(self) -> bool:
        """Whether it holds rows that nothing else does."""
        return self.kind == "table"

    def __str__(self) -> str:
        return f"the {self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the engine finds wrong with a file."""

    message: str
    tree: str | None = None  # the table or index whose pages are broken
    is_of_space: bool = False  # only pages that no tree has; rewriting the file mends it


class Upkeep(Protocol):
    """What only the engine knows of its files and tables: for doctor, mends and counts."""

    @property
    def engine(self) -> str:
        """Return the name of the engine and its version."""

    def size(self, path: Path | None) -> FileSize:
        """Return the size of the store."""

    def notes(self) -> tuple[str, ...]:
        """Return what an operator has to know of a server; nothing of a file."""

    def parts(self) -> tuple[Part, ...]:
        """Return all that a store of this version has, in the order it is made."""

    def missing_parts(self) -> tuple[Part, ...]:
        """Return what of it this store lacks."""

    def faults(self) -> tuple[Fault, ...]:
        """Return what is broken: of each table or index the first thing. Cost: the whole store."""

    def text_parts(self) -> frozenset[str]:
        """Return the names of the tables and indexes of the text index."""

    def samples(self) -> frozenset[str]:
        """Return the names of the tables in which the engine keeps what it counted of others."""

    def text_fault(self) -> str | None:
        """Return the first thing in the text index that does not hold, beside its words."""

    def forget(self, names: Iterable[str]) -> None:
        """Let the store have these tables and indexes no longer, however broken they are."""

    def rebuild_indexes(self) -> None:
        """Make all indexes anew from their rows."""

    def optimise(self, declared: Iterable[str]) -> None:
        """Let the planner count rows again; the `declared` indexes are to be used in any case."""


class Session(Protocol):
    """One transaction: everything read in it is one consistent moment."""

    @property
    def dialect(self) -> Dialect:
        """How the engine spells the SQL tree and statements."""

    @property
    def texts(self) -> Texts:
        """The index of texts."""

    @property
    def depth(self) -> int:
        """How many blocks of this thread are open on it."""

    @property
    def is_writing(self) -> bool:
        """Whether this is a write transaction, which may read what is never committed."""

    @property
    def skew(self) -> int:
        """By how many milliseconds the engine's own clock is ahead of this machine's."""

    @property
    def sampling(self) -> Sampling:
        """What tells which of the elements that are read are compared with their digests."""

    @property
    def kinds(self) -> Kinds:
        """What is special about the types of concepts, as the store was opened."""

    def held(self) -> AbstractContextManager[None]:
        """Keep other threads off the connection; STORE_BUSY where one stays on it too long."""

    def allow(self, budget: Budget | None) -> None:
        """Limit what the reads in the rest of the block may cost; the limit ends with the block."""

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[SqlRow]:
        """Run one statement and return all its rows."""

    def each(self, sql: Sql, parameters: Parameters = ()) -> Generator[SqlRow]:
        """Run one statement and yield its rows as they come; the caller closes the generator."""

    def row(self, sql: Sql, parameters: Parameters = ()) -> SqlRow | None:
        """Run one statement and return its first row, if it has one."""

    def once(self, sql: Statement, parameters: Mapping[str, SqlValue]) -> Sequence[SqlRow]:
        """Return what `rows` does, asked once in each state of the store that a block sees."""

    def soon(self, sql: Sql, parameters: Parameters) -> None:
        """Tell what `rows` is asked next or soon: a server answers it with the next statement."""

    def ask_anew(self) -> None:
        """Forget what was asked once: a statement that answers has written."""

    def version(self) -> int:
        """Return a number that changes with every change of the store.

        It identifies the state that the last statement saw: if it is the same after two statements,
        both saw the same state.
        """

    def execute_many(self, sql: Sql, parameters: Iterable[Parameters]) -> None:
        """Run one statement once for each set of parameters."""

    def put(self, insertion: Insertion, rows: Sequence[SqlRow]) -> None:
        """Put rows into a table, in their order."""

    def put_few(self, one: Statement, rows: Sequence[SqlRow]) -> None:
        """Put rows, of which there are mostly few, by a statement that puts one."""

    def plan(self, sql: Sql, parameters: Parameters = ()) -> tuple[str, ...]:
        """Return the engine's own plan of a statement, a line each, indented by depth."""

    def measured(self) -> AbstractContextManager[EngineWork]:
        """Count what the statements of a block take, until it ends."""

    def watched(self, tell: Callable[[int], None]) -> AbstractContextManager[None]:
        """Tell from time to time how many steps the statements of a block have taken."""

    def reshape(self, sql: str, *, leaves: bool = False) -> bool:
        """Make or remove an index: now, or after the commit where others can write meanwhile.

        Where only somebody else may, STORE_UNAVAILABLE, or False where it `leaves` it to them.
        """

    def stay_in(self, group: str | None) -> None:
        """Let what follows see the rows of one group alone, where the engine has such a wall."""

    def begin_erasure(self) -> None:
        """Count a purge in its own transaction; call it before anything is deleted."""

    def count_rows(self) -> None:
        """Let the planner know what a load brought, before the same transaction reads it."""

    def clear_remains(self) -> None:
        """Remove what deletions left in text index and samples; call it after them."""

    @property
    def parts(self) -> int:
        """How many parts of the transaction are open."""

    def begin_part(self) -> int:
        """Begin a part of the transaction, and return how many are open with it."""

    def commit(self) -> None:
        """End the innermost part, or commit the transaction."""

    def expect_work(self, group_id: int) -> None:
        """Keep beside a group when the next of its work is due, where groups are found by it."""

    def roll_back(self) -> None:
        """Undo the innermost part, or the transaction: nothing of the block is kept."""

    def on_commit(self, action: Callable[[], None]) -> None:
        """Call `action` after the transaction has committed; never after a rollback."""


class Store(Protocol):
    """A place where the graph lives: one file, one memory, or one server."""

    @property
    def path(self) -> Path | None:
        """The file; None where there is none."""

    @property
    def is_read_only(self) -> bool:
        """Whether it may not be written."""

    @property
    def kinds(self) -> Kinds:
        """What is special about the types of concepts, as the store was opened."""

    def upkeep(self, session: Session) -> Upkeep:
        """Return what the engine knows of the files and tables behind a session."""

    def reading(self) -> AbstractContextManager[Session]:
        """Open a snapshot: it begins with the first read, and nothing after that is seen.

        A block inside another one of the same thread reads the same snapshot, and inside
        `together` what that has written.
        """

    def reader(self) -> Session | None:
        """Return what this thread reads by outside of blocks, while its depth is 0, or None.

        Each statement is a snapshot of its own; `version` tells whether two saw the same state.
        """

    def writing(
        self, is_dry_run: bool = False, group: str | None = None, waits: bool = True
    ) -> AbstractContextManager[Session]:
        """Open the write transaction: commit at the end, roll back on any exception.

        Only the `group` of that name is written, or any where none is named: others may be written
        meanwhile, where the engine can. A dry run rolls back at the end as well. Raises STORE_BUSY
        when another writer does not finish in time (at once, if it `waits` for none and a group has
        a lock of its own), and INVALID_ARGUMENT inside a block that only reads.
        """

    def together(
        self, is_dry_run: bool = False, group: str | None = None
    ) -> AbstractContextManager[None]:
        """Let every block of this thread be a part of one write transaction, until this ends.

        It keeps the `group` from its beginning, and others as parts come to them.
        """

    def kept(self) -> AbstractContextManager[None]:
        """Let those who wait for a connection see that a block keeps it."""

    def is_inside(self) -> bool:
        """Whether this thread is inside a block of `reading` or `together`."""

    def refuse_together(self, what: str) -> None:
        """Refuse what no part of a transaction can do with INVALID_ARGUMENT."""

    def refuse_wall(self, what: str) -> None:
        """Refuse what is of all groups with STORE_UNAVAILABLE where the engine shows only one."""

    def finish_erasure(
        self, wait_seconds: float | None = None, *, is_whole: bool = False
    ) -> str | None:
        """Let the bytes of purges leave the store; return what is in the way, if anything.

        `is_whole` makes all of it anew, where a purge alone does less.
        """

    def back_up(self, path: Path, progress: Progress = silent) -> None:
        """Copy the whole store to a new file, while others read and write."""

    def checkpoint(self) -> None:
        """Bring everything that was committed to where it stays."""

    def before_close(self, then: Callable[[], None]) -> None:
        """Call `then` once, when the store is about to be closed."""

    def close(self) -> None:
        """Close every connection; further use raises STORE_CLOSED."""


ORDERS = ("<", "<=", ">", ">=")
"""What a value may be compared with a constant by; each is a function of a dialect."""


class JsonPart(StrEnum):
    """What to take of a JSON value: its type's name, its JSON text, its SQL value, or an id."""

    TYPE = "type"
    JSON = "json"
    VALUE = "value"
    ID = "id"


class RenderJson(Protocol):
    """Renders a part of a JSON document whose SQL text is given."""

    def __call__(self, part: JsonPart, document: str, key: str | None) -> str:
        """Return the SQL text."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One engine's spelling of the SQL tree."""

    name: str
    functions: Mapping[str, str]
    inner_join: str  # a join whose order the engine keeps, unless it is kept by fences
    is_fenced: bool  # whether each further table is read inside a fence, so that loops stay loops
    render_json: RenderJson
    apart: str  # what ends a subquery that must not be merged into the query around it
    parameter: str  # what a bound parameter begins with: ":"
    longest_name: int | None  # bytes of a name, where there is a limit
    words: Mapping[str, str]  # what statements say in braces
    has_types: bool  # whether each expression has one type, and says it: `:limit::bigint`
    id_bits: Callable[[bytes], bytes]  # of a group, as the function `public_id` takes them
    pattern: Callable[[str], str] | None  # a regular expression of RE2 as the engine's; None: as is
    value_order: tuple[tuple[str, str], ...]  # functions of values of one class, and their types
    overrides: Mapping[Statement, str]  # what this engine says in quite another way
    spelt: Mapping[Statement, str] = field(init=False)  # the texts of all statements, by them

    def __post_init__(self) -> None:
        spelling = Spelling(self.words, self.overrides, has_types=self.has_types)
        object.__setattr__(self, "spelt", spelling)

    def word(self, name: str, *arguments: str) -> str:
        """Return a word, for a text that is put together where it is asked."""
        return self.words[name].format(*arguments)


_LETTERS = "bcdf"
_UNSTEMMED = "\u00b7"


@dataclass(frozen=True, slots=True)
class Term:
    """One token to look for; a prefix stands for every token that begins with it."""

    text: str
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Partition:
    """One part of one group's documents.

    >>> Partition(12, is_link=False, is_living=True).prefix
    '12b'
    """

    group_id: int
    is_link: bool
    is_living: bool

    @property
    def part(self) -> int:
        """The part's number, its `term` in the table `tally`."""
        return 2 * self.is_link + (not self.is_living)

    @property
    def prefix(self) -> str:
        """What every token of the partition begins with."""
        return f"{self.group_id}{_LETTERS[self.part]}"

    def token(self, word: str) -> str:
        """Return a word as it is handed to the stemmer.

        >>> Partition(12, is_link=False, is_living=True).token("cats")
        '12bcats'
        """
        return self.prefix + marked(word)


def marked(word: str) -> str:
    """Return a word as it stands behind a prefix; a mark keeps a short one unstemmed."""
    return word + _UNSTEMMED if len(word) < 3 and word.isascii() else word


@lru_cache(1024)
def _partition(group_id: int, is_link: bool, is_living: bool) -> Partition:
    return Partition(group_id, is_link, is_living)


def partition_of(group_id: int, element: int, is_living: bool) -> Partition:
    """Return the partition an element's document belongs to."""
    return _partition(group_id, element & 1 == LINK_BIT, is_living)


class IndexedDocuments(NamedTuple):
    """Some documents of a partition, each with its words, to be read once.

    A document has the id of its element, or below 0 that of `text_past`.
    """

    partition: Partition
    words: Iterator[tuple[int, Sequence[str]]]


Size = int | bytes
"""How many words a document has, as the engine keeps it; see `Texts.length`."""


class Occurrences(NamedTuple):
    """Where a term stands."""

    documents: Set[int]
    sizes: Collection[Size]
    """How large each of them is, in their order."""

    repeated: Mapping[int, tuple[Size, int]]
    """Of those that have it more than once also how often."""


class Texts(Protocol):
    """The index of texts, as one session sees it."""

    def change(self, gone: Sequence[IndexedDocuments], come: Sequence[IndexedDocuments]) -> None:
        """Take out documents as they were put in, then put documents in.

        All are of one group, each partition is there once, and all are read. Cost: a few
        statements.
        """

    def erase(self, group_id: int, documents: Collection[int]) -> None:
        """Take documents out so that nothing tells what they said. Cost: the group's index."""

    def forget(self, group_id: int) -> None:
        """Take out every document of a group; its rows are still there."""

    def forget_all(self) -> None:
        """Take out every document there is, however broken the index is."""

    def expect(self, partitions: Sequence[Partition], terms: Sequence[Term]) -> None:
        """Tell of which terms `frequencies` is asked soon; see `Session.soon`."""

    def frequencies(
        self, partitions: Sequence[Partition], terms: Sequence[Term], most: int
    ) -> list[int]:
        """Return in how many documents of one group each term is.

        From `most` on the count may end; -1 counts to the end.
        """

    def occurrences(
        self, partitions: Sequence[Partition], terms: Sequence[Term], among: Collection[int] | None
    ) -> Iterator[Occurrences]:
        """Yield where each term stands, in all of the documents or in some."""

    def length(self, size: Size) -> int:
        """Return how many words a document of that size has; STORE_CORRUPT for what is none."""

    def holding(
        self, partitions: Sequence[Partition], ways: Sequence[Sequence[Term]], most: int = -1
    ) -> set[int]:
        """Return the documents that hold all terms of one of the ways; `most` of them, if more."""

    def lengths(self, group_id: int, documents: Iterable[int]) -> dict[int, int]:
        """Return how many words those of the documents have that are there."""

    def size(self) -> int:
        """Return how many documents there are, of all groups."""

    def fingerprint(self, group_id: int) -> bytes:
        """Return a hash of a group's words, of where they stand and how often.

        An index and the one that is made anew from the same rows have the same. Runs in a write
        transaction. Cost: the group's part of the index.
        """

    def holds_nothing(self, group_id: int) -> bool:
        """Whether no word of a group is there. Runs in a write transaction."""
