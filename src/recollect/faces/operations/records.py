"""Elements of the graph as the operations show them: facts, nodes and episodes.

The rule: a fact is a link with words, a node a concept of type `Entity`, an episode a concept of
type `EpisodeOutput`; what they say is in attributes, where it comes from in metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeGuard, cast

from pydantic import JsonValue

from recollect.faces.operations.inputs import Source
from recollect.faces.operations.outputs import EntityNode, EpisodeOutput, FactResult
from recollect.model import (
    FACT,
    SOURCES,
    Concept,
    Dated,
    Element,
    Instant,
    Key,
    Link,
    Value,
    bound_text,
    instant_text,
    standing,
)

ENTITY = "Entity"
EPISODE = "Episode"
SUMMARY = "summary"
QUALIFIERS = "qualifiers"
INFERRED: Final = "inferred_from"
"""Attribute of a fact that is inferred: from which episode, and where in its body the words stand.

The words are not copied, so that they are gone when the episode is erased.
"""


def is_fact(element: Element) -> TypeGuard[Link]:
    """Whether an element is a link that says something in words."""
    return isinstance(element, Link) and isinstance(element.attributes.get(FACT), str)


def inferred_from(episode: str, body: str, quote: str) -> dict[str, Value]:
    """Return the attribute of a new fact that is inferred from some words of an episode."""
    begin = body.find(quote)
    end = begin + len(quote) if begin >= 0 else begin  # no words, where it does not hold them
    return {INFERRED: {"episode": episode, "begin": begin, "end": end}}


def is_episode(element: Element) -> TypeGuard[Concept]:
    """Whether an element is an episode."""
    return isinstance(element, Concept) and element.type == EPISODE


class FoundScore(NamedTuple):
    """How well something answers a question: from 0 to 1, and the sum of its reciprocal ranks."""

    score: float | None
    rrf: float | None


NOT_SEARCHED: Final = FoundScore(None, None)


def is_node(element: Element) -> TypeGuard[Concept]:
    """Whether an element may be an end of facts: any concept except an episode."""
    return isinstance(element, Concept) and element.type != EPISODE


def fact_result(
    group: str, dated: Dated, nodes: Mapping[str, Key], at: Instant, rank: FoundScore = NOT_SEARCHED
) -> FactResult:
    """Return a fact; `nodes` has what those at its ends are called, by uuid."""
    link = dated.element
    assert isinstance(link, Link)
    sources = _sources(link)
    qualifiers = link.attributes.get(QUALIFIERS)
    return FactResult(
        uuid=link.id,
        group_id=group,
        name=link.predicate,
        fact=str(link.attributes[FACT]),
        source_node_uuid=link.subject,
        target_node_uuid=link.object,
        source_node_name=_name(nodes.get(link.subject)),
        target_node_name=_name(nodes.get(link.object)),
        qualifiers=_members(qualifiers) if isinstance(qualifiers, dict) else None,
        valid_at=bound_text(dated.valid_at),
        invalid_at=bound_text(dated.invalid_at),
        created_at=instant_text(dated.created_at),
        expired_at=bound_text(dated.expired_at),
        standing=standing(dated, at) or None,
        source_episode_uuid=sources[0] if sources else None,
        source_episode_uuids=sources,
        score=rank.score,
        rrf=rank.rrf,
    )


def entity_node(group: str, dated: Dated, found: FoundScore = NOT_SEARCHED) -> EntityNode:
    """Return a node."""
    concept = dated.element
    assert isinstance(concept, Concept)
    summary = concept.attributes.get(SUMMARY)
    others = {key: value for key, value in concept.attributes.items() if key != SUMMARY}
    sources = _sources(concept)
    return EntityNode(
        uuid=concept.id,
        group_id=group,
        name=concept.name,
        summary=summary if isinstance(summary, str) else None,
        attributes=_members(others),
        created_at=instant_text(dated.created_at),
        source_episode_uuid=sources[0] if sources else None,
        score=found.score,
        rrf=found.rrf,
    )


def episode(group: str, dated: Dated) -> EpisodeOutput:
    """Return an episode, which has all that `newest_episodes` and the pipeline ask of it."""
    concept = dated.element
    assert isinstance(concept, Concept)
    said = concept.attributes
    return EpisodeOutput(
        uuid=concept.id,
        group_id=group,
        name=_optional(said.get("name")),
        body=str(said["body"]),
        source=cast(Source, said["source"]),
        source_description=_optional(said.get("source_description")),
        reference_time=str(said["reference_time"]),
        created_at=instant_text(dated.created_at),
    )


def _sources(element: Element) -> list[str]:
    sources = element.metadata.get(SOURCES)
    return [one for one in sources if isinstance(one, str)] if isinstance(sources, list) else []


def _name(node: Key | None) -> str | None:
    return None if node is None else node.name


def _members(values: Mapping[str, Value]) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", dict(values))


def _optional(value: Value) -> str | None:
    return value if isinstance(value, str) else None
