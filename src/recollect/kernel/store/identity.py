"""Public ids: UUIDs computed from a group's constant bits and an element's integer id.

They need no storage and no look-up in either direction. Layout (UUID version 8, RFC 9562):
74 random bits of the group, then the 48-bit integer id, around the version and variant bits.
The integer id is the whole last field, so all ids of a group begin alike.
"""

from __future__ import annotations

import functools

_LENGTH = 36
_ID_DIGITS = 12
_ID_BITS = 4 * _ID_DIGITS
_VARIANT_AND_VERSION = (8 << 76) | (2 << 62)


def public_id(id_bits: bytes, element: int) -> str:
    """Return the public id of an element whose caller gave none.

    >>> public_id(bytes(10), 5)
    '00000000-0000-8000-8000-000000000005'
    """
    return f"{_beginning(id_bits)}{element:012x}"


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
    return element if public_id(id_bits, element) == text else None


@functools.lru_cache(maxsize=1024)
def _beginning(id_bits: bytes) -> str:
    """Lay the group's 74 bits around the version (bits 76-79) and the variant (bits 62-63)."""
    payload = (int.from_bytes(id_bits, "big") & (2**74 - 1)) << _ID_BITS
    low = payload & (2**62 - 1)
    middle = (payload >> 62) & (2**12 - 1)
    high = payload >> 74
    text = f"{high << 80 | middle << 64 | low | _VARIANT_AND_VERSION:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-"
