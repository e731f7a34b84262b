"""What a memory said in the lives that it had before it was corrected, withdrawn or told again.

The rule: to the story of a memory belongs what says the same and is believed no longer, and what
was over by then of all that one was put in the place of another. What stands by itself never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain

from recollect.errors import RecollectError
from recollect.faces.memory.naming import merge_trail
from recollect.faces.memory.told import REPLACES
from recollect.kernel import Nexus
from recollect.model import FOREVER, REPLACED_BY, Concept, Dated, Key, Link, Version, bound_text


def earlier_lives(nexus: Nexus, ids: Iterable[str]) -> list[str]:
    """Return the ids of what some memories were before, without theirs."""
    given = dict.fromkeys(ids)
    found = nexus.elements.look_up(given, closed=True).values()
    lives = dict.fromkeys(chain.from_iterable(_story(nexus, one) for one in found))
    return [one for one in lives if one not in given]


def ended_by(nexus: Nexus, dated: Dated) -> Iterator[Dated]:
    """Yield the facts that end where another began, for no more than that it was told."""
    link = dated.element
    if not isinstance(link, Link):
        return
    joints = nexus.joints.at([link.subject], "subject", [link.predicate])
    others = nexus.elements.look_up([one.link.id for one in joints if one.link.id != link.id])
    over = {id: one for id, one in others.items() if one.invalid_at is not None}
    steps = versions_of(nexus, link.id, *earlier_lives(nexus, [link.id])) if over else []
    told = {one.since.number: dated.valid_at or one.since.at for one in steps if _is_moved(one)}
    for id, one in over.items():
        until = one.element.metadata.get("valid_until")  # as it was told, or as it was computed
        if one.invalid_at in told.values() and until == bound_text(one.invalid_at):
            its = versions_of(nexus, id, *earlier_lives(nexus, [id]))
            then = [step.after for step in its if told.get(step.since.number) == one.invalid_at]
            if any(each and each.invalid_at == one.invalid_at for each in then):
                yield one


def versions_of(nexus: Nexus, *ids: str) -> list[Version]:
    """Return every step of the lives that some ids have had, oldest first of each."""
    return [step for id in ids for life in nexus.history(id) for step in life.versions]


def _is_moved(step: Version) -> bool:
    """Whether a step tells a fact, when it is true or what it replaces, and not only more of it."""
    if step.before is None or step.after is None:
        return True
    was, now = (
        (one.valid_at, one.invalid_at, one.metadata.get(REPLACES))
        for one in (step.before, step.after)
    )
    return was != now


def _story(nexus: Nexus, dated: Dated) -> Iterable[str]:
    if isinstance(dated.element, Link):
        return _of_fact(nexus, dated, dated.element)
    return [*_selves(nexus, dated.element.id), *_superseded(nexus, dated.element)]


def _of_fact(nexus: Nexus, fact: Dated, link: Link) -> Iterable[str]:
    """Return the ids of a fact, of what said the same, and of what was corrected on the way."""
    subjects, said = _selves(nexus, link.subject), _selves(nexus, link.object)
    joints = nexus.joints.at(subjects, "subject", [link.predicate], closed=True)
    standing = {one.link.object for one in joints if one.is_living}  # another says it by itself
    gone = [one.link for one in joints if not one.is_living]
    found = nexus.elements.look_up([one.id for one in gone], closed=True)
    ends = {id: one.expired_at or FOREVER for id, one in found.items()}
    same = (ends[one.id] for one in gone if one.object in said)
    over = max(fact.expired_at or FOREVER, *same, 0)
    left = [one for one in gone if ends[one.id] <= over]
    story, replacing = {link.id: link}, {link.metadata.get(REPLACED_BY)}
    while more := [
        one
        for one in left
        if one.id not in story
        and (one.object in said or one.id in replacing or one.metadata.get(REPLACED_BY) in story)
    ]:
        story |= {one.id: one for one in more}
        said |= {one.object for one in more} - standing
        replacing |= {one.metadata.get(REPLACED_BY) for one in more}
    return story


def _selves(nexus: Nexus, id: str) -> set[str]:
    """Return an id, and those of its concept in earlier lives, under names merged into it too."""
    one = nexus.elements.look_up([id], closed=True)[id].element
    if not isinstance(one, Concept):
        return {id}
    entries = [f"{one.type}:{one.name}", *map(str, merge_trail(one.metadata))]
    lives = {id}
    for kind, _, name in (entry.partition(":") for entry in entries):
        with suppress(RecollectError):  # what was merged into another may be erased
            lives |= {life.id for life in nexus.history(Key(kind, name))}
    found = nexus.elements.look_up(lives, closed=True)
    return {id} | {each for each in lives if found[each].expired_at is not None}


def _superseded(nexus: Nexus, claim: Concept) -> set[str]:
    """Return the ids of the claims that one took the place of, and of those before them."""
    story, wave = set[str](), {claim.id}
    while wave:
        joints = nexus.joints.at(wave, "subject", ["supersedes"], closed=True)
        wave = {one.link.object for one in joints} - story
        story |= wave
    return story
