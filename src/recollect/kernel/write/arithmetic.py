"""The numbers that UPDATE computes: each from the element's own state, or none.

Integers stay integers. Null, or anything but a number, makes a computation null; COALESCE can
replace a null only. KIP 1.0-RC11, section 4.3, "Update Expressions".
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import assert_never

from recollect.errors import INVALID_VALUE, RecollectError
from recollect.kernel.lang.ast import (
    Arithmetic,
    Computed,
    Field,
    Literal,
    Parameter,
    Term,
)
from recollect.model import Value

Number = int | float
Read = Callable[[tuple[str, ...]], Value]
"""Reads a field of one element by its path."""

_INTEGERS = range(-(2**63), 2**63)


def check_term(node: Term) -> None:
    """Refuse a written operand, or the value of a placeholder, that is not a number: KIP_2003."""
    match node:
        case Computed():
            for operand in node.operands:
                check_term(operand)
        case Literal(value=value) if value is not None and _number(value) is None:
            raise RecollectError(
                INVALID_VALUE,
                "an operand is neither a number nor a field",
                hint="give a number",
                span=node.span,
            )


def compute(node: Term, read: Read) -> Number | None:
    """Return the number that a term gives for one element; None if it gives none.

    KIP_2003 for what 64 bits or a finite number cannot hold, and for bounds of CLAMP that
    leave nothing between them.
    """
    match node:
        case Literal():
            return _number(node.value)
        case Field():
            return _number(read(node.path))
        case Computed(function=Arithmetic.COALESCE):
            return _coalesced(node, read)
        case Computed():
            numbers = [compute(one, read) for one in node.operands]
            known = [number for number in numbers if number is not None]
            return _computed(node, known) if len(known) == len(numbers) else None
        case Parameter():
            raise AssertionError("placeholders were replaced by literals")
        case _:
            assert_never(node)


def _coalesced(node: Computed, read: Read) -> Number | None:
    first, default = node.operands
    if isinstance(first, Field) and read(first.path) is not None:
        return compute(first, read)  # COALESCE does not replace a value that is not a number
    found = compute(first, read)
    return compute(default, read) if found is None else found


def _computed(node: Computed, numbers: list[Number]) -> Number:
    match node.function:
        case Arithmetic.ADD:
            return _kept(numbers[0] + numbers[1], node)
        case Arithmetic.MUL:
            return _kept(numbers[0] * numbers[1], node)
        case Arithmetic.CLAMP:
            return _clamped(*numbers, node=node)
        case Arithmetic.COALESCE:
            raise AssertionError("it takes null too")
        case _:
            assert_never(node.function)


def _kept(number: Number, node: Computed) -> Number:
    if number in _INTEGERS if isinstance(number, int) else isfinite(number):
        return number
    raise RecollectError(
        INVALID_VALUE,
        f"{node.function} gives a number beyond 64 bits",
        hint="use CLAMP on its operands",
        span=node.span,
    )


def _clamped(number: Number, low: Number, high: Number, *, node: Computed) -> Number:
    if low > high:
        raise RecollectError(
            INVALID_VALUE,
            f"the bounds of CLAMP are the wrong way round: {low} is above {high}",
            hint="write CLAMP(x, low, high)",
            span=node.span,
        )
    return min(max(number, low), high)


def _number(value: object) -> Number | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value
