"""What one statement of maintenance is about: a concept or a link, in words and in KIP.

The rule: a text names an element as it was read, its version too, so that it does nothing to
one that has changed since, and nothing when it is run again.
"""

from __future__ import annotations

import json

from recollect.model import Key
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class Ends:
    """What a link says; an end that is a link itself is None."""

    subject: Key | None
    predicate: str
    object: Key | None


@dataclass(frozen=True, slots=True)
class Target:
    """An element as it was read."""

    id: str
    what: Key | Ends
    version: int

    @property
    def is_concept(self) -> bool:
        """Whether it is a concept; else it is a link."""
        return isinstance(self.what, Key)

    def where(self) -> str:
        """Return the WHERE block that finds it as ?x, if it still is as it was read."""
        version = f"?x.metadata._version == {self.version}"
        match self.what:
            case Key():
                return f"WHERE {{ ?x {concept_pattern(self.what)} FILTER({version}) }}"
            case Ends(Key() as subject, predicate, Key() as object_):
                ends = (
                    f"{concept_pattern(subject)}, {quoted(predicate)}, {concept_pattern(object_)}"
                )
                is_it = f"?x.id == {quoted(self.id)} && {version}"  # facts may share a triple
                return f"WHERE {{ ?x ({ends}) FILTER({is_it}) }}"
            case _:
                return f"WHERE {{ ?x (id: {quoted(self.id)}) FILTER({version}) }}"

    def update(self, metadata: str) -> str:
        """Return the statement that sets members of its metadata."""
        return " ".join(("UPDATE ?x SET METADATA {", metadata, "}", self.where()))

    def __str__(self) -> str:
        if isinstance(self.what, Key):
            return concept_label(self.what)
        both = (self.what.subject, self.what.object)
        ends = ["a link" if one is None else concept_label(one) for one in both]
        return f"{ends[0]} ─{self.what.predicate}→ {ends[1]}"


def concept_label(key: Key) -> str:
    """Return what a concept is called.

    >>> concept_label(Key("Drug", "Aspirin"))
    'Drug "Aspirin"'
    """
    return f'{key.type} "{key.name}"'


def concept_pattern(key: Key) -> str:
    """Return the pattern that matches a concept.

    >>> concept_pattern(Key("Drug", "Aspirin"))
    '{type: "Drug", name: "Aspirin"}'
    """
    return f"{{type: {quoted(key.type)}, name: {quoted(key.name)}}}"


def quoted(text: str) -> str:
    """Return a text as KIP writes it."""
    return json.dumps(text, ensure_ascii=False)
