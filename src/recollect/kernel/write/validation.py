"""What may enter the graph: names and values, checked once, before anything changes; and who may.

The rule: a text that would write what it may not is refused as a whole. A value of a KML tree is
read here too, after its placeholders have been replaced by literals. Concepts of types that a call
owns are read as any other, but written by that call alone, in a batch of changes, as are links from
them that it keeps too, which no fact is; a restore is exempt. Of some types no two living concepts
share a name.

Concepts that a memory's own order is built on are protected from texts as soon as the bootstrap is
in the memory; writing what they already say is not a change. A definition may evolve, but only by
UPSERT, which names it: no UPDATE sweeps over it, and no key of it is lost. A purge and a restore
are exempt: they are calls of people, not texts of models. KIP 1.0-RC11, KIP_3004.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

import orjson

from recollect.errors import (
    CONSTRAINT_VIOLATION,
    IMMUTABLE_TARGET,
    INVALID_IDENTIFIER,
    INVALID_SYNTAX,
    INVALID_VALUE,
    REFERENCE_ERROR,
    Notice,
    RecollectError,
    Span,
)
from recollect.kernel.lang.ast import ConceptPattern, Literal, Script, Size, Text, ValueNode
from recollect.kernel.lang.cursor import MAX_DEPTH
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.known_keys import CONCEPT_TYPE, PROPOSITION_TYPE
from recollect.kernel.schema.definitions import (
    BELONGS,
    CORE_DIRECTIVES,
    CORE_DOMAIN,
    DOMAIN,
    PERSON,
    SELF,
    SYSTEM,
    place_of_concept,
)
from recollect.kernel.store.cells import (
    LONGEST_NAME,
    SqlValue,
    canonical_name,
    fault,
    text,
    unfit,
    whole,
)
from recollect.kernel.store.group import Interning
from recollect.kernel.store.port import Parameters, Session
from recollect.kernel.store.statements.living import (
    DROP_NAME_KEY,
    ID_BY_NAME_KEY,
    KEYED,
    SET_NAME_KEY,
)
from recollect.kernel.vectors.embedder import concept_meaning
from recollect.kernel.write.element import ConceptElement, Directory, Element, LinkElement
from recollect.model import FUNCTIONAL, LIVING, Attributes, Kinds, Meant, normal_text

_DEEPEST = MAX_DEPTH - 1
"""How many levels a value may have: with the object around it, as many as a text may write."""

_PATH_SIGNS = re.compile(r"[{}|]")

_MOST_KEYS, _LONGEST_KEY = 4_096, 64
_known_keys: set[str] = set()
"""Keys that were checked in this process: the words of a schema come again and again."""


def identifier(text: object, what: str, span: Span | None = None) -> str:
    r"""Return a type, name, predicate, id or key as it is stored: non-empty, NFC.

    `what` names it in the error: KIP_2003 when it is not a text the store can hold, KIP_1002
    when it is empty or too long.

    >>> identifier("Cafe\u0301", "name") == "Caf\u00e9"
    True
    """
    if type(text) is str and 0 < len(text) <= LONGEST_NAME and text.isascii() and "\0" not in text:
        return text  # as nearly all are
    if not isinstance(text, str):
        raise INVALID_VALUE.error(f"the {what} is not a string", "write it in quotes", span=span)
    if not text:
        raise INVALID_IDENTIFIER.error(f"the {what} is empty", f"give the {what}", span=span)
    normal = canonical_name(text, span)
    if "\0" in normal:
        raise INVALID_VALUE.error(f"the {what} holds a NUL character", span=span)
    return normal


def plain_predicate(text: object, span: Span | None = None) -> str:
    """Return a predicate that may be written: one without path operators, else KIP_1001."""
    predicate = identifier(text, "predicate", span)
    if _PATH_SIGNS.search(predicate):
        raise INVALID_SYNTAX.error(
            f'the predicate "{predicate}" holds a path operator',
            "write one plain predicate, without { } and |",
            span=span,
        )
    return predicate


def removable_key(key: str, section: str, span: Span | None = None) -> str:
    """Return a key that may be deleted; KIP_2002 for one of metadata that begins with `_`."""
    if section == "metadata" and key.startswith("_"):
        raise CONSTRAINT_VIOLATION.error(
            f'the key "{key}" of metadata begins with _: only the memory itself deletes it',
            f'leave "{key}" out',
            span=span,
        )
    return key


def members(
    values: object, section: str, span: Span | None = None, reserved: Container[str] = ()
) -> Attributes:
    """Return attributes or metadata that may be stored.

    KIP_2003 for values that JSON or 64 bits cannot carry, KIP_4002 for values that nest too deep,
    KIP_2002 for a key that begins with `_` and is not one of the `reserved` ones.
    """
    if type(values) is not dict:  # nearly all are one
        if not isinstance(values, Mapping):
            raise INVALID_VALUE.error(
                f"{section} is not an object", "write { key: value }", span=span
            )
        values = dict(values)
    if not values:
        return values
    for key, value in values.items():
        if type(key) is not str or key not in _known_keys:
            _check_key(key, section, span, reserved)
        if type(value) is str and value.isascii() and "\0" not in value:
            continue  # as nearly all are
        if reason := fault(value, _DEEPEST):
            raise _unfit_value(key, reason, section, span)
    return values


def _check_key(key: object, section: str, span: Span | None, reserved: Container[str]) -> None:
    if not isinstance(key, str) or not key or (key[0] == "_" and key not in reserved):
        raise _unfit_key(key, section, span)
    if reason := fault(key, _DEEPEST):
        raise _unfit_value(key, reason, section, span)
    is_word = type(key) is str and key[0] != "_" and len(key) <= _LONGEST_KEY
    if is_word and len(_known_keys) < _MOST_KEYS:
        _known_keys.add(key)


def _unfit_value(key: str, reason: str, section: str, span: Span | None) -> RecollectError:
    shown = key.encode("utf-8", "replace").decode()
    return unfit(f'the value of "{shown}" in {section}', reason, _DEEPEST, span)


def _unfit_key(key: object, section: str, span: Span | None) -> RecollectError:
    if not isinstance(key, str):
        return INVALID_VALUE.error(f"a key of {section} is not a string", span=span)
    if not key:
        return INVALID_VALUE.error(f"a key of {section} is empty", "give it a name", span=span)
    message = f'the key "{key}" of {section} begins with _, which is reserved'
    return CONSTRAINT_VIOLATION.error(message, f'use "{key.lstrip("_") or "key"}"', span=span)


_FIELDS = frozenset({"id", "type", "name"})


def text_value(node: Text, what: str) -> str:
    """Return the checked text of a node; `what` names it in errors."""
    return identifier(constant(node), what, node.span)


def members_value(node: ValueNode | None, section: str) -> Attributes:
    """Return the checked attributes or metadata of a node; none when it is left out."""
    return {} if node is None else members(constant(node), section, node.span)


def version_value(node: Size | None) -> int | None:
    """Return the version a block expects; None when it expects none."""
    return None if node is None else Bindings({}).whole(node, "EXPECT VERSION")


def concept_meant(pattern: ConceptPattern) -> Meant:
    """Return the parts a pattern gives."""
    if pattern.type is None and pattern.name is None and pattern.id is None:
        raise INVALID_IDENTIFIER.error(
            "the concept has no type, name or id",
            "write {type: ..., name: ...} or {id: ...}",
            span=pattern.span,
        )
    return Meant(
        type=None if pattern.type is None else text_value(pattern.type, "type"),
        name=None if pattern.name is None else text_value(pattern.name, "name"),
        id=None if pattern.id is None else text_value(pattern.id, "id"),
        span=pattern.span,
    )


def hidden_attributes(keys: Iterable[str], span: Span | None) -> Iterator[Notice]:
    """Yield a notice for each attribute of a concept that ATTR does not read: fields hide it."""
    for key in sorted(_FIELDS.intersection(keys)):
        message = f'ATTR(?x, "{key}", ?v) reads the field {key}, not the attribute of that name'
        yield Notice("hidden_attribute", message, f"read it as ?x.attributes.{key}", span)


def constant(node: ValueNode) -> object:
    """Return the value of a node, unchecked."""
    if isinstance(node, Literal):
        return node.value
    raise REFERENCE_ERROR.error(
        "a placeholder has no value", "give a value for it in parameters", span=node.span
    )


_AT_ONCE = 2_000  # concepts read together


def meaning_of(kinds: Kinds, type: str, name: str, attributes: Attributes) -> str | None:
    r"""Return the text that is embedded of a concept, if it says something in words.

    Those that calls write have ids for names; so have those of other types that say something
    elsewhere.

    >>> from recollect.model import Kind, Kinds
    >>> claim = Kind("Claim", call="write_claim", text="text", more="detail")
    >>> kinds = Kinds((claim, Kind("Evidence", call="write_claim")))
    >>> meaning_of(kinds, "Drug", "Aspirin", {}), meaning_of(kinds, "Evidence", "7f0b", {})
    ('Aspirin', None)
    >>> meaning_of(kinds, "Claim", "7f0b", {"text": "payments uses sagas", "detail": "so says Ann"})
    'payments uses sagas\nso says Ann'
    """
    kind = kinds.get(type)
    if kind is None:
        return concept_meaning(name, attributes)
    told = [attributes.get(one) for one in (kind.text, kind.more) if one]
    match [one for one in told if isinstance(one, str) and one.strip()]:
        case [said, *more]:
            return concept_meaning(said, {"summary": "\n".join(more)})
        case _:
            return None if kind.is_owned else concept_meaning(name, attributes)


def name_key(kinds: Kinds, type: str, name: str) -> str | None:
    """Return what a concept's name must not share with another; None where names are free.

    >>> from recollect.model import Kind, Kinds
    >>> kinds = Kinds((Kind("Entity", has_unique_names=True),))
    >>> name_key(kinds, "Entity", "ACME  Corp"), name_key(kinds, "Drug", "Aspirin")
    ('acme corp', None)
    """
    return normal_text(name) if type in kinds.unique else None


def set_name_keys(session: Session, group_id: int) -> None:
    """Give the living concepts of a group their keys, after their rows were written as they are."""
    for rows in _named(session, group_id):
        lacking: list[Parameters] = [
            {"group": group_id, "id": one, "type": type_, "key": key, "living": LIVING}
            for one, type_, key, had, is_living in rows
            if key is not None and had is None and is_living
        ]
        session.execute_many(SET_NAME_KEY, lacking)


def wrong_name_keys(session: Session, group_id: int) -> list[int]:
    """Return the concepts whose key is not that of their name, or that lack one they may have."""
    wrong = []
    for rows in _named(session, group_id):
        for one, type_, key, had, is_living in rows:
            if had is None and is_living:
                asked = {"group": group_id, "type": type_, "key": key, "living": LIVING}
                is_wrong = session.row(ID_BY_NAME_KEY, asked) is None
            else:
                is_wrong = had is not None and had != key
            if is_wrong:
                wrong.append(one)
    return wrong


def mend_name_keys(session: Session, group_id: int) -> None:
    """Put the keys of a group's concepts right."""
    wrong = wrong_name_keys(session, group_id)
    session.execute_many(DROP_NAME_KEY, [{"group": group_id, "id": one} for one in wrong])
    if wrong:
        set_name_keys(session, group_id)


def _named(
    session: Session, group_id: int
) -> Iterator[list[tuple[int, int, str | None, SqlValue, bool]]]:
    """Yield the concepts that have a key or are to have one, some at a time.

    Of each the id, the type, the key it is to have, the one it has, and whether it is living.
    """
    types = orjson.dumps(sorted(session.kinds.unique)).decode()
    asked: dict[str, SqlValue] = {"group": group_id, "types": types, "most": _AT_ONCE, "after": -1}
    while rows := session.rows(KEYED, asked):
        yield [
            (
                whole(one),
                whole(type_),
                normal_text(text(name)) if is_keyed else None,
                had,
                ends == LIVING,
            )
            for one, type_, name, had, ends, is_keyed in rows
        ]
        asked["after"] = rows[-1][0]


def refuse_owned(
    kinds: Kinds, changed: Iterable[Element], terms: Interning, directory: Directory
) -> None:
    """Raise KIP_3004 for the first element that a text changed and only a call may change."""
    for element in changed:
        if isinstance(element, LinkElement):
            predicate = terms.text(element.predicate)
            is_owned = predicate in kinds.own_links
            if is_owned or any(terms.code(type_) is not None for type_ in kinds.link_owners):
                subject = directory.by_id(element.subject)
                _refuse_from(kinds, subject, predicate, terms, "is not written by KML")
        elif isinstance(element, ConceptElement):
            kind = kinds.get(terms.text(element.type))
            if kind is not None and kind.is_owned:
                raise IMMUTABLE_TARGET.error(
                    f'{{type: "{kind.type}", name: "{element.name}"}} is not written by KML',
                    f"call {kind.call}",
                )


def refuse_owned_fact(kinds: Kinds, subject: Element, predicate: str, terms: Interning) -> None:
    """Raise KIP_3004 for a fact that would be a link of a call, in any spelling."""
    _refuse_from(kinds, subject, normal_text(predicate), terms, "is not told as a fact")


def _refuse_from(
    kinds: Kinds, subject: Element | None, predicate: str, terms: Interning, fault: str
) -> None:
    if not isinstance(subject, ConceptElement):
        return
    kind = kinds.get(terms.text(subject.type))
    if kind is not None and kind.owns(predicate):
        raise IMMUTABLE_TARGET.error(
            f'"{predicate}" from {{type: "{kind.type}", name: "{subject.name}"}} {fault}',
            f"call {kind.call}",
        )


_DEFINITIONS = frozenset(
    {
        (CONCEPT_TYPE, CONCEPT_TYPE),
        (CONCEPT_TYPE, PROPOSITION_TYPE),
        (CONCEPT_TYPE, DOMAIN),
        (PROPOSITION_TYPE, BELONGS),
        (DOMAIN, CORE_DOMAIN),
    }
)
"""Concepts whose attributes only an UPSERT changes."""

_ACTORS = frozenset({(PERSON, SELF), (PERSON, SYSTEM)})
"""Concepts that stay what they are called, with their core directives; the rest may change."""

_NAMES = frozenset(name for _, name in _DEFINITIONS | _ACTORS)


def refuse_protected(
    terms: Interning, directory: Directory, changed: Iterable[Element], tree: Script
) -> None:
    """Raise KIP_3004 for the first protected concept that the flushed transaction changed.

    Nothing is protected before the bootstrap is there. `tree` is the text that wrote, to point
    into. Cost: a look-up where something called like a protected concept changed.
    """
    called = [one for one in changed if isinstance(one, ConceptElement) and one.name in _NAMES]
    _refuse_functional(terms, called, tree)
    named = [one for one in called if one.before is not None]
    if not named:
        return
    protected = _coded(terms, _DEFINITIONS | _ACTORS)
    touched = [
        (one, protected[one.type, one.name]) for one in named if (one.type, one.name) in protected
    ]
    root = CONCEPT_TYPE, CONCEPT_TYPE
    is_there = any(key == root for _, key in touched)
    if touched and (is_there or _has_bootstrap(terms, directory)):
        for concept, key in touched:
            _refuse_change(concept, key, place_of_concept(tree, *key))


def _refuse_functional(terms: Interning, called: Iterable[ConceptElement], tree: Script) -> None:
    """Raise KIP_3004 where structure is said to have one object at a time, bootstrap or not."""
    key = PROPOSITION_TYPE, BELONGS
    for one in called:
        is_structure = (terms.text(one.type), one.name) == key and one.is_living
        was = one.before is not None and one.before.content.attributes.get(FUNCTIONAL) is True
        if is_structure and not was and one.content.attributes.get(FUNCTIONAL) is True:
            raise IMMUTABLE_TARGET.error(
                f"{_shown(key)} is structure, which is never functional: it has many objects",
                f"leave {FUNCTIONAL} out, or set it to false",
                span=place_of_concept(tree, *key),
            )


def refuse_merge(
    terms: Interning,
    directory: Directory,
    concepts: Iterable[ConceptElement],
    span: Span | None,
) -> None:
    """Raise KIP_3004 for the first concept that is protected: none is merged, on either side."""
    if not _has_bootstrap(terms, directory):
        return
    for concept in concepts:
        kind = terms.text(concept.type)
        if (kind, concept.name) in _DEFINITIONS | _ACTORS:
            raise IMMUTABLE_TARGET.error(
                f"{_shown((kind, concept.name))} is protected from merging",
                "leave it out of MERGE",
                span=span,
            )


def refuse_update(
    terms: Interning, directory: Directory, elements: Iterable[Element], span: Span | None
) -> None:
    """Raise KIP_3004 for the first definition whose attributes an UPDATE has changed.

    `elements` are those that it changed. Cost: one look-up.
    """
    definitions = _coded(terms, _DEFINITIONS)
    for one in elements:
        if not isinstance(one, ConceptElement) or one.before is None:
            continue
        key = definitions.get((one.type, one.name))
        if key is not None and _has_bootstrap(terms, directory):
            name = _shown(key)
            raise IMMUTABLE_TARGET.error(
                f"{name} is protected: UPDATE does not change its attributes",
                f"use UPSERT {{ CONCEPT @x {{ {name} SET ATTRIBUTES {{ ... }} }} }}",
                span=span,
            )


def _has_bootstrap(terms: Interning, directory: Directory) -> bool:
    code = terms.code(CONCEPT_TYPE)
    return code is not None and directory.concept((code, CONCEPT_TYPE)) is not None


def _coded(
    terms: Interning, keys: Iterable[tuple[str, str]]
) -> dict[tuple[int | None, str], tuple[str, str]]:
    """Return types and names by the code of the type, as elements have it."""
    return {(terms.code(kind), name): (kind, name) for kind, name in keys}


def _shown(key: tuple[str, str]) -> str:
    return f'{{type: "{key[0]}", name: "{key[1]}"}}'


def _refuse_change(concept: ConceptElement, key: tuple[str, str], span: Span | None) -> None:
    assert concept.before is not None and concept.on_disk is not None
    before, after = concept.before.content.attributes, concept.on_disk.content.attributes
    name = _shown(key)
    if not concept.is_living:
        raise IMMUTABLE_TARGET.error(
            f"{name} is protected: it is neither deleted nor merged into another",
            "leave it, and delete what you made yourself",
            span=span,
        )
    if key in _DEFINITIONS and not before.keys() <= after.keys():
        raise IMMUTABLE_TARGET.error(
            f"{name} is protected: its attributes are not deleted",
            "leave them, or set them anew with UPSERT",
            span=span,
        )
    directives = before.get(CORE_DIRECTIVES)
    if key in _ACTORS and CORE_DIRECTIVES in before and after.get(CORE_DIRECTIVES) != directives:
        raise IMMUTABLE_TARGET.error(
            f"the attribute {CORE_DIRECTIVES} of {name} is protected",
            f"leave {CORE_DIRECTIVES} out; its other attributes may change",
            span=span,
        )
