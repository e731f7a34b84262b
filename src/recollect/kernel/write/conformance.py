"""Strict groups: what a transaction leaves behind conforms to what the group declares.

The rule: the state at the end counts, so the blocks and statements of one text may complete one
another. Only elements that the transaction wrote are checked; all others may stay as they are. KIP
1.0-RC11, section 2.9.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.errors import CONSTRAINT_VIOLATION, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.read.declared import META_TYPES
from recollect.kernel.schema.definitions import NOUNS, Definition, definitions, given
from recollect.kernel.schema.undeclared import place_of_concept, undeclared
from recollect.kernel.search.known_terms import living_count
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.kernel.write.instances import demands, shortfalls
from recollect.kernel.write.unit import Unit
from recollect.model import ElementKind

CONCEPT, LINK = ElementKind.CONCEPT, ElementKind.LINK


def refuse_nonconforming(unit: Unit, changed: Iterable[Element], tree: ast.Script) -> None:
    """Raise for the first element that the flushed transaction wrote and that does not conform.

    KIP_2001 for an undeclared type or predicate, KIP_2002 for a missing attribute and for a
    definition that goes while it is in use, KIP_2003 for a value of the wrong type. A closed
    element conforms, and so does one whose metadata alone changed. `tree` is the text that wrote,
    to point into. Cost: the definitions.
    """
    declared = {kind: definitions(unit.session, unit.group, kind) for kind in ElementKind}
    written: list[ConceptElement] = []
    for element in changed:
        if not element.is_living:
            _refuse_lost(unit, element, declared, tree)
        elif _says_something_new(element):
            _refuse_undeclared(unit, element, declared)
            if isinstance(element, ConceptElement):
                written.append(element)
    for concept in written:
        _refuse_short(unit, concept, declared[CONCEPT], tree)


def _says_something_new(element: Element) -> bool:
    before = element.before
    return before is None or element.content.attributes is not before.content.attributes


def _refuse_undeclared(
    unit: Unit, element: Element, declared: Mapping[ElementKind, Mapping[str, Definition]]
) -> None:
    if isinstance(element, ConceptElement):
        kind, name = CONCEPT, unit.terms.text(element.type)
    else:
        assert isinstance(element, LinkElement)
        kind, name = LINK, unit.terms.text(element.predicate)
    if name not in declared[kind] and name not in given(unit.session.kinds, kind):
        raise undeclared(unit.session, unit.group, kind, name)


def _refuse_short(
    unit: Unit, concept: ConceptElement, declared: Mapping[str, Definition], tree: ast.Script
) -> None:
    type_ = unit.terms.text(concept.type)
    definition = declared.get(type_)
    if definition is None:
        return
    for one in shortfalls(demands(definition.attributes), concept.content.attributes):
        raise RecollectError(
            one.code,
            f'{{type: "{type_}", name: "{concept.name}"}} {one.message}',
            hint=one.hint,
            span=place_of_concept(tree, type_, concept.name),
            details={"type": type_, "name": concept.name, "attribute": one.attribute},
        )


def _refuse_lost(
    unit: Unit,
    element: Element,
    declared: Mapping[ElementKind, Mapping[str, Definition]],
    tree: ast.Script,
) -> None:
    """Refuse that a definition goes while something alive is of it."""
    if not isinstance(element, ConceptElement):
        return
    type_ = unit.terms.text(element.type)
    for kind, meta in META_TYPES.items():
        code = unit.terms.code(element.name)
        is_needed = type_ == meta and element.name not in given(unit.session.kinds, kind)
        if not is_needed or element.name in declared[kind] or code is None:
            continue
        count = living_count(unit.session, unit.group.group_id, kind, code)
        if count:
            users = f"{count} {kind.value}{'' if count == 1 else 's'}"
            raise RecollectError(
                CONSTRAINT_VIOLATION,
                f'the {NOUNS[kind]} "{element.name}" is in use by {users}',
                hint="delete those first",
                span=place_of_concept(tree, type_, element.name),
            )
