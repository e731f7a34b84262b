"""Lines of a text: what fits stands on one line, what does not opens over several.

Its rule: a sketch says what may open and where it stood in a source; only here is it decided
what does open. KIP has no say in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from recollect.errors import Span
from recollect.kernel.lang.ast import NOWHERE
from recollect.node import dataclass

WIDTH = 88  # characters of a line, its indent included
INDENT = "  "


@dataclass(frozen=True, slots=True)
class LayoutLine:
    """One line: how deep it stands, and the place in the source that its first token had."""

    depth: int
    text: str
    start: int  # 0 where nobody knows
    closes: bool = False  # whether it only closes what an earlier line opened

    def __str__(self) -> str:
        return INDENT * self.depth + self.text


@dataclass(frozen=True, slots=True)
class Opened:
    """The lines of an open sketch: its head, its items one level deeper, its foot."""

    head: str
    items: Iterable[Sketch]
    foot: str
    separator: str = ","  # after each item but the last


@dataclass(frozen=True, slots=True)
class Sketch:
    """A part of a text, on one line; and how it opens, if it can."""

    text: str
    span: Span = NOWHERE
    opened: Callable[[], Opened] | None = None
    is_block: bool = False  # it opens even if it is short


def lay_out(
    sketch: Sketch, depth: int, is_commented: Callable[[Span], bool], after: str = ""
) -> Iterator[LayoutLine]:
    """Yield the lines of a sketch, with `after` at the end of the last one.

    It opens if it is a block, if it is too long for a line, or if a comment stands in its span.
    """
    text = sketch.text + after
    is_short = len(INDENT) * depth + len(text) <= WIDTH
    if sketch.opened is None or (
        is_short and not sketch.is_block and not is_commented(sketch.span)
    ):
        yield LayoutLine(depth, text, sketch.span.start)
        return
    opened = sketch.opened()
    items = list(opened.items)
    yield LayoutLine(depth, opened.head, sketch.span.start)
    for at, item in enumerate(items, 1):
        separator = opened.separator if at < len(items) else ""
        yield from lay_out(item, depth + 1, is_commented, separator)
    if opened.foot:
        yield LayoutLine(depth, opened.foot + after, max(sketch.span.end - 1, 0), closes=True)
