"""What is embedded of an element: the name and summary of a concept, the words of a fact.

The rule: equal texts have one vector. A link without words has no meaning of its own.
"""

from __future__ import annotations

from hashlib import blake2b

from recollect.model import FACT, Attributes

_TOLD_BY = ("summary", "description")
_LONGEST = 8_000  # characters that are embedded; no model reads much more


def concept_meaning(name: str, attributes: Attributes) -> str:
    r"""Return the text that is embedded of a concept.

    >>> concept_meaning("Aspirin", {"summary": "A mild analgesic."})
    'Aspirin\nA mild analgesic.'
    """
    told = (attributes.get(key) for key in _TOLD_BY)
    summary = next((one for one in told if isinstance(one, str) and one.strip()), "")
    return f"{name}\n{summary}".rstrip()[:_LONGEST]


def link_meaning(attributes: Attributes) -> str | None:
    """Return the text that is embedded of a link, if it says something in words.

    >>> link_meaning({"fact": "Ann works at Acme"}), link_meaning({"dose": 2})
    ('Ann works at Acme', None)
    """
    fact = attributes.get(FACT)
    return fact[:_LONGEST] if isinstance(fact, str) and fact.strip() else None


def text_hash(text: str) -> str:
    """Return what a text is known by beside its vector."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
