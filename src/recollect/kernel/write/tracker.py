"""What one statement did: elements made, contents changed, in the words of its report."""

from __future__ import annotations

from recollect.kernel.write.element import Content, Element


class Tracker:
    """Remembers each element as a statement first met it; counts what differs at its end."""

    def __init__(self) -> None:
        self._first: dict[Element, Content | None] = {}  # None: the statement made it

    def meet(self, element: Element, is_new: bool) -> None:
        """Note an element before the statement changes it."""
        self._first.setdefault(element, None if is_new else element.content)

    def has_made(self, element: Element) -> bool:
        """Whether the statement made an element that it has met."""
        return self._first[element] is None

    @property
    def created(self) -> int:
        """How many elements the statement made that still live."""
        return sum(first is None and one.is_living for one, first in self._first.items())

    @property
    def updated(self) -> int:
        """How many elements it found and left with another content."""
        return sum(
            first is not None and one.is_living and not first.equals(one.content)
            for one, first in self._first.items()
        )
