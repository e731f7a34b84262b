"""What the kernel answers: rows, hits, descriptions, reports and explanations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from recollect.errors import Hint, Notice
from recollect.model.elements import Cell, Concept, Element, ElementKind, Instant, Value
from recollect.node import dataclass, field


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer of FIND: one tuple a row, in order, one cell a column."""

    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    next_cursor: str | None = None  # where LIMIT left more rows: what CURSOR goes on from
    is_total: bool = False  # whether all is aggregated: its one row is of all there is


@dataclass(frozen=True, slots=True)
class Hit:
    """One element found by SEARCH, with its score in 0..1."""

    kind: ElementKind
    score: float
    element: Element
    standing: str = ""  # what keeps it from being so now: "until 2026-11-01"


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """A concept that a plain name means."""

    element: Concept
    by: Literal["name", "spelling", "alias", "first name"]  # how it is called so
    detail: str  # what tells it apart: its type, and what it is about


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer of SEARCH, best first."""

    hits: tuple[Hit, ...]
    next_cursor: str | None = None  # where the next page begins, if there is one


@dataclass(frozen=True, slots=True)
class Description:
    """The answer of DESCRIBE: `{"items": [...]}` for lists, one object otherwise."""

    body: Mapping[str, Value]
    is_of_names: bool = False  # whether it lists types or predicates, which their names stand for


@dataclass(frozen=True, slots=True)
class Skipped:
    """A SET PROPOSITIONS item whose target is not in the graph."""

    handle: str | None
    predicate: str
    target: Value


@dataclass(frozen=True, slots=True)
class AlsoHolds:
    """A link that goes on being true beside what was written: perhaps it should have ended."""

    id: str
    line: str  # "Maria works_at Siemens"
    since: Instant | None  # None: since ever
    until: Instant | None  # None: until further notice
    hint: Hint  # how the older of the two ends where the newer begins


@dataclass(frozen=True, slots=True)
class Ended:
    """A link whose end a write moved, and whether the memory believes it no longer."""

    id: str
    line: str
    at: Instant
    is_closed: bool


@dataclass(frozen=True, slots=True)
class UpsertReport:
    """What an UPSERT did; ids in the order of the blocks, links after concepts."""

    blocks: int
    concepts: tuple[str, ...]
    links: tuple[str, ...]
    created: int
    updated: int
    skipped: tuple[Skipped, ...] = ()
    also_holds: tuple[AlsoHolds, ...] = ()  # under functional predicates: KML ends nothing


@dataclass(frozen=True, slots=True)
class DeleteReport:
    """What a DELETE did: counts by name, in the order they are shown."""

    counts: Mapping[str, int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What an UPDATE did: how many elements WHERE gave it, and how many of them it changed."""

    updated: int
    matched: int  # after the LIMIT


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a MERGE did: the links that end elsewhere now, those that became one with another."""

    links_repointed: int
    links_deduplicated: int
    attributes_filled: int  # keys that the target did not have


@dataclass(frozen=True, slots=True)
class Exported:
    """The answer of EXPORT: an UPSERT text, and how many elements it makes."""

    capsule: str
    concepts: int
    links: int
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a batch of changes did; `ids` has the public id of each change's element, in order.

    It is empty for a change that was skipped.
    """

    ids: tuple[str, ...]
    created: int
    updated: int
    closed: int
    ended: tuple[Ended, ...] = ()
    also_holds: tuple[AlsoHolds, ...] = ()  # beside new facts, of the same subject and predicate


@dataclass(frozen=True, slots=True)
class Grown:
    """How many elements had been made in a group by the end of a transaction, closed ones too."""

    transaction: int
    at: Instant
    concepts: int
    links: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What a group holds, and the store it is in."""

    path: str | None  # None in memory; of a server its host, database and schema
    size_bytes: int
    log_bytes: int  # of the file beside it that holds the last writes
    free_bytes: int  # of the file, unused
    group: str
    groups: int
    concepts: int
    links: int
    types: int
    predicates: int
    documents: int  # of the text index: living, closed and superseded
    transactions: int
    last_at: Instant | None
    engine: str
    relations: Mapping[str, int] = field(default_factory=dict)  # the bytes of a server's tables
    growth: tuple[Grown, ...] = ()  # where it is asked for, oldest first


SchemaMode = Literal["open", "strict"]
"""Whether a group takes every type and predicate, or only those that it declares."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Something in a group that does not conform to what the group declares."""

    code: str  # of the error that writing it would be: "KIP_2001"
    message: str
    count: int  # elements of which it is true
    examples: tuple[str, ...] = ()  # names of some


@dataclass(frozen=True, slots=True)
class Schema:
    """What a group declares, whether it holds to it, and what does not conform."""

    mode: SchemaMode
    concept_types: int  # that are declared
    proposition_types: int
    misfits: tuple[Misfit, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a query is answered, stage by stage: the answer of EXPLAIN.

    SEARCH and DESCRIBE are fixed ways of the memory, so they have no rules and no SQL.
    """

    tree: str  # the query as it was understood, laid out
    written: tuple[str, ...]  # its steps in the order of the text
    plan: tuple[str, ...]  # its steps in running order
    rules: tuple[str, ...]  # the rewrites that made one of the other, and what they rest on
    counts: Mapping[str, int]  # how many the memory expects of each name
    sql: str
    parameters: Mapping[str, Value]
    engine: tuple[str, ...]  # the engine's own plan of the SQL, indented by depth
    rows: int  # how many it answers with
    steps: int | None  # instructions the engine ran: the same on every machine; a server has none
    scanned: int | None  # rows met without the help of an index
    notices: tuple[Notice, ...] = ()  # of `Nexus.explain`; an answer tells them beside its results


Report = UpsertReport | UpdateReport | MergeReport | DeleteReport | BatchReport
ResultT = TypeVar("ResultT")
Result = Rows | Hits | Description | Explanation | Exported | Report


@dataclass(frozen=True, slots=True)
class Answer:
    """The results of one text, a result per statement, and what to know about them.

    `transaction` is the number of what was written; None where nothing was, in the end.
    """

    results: tuple[Result, ...]
    notices: tuple[Notice, ...] = ()
    is_dry_run: bool = False
    transaction: int | None = None

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The rows of the one FIND that was asked."""
        return self.only(Rows).rows

    def only(self, kind: type[ResultT]) -> ResultT:
        """Return the one result, of which it is known what kind it is: `answer.only(Hits)`."""
        (found,) = self.results
        assert isinstance(found, kind)
        return found
