"""The names that the service makes itself: the same input always has the same.

The rule: a made uuid is a UUID of version 5 over what identifies a thing, so that a replay finds
what the first attempt made.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence

import orjson

from recollect.faces.operations.records import ENTITY
from recollect.kernel import Nexus
from recollect.model import NamedConcept, normal_text

_NAMESPACE = uuid.UUID("7f0b2f0e-6f5c-5d0a-9f0e-2a6f0c3d1b57")


def node_uuid(group: str, name: str) -> str:
    """Return the uuid of a node that was given none: of its group and normalised name.

    >>> node_uuid("g", "ACME Corp") == node_uuid("g", "acme  corp")
    True
    """
    return _made("node", group, normal_text(name))


def others_named(nexus: Nexus, name: str) -> Sequence[NamedConcept]:
    """Return what a name means that is no entity: the concepts of free kinds called so.

    Nothing where an entity is called so. The node of a name that means one of them is that one,
    and else an entity.
    """
    meant, entities = (
        [one for one in nexus.elements.named(name, type=type_) if one.by != "first name"]
        for type_ in (None, ENTITY)
    )
    if entities or any(one.element.type == ENTITY for one in meant):
        return ()
    return meant


def fact_uuid(episode: str, position: int) -> str:
    """Return the uuid of a fact that an episode told, by its place among the episode's facts."""
    return _made("fact", episode, position)


def episode_uuid(group: str, content: str) -> str:
    """Return the uuid of an episode that was given none, by the hash of its content."""
    return _made("episode", group, content)


def receipt_uuid(group: str, *parts: str) -> str:
    """Return the id of a receipt for what was accepted together."""
    return _made("receipt", group, *parts)


def content_hash(name: str | None, source: str, reference_time: str, body: str) -> str:
    """Return the hash by which episodes without a uuid are told apart; case counts."""
    return hashlib.sha256(orjson.dumps([name, source, reference_time, body])).hexdigest()


def _made(*parts: str | int) -> str:
    return str(uuid.uuid5(_NAMESPACE, orjson.dumps(parts).decode()))
