"""PRIMER: who the agent is, what its memory holds, and how to ask it, in one object.

The rule: it fits in a prompt whatever the memory's size.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.kernel.schema.definitions import DOMAIN, PERSON, SELF
from recollect.kernel.search.domains import Region, regions
from recollect.kernel.search.inventory import inventory
from recollect.kernel.store.cells import members
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.regions import OF_SELF
from recollect.model import LIVING, ElementKind, Value

_SELF_PARTS = ("role", "objectives", "capabilities")


def primer(
    session: Session, group: Group, syntax_card: str, modes: Sequence[str]
) -> dict[str, Value]:
    """Return `{identity, nexus, domain_map, summary, syntax_card, search_modes}`.

    `identity` is the role, objectives and capabilities of the Person `$self`, null when unset.
    `domain_map` is `{domain, kind, key_concepts, key_propositions}` for each domain; `kind` is
    "type" where a concept type stands in for a domain.
    """
    summary, domain_map = _summary(session, group), regions(session, group.group_id)
    return {
        "identity": _identity(session, group),
        "nexus": (
            f"My memory is a graph of {_counted(summary['concepts'], 'concept')} and"
            f" {_counted(summary['links'], 'link')} between them; I read it with FIND, look for"
            " words in it with SEARCH, look around in it with DESCRIBE, and write to it with"
            " UPSERT and DELETE."
        ),
        "domain_map": [_entry(one) for one in domain_map],
        "summary": dict(summary),
        "syntax_card": syntax_card,
        "search_modes": list(modes),
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _identity(session: Session, group: Group) -> dict[str, Value]:
    row = session.row(
        OF_SELF, {"group": group.group_id, "type": PERSON, "name": SELF, "living": LIVING}
    )
    attributes = {} if row is None else members(row[0])
    return {part: attributes.get(part) for part in _SELF_PARTS}


def _summary(session: Session, group: Group) -> dict[str, int]:
    listed = inventory(session, group, ElementKind.CONCEPT)
    types = [one for one in listed if one.name not in session.kinds.aside]
    predicates = inventory(session, group, ElementKind.LINK)
    return {
        "concepts": sum(one.count for one in types),
        "links": sum(one.count for one in predicates),
        "concept_types": len(types),
        "proposition_types": len(predicates),
        "domains": sum(one.count for one in types if one.name == DOMAIN),
    }


def _entry(region: Region) -> dict[str, Value]:
    return {
        "domain": region.domain.name,
        "kind": region.domain.kind,
        "key_concepts": list(region.key_concepts),
        "key_propositions": list(region.key_predicates),
    }
