"""What recall reads of a group: every content its elements ever had, or those written since.

The rule: a content comes with the transactions between which it stood, so that one copy in memory
answers for every moment. The order is that of ids, and of transactions within one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import orjson

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.protocol import Session, SqlRow
from recollect.kernel.store.schema import LIVING

_TOUCHED: Final = """
SELECT DISTINCT c.element FROM change AS c
WHERE c.group_id = :group AND c.tx > :after AND c.tx <= :until ORDER BY c.element
"""

_CONCEPTS: Final = """
SELECT c.id, c.type, c.name, 0, c.attributes, c.metadata, c.valid_at, c.invalid_at,
  c.changed_at, c.expired_at
FROM concept AS c WHERE c.group_id = :group
"""

_LINKS: Final = """
SELECT l.id, l.predicate, l.subject, l.object, l.attributes, l.metadata, l.valid_at, l.invalid_at,
  l.changed_at, l.expired_at
FROM link AS l WHERE l.group_id = :group
"""

_PAST: Final = """
SELECT p.id, p.attributes, p.metadata, p.valid_at, p.invalid_at, p.changed_at, p.until
FROM {table} AS p WHERE p.group_id = :group AND p.until > :after
"""

_AMONG: Final = " AND {alias}.id IN (SELECT one.value FROM json_each(:ids) AS one)"


class Standing(NamedTuple):
    """A content of an element, and when it stood."""

    element: int
    term: int  # code of its type or predicate
    name: str  # of a concept
    subject: int  # of a link
    object: int
    attributes: str  # JSON
    metadata: str
    valid_at: int
    invalid_at: int
    since: int  # the transaction that wrote it
    until: int  # that superseded or closed it, or LIVING


def standings(session: Session, group_id: int, after: int, until: int) -> Iterator[Standing]:
    """Yield the contents of what was touched after one transaction and by another.

    With `after` 0 they are all that there are. Concepts come first. Cost: every content of the
    elements touched; of those, the superseded ones after that transaction.
    """
    ids: str | None = None
    if after:
        touched = session.rows(_TOUCHED, {"group": group_id, "after": after, "until": until})
        ids = orjson.dumps([whole(one) for (one,) in touched]).decode()
    parameters = {"group": group_id, "after": after, **({} if ids is None else {"ids": ids})}
    for statement, alias, table in ((_CONCEPTS, "c", "concept_past"), (_LINKS, "l", "link_past")):
        bound = "" if ids is None else _AMONG
        past: dict[int, list[SqlRow]] = {}
        older = _PAST.format(table=table) + bound.format(alias="p") + " ORDER BY p.id, p.until"
        for row in session.rows(older, parameters):
            past.setdefault(whole(row[0]), []).append(row[1:])
        current = statement + bound.format(alias=alias) + f" ORDER BY {alias}.id"
        bare = {key: one for key, one in parameters.items() if key != "after"}
        for row in session.rows(current, bare):
            yield from _contents(row, past.get(whole(row[0]), ()))


def _contents(row: SqlRow, past: list[SqlRow] | tuple[()]) -> Iterator[Standing]:
    element, term, first, last = whole(row[0]), whole(row[1]), row[2], whole(row[3])
    name, subject = (first, 0) if isinstance(first, str) else ("", whole(first))
    for attributes, metadata, valid_at, invalid_at, since, until in past:
        yield Standing(
            element,
            term,
            name,
            subject,
            last,
            text(attributes),
            text(metadata),
            whole(valid_at),
            whole(invalid_at),
            whole(since),
            whole(until),
        )
    attributes, metadata, valid_at, invalid_at, since, until = row[4:]
    yield Standing(
        element,
        term,
        name,
        subject,
        last,
        text(attributes),
        text(metadata),
        whole(valid_at),
        whole(invalid_at),
        whole(since),
        min(whole(until), LIVING),
    )


_ACTORS: Final = """
SELECT t.number, t.actor FROM tx AS t
WHERE t.group_id = :group AND t.number > :after AND t.actor IS NOT NULL
"""


def actors(session: Session, group_id: int, after: int) -> dict[int, str]:
    """Return who wrote each transaction of a group after one, where that is known."""
    rows = session.rows(_ACTORS, {"group": group_id, "after": after})
    return {whole(number): text(actor) for number, actor in rows}
