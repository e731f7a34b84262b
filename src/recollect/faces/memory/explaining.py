"""Why a memory is believed: what it rests on, and what became of it.

The rule: a page of the past holds at most `limit` steps, oldest first; its cursor is the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import orjson

from recollect.errors import refused
from recollect.faces.claims import claim_events
from recollect.faces.memory.listing import place_in
from recollect.faces.memory.lives import earlier_lives, versions_of
from recollect.faces.memory.model import (
    BECAUSE,
    LONGEST_TEXT,
    MOST_SOURCES,
    Step,
    Why,
    evidence_members,
    records_named,
    records_of,
    sources_of,
)
from recollect.faces.memory.naming import element_named, standing_now
from recollect.faces.memory.undoing import UNDOES
from recollect.kernel import Nexus
from recollect.model import REPLACED_BY, Concept, Content, Dated, Link, Version, instant_text

_MOST_EVENTS: Final = 20
_LARGEST: Final = 2_000  # bytes of what a step wrote
_OF_ITS_TIME: Final = (BECAUSE, REPLACED_BY, UNDOES, "valid_from", "valid_until")
_EPISODE: Final = ("name", "source", "source_description", "reference_time", "body")


def why_of(nexus: Nexus, identifier: str, limit: int, cursor: str | None) -> Why:
    """Return one memory, closed or not, with its episodes, steps and, of a claim, events."""
    if type(limit) is not int or not 1 <= limit <= 50:
        raise refused("limit is not from 1 to 50", "use limit=10, or leave it out")
    dated = element_named(nexus, identifier, closed=True)
    start = place_in(cursor)
    versions = versions_of(nexus, dated.element.id)
    lives = earlier_lives(nexus, [dated.element.id]) if isinstance(dated.element, Link) else ()
    said = [*versions_of(nexus, *lives), *versions]
    steps, first = versions[start : start + limit], len(said) - len(versions) + start
    (memory,) = records_of(nexus, [dated])
    if memory.kind == "fact" and memory.superseded_by is not None:  # which may be undone since
        now = standing_now(nexus, memory.id, with_other=True)
        memory = replace(memory, superseded_by=now or memory.superseded_by)
    following = start + len(steps)
    history = tuple(_step(one, said[: first + at]) for at, one in enumerate(steps))
    events = _events(nexus, memory.id) if memory.kind == "claim" else ()
    corrects = _corrected(nexus, dated.element) if isinstance(dated.element, Link) else ()
    more = str(following) if following < len(versions) else None
    return Why(memory, _episodes(nexus, dated), history, events, corrects, more)


def _corrected(nexus: Nexus, link: Link) -> tuple[Mapping[str, Any], ...]:
    """Return the facts that one stands in place of, who put each right, when and why."""
    joints = nexus.joints.at([link.subject], "subject", [link.predicate], closed=True)
    closed = {one.link.id: one.link for one in joints if not one.is_living}
    story = [link.id]
    for id in story:  # it grows by what each was put in place of
        story += [one for one, of in closed.items() if of.metadata.get(REPLACED_BY) == id]
    told = []
    for one in reversed(records_named(nexus, story[1:])):
        since = nexus.history(one.id)[-1].versions[-1].since
        said: dict[str, Any] = {"id": one.id, "text": one.text, "at": instant_text(since.at)}
        said |= {"actor": since.actor, "reason": closed[one.id].metadata.get(BECAUSE)}
        told.append({name: value for name, value in said.items() if value is not None})
    return tuple(told)


def _episodes(nexus: Nexus, dated: Dated) -> tuple[Mapping[str, Any], ...]:
    ids = sources_of(dated.element.metadata)[:MOST_SOURCES]
    found = nexus.elements.look_up(ids, closed=True) if ids else {}
    told = []
    for one in ids:
        element = found[one].element if one in found else None
        if isinstance(element, Concept) and element.type == "Episode":
            said = ((key, element.attributes.get(key)) for key in _EPISODE)
            texts = {key: value[:LONGEST_TEXT] for key, value in said if isinstance(value, str)}
            told.append({"id": one, **texts})
    return tuple(told)


def _step(version: Version, before: Sequence[Version]) -> Step:
    """Return one step; what was gone or ended, and lives again as it was, is restored by it.

    But what was gone is told again, where no undo brought it back.
    """
    since, after, last = version.since, version.after, version.before
    is_back = after is not None and (last is None or last.invalid_at != after.invalid_at)
    is_restored = is_back and _says(after) in [_says(one.after) for one in before]
    is_told = last is None and after is not None and UNDOES not in after.metadata
    word = "told again" if is_told else "restore"
    content: dict[str, Any] = {}
    if after is not None:
        content = {"attributes": dict(after.attributes), "metadata": dict(after.metadata)}
        if len(orjson.dumps(content)) > _LARGEST:
            content = {"truncated": True}
    word, at = word if is_restored else version.operation.value, instant_text(since.at)
    by = since.actor, since.request_id
    return Step(version.number, word, since.number, at, *by, **content)


def _says(content: Content | None) -> tuple[object, ...]:
    """Return what a content says, without what tells how it came to."""
    if content is None:
        return ()
    metadata = {key: one for key, one in content.metadata.items() if key not in _OF_ITS_TIME}
    return content.attributes, metadata, content.valid_at, content.invalid_at


def _events(nexus: Nexus, identifier: str) -> tuple[Mapping[str, Any], ...]:
    events = []
    for told in claim_events(nexus, identifier)[-_MOST_EVENTS:]:
        said = {key: value for key, value in asdict(told.event).items() if value is not None}
        evidence = [evidence_members(one) for one in told.event.evidence]
        said["evidence"] = evidence if len(orjson.dumps(evidence)) <= _LARGEST else []
        if len(said["evidence"]) < len(evidence):
            said["truncated"] = True
        if told.event.reason is not None:
            said["reason"] = told.event.reason[:LONGEST_TEXT]
        events.append(said)
    return tuple(events)
