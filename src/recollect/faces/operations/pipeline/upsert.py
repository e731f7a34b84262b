"""An extraction as one batch of changes: its nodes, then its facts, told by one episode.

The rule: the whole extraction is written or nothing of it; made uuids are functions of what they
name. Specification 004, sections 6, 7 and 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from recollect.faces.operations.context import Policy
from recollect.faces.operations.facts import put_fact, put_node
from recollect.faces.operations.inputs import FactItem
from recollect.faces.operations.naming import fact_uuid, node_uuid, other_node
from recollect.faces.operations.pipeline.extraction import (
    Edge,
    Extraction,
    check_refs,
    outside_refs,
    own_uuids,
    tmp_refs,
)
from recollect.faces.operations.pipeline.known import GroupKnowledge
from recollect.faces.operations.pipeline.ports import Episode
from recollect.kernel import Nexus
from recollect.model import Change, Local, PutConcept, Reference


def write_extraction(
    nexus: Nexus, policy: Policy, episode: Episode, extraction: Extraction
) -> None:
    """Write what an episode says; INVALID_ARGUMENT for a ref that names nothing any more."""
    nodes = GroupKnowledge(nexus).node_types(sorted(outside_refs(extraction)))
    check_refs(extraction, nodes)
    put = _nodes(nexus, policy, episode, extraction)
    changes: list[Change] = [*put, *_facts(nexus, policy, episode, extraction)]
    if changes:
        # No uuid of the episode: the log keeps what it is told when the episode is purged.
        nexus.write(changes, actor="pipeline")


def _nodes(
    nexus: Nexus, policy: Policy, episode: Episode, extraction: Extraction
) -> Iterator[PutConcept]:
    for at, node in enumerate(extraction.get("nodes") or []):
        name, uuid = node["name"], node.get("uuid")
        put = put_node(
            policy,
            name,
            uuid=uuid,
            summary=node.get("summary"),
            attributes=node.get("attributes"),
        )
        put = replace(
            put,
            new_id=node_uuid(nexus.group_name, name),  # where it is not there yet
            source=episode.uuid,
            handle=_handle(at),
        )
        other = None if uuid is not None else other_node(nexus, name)
        if other is not None:
            put = replace(
                put, type=other.type, name=other.name, id=other.id, metadata={}, new_id=None
            )
        yield put


def _facts(
    nexus: Nexus, policy: Policy, episode: Episode, extraction: Extraction
) -> Iterator[Change]:
    edges = extraction.get("edges") or []
    places = {**own_uuids(extraction), **tmp_refs(extraction)}
    made = [fact_uuid(episode.uuid, at) for at in range(len(edges))]
    # An episode that was deleted and told again has left its facts under these uuids.
    taken = nexus.elements.look_up(made, closed=True)
    for uuid, edge in zip(made, edges, strict=True):
        yield put_fact(
            policy,
            _item(edge, episode, None if uuid in taken else uuid),
            observed_at=episode.reference_time,
            subject=_end(edge["source_ref"], places),
            target=_end(edge["target_ref"], places),
        )


def _item(edge: Edge, episode: Episode, uuid: str | None) -> FactItem:
    return FactItem(
        uuid=uuid,
        name=edge["name"],
        fact=edge["fact"],
        source_node_uuid=edge["source_ref"],
        target_node_uuid=edge["target_ref"],
        valid_at=edge.get("valid_at"),
        invalid_at=edge.get("invalid_at"),
        qualifiers=edge.get("qualifiers"),
        source_episode_uuid=episode.uuid,
    )


def _end(ref: str, places: Mapping[str, int]) -> Reference:
    return Local(_handle(places[ref])) if ref in places else ref


def _handle(at: int) -> str:
    return f"node{at}"
