"""The deterministic functions that SQL text may call, made known to a connection."""

from __future__ import annotations

from collections.abc import Callable

import apsw

from recollect.kernel.store.cells import public_id, row_digest
from recollect.kernel.store.functions import canonical_json, re2_search
from recollect.kernel.store.port import SqlValue
from recollect.model import normal_text


def register_search(connection: apsw.Connection, check: Callable[[], None]) -> None:
    """Make REGEX ask before each search whether it may go on; `check` raises where it may not."""

    def search(pattern: str | None, text: str | None) -> int:
        check()
        return re2_search(pattern, text)

    made: Callable[..., SqlValue] = search
    connection.create_scalar_function("re2_search", made, 2, deterministic=True)


def _public_id(id_bits: bytes, element: int | None) -> str | None:
    return None if element is None else public_id(id_bits, element)


def register_functions(connection: apsw.Connection) -> None:
    """Make the functions callable from the SQL of one connection."""
    functions: tuple[tuple[str, Callable[..., SqlValue], int], ...] = (
        ("canonical_json", canonical_json, 1),
        ("re2_search", re2_search, 2),
        ("public_id", _public_id, 2),
        ("normal_text", normal_text, 1),
        ("row_digest", row_digest, -1),
    )
    for name, function, arguments in functions:
        connection.create_scalar_function(name, function, arguments, deterministic=True)
