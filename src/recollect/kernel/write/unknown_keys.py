"""Warnings about keys of a write that are probably slips, or are read as something else.

The rule: a key that an UPDATE computes from may be missing, and then computes nothing. A warning is
given only if its spelling is close to that of a key in use. An attribute that has the name of a
field is stored as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect.errors import Fix, Notice, Span, is_slip, nearest
from recollect.kernel.lang.ast import Arithmetic, Computed, Field, Term, Update
from recollect.kernel.lang.repair.diagnose import quoted
from recollect.kernel.write.element import Element


def unknown_keys(tree: Update, elements: Sequence[Element]) -> Iterator[Notice]:
    """Yield a warning for each key an UPDATE computes from that none of its elements has."""
    if not elements:
        return
    told: set[tuple[str, ...]] = set()
    for assignment in (*tree.attributes, *tree.metadata):
        if not isinstance(assignment.value, Computed):
            continue
        for field in _needed(assignment.value):
            if len(field.path) == 2 and field.path not in told and field.path[1][0] != "_":
                told.add(field.path)
                yield from _unknown(field, elements)


def _needed(computed: Computed) -> Iterator[Field]:
    """Yield the fields without which a computation comes to null."""
    operands: tuple[Term, ...] = computed.operands
    if computed.function is Arithmetic.COALESCE:
        operands = operands[1:]
    for operand in operands:
        if isinstance(operand, Field):
            yield operand
        elif isinstance(operand, Computed):
            yield from _needed(operand)


def _unknown(field: Field, elements: Sequence[Element]) -> Iterator[Notice]:
    section, key = field.path
    known: dict[str, None] = {}
    for element in elements:
        content = element.content
        members = content.attributes if section == "attributes" else content.metadata
        if key in members:
            return
        known.update(dict.fromkeys(members))
    near = nearest(key, known, limit=1)
    if not is_slip(key, near):
        return
    what = "attribute" if section == "attributes" else "metadata key"
    span = Span(field.span.end - len(key), field.span.end)
    yield Notice(
        "unknown_attribute",
        f"nothing that WHERE finds has the {what} {quoted(key)}",
        hint=f"use {near[0]}",
        span=span,
        known=near,
        fix=Fix(span, near[0]) if near[0].isidentifier() else None,
    )


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
