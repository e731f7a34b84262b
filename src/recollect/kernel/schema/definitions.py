"""Definitions: the concepts of type `$ConceptType` and `$PropositionType`, by name.

The rule: a definition is an ordinary concept, read where every concept is; nothing is kept of
it anywhere else, so it has a past, and a purge takes all of it. With them the names that the
specification gives a meaning: KIP 1.0-RC11, section 2.9 and appendices 2 and 3.
"""

from __future__ import annotations

from collections.abc import Collection

import orjson

from recollect.kernel.read.known_keys import META_TYPES, PROPOSITION_TYPE
from recollect.kernel.store.cells import SqlValue, members, public_id, text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.declared import DEFINED, DEFINITION, DEFINITIONS, FLAGGED
from recollect.model import FUNCTIONAL, LIVING, Attributes, ElementKind, Kinds, Value, normal_text
from recollect.node import dataclass

DOMAIN = "Domain"
BELONGS = "belongs_to_domain"
CORE_DOMAIN = "CoreSchema"

PERSON = "Person"
SELF = "$self"
SERVES = "serves"  # whom: from `$self`
SYSTEM = "$system"
CORE_DIRECTIVES = "core_directives"

NOUNS = {ElementKind.CONCEPT: "concept type", ElementKind.LINK: "predicate"}
"""What an error calls the two things that a group may declare."""


def given(kinds: Kinds, kind: ElementKind) -> frozenset[str]:
    """Return what no group needs to declare: the meta-types, and what the kinds bring."""
    if kind is ElementKind.LINK:
        return kinds.known_links
    return kinds.given.union(META_TYPES.values())


_NOW = LIVING - 1


@dataclass(frozen=True, slots=True)
class Definition:
    """What a group says of one of its types or predicates."""

    kind: ElementKind  # what it defines: a type of concepts, or a predicate of links
    name: str
    id: str
    attributes: Attributes
    metadata: Attributes

    @property
    def description(self) -> str | None:
        """What it means, in a sentence, if the definition says so."""
        said = self.attributes.get("description")
        return said if isinstance(said, str) else None

    def to_object(self) -> dict[str, Value]:
        """Return the concept that defines it, as every answer shows one."""
        return {
            "id": self.id,
            "type": META_TYPES[self.kind],
            "name": self.name,
            "attributes": dict(self.attributes),
            "metadata": dict(self.metadata),
        }


def definitions(
    session: Session, group: Group, kind: ElementKind, known: int | None = None
) -> dict[str, Definition]:
    """Return the definitions by name, in its order; `known` is a transaction's number.

    What a definition says is what it says now, or said last.
    """
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "meta": META_TYPES[kind],
        "known": _NOW if known is None else known,
    }
    rows = session.rows(DEFINITIONS, parameters)
    found = (_definition(group, kind, row) for row in rows)
    return {one.name: one for one in found}


def definition(session: Session, group: Group, kind: ElementKind, name: str) -> Definition | None:
    """Return the definition of one type or predicate, if there is one now."""
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "meta": META_TYPES[kind],
        "name": name,
        "living": LIVING,
    }
    row = session.row(DEFINITION, parameters)
    return None if row is None else _definition(group, kind, row)


def defined(
    session: Session,
    group: Group,
    kind: ElementKind,
    names: Collection[str],
    known: int | None = None,
) -> frozenset[str]:
    """Return which of some names are defined; what is given always is."""
    rows = session.rows(
        DEFINED,
        {
            "group": group.group_id,
            "meta": META_TYPES[kind],
            "names": orjson.dumps(list(names)).decode(),
            "known": _NOW if known is None else known,
        },
    )
    return given(session.kinds, kind).intersection(names) | {text(name) for (name,) in rows}


def _definition(group: Group, kind: ElementKind, row: SqlRow) -> Definition:
    name, element, given, attributes, metadata = row
    identifier = public_id(group.id_bits, whole(element)) if given is None else text(given)
    return Definition(kind, text(name), identifier, members(attributes), members(metadata))


def functional_predicates(session: Session, group_id: int) -> frozenset[str]:
    """Return the functional predicates of a group as names are compared; one statement."""
    names = names_with_flag(session, group_id, PROPOSITION_TYPE, FUNCTIONAL)
    return frozenset(map(normal_text, names))


def names_with_flag(session: Session, group_id: int, meta: str, attribute: str) -> list[str]:
    """Return the names of the living definitions whose attribute is `true`."""
    parameters: dict[str, SqlValue] = {
        "group": group_id,
        "meta": meta,
        "living": LIVING,
        "attribute": attribute,
    }
    return [text(name) for (name,) in session.rows(FLAGGED, parameters)]
