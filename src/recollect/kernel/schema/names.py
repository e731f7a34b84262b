"""The names that the specification gives a meaning: meta-types, domains, actors.

KIP 1.0-RC11, section 2.9 and appendices 2 and 3.
"""

from __future__ import annotations

from recollect.kernel.read.declared import META_TYPES
from recollect.model import ElementKind, Kinds

DOMAIN = "Domain"
BELONGS = "belongs_to_domain"
CORE_DOMAIN = "CoreSchema"

PERSON = "Person"
SELF = "$self"
SYSTEM = "$system"
CORE_DIRECTIVES = "core_directives"

NOUNS = {ElementKind.CONCEPT: "concept type", ElementKind.LINK: "predicate"}
"""What an error calls the two things that a group may declare."""


def given(kinds: Kinds, kind: ElementKind) -> frozenset[str]:
    """Return what no group needs to declare: the meta-types, and what the kinds bring."""
    if kind is ElementKind.LINK:
        return kinds.known_links
    return kinds.given.union(META_TYPES.values())
