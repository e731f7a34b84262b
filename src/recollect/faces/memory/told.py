"""Facts as people and models tell them, made the changes that put them.

The rule: what a fact does not say stays as it was told before; a plain name means the one thing
that is called so, and what is told of nothing known is told of an Entity. A predicate in several
words is the one that joins them: `lives in` is `lives_in`. A number, true or false is a concept
that is called by it as JSON writes it, so that equal values are one, and that holds the value
itself, so that a filter compares it. A day is one Entity in all its spellings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from time import strftime, strptime
from typing import Final

from recollect.errors import INVALID_VALUE, PERMISSION_DENIED, RecollectError, nearest, refused
from recollect.faces.beginnings import any_id
from recollect.faces.memory.naming import ENTITY, SELF, own_concept, spellings_of_day
from recollect.kernel import Nexus, asked_instant
from recollect.model import (
    FACT,
    SEARCH_ATTRIBUTES,
    Change,
    Concept,
    Element,
    Instant,
    Key,
    Local,
    Named,
    PutConcept,
    PutFact,
    Reference,
    Value,
    instant_text,
)
from recollect.node import dataclass

MOST_FACTS: Final = 1_000
"""Facts of one call."""

_LENGTH_OF_ID: Final = 36  # of one that a memory gives; a shorter one may be its beginning
_LONGEST_NAME: Final = 1_000
_LONGEST_TEXT: Final = 10_000
_ALSO: Final = {"fact": "text"}
"""Other words for members, as other programs spell them."""

_MEANT: Final = {
    **dict.fromkeys(("since", "from", "start", "date", "when", "valid_from"), "valid_at"),
    **dict.fromkeys(("until", "to", "end", "valid_until"), "invalid_at"),
}
"""What others would be called here; they are refused, since they may mean something else."""

_YEAR_MONTH_OR_DAY: Final = re.compile(r"\d{4}(-\d\d){0,2}")

_IN_WORDS: Final = ("%B %Y", "%b %Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y")
_DAYS: Final = f'FIND(?d.name) WHERE {{ ?d {{type: "{ENTITY}"}} FILTER(IN(?d.name, $names)) }}'

REPLACES: Final = "replaces"
"""Metadata of a fact: the id of the one that it was told to end."""

NEVER: Final = "never"
"""What is said of the end of a fact that has one, where it should have none."""

_PERSON: Final = "Person"
ACTORS: Final = (SELF, "$system")
"""The agent of a memory, and what runs it: persons that KIP knows by these names."""

_EXAMPLE: Final = '{"subject": "Maria", "predicate": "works_at", "object": "BMW"}'


@dataclass(frozen=True, slots=True)
class End:
    """An end of a fact: an id, a type and a name, a name alone, or a value."""

    id: str | None = None
    type: str | None = None
    name: str | None = None
    value: bool | float | None = None
    value_type: str = ""  # true is not 1


@dataclass(frozen=True, slots=True)
class ToldFact:
    """One fact as it was told, checked."""

    subject: End
    predicate: str
    object: End
    text: str | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    source: str | None = None
    confidence: float | None = None
    replaces: str | None = None


_MEMBERS: Final = tuple(one.name for one in fields(ToldFact))


def read_facts(given: Sequence[Mapping[str, object]]) -> list[ToldFact]:
    """Return facts as they are told; INVALID_ARGUMENT names the member, as `facts[0].object`."""
    if len(given) > MOST_FACTS:
        raise refused(f"facts has more than {MOST_FACTS} members", "tell them in several calls")
    return [read_fact(one, f"facts[{at}]") for at, one in enumerate(given)]


def read_fact(given: Mapping[str, object], place: str) -> ToldFact:
    """Return one fact as it is told."""
    said: dict[str, object] = {}
    for key, value in given.items():
        name = _ALSO.get(key, key)
        if name not in _MEMBERS:
            missing = tuple(one for one in _MEMBERS[:3] if one not in given)
            raise _no_member(str(key), place, missing)
        if value is not None and said.setdefault(name, value) != value:
            raise refused(f"{place}.{name} and {place}.fact differ", f"use {name} alone")
    for name in ("subject", "predicate", "object"):
        if name not in said:
            raise refused(f"{place}.{name} is missing", f"pass {_EXAMPLE}")
    begins, valid_at = _time(said.get("valid_at"), f"{place}.valid_at")
    ends, invalid_at = _time(said.get("invalid_at"), f"{place}.invalid_at")
    if begins is not None and ends is not None and begins >= ends:
        raise refused(
            f"{place}.valid_at {valid_at} is not before its invalid_at {invalid_at}",
            "send an invalid_at that is later, or leave it out",
        )
    return ToldFact(
        _end(said["subject"], f"{place}.subject", is_object=False),
        "_".join(_text(said["predicate"], f"{place}.predicate", _LONGEST_NAME).split()),
        _end(said["object"], f"{place}.object", is_object=True),
        _optional(said.get("text"), f"{place}.text", _LONGEST_TEXT),
        valid_at,
        invalid_at,
        _optional(said.get("source"), f"{place}.source", _LONGEST_TEXT),
        checked_confidence(said.get("confidence"), f"{place}.confidence"),
        _optional(said.get("replaces"), f"{place}.replaces", _LONGEST_NAME),
    )


def _no_member(key: str, place: str, missing: tuple[str, ...]) -> RecollectError:
    near = (_MEANT[key],) if key in _MEANT else nearest(key, _MEMBERS)
    near = near or missing[: len(missing) == 1]  # the only one that it can be
    return refused(
        f"{place} has no member {key[:60]}; a fact has {', '.join(_MEMBERS)}",
        f"use {near[0]}" if near else f"leave out {key[:60]}",
        known=near,
    )


def checked_confidence(value: object, place: str) -> float | None:
    """Return a confidence from 0 to 1, if there is one."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise refused(f"{place} is {value!r:.40}, which is not from 0 to 1", "use 0.9")
    return float(value)


def changes_of(
    nexus: Nexus, facts: Sequence[ToldFact], askers: Sequence[str] = ()
) -> tuple[list[Change], list[PutFact]]:
    """Return what puts the values that facts are told about, and what puts the facts in order.

    "Me" is the first of `askers` that is known.
    """
    references: dict[End, Reference] = {}
    made: list[Change] = []
    ends = list(dict.fromkeys(_ends(facts)))
    days = _days(nexus, [one.name for one in ends if one.type is None and one.name])
    for at, end in enumerate(ends):
        name = end.name or ""
        if end.id is not None:
            references[end] = _whole(nexus, end.id)
        elif end.value is not None:
            references[end] = Local(str(at))
            made.append(put_scalar(end.value, str(at)))
        elif end.type is None:
            me = own_concept(nexus, name, askers)
            references[end] = days.get(name, Named(name)) if me is None else me.id
        else:  # what a call of its own writes must be there already
            is_owned = end.type in nexus.kinds.owned
            references[end] = Key(end.type, name) if is_owned else Named(name, end.type)
    ended = [one.replaces and _whole(nexus, one.replaces) for one in facts]
    return made, [_put(one, references, id) for one, id in zip(facts, ended, strict=True)]


def _whole(nexus: Nexus, id: str) -> str:
    return any_id(nexus, id) if len(id) < _LENGTH_OF_ID else id


def _days(nexus: Nexus, names: Sequence[str]) -> dict[str, Reference]:
    """Return what those of some names mean that are days: what each was called first.

    That is the Entity of one of its spellings, else the first of them here. Cost: one FIND.
    """
    told = {one: spelt for one in names if (spelt := spellings_of_day(one))}
    names = [each for spelt in told.values() for each in spelt]
    rows = nexus.read(_DAYS, {"names": [*names]}).rows if names else ()
    known: dict[str, Reference] = {str(one): Key(ENTITY, str(one)) for (one,) in rows}
    for name, spelt in told.items():
        day = next((one for one in spelt if one in known), spelt[0])
        known[name] = known.setdefault(day, Named(day))
    return known


def _ends(facts: Sequence[ToldFact]) -> Iterator[End]:
    for fact in facts:
        yield fact.subject
        yield fact.object


def _put(fact: ToldFact, ends: Mapping[End, Reference], old: str | None) -> PutFact:
    subject, other = ends[fact.subject], ends[fact.object]
    times = {"valid_from": fact.valid_at, "valid_until": fact.invalid_at}
    said = {**times, "source": fact.source, "confidence": fact.confidence, REPLACES: old}
    told: dict[str, Value] = {key: one for key, one in said.items() if one is not None}
    told[SEARCH_ATTRIBUTES] = [FACT]
    return PutFact(
        subject, fact.predicate, other, fact.text, metadata=told, moves_beginning=True, replaces=old
    )


def _end(given: object, place: str, *, is_object: bool) -> End:
    match given:
        case bool() | int() | float() if is_object:
            return End(value=given, value_type=type(given).__name__)
        case str():
            name = _text(given, place, _LONGEST_NAME)
            return End(type=_PERSON if name in ACTORS else None, name=name)
        case Mapping():
            members = {str(key): value for key, value in given.items()}
            if set(members) == {"id"}:
                return End(id=_text(members["id"], f"{place}.id", _LONGEST_NAME))
            if set(members) == {"type", "name"}:
                kind = _text(members["type"], f"{place}.type", _LONGEST_NAME)
                if kind.startswith("$"):
                    raise PERMISSION_DENIED.error(
                        f'{place}.type is "{kind}", of which nothing is told',
                        "use a type of your own, such as Person",
                    )
                return End(type=kind, name=_text(members["name"], f"{place}.name", _LONGEST_NAME))
    value = ", a number, true or false" if is_object else ""
    raise refused(f"{place} is no name", f'pass "Maria", {{"type", "name"}} or {{"id"}}{value}')


def _optional(value: object, place: str, longest: int) -> str | None:
    return None if value is None else _text(value, place, longest)


def _text(value: object, place: str, longest: int) -> str:
    if not isinstance(value, str):
        raise refused(f"{place} is not a text", "pass a string")
    if not value.strip():
        raise refused(f"{place} is blank", "say what it is")
    if len(value) > longest:
        raise refused(f"{place} is longer than {longest} characters", "make it shorter")
    return value.strip()


def _time(value: object, place: str) -> tuple[Instant | None, str | None]:
    """Return an instant, and how it is kept: a year, a month or a day as it was told."""
    if value is None:
        return None, None
    told = value.strip() if isinstance(value, str) else ""
    for form in _IN_WORDS if " " in told else ():
        with suppress(ValueError):
            told = strftime("%Y-%m-%d" if "%d" in form else "%Y-%m", strptime(told, form))
    instant = asked_instant(told)
    if instant is None:
        raise INVALID_VALUE.error(
            f"{place} is {value!r:.60}, which is not an ISO 8601 date or time",
            'write it like "2024", "2024-01", "2024-01-31" or "2024-01-31T09:30:00Z"',
        )
    return instant, told if _YEAR_MONTH_OR_DAY.fullmatch(told) else instant_text(instant)


NUMBER: Final = "Number"
BOOLEAN: Final = "Boolean"
_VALUE: Final = "value"
_WHOLE: Final = 2**53  # up to here a whole number is the same with and without a point


def put_scalar(value: bool | float, handle: str | None = None) -> PutConcept:
    """Return the change that puts a value.

    >>> put_scalar(42.0) == put_scalar(42), put_scalar(True).name
    (True, 'true')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        value = int(value)
    kind = BOOLEAN if isinstance(value, bool) else NUMBER
    return PutConcept(kind, json.dumps(value), {_VALUE: value}, handle=handle)


def scalar_of(element: Element) -> bool | int | float | None:
    """Return the value that an element is, if it is one."""
    if not isinstance(element, Concept) or element.type not in (NUMBER, BOOLEAN):
        return None
    value = element.attributes.get(_VALUE)
    return value if isinstance(value, (bool, int, float)) else None
