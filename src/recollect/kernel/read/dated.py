"""Elements by their ids with both clocks, living or closed: the reading of single records.

The rule: an id means its latest life that had begun by the moment asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import orjson

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.lang import ast
from recollect.kernel.plan.names import canonical_name
from recollect.kernel.plan.parameters import check_parameters
from recollect.kernel.read.hydrate import hydrate
from recollect.kernel.read.moment import Moment
from recollect.kernel.sql.record import record_sql
from recollect.kernel.sql.sqlite import SQLITE
from recollect.kernel.store.cells import whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.identity import element_id
from recollect.kernel.store.protocol import Parameters, Session
from recollect.kernel.store.schema import LINK_BIT, LIVING
from recollect.kernel.store.terms import Terms
from recollect.model import BEGINNING, FOREVER, Dated, Instant

_BY_GIVEN_ID = """
SELECT w.value, c.id FROM json_each(:ids) AS w CROSS JOIN concept AS c
WHERE c.group_id = :group AND c.public_id = w.value AND c.born_at <= :known
UNION ALL
SELECT w.value, k.id FROM json_each(:ids) AS w CROSS JOIN link AS k
WHERE k.group_id = :group AND k.public_id = w.value AND k.born_at <= :known
ORDER BY 2
"""
_LIVES = """
SELECT c.id, c.expired_at, b.at, x.at FROM json_each(:ids) AS w CROSS JOIN concept AS c
CROSS JOIN tx AS b ON b.group_id = :group AND b.number = c.born_at
LEFT JOIN tx AS x ON x.group_id = :group AND x.number = c.expired_at
WHERE c.id = w.value AND c.group_id = :group AND c.born_at <= :known
UNION ALL
SELECT k.id, k.expired_at, b.at, x.at FROM json_each(:ids) AS w CROSS JOIN link AS k
CROSS JOIN tx AS b ON b.group_id = :group AND b.number = k.born_at
LEFT JOIN tx AS x ON x.group_id = :group AND x.number = k.expired_at
WHERE k.id = w.value AND k.group_id = :group AND k.born_at <= :known
"""
_KINDS = ((ast.Kind.CONCEPT, 0), (ast.Kind.LINK, LINK_BIT))


def dated_elements(
    session: Session,
    group: Group,
    terms: Terms,
    ids: Collection[str],
    moment: Moment,
    *,
    closed: bool,
) -> dict[str, Dated]:
    """Return elements by public id as they stood at a moment; what was not there is left out.

    Closed ones are there too with `closed`. Cost: six statements, whatever their number.
    """
    named = ids_named(session, group, ids, moment)
    lives = _lives(session, group, named.values(), moment, closed=closed)
    clocks = _clocks(session, group, lives, moment)
    elements = hydrate(session, group, terms, clocks, moment)
    found: dict[str, Dated] = {}
    for text, one in named.items():
        if one in clocks:
            if one not in elements:
                raise RecollectError(STORE_CORRUPT, "an element has a life and no content")
            found[text] = Dated(elements[one], *clocks[one], *lives[one])
    return found


def _known(moment: Moment) -> int:
    return LIVING - 1 if moment.known is None else moment.known


def ids_named(
    session: Session, group: Group, ids: Collection[str], moment: Moment
) -> dict[str, int]:
    """Return the integer id of the life that each id means; a computed one may be of nothing."""
    check_parameters({"ids": list(ids)}, max_depth=2)
    normal = {canonical_name(text): text for text in ids if text}
    parameters: Parameters = {
        "group": group.group_id,
        "ids": orjson.dumps([*normal]).decode(),
        "known": _known(moment),
    }
    found = {normal[str(text)]: whole(one) for text, one in session.rows(_BY_GIVEN_ID, parameters)}
    for name, text in normal.items():
        computed = element_id(group.id_bits, name)
        if text not in found and computed is not None:
            found[text] = computed
    return found


def _lives(
    session: Session, group: Group, elements: Iterable[int], moment: Moment, *, closed: bool
) -> dict[int, tuple[Instant, Instant | None]]:
    """Return when each element was created, and expired, as far as was known."""
    known = _known(moment)
    parameters: Parameters = {
        "group": group.group_id,
        "ids": orjson.dumps([*elements]).decode(),
        "known": known,
    }
    found: dict[int, tuple[Instant, Instant | None]] = {}
    for one, expired_at, born, ended in session.rows(_LIVES, parameters):
        is_alive = whole(expired_at) > known or whole(expired_at) == LIVING
        if is_alive or closed:
            found[whole(one)] = Instant(whole(born)), None if is_alive else Instant(whole(ended))
    return found


def _clocks(
    session: Session, group: Group, elements: Iterable[int], moment: Moment
) -> dict[int, tuple[Instant | None, Instant | None]]:
    """Return the fact time of each element that is true at the instant asked about, if one is."""
    wanted = [*elements]
    found: dict[int, tuple[Instant | None, Instant | None]] = {}
    for kind, bit in _KINDS:
        ids = [one for one in wanted if one & LINK_BIT == bit]
        if not ids:
            continue
        parameters: Parameters = {
            "group": group.group_id,
            "ids": orjson.dumps(ids).decode(),
            **moment.parameters,
        }
        for row in session.rows(record_sql(kind, moment.clock, SQLITE), parameters):
            start, end = whole(row[-2]), whole(row[-1])
            if moment.valid is None or start <= moment.valid < end:
                found[whole(row[0])] = (
                    None if start == BEGINNING else Instant(start),
                    None if end == FOREVER else Instant(end),
                )
    return found
