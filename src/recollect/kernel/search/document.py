"""The text by which an element is found, and what people call it.

The rule: a document holds only what its own row says. The names of a link's ends are not in it;
otherwise renaming one concept would rewrite the documents of all its links. It has the strings in
attributes and metadata, at any depth, except those that the memory itself keeps there; numbers and
flags are found by FILTER. An element may list in its metadata the attributes to be searched; then
only those, its name or predicate and its aliases are. A concept that says `false` there has no
words at all, and one may say that its name is an id, which is not searched. A name that says
nothing to a person gives way to words it is found by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from recollect.model import SEARCH_ATTRIBUTES, SEARCH_NAME, Attributes, Value

ALIASES = "aliases"
"""The attribute that lists what else a concept is called: always searched."""


def concept_text(
    name: str, given_id: str | None, attributes: Attributes, metadata: Attributes
) -> str:
    r"""Return a concept's document: name, id if it was given, then what was said of it.

    >>> concept_text("Aspirin", None, {"forms": ["tablet", 2]}, {"source": "FDA"})
    'Aspirin\ntablet\nFDA'
    """
    if metadata.get(SEARCH_ATTRIBUTES) is False:
        return ""
    found = [] if metadata.get(SEARCH_NAME) is False else [name]
    if given_id is not None and not _lists(metadata):
        found.append(given_id)
    _add_strings(_searched(attributes, metadata), found)
    return "\n".join(found)


def link_text(predicate: str, attributes: Attributes, metadata: Attributes) -> str:
    r"""Return a link's document: predicate, attributes, metadata.

    >>> link_text("treats", {"note": "fever"}, {})
    'treats\nfever'
    """
    found = [predicate]
    _add_strings(_searched(attributes, metadata), found)
    return "\n".join(found)


def _lists(metadata: Attributes) -> bool:
    """Whether an element lists the attributes that are searched."""
    return isinstance(metadata.get(SEARCH_ATTRIBUTES), list)


def _searched(attributes: Attributes, metadata: Attributes) -> list[Value]:
    """Return the attributes that an element lists, else all that people wrote of it."""
    if not metadata:
        return [*attributes.values()]
    listed = metadata.get(SEARCH_ATTRIBUTES)
    if listed == []:  # as links have it that say nothing in words
        return [attributes.get(ALIASES)]
    if isinstance(listed, list):
        keys = dict.fromkeys([*(key for key in listed if isinstance(key, str)), ALIASES])
        return [attributes.get(key) for key in keys]
    told = [value for key, value in metadata.items() if key[0] != "_"]  # not by the memory itself
    return [*attributes.values(), *told]


def _add_strings(values: Iterable[Value], found: list[str]) -> None:
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, (dict, list)):
            _add_strings(value.values() if isinstance(value, dict) else value, found)


LONGEST_CALL: Final = 80  # characters

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORDS: Final = ("name", "label", "title", "text", "body", "content")


def is_wordless(name: str) -> bool:
    """Whether a name is a UUID, which tells a person nothing."""
    return _UUID.fullmatch(name) is not None


def called(name: str, attributes: Attributes, metadata: Attributes) -> str:
    """Return what a concept is called where people read.

    >>> called("5f0c7f2a-0000-4000-8000-000000000001", {"text": "payments uses sagas"}, {})
    'payments uses sagas'
    >>> called("Aspirin", {"text": "a drug"}, {})
    'Aspirin'
    """
    if not is_wordless(name):
        return name
    searched = metadata.get(SEARCH_ATTRIBUTES)
    keys = [str(one) for one in searched] if isinstance(searched, list) else []
    words = next(filter(None, (_words(attributes.get(one)) for one in (*keys, *_WORDS))), "")
    if not words and keys:  # it has words, and none in what is searched: such as the id of a tool
        words = " ".join(filter(None, map(_words, attributes.values())))
    if len(words) > LONGEST_CALL:
        words = words[: LONGEST_CALL - 1].rstrip() + "…"
    return words or name


def _words(value: object) -> str:
    """Return a text on one line; nothing for a UUID and for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) and not is_wordless(value) else ""
