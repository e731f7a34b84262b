"""How new attributes and metadata join those an element has: key by key.

An array or an object is replaced at its key, null is stored, and what changes nothing returns
the very content it was given.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.kernel.write.element import Content, says_same
from recollect.kernel.write.temporal import VALID_FROM, VALID_UNTIL, Clock
from recollect.model import BEGINNING, FOREVER, Attributes, Value


def merge(
    content: Content,
    attributes: Attributes,
    metadata: Attributes,
    clock: Clock | None = None,
) -> Content:
    """Return the content with the given members set, and its fact clock moved to `clock`."""
    old_attributes, old_metadata, valid_at, invalid_at = content
    merged_attributes = _merged(old_attributes, attributes) if attributes else old_attributes
    merged_metadata = _merged(old_metadata, metadata) if metadata else old_metadata
    moved = clock is not None and (clock.valid_at, clock.invalid_at) != (
        valid_at,
        invalid_at,
    )
    if merged_attributes is old_attributes and merged_metadata is old_metadata and not moved:
        return content
    if clock is not None:
        valid_at, invalid_at = clock.valid_at, clock.invalid_at
    return Content(merged_attributes, merged_metadata, valid_at, invalid_at)


def without_keys(
    content: Content, attributes: Iterable[str] = (), metadata: Iterable[str] = ()
) -> Content:
    """Return the content less some keys; a removed bound of the fact clock is open again."""
    removed = frozenset(metadata)
    remaining_attributes = _without(content.attributes, frozenset(attributes))
    remaining_metadata = _without(content.metadata, removed)
    if remaining_attributes is content.attributes and remaining_metadata is content.metadata:
        return content
    return Content(
        remaining_attributes,
        remaining_metadata,
        BEGINNING if VALID_FROM in removed else content.valid_at,
        FOREVER if VALID_UNTIL in removed else content.invalid_at,
    )


def _merged(old: Attributes, new: Attributes) -> Attributes:
    if not old:
        return new
    for key, value in new.items():
        if key not in old or not _is_same(old[key], value):
            return {**old, **new}
    return old


def _without(old: Attributes, removed: frozenset[str]) -> Attributes:
    if removed.isdisjoint(old):
        return old
    return {key: value for key, value in old.items() if key not in removed}


def _is_same(old: Value, new: Value) -> bool:
    """Whether two values are one: `1`, `1.0` and `true` are three, `0.0` and `-0.0` two."""
    if type(old) is not type(new):
        return False
    if isinstance(old, (dict, list, float)):
        return says_same(old, new)
    return old == new
