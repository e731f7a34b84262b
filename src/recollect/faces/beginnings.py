"""Ids by their beginnings: a person types as much of one as tells it from all others.

The rule: a whole id means itself, even where others begin with it. What begins none is left as it
is, for whoever looks it up to say so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from recollect.errors import refused
from recollect.kernel import Nexus
from recollect.model import Rows

GIVEN: Final = ("Claim", "Episode")
"""The types whose ids are given with them; those that a memory counts all begin alike."""

_BEGINNING: Final = """
FIND(?x.id) WHERE { ?x {type: $type} FILTER(STARTS_WITH(?x.id, $beginning)) } LIMIT 10
"""


def whole_id(nexus: Nexus, beginning: str, types: Iterable[str] = GIVEN[:1]) -> str:
    """Return the only id of an element of some types that begins so: of a claim, if none is named.

    INVALID_ARGUMENT where several begin so.
    """
    if not beginning or beginning in nexus.elements.keys([beginning], closed=True):
        return beginning
    found: list[str] = []
    for one in types:
        asked = {"type": one, "beginning": beginning}
        (rows,) = nexus.read(_BEGINNING, asked).results
        found += [str(row[0]) for row in rows.rows] if isinstance(rows, Rows) else []
    return only(beginning, found)


def only(beginning: str, ids: Iterable[str]) -> str:
    """Return the id that begins so, or what was given if none does.

    >>> only("cl", ["claim:c1", "other"]), only("x", ["claim:c1"])
    ('claim:c1', 'x')
    """
    found = sorted(one for one in ids if one.startswith(beginning))
    if beginning in found or not found:
        return beginning
    if len(found) > 1:
        raise refused(
            f'"{beginning}" is how several ids begin, such as {found[0]} and {found[1]}',
            f"use {found[0]}",
            known=tuple(found[:10]),
        )
    return found[0]
