"""EXPECT VERSION: a write goes ahead only on the version that its writer has read.

KIP 1.0-RC11, section 2.11.2.
"""

from __future__ import annotations

from recollect.errors import VERSION_CONFLICT, RecollectError, Span
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.kernel.write.identity import ConceptName
from recollect.kernel.write.unit import Unit


def check_version(
    unit: Unit, element: Element, expected: int | None, span: Span | None = None, *, is_new: bool
) -> None:
    """Raise KIP_3005 for an element whose version is not the expected one, if one is.

    An element that the statement itself makes has version 0 until then.
    """
    if expected is None:
        return
    version = 0 if is_new else unit.version(element)
    if version == expected:
        return
    if version == 0:
        message = f"{_named(unit, element)} is not there, and its version {expected} is expected"
        hint = "look for it again; EXPECT VERSION 0 creates it"
    elif expected == 0:
        message = f"{_named(unit, element)} is there already, at version {version}"
        hint = f"read it, then write EXPECT VERSION {version}"
    else:
        message = f"{_named(unit, element)} is at version {version}, not {expected}"
        hint = f"read it again, then write EXPECT VERSION {version}"
    raise RecollectError(
        VERSION_CONFLICT,
        message,
        hint=hint,
        span=span,
        details={"version": version, "expected": expected},
    )


def _named(unit: Unit, element: Element) -> str:
    if isinstance(element, ConceptElement):
        return str(ConceptName(unit.terms.text(element.type), element.name))
    assert isinstance(element, LinkElement)
    if element.before is None:
        return f'the link "{unit.terms.text(element.predicate)}"'
    return f'(id: "{unit.public_id(element)}")'
