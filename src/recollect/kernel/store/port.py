"""What the kernel asks of a store: snapshots to read in, and one writer at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from recollect.kernel.store.sampling import Sampling
from recollect.model import Kinds

SqlValue = None | int | float | str | bytes
Parameters = Mapping[str, SqlValue] | Sequence[SqlValue]
SqlRow = tuple[SqlValue, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much the reads of a block may cost; beyond it KIP_4002 (steps), KIP_4001 (seconds)."""

    steps: int = 500_000_000  # virtual-machine instructions: the same on every machine
    seconds: float = 30.0
    spent: float = 0.0  # seconds that are gone before the first read


@dataclass(slots=True)
class Work:
    """What the statements of a block took the engine."""

    steps: int = 0  # virtual-machine instructions
    scanned: int = 0  # rows met in full scans, which no index led to


@dataclass(frozen=True, slots=True)
class FileSize:
    """How large a store is, in bytes; nothing of it in memory."""

    file_bytes: int
    log_bytes: int  # of the file beside it that holds the last writes
    free_bytes: int  # of the file, unused


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


class Session(Protocol):
    """One transaction: everything read in it is one consistent moment."""

    @property
    def is_writing(self) -> bool:
        """Whether this is a write transaction, which may read what is never committed."""

    @property
    def sampling(self) -> Sampling:
        """What tells which of the elements that are read are compared with their digests."""

    @property
    def kinds(self) -> Kinds:
        """What is special about the types of concepts, as the store was opened."""

    def allow(self, budget: Budget | None) -> None:
        """Limit what the reads in the rest of the block may cost; the limit ends with the block."""

    def rows(self, sql: str, parameters: Parameters = ()) -> list[SqlRow]:
        """Run one statement and return all its rows."""

    def each(self, sql: str, parameters: Parameters = ()) -> Generator[SqlRow]:
        """Run one statement and yield its rows as they come; the caller closes the generator."""

    def row(self, sql: str, parameters: Parameters = ()) -> SqlRow | None:
        """Run one statement and return its first row, if it has one."""

    def version(self) -> int:
        """Return a number that changes with every change of the store.

        It identifies the state that the last statement saw: if it is the same after two statements,
        both saw the same state.
        """

    def execute_many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        """Run one statement once for each set of parameters."""

    def plan(self, sql: str, parameters: Parameters = ()) -> tuple[str, ...]:
        """Return the engine's own plan of a statement, a line each, indented by depth."""

    def measured(self) -> AbstractContextManager[Work]:
        """Count what the statements of a block take, until it ends."""

    def watched(self, tell: Callable[[int], None]) -> AbstractContextManager[None]:
        """Tell from time to time how many steps the statements of a block have taken."""

    def roll_back(self) -> None:
        """Undo the transaction: nothing of the block is kept."""

    def on_commit(self, action: Callable[[], None]) -> None:
        """Call `action` after the transaction has committed; never after a rollback."""


class Store(Protocol):
    """A place where the graph lives: one file, one memory, or one server."""

    def reading(self) -> AbstractContextManager[Session]:
        """Open a snapshot: it begins with the first read, and nothing after that is seen."""

    def writing(self, is_dry_run: bool = False) -> AbstractContextManager[Session]:
        """Open the write transaction: commit at the end, roll back on any exception.

        A dry run rolls back at the end as well. Raises STORE_BUSY when another writer does
        not finish in time.
        """

    def close(self) -> None:
        """Close every connection; further use raises STORE_CLOSED."""
