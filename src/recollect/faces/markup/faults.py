"""All faults of one document, found before anything is written.

The rule: the first one is raised, with all of them in `details["errors"]`, in the order found.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final, Unpack

from recollect.errors import UNKNOWN_ID, Code, Fix, Hint, RecollectError, Span, ToDo, Told
from recollect.faces.markup.headers import AN_ID
from recollect.faces.markup.model import Node, Space, sign_of
from recollect.faces.markup.parser import Place, field_places
from recollect.faces.markup.text import Lines, ignore_fault

FRESH: Final = Hint('pass ids="fresh"', ToDo.PASS_OPTION, "ids", "fresh")
SEE_NODES: Final = Hint("see what there is: markup.render()", ToDo.LIST_NODES)
SEE_RUNS: Final = Hint("see markup.runner.list()", ToDo.LIST_RUNS)
SEE_EXCHANGES: Final = Hint("see markup.exchanges.list()", ToDo.LIST_EXCHANGES)

MOST_TOLD: Final = 100
"""Faults that are told: a text of a model may have one on every line."""


def unknown(id: str) -> RecollectError:
    """Return KM_3001 for an id that nothing has."""
    return UNKNOWN_ID.error(f'nothing has the id "{id}"', SEE_NODES)


def pass_option(name: str, value: int) -> Hint:
    """Return the hint to pass another number."""
    return Hint(f"pass {name}={value}", ToDo.PASS_OPTION, name, str(value))


class Faults:
    """The faults of a text."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self.errors: list[RecollectError] = []
        self._fields: dict[Place, Span] | None = None
        self._lines: Lines | None = None
        self._new: dict[str, str] = {}

    def at(self, header: Span | None, field: str) -> Span | None:
        """Return where a field stands in the text, by where its header does."""
        if header is None or not self.source:
            return header
        if self._fields is None:  # read once more, and only where there is a fault
            self._fields = field_places(self.source)
        return self._fields.get((header.start, field), header)

    def id_place(self, header: Span | None) -> Span | None:
        """Return where the id of a header stands as it is written: behind it, or a line below."""
        if header is None or not self.source:
            return None
        found = AN_ID.match(self.source, self.source.find("ID:", header.start) + 3)
        return None if found is None else Span(found.start(1), found.end(1))

    def new_id(self, id: str) -> str:
        """Return the temporary id that an id of the text may become, which the text has not."""
        if self._lines is None:
            self._lines = Lines(self.source, ignore_fault)
        if id not in self._new:
            self._new[id] = self._lines.free_id()
        return self._new[id]

    def edited(self, place: Span | None, said: str, written: str) -> Fix | None:
        """Return the edit that writes a text otherwise, if it stands at a place."""
        at = -1
        if place is not None and said:
            at = self.source.find(said, place.start, place.end)
        return None if at < 0 else Fix(Span(at, at + len(said)), written)

    def marked(self, where: Node | Space, state: str) -> Fix | None:
        """Return the edit that gives a header without a state one."""
        place = None if where.states else self.id_place(where.span)
        return None if place is None else Fix(Span(place.end, place.end), sign_of(state))

    def add(
        self, code: Code, message: str, span: Span | None = None, *, hint: str, **told: Unpack[Told]
    ) -> None:
        """Note a fault, and where it is: nowhere, where there is no text."""
        span = span if self.source else None
        self.errors.append(code.error(message, hint, source=self.source, span=span, **told))

    def raise_first(self) -> None:
        """Raise the first fault, if there is one, with all of them in its details."""
        if not self.errors:
            return
        ordered = sorted(self.errors, key=lambda one: one.span.start if one.span else math.inf)
        first, *_ = ordered
        told = [one.to_wire() for one in ordered[:MOST_TOLD]]
        raise replace(first, details={**first.details, "errors": told})
