"""Facts and nodes that are told outright, without an episode to extract them from.

The rule: everything in one call happens in one transaction, or nothing; the memory itself decides
which facts contradict each other. Specification 004, sections 6 and 9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

import orjson
from pydantic import JsonValue

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.operations.context import Context, Policy, asked_moment
from recollect.faces.operations.inputs import (
    AddEntityNode,
    AddFact,
    AddFacts,
    FactItem,
    GetEntityEdge,
)
from recollect.faces.operations.outputs import EntityNode, FactResult, Facts
from recollect.faces.operations.records import (
    ENTITY,
    EPISODE,
    NOT_SEARCHED,
    QUALIFIERS,
    SUMMARY,
    entity_node,
    fact_result,
    is_episode,
    is_fact,
)
from recollect.faces.operations.search import shown_facts
from recollect.kernel import Nexus
from recollect.model import (
    FACT,
    LONGEST_FACT_KEY,
    OBSERVED_AT,
    SEARCH_ATTRIBUTES,
    BatchReport,
    Change,
    Dated,
    Key,
    PutConcept,
    PutFact,
    Reference,
    Value,
    normal_text,
)

_NOT_EMBEDDED: Final = "not_embedded"
_ENDS: Final = ("source_node_uuid", "target_node_uuid")


def add_entity_node(context: Context, given: AddEntityNode) -> EntityNode:
    """Create a node, or merge its summary and attributes into the one there is."""
    nexus, uuid = context.group(given["group_id"]), given["uuid"]
    change = put_node(
        context.policy,
        given["name"],
        uuid=uuid,
        summary=given.get("summary"),
        attributes=given.get("attributes") or {},
    )
    _write(context, nexus, [change])
    dated = nexus.elements.look_up([uuid]).get(uuid)
    if dated is None:
        raise _deleted_meanwhile()
    return entity_node(nexus.group_name, dated)


def put_node(
    policy: Policy,
    name: str,
    *,
    uuid: str | None = None,
    summary: str | None = None,
    attributes: Mapping[str, JsonValue] | None = None,
) -> PutConcept:
    """Return the change that creates a node, or merges into the one with that normalised name."""
    said = dict(attributes or {})
    if SUMMARY in said:
        raise refused(
            f"attributes.{SUMMARY} is reserved", "pass it as summary, or under another name"
        )
    if summary is not None:
        said[SUMMARY] = summary
    metadata: dict[str, Value] = {SEARCH_ATTRIBUTES: list(policy.search_attributes)}
    return PutConcept(ENTITY, name, _values(said), metadata, id=uuid)


def add_fact(context: Context, given: AddFact) -> FactResult:
    """Add a fact, and let it end those it contradicts."""
    added = _added(context, given["group_id"], [given])
    if not added:
        raise _deleted_meanwhile()
    return added[0]


def add_facts(context: Context, given: AddFacts) -> Facts:
    """Add facts in one transaction."""
    return Facts(facts=_added(context, given["group_id"], given["facts"]))


def get_entity_edge(context: Context, given: GetEntityEdge) -> FactResult:
    """Return one fact, even an expired one; NOT_FOUND if there is none."""
    uuid, as_of = given["uuid"], asked_moment(given)
    found = context.holder(uuid, given.get("group_id"), is_fact, as_of)
    if found is None:
        raise RESOURCE_NOT_FOUND.error(f'no fact has the uuid "{uuid}"')
    (fact,) = shown_facts(found[0], {uuid: NOT_SEARCHED}, as_of, closed=True)
    return fact


def put_fact(
    policy: Policy,
    item: FactItem,
    *,
    observed_at: str | None = None,
    subject: Reference | None = None,
    target: Reference | None = None,
) -> PutFact:
    """Return the change that puts a fact.

    `observed_at` is the time its episode speaks of; `subject` and `target` name its nodes where
    their uuids do not.
    """
    valid_at, invalid_at = item.get("valid_at"), item.get("invalid_at")
    if valid_at is not None and invalid_at is not None and valid_at >= invalid_at:
        raise refused(
            f"valid_at {valid_at} is not before invalid_at {invalid_at}",
            "send an invalid_at that is later, or leave it out",
        )
    times = {"valid_from": valid_at, "valid_until": invalid_at, OBSERVED_AT: observed_at}
    metadata: dict[str, Value] = {key: time for key, time in times.items() if time is not None}
    metadata[SEARCH_ATTRIBUTES] = [FACT]
    qualifiers = item.get("qualifiers") or {}
    return PutFact(
        subject=subject or item["source_node_uuid"],
        predicate=item["name"],
        object=target or item["target_node_uuid"],
        text=item["fact"],
        attributes={QUALIFIERS: _values(qualifiers)} if qualifiers else {},
        metadata=metadata,
        key=_normal_qualifiers(qualifiers),
        source=item.get("source_episode_uuid"),
        is_functional=policy.is_functional(item["name"]),
        id=item.get("uuid"),
    )


def _added(context: Context, group: str, items: Sequence[FactItem]) -> list[FactResult]:
    nexus = context.group(group)
    nodes = nexus.elements.keys({item[end] for item in items for end in _ENDS})
    episodes = nexus.elements.look_up(
        {one for item in items if (one := item.get("source_episode_uuid"))}
    )
    changes: list[Change] = []
    for item in items:
        _check_ends(nodes, item)
        observed_at = _observed_at(episodes, item.get("source_episode_uuid"))
        changes.append(put_fact(context.policy, item, observed_at=observed_at))
    report = _write(context, nexus, changes)
    facts = nexus.elements.look_up(report.ids, closed=True)
    now = nexus.now()
    return [fact_result(group, facts[uuid], nodes, now) for uuid in report.ids if uuid in facts]


def _write(context: Context, nexus: Nexus, changes: Sequence[Change]) -> BatchReport:
    """Write nodes or facts; it is counted where they are kept without vectors."""
    answer = nexus.write(changes, actor=context.caller.name, request_id=context.request_id)
    if any(one.code == _NOT_EMBEDDED for one in answer.notices):
        context.tally.embedding_failures += 1
    return answer.only(BatchReport)


def _deleted_meanwhile() -> RecollectError:
    return RESOURCE_NOT_FOUND.error("another call deleted it after it was added")


def _check_ends(nodes: Mapping[str, Key], item: FactItem) -> None:
    """Raise NOT_FOUND for a fact whose nodes are not there."""
    for end in _ENDS:
        uuid = item[end]
        if uuid not in nodes or nodes[uuid].type == EPISODE:
            raise RESOURCE_NOT_FOUND.error(
                f'no node has the uuid "{uuid}"', "add it first: AddEntityNode"
            )


def _observed_at(episodes: Mapping[str, Dated], source: str | None) -> str | None:
    """Return the time that the episode of a fact speaks of; NOT_FOUND where it is not there."""
    if not source:
        return None
    if source not in episodes or not is_episode(episodes[source].element):
        raise RESOURCE_NOT_FOUND.error(
            f'no episode has the uuid "{source}"',
            "leave source_episode_uuid out, or add the episode first",
        )
    observed = episodes[source].element.attributes["reference_time"]
    return observed if isinstance(observed, str) else None


def _normal_qualifiers(qualifiers: Mapping[str, JsonValue]) -> str:
    """Return qualifiers as they are compared: texts normalised, keys sorted; none is nothing.

    What is too long to be a key is its hash.
    """
    if not qualifiers:
        return ""
    spelled = orjson.dumps(_normal(dict(qualifiers)), option=orjson.OPT_SORT_KEYS)
    key = spelled.decode()
    return key if len(key) <= LONGEST_FACT_KEY else hashlib.sha256(spelled).hexdigest()


def _normal(value: object) -> object:
    match value:
        case str():
            return normal_text(value)
        case dict():
            return {normal_text(key): _normal(inner) for key, inner in value.items()}
        case list():
            return [_normal(inner) for inner in value]
        case _:
            return value


def _values(members: Mapping[str, JsonValue]) -> dict[str, Value]:
    return dict(members.items())
