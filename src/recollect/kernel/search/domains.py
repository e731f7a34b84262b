"""Domains: the regions of a memory, and what matters most in each.

The rule: a domain is a concept of type `Domain`, joined to its members by the predicate
`belongs_to_domain`. While a memory has none, its concept types stand in for them; in the primer
they do so until something belongs to another domain than that of the definitions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import orjson

from recollect.kernel.read.moment import NOW, Moment
from recollect.kernel.schema.definitions import BELONGS, CORE_DOMAIN, DOMAIN
from recollect.kernel.search.known_terms import counted_terms, term_code
from recollect.kernel.search.tokens import called
from recollect.kernel.store.cells import SqlValue, members, text, whole
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.regions import (
    DOMAINS,
    HAS_MEMBERS,
    KEY_CONCEPTS,
    KEY_PREDICATES,
)
from recollect.model import LIVING, ElementKind
from recollect.node import dataclass

MOST_DOMAINS = 256
"""Domains of the primer, largest first."""

MOST_KEYS = 10
"""Key concepts, and key predicates, of one domain."""

MOST_LINKS = 100_000
"""Links counted for the ranking, in each direction, and concepts."""

_LENGTH_OF_UUID = 36

_MOST_KEY_LINKS = 100_000  # links of key concepts whose predicates are counted


@dataclass(frozen=True, slots=True)
class Domain:
    """A Domain concept with its number of members, or a type with its number of concepts."""

    key: int  # id of the concept, or code of the type
    name: str
    count: int
    kind: Literal["domain", "type"]
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """What matters most in one domain, best first; concepts as people call them."""

    domain: Domain
    key_concepts: tuple[str, ...]
    key_predicates: tuple[str, ...]


def domains(session: Session, group_id: int, moment: Moment = NOW) -> list[Domain]:
    """Return the domains, largest first, ties by name, as they were held at a moment.

    Types stand in for them, with `kind` "type", while there is no Domain concept.
    """
    return _domains(session, group_id, moment) or _types(session, group_id, moment)


def regions(session: Session, group_id: int) -> list[Region]:
    """Return the domains of the primer with their key concepts and predicates.

    Domains are ordered by the number of living links of their members, concepts of their own links,
    predicates of the links of the key concepts; ties by name, of concepts by age. Cost: the group's
    links, up to 100,000 in each direction.
    """
    found = _domains(session, group_id, NOW) if _is_organised(session, group_id) else []
    return key_parts(session, group_id, (found or _types(session, group_id, NOW))[:MOST_DOMAINS])


def key_parts(session: Session, group_id: int, found: Sequence[Domain]) -> list[Region]:
    """Return some domains with what matters most in each, in order of the primer."""
    if not found:
        return []
    belongs = None  # of types: what a concept belongs to is its type
    if found[0].kind == "domain":
        belongs = term_code(session, group_id, ElementKind.LINK, BELONGS) or 0
    concepts = session.rows(
        KEY_CONCEPTS,
        {
            "group": group_id,
            "belongs": belongs,
            "living": LIVING,
            "most_links": MOST_LINKS,
            "most_keys": MOST_KEYS,
            "wordless": _LENGTH_OF_UUID,
        },
    )
    wanted = {one.key for one in found}
    names: defaultdict[int, list[str]] = defaultdict(list)
    totals: dict[int, int] = {}
    keys: list[tuple[int, int]] = []
    for region, element, name, total, attributes, metadata in concepts:
        if (domain := whole(region)) in wanted:
            names[domain].append(called(text(name), members(attributes), members(metadata)))
            totals[domain] = whole(total)
            keys.append((domain, whole(element)))
    predicates = _predicates(session, group_id, belongs, keys)
    ranked = sorted(found, key=lambda one: (-totals.get(one.key, 0), one.name))
    return [
        Region(one, tuple(names[one.key]), tuple(predicates[one.key][:MOST_KEYS])) for one in ranked
    ]


def _domains(session: Session, group_id: int, moment: Moment) -> list[Domain]:
    code = term_code(session, group_id, ElementKind.CONCEPT, DOMAIN)
    if code is None:
        return []
    parameters: dict[str, SqlValue] = {
        "group": group_id,
        "domain": code,
        "belongs": term_code(session, group_id, ElementKind.LINK, BELONGS),
        "known": LIVING - 1,
        "last_id": LIVING,
        **moment.parameters,
    }
    return [_domain(row) for row in session.rows(DOMAINS, parameters)]


def _types(session: Session, group_id: int, moment: Moment) -> list[Domain]:
    found = counted_terms(session, group_id, ElementKind.CONCEPT, moment)
    return [
        Domain(code, name, count, "type")
        for code, name, count in sorted(found, key=lambda one: (-one[2], one[1]))
        if name not in session.kinds.aside
    ]


def _domain(row: SqlRow) -> Domain:
    key, name, count, attributes = row
    said = members(attributes).get("description")
    description = said if isinstance(said, str) else None
    return Domain(whole(key), text(name), whole(count), "domain", description)


def _is_organised(session: Session, group_id: int) -> bool:
    """Whether something belongs to another domain than that of the definitions."""
    belongs = term_code(session, group_id, ElementKind.LINK, BELONGS)
    if belongs is None:
        return False
    parameters: dict[str, SqlValue] = {
        "group": group_id,
        "belongs": belongs,
        "living": LIVING,
        "core": CORE_DOMAIN,
    }
    return session.row(HAS_MEMBERS, parameters) is not None


def _predicates(
    session: Session, group_id: int, belongs: int | None, keys: Sequence[tuple[int, int]]
) -> defaultdict[int, list[str]]:
    """Return the predicates of the key concepts' links by domain, most used first."""
    rows = session.rows(
        KEY_PREDICATES,
        {
            "group": group_id,
            "belongs": belongs,
            "living": LIVING,
            "keys": orjson.dumps(keys).decode(),
            "most": _MOST_KEY_LINKS,
        },
    )
    found: defaultdict[int, list[str]] = defaultdict(list)
    for region, name, _ in rows:
        found[whole(region)].append(text(name))
    return found
