"""The frozen values every layer speaks: elements, instants, changes, answers.

Nothing here opens a store, parses a text or knows a face.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, Literal, NewType

from recollect.errors import INVALID_ARGUMENT, Notice, RecollectError

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]
"""A JSON value, as KIP's data model has it."""

Attributes = Mapping[str, Value]

Instant = NewType("Instant", int)
"""Milliseconds since 1970-01-01T00:00:00Z."""

BEGINNING = Instant(-(2**62))
"""Lower bound of a fact time that was not given."""

FOREVER = Instant(2**62)
"""Upper bound of a fact time that was not given."""

_BARE = re.compile(r'[^\s".]+')  # a name that needs no quotes

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant_text(instant: Instant) -> str:
    """Return an instant of the years 1 to 9999 in ISO 8601, with milliseconds and `Z`.

    >>> instant_text(Instant(1))
    '1970-01-01T00:00:00.001Z'
    """
    moment = _EPOCH + timedelta(milliseconds=instant)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def bound_text(bound: Instant | None) -> str | None:
    """Return a bound of either clock in ISO 8601; one beyond what can be written is none.

    >>> bound_text(Instant(0)), bound_text(Instant(2**60)), bound_text(None)
    ('1970-01-01T00:00:00.000Z', None, None)
    """
    try:
        return None if bound is None else instant_text(bound)
    except OverflowError:
        return None


def normal_text(text: str) -> str:
    """Return a text as names and facts are compared: NFKC, case folded, white space collapsed.

    >>> normal_text("  Acme   CORP ")
    'acme corp'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


LIVING = 2**62
"""`expired_at` of an element that is alive: larger than every transaction number."""

CONCEPT_BIT = 0
LINK_BIT = 1
"""The kind of an element is the lowest bit of its integer id: `id = 2n + kind`."""


MERGED_FROM = "_merged_from"
"""Metadata of a concept that others were merged into: `"Type:name"` of each, in order."""

MOVED_FROM = "_moved_from"
"""Metadata of a link that a merge moved: `{"concept", "version"}`, its former end and version."""


class ElementKind(StrEnum):
    """What an element of the graph is."""

    CONCEPT = "concept"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Concept:
    """A node of the graph: `(type, name)` names one living concept of a group."""

    id: str
    type: str
    name: str
    attributes: Attributes
    metadata: Attributes


@dataclass(frozen=True, slots=True)
class Link:
    """A reified proposition; its ends are the ids of concepts or of links."""

    id: str
    subject: str
    predicate: str
    object: str
    attributes: Attributes
    metadata: Attributes


Element = Concept | Link


@dataclass(frozen=True, slots=True)
class Joint:
    """A link with its key, and the concept at its other end, as seen from one of its ends."""

    link: Link
    key: str
    far: Concept | None  # None: a link is there
    is_living: bool = True


Cell = Value | Element | list[Element]
"""What one column of an answer holds."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """The point in both times a read speaks of; what is left out means now, and any fact time.

    `valid` keeps what is true at that instant. The answer is as the memory stood at the instant
    `known`, or after the transaction of the number `transaction`: one of the two. Instants are
    milliseconds since 1970-01-01T00:00:00Z, so `AsOf(known=12)` is not transaction 12.

    >>> import recollect
    >>> with recollect.open(":memory:") as nexus:
    ...     for dose in (100, 500):
    ...         _ = nexus.write([PutConcept("Drug", "Aspirin", {"dose": dose})])
    ...     question = 'FIND(?d.attributes.dose) WHERE { ?d {type: "Drug"} }'
    ...     first = nexus.read(question, as_of=AsOf(transaction=1))
    ...     instant = nexus.read(question, as_of=AsOf(known=Instant(1)))
    >>> first.results[0].rows, instant.results[0].rows
    ([(100,)], [])
    >>> instant.notices[0].code
    'transaction_as_instant'
    """

    valid: Instant | None = None
    known: Instant | None = None
    transaction: int | None = None


_LARGEST_LIMIT: Final = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one text may ask for; beyond it KIP_4002, or KIP_4001 for the seconds.

    INVALID_ARGUMENT for what is no number from 0, whole but for the seconds.
    """

    max_rows: int = 100_000
    max_steps: int = 500_000_000  # the engine's instructions: the same on every machine
    max_seconds: float = 30.0
    max_depth: int = 64  # of blocks, patterns and values in each other, and of what is stored
    max_length: int = 32 * 2**20  # bytes of text

    def __post_init__(self) -> None:
        for one in fields(self):
            given = getattr(self, one.name)
            is_number = type(given) is int or (one.name == "max_seconds" and type(given) is float)
            if not is_number or not 0 <= given <= _LARGEST_LIMIT:
                raise RecollectError(
                    INVALID_ARGUMENT,
                    f"{one.name} is {given!r:.40}, which is no limit",
                    hint=f"pass {one.name}={one.default}",
                )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The id of an element a search found, and its score in 0..1."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Dated:
    """An element with its two clocks: when it is true, and when the memory held it."""

    element: Element
    valid_at: Instant | None  # None: since ever
    invalid_at: Instant | None  # None: until further notice
    created_at: Instant
    expired_at: Instant | None  # None: alive


# Answers


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
class UpsertReport:
    """What an UPSERT did; ids in the order of the blocks, links after concepts."""

    blocks: int
    concepts: tuple[str, ...]
    links: tuple[str, ...]
    created: int
    updated: int
    skipped: tuple[Skipped, ...] = ()


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
    """What a batch of changes did; `ids` has the public id of each change's element, in order."""

    ids: tuple[str, ...]
    created: int
    updated: int
    closed: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What a group holds, and the store it is in."""

    path: str | None  # None in memory
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
    steps: int  # instructions the engine ran: the same on every machine
    scanned: int  # rows met without the help of an index
    notices: tuple[Notice, ...] = ()  # of `Nexus.explain`; an answer tells them beside its results


Report = UpsertReport | UpdateReport | MergeReport | DeleteReport | BatchReport
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


# Changes


@dataclass(frozen=True, slots=True)
class Key:
    """Names a living concept by `(type, name)`."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Local:
    """Names an element put earlier in the same batch by the handle it was given."""

    handle: str


Reference = str | Key | Local
"""How a change names an element: a public id, a key, or a handle of the batch."""


@dataclass(frozen=True, slots=True)
class PutConcept:
    """Match the concept, else create it; merge attributes and metadata key by key."""

    type: str
    name: str
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    id: str | None = None
    handle: str | None = None
    own_metadata: Attributes | None = None  # the part that may set the fact clock; None: all
    expect_version: int | None = None  # KIP_3005 when it has another; 0: it is not there yet
    new_id: str | None = None  # the id to give it where it is not there yet, without `id`
    new_metadata: Attributes = field(default_factory=dict)  # kept too where it is not there yet
    source: str | None = None  # an id, kept among `sources` of the metadata


@dataclass(frozen=True, slots=True)
class PutLink:
    """Match the link (subject, predicate, object, key), else create it; merge as above."""

    subject: Reference
    predicate: str
    object: Reference
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""
    id: str | None = None
    handle: str | None = None
    expect_version: int | None = None
    new_id: str | None = None  # the id to give it where it is not there yet, without `id`


FACT = "fact"
"""Attribute of a link that says in words what the link states: it makes the link a fact."""

LONGEST_FACT_KEY = 4_000
"""Characters of the key of a fact: the memory puts since when it is true behind it."""

SOURCES = "sources"
"""Metadata of an element: the ids of what it was learnt from, the first first."""

SEARCH_ATTRIBUTES = "search_attributes"
"""Metadata of an element: which of its attributes are searched; without it all texts are."""

OBSERVED_AT = "observed_at"
"""Metadata of a fact: when its source spoke, which orders facts that do not say since when."""


@dataclass(frozen=True, slots=True)
class PutFact:
    """Put a link that says something in words, and end the living facts it contradicts.

    Facts contradict each other when their ends, predicates (case aside) and keys are the same,
    their fact times overlap and their texts differ. The newer begins later, by `valid_from`,
    else by `observed_at` of its metadata; where one says neither it is the one put later, and
    of one batch the one with the lower id. The older is closed, and ends in fact time where the
    newer begins; what is put after a newer one only ends where that begins. A text that stands
    already gains a source. Under a functional predicate the facts of one subject with
    different objects end each other in fact time alone.
    """

    subject: Reference
    predicate: str
    object: Reference
    text: str
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""  # what else must be the same for two facts to be about one thing
    source: str | None = None  # an id, kept among `sources` of the metadata
    is_functional: bool = False  # or `functional` is true in the definition of the predicate
    is_settled: bool = False  # what it contradicts was settled elsewhere: it ends nothing
    id: str | None = None
    handle: str | None = None


@dataclass(frozen=True, slots=True)
class WorkItem:
    """An item of the queue: what is to be done about one element of a group."""

    number: int  # the order of acceptance in the group, from 1
    item: str  # the id of the element
    state: str
    attempts: int  # failed executions of the step it is at
    due_at: Instant  # FOREVER: it is at rest
    payload: Attributes  # kept between steps


@dataclass(frozen=True, slots=True)
class RemoveKeys:
    """Remove keys from an element's attributes and metadata; absent keys are ignored."""

    element: Reference
    attributes: frozenset[str] = frozenset()
    metadata: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Delete:
    """Close an element and, with it, every link that ends in it, and theirs."""

    element: Reference


@dataclass(frozen=True, slots=True)
class Merge:
    """Make two concepts of one type one: the links of the source move to the target."""

    source: Reference
    target: Reference


Change = PutConcept | PutLink | PutFact | RemoveKeys | Delete | Merge


@dataclass(frozen=True, slots=True)
class Present:
    """What a write finds: its own instant, and the living elements it asked for, by id."""

    at: Instant
    elements: Mapping[str, Element]
    group: object  # equal for as long as the group lives, and to that of no other one


@dataclass(frozen=True, slots=True)
class Decision:
    """Changes that depend on what the memory holds: nobody writes between the look and the write.

    `decide` receives the elements that `ids` name. It may be called more than once, and only its
    last answer counts, so it must not do anything else. `changes` is roughly how many changes it
    makes, if that is known beforehand.
    """

    ids: Collection[str]
    decide: Callable[[Present], Sequence[Change]]
    changes: int = 0

    def __len__(self) -> int:
        """Return its size: the larger of what it asks for and what it makes."""
        return max(len(self.ids), self.changes)


# The log: what the memory held, who changed it, and what was erased


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
    is_complete: bool  # whether the bytes have left the file too; else `note` says when they do
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


# Keeping: copies, checks and indexes of a memory

Progress = Callable[[str, int, int], None]
"""What long work tells on its way: the step it is at, how much of it is done, and of how much."""


def silent(step: str, done: int, total: int) -> None:
    """Tell nobody how far long work is."""
    del step, done, total


@dataclass(frozen=True, slots=True)
class ConceptRecord:
    """A concept with all that it takes to make an equal one in another memory."""

    concept: Concept
    given_id: bool  # whether its id was given by a caller; else it is the memory's own
    inherited: frozenset[str] = frozenset()  # keys of the metadata that set no fact time
    earlier: Attributes = field(default_factory=dict)  # metadata that sets fact time, set before


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A link with its ends, and all that it takes to make an equal one in another memory."""

    link: Link
    subject: Record
    object: Record
    place: int  # in the order of birth; its ends have lower ones
    is_keyed: bool  # whether it, or a link that it stands on, has a key, which KIP cannot say
    key: str = ""
    earlier: Attributes = field(default_factory=dict)  # metadata that sets fact time, set before


Record = ConceptRecord | LinkRecord


@dataclass(frozen=True, slots=True)
class AttributeIndex:
    """An attribute of a concept type that comparisons find by value.

    >>> print(AttributeIndex("Drug", "risk_level"), AttributeIndex("Drug", "half life"))
    Drug.risk_level Drug."half life"
    """

    type: str
    attribute: str

    def __str__(self) -> str:
        names = self.type, self.attribute
        return ".".join(
            one if _BARE.fullmatch(one) else json.dumps(one, ensure_ascii=False) for one in names
        )


_FROM_CONTENTS: Final = frozenset({"text", "vectors", "indexes", "keys"})
UNREADABLE: Final[Mapping[str, frozenset[str]]] = {
    "tables": frozenset({"file"}),
    "contents": _FROM_CONTENTS,
    "terms": _FROM_CONTENTS | {"counts"},
}
"""The findings in whose way others are mended: these are not made anew while those stand."""

_MENDED: Final = _FROM_CONTENTS | {"counts", "queue", "file", "erasure"}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it must be."""

    check: str  # a stable word: "counts"
    message: str
    group: str | None = None  # None: the store as a whole
    is_mended: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the doctor looked at and found."""

    groups: int
    elements: int  # living and closed, of all groups
    findings: tuple[Finding, ...]
    is_optimised: bool

    counting: tuple[str, ...] = field(default=(), repr=False)
    """Groups made before ids were permuted: theirs tell how many elements others write."""

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong, or nothing any more."""
        return all(finding.is_mended for finding in self.findings)

    @property
    def is_mendable(self) -> bool:
        """Whether `fix` may mend some of it; to all else the answer is a backup."""
        checks = {finding.check for finding in self.findings if not finding.is_mended}
        blocked = (UNREADABLE.get(check, frozenset()) for check in checks)
        return bool((checks & _MENDED).difference(*blocked))


@dataclass(frozen=True, slots=True)
class OwnType:
    """What is special about a type."""

    writer: str = ""  # the call that writes its concepts; empty: anyone may
    links: frozenset[str] = frozenset()  # predicates from its concepts that are the call's, too
    joins: frozenset[str] = frozenset()  # predicates from its concepts that anyone may write
    says: str = ""  # the attribute that says in words what such a concept means
    tells: str = ""  # the attribute that says more of it
    owns_links: bool = False  # whether every link from its concepts is the call's
    parts: frozenset[str] = frozenset()  # types erased with the last of its concepts that uses one
    has_unique_names: bool = False  # no two living concepts are called the same, case aside
    is_known: bool = True  # whether what such a concept holds is part of what the memory knows


OWN_TYPES: Final[Mapping[str, OwnType]] = {
    "Entity": OwnType(has_unique_names=True),
    "Episode": OwnType(writer="Operations.add_episodes"),
    "Claim": OwnType(
        writer="KnowledgeStore.write_claim",
        links=frozenset({"supported_by", "contradicted_by", "supersedes", "tagged"}),
        says="text",
        parts=frozenset({"Evidence", "Tag"}),
    ),
    "Evidence": OwnType(writer="KnowledgeStore.write_claim"),
    "RejectedClaim": OwnType(writer="Branch.learn", is_known=False),
    "Tag": OwnType(),  # what claims are tagged with
    "Number": OwnType(),  # what facts are told about, where it is no thing
    "Boolean": OwnType(),
    "Node": OwnType(
        says="label",
        tells="content",
        joins=frozenset({"in_space", "parent", "is_a", "has", "uses_function"}),
    ),
    "Article": OwnType(
        says="label",
        tells="content",
        joins=frozenset({"uses_template", "field_value", "field_node"}),
    ),
    **dict.fromkeys(("Note", "Action"), OwnType(says="label", tells="content")),
    "Space": OwnType(writer="Markup.apply", says="label", tells="content"),
    "Template": OwnType(writer="Markup.apply", says="label", tells="content"),
    "Function": OwnType(writer="Markup.apply", says="label", tells="content"),
    "Workflow": OwnType(writer="Markup.apply", says="label", tells="content"),
    "KnowledgePiece": OwnType(
        "KnowledgeBase.add_piece", frozenset({"belongs_to"}), says="content", tells="embedding_text"
    ),
    "KnowledgeEntity": OwnType(writer="KnowledgeDataLoader.load", says="label", owns_links=True),
    "MarkupCounter": OwnType(writer="Markup.apply"),
    **dict.fromkeys(("Exchange", "Call"), OwnType("Markup.exchanges", frozenset({"showed"}))),
    "WorkflowRun": OwnType(writer="Markup.runner", links=frozenset({"showed"})),
}
"""The concept types that calls of Recollect itself write, by name."""

OWN_LINKS: Final = frozenset(predicate for own in OWN_TYPES.values() for predicate in own.links)
"""The predicates of links that calls alone write from some of those types."""

KNOWN_LINKS: Final = OWN_LINKS.union(*(own.joins for own in OWN_TYPES.values()))
"""The predicates that need no definition in a strict group."""

OWNED: Final = frozenset(kind for kind, own in OWN_TYPES.items() if own.writer)
"""The types whose concepts a call alone writes."""

ASIDE: Final = frozenset(kind for kind, own in OWN_TYPES.items() if not own.is_known)
"""The types that the primer leaves out: what they hold is not part of what the memory knows."""


def is_owned_link(kind: str, predicate: str) -> bool:
    """Whether a link from a concept of a type is written by the call that writes the concept.

    >>> is_owned_link("Claim", "tagged"), is_owned_link("Claim", "about")
    (True, False)
    """
    own = OWN_TYPES.get(kind)
    return own is not None and (own.owns_links or predicate in own.links)
