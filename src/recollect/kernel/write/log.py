"""The change log: what it says of each element, and the chain that makes tampering visible.

The digest of a content is that of `store/digests.py`; the digest of a purge is over what
remains: the word and the element's number. A chain hash is SHA-256 over the chain
before it, the group and the transaction's own row, and its changes in element order: to which
element, by which operation, to which digest. All can be computed again from the rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.kernel.store.digests import Identity as Identity
from recollect.kernel.store.digests import canonical
from recollect.kernel.store.digests import content_digest as content_digest
from recollect.model import Instant, Operation

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
