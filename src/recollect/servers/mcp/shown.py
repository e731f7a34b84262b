"""One element of the graph as a memory that is recalled: its words, its clocks, its sources.

The rule: what it shows is bounded, however large the element is; the resource has the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, assert_never, cast
from urllib.parse import quote

import orjson
from pydantic import JsonValue

from recollect.faces.claims import Claim, EvidenceRef
from recollect.faces.claims.reading import claims_of, is_claim
from recollect.faces.claims.records import SUPERSEDED_BY
from recollect.faces.claims.wire import to_wire
from recollect.faces.memory.scalars import scalar_of
from recollect.kernel import Nexus, called
from recollect.model import (
    FACT,
    SOURCES,
    AsOf,
    Attributes,
    Concept,
    Dated,
    Element,
    Instant,
    Kinds,
    Link,
    Value,
    bound_text,
    instant_text,
    standing,
)
from recollect.servers.mcp.inputs import Kind as MemoryKind
from recollect.servers.mcp.outputs import Members, Recalled

LONGEST_TEXT: Final = 800  # characters
MOST_ATTRIBUTES: Final = 1_000  # bytes of their JSON
MOST_EVIDENCE: Final = 5
MOST_SOURCES: Final = 10


def kind_of(kinds: Kinds, element: Element, ends: Mapping[str, Dated]) -> str | None:
    """Return which kind of memory an element is; None for elements that only support others."""
    start = ends.get(element.subject) if isinstance(element, Link) else None
    concept = start.element if start is not None and isinstance(start.element, Concept) else None
    return kinds.memory(element, concept)


def ends_of(nexus: Nexus, elements: Iterable[Element], as_of: AsOf | None) -> dict[str, Dated]:
    """Return what links end in, closed or not."""
    ends = {end for one in elements if isinstance(one, Link) for end in (one.subject, one.object)}
    known = None if as_of is None else replace(as_of, valid=None)
    return nexus.look_up(ends, as_of=known, closed=True) if ends else {}


def claims_among(nexus: Nexus, elements: Iterable[Element], as_of: AsOf | None) -> dict[str, Claim]:
    """Return the claims among elements, with their evidence."""
    found = [one for one in elements if is_claim(one)]
    return {one.id: one for one in claims_of(nexus, found, as_of)} if found else {}


def shown(
    kinds: Kinds,
    kind: str,
    dated: Dated,
    ends: Mapping[str, Dated],
    at: Instant,
    claim: Claim | None = None,
) -> Recalled:
    """Return a memory; `claim` is what its element says where it is one.

    What keeps it from being so at an instant is told.
    """
    element = dated.element
    text = _text(kinds, element, ends)
    found = Recalled(
        kind=cast("MemoryKind", kind),
        id=element.id,
        text=text[:LONGEST_TEXT],
        uri=element_uri(element.id),
        created_at=instant_text(dated.created_at),
    )
    if len(text) > LONGEST_TEXT:
        found["truncated"] = True
    _name(found, element, ends)
    _date(found, dated)
    if told := standing(dated, at):
        found["standing"] = told
    _source(found, element.metadata)
    if claim is not None:
        found["status"], found["confidence"] = claim.claim_status, claim.confidence
        found["evidence"] = [evidence_members(one) for one in claim.evidence[:MOST_EVIDENCE]]
        if len(claim.evidence) > MOST_EVIDENCE:
            found["truncated"] = True
        if isinstance(follower := element.attributes.get(SUPERSEDED_BY), str):
            found["superseded_by"] = follower
    elif isinstance(element, Concept):
        _describe(found, kinds.of(element.type).record(element))
    else:
        _describe(found, element.attributes)
    return found


def element_uri(identifier: str) -> str:
    """Return the address of the resource that is one element."""
    return f"recollect://element/{quote(identifier, safe='')}"


def evidence_members(evidence: EvidenceRef) -> Members:
    """Return a piece of evidence, without what it does not say."""
    members: Members = {}
    for key, value in to_wire(evidence).items():
        if isinstance(value, str):
            members[key] = value[:LONGEST_TEXT]
        elif isinstance(value, float):
            members[key] = value
    return members


def episode_members(dated: Dated) -> Members:
    """Return an episode that something was learnt from."""
    said = dated.element.attributes
    members: Members = {"id": dated.element.id, "uri": element_uri(dated.element.id)}
    for key in ("name", "source", "source_description", "reference_time", "body"):
        value = said.get(key)
        if isinstance(value, str):
            members[key] = value[:LONGEST_TEXT]
    return members


def sources_of(metadata: Attributes) -> list[str]:
    """Return the ids of the episodes that something was learnt from."""
    sources = metadata.get(SOURCES)
    return [one for one in sources if isinstance(one, str)] if isinstance(sources, list) else []


def _text(kinds: Kinds, element: Element, ends: Mapping[str, Dated]) -> str:
    said = element.attributes
    match element:
        case Link():
            words = said.get(FACT)
            start, end = (_called(one, ends) for one in (element.subject, element.object))
            return words if isinstance(words, str) else f"{start} {element.predicate} {end}"
        case Concept():
            return kinds.of(element.type).line(replace(element, name=_name_of(element)))
        case _:
            assert_never(element)


def _name(found: Recalled, element: Element, ends: Mapping[str, Dated]) -> None:
    match element:
        case Link():
            found["subject"] = _called(element.subject, ends)
            found["predicate"] = element.predicate
            found["object"] = _value(element.object, ends)
        case Concept():
            found["type"], found["name"] = element.type, element.name[:LONGEST_TEXT]
        case _:
            assert_never(element)


def _value(identifier: str, ends: Mapping[str, Dated]) -> str | bool | float:
    """Return what a fact is told about: a number, true or false as it is, else its name."""
    dated = ends.get(identifier)
    value = None if dated is None else scalar_of(dated.element)
    return _called(identifier, ends) if value is None else value


def _date(found: Recalled, dated: Dated) -> None:
    if (valid_at := bound_text(dated.valid_at)) is not None:
        found["valid_at"] = valid_at
    if (invalid_at := bound_text(dated.invalid_at)) is not None:
        found["invalid_at"] = invalid_at
    if dated.expired_at is not None:
        found["expired_at"] = instant_text(dated.expired_at)


def _source(found: Recalled, metadata: Attributes) -> None:
    match metadata.get("source"):
        case str() as source:
            found["source"] = source[:LONGEST_TEXT]
    match metadata.get("confidence"):
        case int() | float() as confidence:
            found["confidence"] = float(confidence)
    episodes = sources_of(metadata)
    if episodes:
        found["episodes"] = episodes[:MOST_SOURCES]


def _describe(found: Recalled, attributes: Attributes) -> None:
    """Add the attributes if they are few; the words of a fact are shown already."""
    others: dict[str, Value] = {key: one for key, one in attributes.items() if key != FACT}
    if not others:
        return
    if len(orjson.dumps(others)) > MOST_ATTRIBUTES:
        found["truncated"] = True
        return
    found["attributes"] = members_of(others)


def members_of(values: Mapping[str, Value]) -> dict[str, JsonValue]:
    """Return values of the graph as members of JSON."""
    return dict(values.items())


def _called(identifier: str, ends: Mapping[str, Dated]) -> str:
    dated = ends.get(identifier)
    if dated is not None and isinstance(dated.element, Concept):
        return _name_of(dated.element)
    return identifier


def _name_of(concept: Concept) -> str:
    return called(concept.name, concept.attributes, concept.metadata)[:LONGEST_TEXT]
