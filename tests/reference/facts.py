"""The fact clock of the reference: which texts of time it knows, and how they move an interval."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from tests.reference.graph import Interval

from recollect.model import Value

FROM, UNTIL = "valid_from", "valid_until"


def _instant(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1000  # type: ignore[misc, arg-type]


INSTANTS = {
    "2020": _instant(2020, 1, 1),
    "2021-07": _instant(2021, 7, 1),
    "2022-03-01": _instant(2022, 3, 1),
    "2022-03-01T12:00:00+02:00": _instant(2022, 3, 1, 10),
    "2024": _instant(2024, 1, 1),
}
"""Every text of time that a random fact holds; any other value tells no time."""


def moved(valid: Interval, metadata: Mapping[str, Value]) -> Interval:
    """Return the interval after the metadata was set: null opens a side, no time moves nothing."""
    return _bound(valid[0], metadata, FROM), _bound(valid[1], metadata, UNTIL)


def _bound(known: int | None, metadata: Mapping[str, Value], key: str) -> int | None:
    if key not in metadata:
        return known
    told = metadata[key]
    if told is None:
        return None
    return INSTANTS.get(told, known) if isinstance(told, str) else known


def holds(valid: Interval, at: int) -> bool:
    """Whether a fact of this interval is true at an instant."""
    start, end = valid
    return (start is None or start <= at) and (end is None or at < end)
