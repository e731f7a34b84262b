"""Cells of store rows as the types their columns are declared with.

The rule: a cell of another type is a broken store, and says so at once.
"""

from __future__ import annotations

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.store.protocol import SqlValue


def whole(cell: SqlValue) -> int:
    """Return a cell that holds a whole number."""
    if not isinstance(cell, int):
        raise RecollectError(STORE_CORRUPT, "a cell that must hold a whole number does not")
    return cell


def real(cell: SqlValue) -> float:
    """Return a cell that holds a number."""
    if not isinstance(cell, (int, float)):
        raise RecollectError(STORE_CORRUPT, "a cell that must hold a number does not")
    return float(cell)


def text(cell: SqlValue) -> str:
    """Return a cell that holds text."""
    if not isinstance(cell, str):
        raise RecollectError(STORE_CORRUPT, "a cell that must hold text does not")
    return cell


def octets(cell: SqlValue) -> bytes:
    """Return a cell that holds bytes."""
    if not isinstance(cell, bytes):
        raise RecollectError(STORE_CORRUPT, "a cell that must hold bytes does not")
    return cell
