"""The log: what the memory held, who changed it, and what was erased."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from recollect.errors import Notice
from recollect.model.changes import Key
from recollect.model.elements import AsOf, Attributes, Cell, Element, ElementKind, Instant, Value
from recollect.node import dataclass, field


class Operation(StrEnum):
    """What a transaction did to one element."""

    CREATE = "create"
    UPDATE = "update"
    CLOSE = "close"
    PURGE = "purge"


@dataclass(frozen=True, slots=True)
class Transaction:
    """One write of a group: its number, its instant, and who asked for it."""

    number: int
    at: Instant
    actor: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """Everything about an element that may change: what is said of it, and when it is true."""

    attributes: Attributes
    metadata: Attributes
    valid_at: Instant | None = None  # None: since ever
    invalid_at: Instant | None = None  # None: for good


@dataclass(frozen=True, slots=True)
class Version:
    """One step in the life of an element: what it became, from one transaction to another.

    A close is a step too: it keeps the version's number, and nothing comes after it.
    """

    number: int  # content versions, from 1
    operation: Operation
    since: Transaction
    until: Transaction | None  # None: it still stands
    before: Content | None  # None: created
    after: Content | None  # None: closed


@dataclass(frozen=True, slots=True)
class Triple:
    """What a link says; its ends are public ids."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Ground:
    """An element that a row stands on: what it held then, and who wrote that, and when."""

    names: tuple[str, ...]  # the variables that hold it; none for what the query leaves unnamed
    element: Element
    version: int
    created: Transaction
    written: Transaction  # the one that wrote this version
    valid_at: Instant | None  # None: since ever
    invalid_at: Instant | None  # None: for good


@dataclass(frozen=True, slots=True)
class Why:
    """What one row of an answer stands on."""

    columns: tuple[str, ...]
    row: tuple[Cell, ...]
    solutions: int  # ways in which WHERE comes to this row
    grounds: tuple[Ground, ...]
    omitted: int = 0  # further grounds that are not shown
    notices: tuple[Notice, ...] = ()  # what to know about the answer that has the row


@dataclass(frozen=True, slots=True)
class Life:
    """An element from its creation on; one that is created again lives again, under a new id."""

    id: str
    what: Key | Triple
    versions: tuple[Version, ...]  # oldest first


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """What one transaction did to one element; what was purged since has no `what`."""

    id: str
    kind: ElementKind
    operation: Operation
    what: Key | Triple | None


@dataclass(frozen=True, slots=True)
class LoggedTransaction:
    """One transaction of the change log with its net effect, in the order of the elements."""

    transaction: Transaction
    changes: tuple[LoggedChange, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Names the elements that a FIND of elements answers with."""

    text: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a purge erased, or what it would erase.

    `ids` are the public ids of everything that went, to tell those who keep copies.
    """

    group: str
    ids: tuple[str, ...]
    concepts: int
    links: int
    past_contents: int  # superseded contents of them
    texts: int  # documents of the text index: current, closed and superseded
    vectors: int  # what elements say, embedded
    terms: int  # types and predicates that nothing uses any more
    transaction: int | None  # None: a dry run, nothing to erase, or a whole group
    is_dry_run: bool
    is_complete: bool  # whether the bytes have left file or tables too; else `note` says when
    note: str


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What making up for missing vectors did."""

    model: str  # whose vectors they are
    embedded: int  # elements that have a vector now, and had none


@dataclass(frozen=True, slots=True)
class Breach:
    """The first place where a log and what it speaks of disagree."""

    transaction: int
    problem: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What checking a group's log against its rows and its chain of hashes found."""

    group: str
    head: str  # the last transaction's number and chain hash, to keep elsewhere
    transactions: int
    contents: int  # contents that are there, and checked
    purged: int  # contents that were erased, whose digests are still in the chain
    breach: Breach | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing was changed behind the log's back."""
        return self.breach is None
