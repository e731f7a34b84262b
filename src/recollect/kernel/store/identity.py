"""Public ids: UUIDs computed from a group's constant bits and an element's integer id.

They need no storage and no look-up in either direction. Layout (UUID version 8, RFC 9562):
74 random bits of the group, then 48 bits for the integer id, around the version and variant bits.
The latter are the whole last field, so all ids of a group begin alike.

The rule: integer ids are given out to all groups by one counter, so an id does not show its own.
The last field is the integer permuted under a key of the group, by a Feistel network of
three rounds over its two halves. Groups made before there were keys show the integer as it is.
"""

from __future__ import annotations

import functools
import hashlib

_LENGTH = 36
_ID_DIGITS = 12
_ID_BITS = 4 * _ID_DIGITS
_HALF = _ID_BITS // 2
_LOW = (1 << _HALF) - 1
_TABLES = 9  # one for each byte of a half, in each round

BITS_BYTES = 10
"""Of a group's constant bits; 74 bits are used."""

KEY_BYTES = 16
"""Of its key, which follows them."""

_VARIANT_AND_VERSION = (8 << 76) | (2 << 62)


def has_key(id_bits: bytes) -> bool:
    """Whether the ids of a group are permuted."""
    return len(id_bits) > BITS_BYTES


def public_id(id_bits: bytes, element: int) -> str:
    """Return the public id of an element whose caller gave none.

    >>> public_id(bytes(10), 5)
    '00000000-0000-8000-8000-000000000005'
    >>> public_id(bytes(26), 5), public_id(bytes(26), 6)
    ('00000000-0000-8000-8000-d550c15373d3', '00000000-0000-8000-8000-9f9f83397117')
    """
    shown = permuted(id_bits, element) if has_key(id_bits) else element
    return f"{_beginning(id_bits)}{shown:012x}"


def permuted(id_bits: bytes, number: int) -> int:
    """Return the number that stands for another of 48 bits in a group with a key."""
    a, b, c, d, e, f, g, h, k = _tables(id_bits)
    left, right = number >> _HALF, number & _LOW
    left ^= a[right & 255] ^ b[right >> 8 & 255] ^ c[right >> 16]
    right ^= d[left & 255] ^ e[left >> 8 & 255] ^ f[left >> 16]
    left ^= g[right & 255] ^ h[right >> 8 & 255] ^ k[right >> 16]
    return left << _HALF | right


def restored(id_bits: bytes, shown: int) -> int:
    """Return the number that `permuted` was given.

    >>> restored(bytes(26), permuted(bytes(26), 12_345))
    12345
    """
    a, b, c, d, e, f, g, h, k = _tables(id_bits)
    left, right = shown >> _HALF, shown & _LOW
    left ^= g[right & 255] ^ h[right >> 8 & 255] ^ k[right >> 16]
    right ^= d[left & 255] ^ e[left >> 8 & 255] ^ f[left >> 16]
    left ^= a[right & 255] ^ b[right >> 8 & 255] ^ c[right >> 16]
    return left << _HALF | right


def element_id(id_bits: bytes, text: str) -> int | None:
    """Return the integer id behind a computed public id of this group, else None.

    >>> element_id(bytes(10), '00000000-0000-8000-8000-000000000005')
    5
    >>> element_id(bytes(10), 'snomedct_25064002') is None
    True
    """
    if len(text) != _LENGTH or not text.startswith(_beginning(id_bits)):
        return None
    try:
        element = int(text[-_ID_DIGITS:], 16)
    except ValueError:
        return None
    if f"{element:012x}" != text[-_ID_DIGITS:]:
        return None
    return restored(id_bits, element) if has_key(id_bits) else element


@functools.lru_cache(maxsize=256)
def drawn_id(id_bits: bytes) -> bytes:
    """Return what an engine needs to compute the ids of a group by itself.

    The first 24 characters; then, if the group has a key, three tables for each round, in each 256
    halves of three bytes.

    >>> drawn_id(bytes(10))
    b'00000000-0000-8000-8000-'
    """
    return _beginning(id_bits).encode() + (_drawn(id_bits) if has_key(id_bits) else b"")


def _drawn(id_bits: bytes) -> bytes:
    return hashlib.shake_256(id_bits[BITS_BYTES:]).digest(_TABLES * 256 * 3)


@functools.lru_cache(maxsize=256)
def _tables(id_bits: bytes) -> tuple[tuple[int, ...], ...]:
    """Return what the rounds look up, drawn from the key of a group: three tables for each."""
    drawn = _drawn(id_bits)
    halves = [int.from_bytes(drawn[at : at + 3], "big") for at in range(0, len(drawn), 3)]
    return tuple(tuple(halves[at : at + 256]) for at in range(0, len(halves), 256))


@functools.lru_cache(maxsize=1024)
def _beginning(id_bits: bytes) -> str:
    """Lay the group's 74 bits around the version (bits 76-79) and the variant (bits 62-63)."""
    payload = (int.from_bytes(id_bits[:BITS_BYTES], "big") & (2**74 - 1)) << _ID_BITS
    low = payload & (2**62 - 1)
    middle = (payload >> 62) & (2**12 - 1)
    high = payload >> 74
    text = f"{high << 80 | middle << 64 | low | _VARIANT_AND_VERSION:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-"
