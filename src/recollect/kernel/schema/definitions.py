"""Definitions: the concepts of type `$ConceptType` and `$PropositionType`, by name.

The rule: a definition is an ordinary concept, read where every concept is; nothing is kept of
it anywhere else, so it has a past, and a purge takes all of it. With them the names that the
specification gives a meaning: KIP 1.0-RC11, section 2.9 and appendices 2 and 3.

What a statement uses and its group has not declared is found before the statement runs. Only a
strict group is asked, and every type and predicate that is written in the tree counts, wherever it
stands. What DESCRIBE asks after may be undeclared: that is its question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields

import orjson

from recollect.errors import TYPE_MISMATCH, Fix, RecollectError, Span, nearest
from recollect.kernel.lang import ast
from recollect.kernel.lang.tokens import quoted
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.known_keys import META_TYPES
from recollect.kernel.store.cells import SqlValue, canonical_name, members, public_id, text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.declared import DEFINED, DEFINITION, DEFINITIONS
from recollect.model import LIVING, Attributes, ElementKind, Kinds, Value
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


CONCEPT, LINK = ElementKind.CONCEPT, ElementKind.LINK

_KINDS: dict[ElementKind | None, tuple[ElementKind, ...]] = {
    CONCEPT: (CONCEPT,),
    LINK: (LINK, CONCEPT),
    None: (CONCEPT, LINK),
}
"""What WITH TYPE of a search may name: of links the predicate, or the type of an end."""


@dataclass(frozen=True, slots=True)
class UsedName:
    """A type or a predicate as a text writes it."""

    kinds: tuple[ElementKind, ...]  # one of these it must be
    name: str
    span: Span
    is_token: bool  # whether the span is the name in quotes and nothing else


def refuse_undeclared(
    session: Session,
    group: Group,
    tree: ast.Statement,
    bindings: Bindings,
    known: int | None = None,
) -> None:
    """Raise KIP_2001 for the first type or predicate in a tree that a strict group lacks.

    A read as of the transaction `known` may also name what was declared then. Cost: two look-ups
    a statement, four when some name of such a read is not declared now.
    """
    refused = _not_declared(session, group, list(_named(tree, bindings)))
    if known is not None:
        refused = _not_declared(session, group, refused, known)
    if refused:
        first = refused[0]
        raise undeclared(session, group, first.kinds[0], first.name, first)


def _not_declared(
    session: Session, group: Group, named: list[UsedName], known: int | None = None
) -> list[UsedName]:
    if not named:
        return []
    names = {one.name for one in named}
    declared = {kind: defined(session, group, kind, names, known) for kind in ElementKind}
    return [one for one in named if not any(one.name in declared[kind] for kind in one.kinds)]


def undeclared(
    session: Session, group: Group, kind: ElementKind, name: str, place: UsedName | None = None
) -> RecollectError:
    """Return KIP_2001 for a name that is not declared, with the nearest that are."""
    near = nearest(name, [*definitions(session, group, kind), *sorted(given(session.kinds, kind))])
    declare = f'declare it first: {{type: "{META_TYPES[kind]}", name: {quoted(name)}}}'
    is_mendable = bool(near) and place is not None and place.is_token
    return TYPE_MISMATCH.error(
        f"the {NOUNS[kind]} {quoted(name)} is not declared, and this memory is strict",
        f"use {quoted(near[0])}" if near else declare,
        span=None if place is None else place.span,
        known=near,
        fix=Fix(place.span, quoted(near[0])) if is_mendable and place is not None else None,
    )


def _named(tree: ast.Statement, bindings: Bindings) -> Iterator[UsedName]:
    """Yield the types and predicates of a tree."""
    for node in nodes(tree):
        match node:
            case ast.ConceptPattern(type=ast.Literal() | ast.Parameter() as type_):
                yield from _of((CONCEPT,), type_, bindings)
            case ast.Search(kind=kind, type=ast.Literal() | ast.Parameter() as type_):
                yield from _of(_KINDS[kind], type_, bindings)
            case ast.Step(predicate=predicate):
                yield from _of((LINK,), predicate, bindings)
            case ast.LinkTarget(predicate=predicate) | ast.SetLink(predicate=predicate):
                yield from _of((LINK,), predicate, bindings)


def _of(kinds: tuple[ElementKind, ...], text: ast.Text, bindings: Bindings) -> Iterator[UsedName]:
    value = text.value if isinstance(text, ast.Literal) else bindings.values.get(text.name)
    if isinstance(value, str):
        length = text.span.end - text.span.start
        is_token = isinstance(text, ast.Literal) and length == len(quoted(value))
        yield UsedName(kinds, canonical_name(value, text.span), text.span, is_token)


def nodes(part: object) -> Iterator[ast.Node]:
    """Yield the nodes of a tree, each before what it holds, in the order of the text."""
    if isinstance(part, tuple):
        for one in part:
            yield from nodes(one)
    elif isinstance(part, ast.Node):
        yield part
        for each in fields(part):
            yield from nodes(getattr(part, each.name))


def place_of_concept(tree: ast.Node, type_: str, name: str) -> Span | None:
    """Return where a tree names a concept by both, or by its name alone, for the first time."""
    for node in nodes(tree):
        if not isinstance(node, ast.ConceptPattern) or not _is(node.name, name):
            continue
        if node.type is None or _is(node.type, type_):
            return node.span
    return None


def _is(text: ast.Text | None, value: str) -> bool:
    return isinstance(text, ast.Literal) and text.value == value
