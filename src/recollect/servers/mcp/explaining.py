"""Explain: one memory with what it rests on and what became of it.

The rule: a page of the past holds at most `limit` steps, oldest first; its cursor is the next one.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Final, cast

import orjson

from recollect.errors import INVALID_ARGUMENT, RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.claims import Claim
from recollect.faces.claims.past import claim_events
from recollect.faces.operations.records import is_episode
from recollect.kernel import Nexus
from recollect.model import PLAIN_KIND, Content, Dated, Version, instant_text
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.inputs import Explain, Kind
from recollect.servers.mcp.outputs import Explained, Members, Recalled
from recollect.servers.mcp.shown import (
    LONGEST_TEXT,
    MOST_SOURCES,
    claims_among,
    ends_of,
    episode_members,
    evidence_members,
    kind_of,
    members_of,
    shown,
    sources_of,
)

LIMIT: Final = 10
_MOST_EVENTS: Final = 20
_LARGEST: Final = 2_000  # bytes of what a step wrote


def explain_memory(nexus: Nexus, given: Explain) -> Explained:
    """Return one memory, its episodes, its steps and, of a claim, its events."""
    identifier = given["id"]
    dated = one_element(nexus, identifier)
    start = _start(given.get("cursor"))
    versions = [version for life in nexus.history(identifier) for version in life.versions]
    steps = versions[start : start + given.get("limit", LIMIT)]
    kind, claim, memory = standing(nexus, dated)
    answer = Explained(
        note=NOTE,
        memory=memory,
        episodes=_episodes(nexus, dated),
        history=[_step(one) for one in steps],
    )
    if kind == "claim" and claim is not None:
        answer["events"] = _events(nexus, claim)
    if start + len(steps) < len(versions):
        answer["next_cursor"] = str(start + len(steps))
    return answer


def one_element(nexus: Nexus, identifier: str) -> Dated:
    """Return an element, closed or not; NOT_FOUND if none has the id."""
    dated = nexus.look_up([identifier], closed=True).get(identifier)
    if dated is None:
        raise RecollectError(
            RESOURCE_NOT_FOUND,
            "no memory has this id",
            hint="recall it, and pass the id that the answer gives",
        )
    return dated


def standing(nexus: Nexus, dated: Dated) -> tuple[Kind, Claim | None, Recalled]:
    """Return what kind of memory an element is, its claim if it is one, and how it is shown."""
    element = dated.element
    ends = ends_of(nexus, [element], None)
    kind = cast("Kind", kind_of(nexus.kinds, element, ends) or PLAIN_KIND)
    claim = claims_among(nexus, [element], None).get(element.id)
    return kind, claim, shown(nexus.kinds, kind, dated, ends, nexus.now(), claim)


def _episodes(nexus: Nexus, dated: Dated) -> list[Members]:
    ids = sources_of(dated.element.metadata)[:MOST_SOURCES]
    found = nexus.look_up(ids, closed=True)
    return [
        episode_members(found[one])
        for one in ids
        if one in found and is_episode(found[one].element)
    ]


def _step(version: Version) -> Members:
    step: Members = {
        "version": version.number,
        "operation": version.operation.value,
        "transaction": version.since.number,
        "at": instant_text(version.since.at),
    }
    if version.since.actor is not None:
        step["actor"] = version.since.actor
    if version.since.request_id is not None:
        step["request_id"] = version.since.request_id
    if version.after is not None:
        step |= _content(version.after)
    return step


def _content(content: Content) -> Members:
    if len(orjson.dumps([content.attributes, content.metadata])) > _LARGEST:
        return {"truncated": True}
    return {
        "attributes": members_of(content.attributes),
        "metadata": members_of(content.metadata),
    }


def _events(nexus: Nexus, claim: Claim) -> list[Members]:
    events: list[Members] = []
    for told in claim_events(nexus, claim.id)[-_MOST_EVENTS:]:
        said = {key: value for key, value in asdict(told.event).items() if value is not None}
        evidence = [evidence_members(one) for one in told.event.evidence]
        said["evidence"] = evidence if len(orjson.dumps(evidence)) <= _LARGEST else []
        if len(said["evidence"]) < len(evidence):
            said["truncated"] = True
        if told.event.reason is not None:
            said["reason"] = told.event.reason[:LONGEST_TEXT]
        events.append(cast("Members", said))
    return events


def _start(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if cursor.isdecimal() and len(cursor) < 10:
        return int(cursor)
    raise RecollectError(
        INVALID_ARGUMENT,
        "cursor is not a next_cursor that this tool gave",
        hint="pass the next_cursor of the answer before, or leave it out",
    )
