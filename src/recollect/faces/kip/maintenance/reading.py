"""What maintenance reads of a memory: everything of each type, in KIP texts with parameters.

The rule: one question for each type or predicate, never one for all, so that none has to look
at more than it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from recollect.faces.kip.maintenance.carry_out import LinkEnds, Target
from recollect.kernel import Nexus
from recollect.model import Cell, Description, Key, Limits, Progress, Value

META_TYPES = frozenset({"$ConceptType", "$PropositionType"})
"""Concepts of these say what the others are."""

BELONGS = "belongs_to_domain"

_PAGE: Final = "DESCRIBE {} LIMIT 1000"
_NEXT: Final = "DESCRIBE {} LIMIT 1000 CURSOR $cursor"

_PATIENT = Limits(max_rows=10**7, max_steps=10**11, max_seconds=3_600.0)
"""Maintenance looks at everything, and nobody waits for it."""

_CONCEPTS = """
FIND(?x.id, ?x.metadata._version, ?x.name, {fields})
WHERE {{ ?x {{type: $type}} FILTER({condition}) }}
"""

_LINKS = """
FIND(?x.id, ?x.metadata._version, ?s.type, ?s.name, ?o.type, ?o.name, {fields})
WHERE {{ ?x (?s, $type, ?o) FILTER({condition}) }}
"""


def listed(
    nexus: Nexus, what: Literal["CONCEPT TYPES", "PROPOSITION TYPES"]
) -> Iterator[tuple[str, int]]:
    """Yield each name with how many living elements have it, in the order of DESCRIBE.

    What is declared and not in use is there with a count of 0. Cost: a read for each thousand.
    """
    text, parameters = _PAGE.format(what), dict[str, Value]()
    while True:
        page = nexus.read(text, parameters).only(Description)
        items, cursor = page.body["items"], page.body.get("next_cursor")
        assert isinstance(items, list)
        for one in items:
            assert isinstance(one, dict)
            count = one["count"]
            assert isinstance(count, int)
            yield str(one["name"]), count
        if cursor is None:
            return
        text, parameters = _NEXT.format(what), {"cursor": cursor}


def rows_of(
    nexus: Nexus, text: str, parameters: Mapping[str, Value] | None = None
) -> list[tuple[Cell, ...]]:
    """Return the rows of one FIND, however many there are."""
    return nexus.read(text, parameters, limits=_PATIENT).rows


def types_in_use(nexus: Nexus) -> list[str]:
    """Return the types that living concepts have, in the order of DESCRIBE."""
    return [name for name, count in listed(nexus, "CONCEPT TYPES") if count]


def compared_types(nexus: Nexus) -> list[str]:
    """Return the types in use whose concepts are called by names, so that two may be one."""
    kinds = nexus.kinds
    return [
        one
        for one in types_in_use(nexus)
        if one not in META_TYPES and kinds.is_kept_up(one) and not kinds.of(one).names_are_ids
    ]


def predicates_in_use(nexus: Nexus) -> list[str]:
    """Return the predicates that living links have, in the order of DESCRIBE."""
    return [name for name, count in listed(nexus, "PROPOSITION TYPES") if count]


def elements_with(
    nexus: Nexus, condition: str, fields: Sequence[str], progress: Progress
) -> Iterator[tuple[Target, tuple[Cell, ...]]]:
    """Yield the living elements ?x of a condition, concepts first, oldest first of each type.

    `fields` are paths such as "metadata.status", whose values come with each.
    """
    wanted = {"fields": ", ".join(f"?x.{one}" for one in fields), "condition": condition}
    types = types_in_use(nexus)
    predicates = predicates_in_use(nexus)
    total = len(types) + len(predicates)
    for done, type_ in enumerate(types):
        progress("reading", done, total)
        for row in rows_of(nexus, _CONCEPTS.format(**wanted), {"type": type_}):
            identifier, version, name, *values = row
            yield _target(identifier, version, Key(type_, str(name))), tuple(values)
    for done, predicate in enumerate(predicates, len(types)):
        progress("reading", done, total)
        for row in rows_of(nexus, _LINKS.format(**wanted), {"type": predicate}):
            identifier, version, *ends = row[:6]
            subject, object_ = _key(*ends[:2]), _key(*ends[2:])
            yield _target(identifier, version, LinkEnds(subject, predicate, object_)), row[6:]
    progress("reading", total, total)


def _target(identifier: Cell, version: Cell, what: Key | LinkEnds) -> Target:
    assert isinstance(version, int)
    return Target(str(identifier), what, version)


def _key(type_: Cell, name: Cell) -> Key | None:
    return Key(type_, name) if isinstance(type_, str) and isinstance(name, str) else None
