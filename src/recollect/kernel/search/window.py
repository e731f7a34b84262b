"""The part of a list that a page shows, and the cursor that leads to the next one.

The rule: the pages of one list share the moment of the first. A page begins after the last row of
the one before, so that a row which stays is shown once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.moment import Moment
from recollect.kernel.read.pages import (
    PagePlace,
    page_moment,
    question_of,
    read_cursor,
    write_cursor,
)
from recollect.kernel.store.group import Group, last_transaction
from recollect.kernel.store.port import Session
from recollect.node import dataclass

ItemT = TypeVar("ItemT")

MOST_LISTED = 1_000
"""Names on one page."""


@dataclass(frozen=True, slots=True)
class PageItems(Generic[ItemT]):
    """The items of one page, and where the next one begins if there are more."""

    items: list[ItemT]
    omitted: int  # items after those of the page
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is asked for, and as of when."""

    moment: Moment
    _pinned: int
    _limit: int
    _question: str
    _position: int  # items before the page
    _after: tuple[int, str] | None  # the last of them; None: count to the position

    def page(
        self, items: Sequence[ItemT], key: Callable[[ItemT], tuple[int, str]]
    ) -> PageItems[ItemT]:
        """Return the part of a list, ordered by a count that falls and a name that rises."""
        left = self._left(items, key)
        shown = left[: self._limit]
        omitted = len(left) - len(shown)
        if not omitted or not shown:
            return PageItems(shown, omitted, None)
        position = self._position + len(shown)
        is_past = self.moment.known is not None
        place = PagePlace(
            self._pinned, self.moment.valid, position, key(shown[-1]), is_past=is_past
        )
        return PageItems(shown, omitted, write_cursor(self._question, place))

    def _left(self, items: Sequence[ItemT], key: Callable[[ItemT], tuple[int, str]]) -> list[ItemT]:
        if self._after is None:
            return list(items[self._position :])
        count, name = self._after
        return [one for one in items if (-key(one)[0], key(one)[1]) > (-count, name)]


def window_of(
    session: Session,
    group: Group,
    bindings: Bindings,
    node: ast.DescribeDomains | ast.DescribeConceptTypes | ast.DescribePropositionTypes,
    asked: Moment,
) -> Window:
    """Return the part of a list that a DESCRIBE asks for; KIP_1001 for a cursor of another."""
    limit = MOST_LISTED if node.limit is None else bindings.whole(node.limit, "LIMIT")
    question = question_of(group, type(node).__name__)
    last = last_transaction(session, group.group_id)
    moment, pinned = asked, last if asked.known is None else asked.known
    position, after = 0, None
    if node.cursor is not None:
        cursor = read_cursor(bindings.page(node.cursor), node.cursor.span)
        place = cursor.place(question)
        moment, pinned = page_moment(session, group, asked, cursor), place.known
        position = place.position
        match place.after:
            case (int() as count, str() as name):
                after = (count, name)
    return Window(moment, pinned, min(limit, MOST_LISTED), question, position, after)
