"""Kinds: what is special about the concepts of a type, and the registry that is asked for it.

The rule: a kind is a value. Who opens a memory says which kinds it has, the kernel and all above it
ask the registry, and nothing else knows a type by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from recollect.errors import refused
from recollect.model.care import AttributeIndex
from recollect.model.elements import Attributes, Concept, Element, Link
from recollect.node import dataclass, field

FACT_KIND: Final = "fact"
"""What a link is as a memory, unless it is structure."""

PLAIN_KIND: Final = "concept"
"""What a concept is as a memory, unless its kind says otherwise."""

_ABOUT: Final = ("summary", "description")


@dataclass(frozen=True, slots=True)
class Kind:
    """What is special about the concepts of a type, and about the links that begin at them.

    >>> claim = Kind("Claim", "claim", call="KnowledgeStore.write_claim", text="text")
    >>> claim.is_owned, claim.is_free
    (True, False)
    >>> claim.line(Concept("c1", "Claim", "c1", {"text": "payments uses sagas"}, {}))
    'payments uses sagas'
    """

    type: str
    name: str = PLAIN_KIND  # what such a memory is called: "claim"
    call: str = ""  # the call that writes its concepts; empty: anyone may
    text: str = ""  # the attribute that says in words what such a concept means; empty: the name
    more: str = ""  # the attribute that says more of it
    names_are_ids: bool = False  # whether a name tells a person nothing and is never looked up
    is_made: bool = False  # whether a plain name that means nothing makes one
    is_meant: bool = True  # whether a plain name may mean one, as far as anyone may write them
    is_memory: bool = True  # whether one is a memory; otherwise it only supports others
    is_known: bool = True  # whether what one holds is part of what the memory knows
    is_given: bool = True  # whether a strict group needs no definition of it
    is_kept_up: bool = True  # whether upkeep may join two of them, or let one fade
    has_unique_names: bool = False  # no two living concepts are called the same, case aside
    links: frozenset[str] = frozenset()  # predicates from its concepts that are the call's, too
    joins: frozenset[str] = frozenset()  # structure from its concepts that anyone may write
    owns_links: bool = False  # whether every link from its concepts is the call's
    parts: frozenset[str] = frozenset()  # types erased with the last of its concepts that uses one
    support: frozenset[str] = frozenset()  # predicates to what supports or contradicts one
    indexes: tuple[str, ...] = ()  # attributes that its concepts are found by
    status: str = ""  # the attribute that tells whether one counts
    active: Mapping[str, float] = field(default_factory=dict)  # the trust in values that count
    shown: tuple[str, ...] | None = None  # attributes of its record; None: all but its text

    @property
    def is_owned(self) -> bool:
        """Whether a call of its own writes its concepts, and KML does not."""
        return bool(self.call)

    @property
    def gives_ids(self) -> bool:
        """Whether one that anyone makes has its name for its id."""
        return self.names_are_ids and not self.call

    @property
    def is_free(self) -> bool:
        """Whether a plain name may mean a concept of the kind, and facts may be told about it."""
        return self.is_meant and not (self.call or self.names_are_ids)

    @property
    def structure(self) -> frozenset[str]:
        """Predicates of links from its concepts that are no memory, but hold it together."""
        return self.links | self.joins

    def owns(self, predicate: str) -> bool:
        """Whether a link from one of its concepts is written by the call that writes them."""
        return self.owns_links or predicate in self.links

    def is_structure(self, predicate: str) -> bool:
        """Whether a link from one of its concepts is no memory."""
        return self.owns_links or predicate in self.structure

    def counts(self, attributes: Attributes) -> bool:
        """Whether a concept that says this counts: by its status, if the kind has one."""
        return not self.status or attributes.get(self.status) in self.active

    def line(self, concept: Concept) -> str:
        """Return what a concept says in one text: its words, or its name and what it is about."""
        said = concept.attributes.get(self.text) if self.text else None
        if isinstance(said, str) and said.strip():
            return said
        about = next((one for one in map(concept.attributes.get, _ABOUT) if _is_text(one)), None)
        return concept.name if about is None else f"{concept.name}: {about}"

    def record(self, concept: Concept) -> Attributes:
        """Return the attributes that a record of a concept shows beside its text and name."""
        said = concept.attributes
        if self.shown is not None:
            return {key: said[key] for key in self.shown if key in said}
        if not self.text:
            return said
        return {key: one for key, one in said.items() if key != self.text and one not in _EMPTY}


_EMPTY: Final[tuple[object, ...]] = (None, "", [])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """The kinds that a memory was opened with, by type; of any other type nothing is special.

    INVALID_ARGUMENT for two kinds of one type.

    >>> kinds = Kinds((Kind("Claim", "claim", call="write_claim", links=frozenset({"tagged"})),))
    >>> kinds.is_owned_link("Claim", "tagged"), kinds.is_owned_link("Claim", "about")
    (True, False)
    >>> kinds.is_free("Claim"), kinds.is_free("Drug"), kinds.is_free("$ConceptType")
    (False, True, False)
    """

    kinds: Iterable[Kind] = ()
    owned: frozenset[str] = field(init=False)
    """The types whose concepts a call alone writes."""
    own_links: frozenset[str] = field(init=False)
    """The predicates of links that calls alone write from some types."""
    known_links: frozenset[str] = field(init=False)
    """The predicates that need no definition in a strict group."""
    given: frozenset[str] = field(init=False)
    """The types that need no definition in a strict group."""
    aside: frozenset[str] = field(init=False)
    """The types that the primer leaves out: what they hold is not part of what is known."""
    unique: frozenset[str] = field(init=False)
    """The types of which no two living concepts are called the same, case aside."""
    link_owners: frozenset[str] = field(init=False)
    """The types whose links are all their call's."""
    made: str | None = field(init=False)
    """The type of what a plain name makes, where it means nothing; None where it makes nothing."""
    _by_type: dict[str, Kind] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kinds = tuple(self.kinds)
        by_type = {one.type: one for one in kinds}
        if len(by_type) < len(kinds):
            twice = sorted({one.type for one in kinds if kinds.count(one) > 1}) or sorted(by_type)
            raise refused(
                f'there are two kinds of one type, among them "{twice[0]}"',
                "give each type one Kind",
            )
        for name, value in (
            ("kinds", kinds),
            ("_by_type", by_type),
            ("made", next((one.type for one in kinds if one.is_made), None)),
            ("owned", frozenset(one.type for one in kinds if one.is_owned)),
            ("own_links", frozenset().union(*(one.links for one in kinds))),
            ("known_links", frozenset().union(*(one.structure for one in kinds))),
            ("given", frozenset(one.type for one in kinds if one.is_given)),
            ("aside", frozenset(one.type for one in kinds if not one.is_known)),
            ("unique", frozenset(one.type for one in kinds if one.has_unique_names)),
            ("link_owners", frozenset(one.type for one in kinds if one.owns_links)),
        ):
            object.__setattr__(self, name, value)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_type.values())

    def get(self, type: str) -> Kind | None:
        """Return the kind of a type; None where nothing is special about it."""
        return self._by_type.get(type)

    def of(self, type: str) -> Kind:
        """Return the kind of a type; a plain one where nothing is special about it."""
        return self._by_type.get(type) or Kind(type, is_meant=not type.startswith("$"))

    def is_free(self, type: str) -> bool:
        """Whether a plain name may mean a concept of the type: no meta-type, of no face."""
        return self.of(type).is_free

    def is_kept_up(self, type: str) -> bool:
        """Whether upkeep may let a concept of the type fade, or join it with its like."""
        kind = self.of(type)
        return kind.is_kept_up and not kind.is_owned

    def is_owned_link(self, type: str, predicate: str) -> bool:
        """Whether a link from a concept of a type is written by the call that writes those."""
        kind = self._by_type.get(type)
        return kind is not None and kind.owns(predicate)

    def is_structure(self, type: str, predicate: str) -> bool:
        """Whether a link from a concept of a type is structure: no memory, and no mention."""
        kind = self._by_type.get(type)
        return type.startswith("$") or (kind is not None and kind.is_structure(predicate))

    def memory(self, element: Element, start: Concept | None = None) -> str | None:
        """Return which kind of memory an element is: "fact", "claim"; None for one that is none.

        `start` is the concept that a link begins at, if it is one.
        """
        if isinstance(element, Link):
            is_held = start is not None and self.is_structure(start.type, element.predicate)
            return None if is_held else FACT_KIND
        kind = self.of(element.type)
        return kind.name if kind.is_memory else None

    def named(self, name: str) -> tuple[Kind, ...]:
        """Return the kinds whose memories are called so, such as "claim"."""
        return tuple(one for one in self if one.name == name)

    def names(self) -> tuple[str, ...]:
        """Return what memories are called, the general kinds first."""
        told = (one.name for one in self if one.is_memory)
        return tuple(dict.fromkeys((FACT_KIND, PLAIN_KIND, *told)))

    def indexes(self) -> tuple[AttributeIndex, ...]:
        """Return what concepts of the kinds are found by."""
        return tuple(AttributeIndex(one.type, name) for one in self for name in one.indexes)


NO_KINDS: Final = Kinds()
"""The kinds of a memory that was opened with none: nothing is special about any type."""
