"""A moment and the elements of it: what callers call them, both ways, and what they say.

The texts of callers become instants: ISO 8601, of which a reduced form means the start of its
period and no zone means UTC; `now` is the present on either clock. An AsOf becomes guards and
parameters of both clocks. A name may have had several lives, each closed before the next began; all
of them are meant.

The rule: what is read is compared now and then with the digests that were logged when it was
written; a difference is damage and is raised, never shown. One statement reads a content and its
digest, so that both are of one moment; what a write has not committed has no digest yet.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta

import orjson

from recollect.errors import (
    INVALID_VALUE,
    NOT_FOUND,
    STORE_CORRUPT,
    Hint,
    Notice,
    RecollectError,
    ToDo,
    ask_at,
    refused,
)
from recollect.kernel.sql.hydration import hydration_sql
from recollect.kernel.sql.rows import Clock
from recollect.kernel.store.cells import (
    SqlValue,
    canonical_name,
    check_parameters,
    digest_of_cells,
    element_id,
    members,
    octets,
    public_id,
    text,
    whole,
)
from recollect.kernel.store.group import Group, Terms, last_transaction
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.statements.elements import (
    AT_INSTANT,
    AT_NUMBER,
    BY_ID,
    BY_KEY,
    CURRENT,
    GIVEN_IDS,
    MEANT_KEYS,
    PAST,
    PURGED,
    TRIPLES,
)
from recollect.model import (
    LINK_BIT,
    LIVING,
    AsOf,
    Concept,
    Element,
    ElementKind,
    Instant,
    Key,
    Link,
    Triple,
    instant_text,
)
from recollect.model.arguments import refuse_unknown, require_object, require_text
from recollect.node import dataclass

_PRESENT = "now"
"""The word for the present in what is asked; what is kept never says it."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_ORDINAL = re.compile(r"(\d{4})-?(\d{3})")
_LIKE = 'write it like "2024-01-31" or "2024-01-31T09:30:00Z"'
_WHOLE = re.compile("[0-9]{1,18}")


def parse_instant(text: str) -> Instant | None:
    """Return the start of the period an ISO 8601 text names, or None when it is not one.

    An instant that in UTC is outside the years 1 to 9999 counts as none, because no text could
    express it.

    >>> parse_instant("1970") == parse_instant("1970-01-01T01:00:00+01:00") == 0
    True
    >>> parse_instant("next week") is None
    True
    """
    try:
        moment = _moment(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return Instant((moment - _EPOCH) // _MILLISECOND)


def asked_instant(text: str) -> Instant | None:
    """Return the instant that somebody asks for: `parse_instant`, and `now`; None for neither.

    What is kept is read by `parse_instant`: it would not mean the same later.
    """
    words = text.strip()
    return Instant(time.time_ns() // 1_000_000) if words == _PRESENT else parse_instant(words)


def instant(text: object) -> Instant:
    """Return the instant of a text: an ISO 8601 date or time, its beginning, or `now`.

    Without a zone it is in UTC. INVALID_ARGUMENT for other texts.

    >>> instant("1970") == instant("1970-01-01") == instant("1970-01-01T01:00+01:00") == 0
    True
    """
    found = asked_instant(text) if isinstance(text, str) else None
    if found is None:
        raise refused(
            f"{text!r:.60} is not an ISO 8601 date or time",
            'write it like "2024-01-31", "2024-01", "2024-01-31T09:30:00Z" or "now"',
        )
    return found


def _moment(text: str) -> datetime:
    if not text.isascii():
        raise ValueError(text)
    if found := _YEAR_OR_MONTH.fullmatch(text):
        return datetime(int(found[1]), int(found[2] or 1), 1, tzinfo=UTC)
    if found := _ORDINAL.fullmatch(text):
        day = date(int(found[1]), 1, 1) + timedelta(days=int(found[2]) - 1)
        if day.year != int(found[1]):
            raise ValueError(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    return datetime.fromisoformat(text)


def read_as_of(value: object) -> AsOf | None:
    """Return the point in time `value` names: an `AsOf`, `{"valid"?, "known"?}`, or None.

    `valid` is an instant as text; `known` is an instant as text, or a transaction number.

    >>> read_as_of({"valid": "1970-01-02"})
    AsOf(valid=86400000, known=None, transaction=None)
    """
    if value is None or isinstance(value, AsOf):
        return value
    if isinstance(value, str):
        raise INVALID_VALUE.error(
            "as_of is a string, which does not say which of the two times it means",
            f'pass {{"known": {json.dumps(value, ensure_ascii=False)}}} as as_of',
        )
    clocks = require_object("as_of", value)
    refuse_unknown("as_of", clocks, ("valid", "known"))
    valid, known = clocks.get("valid"), clocks.get("known")
    valid_at = None if valid is None else _instant_of("as_of.valid", valid)
    if known is None or known == _PRESENT:  # whatever has been written by then
        return AsOf(valid=valid_at)
    if isinstance(known, int) and not isinstance(known, bool):
        return AsOf(valid=valid_at, transaction=_transaction(known))
    return AsOf(valid=valid_at, known=_instant_of("as_of.known", known, _hint_for_known(known)))


def _transaction(number: int) -> int:
    if 0 <= number < 2**63:
        return number
    raise INVALID_VALUE.error(
        f"as_of.known is {number}, which is not a transaction number", "pass a whole number from 0"
    )


def _hint_for_known(value: object) -> str:
    """Return what to write in place of a text, which may be the number of a transaction."""
    if isinstance(value, str) and _WHOLE.fullmatch(value) is not None:
        return ask_at(int(value))
    return _LIKE


def _instant_of(name: str, value: object, hint: str = _LIKE) -> Instant:
    asked = require_text(name, value)
    found = asked_instant(asked)
    if found is None:
        raise INVALID_VALUE.error(
            f"{name} is {asked!r}, which is not an ISO 8601 date or time", hint
        )
    return found


@dataclass(frozen=True, slots=True)
class Moment:
    """A clock and its parameters."""

    clock: Clock
    parameters: dict[str, SqlValue]
    valid: Instant | None = None
    known: int | None = None  # a transaction's number
    notices: tuple[Notice, ...] = ()


NOW = Moment(Clock(), {})


def resolve_moment(session: Session, group: Group, as_of: AsOf | None) -> Moment:
    """Return the moment of an AsOf; before the first transaction nothing was known."""
    if as_of is None or as_of == AsOf():
        return NOW
    check_as_of(as_of)
    parameters: dict[str, SqlValue] = {}
    number: int | None = None
    if as_of.valid is not None:
        parameters["valid"] = as_of.valid
    if as_of.known is not None or as_of.transaction is not None:
        number, last_id = _known(session, group, as_of)
        parameters |= {"known": number, "last_id": last_id}
    clock = Clock(number is not None, as_of.valid is not None)
    notices = () if number is None else tuple(_notices(session, group, as_of, number))
    return Moment(clock, parameters, as_of.valid, number, notices)


def check_as_of(as_of: AsOf) -> None:
    """Raise INVALID_ARGUMENT for what is no AsOf, whatever the caller's types say."""
    if not isinstance(as_of, AsOf):
        raise refused(
            f"as_of is of type {type(as_of).__name__}, not an AsOf",
            "pass AsOf(known=...) or AsOf(valid=...)",
        )
    for at in (as_of.valid, as_of.known):
        if at is None:
            continue
        if type(at) is not int:
            raise refused(
                f"a point in time of AsOf is of type {type(at).__name__}, not a whole number",
                "pass milliseconds since 1970-01-01T00:00:00Z",
            )
        if not -LIVING < at < LIVING:
            raise refused(
                f"the instant {at} is outside the range of the clock",
                "pass milliseconds since 1970-01-01T00:00:00Z",
            )
    if as_of.transaction is None:
        return
    if type(as_of.transaction) is not int or not 0 <= as_of.transaction < LIVING:
        raise refused(
            f"transaction of AsOf is {as_of.transaction!r}, not the number of one",
            "pass a whole number from 0",
        )
    if as_of.known is not None:
        raise refused(
            "AsOf has both known and transaction, which ask the same clock", "pass one of them"
        )


def _notices(session: Session, group: Group, as_of: AsOf, number: int) -> Iterator[Notice]:
    """Yield warnings about what was asked: no transaction yet, or its number as an instant."""
    asked = as_of.known or 0
    if as_of.transaction is not None and as_of.transaction > number:
        message = (
            f"transaction {as_of.transaction} does not exist yet;"
            f" the answer is as of {number}, the latest"
        )
        yield Notice("future_transaction", message, hint=ask_at(number))
    elif number == 0 < asked <= last_transaction(session, group.group_id):
        message = f"nothing was known at {instant_text(Instant(asked))}"
        hint = f"use AsOf(transaction={asked}) for transaction {asked}"
        yield Notice("transaction_as_instant", message, hint=hint)


def _known(session: Session, group: Group, as_of: AsOf) -> tuple[int, int]:
    if as_of.transaction is None:
        row = session.row(AT_INSTANT, {"group": group.group_id, "at": as_of.known})
    else:
        number = min(as_of.transaction, last_transaction(session, group.group_id))
        row = session.row(AT_NUMBER, {"group": group.group_id, "number": number})
    return (0, 0) if row is None else (int(str(row[0])), int(str(row[1])))


def elements_named(session: Session, group: Group, terms: Terms, what: str | Key) -> list[int]:
    """Return the integer ids of every life that a public id or a key names, oldest first.

    KIP_3002 if there is none, INVALID_ARGUMENT for anything but an id or a key. Cost: for an id
    that no element has, the change log is read.
    """
    match what:
        case Key(str(), str()):
            found = _by_key(session, group, terms, what)
        case str():
            found = lives_by_id(session, group, [what]).get(what, [])
        case _:  # whatever the caller's types say
            raise refused(
                "the element is named by a value that is not text",
                'pass its id as a str, or Key("type", "name")',
            )
    if not found:
        raise _purged(session, group, what) or _missing(what)
    return found


def check_ids(ids: object) -> None:
    """Raise INVALID_ARGUMENT for what is not a collection of texts, whatever the types say."""
    if (
        isinstance(ids, str)
        or not isinstance(ids, Collection)
        or not all(isinstance(one, str) for one in ids)
    ):
        raise refused("the ids are not a collection of texts", 'pass ["..."]')


def lives_by_id(
    session: Session, group: Group, ids: Collection[str], moment: Moment = NOW
) -> dict[str, list[int]]:
    """Return the integer ids of the lives of each public id by a moment, oldest first.

    An id of nothing is left out. Cost: one statement, whatever the number of ids.
    """
    check_ids(ids)
    check_parameters({"ids": list(ids)}, max_depth=2)
    normal = {one: canonical_name(one) for one in ids}
    numbers = {name: element_id(group.id_bits, name) for name in normal.values()}
    computed = {name: one for name, one in numbers.items() if one is not None}
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "ids": orjson.dumps([*numbers]).decode(),
        "computed": orjson.dumps(computed).decode(),
        "known": LIVING if moment.known is None else moment.known,
    }
    found = defaultdict[str, list[int]](list)
    for name, one in session.once(BY_ID, parameters):
        found[text(name)].append(whole(one))
    return {given: found[name] for given, name in normal.items() if name in found}


def latest_by_id(
    session: Session, group: Group, ids: Collection[str], moment: Moment = NOW
) -> dict[str, int]:
    """Return the integer id of the latest of the lives of each public id by a moment."""
    return {one: lives[-1] for one, lives in lives_by_id(session, group, ids, moment).items()}


def public_ids(session: Session, group: Group, elements: Iterable[int]) -> dict[int, str]:
    """Return the public ids of elements by integer id: given, else computed."""
    ids = list(dict.fromkeys(elements))
    parameters: Parameters = {"group": group.group_id, "ids": orjson.dumps(ids).decode()}
    given = {one: text(own) for one, own in session.rows(GIVEN_IDS, parameters)}
    return {one: given.get(one) or public_id(group.id_bits, one) for one in ids}


def identities(
    session: Session, group: Group, terms: Terms, elements: Iterable[int]
) -> dict[int, Key | Triple]:
    """Return what names each element for good, by integer id; what was purged is left out."""
    parameters: Parameters = {"group": group.group_id, "ids": orjson.dumps(list(elements)).decode()}
    found: dict[int, Key | Triple] = {}
    for one, code, name in session.rows(MEANT_KEYS, parameters):
        found[whole(one)] = Key(terms.text(session, whole(code)), text(name))
    triples = session.rows(TRIPLES, parameters)
    ends = {whole(end) for _, subject, _, target in triples for end in (subject, target)}
    ids = public_ids(session, group, ends)
    for one, subject, code, target in triples:
        predicate = terms.text(session, whole(code))
        found[whole(one)] = Triple(ids[whole(subject)], predicate, ids[whole(target)])
    return found


def _by_key(session: Session, group: Group, terms: Terms, key: Key) -> list[int]:
    check_parameters({"type": key.type, "name": key.name}, max_depth=1)
    code = terms.code(session, canonical_name(key.type))
    if code is None:
        return []
    parameters: Parameters = {
        "group": group.group_id,
        "type": code,
        "name": canonical_name(key.name),
    }
    return [whole(one) for (one,) in session.rows(BY_KEY, parameters)]


def _purged(session: Session, group: Group, what: str | Key) -> RecollectError | None:
    """Return the error for the computed id of an element that was purged, if it is one."""
    element = None if isinstance(what, Key) else element_id(group.id_bits, canonical_name(what))
    if element is None:
        return None
    row = session.row(PURGED, {"group": group.group_id, "element": element})
    if row is None or row[0] is None:
        return None
    number = whole(row[0])
    return NOT_FOUND.error(
        f'the element with the id "{what}" was purged in transaction {number}',
        Hint(
            f"see who did it: Nexus.changes(since={number - 1}, limit=1)",
            ToDo.SEE_TRANSACTION,
            str(number),
        ),
    )


_LOOK = Hint("look for it with SEARCH", ToDo.SEARCH)


def _missing(what: str | Key) -> RecollectError:
    if isinstance(what, Key):
        return NOT_FOUND.error(
            f'there is no concept {{type: "{what.type}", name: "{what.name}"}}, nor was there one',
            _LOOK,
        )
    return NOT_FOUND.error(f'no element has or had the id "{what}"', _LOOK)


def compare(session: Session, group: Group, elements: Sequence[int], *, is_past: bool) -> None:
    """Compare those of some elements whose turn it is; STORE_CORRUPT names the first difference.

    `is_past` tells whether what they said before was read.
    """
    chosen = session.sampling.of(elements) if not session.is_writing else ()
    if chosen:
        refuse_different(session, group, chosen, is_past=is_past)


def refuse_different(
    session: Session, group: Group, elements: Sequence[int], *, is_past: bool
) -> None:
    """Compare elements; STORE_CORRUPT names the first that is not what was logged."""
    for table, bit in (("concept", 0), ("link", LINK_BIT)):
        ids = [one for one in elements if one & LINK_BIT == bit]
        for statements in ((CURRENT, PAST) if is_past else (CURRENT,)) if ids else ():
            parameters: dict[str, SqlValue] = {
                "group": group.group_id,
                "ids": orjson.dumps(ids).decode(),
            }
            for row in session.rows(statements[table], parameters):
                if not _is_logged(row):
                    session.sampling.suspect()
                    raise _different(group, row)


def _is_logged(row: SqlRow) -> bool:
    id_, _, salt, digest, *cells = row
    try:
        identity = (whole(id_), *map(part, cells[4:]))
        return digest_of_cells(octets(salt), identity, cells[:4]) == digest
    except RecollectError:  # a cell of another type
        return False


def part(cell: SqlValue) -> int | str | None:
    """Return a part of an identity, whichever it is; None: an id that was not given, no term."""
    return cell if cell is None or isinstance(cell, int) else text(cell)


def _different(group: Group, row: SqlRow) -> RecollectError:
    id_, given, *_ = row
    name = given if isinstance(given, str) else public_id(group.id_bits, whole(id_))
    return STORE_CORRUPT.error(
        f"the element {name} is not what was written",
        "see what else is damaged: recollect doctor",
        details={"element": name},
    )


def hydrate(
    session: Session, group: Group, terms: Terms, ids: Iterable[int], moment: Moment = NOW
) -> dict[int, Element]:
    """Return the elements by id; an id that is not of this group is left out."""
    concepts: list[int] = []
    links: list[int] = []
    for one in set(ids):
        (links if one & 1 == LINK_BIT else concepts).append(one)
    compare(session, group, concepts + links, is_past=moment.clock.has_known)
    found: dict[int, Element] = {}
    for row in _rows(session, group, ElementKind.CONCEPT, concepts, moment):
        found[whole(row[0])] = shown_concept(session, group, terms, row)
    for row in _rows(session, group, ElementKind.LINK, links, moment):
        found[whole(row[0])] = shown_link(session, group, terms, row)
    return found


def shown_concept(session: Session, group: Group, terms: Terms, row: SqlRow) -> Concept:
    """Return the concept of a row of `hydration_sql`."""
    id_, given, type_, name, attributes, metadata = row
    return Concept(
        str(given) if given is not None else public_id(group.id_bits, whole(id_)),
        terms.text(session, int(str(type_))),
        str(name),
        members(attributes),
        members(metadata),
    )


def shown_link(session: Session, group: Group, terms: Terms, row: SqlRow) -> Link:
    """Return the link of a row of `hydration_sql`."""
    id_, given, predicate, subject, subject_id, object_, object_id, attributes, metadata = row
    return Link(
        str(given) if given is not None else public_id(group.id_bits, whole(id_)),
        _end(group, subject, subject_id),
        terms.text(session, int(str(predicate))),
        _end(group, object_, object_id),
        members(attributes),
        members(metadata),
    )


def _rows(
    session: Session, group: Group, kind: ElementKind, ids: list[int], moment: Moment
) -> list[SqlRow]:
    if not ids:
        return []
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "ids": orjson.dumps(ids).decode(),
        **moment.parameters,
    }
    return session.rows(hydration_sql(kind, moment.clock, session.dialect), parameters)


def _end(group: Group, element: SqlValue, given: SqlValue) -> str:
    if given is not None:
        return str(given)
    return public_id(group.id_bits, whole(element))
