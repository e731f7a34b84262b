"""Attributes that have the name of a field: stored as they are, and easily mistaken for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.errors import Notice, Span

_FIELDS = frozenset({"id", "type", "name"})


def hidden_attributes(keys: Iterable[str], span: Span | None) -> Iterator[Notice]:
    """Yield a notice for each attribute of a concept that ATTR does not read."""
    for key in sorted(_FIELDS.intersection(keys)):
        yield Notice(
            "hidden_attribute",
            f'ATTR(?x, "{key}", ?v) reads the field {key}, not the attribute of that name',
            hint=f"read it as ?x.attributes.{key}",
            span=span,
        )
