"""Which elements are memories, and what each of them says in words.

The rule: what only carries others is no memory: evidence, tags, numbers, the definitions of a
group, and the links by which such concepts hang together. A memory says one text, in which its
passage stands; a fact without words of its own says its ends and its predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Final

from recollect.kernel.search.document import is_wordless
from recollect.model import FACT, Attributes, Kind, Kinds, Value

FACTS, CONCEPTS = 0, 1
"""Where the two general kinds stand among the names of all kinds, which columns hold."""

EPISODE: Final = "episode"
"""What memories are called that are turns of a conversation."""

_ABOUT: Final = ("summary", "description")
_UNSAID: Final = frozenset(
    {"claim_status", "scope", "created_at", "event", "session", "role", "role_type", "source"}
)


@lru_cache(8)
def codes_of(kinds: Kinds) -> dict[str, int]:
    """Return where the kinds of memory stand among their names."""
    return {name: at for at, name in enumerate(kinds.names())}


def kind_of_concept(kinds: Kinds, type_: str) -> Kind | None:
    """Return the kind of the concepts of a type; None where they are no memories.

    >>> from recollect.faces.kinds import KINDS
    >>> kinds = Kinds(KINDS)
    >>> kind_of_concept(kinds, "Episode").name, kind_of_concept(kinds, "$ConceptType")
    ('episode', None)
    """
    kind = kinds.of(type_)
    is_thing = kind.is_meant or kind.is_owned or bool(kind.text)
    return kind if kind.is_memory and kind.is_known and is_thing else None


def said_by_concept(kind: Kind, name: str, attributes: Attributes) -> str:
    """Return what a concept says: its text after its title, or its name and what is told of it.

    >>> said_by_concept(Kind("Person"), "Ann", {"summary": "paints", "age": 31})
    'Ann: paints'
    """
    said = attributes.get(kind.text) if kind.text else None
    if kind.names_are_ids and isinstance(said, str):
        title = title_of(kind, attributes)
        return said if title is None or title in said else f"{title}: {said}"
    told = _told(attributes, first=(kind.text, *_ABOUT) if kind.text else _ABOUT)
    is_silent = kind.names_are_ids or is_wordless(name)
    return ": ".join(filter(None, ("" if is_silent else name, "; ".join(told))))


def title_of(kind: Kind, attributes: Attributes) -> str | None:
    """Return what a text is called, whose element is named by an id; None where it has no title."""
    title = attributes.get("name") if kind.names_are_ids else None
    return title.strip() or None if isinstance(title, str) else None


def said_by_link(subject: str, predicate: str, object_: str, attributes: Attributes) -> str:
    """Return what a link says: its words, or its ends and its predicate.

    >>> said_by_link("Ann", "works_at", "Acme", {})
    'Ann works_at Acme'
    """
    fact = attributes.get(FACT)
    if isinstance(fact, str) and fact:
        return fact
    told = _told({key: one for key, one in attributes.items() if key != "qualifiers"})
    return "; ".join([f"{subject} {predicate} {object_}", *told])


def _told(attributes: Attributes, first: Collection[str] = ()) -> list[str]:
    """Return the texts among attributes, those of some keys first."""
    if not attributes:
        return []
    order = [*first, *(one for one in attributes if one not in first)]
    found: list[str] = []
    for key in order:
        if key in attributes and key not in _UNSAID:
            _add(attributes[key], found.append)
    return [one for one in found if not is_wordless(one)]


def _add(value: Value, add: Callable[[str], None]) -> None:
    match value:
        case str():
            add(value)
        case list():
            for one in value:
                _add(one, add)
        case dict():
            for one in value.values():
                _add(one, add)
        case _:
            return
