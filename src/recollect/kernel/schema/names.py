"""The names that the specification gives a meaning: meta-types, domains, actors.

KIP 1.0-RC11, section 2.9 and appendices 2 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.kernel.read.declared import META_TYPES
from recollect.model import KNOWN_LINKS, OWN_TYPES, ElementKind

GIVEN: Final[Mapping[ElementKind, frozenset[str]]] = {
    ElementKind.CONCEPT: frozenset((*META_TYPES.values(), *OWN_TYPES)),
    ElementKind.LINK: KNOWN_LINKS,
}
"""What no group needs to declare: the meta-types, and what calls of Recollect itself write."""

DOMAIN = "Domain"
BELONGS = "belongs_to_domain"
CORE_DOMAIN = "CoreSchema"

PERSON = "Person"
SELF = "$self"
SYSTEM = "$system"
CORE_DIRECTIVES = "core_directives"

NOUNS = {ElementKind.CONCEPT: "concept type", ElementKind.LINK: "predicate"}
"""What an error calls the two things that a group may declare."""
