"""What concepts of one type, and links of one predicate, look like: computed from the rows.

The rule: a portrait costs the same whatever the memory's size. It is drawn from the newest
concepts and so many of their links (of a predicate: from so many links, by their subjects);
where there are more, it has `sampled: true` and its counts are of those looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.portraits import (
    ENDS,
    INWARD,
    OUTWARD,
    PREDICATE_ATTRIBUTES,
    TYPE_ATTRIBUTES,
)
from recollect.model import LIVING, Value

MOST_ELEMENTS = 10_000
"""Elements a portrait is drawn from."""

MOST_LINKS = 100_000
"""Links of them that are looked at, in each direction."""

MOST_NAMES = 256
"""Names in one list of a portrait, most used first."""

BLANK_TYPE: Mapping[str, Value] = {"attributes": [], "out": [], "in": []}
"""The portrait of a type that nothing has borne yet."""

BLANK_PREDICATE: Mapping[str, Value] = {"subject_types": [], "object_types": [], "attributes": []}
"""The portrait of a predicate that nothing has borne yet."""

LINK_AS_END = "(link)"
"""Stands for the type of an end that is a link."""

_JSON_TYPES = {"text": "string", "integer": "number", "real": "number"} | dict.fromkeys(
    ("true", "false"), "boolean"
)


def portrait_of_type(session: Session, group_id: int, code: int, count: int) -> dict[str, Value]:
    """Return `{attributes, out, in}` of a concept type of which `count` are alive.

    `attributes`: `{name, count, types}`, where `types` counts the values by JSON type. `out`
    and `in`: `{predicate, count, types}` of links from and to them, where `types` counts the
    partners by their type.
    """
    parameters = _parameters(group_id, code)
    outward = session.rows(OUTWARD, parameters)
    inward = session.rows(INWARD, parameters)
    is_sampled = count > MOST_ELEMENTS or MOST_LINKS in (_total(outward), _total(inward))
    portrait: dict[str, Value] = {
        "attributes": _attributes(session.rows(TYPE_ATTRIBUTES, parameters)),
        "out": _predicates(outward),
        "in": _predicates(inward),
    }
    return portrait | _sampled(is_sampled)


def portrait_of_predicate(
    session: Session, group_id: int, code: int, count: int
) -> dict[str, Value]:
    """Return `{subject_types, object_types, attributes}` of a predicate with `count` links.

    The types are `{name, count}`; an end that is a link is named `(link)`.
    """
    parameters = _parameters(group_id, code)
    ends = session.rows(ENDS, parameters)
    portrait: dict[str, Value] = {
        "subject_types": _listed(_tallied((subject, count) for subject, _, count in ends)),
        "object_types": _listed(_tallied((target, count) for _, target, count in ends)),
        "attributes": _attributes(session.rows(PREDICATE_ATTRIBUTES, parameters)),
    }
    return portrait | _sampled(count > MOST_ELEMENTS)


def _parameters(group_id: int, code: int) -> dict[str, SqlValue]:
    return {
        "group": group_id,
        "code": code,
        "living": LIVING,
        "elements": MOST_ELEMENTS,
        "links": MOST_LINKS,
    }


def _sampled(is_sampled: bool) -> dict[str, Value]:
    return {"sampled": True} if is_sampled else {}


def _total(rows: Iterable[SqlRow]) -> int:
    return sum(whole(count) for *_, count in rows)


def _attributes(rows: Iterable[SqlRow]) -> list[Value]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, kind, count in rows:
        name = text(kind)
        counts[text(key)][_JSON_TYPES.get(name, name)] += whole(count)
    return [
        {"name": name, "count": types.total(), "types": dict(sorted(types.items()))}
        for name, types in _by_use(counts)
    ]


def _predicates(rows: Iterable[SqlRow]) -> list[Value]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for predicate, partner, count in rows:
        counts[text(predicate)][_end(partner)] += whole(count)
    return [
        {"predicate": predicate, "count": types.total(), "types": _listed(types)}
        for predicate, types in _by_use(counts)
    ]


def _by_use(counts: Mapping[str, Counter[str]]) -> list[tuple[str, Counter[str]]]:
    return sorted(counts.items(), key=lambda one: (-one[1].total(), one[0]))[:MOST_NAMES]


def _tallied(ends: Iterable[tuple[SqlValue, SqlValue]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for end, count in ends:
        counts[_end(end)] += whole(count)
    return counts


def _end(name: SqlValue) -> str:
    return LINK_AS_END if name is None else text(name)


def _listed(counts: Counter[str]) -> list[Value]:
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_NAMES]
    return [{"name": name, "count": count} for name, count in ranked]
