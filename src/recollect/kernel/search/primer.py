"""PRIMER and portraits: who the agent is, what its memory holds, what one type of it looks like.

The rule: a primer fits in a prompt, and a portrait costs the same, whatever the memory's size. It
is drawn from the newest concepts and so many of their links (of a predicate: from so many links, by
their subjects); where there are more, it has `sampled: true` and its counts are of those looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from recollect.kernel.schema.definitions import BELONGS, DOMAIN, PERSON, SELF, SERVES
from recollect.kernel.search.domains import Region, regions
from recollect.kernel.search.known_terms import inventory
from recollect.kernel.search.tokens import called
from recollect.kernel.store.cells import SqlValue, members, text, whole
from recollect.kernel.store.group import Group, last_instant
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.portraits import (
    ENDS,
    INWARD,
    OUTWARD,
    PREDICATE_ATTRIBUTES,
    TYPE_ATTRIBUTES,
)
from recollect.kernel.store.statements.regions import NEWEST_FACTS, OF_SELF, SERVED
from recollect.model import FACT, LIVING, ElementKind, Instant, Value, spanned

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


_SELF_PARTS = ("role", "objectives", "capabilities")

_MOST_FACTS = 20  # that hold, of those in the newest changes
_MOST_CHANGES = 1_000
_LONGEST_FACT = 300  # characters


def primer(
    session: Session, group: Group, syntax_card: str, modes: Sequence[str], now: Instant | None
) -> dict[str, Value]:
    """Return `{identity, nexus, domain_map, holds, summary, syntax_card, search_modes}`.

    `identity` is the role, objectives and capabilities of the Person `$self`, null when unset, and
    the names of those whom it `serves`. `domain_map` is `{domain, kind, key_concepts,
    key_propositions}` for each domain; `kind` is "type" where a concept type stands in for a
    domain. `holds` is what was told last and is true at `now`, in words, the newest first.
    """
    summary, domain_map = _summary(session, group), regions(session, group.group_id)
    told_until = last_instant(session, group.group_id)
    moment = told_until if now is None else max(now, told_until)
    return {
        "identity": _identity(session, group, moment),
        "nexus": (
            f"My memory is a graph of {_counted(summary['concepts'], 'concept')} and"
            f" {_counted(summary['links'], 'link')} between them; I read it with FIND, look for"
            " words in it with SEARCH, look around in it with DESCRIBE, and write to it with"
            " UPSERT and DELETE."
        ),
        "domain_map": [_entry(one) for one in domain_map],
        "holds": list[Value](islice(_holding(session, group, moment), _MOST_FACTS)),
        "summary": dict(summary),
        "syntax_card": syntax_card,
        "search_modes": list(modes),
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _identity(session: Session, group: Group, now: int) -> dict[str, Value]:
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "type": PERSON,
        "name": SELF,
        "living": LIVING,
    }
    row = session.row(OF_SELF, parameters)
    attributes = {} if row is None else members(row[0])
    served = session.rows(SERVED, {**parameters, "predicate": SERVES, "now": now})
    names = list[Value](_called(*one) for one in served)
    return {part: attributes.get(part) for part in _SELF_PARTS} | {"serves": names or None}


def _holding(session: Session, group: Group, now: int) -> Iterator[str]:
    """Yield the newest facts that hold, each text once, but for what holds others together."""
    seen: set[str] = set()
    kinds = session.kinds
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "living": LIVING,
        "now": now,
        "changes": _MOST_CHANGES,
    }
    for kind, predicate, attributes, *others in session.rows(NEWEST_FACTS, parameters):
        told, since, until, *ends = others
        type_, name = text(kind), text(predicate)
        if name in (BELONGS, SERVES) or not kinds.of(type_).is_known:
            continue
        if kinds.is_structure(type_, name):
            continue
        words = members(attributes).get(FACT)
        if not isinstance(words, str):
            words = f"{_called(*ends[:3])} {name.replace('_', ' ')} {_called(*ends[3:])}"
        line = " ".join(words.split())[:_LONGEST_FACT]
        bounds = Instant(whole(since)), Instant(whole(until))
        if when := spanned(*bounds, members(told), Instant(now)):
            line = f"{line} ({when})"
        if line not in seen:
            seen.add(line)
            yield line


def _called(name: SqlValue, attributes: SqlValue, metadata: SqlValue) -> str:
    return called(text(name), members(attributes), members(metadata))


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
