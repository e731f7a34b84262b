"""What stands in the cells of a store: names and values, their types, ids of elements, and digests.

The rules: a cell of another type than its column is declared with means that the store is broken,
and raises at once. What passes is JSON that every store can hold, whatever is done with it. What is
equal to the eye is one name. To normalise takes the square of the longest run of combining
characters, so a name with a long run is refused, and a text that is only searched is cut; no
language needs more than the 30 that Unicode's Stream-Safe Text Format allows.

Public ids are UUIDs computed from a group's constant bits and an element's integer id: they need no
storage and no look-up in either direction. Layout (UUID version 8, RFC 9562): 74 random bits of the
group, then 48 bits for the integer id, around the version and variant bits. The latter are the
whole last field, so all ids of a group begin alike. Integer ids are given out to all groups by one
counter, so an id does not show its own: the last field is the integer permuted under a key of the
group, by a Feistel network of three rounds over its two halves. Groups made before there were keys
show the integer as it is.

The digest of a content is SHA-256 over the element's salt and the canonical JSON of what it is and
says; without the salt, which a purge erases, it tells nothing about them. That of a purge is over
what remains: the word and the element's number. A chain hash is SHA-256 over the chain before it,
the group and the transaction's own row, and its changes in element order: to which element, by
which operation, to which digest. All can be computed again from the rows. The digest of a plain row
only shows damage: whoever changes a row on purpose can change its digest too. Some of the elements
that are read are compared with theirs. All threads of a store count together; what a count lets
pass twice, or not at all, as two threads change it at once, does not matter.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import NamedTuple, cast
from unicodedata import combining, is_normalized, normalize

import orjson

from recollect.errors import (
    INVALID_IDENTIFIER,
    INVALID_VALUE,
    RESOURCE_EXHAUSTED,
    STORE_CORRUPT,
    RecollectError,
    Span,
)
from recollect.kernel.store.faults import is_for_memory, out_of_memory
from recollect.model import Attributes, Instant, Operation, Value

SqlValue = None | int | float | str | bytes


def _unlike(what: str) -> RecollectError:
    message = f"a cell that must hold {what} does not"
    return STORE_CORRUPT.error(message, "run recollect doctor")


def whole(cell: SqlValue) -> int:
    """Return a cell that holds a whole number."""
    if not isinstance(cell, int):
        raise _unlike("a whole number")
    return cell


def real(cell: SqlValue) -> float:
    """Return a cell that holds a number."""
    if not isinstance(cell, (int, float)):
        raise _unlike("a number")
    return float(cell)


def text(cell: SqlValue) -> str:
    """Return a cell that holds text."""
    if not isinstance(cell, str):
        raise _unlike("text")
    return cell


def json_value(cell: SqlValue) -> Value:
    """Return the value that a cell holds as JSON."""
    try:
        return cast(Value, orjson.loads(text(cell)))
    except orjson.JSONDecodeError as error:
        raise (out_of_memory() if is_for_memory(error) else _unlike("JSON")) from error


def members(cell: SqlValue) -> Attributes:
    """Return the attributes or metadata that a cell holds."""
    if cell == "{}":  # most metadata says nothing
        return {}
    held = json_value(cell)
    if not isinstance(held, dict):
        raise _unlike("a JSON object")
    return held


def octets(cell: SqlValue) -> bytes:
    """Return a cell that holds bytes."""
    if not isinstance(cell, bytes):
        raise _unlike("bytes")
    return cell


EVERY_GROUP = -1
"""Below the number of any group, and of one that is not there: declared for every group."""

STRICT = "strict"
"""The mode of a group that declares what it uses; a group without a mode is open."""

TALLY_CONCEPTS = "concept"  # term: type. Living concepts of it
TALLY_LINKS = "link"  # term: predicate. Living links of it
TALLY_KEYED = "keyed"  # term: predicate. Links of it that have a key; closed ones too
TALLY_LINK_SUBJECTS = "link_subjects"  # term: predicate. Links of it about a link; closed too
TALLY_LINK_OBJECTS = "link_objects"  # term: predicate. Links of it to a link; closed too
TALLY_BOUNDED_CONCEPTS = "bounded_concept"  # term: type. Those not true for ever; closed too
TALLY_BOUNDED_LINKS = "bounded_link"  # term: predicate. Those not true for ever; closed too
TALLY_DOCUMENTS = "documents"  # term: partition's part number. IndexedDocuments in the text index
TALLY_TOKENS = "tokens"  # term: the same. Their tokens


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


class Sampling:
    """Counts what is read.

    >>> third = Sampling(3)
    >>> third.of([1, 2]), third.of([3, 4, 5, 6]), third.of([7])
    ([], [3, 6], [])
    """

    def __init__(self, every: int) -> None:
        """`every` is 0 for none, 1 for all, n for one in n."""
        self._every = every
        self._elements = 0
        self._queries = 0
        self._is_suspicious = False

    def of(self, elements: Sequence[int]) -> Sequence[int]:
        """Return those of the elements that are to be compared."""
        every, before = self._every, self._elements
        if self._is_suspicious or every == 1:
            self._is_suspicious = False
            return elements
        if not every:
            return []
        after = before + len(elements)
        self._elements = after % every
        return [] if after < every else elements[every - 1 - before :: every]

    def is_query_due(self) -> bool:
        """Whether what the next query reads its values from is to be compared."""
        return self._is_suspicious or 0 < self._every <= self._queries + 1

    def takes_query(self) -> bool:
        """Count a query that shows values; return whether they are to be compared."""
        is_due = self.is_query_due()
        self._queries = 0 if is_due else self._queries + 1
        return is_due

    def suspect(self) -> None:
        """Let what is read next be compared as a whole: a difference was seen."""
        self._is_suspicious = True


SMALLEST, LARGEST = -(2**63), 2**63 - 1


_TOO_DEEP = "too many levels"


_TOO_LARGE = "a whole number beyond 64 bits"


_NOT_FINITE = "a number that is not finite"


_TEXT = frozenset({str})


def fault(value: object, depth: int) -> str:
    """Return what is wrong with a value that may nest `depth` levels deep, or nothing.

    >>> fault({"names": ["Aspirin", None]}, 2)
    ''
    >>> fault({1: 2}, 2)
    'an object with a key that is not text'
    """
    if type(value) is str:  # nearly all are of these types, and a comparison is quicker
        return "" if value.isascii() and "\0" not in value else _text_fault(value)
    if type(value) is float:
        return "" if isfinite(value) else _NOT_FINITE
    if type(value) is int:
        return "" if SMALLEST <= value <= LARGEST else _TOO_LARGE
    if value is None or value is True or value is False:
        return ""
    if type(value) is list and depth > 0:
        return _first_fault(value, depth)
    match value:
        case str():
            return _text_fault(value)
        case int():
            return "" if SMALLEST <= value <= LARGEST else _TOO_LARGE
        case float():
            return "" if isfinite(value) else _NOT_FINITE
        case dict() | list() if depth < 1:
            return _TOO_DEEP
        case dict():
            if not set(map(type, value)) <= _TEXT:
                return "an object with a key that is not text"
            return _first_fault(["".join(value), *value.values()], depth)
        case list():
            return _first_fault(value, depth)
        case _:
            return f"a Python {type(value).__name__}"


def unfit(what: str, reason: str, depth: int, span: Span | None = None) -> RecollectError:
    """Return the error for a value with a fault: KIP_4002 for its depth, else KIP_2003."""
    if reason == _TOO_DEEP:
        return RESOURCE_EXHAUSTED.error(
            f"{what} nests deeper than {depth} levels",
            "store parts of it as concepts of their own",
            span=span,
            details={"depth": depth},
        )
    return INVALID_VALUE.error(
        f"{what} holds {reason}",
        "use null, true, false, finite 64-bit numbers, text, arrays, objects",
        span=span,
    )


def _first_fault(parts: list[object], depth: int) -> str:
    for part in parts:
        if type(part) is str and part.isascii() and "\0" not in part:
            continue
        if reason := fault(part, depth - 1):
            return reason
    return ""


def _text_fault(text: str) -> str:
    if "\0" in text:
        return "the character NUL"
    if text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"the lone surrogate U+{ord(text[error.start]):04X}"
    return ""


def check_parameters(values: Mapping[str, object], max_depth: int) -> None:
    """Raise KIP_2003 for what JSON or 64 bits cannot hold, KIP_4002 for what nests too deep.

    >>> check_parameters({"limit": 10, "names": ["Aspirin", None]}, max_depth=2)
    """
    if not isinstance(values, Mapping):
        raise unfit(
            "the parameters", f"no object but what is of type {type(values).__name__}", max_depth
        )
    for name, value in values.items():
        if not isinstance(name, str):
            raise unfit("the parameters", f"a name of type {type(name).__name__}", max_depth)
        if reason := fault(name, max_depth) or fault(value, max_depth):
            shown = name.encode("utf-8", "replace").decode()
            raise unfit(f"parameter {shown}", reason, max_depth)


LONGEST_NAME = 4_096
"""Characters of a type, name, predicate or id."""


LONGEST_RUN = 30
"""Combining characters one after another."""


_CANDIDATES = re.compile(rf"(?:[^\w\x00-\u02ff]|[\uff9e\uff9f]){{{LONGEST_RUN + 1},}}")
"""Where a long run may be: all combining characters are among these."""


def canonical_name(text: str, span: Span | None = None) -> str:
    r"""Return a type, name, predicate or id in the form it is stored in: NFC.

    KIP_1002 for one that is too long, or that has too many combining characters in a row,
    KIP_2003 for a lone surrogate.

    >>> canonical_name("Cafe\u0301") == "Caf\u00e9"
    True
    """
    if len(text) > LONGEST_NAME:
        raise INVALID_IDENTIFIER.error(
            f"a name is longer than {LONGEST_NAME} characters",
            "keep long text in an attribute",
            span=span,
        )
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise INVALID_VALUE.error(
            "a name holds a lone surrogate", "correct the name", span=span
        ) from error
    if without_long_runs(text) != text:
        raise INVALID_IDENTIFIER.error(
            f"a name has more than {LONGEST_RUN} combining characters in a row",
            "leave some of the accents out",
            span=span,
        )
    return text if is_normalized("NFC", text) else normalize("NFC", text)


def without_long_runs(text: str) -> str:
    r"""Return a text with every run of combining characters cut to 30. Cost: linear.

    >>> len(without_long_runs("a" + 100 * "\u0301"))
    31
    """
    return text if text.isascii() else _CANDIDATES.sub(_cut, text)


def _cut(found: re.Match[str]) -> str:
    kept: list[str] = []
    run = 0
    for character in found.group():
        run = run + 1 if combining(normalize("NFKD", character)[0]) else 0
        if run <= LONGEST_RUN:
            kept.append(character)
    return "".join(kept)
