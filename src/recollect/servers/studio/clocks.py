"""The picture of an element's two clocks, drawn on the server.

The rule: fact time runs across and system time down. A rectangle is one version: what was believed,
from when to when it was believed, about which time. Bounds that nobody gave reach the edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from recollect.model import Content, Instant, Life, Version, bound_text
from recollect.node import dataclass

WIDTH: Final = 900
_LEFT: Final = 130
_TOP: Final = 34
_RIGHT: Final = 24
_ROW: Final = 46  # pixels of one step of system time
_MOST_ROWS: Final = 24
_MONTH: Final = 30 * 86_400_000


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Block:
    """One version on the picture."""

    x: float
    y: float
    width: float
    height: float
    is_now: bool
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """All that the template draws."""

    width: int
    height: float
    left: float
    top: float
    right: float
    bottom: float
    across: tuple[Tick, ...]
    down: tuple[Tick, ...]
    blocks: tuple[Block, ...]
    omitted: int  # older versions that are not drawn


def picture_of(lives: Sequence[Life], now: Instant) -> Picture:
    """Return the picture of the lives of an element, the last versions where there are many."""
    held = [one for life in lives for one in life.versions if one.after is not None]
    drawn = held[-_MOST_ROWS:]
    start, end = _span(drawn, now)

    def across(bound: Instant | None, otherwise: float) -> float:
        if bound is None:
            return otherwise
        share = (bound - start) / (end - start)
        return _LEFT + min(1.0, max(0.0, share)) * (WIDTH - _RIGHT - _LEFT)

    steps = sorted({_since(one) for one in drawn} | {_until(one, now) for one in drawn})
    heights = {at: _TOP + place * _ROW for place, at in enumerate(steps)}
    blocks = []
    for one in drawn:
        content = one.after
        assert content is not None
        left = across(content.valid_at, _LEFT)
        right = across(content.invalid_at, WIDTH - _RIGHT)
        top, bottom = heights[_since(one)], heights[_until(one, now)]
        blocks.append(
            Block(
                left,
                top,
                max(4.0, right - left),
                max(4.0, bottom - top),
                one.until is None,
                f"v{one.number}",
                _title(one, content),
            )
        )
    bottom = max(heights.values(), default=_TOP) + 4
    return Picture(
        WIDTH,
        bottom + 12,
        _LEFT,
        _TOP,
        WIDTH - _RIGHT,
        bottom,
        tuple(Tick(across(at, _LEFT), _day(at)) for at in _marks(drawn, start, end)),
        tuple(Tick(y, "now" if at >= now else _minute(at)) for at, y in heights.items()),
        tuple(blocks),
        len(held) - len(drawn),
    )


def _span(versions: Iterable[Version], now: Instant) -> tuple[Instant, Instant]:
    """Return the fact time that is drawn: all bounds that were given, and now, with room."""
    bounds = [*_bounds(versions), now]
    room = max(_MONTH, (max(bounds) - min(bounds)) // 8)
    return Instant(min(bounds) - room), Instant(max(bounds) + room)


def _bounds(versions: Iterable[Version]) -> list[Instant]:
    return [
        bound
        for one in versions
        if one.after is not None
        for bound in (one.after.valid_at, one.after.invalid_at)
        if bound is not None and bound_text(bound) is not None
    ]


def _marks(versions: Iterable[Version], start: Instant, end: Instant) -> list[Instant]:
    """Return the instants of fact time that get a label: few, and not too near."""
    found = sorted(set(_bounds(versions))) or [
        Instant(start + (end - start) // 4),
        Instant(start + 3 * (end - start) // 4),
    ]
    kept: list[Instant] = []
    for one in found:
        if not kept or one - kept[-1] > (end - start) // 9:
            kept.append(one)
    return kept


def _since(version: Version) -> Instant:
    return version.since.at


def _until(version: Version, now: Instant) -> Instant:
    return now if version.until is None else version.until.at


def _title(version: Version, content: Content) -> str:
    since = _day(content.valid_at) if content.valid_at is not None else "ever"
    until = _day(content.invalid_at) if content.invalid_at is not None else "further notice"
    believed = _minute(version.since.at)
    ended = "now" if version.until is None else _minute(version.until.at)
    return (
        f"Version {version.number}: believed from {believed} until {ended},"
        f" about the time from {since} until {until}"
    )


def _day(instant: Instant | None) -> str:
    return (bound_text(instant) or "")[:10]


def _minute(instant: Instant) -> str:
    return (bound_text(instant) or "")[:16].replace("T", " ")
