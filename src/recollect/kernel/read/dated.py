"""Elements by their ids with both clocks, living or closed: the reading of single records.

The rule: an id means its latest life that had begun by the moment asked about.
"""

from __future__ import annotations

from collections.abc import Collection

import orjson

from recollect.kernel.read.cells import compare, shown_concept, shown_link
from recollect.kernel.read.moment import Moment, latest_by_id
from recollect.kernel.read.reader import Reader
from recollect.kernel.sql.hydration import dated_sql
from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import Parameters, SqlRow
from recollect.kernel.store.statements.elements import KEYS
from recollect.model import BEGINNING, FOREVER, LINK_BIT, LIVING, Dated, ElementKind, Instant, Key

_KINDS = ((ElementKind.CONCEPT, 0, shown_concept), (ElementKind.LINK, LINK_BIT, shown_link))
_CLOCK_COLUMNS = 5  # the last ones of `dated_sql`


def dated_elements(reader: Reader, ids: Collection[str], *, closed: bool) -> dict[str, Dated]:
    """Return elements by public id as they stood at the reader's moment, if they were there.

    Closed ones are there too with `closed`. Cost: a statement for the ids, and one for each
    kind of element.
    """
    named = latest_by_id(reader.session, reader.group, ids, reader.moment)
    found = dated_by_number(reader, named.values(), closed=closed)
    return {text: found[one] for text, one in named.items() if one in found}


def dated_by_number(reader: Reader, ids: Collection[int], *, closed: bool) -> dict[int, Dated]:
    """Return the same by integer id, each of the life that it names."""
    session, group, terms, moment = reader.session, reader.group, reader.terms, reader.moment
    compare(session, group, [*ids], is_past=moment.clock.has_known)
    found: dict[int, Dated] = {}
    for kind, bit, shown in _KINDS:
        wanted = [one for one in set(ids) if one & LINK_BIT == bit]
        if not wanted:
            continue
        parameters: Parameters = {
            "group": group.group_id,
            "ids": orjson.dumps(wanted).decode(),
            **moment.parameters,
        }
        for row in session.rows(dated_sql(kind, moment.clock, session.dialect), parameters):
            clocks = _clocks(row, moment, closed=closed)
            if clocks is not None:
                element = shown(session, group, terms, row[:-_CLOCK_COLUMNS])
                found[whole(row[0])] = Dated(element, *clocks)
    return found


def keys_of(reader: Reader, ids: Collection[str], *, closed: bool) -> dict[str, Key]:
    """Return the types and names of concepts by public id, of those that were there.

    Closed ones are there too with `closed`. Cost: two statements, whatever their number.
    """
    session = reader.session
    named = latest_by_id(session, reader.group, ids, reader.moment)
    parameters: Parameters = {
        "group": reader.group.group_id,
        "ids": orjson.dumps([*named.values()]).decode(),
        "known": _known(reader.moment),
        "closed": closed,
    }
    found = {
        whole(one): Key(reader.terms.text(session, whole(code)), str(name))
        for one, code, name in session.rows(KEYS, parameters)
    }
    return {text: found[one] for text, one in named.items() if one in found}


def _known(moment: Moment) -> int:
    return LIVING - 1 if moment.known is None else moment.known


def _clocks(
    row: SqlRow, moment: Moment, *, closed: bool
) -> tuple[Instant | None, Instant | None, Instant, Instant | None] | None:
    """Return both clocks of a row; None where it was closed, or not true at the moment."""
    start, end, expired_at = map(whole, row[-_CLOCK_COLUMNS:-2])
    is_alive = expired_at == LIVING or expired_at > _known(moment)
    if not is_alive and not closed:
        return None
    if moment.valid is not None and not start <= moment.valid < end:
        return None
    return (
        None if start == BEGINNING else Instant(start),
        None if end == FOREVER else Instant(end),
        Instant(whole(row[-2])),
        None if is_alive else Instant(whole(row[-1])),
    )
