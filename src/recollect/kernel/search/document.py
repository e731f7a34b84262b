"""What is searched of an element: one text for a concept, one for a link.

The rule: a document holds only what its own row says. The names of a link's ends are not in
it, or renaming one concept would rewrite the documents of all its links. Of attributes and
metadata the strings are taken, at any depth; numbers and flags are found by FILTER.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recollect.model import Attributes, Value


def concept_text(
    name: str, given_id: str | None, attributes: Attributes, metadata: Attributes
) -> str:
    r"""Return a concept's document: name, id if it was given, then what was said of it.

    >>> concept_text("Aspirin", None, {"forms": ["tablet", 2]}, {"source": "FDA"})
    'Aspirin\ntablet\nFDA'
    """
    given = () if given_id is None else (given_id,)
    return "\n".join((name, *given, *_strings(attributes), *_strings(metadata)))


def link_text(predicate: str, attributes: Attributes, metadata: Attributes) -> str:
    r"""Return a link's document: predicate, attributes, metadata.

    >>> link_text("treats", {"note": "fever"}, {})
    'treats\nfever'
    """
    return "\n".join((predicate, *_strings(attributes), *_strings(metadata)))


def _strings(value: Value | Attributes) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _strings(member)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
