"""All faults of one document, found before anything is written.

The rule: the first one is raised, with all of them in `details["errors"]`, in the order found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from recollect.errors import Code, RecollectError, Span

_MOST = 100
"""Faults that are told: a text of a model may have one on every line."""


class Faults:
    """The faults of a text."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self.errors: list[RecollectError] = []

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
