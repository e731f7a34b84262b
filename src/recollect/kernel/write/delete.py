"""Deletes: elements with all that hangs on them, and single keys.

Deleting closes; what was stays readable as of before.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import INVALID_SYNTAX, RecollectError
from recollect.kernel.lang.ast import ConceptPattern, Section, Variable
from recollect.kernel.write.element import ConceptElement, Element
from recollect.kernel.write.identity import matching_concepts
from recollect.kernel.write.literals import concept_name
from recollect.kernel.write.merge import without_keys
from recollect.kernel.write.unit import Unit
from recollect.model import DeleteReport

UPDATED_CONCEPTS = "updated_concepts"
UPDATED_LINKS = "updated_propositions"
DELETED_CONCEPTS = "deleted_concepts"
DELETED_LINKS = "deleted_propositions"


def delete_elements(unit: Unit, ids: Iterable[int]) -> DeleteReport:
    """Close the elements of those integer ids and every link that ends in them, and theirs."""
    closed = unit.close(unit.directory.living(ids))
    return DeleteReport(_counts(DELETED_CONCEPTS, DELETED_LINKS, closed))


def delete_concepts(unit: Unit, ids: Iterable[int], target: Variable) -> DeleteReport:
    """Close concepts and every link that ends in them, and theirs; KIP_1001 for a link."""
    found = unit.directory.living(ids)
    if any(not isinstance(element, ConceptElement) for element in found):
        raise RecollectError(
            INVALID_SYNTAX,
            f"DELETE CONCEPT names ?{target.name}, which stands for links",
            hint=f"use DELETE PROPOSITIONS ?{target.name} WHERE {{ ... }}",
            span=target.span,
        )
    return DeleteReport(_counts(DELETED_CONCEPTS, DELETED_LINKS, unit.close(found)))


def remove_keys(
    unit: Unit, ids: Iterable[int], section: Section, keys: Iterable[str]
) -> DeleteReport:
    """Remove keys from the attributes or the metadata of elements; absent keys are not an error.

    The report counts the elements that had one of them.
    """
    removed = frozenset(keys)
    attributes = removed if section is Section.ATTRIBUTES else frozenset[str]()
    metadata = removed if section is Section.METADATA else frozenset[str]()
    changed = []
    for element in unit.directory.living(ids):
        content = without_keys(element.content, attributes, metadata)
        if content is not element.content:
            unit.set_content(element, content)
            changed.append(element)
    return DeleteReport(_counts(UPDATED_CONCEPTS, UPDATED_LINKS, changed))


def delete_concept(unit: Unit, pattern: ConceptPattern) -> DeleteReport:
    """Close the one concept that matches, and its links; when not exactly one does, nothing."""
    wanted = concept_name(pattern)
    ids = matching_concepts(unit, wanted)
    if len(ids) == 1:
        return delete_elements(unit, ids)
    note = f"{len(ids)} concepts match {wanted}; nothing is deleted"
    return DeleteReport(_counts(DELETED_CONCEPTS, DELETED_LINKS, ()), note)


def _counts(concepts: str, links: str, elements: Iterable[Element]) -> dict[str, int]:
    counts = {concepts: 0, links: 0}
    for element in elements:
        counts[concepts if isinstance(element, ConceptElement) else links] += 1
    return counts
