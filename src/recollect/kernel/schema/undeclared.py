"""Names that a statement uses and its group has not declared, found before the statement runs.

The rule: only a strict group is asked, and every type and predicate that is written in the tree
counts, wherever it stands. What DESCRIBE asks after may be undeclared: that is its question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from recollect.errors import TYPE_MISMATCH, Fix, RecollectError, Span, nearest
from recollect.kernel.lang import ast
from recollect.kernel.lang.tokens import quoted
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.plan.scope import canonical_name
from recollect.kernel.read.known_keys import META_TYPES
from recollect.kernel.schema.definitions import NOUNS, defined, definitions, given
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session
from recollect.model import ElementKind
from recollect.node import dataclass

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
