"""The changes that a batch makes, and how they name what they change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from recollect.errors import Span
from recollect.model.elements import Attributes, Element, Instant
from recollect.node import dataclass, field, node

IfMissing = Literal["raise", "skip"]
"""What becomes of a change when an element that it names is not there."""


@node(frozen=True, slots=True)
class Key:
    """Names a living concept by `(type, name)`."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Local:
    """Names an element put earlier in the same batch by the handle it was given."""

    handle: str


@dataclass(frozen=True, slots=True)
class Named:
    """Names the one concept that a plain name means; one is made where there is none.

    KIP_3003 with the candidates where several are meant. With a `type` it means one of that type;
    what was made by its plain name alone, and is of no more than the kind for such things, is born
    anew as one of that type, under its id.
    """

    name: str
    type: str | None = None


@node(frozen=True, slots=True)
class Meant:
    """Names the one living concept that has what is given of id, type and name, exactly so.

    KIP_3003 where several have. With `is_link` it names a link, by its id alone. `span` is where
    a text says it, for errors.
    """

    type: str | None = None
    name: str | None = None
    id: str | None = None
    is_link: bool = False
    span: Span | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.is_link:
            return f'(id: "{self.id}")'
        parts = (("type", self.type), ("name", self.name), ("id", self.id))
        return "{" + ", ".join(f'{key}: "{part}"' for key, part in parts if part is not None) + "}"


@node(frozen=True, slots=True)
class Said:
    """Names the living link that says a triple: the one without a key, else the only one.

    KIP_3003 where there are several and all have keys.
    """

    subject: Reference
    predicate: str
    object: Reference
    span: Span | None = field(default=None, compare=False)


@node(frozen=True, slots=True)
class Met:
    """Names a living element by the number that a store has for it: what a WHERE found."""

    number: int


Reference = str | Key | Local | Named | Meant | Said | Met
"""How a change names an element: a public id, a key, a handle of the batch, a plain name, ..."""


@node(frozen=True, slots=True)
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


@node(frozen=True, slots=True)
class Put:
    """Merge attributes and metadata key by key into the element that a reference names.

    A concept that is meant by type and name, perhaps with an id, is made where there is none.
    """

    element: Reference
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    handle: str | None = None
    own_metadata: Attributes | None = None
    expect_version: int | None = None


@node(frozen=True, slots=True)
class PutLink:
    """Match the link (subject, predicate, object, key), else create it; merge as above.

    Without a key, as `None`, it is the link that the triple means: see `Said`.
    """

    subject: Reference
    predicate: str
    object: Reference
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str | None = ""
    id: str | None = None
    handle: str | None = None
    expect_version: int | None = None
    new_id: str | None = None  # the id to give it where it is not there yet, without `id`
    replaces: str | None = None  # the id of a link that ends, or is closed, as `PutFact` has it
    if_missing: IfMissing = "raise"  # an end


FACT = "fact"
"""Attribute of a link that says in words what the link states: it makes the link a fact."""

LONGEST_FACT_KEY = 4_000
"""Characters of the key of a fact: the memory puts since when it is true behind it."""

SOURCES = "sources"
"""Metadata of an element: the ids of what it was learnt from, the first first."""

SEARCH_ATTRIBUTES = "search_attributes"
"""Metadata of an element: which of its attributes are searched; without it all texts are."""

SEARCH_NAME = "search_name"
"""Metadata of a concept: false where its name is an id, whose words find nothing."""

OBSERVED_AT = "observed_at"
"""Metadata of a fact: when its source spoke, which orders facts that do not say since when."""

FUNCTIONAL = "functional"
"""Attribute of the definition of a predicate under which a subject has one object at a time."""


@node(frozen=True, slots=True)
class PutFact:
    """Put a link that says something in words, and end the living facts it contradicts.

    Facts contradict each other when their ends, predicates (case aside) and keys are the same,
    their fact times overlap and their texts differ. The newer begins later, by `valid_from`,
    else by `observed_at` of its metadata; where one says neither it is the one put later, and
    of one batch the one with the lower id. The older is closed, and ends in fact time where the
    newer begins; what is put after a newer one only ends where that begins.

    What is told again, with the same text or none, keeps what is left out: it gains a source, the
    members given, and the bounds given, but keeps a beginning it has.

    Under a functional predicate the facts of one subject with different objects end each other
    in fact time alone: the older where the newer begins, now if it does not say. What would have
    no time left was wrong, and is closed. What does not say when it begins is true from where the
    last of the others ended that does, or ends now: a guess. `replaces` does the same to one link,
    whatever it says; a correction closes it whenever it was true: INVALID_ARGUMENT where another
    says the same.
    """

    subject: Reference
    predicate: str
    object: Reference
    text: str | None = None  # None: what was told of it before, else its parts in order
    attributes: Attributes = field(default_factory=dict)
    metadata: Attributes = field(default_factory=dict)
    key: str = ""  # what else must be the same for two facts to be about one thing
    source: str | None = None  # an id, kept among `sources` of the metadata
    is_functional: bool = False  # or `functional` is true in the definition of the predicate
    moves_beginning: bool = False  # its dates move the beginning it had, and that of a guess
    is_anew: bool = False  # it is a link of its own, whatever says the same
    is_settled: bool = False  # what it contradicts was settled elsewhere: it ends nothing
    id: str | None = None
    handle: str | None = None
    replaces: str | None = None  # the id of a living link
    is_correction: bool = False  # what it replaces was never so
    guessed_at: Instant | None = None  # since when it was true where nobody told it


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
    if_missing: IfMissing = "raise"
    metadata: Attributes = field(default_factory=dict)  # what its last content says too


@dataclass(frozen=True, slots=True)
class Merge:
    """Make two concepts of one type one: the links of the source move to the target."""

    source: Reference
    target: Reference


@dataclass(frozen=True, slots=True)
class EndFact:
    """Say that a link is true no longer than until an instant; None: until now; FOREVER: for good.

    INVALID_ARGUMENT for an instant that is not after its beginning: what was never true is
    withdrawn by `Delete`, and the past keeps it.
    """

    element: Reference
    at: Instant | None = None


@dataclass(frozen=True, slots=True)
class Unmerge:
    """Take a merge back: `id` is that of the concept that was merged into another.

    It lives again with its links; what was told of the other since the merge stays there. CONFLICT
    where something done after the merge is in the way.
    """

    id: str


@dataclass(frozen=True, slots=True)
class Retype:
    """Let a concept be of another type: it is closed, and born anew under its public id.

    Its links go on as in a merge; the past still answers with the type it had then. KIP_3003 when
    a living concept has the other type and that name.
    """

    element: Reference
    type: str


Change = (
    PutConcept | Put | PutLink | PutFact | EndFact | RemoveKeys | Delete | Merge | Unmerge | Retype
)


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
