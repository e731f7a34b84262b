"""UPDATE: sets keys of every element that a WHERE found, each from its own state.

Nothing is created. A key whose computation comes to null is left as it is, element by element.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.kernel.lang.ast import Assignment, Computed, Update
from recollect.kernel.write.arithmetic import Read, check_term, compute
from recollect.kernel.write.element import ConceptElement, Element, canonical
from recollect.kernel.write.literals import constant
from recollect.kernel.write.protection import refuse_update
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.unknown_keys import hidden_attributes, unknown_keys
from recollect.kernel.write.validation import members
from recollect.model import BEGINNING, FOREVER, Attributes, UpdateReport, Value

Assigned = tuple[str, Value | Computed]
"""A key, and what it is set to or computed by."""


def apply_update(unit: Unit, tree: Update, ids: Iterable[int]) -> UpdateReport:
    """Run an UPDATE, its placeholders replaced by literals, on the elements of some ids.

    `valid_from` and `valid_until` move the fact clock, as in an element's own block. KIP_2002
    for a reserved key, KIP_2003 for a number that cannot be stored, KIP_3004 for a protected
    definition. KIP 1.0-RC11, section 4.3.
    """
    attributes = _checked(tree.attributes, "attributes")
    metadata = _checked(tree.metadata, "metadata")
    elements = unit.directory.living(ids)
    unit.notices += unknown_keys(tree, elements)
    if any(isinstance(one, ConceptElement) for one in elements):
        unit.notices += hidden_attributes((key for key, _ in attributes), tree.target.span)
    updated: list[Element] = []
    described: list[Element] = []  # whose attributes have changed
    for element in elements:
        before, read = element.content, _reader(unit, element)
        told = _told(metadata, read)
        unit.put(element, _told(attributes, read), told, told)
        if element.content is not before:
            updated.append(element)
        if canonical(element.content.attributes) != canonical(before.attributes):
            described.append(element)
    refuse_update(unit, described, tree.target.span)
    return UpdateReport(len(updated), len(elements))


def _checked(assignments: Iterable[Assignment], section: str) -> list[Assigned]:
    """Return the keys of a section with what is the same for every element."""
    checked: list[Assigned] = []
    for one in assignments:
        if isinstance(one.value, Computed):
            check_term(one.value)
            members({one.key: None}, section, one.span)
            checked.append((one.key, one.value))
        else:
            value = members({one.key: constant(one.value)}, section, one.span)[one.key]
            checked.append((one.key, value))
    return checked


def _told(assignments: Iterable[Assigned], read: Read) -> Attributes:
    """Return the members that the assignments give one element."""
    told: dict[str, Value] = {}
    for key, value in assignments:
        if not isinstance(value, Computed):
            told[key] = value
        elif (number := compute(value, read)) is not None:
            told[key] = number
    return told


def _reader(unit: Unit, element: Element) -> Read:
    """Return what reads the fields of an element as it stands now."""
    content = element.content

    def read(path: tuple[str, ...]) -> Value:
        match path:
            case ("attributes", key):
                return content.attributes.get(key)
            case ("metadata", "_version"):
                return unit.version(element)
            case ("metadata", "_created_at" | "_updated_at"):
                return ""  # a time, which is not a number
            case ("metadata", "_valid_at"):
                return None if content.valid_at == BEGINNING else ""
            case ("metadata", "_invalid_at"):
                return None if content.invalid_at == FOREVER else ""
            case ("metadata", key):
                return content.metadata.get(key)
            case _:
                return ""  # a text or a whole section, which is not a number either

    return read
