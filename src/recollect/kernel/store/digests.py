"""The digests of what the store holds, and the chain that makes tampering visible.

That of a content is SHA-256 over the element's salt and the canonical JSON of what it is and says;
without the salt, which a purge erases, it tells nothing about them. That of a purge is over what
remains: the word and the element's number. A chain hash is SHA-256 over the chain before it, the
group and the transaction's own row, and its changes in element order: to which element, by which
operation, to which digest. All can be computed again from the rows. The digest of a plain row only
shows damage: whoever changes a row on purpose can change its digest too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.errors import RecollectError
from recollect.kernel.store.cells import members, whole
from recollect.kernel.store.port import SqlValue
from recollect.model import Instant, Operation

Identity = tuple[str | int | None, ...]
"""What names an element for good: its id, its texts or ends, and the id it was given."""


def canonical(value: object) -> bytes:
    """Return the JSON of a value with its keys sorted."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def content_digest(salt: bytes, identity: Identity, content: Sequence[object]) -> bytes:
    """Return the digest of an element as it stands."""
    return hashlib.sha256(salt + canonical([*identity, *content])).digest()


def digest_of_cells(salt: bytes, identity: Identity, cells: Sequence[SqlValue]) -> bytes:
    """Return the digest of a content: attributes, metadata and both bounds as a row has them.

    An empty one when it is not as the writer spells it. Any other spelling may say two things at
    once: readers need not take the same of two keys.
    """
    *spelled, valid_at, invalid_at = cells
    try:
        said, noted = map(members, spelled)
    except RecollectError:
        return b""
    if [orjson.dumps(one).decode() for one in (said, noted)] != spelled:
        return b""
    return content_digest(salt, identity, (said, noted, whole(valid_at), whole(invalid_at)))


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


Logged = tuple[int, str, bytes]
"""An element, what was done to it, and the digest."""


class Record(NamedTuple):
    """What the log says of a transaction as a whole."""

    number: int
    at: Instant
    last_id: int
    actor: str | None
    request_id: str | None


def purge_digest(element: int) -> bytes:
    """Return the digest of an element's erasure, which anyone can compute."""
    return hashlib.sha256(canonical([Operation.PURGE, element])).digest()


def next_chain(chain: bytes, id_bits: bytes, record: Record, changes: Sequence[Logged]) -> bytes:
    """Return the chain hash of the transaction that follows `chain`.

    `id_bits` stand for the group: all its public ids begin with them.
    """
    linked = hashlib.sha256(chain + orjson.dumps([id_bits.hex(), *record, len(changes)]))
    for element, operation, digest in changes:
        linked.update(orjson.dumps([element, operation, digest.hex()]))
    return linked.digest()
