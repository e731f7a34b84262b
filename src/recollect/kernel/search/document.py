"""What is searched of an element: one text for a concept, one for a link.

The rule: a document holds only what its own row says. The names of a link's ends are not in
it, or renaming one concept would rewrite the documents of all its links. Of attributes and
metadata the strings are taken, at any depth; numbers and flags are found by FILTER.
"""

from __future__ import annotations

from recollect.model import Attributes, Value


def concept_text(
    name: str, given_id: str | None, attributes: Attributes, metadata: Attributes
) -> str:
    r"""Return a concept's document: name, id if it was given, then what was said of it.

    >>> concept_text("Aspirin", None, {"forms": ["tablet", 2]}, {"source": "FDA"})
    'Aspirin\ntablet\nFDA'
    """
    found = [name] if given_id is None else [name, given_id]
    _add_strings(attributes, found)
    _add_strings(metadata, found)
    return "\n".join(found)


def link_text(predicate: str, attributes: Attributes, metadata: Attributes) -> str:
    r"""Return a link's document: predicate, attributes, metadata.

    >>> link_text("treats", {"note": "fever"}, {})
    'treats\nfever'
    """
    found = [predicate]
    _add_strings(attributes, found)
    _add_strings(metadata, found)
    return "\n".join(found)


def _add_strings(value: Value | Attributes, found: list[str]) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict):
        for member in value.values():
            _add_strings(member, found)
    elif isinstance(value, list):
        for item in value:
            _add_strings(item, found)
