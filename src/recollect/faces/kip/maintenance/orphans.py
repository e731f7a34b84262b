"""What hangs on nothing: concepts without links or domain, and declarations that nothing uses.

The rule: it is only told. What to do about it takes someone who knows what was meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.faces.kip.maintenance.reading import (
    BELONGS,
    META_TYPES,
    predicates_in_use,
    rows_of,
    types_in_use,
)
from recollect.kernel import Nexus
from recollect.model import Key, Progress, silent
from recollect.node import dataclass

_DOMAIN = "Domain"
_UNLINKED = """
FIND(?x.name) WHERE { ?x {type: $type} NOT { (?x, ?to, ?object) } NOT { (?subject, ?from, ?x) } }
"""
_HOMELESS = """
FIND(?x.name) WHERE { ?x {type: $type} NOT { (?x, "belongs_to_domain", ?domain) } }
"""
_AT_HOME = """
FIND(?x.name) WHERE {
  ?x {type: $type}
  (?x, "belongs_to_domain", ?domain)
  FILTER(?domain.name != "CoreSchema")
}
LIMIT 1
"""
_DECLARED = "FIND(?x.name) WHERE { ?x {type: $type} }"


@dataclass(frozen=True, slots=True)
class Orphans:
    """What hangs on nothing."""

    unlinked: tuple[Key, ...]  # concepts without a living link
    homeless: tuple[Key, ...]  # concepts without a domain, where others have one
    unused_types: tuple[str, ...]  # declared, and of no concept
    unused_predicates: tuple[str, ...]  # declared, and of no link


def find_orphans(nexus: Nexus, *, progress: Progress = silent) -> Orphans:
    """Return the concepts without links, or domains, and the declarations that nothing uses.

    Domains count as used once an ordinary concept belongs to one. Definitions are never orphans.
    Cost: every concept once.
    """
    used = types_in_use(nexus)
    ordinary = [one for one in used if one not in META_TYPES]
    predicates = predicates_in_use(nexus)
    unlinked: list[Key] = []
    homeless: list[Key] = []
    has_domains = False
    for done, type_ in enumerate(ordinary):
        progress("reading", done, len(ordinary))
        unlinked += _named_keys(nexus, _UNLINKED, type_)
        if type_ == _DOMAIN or BELONGS not in predicates:
            continue
        homeless += _named_keys(nexus, _HOMELESS, type_)
        has_domains = has_domains or bool(_named_keys(nexus, _AT_HOME, type_))
    progress("reading", len(ordinary), len(ordinary))
    return Orphans(
        tuple(unlinked),
        tuple(homeless) if has_domains else (),
        _unused(nexus, "$ConceptType", [*used, *META_TYPES]),
        _unused(nexus, "$PropositionType", predicates),
    )


def _named_keys(nexus: Nexus, text: str, type_: str) -> list[Key]:
    return [Key(type_, str(name)) for (name,) in rows_of(nexus, text, {"type": type_})]


def _unused(nexus: Nexus, meta: str, used: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a meta-type's concepts declare, and nothing uses."""
    return tuple(one.name for one in _named_keys(nexus, _DECLARED, meta) if one.name not in used)
