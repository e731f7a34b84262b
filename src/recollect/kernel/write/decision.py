"""Changes that depend on what the memory holds, looked up and decided inside the write.

The rule: what a decision sees was read in the transaction that its changes are part of, so nobody
writes in between, and what was read is not read again to be written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from recollect.kernel.plan.names import canonical_name
from recollect.kernel.write import element as held
from recollect.kernel.write.unit import Unit
from recollect.model import Change, Concept, Decision, Element, Link, Present


def known_changes(written: object) -> Sequence[Change] | None:
    """Return the changes that are known before they are written; None for a text."""
    if isinstance(written, Decision):
        return ()
    is_batch = isinstance(written, Sequence) and not isinstance(written, str | bytes | bytearray)
    return cast("Sequence[Change]", written) if is_batch else None


def decided(unit: Unit, changes: Sequence[Change] | Decision) -> Sequence[Change]:
    """Return the changes of a batch, or those that a decision makes of what is there."""
    if not isinstance(changes, Decision):
        return changes
    # They are gone through more than once, which an iterator does not survive.
    group = unit.group.group_id, unit.group.id_bits  # the one may be undone, the other restored
    return tuple(changes.decide(Present(unit.at, _living(unit, changes.ids), group)))


def _living(unit: Unit, ids: Collection[str]) -> dict[str, Element]:
    """Return the living elements by the ids asked for, as they stand; the others are left out."""
    normal = {one: canonical_name(one) for one in ids if one}
    unit.directory.expect_public_ids(normal.values())
    found = {one: unit.directory.by_public_id(name) for one, name in normal.items()}
    return {one: _shown(unit, element) for one, element in found.items() if element is not None}


def _shown(unit: Unit, element: held.Element) -> Element:
    content, id_ = element.content, unit.public_id(element)
    if isinstance(element, held.ConceptElement):
        type_ = unit.terms.text(element.type)
        return Concept(id_, type_, element.name, content.attributes, content.metadata)
    assert isinstance(element, held.LinkElement)
    subject, target = (_id_of(unit, end) for end in (element.subject, element.object))
    predicate = unit.terms.text(element.predicate)
    return Link(id_, subject, predicate, target, content.attributes, content.metadata)


def _id_of(unit: Unit, end: int) -> str:
    element = unit.directory.by_id(end)
    assert element is not None  # what ends in a closed element is closed with it
    return unit.public_id(element)
