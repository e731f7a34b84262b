"""The digest of a row that nothing else can be compared with: damage to it is seen, no more.

Whoever changes a row on purpose can change its digest too; the log of contents is what shows that.
"""

from __future__ import annotations

import hashlib

_BYTES = 8


def row_digest(*cells: int | float | str | bytes | None) -> int:
    """Return a number of 64 bits that another row is most unlikely to have.

    >>> row_digest(1, "a", b"b") == row_digest(1, "ab", b"")
    False
    """
    hashed = hashlib.sha256()
    for cell in cells:
        held = cell if isinstance(cell, bytes) else repr(cell).encode()
        hashed.update(b"%d:%b" % (len(held), held))
    return int.from_bytes(hashed.digest()[:_BYTES], "big", signed=True)
