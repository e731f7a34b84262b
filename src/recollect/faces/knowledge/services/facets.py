"""Filters as sets of short words, the same for every client.

The rule: a document has one facet for each thing that a filter may ask of its metadata, and passes
if it has all that are wanted. So every client can filter, by containment alone, before it ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from recollect.errors import RecollectError, refused
from recollect.faces.knowledge.services.json_text import json_text

_BYTES: Final = 12


def facets_of(metadata: Mapping[str, object]) -> frozenset[str]:
    """Return the facets that a document's metadata gives it."""
    found: set[str] = set()
    for key, value in metadata.items():
        if isinstance(value, list):
            found.add(_facet(key, "list", None))
            found.update(_facet(key, "holds", one) for one in value if _is_scalar(one))
        elif _is_scalar(value):
            found.add(_facet(key, "is", value))
    return frozenset(found)


def facets_wanted(filters: Mapping[Any, object] | None) -> frozenset[str]:
    """Return the facets that filters ask for: a scalar is equality, a list containment of all.

    >>> wanted = facets_wanted({"kind": "note", "tags": ["les"]})
    >>> wanted <= facets_of({"kind": "note", "tags": ["rans", "les"], "source": None})
    True
    >>> wanted <= facets_of({"kind": "note"})
    False
    """
    if filters is None:
        return frozenset()
    if not isinstance(filters, Mapping):
        raise _refused("filters is not an object")
    for key, value in filters.items():
        parts = value if isinstance(value, list | tuple) else [value]
        if not isinstance(key, str) or not all(_is_scalar(one) for one in parts):
            raise _refused(f'the filter "{str(key)[:60]}" is neither a scalar nor a list of these')
    return facets_of(
        {key: list(one) if isinstance(one, tuple) else one for key, one in filters.items()}
    )


def _facet(key: str, relation: str, value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1.0 is 1, as everywhere in JSON
    told = json_text([key, relation, value])
    return blake2b(told.encode(), digest_size=_BYTES).hexdigest()


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _refused(message: str) -> RecollectError:
    return refused(message, 'give filters such as {"kind": "note", "tags": ["les"]}')
