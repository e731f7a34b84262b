"""The elements that earlier pages have shown, packed into the bytes of a cursor.

The rule: a page never shows what is packed in its cursor, so none is shown twice, however the
ranks have moved since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

_LOW = 0x7F
_MORE = 0x80


def packed(ids: Collection[int]) -> bytes:
    """Return ids as their differences, seven bits a byte.

    >>> unpacked(packed({6, 700, 2})) == {2, 6, 700}
    True
    """
    octets, last = bytearray(), 0
    for one in sorted(ids):
        step, last = one - last, one
        while step > _LOW:
            octets.append(step & _LOW | _MORE)
            step >>= 7
        octets.append(step)
    return bytes(octets)


def unpacked(octets: bytes) -> frozenset[int]:
    """Return the ids that were packed; of other bytes, some numbers."""
    return frozenset(_ids(octets))


def _ids(octets: bytes) -> Iterator[int]:
    last = step = shift = 0
    for octet in octets:
        step |= (octet & _LOW) << shift
        shift += 7
        if not octet & _MORE:
            last += step
            yield last
            step = shift = 0
