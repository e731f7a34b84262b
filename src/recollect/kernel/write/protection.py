"""Protected concepts: those that a memory's own order is built on, which texts must not change.

The rule: they are protected as soon as the bootstrap is in the memory; writing what they already
say is not a change. A definition may evolve, but only by UPSERT, which names it: no UPDATE sweeps
over it, and no key of it is lost. A purge and a restore are exempt: they are calls of people, not
texts of models. KIP 1.0-RC11, KIP_3004.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import IMMUTABLE_TARGET, Span
from recollect.kernel.lang import ast
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
from recollect.kernel.write.element import ConceptElement, Element
from recollect.kernel.write.unit import Unit
from recollect.model import FUNCTIONAL

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


def refuse_protected(unit: Unit, changed: Iterable[Element], tree: ast.Script) -> None:
    """Raise KIP_3004 for the first protected concept that the flushed transaction changed.

    Nothing is protected before the bootstrap is there. `tree` is the text that wrote, to point
    into. Cost: a look-up where something called like a protected concept changed.
    """
    called = [one for one in changed if isinstance(one, ConceptElement) and one.name in _NAMES]
    _refuse_functional(unit, called, tree)
    named = [one for one in called if one.before is not None]
    if not named:
        return
    protected = _coded(unit, _DEFINITIONS | _ACTORS)
    touched = [
        (one, protected[one.type, one.name]) for one in named if (one.type, one.name) in protected
    ]
    root = CONCEPT_TYPE, CONCEPT_TYPE
    is_there = any(key == root for _, key in touched)
    if touched and (is_there or _has_bootstrap(unit)):
        for concept, key in touched:
            _refuse(concept, key, place_of_concept(tree, *key))


def _refuse_functional(unit: Unit, called: Iterable[ConceptElement], tree: ast.Script) -> None:
    """Raise KIP_3004 where structure is said to have one object at a time, bootstrap or not."""
    key = PROPOSITION_TYPE, BELONGS
    for one in called:
        is_structure = (unit.terms.text(one.type), one.name) == key and one.is_living
        was = one.before is not None and one.before.content.attributes.get(FUNCTIONAL) is True
        if is_structure and not was and one.content.attributes.get(FUNCTIONAL) is True:
            raise IMMUTABLE_TARGET.error(
                f"{_shown(key)} is structure, which is never functional: it has many objects",
                f"leave {FUNCTIONAL} out, or set it to false",
                span=place_of_concept(tree, *key),
            )


def refuse_merge(unit: Unit, concepts: Iterable[ConceptElement], span: Span | None) -> None:
    """Raise KIP_3004 for the first concept that is protected: none is merged, on either side."""
    if not _has_bootstrap(unit):
        return
    for concept in concepts:
        kind = unit.terms.text(concept.type)
        if (kind, concept.name) in _DEFINITIONS | _ACTORS:
            raise IMMUTABLE_TARGET.error(
                f"{_shown((kind, concept.name))} is protected from merging",
                "leave it out of MERGE",
                span=span,
            )


def refuse_update(unit: Unit, elements: Iterable[Element], span: Span | None) -> None:
    """Raise KIP_3004 for the first definition whose attributes an UPDATE has changed.

    `elements` are those that it changed. Cost: one look-up.
    """
    definitions = _coded(unit, _DEFINITIONS)
    for one in elements:
        if not isinstance(one, ConceptElement) or one.before is None:
            continue
        key = definitions.get((one.type, one.name))
        if key is not None and _has_bootstrap(unit):
            name = _shown(key)
            raise IMMUTABLE_TARGET.error(
                f"{name} is protected: UPDATE does not change its attributes",
                f"use UPSERT {{ CONCEPT @x {{ {name} SET ATTRIBUTES {{ ... }} }} }}",
                span=span,
            )


def _has_bootstrap(unit: Unit) -> bool:
    code = unit.terms.code(CONCEPT_TYPE)
    return code is not None and unit.directory.concept((code, CONCEPT_TYPE)) is not None


def _coded(
    unit: Unit, keys: Iterable[tuple[str, str]]
) -> dict[tuple[int | None, str], tuple[str, str]]:
    """Return types and names by the code of the type, as elements have it."""
    return {(unit.terms.code(kind), name): (kind, name) for kind, name in keys}


def _shown(key: tuple[str, str]) -> str:
    return f'{{type: "{key[0]}", name: "{key[1]}"}}'


def _refuse(concept: ConceptElement, key: tuple[str, str], span: Span | None) -> None:
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
