"""Taking back the last thing that was done to a memory, where that can be done.

The rule: nothing is taken out of the past. What was replaced, ended or withdrawn is told again, as
it was; what took its place is believed no longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from recollect.errors import Hint, Notice, RecollectError, ToDo, join, refused, undo_of
from recollect.faces.claims import Actor, Writer
from recollect.faces.memory.lives import earlier_lives, versions_of
from recollect.faces.memory.model import BECAUSE, Corrected, MemoryRecord, records_named
from recollect.faces.memory.naming import ENDS, element_named, merge_trail
from recollect.faces.memory.told import REPLACES
from recollect.kernel import Nexus, asked_instant
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    REPLACED_BY,
    Attributes,
    Change,
    Concept,
    Content,
    Dated,
    Delete,
    Element,
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
    normal_text,
)

_EPISODE: Final = "Episode"
_KEPT: Final = {
    "Claim": ("a claim", "correct it to what is right, or forget it"),
    _EPISODE: ("an episode", "forget it, if it should not be there"),
    "KnowledgePiece": ("a piece", "correct it to what is right, or forget it"),
}
"""Types of what is never changed, and what to do; an episode that is withdrawn is told again."""

_NOTHING: Final = "nothing was done to this memory that could be taken back"
_TAKEN_APART: Final = "what was done last took two things apart, which no undo takes back"
_TOLD_SINCE: Final = "what was told since would stand beside what this was"
_MOST_MET: Final = 50  # links of a call, up to which what they replace is looked for in all of them

UNDOES: Final = "undoes"
"""Metadata of what lives again: the transaction that was taken back."""

_OWN: tuple[str, ...] = (REPLACED_BY, BECAUSE, UNDOES, "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class Back:
    """What takes something back: changes, and the place of the one that puts what stands then.

    `at` is when that was done which they take back.
    """

    changes: list[Change]
    stands: int = -1
    at: Instant = FOREVER


def changes_back(nexus: Nexus, identifier: str) -> Back:
    """Return what takes back the last change of a memory.

    INVALID_ARGUMENT where there is nothing to take back, or nothing can be: what was told or done
    since, to facts of which one holds at a time, would stand beside what is put back.
    """
    dated = element_named(nexus, identifier, closed=True)
    element = dated.element
    if not isinstance(element, Link):
        versions = versions_of(nexus, element.id)
        if changes := _concept_back(nexus, dated, element):
            return Back(changes, at=versions[-1].since.at)
        if len(versions) > 1:
            raise refused(_TAKEN_APART, "correct one with same_as the other, if they are one")
        raise refused(_NOTHING, _forget(element.id))
    joints = nexus.joints.at([element.subject], "subject", [element.predicate])
    gone = [one.link for one in joints if dated.expired_at is not None]
    now = [one for one in gone if element.id in earlier_lives(nexus, [one.id])]
    last, *others = (_last_number(nexus, one.id) for one in (element, *now))
    back = None if max(others, default=0) > last else _fact_back(nexus, element)
    if back is not None and back.changes:
        return back
    newer = now
    if not (back or now):
        living = (one.link for one in joints)
        since = max(living, key=lambda one: _last_number(nexus, one.id), default=element)
        newer = [since] if since.id != element.id else []
    hints = [undo_of(one.id) for one in newer if (its := _fact_back(nexus, one)) and its.changes]
    message = _NOTHING if back else _TOLD_SINCE
    message = f"this goes on as {now[0].id}" if now else message
    hints += [_forget(one.id) for one in (*newer, element)]
    raise refused(message, hints[0])


def _last_number(nexus: Nexus, id: str) -> int:
    """Return the transaction that changed a fact last."""
    return versions_of(nexus, id)[-1].since.number


def way_back(nexus: Nexus, identifier: str) -> Hint:
    """Return how to take back what was done last to a memory: by undo, or what is there anew."""
    try:
        changes_back(nexus, identifier)
    except RecollectError:
        return _forget(identifier)
    return undo_of(identifier)


def _forget(identifier: str) -> Hint:
    return Hint(f"forget {identifier}", ToDo.FORGET, identifier, "withdraw")


def _fact_back(nexus: Nexus, link: Link) -> Back | None:
    """Return what takes back the last transaction of a fact, for the others that it was about too.

    Those are the facts of the same subject and predicate where one holds at a time, since any of
    them may stand where another is put back; else what one was put in the place of, or the other
    way. What an undo did is taken back whole. None where what came since would not fit.
    """
    joints = nexus.joints.at([link.subject], "subject", [link.predicate], closed=True)
    replaced = [one.link.id for one in joints if one.link.metadata.get(REPLACED_BY) == link.id]
    number = max(_last_number(nexus, one) for one in (link.id, *replaced))
    steps, since = _steps_in(nexus, number, link)
    own = steps.pop(link.id, [])
    is_one = normal_text(link.predicate) in nexus.declared.functional()
    met = {*steps} if is_one else {*replaced, *_met(steps, own, link.id)} - since
    beside = met & steps.keys()
    (had, told), by = _told(own, REPLACES), link.metadata.get(REPLACED_BY)
    if own and own[-1].after is None:
        if by is None or not is_one:
            beside = {one for one, of in steps.items() if one == by and of[0].before is None}
        if by is None and any(of[-1].after is not None for of in steps.values()):
            return Back([])  # an undo closed it, which is not taken back by one more
    elif (had and not told) or any(map(_is_withdrawn, steps.values())):
        beside = {*steps} if is_one else {*steps} - since  # an undo did it: all is taken back
    elif own and all(of[0].before is None for of in (own, *(steps[one] for one in beside))):
        return Back([])  # all of it was nothing but told
    order = {one: of for one, of in steps.items() if one in beside}
    order |= {link.id: own} if own else {}
    found = nexus.elements.look_up([*order, *(one.link.id for one in joints)], closed=True)
    at = next(iter(order.values()))[-1].since.at
    newer = [one for one in found.values() if one.created_at > at]
    if is_one and (since & beside or _meets(order.values(), newer)):
        return None
    changes, stands = list[Change](), -1
    put_back = link.id if own and own[0].before is not None else next(iter(replaced), None)
    for id in sorted(order, key=lambda one: order[one][0].before is not None):  # what goes, first
        changes += _restored(found[id].element, order[id], is_settled=not newer)
        stands = len(changes) - 1 if id == put_back else stands
    return Back(changes, stands, at)


def _stay(one: Content | Dated) -> tuple[Instant, Instant]:
    return (
        BEGINNING if one.valid_at is None else one.valid_at,
        FOREVER if one.invalid_at is None else one.invalid_at,
    )


def _meets(put_back: Iterable[Sequence[Version]], newer: Sequence[Dated]) -> bool:
    """Whether what is put back as it was, and not told anew, meets any of what was told since."""
    stays = [_stay(one) for one in newer if one.expired_at is None]
    for steps in put_back:
        if (before := steps[0].before) is not None and steps[-1].after is not None:
            since, until = _stay(before)
            if any(max(since, begins) < min(until, ends) for begins, ends in stays):
                return True
    return False


def taken_back_too(nexus: Nexus, done: Corrected, at: Instant) -> Iterator[Notice]:
    """Yield what an undo of what was done at an instant did to the facts beside the one named.

    INVALID_ARGUMENT where it changed what was told since.
    """
    if done.transaction is None:
        return
    (logged,) = nexus.changes(done.transaction - 1, 1)
    changed = nexus.elements.look_up([one.id for one in logged.changes], closed=True)
    since = [one for one in changed.values() if at < one.created_at < logged.transaction.at]
    for told in sorted(since, key=lambda one: isinstance(one.element, Link)):
        raise refused(_TOLD_SINCE, _forget(told.element.id))  # a concept, and all that is of it
    named = {done.before.id, done.memory.id, done.before.superseded_by}
    ids = [one.id for one in logged.changes if isinstance(one.what, Triple)]
    beside = [one for one in dict.fromkeys(ids) if one not in named]
    for one in records_named(nexus, beside if done.before.kind == "fact" else ()):
        now = "stands no longer" if one.expired_at else "stands as it did before"
        yield Notice("taken_back_too", f'"{one}" {now}, since the same call had changed it')


def _steps_in(nexus: Nexus, number: int, link: Link) -> tuple[dict[str, list[Version]], set[str]]:
    """Return what a transaction did to a fact and to those beside it, step by step.

    And which of those were changed since.
    """
    changes = [one for each in nexus.changes(number - 1, 1) for one in each.changes]
    says = {
        one.id: (one.what.subject, normal_text(one.what.predicate))
        for one in changes
        if isinstance(one.what, Triple)
    }
    beside = {one for one, of in says.items() if of == (link.subject, normal_text(link.predicate))}
    few = says if len(says) <= _MOST_MET else beside
    versions = {one: versions_of(nexus, one) for one in few}
    steps = {id: [one for one in of if one.since.number == number] for id, of in versions.items()}
    its = beside.union(_met(steps, steps.get(link.id, []), link.id))
    since = {id for id, of in versions.items() if of[-1].since.number > number}
    return {id: of for id, of in steps.items() if id in its}, since


def _told(steps: Sequence[Version], key: str) -> tuple[Value, Value]:
    """Return what a fact's metadata said before some steps, and after them."""
    before, after = (steps[0].before, steps[-1].after) if steps else (None, None)
    had = None if before is None else before.metadata.get(key)
    return had, None if after is None else after.metadata.get(key)


def _met(steps: Mapping[str, list[Version]], own: Sequence[Version], id: str) -> Iterator[str]:
    """Yield which of some facts one was put in the place of in the same call, or the other way."""
    had, told = _told(own, REPLACES)
    for one, of in steps.items():
        its, their = _told(of, REPLACES)
        if (had != told and one in (had, told)) or (its != their and id in (its, their)):
            yield one


def _is_withdrawn(steps: Sequence[Version]) -> bool:
    """Whether a fact was closed, and for no other."""
    last = steps[-1].before
    return steps[-1].after is None and last is not None and REPLACED_BY not in last.metadata


def _restored(link: Element, steps: Sequence[Version], *, is_settled: bool) -> list[Change]:
    """Return what brings a fact back to what it was before some steps, the last of its story."""
    before, after = steps[0].before, steps[-1].after
    assert isinstance(link, Link)
    if before is None:  # nor is there anything left of what lived for one call
        return [] if after is None else [Delete(link.id)]
    if after is None:
        return [replace(_told_again(link, before, steps[-1].since.number), is_settled=is_settled)]
    attributes = frozenset(after.attributes.keys() - before.attributes.keys())
    held = {key for key, one in before.metadata.items() if one is not None} - {BECAUSE}
    metadata = frozenset(after.metadata.keys() - held)
    put = replace(_told_again(link, before), id=link.id, is_settled=True)  # it ends no other
    if before.valid_at is None:
        put = replace(put, guessed_at=BEGINNING)  # and may have been guessed to begin since
    return [RemoveKeys(link.id, attributes, metadata), put]


def _told_again(link: Link, content: Content, undone: int | None = None) -> PutFact:
    """Return what tells a fact once more, as it was; `undone` is the transaction that closed it."""
    said, text = dict(content.attributes), content.attributes.get(FACT)
    said.pop(FACT, None)
    guessed_at = guessed(content.metadata, content.valid_at)
    times = _times(content if guessed_at is None else replace(content, valid_at=None))
    ends = link.subject, link.predicate, link.object
    words = text if isinstance(text, str) else None
    metadata = carried(content.metadata) | times | ({} if undone is None else {UNDOES: undone})
    return PutFact(*ends, words, said, metadata, guessed_at=guessed_at, is_anew=True)


def carried(metadata: Attributes) -> dict[str, Value]:
    """Return what a fact says of itself that stays where it is told anew."""
    return {key: one for key, one in metadata.items() if key not in _OWN and key[:1] != "_"}


def begun(dated: Dated) -> str | None:
    """Return when something began, if that was told, as it was told."""
    is_guessed = guessed(dated.element.metadata, dated.valid_at) is not None
    return None if is_guessed else _as_told(dated.element.metadata, "valid_from", dated.valid_at)


def over(dated: Dated) -> str | None:
    """Return when something ended, if it did, as it was told."""
    return _as_told(dated.element.metadata, "valid_until", dated.invalid_at)


def guessed(metadata: Attributes, valid_at: Instant | None) -> Instant | None:
    """Return when a fact began if nobody told that: its metadata does not."""
    return None if "valid_from" in metadata else valid_at


def _times(content: Content) -> dict[str, Value]:
    """Return the times of a fact as members that tell them, as they were told."""
    bounds = {"valid_from": content.valid_at, "valid_until": content.invalid_at}
    told = ((name, _as_told(content.metadata, name, at)) for name, at in bounds.items())
    return {name: one for name, one in told if one is not None}


def _as_told(metadata: Attributes, name: str, at: Instant | None) -> str | None:
    told = metadata.get(name)
    is_told = isinstance(told, str) and asked_instant(told) == at
    return str(told) if is_told else bound_text(at)


def _concept_back(nexus: Nexus, dated: Dated, concept: Concept) -> list[Change]:
    is_withdrawn = dated.expired_at is not None
    if concept.type in _KEPT and not (is_withdrawn and concept.type == _EPISODE):
        kind, hint = _KEPT[concept.type]
        message = f"undo takes back nothing that was done to {kind}"
        if isinstance(follower := concept.attributes.get("superseded_by"), str):
            message = f"undo takes back nothing by the id of {kind} that was replaced"
            hint = f"undo, correct or forget {follower}, which took its place"
        raise refused(message, hint)
    *_, last = versions_of(nexus, concept.id)
    if is_withdrawn:
        merged = merged_into(nexus, concept, last.since.number)
        for one in () if merged else nexus.elements.named(concept.name, type=concept.type):
            if one.element.metadata.get(UNDOES) == last.since.number:
                id = one.element.id
                raise refused(f"this was taken back already, and goes on as {id}", _forget(id))
        return [Unmerge(concept.id)] if merged is not None else _born_again(nexus, dated, concept)
    had = {*merge_trail({} if last.before is None else last.before.metadata)}
    has = {*merge_trail(concept.metadata)}
    if had - has:
        return []  # but a merge that was taken back: merging again is for who means it
    source = _closed_as(nexus, has - had, last.since.number) if has - had else None
    if source is not None:
        return [Unmerge(source)]
    if last.before is None:
        return []
    held = last.before.attributes
    gone = frozenset(concept.attributes.keys() - held.keys())
    put = PutConcept(concept.type, concept.name, held)
    return [RemoveKeys(concept.id, gone), put] if gone else [put]


def _born_again(nexus: Nexus, dated: Dated, concept: Concept) -> list[Change]:
    """Return what tells a withdrawn concept once more, with the facts that went with it."""
    key, undone = Key(concept.type, concept.name), versions_of(nexus, concept.id)[-1].since.number
    changes: list[Change] = []
    for end in ENDS:
        joints = nexus.joints.at([concept.id], end, closed=True)
        ids = [one.link.id for one in joints if not one.is_living]
        for found in nexus.elements.look_up(ids, closed=True).values():
            link = found.element
            if isinstance(link, Link) and found.expired_at == dated.expired_at:
                told = _told_again(link, _content(found), undone)
                if link.subject == concept.id:
                    told = replace(told, subject=key)
                if link.object == concept.id:
                    told = replace(told, object=key)
                changes.append(told)
    metadata = {k: one for k, one in concept.metadata.items() if k[:1] != "_" and k != BECAUSE}
    metadata[UNDOES] = undone
    put = PutConcept(concept.type, concept.name, concept.attributes, metadata)
    if concept.type == _EPISODE:
        put = replace(put, id=concept.id)
    return [put, *changes, put]


def _content(dated: Dated) -> Content:
    one = dated.element
    return Content(one.attributes, one.metadata, dated.valid_at, dated.invalid_at)


def merge_again(nexus: Nexus, change: Change, undone: str) -> Hint | None:
    """Return how to merge again what a change takes apart; None for another change.

    `undone` is the id of one of the two, of which the change was asked.
    """
    if not isinstance(change, Unmerge):
        return None
    if change.id != undone:
        return join(change.id, undone)
    concept = element_named(nexus, undone, closed=True).element
    *_, last = versions_of(nexus, undone)
    assert isinstance(concept, Concept)
    return join(undone, merged_into(nexus, concept, last.since.number) or undone)


def reinstate(nexus: Nexus, before: MemoryRecord, actor: Actor) -> Corrected:
    """Let a claim count again that was withdrawn: what is disputed can only become verified."""
    Writer(nexus).transition(before.id, "verified", (), "it was withdrawn, and is not", actor)
    (memory,) = records_named(nexus, [before.id])
    return Corrected(memory, before, _forget(memory.id))


def merged_into(nexus: Nexus, concept: Concept, number: int) -> str | None:
    """Return the concept to which the transaction that closed one gave its name, if it did."""
    met = [one.id for one in _changes_of(nexus, number) if one.operation is Operation.UPDATE]
    found = (one.element for one in nexus.elements.look_up(met, closed=True).values())
    return next((one.id for one in found if _entry(concept) in merge_trail(one.metadata)), None)


def _closed_as(nexus: Nexus, entries: Set[Value], number: int) -> str | None:
    """Return the id of a concept that a transaction closed and merged, by what a trail says."""
    closed = (one for one in _changes_of(nexus, number) if one.operation is Operation.CLOSE)
    keys = ((one.id, one.what) for one in closed)
    return next((id for id, key in keys if isinstance(key, Key) and _entry(key) in entries), None)


def _changes_of(nexus: Nexus, number: int) -> tuple[LoggedChange, ...]:
    return nexus.changes(number - 1, 1)[0].changes


def _entry(one: Concept | Key) -> str:
    """Return what a concept that another was merged into keeps of it."""
    return f"{one.type}:{one.name}"
