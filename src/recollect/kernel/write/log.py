"""The change log: what it says of each element, and the chain that makes tampering visible.

A digest is SHA-256 over the element's salt and the canonical JSON of its identity and content;
without the salt, which a purge erases, it tells nothing about them. The digest of a purge is
over what remains: the word and the element's number. A chain hash is SHA-256 over the chain
before it, the group and the transaction's own row, and its changes in element order: to which
element, by which operation, to which digest. All can be computed again from the rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.kernel.write.element import Content, canonical
from recollect.model import Instant, Operation

Logged = tuple[int, str, bytes]
"""An element, what was done to it, and the digest."""

Identity = tuple[str | int | None, ...]
"""What names an element for good: its id, its texts or ends, and the id it was given."""


class Record(NamedTuple):
    """What the log says of a transaction as a whole."""

    number: int
    at: Instant
    last_id: int
    actor: str | None
    request_id: str | None


def content_digest(salt: bytes, identity: Identity, content: Content) -> bytes:
    """Return the digest of an element as it stands."""
    return hashlib.sha256(salt + canonical([*identity, *content])).digest()


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
