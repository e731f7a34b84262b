"""All faults of one document, found before anything is written.

The rule: the first one is raised, with all of them in `details["errors"]`, in the order found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from recollect.errors import UNKNOWN_ID, Code, Hint, RecollectError, Span, ToDo
from recollect.faces.markup.parser import Place, field_places

FRESH: Final = Hint('pass ids="fresh"', ToDo.PASS_OPTION, "ids", "fresh")
SEE_NODES: Final = Hint("see what there is: markup.render()", ToDo.LIST_NODES)
SEE_RUNS: Final = Hint("see markup.runner.list()", ToDo.LIST_RUNS)
SEE_EXCHANGES: Final = Hint("see markup.exchanges.list()", ToDo.LIST_EXCHANGES)

_MOST = 100
"""Faults that are told: a text of a model may have one on every line."""


def unknown(id: str) -> RecollectError:
    """Return KM_3001 for an id that nothing has."""
    return RecollectError(UNKNOWN_ID, f'nothing has the id "{id}"', hint=SEE_NODES)


def pass_option(name: str, value: int) -> Hint:
    """Return the hint to pass another number."""
    return Hint(f"pass {name}={value}", ToDo.PASS_OPTION, name, str(value))


class Faults:
    """The faults of a text."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self.errors: list[RecollectError] = []
        self._fields: dict[Place, Span] | None = None

    def at(self, header: Span | None, field: str) -> Span | None:
        """Return where a field stands in the text, by where its header does."""
        if header is None or not self.source:
            return header
        if self._fields is None:  # read once more, and only where there is a fault
            self._fields = field_places(self.source)
        return self._fields.get((header.start, field), header)

    def add(
        self,
        code: Code,
        message: str,
        span: Span | None = None,
        *,
        hint: str = "",
        known: tuple[str, ...] = (),
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Note a fault, and where it is."""
        error = RecollectError(code, message, hint, self.source, span, known, details=details or {})
        self.errors.append(error)

    def raise_first(self) -> None:
        """Raise the first fault, if there is one, with all of them in its details."""
        if not self.errors:
            return
        ordered = sorted(self.errors, key=lambda one: one.span.start if one.span else 0)
        first, *_ = ordered
        told = [one.to_wire() for one in ordered[:_MOST]]
        raise replace(first, details={**first.details, "errors": told})
