"""Which elements are memories, and what each of them says in words.

The rule: what only carries others is no memory: evidence, tags, numbers, the definitions of a
group, and the links by which such concepts hang together. A memory says one text, in which its
passage stands; a fact without words of its own says its ends and its predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from recollect.kernel.search.called import is_wordless
from recollect.model import FACT, OWN_TYPES, Attributes, Value, is_owned_link

KINDS: Final = ("fact", "claim", "concept", "episode", "piece")
"""The kinds of memory; their places here stand for them in columns."""

FACTS, CLAIMS, CONCEPTS, EPISODES, PIECES = range(len(KINDS))

_OF_TYPES: Final = {"Claim": CLAIMS, "Episode": EPISODES, "KnowledgePiece": PIECES}
_BEHIND: Final = frozenset(
    {"Evidence", "Tag", "RejectedClaim", "MarkupCounter", "Number", "Boolean", "Exchange", "Call"}
)
_SAYS: Final = {"Claim": "text", "Episode": "body", "KnowledgePiece": "content"}
_ABOUT: Final = ("summary", "description")
_UNSAID: Final = frozenset(
    {"claim_status", "scope", "created_at", "event", "session", "role", "role_type", "source"}
)


def kind_of_concept(type_: str) -> int | None:
    """Return the kind of memory that concepts of a type are; None for what is none.

    >>> KINDS[kind_of_concept("Episode")], kind_of_concept("$ConceptType")
    ('episode', None)
    """
    if type_ in _BEHIND or type_.startswith("$"):
        return None
    return _OF_TYPES.get(type_, CONCEPTS)


def is_fact_of(type_: str, predicate: str) -> bool:
    """Whether a link from a concept of a type is a fact, not part of how the concept is kept."""
    return not type_.startswith("$") and not is_owned_link(type_, predicate)


def said_by_concept(type_: str, name: str, attributes: Attributes) -> str:
    """Return what a concept says: its text, or its name and what is told of it.

    >>> said_by_concept("Person", "Ann", {"summary": "paints", "age": 31})
    'Ann: paints'
    """
    said = attributes.get(_SAYS.get(type_, ""))
    if isinstance(said, str):
        return said
    own = OWN_TYPES.get(type_)
    first = _ABOUT if own is None or not own.says else (own.says, *_ABOUT)
    told = _told(attributes, first=first)
    return ": ".join(filter(None, ("" if is_wordless(name) else name, "; ".join(told))))


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
