"""Protected concepts: what a memory's own order stands on is not changed by those who use it.

The rule: they are protected from the moment on that the bootstrap is in the memory, and what
says again what they say already is no change. A purge and a restore are exempt: they are calls
of people, not texts of models. KIP 1.0-RC11, KIP_3004.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import IMMUTABLE_TARGET, RecollectError, Span
from recollect.kernel.lang import ast
from recollect.kernel.schema.names import (
    BELONGS,
    CONCEPT_TYPE,
    CORE_DIRECTIVES,
    CORE_DOMAIN,
    DOMAIN,
    PERSON,
    PROPOSITION_TYPE,
    SELF,
    SYSTEM,
)
from recollect.kernel.schema.places import place_of_concept
from recollect.kernel.write.element import ConceptElement, Element, canonical
from recollect.kernel.write.unit import Unit

_DEFINITIONS = frozenset(
    {
        (CONCEPT_TYPE, CONCEPT_TYPE),
        (CONCEPT_TYPE, PROPOSITION_TYPE),
        (CONCEPT_TYPE, DOMAIN),
        (PROPOSITION_TYPE, BELONGS),
        (DOMAIN, CORE_DOMAIN),
    }
)
"""Concepts all of whose attributes are protected."""

_ACTORS = frozenset({(PERSON, SELF), (PERSON, SYSTEM)})
"""Concepts that stay what they are called, with their core directives; the rest may change."""


def refuse_protected(unit: Unit, changed: Iterable[Element], tree: ast.Script) -> None:
    """Raise KIP_3004 for the first protected concept that the flushed transaction changed.

    Nothing is protected before the bootstrap is there. `tree` is the text that wrote, to point
    into. Cost: one look-up.
    """
    code = unit.terms.code(CONCEPT_TYPE)
    if code is None:
        return
    protected = {
        (unit.terms.code(kind), name): (kind, name) for kind, name in _DEFINITIONS | _ACTORS
    }
    touched = [
        (one, protected[one.type, one.name])
        for one in changed
        if isinstance(one, ConceptElement)
        and one.before is not None
        and (one.type, one.name) in protected
    ]
    root = CONCEPT_TYPE, CONCEPT_TYPE
    is_there = any(key == root for _, key in touched)
    if touched and (is_there or unit.directory.concept((code, CONCEPT_TYPE)) is not None):
        for concept, key in touched:
            _refuse(concept, key, place_of_concept(tree, *key))


def refuse_merge(unit: Unit, concepts: Iterable[ConceptElement], span: Span | None) -> None:
    """Raise KIP_3004 for the first concept that is protected: none is merged, on either side."""
    code = unit.terms.code(CONCEPT_TYPE)
    if code is None or unit.directory.concept((code, CONCEPT_TYPE)) is None:
        return
    for concept in concepts:
        kind = unit.terms.text(concept.type)
        if (kind, concept.name) in _DEFINITIONS | _ACTORS:
            raise RecollectError(
                IMMUTABLE_TARGET,
                f'{{type: "{kind}", name: "{concept.name}"}} is protected from merging',
                hint="leave it out of MERGE",
                span=span,
            )


def _refuse(concept: ConceptElement, key: tuple[str, str], span: Span | None) -> None:
    assert concept.before is not None and concept.on_disk is not None
    before, after = concept.before.content.attributes, concept.on_disk.content.attributes
    name = f'{{type: "{key[0]}", name: "{key[1]}"}}'
    if not concept.is_living:
        raise RecollectError(
            IMMUTABLE_TARGET,
            f"{name} is protected: it is neither deleted nor merged into another",
            hint="leave it, and delete what you made yourself",
            span=span,
        )
    if key in _DEFINITIONS and canonical(after) != canonical(before):
        raise RecollectError(
            IMMUTABLE_TARGET,
            f"the attributes of {name} are protected: the memory's own order stands on them",
            hint="leave it as it is, and define a type, a predicate or a domain of your own",
            span=span,
        )
    directives = before.get(CORE_DIRECTIVES)
    if key in _ACTORS and CORE_DIRECTIVES in before and after.get(CORE_DIRECTIVES) != directives:
        raise RecollectError(
            IMMUTABLE_TARGET,
            f"the attribute {CORE_DIRECTIVES} of {name} is protected",
            hint=f"leave {CORE_DIRECTIVES} out; its other attributes may change",
            span=span,
        )
