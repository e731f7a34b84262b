"""Ids by their beginnings, and names by what is like them: what a person types of what is there.

The rule: a person types as much of an id as tells it from all others. A whole id means itself, even
where others begin with it. Those that a memory counts all begin alike, so their last part stands
for them, and as much of it as tells one from the others. What begins none is left as it is, for
whoever looks it up to say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from recollect.errors import nearest, refused
from recollect.kernel import Nexus
from recollect.model import AsOf, Description, LoggedTransaction, Operation

GIVEN: Final = ("Claim", "Episode")
"""The types whose ids are given with them."""

_FOUND: Final = """FIND(?x.id) WHERE { ?x %s
FILTER(STARTS_WITH(?x.id, $beginning) || CONTAINS(?x.id, $last)) } LIMIT 50"""
_OF_TYPE: Final = _FOUND % "{type: $type}"
_NAMES: Final = "FIND(?x.name) WHERE { ?x {type: $type} } LIMIT 5000"
_MOST_COMPARED: Final = 5  # types whose names are compared with one that is not found
_LINKS: Final = _FOUND % "(?start, ?any, ?end)"
_MOST_TYPES: Final = 100
_AT_ONCE: Final = 1_000  # transactions, and changes of one
_LOOKED_THROUGH: Final = 10_000  # transactions
_COUNTED: Final = re.compile(r"(?=.*\d)[0-9a-f-]{4,35}")  # less than a whole one


def whole_id(
    nexus: Nexus, beginning: str, types: Iterable[str] = GIVEN[:1], *, links: bool = False
) -> str:
    """Return the only id of an element of some types that begins so: of a claim, if none is named.

    With `links` also of a link. INVALID_ARGUMENT where several begin so.
    """
    if not beginning or beginning in nexus.elements.keys([beginning], closed=True):
        return beginning
    asked = [(_OF_TYPE, {"type": one}) for one in types]
    if links:
        asked.append((_LINKS, {}))
    found: list[str] = []
    for text, of in asked:
        given = {**of, "beginning": beginning, "last": f"-{beginning}"}
        found += [str(row[0]) for row in nexus.read(text, given).rows]
    return only(beginning, found)


def any_id(nexus: Nexus, beginning: str) -> str:
    """Return the only id of any memory that begins so, or whose last part does."""
    is_counted = _COUNTED.fullmatch(beginning) is not None
    types = (*GIVEN, *free_types(nexus)) if is_counted else GIVEN
    return whole_id(nexus, beginning, types, links=is_counted)


def closed_id(nexus: Nexus, beginning: str) -> str:
    """Return the only id that begins so, or whose last part does, of what was closed last."""
    if _COUNTED.fullmatch(beginning) is None:
        return beginning
    (last,) = nexus.elements.last_transactions([nexus.group_name]).values()
    for end in range(last, max(0, last - _LOOKED_THROUGH), -_AT_ONCE):
        start = max(0, end - _AT_ONCE)
        closed = {*closed_in(nexus.changes(start, end - start, most=_AT_ONCE))}
        if (whole := only(beginning, closed)) != beginning:
            return whole
    return beginning


def closed_in(logged: Sequence[LoggedTransaction]) -> list[str]:
    """Return the ids of what some transactions closed, the last first."""
    changes = (one for each in reversed(logged) for one in each.changes)
    return [one.id for one in changes if one.operation is Operation.CLOSE]


def free_types(nexus: Nexus) -> list[str]:
    """Return the types of concepts that no face owns, as far as they are listed together."""
    told = nexus.read(f"DESCRIBE CONCEPT TYPES LIMIT {_MOST_TYPES}").only(Description)
    items = told.body["items"]
    assert isinstance(items, list)
    names = [str(one["name"]) for one in items if isinstance(one, dict)]
    return [one for one in names if nexus.kinds.is_free(one)]


def near_names(nexus: Nexus, text: str, *, as_of: AsOf | None = None) -> dict[str, str]:
    """Return the names that are like a text, or a word of which is, by that word, nearest first."""
    by_word: dict[str, str] = {}
    for one in free_types(nexus)[:_MOST_COMPARED]:
        for name in (str(row[0]) for row in nexus.read(_NAMES, {"type": one}, as_of=as_of).rows):
            by_word |= {word: by_word.get(word, name) for word in name.split()} | {name: name}
    return {word: by_word[word] for word in nearest(text, by_word)}


def only(beginning: str, ids: Iterable[str]) -> str:
    """Return the id that begins so, or what was given if none does.

    >>> only("cl", ["claim:c1", "other"]), only("x", ["claim:c1"])
    ('claim:c1', 'x')
    >>> only("8f9", ["98e8f94e-a554-8910-bc1a-8f96d4ce887f"])
    '98e8f94e-a554-8910-bc1a-8f96d4ce887f'
    """
    parts = ((one, one.rpartition("-")[2]) for one in sorted(ids))
    found = [id for id, last in parts if id.startswith(beginning) or last.startswith(beginning)]
    if beginning in found or not found:
        return beginning
    if len(found) > 1:
        raise refused(
            f'"{beginning}" is how several ids begin: {", ".join(found[:5])}',
            "pass more of the one that is meant",
            known=tuple(found[:5]),
        )
    return found[0]
