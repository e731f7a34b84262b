"""A memory, a space or a branch written as Knowing Markup, within a budget.

How it works. A tree of what stands where is read as it is needed, some nodes at a time: of those
that are shown it is counted how many stand below, and no more is read than may be shown. Its parts
are put in one order: the path to the attention node, its fields, the labels of its children, the
siblings of the path, the contents of the children, then everything else breadth-first from it.
What is shown is a beginning of that order, the longest whose text is within the budget, so that a
larger budget shows all of it and more. Each node that has children which are not shown costs the
comment that says how many. The Content after the last part that fits is cut at the end of a line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from recollect.errors import INVALID_ATTENTION, MARKUP_LIMIT, RecollectError
from recollect.faces.markup.answers import Rendered
from recollect.faces.markup.faults import pass_option
from recollect.faces.markup.graph import SPACE, Graph
from recollect.faces.markup.tree import Entry, Tree
from recollect.node import dataclass, field

Counter = Callable[[str], int]


def byte_cost(text: str) -> int:
    """Return what a text costs where no counter is given: a third of its bytes, rounded up.

    >>> byte_cost("Lions")
    2
    """
    return -(-len(text.encode()) // 3)


Part = tuple[Entry, bool]
"""An entry, and whether the part is its Content."""


@dataclass(slots=True)
class Rendering:
    """Writes one view of a moment."""

    graph: Graph
    root: str | None = None
    attention: str | None = None
    budget: int | None = None
    depth: int | None = None  # levels below the root, or below the spaces
    show_deleted: bool = False
    counter: Counter = byte_cost
    _tree: Tree = field(init=False)
    _lines: dict[int, int | None] = field(default_factory=dict)  # of Content, by id() of entries
    _below: dict[int, int] = field(default_factory=dict)  # how many below an entry are shown
    _kept: list[Entry] = field(default_factory=list)  # what has an id()

    def render(self, transaction: int | None) -> Rendered:
        """Return the view; `transaction` is as of which it is."""
        self._tree = Tree(self.graph, self.show_deleted, self.root)
        top = self._top()
        if self.budget is None:
            if self.attention is not None:
                self._way(self.attention)
            self._show_all(top)
        else:
            self._show_within(top, self.budget)
        shown: set[str] = set()
        shortened: set[str] = set()
        omitted = 0
        text = "".join(self._written(top))
        for one in self._kept:
            if id(one) not in self._lines:
                continue
            omitted += (one.total or 0) - self._below.get(id(one), 0)
            if one.concept is not None and one.value is None and not one.is_deleted:
                shown.add(one.id)
                if self._lines[id(one)] is not None and one.content:
                    shortened.add(one.id)
        cost = self.counter(text)
        return Rendered(text, frozenset(shown), frozenset(shortened), omitted, cost, transaction)

    # What there is

    def _top(self) -> Entry:
        """Return the entry above all that is asked for."""
        top = Entry("", None, "", -1, None)
        self._kept.append(top)
        if self.root is None:
            spaces = self.graph.spaces.values()
            self._tree.place(top, [(one, one.id) for one in spaces])
            return top
        held = self.graph.held(self.root)
        if held.type != SPACE:
            self._tree.expect_details([self.root])
        self._tree.place(top, [(held, self._home() or "")])
        return top

    def _home(self) -> str | None:
        """Return the space that the root is shown in; None where all are."""
        if self.root is None or self.root in self.graph.spaces:
            return self.root
        places = self.graph.places(self.root)
        return places[0].space if places else None

    def _way(self, id: str) -> list[str]:
        """Return the ids from below the root, or from a space, to a node."""
        self.graph.held(id)
        if id == self.root:
            return []
        if self.root is None and id in self.graph.spaces:
            return [id]
        home = self._home()
        way = [id]
        while True:
            inside = [one for one in self.graph.places(way[-1]) if home in (None, one.space)]
            place = inside[0] if inside else None
            if place is None or place.parent in way:
                raise _outside(id, self.root)
            home = place.space
            above = home if place.parent is None else place.parent
            if above == self.root:
                return way[::-1]
            if place.parent is None and self.root is not None:
                raise _outside(id, self.root)
            way.append(above)
            if place.parent is None:
                return way[::-1]

    # All of it

    def _show_all(self, top: Entry) -> None:
        """Show everything, after reading it level by level."""
        level = [(one.space, one.id) for one in top.below or ()]
        deep = 0
        while level and (self.depth is None or deep <= self.depth):
            level = self._tree.read(level)
            deep += 1
        waiting = [(top, 0)]
        while waiting:
            one, deep = waiting.pop()
            below = self._tree.open(one)
            is_cut = self.depth is not None and deep > self.depth
            self._lines[id(one)] = None
            self._kept.append(one)
            self._below[id(one)] = 0 if is_cut else len(below)
            if not is_cut:
                waiting += [(lower, deep + 1) for lower in reversed(below)]

    # Within a budget

    def _show_within(self, top: Entry, budget: int) -> None:
        """Show the longest beginning of the order of parts that is within the budget."""
        path = self._path(top)
        needed = len(path) - 1
        costs = _Costs(self._tree, self.counter)
        costs.begin(top)
        taken: list[Part] = []
        best = 0 if needed == 0 and costs.total <= budget else -1
        least = costs.total
        for entry, is_content in self._parts(path):
            if not is_content:
                self._tree.expect(entry)
            taken.append((entry, is_content))
            costs.add(entry, is_content=is_content)
            if len(taken) <= needed:
                least = costs.total
            if len(taken) >= needed:
                if costs.total <= budget:
                    best = len(taken)
                elif costs.parts > budget:
                    break
        if best < 0:
            raise _too_small(budget, least)
        self._take(top, taken[:best])
        if best < len(taken) and taken[best][1]:
            self._cut(taken[best][0], budget)

    def _take(self, top: Entry, parts: list[Part]) -> None:
        self._lines[id(top)] = None
        for entry, is_content in parts:
            if is_content:
                self._lines[id(entry)] = None
                continue
            self._kept.append(entry)
            self._lines[id(entry)] = 0 if entry.content else None
            above = entry.above
            assert above is not None
            self._below[id(above)] = self._below.get(id(above), 0) + 1

    def _cut(self, entry: Entry, budget: int) -> None:
        """Show as many lines of a Content as the budget has room for."""
        if id(entry) not in self._lines:
            return
        text_cost = self.counter("".join(self._written(self._kept[0])))
        low, high = 0, entry.content.count("\n")
        while low < high:
            middle = (low + high + 1) // 2
            if text_cost + self.counter(entry.content_part(middle)) <= budget:
                low = middle
            else:
                high = middle - 1
        self._lines[id(entry)] = low

    def _path(self, top: Entry) -> list[Entry]:
        """Return the entries from the top to the attention node."""
        path = [top]
        if self.root is not None:
            path += self._tree.open(top)
        for id in [] if self.attention is None else self._way(self.attention):
            found = self._tree.below_at(path[-1], id)
            if found is None:
                raise _outside(id, self.root)
            path.append(found)
        return path

    def _parts(self, path: list[Entry]) -> Iterator[Part]:
        """Yield the parts in the order in which they are admitted."""
        attention = path[-1]
        met = {id(one) for one in path}
        said: set[int] = set()
        yield from ((one, False) for one in path[1:])
        if attention.content:
            said.add(id(attention))
            yield attention, True
        for above in [attention, *path[-2::-1]]:
            for one in self._lower(above, path):
                if id(one) not in met:
                    met.add(id(one))
                    yield one, False
        for one in self._lower(attention, path):
            if one.content and id(one) not in said:
                said.add(id(one))
                yield one, True
        queue, reached = deque([attention]), {id(attention)}
        while queue:
            one = queue.popleft()
            if one.content and id(one) not in said:
                said.add(id(one))
                yield one, True
            around: list[Entry] = []
            for lower in self._lower(one, path):
                around.append(lower)
                if id(lower) not in met:
                    met.add(id(lower))
                    yield lower, False
            for other in [*around, one.above] if one.above is not None else around:
                if id(other) not in reached:
                    reached.add(id(other))
                    queue.append(other)

    def _lower(self, entry: Entry, path: list[Entry]) -> Iterator[Entry]:
        """Yield what may be shown below an entry: nothing beyond the depth, but for the path."""
        if self.depth is not None and _depth(entry) >= self.depth:
            yield from (one for one in path if one.above is entry)
            return
        self._tree.expect(entry)
        number = 0
        while number < len(entry.below or ()) or self._tree.grow(entry):
            assert entry.below is not None
            yield entry.below[number]
            number += 1

    # The text

    def _written(self, top: Entry) -> Iterator[str]:
        """Yield the text of what is shown, in the order of the document."""
        waiting: list[Entry | str] = [top]
        while waiting:
            one = waiting.pop()
            if isinstance(one, str):
                yield one
                continue
            lines = self._lines[id(one)]
            yield self._tree.head(one)
            if lines is None or lines > 0:
                yield one.content_part(lines)
            if lines is not None and one.content:
                yield shortened_comment(one)
            below = [*(one.below or ()), *one.ahead.values()]
            left = (one.total or 0) - self._below.get(id(one), 0)
            if left:
                waiting.append(more_comment(one, left))
            waiting += [lower for lower in reversed(below) if id(lower) in self._lines]


@dataclass(slots=True)
class _Costs:
    """What the parts taken so far cost, with the comments for what is left out."""

    tree: Tree
    counter: Counter
    parts: int = 0
    total: int = 0
    _left: dict[int, int] = field(default_factory=dict)  # below an entry, that are not taken

    def begin(self, top: Entry) -> None:
        """Count what is below the top as left out."""
        self._left[id(top)] = top.total or 0
        self.total += self._more(top)

    def add(self, entry: Entry, *, is_content: bool) -> None:
        """Take one more part."""
        if is_content:
            piece = self.counter(entry.content_part())
            self.total -= self.counter(shortened_comment(entry))
        else:
            piece = self.counter(self.tree.head(entry))
            above = entry.above
            assert above is not None
            self.total -= self._more(above)
            self._left[id(above)] -= 1
            self.total += self._more(above)
            self._left[id(entry)] = entry.total or 0
            self.total += self._more(entry)
            if entry.content:
                self.total += self.counter(shortened_comment(entry))
        self.parts += piece
        self.total += piece

    def _more(self, entry: Entry) -> int:
        left = self._left[id(entry)]
        return self.counter(more_comment(entry, left)) if left else 0


def shortened_comment(entry: Entry) -> str:
    """Return the comment of a Content that is not shown whole."""
    return f"{'  ' * (entry.level + 1)}# Content is shortened\n"


def more_comment(entry: Entry, count: int) -> str:
    """Return the comment of what is left out below an entry."""
    what = "space" if entry.concept is None else "node"
    return f"{'  ' * (entry.level + 1)}# {count} more {what}{'s' * (count != 1)}\n"


def _depth(entry: Entry) -> int:
    level, one = 0, entry
    while one.above is not None and one.above.concept is not None:
        level, one = level + 1, one.above
    return level


def _outside(id: str, root: str | None) -> RecollectError:
    where = "any space" if root is None else f'"{root}"'
    return INVALID_ATTENTION.error(
        f'"{id}" does not stand in {where}', "give a node of what is rendered, or no root"
    )


def _too_small(budget: int, least: int) -> RecollectError:
    return MARKUP_LIMIT.error(
        f"a budget of {budget} has no room for the path to the attention node",
        pass_option("budget", least),
        details={"least": least},
    )
