"""Numbers, true and false, as what facts are told about.

The rule: a value is a concept that is called by it as JSON writes it, so that equal values are one,
and it holds the value itself, so that a filter compares it.
"""

from __future__ import annotations

import json
from typing import Final

from recollect.model import Concept, Element, PutConcept

NUMBER: Final = "Number"
BOOLEAN: Final = "Boolean"
_VALUE: Final = "value"
_WHOLE: Final = 2**53  # up to here a whole number is the same with and without a point


def put_scalar(value: bool | float, handle: str | None = None) -> PutConcept:
    """Return the change that puts a value.

    >>> put_scalar(42.0) == put_scalar(42), put_scalar(True).name
    (True, 'true')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        value = int(value)
    kind = BOOLEAN if isinstance(value, bool) else NUMBER
    return PutConcept(kind, json.dumps(value), {_VALUE: value}, handle=handle)


def scalar_of(element: Element) -> bool | int | float | None:
    """Return the value that an element is, if it is one."""
    if not isinstance(element, Concept) or element.type not in (NUMBER, BOOLEAN):
        return None
    value = element.attributes.get(_VALUE)
    return value if isinstance(value, (bool, int, float)) else None
