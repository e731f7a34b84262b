"""What people name: by an id or its beginning, by a name, by a first name, by "me".

The rule: a whole id means itself, and a name the one living thing that is called so. A first name
that is a thing of its own, and also that of one person alone, may be that person: what is told of
either is shown for both, with how to make them one, until a link keeps them apart.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import strptime
from typing import Final, Literal

from recollect.errors import (
    RESOURCE_NOT_FOUND,
    Notice,
    RecollectError,
    is_slip,
    join,
    may_be_one,
    refused,
)
from recollect.faces.beginnings import any_id, closed_id, near_names
from recollect.kernel import Nexus, tokens
from recollect.model import (
    MERGED_FROM,
    REPLACED_BY,
    AsOf,
    Concept,
    Dated,
    Element,
    Hits,
    Link,
    Value,
)

ENDS: Final[tuple[Literal["subject", "object"], ...]] = ("subject", "object")
"""Where a link begins and where it leads."""

SELF: Final = "$self"
ENTITY: Final = "Entity"
"""The type of what was told without one."""

_DAYS: Final = ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y")
ME: Final = frozenset({"me", "myself", "i", "mich", "mir", "ich", "mí", "yo"})
"""What people call themselves: whom the agent serves, else who asks."""

_SERVED: Final = f'FIND(?one) WHERE {{ ({{type: "Person", name: "{SELF}"}}, "serves", ?one) }}'
_LONGEST: Final = 60  # characters of a name that an error repeats
_MOST: Final = 200  # concepts of a first name
_MOST_SHOWN: Final = 5


def element_named(nexus: Nexus, identifier: str, *, closed: bool = False) -> Dated:
    """Return the element of an id, or of the beginning of one or of its last part.

    What lives goes before what was closed. NOT_FOUND if there is none, or it lives no more.
    """
    whole = identifier
    if (dated := nexus.elements.look_up([whole], closed=closed).get(whole)) is None:
        whole = any_id(nexus, identifier)
        whole = closed_id(nexus, identifier) if whole == identifier else whole
        dated = nexus.elements.look_up([whole], closed=closed).get(whole)
    if dated is None:
        by = None if closed else standing_now(nexus, whole, with_other=True)
        error = _not_there(by, identifier, "memory" if closed else "living memory")
        found = nexus.elements.named(identifier)
        named = [one.element for one in found if one.by == "name" or len(found) == 1]
        hint = f"use {named[0].id}, the id of {named[0].name}" if named else error.hint
        raise replace(error, hint=hint)
    return dated


def check_is_said(nexus: Nexus, identifier: str) -> None:
    """Raise NOT_FOUND where what a fact said is said by another now."""
    if (now := standing_now(nexus, identifier)) is not None:
        raise _not_there(now, identifier)


def _not_there(now: str | None, id: str, what: str = "living memory") -> RecollectError:
    return RESOURCE_NOT_FOUND.error(
        f"no {what} has this id: {id[:_LONGEST]}",
        "recall it, and pass the id that the answer gives"
        if now is None
        else f"use {now}: what it said stands there now",
    )


def standing_now(nexus: Nexus, identifier: str, *, with_other: bool = False) -> str | None:
    """Return the living fact that says another in a closed one's place, or says the same."""
    dated = nexus.elements.look_up([identifier], closed=True).get(identifier)
    if dated is None or dated.expired_at is None or not isinstance(link := dated.element, Link):
        return None
    living = [one.link for one in nexus.joints.at([link.subject], "subject", [link.predicate])]
    by = link.metadata.get(REPLACED_BY) if with_other else None
    found = [one.id for one in living if one.id == by or one.object == link.object]
    return str(by) if by in found else next(iter(found), None)


def concept_called(nexus: Nexus, called: str) -> Concept:
    """Return the one concept of a name or an id; INVALID_ARGUMENT where several are called so."""
    found = [one for one in nexus.elements.named(called) if one.by != "first name"]
    if len(found) > 1:
        told = "; ".join(f"{one.element.id} ({one.detail})" for one in found)
        raise refused(f'several are called "{called[:_LONGEST]}": {told}', "pass one's id")
    element = found[0].element if found else _element_called(nexus, called, past=False)
    if not isinstance(element, Concept):
        raise _unknown(called, "pass the name or the id of a concept")
    return element


def merge_trail(metadata: Mapping[str, Value]) -> Sequence[Value]:
    """Return what a concept keeps of those that were merged into it: the type and name of each."""
    held = metadata.get(MERGED_FROM)
    return held if isinstance(held, list) else ()


def is_me(name: str | None) -> bool:
    """Whether a name is what people call themselves."""
    return name is not None and name.lower() in ME


def own_concept(nexus: Nexus, called: str, askers: Sequence[str]) -> Concept | None:
    """Return who is meant by "me": the first who asks that is known; None for another word.

    One that is written large is the name of what is called so, such as Mir, where something is.
    """
    if not is_me(called) or (not called.islower() and called != "I" and _called_me(nexus, called)):
        return None
    for one in askers:
        found = [each.element for each in nexus.elements.named(one)]
        if one == SELF:
            rows = nexus.read(_SERVED, as_of=AsOf(valid=nexus.now())).rows
            found = [each for (each,) in rows if isinstance(each, Concept)]
        if len(found) == 1:
            return found[0]
    return None


def _called_me(nexus: Nexus, called: str) -> list[Concept]:
    return [one.element for one in nexus.elements.named(called) if one.by == "name"]


def called_before(nexus: Nexus, me: Concept, name: str) -> Iterator[Notice]:
    """Yield how what was called "me" while nobody was known to be becomes one with who it is."""
    for one in _called_me(nexus, name):
        if is_me(one.name) and one.id != me.id:
            message = f'"{name}" is {me.name}; what is called so ({one.id}) is from before'
            yield Notice("called_before", message, join(one.id, me.id))


def spellings_of_day(name: str) -> tuple[str, ...]:
    """Return a day as it may be spelt, first as it is; nothing for what is not surely one.

    >>> spellings_of_day("12 may 1990"), spellings_of_day("2024-1-1")
    (('12 May 1990', '1990-05-12', 'May 12, 1990'), ())
    """
    for at, form in enumerate(_DAYS if name[-1:].isdigit() else ()):
        with suppress(ValueError):
            year, month, day, *_ = strptime(name, form)
            word, date = month_name[month], f"{year:04}-{month:02}-{day:02}"
            spelt = date, f"{day} {word} {year}", f"{word} {day}, {year}"
            return (spelt[at], *spelt[:at], *spelt[at + 1 :]) if at or name == date else ()
    return ()


def things_called(
    nexus: Nexus, called: str, *, past: bool
) -> tuple[dict[str, str], tuple[Notice, ...]]:
    """Return the names of what is called so or has the id, by id, and what may be one of it.

    NOT_FOUND where nothing is, and where a first name is that of several.
    """
    named = nexus.elements.named(called)
    for spelt in () if named else spellings_of_day(called):
        named = named or nexus.elements.named(spelt, type=ENTITY)
    things = {one.element.id: one.element.name for one in named}
    if named and named[0].by == "first name" and len(named) > 1:
        whom = [f'"{one}"' for one in sorted(set(things.values()))[:_MOST_SHOWN]]
        raise _unknown(called, f"say whom: {' or '.join(whom)}")
    if not things:
        one = _element_called(nexus, called, past=past)
        things = {one.id: one.name if isinstance(one, Concept) else called}
    notices = list[Notice]()
    for id, name, whole, its in [*_namesakes(nexus, {**things, **_bearers(nexus, called)})]:
        # Who is named in full may be called so, too, if nobody else is.
        if id in things or (whole in things and any(first_names(nexus, {whole: its}))):
            things |= {id: name, whole: its}
            notices.append(may_be_one(name, id, its, whole))
    return things, tuple(notices)


def _element_called(nexus: Nexus, called: str, *, past: bool) -> Element:
    try:
        return element_named(nexus, called, closed=past).element
    except RecollectError as error:
        if error.code is not RESOURCE_NOT_FOUND:
            raise
        like = near_names(nexus, called).items()
        near = tuple(dict.fromkeys(name for word, name in like if is_slip(called, (word,))))
        hint = "recall it in plain words, and pass the name that the answer gives"
        raise _unknown(called, f'use "{near[0]}"' if near else hint, near) from None


def _namesakes(nexus: Nexus, things: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield what has the first name alone of one of some things, and that one: ids and names."""
    for whole, its in things.items():
        first, *others = its.split() or [""]
        found = nexus.elements.named(first) if others else ()
        called = [one.element for one in found if one.by in ("name", "spelling")]
        links = (
            [one.link for end in ENDS for one in nexus.joints.at([whole], end)] if called else []
        )
        apart = {end for one in links for end in (one.subject, one.object)}
        yield from (
            (one.id, one.name, whole, its) for one in called if one.id not in {whole, *apart}
        )


def first_names(nexus: Nexus, things: Mapping[str, str]) -> Iterator[str]:
    """Yield the first names of things that nobody else has."""
    for id, name in things.items():
        first, *others = name.split() or [""]
        if others and _bearers(nexus, first).keys() == {id}:
            yield first


def _bearers(nexus: Nexus, first: str) -> dict[str, str]:
    """Return who has a first name, by id: what is called so and more, in words written large."""
    wanted = tokens(first)
    if len(wanted) != 1:
        return {}
    hits = nexus.search(first, "concept", limit=_MOST).only(Hits)
    found = (one.element for one in hits.hits if isinstance(one.element, Concept))
    return {
        one.id: one.name
        for one in found
        if nexus.kinds.is_free(one.type)
        and len(words := one.name.split()) > 1
        and all(word[0].isupper() for word in words)
        and tokens(words[0]) == wanted
    }


def _unknown(called: str, hint: str, near: tuple[str, ...] = ()) -> RecollectError:
    return RESOURCE_NOT_FOUND.error(f'nothing is called "{called[:_LONGEST]}"', hint, known=near)
