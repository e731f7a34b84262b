"""Taking back the last thing that was done to a memory, where that can be done.

The rule: nothing is taken out of the past. What was replaced, ended or withdrawn is told again, as
it was; what took its place is believed no longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Final, Literal
from uuid import uuid4

from recollect.errors import INVALID_ARGUMENT, Hint, RecollectError, join
from recollect.faces.claims import Actor, Writer
from recollect.faces.kip import end_again
from recollect.faces.memory.model import Corrected, MemoryRecord, element_named, records_named
from recollect.kernel import Nexus, asked_instant
from recollect.model import (
    FACT,
    MERGED_FROM,
    REPLACED_BY,
    Attributes,
    BatchReport,
    Change,
    Concept,
    Dated,
    Delete,
    Instant,
    Key,
    Link,
    LoggedChange,
    Operation,
    PutConcept,
    PutFact,
    RemoveKeys,
    Triple,
    Unmerge,
    Value,
    Version,
    bound_text,
)

ENDS: Final[tuple[Literal["subject", "object"], ...]] = ("subject", "object")
"""Where a link begins and where it leads."""

_EPISODE: Final = "Episode"
_KEPT: Final = {
    "Claim": ("a claim", "correct it to what is right, or forget it"),
    _EPISODE: ("an episode", "forget it, if it should not be there"),
    "KnowledgePiece": ("a piece", "correct it to what is right, or forget it"),
}
"""Types of what is never changed, and what to do; an episode that is withdrawn is told again."""

_OWN: tuple[str, ...] = (REPLACED_BY, "valid_from", "valid_until")


def changes_back(nexus: Nexus, identifier: str) -> list[Change]:
    """Return what takes back the last change of a memory; the last of them puts what stands then.

    INVALID_ARGUMENT where there is nothing to take back, or nothing can be.
    """
    dated = element_named(nexus, identifier, closed=True)
    element = dated.element
    if isinstance(element, Link):
        return _fact_back(nexus, dated, element)
    return _concept_back(nexus, dated, element)


def way_back(nexus: Nexus, identifier: str) -> str:
    """Return how to take back what was done last to a memory, by undo where that can."""
    try:
        changes_back(nexus, identifier)
    except RecollectError:
        return f"correct {identifier} anew, or forget it"
    return f"undo {identifier}"


def in_place_of(
    old: Link, made: Sequence[Change], put: PutFact, nexus: Nexus
) -> tuple[PutFact, list[Change]]:
    """Return what marks a fact as replaced, and what then closes it and puts the other.

    They are two writes: a transaction keeps of what it closes only what was there before it.
    INVALID_ARGUMENT where the other is told already: then nothing can be put in its place.
    """
    identifier = str(uuid4())
    changes = [*made, Delete(old.id), replace(put, id=identifier)]
    (report,) = nexus.write(changes, dry_run=True).results
    assert isinstance(report, BatchReport)
    if (told := report.ids[-1]) != identifier:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"what it would say is remembered already, as {told}",
            hint=f"correct {told}, and forget {old.id}",
        )
    mark = PutFact(
        old.subject, old.predicate, old.object, metadata={REPLACED_BY: identifier}, id=old.id
    )
    return mark, changes


def _fact_back(nexus: Nexus, dated: Dated, link: Link) -> list[Change]:
    successor = link.metadata.get(REPLACED_BY)
    if dated.expired_at is not None:
        if successor is None and _gave_way(nexus, link):
            raise _nothing()
        by = [successor] if isinstance(successor, str) else []
        return [*map(Delete, nexus.elements.look_up(by)), _told_again(link, dated)]
    before = _version_before(nexus, link.id)
    if before is None or before.after is None:
        return _first_back(nexus, link)
    was = before.after
    if was.invalid_at is None and dated.invalid_at is not None:
        return [end_again(link.id, None)]
    new = frozenset(one for one in link.metadata.keys() - was.metadata.keys() if one[:1] != "_")
    told = _told(was.metadata) | _times(was.metadata, was.valid_at, was.invalid_at)
    ends = link.subject, link.predicate, link.object
    put = PutFact(*ends, metadata=told, id=link.id, is_settled=True)  # it ends no other
    return [RemoveKeys(link.id, metadata=new), put] if new else [put]


def _first_back(nexus: Nexus, link: Link) -> list[Change]:
    """Return what takes back that a fact was told: for another, or so that others ended."""
    closed = nexus.concepts.joints([link.subject], "subject", [link.predicate], closed=True)
    replaced = [one.link.id for one in closed if one.link.metadata.get(REPLACED_BY) == link.id]
    if not replaced:
        return _ended_back(nexus, link)
    old = element_named(nexus, replaced[-1], closed=True)
    assert isinstance(old.element, Link)
    return [Delete(link.id), _told_again(old.element, old)]


def _ended_back(nexus: Nexus, link: Link) -> list[Change]:
    """Return what withdraws a fact and lets go on what it ended as it was told."""
    told = _versions(nexus, link.id)[0].since.number
    changes: list[Change] = []
    for joint in nexus.concepts.joints([link.subject], "subject", [link.predicate]):
        if joint.link.id == link.id:
            continue
        *_, last = _versions(nexus, joint.link.id)
        before = _version_before(nexus, joint.link.id)
        if last.since.number == told and before is not None and before.after is not None:
            until = before.after.invalid_at
            changes.append(end_again(joint.link.id, until))
    if not changes:
        raise _nothing()
    return [Delete(link.id), *changes]


def _gave_way(nexus: Nexus, link: Link) -> bool:
    """Whether what closed a fact told another of its subject and predicate, as undo does."""
    *_, last = _versions(nexus, link.id)
    made = [
        one for one in _changes_of(nexus, last.since.number) if one.operation is Operation.CREATE
    ]
    said = [(one.what.subject, one.what.predicate) for one in made if isinstance(one.what, Triple)]
    return (link.subject, link.predicate) in said


def _told_again(link: Link, dated: Dated) -> PutFact:
    """Return what tells a closed fact once more, as it was before it was replaced."""
    metadata = _told(link.metadata) | _times(link.metadata, dated.valid_at, dated.invalid_at)
    text = link.attributes.get(FACT)
    return PutFact(
        link.subject,
        link.predicate,
        link.object,
        text if isinstance(text, str) else None,
        {key: one for key, one in link.attributes.items() if key != FACT},
        metadata,
    )


def begun(dated: Dated) -> str | None:
    """Return when something began, as it was told."""
    return _as_told(dated.element.metadata, "valid_from", dated.valid_at)


def _times(metadata: Attributes, begin: Instant | None, end: Instant | None) -> dict[str, Value]:
    """Return the times of a fact as members that tell them, as they were told."""
    bounds = {"valid_from": begin, "valid_until": end}
    told = ((name, _as_told(metadata, name, at)) for name, at in bounds.items())
    return {name: one for name, one in told if one is not None}


def _as_told(metadata: Attributes, name: str, at: Instant | None) -> str | None:
    told = metadata.get(name)
    is_told = isinstance(told, str) and asked_instant(told) == at
    return str(told) if is_told else bound_text(at)


def _told(metadata: Any) -> dict[str, Value]:  # noqa: ANN401 - members of any kind
    return {key: one for key, one in metadata.items() if key not in _OWN and key[:1] != "_"}


def _concept_back(nexus: Nexus, dated: Dated, concept: Concept) -> list[Change]:
    is_withdrawn = dated.expired_at is not None
    if concept.type in _KEPT and not (is_withdrawn and concept.type == _EPISODE):
        kind, hint = _KEPT[concept.type]
        if isinstance(follower := concept.attributes.get("superseded_by"), str):
            hint = f"correct or forget {follower}, which took its place"
        message = f"undo takes back nothing that was done to {kind}"
        raise RecollectError(INVALID_ARGUMENT, message, hint=hint)
    *_, last = _versions(nexus, concept.id)
    if is_withdrawn:
        merged = merged_into(nexus, concept, last.since.number)
        return [Unmerge(concept.id)] if merged is not None else _born_again(nexus, dated, concept)
    had = {*_trail({} if last.before is None else last.before.metadata)}
    has = {*_trail(concept.metadata)}
    if had - has:
        raise _nothing()  # but a merge that was taken back: merging again is for who means it
    source = _closed_as(nexus, has - had, last.since.number) if has - had else None
    if source is not None:
        return [Unmerge(source)]
    if last.before is None:
        raise _nothing()
    held = last.before.attributes
    gone = frozenset(concept.attributes.keys() - held.keys())
    put = PutConcept(concept.type, concept.name, held)
    return [RemoveKeys(concept.id, gone), put] if gone else [put]


def _born_again(nexus: Nexus, dated: Dated, concept: Concept) -> list[Change]:
    """Return what tells a withdrawn concept once more, with the facts that went with it."""
    key = Key(concept.type, concept.name)
    changes: list[Change] = []
    for end in ENDS:
        joints = nexus.concepts.joints([concept.id], end, closed=True)
        ids = [one.link.id for one in joints if not one.is_living]
        for found in nexus.elements.look_up(ids, closed=True).values():
            link = found.element
            if isinstance(link, Link) and found.expired_at == dated.expired_at:
                told = _told_again(link, found)
                if link.subject == concept.id:
                    told = replace(told, subject=key)
                if link.object == concept.id:
                    told = replace(told, object=key)
                changes.append(told)
    put = PutConcept(concept.type, concept.name, concept.attributes, _told(concept.metadata))
    if concept.type == _EPISODE:
        put = replace(put, id=concept.id)
    return [put, *changes, put]


def merge_again(nexus: Nexus, change: Change, undone: str) -> Hint | None:
    """Return how to merge again what a change takes apart; None for another change.

    `undone` is the id of one of the two, of which the change was asked.
    """
    if not isinstance(change, Unmerge):
        return None
    if change.id != undone:
        return join(change.id, undone)
    concept, (*_, last) = (
        element_named(nexus, undone, closed=True).element,
        _versions(nexus, undone),
    )
    assert isinstance(concept, Concept)
    return join(undone, merged_into(nexus, concept, last.since.number) or undone)


def reinstate(nexus: Nexus, before: MemoryRecord, actor: Actor) -> Corrected:
    """Let a claim count again that was withdrawn: what is disputed can only become verified."""
    Writer(nexus).transition(before.id, "verified", (), "it was withdrawn, and is not", actor)
    (memory,) = records_named(nexus, [before.id])
    return Corrected(memory, before, f"forget {memory.id}")


def merged_into(nexus: Nexus, concept: Concept, number: int) -> str | None:
    """Return the concept to which the transaction that closed one gave its name, if it did."""
    met = [one.id for one in _changes_of(nexus, number) if one.operation is Operation.UPDATE]
    others = nexus.elements.look_up(met, closed=True).values()
    found = (one.element for one in others)
    return next((one.id for one in found if _entry(concept) in _trail(one.metadata)), None)


def _closed_as(nexus: Nexus, entries: Set[Value], number: int) -> str | None:
    """Return the id of a concept that a transaction closed and merged, by what a trail says."""
    for one in _changes_of(nexus, number):
        closed = one.what if one.operation is Operation.CLOSE else None
        if isinstance(closed, Key) and _entry(closed) in entries:
            return one.id
    return None


def _changes_of(nexus: Nexus, number: int) -> tuple[LoggedChange, ...]:
    (logged,) = nexus.changes(number - 1, 1)
    return logged.changes


def _entry(one: Concept | Key) -> str:
    """Return what a concept that another was merged into keeps of it."""
    return f"{one.type}:{one.name}"


def _trail(metadata: Mapping[str, Value]) -> Sequence[Value]:
    held = metadata.get(MERGED_FROM)
    return held if isinstance(held, list) else ()


def _version_before(nexus: Nexus, identifier: str) -> Version | None:
    versions = _versions(nexus, identifier)
    return versions[-2] if len(versions) > 1 else None


def _versions(nexus: Nexus, identifier: str) -> list[Version]:
    return [one for life in nexus.history(identifier) for one in life.versions]


def _nothing() -> RecollectError:
    return RecollectError(
        INVALID_ARGUMENT,
        "nothing was done to this memory that could be taken back",
        hint="ask why, and see what became of it",
    )
