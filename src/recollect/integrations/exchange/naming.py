"""The names that an import gives: ids made of what a record says, and words for bare links.

The rule: the same record always has the same, so that what comes again is found.
"""

from __future__ import annotations

import re
import uuid
from typing import Final

import orjson

from recollect.integrations.exchange.records import ById, End, Named
from recollect.model import Value, normal_text

_NAMESPACE: Final = uuid.UUID("9f0b7a52-6f0d-5f0e-8a4e-5b1de3f2c7a4")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def made_id(*parts: Value) -> str:
    """Return the id of what says this: a UUID of version 5."""
    return str(uuid.uuid5(_NAMESPACE, orjson.dumps(parts).decode()))


def end_parts(end: End) -> list[Value]:
    """Return what an end is known by."""
    match end:
        case Named(type, name):
            return [type, normal_text(name)]
        case ById(id):
            return [id]


def statement_id(subject: End, predicate: str, target: End, *more: Value) -> str:
    """Return the id of a fact whose file gives it none."""
    return made_id("statement", end_parts(subject), predicate, end_parts(target), *more)


def words(subject: str, predicate: str, target: str) -> str:
    """Return a bare link in words, so that a search finds it.

    >>> words("Ann", "worksAt", "Acme"), words("Ann", "LIVES_IN", "Berlin")
    ('Ann works at Acme', 'Ann lives in Berlin')
    """
    spaced = _HUMP.sub(" ", predicate.replace("_", " ")).strip()
    plain = spaced.lower() if spaced.isupper() or " " in spaced else spaced
    return f"{subject} {plain} {target}"
