"""What stands in the cells of a store: their types, and the numbers and names with a meaning.

The rule: a cell of another type than its column is declared with means that the store is broken,
and raises at once.
"""

from __future__ import annotations

from typing import cast

import orjson

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.store.faults import is_for_memory, out_of_memory
from recollect.kernel.store.port import SqlValue
from recollect.model import Attributes, Value


def _unlike(what: str) -> RecollectError:
    message = f"a cell that must hold {what} does not"
    return RecollectError(STORE_CORRUPT, message, hint="run recollect doctor")


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
