"""What recall reads of a group: every content its elements ever had, or those written since.

The rule: a content comes with the transactions between which it stood, so that one copy in memory
answers for every moment. The order is that of ids, and of transactions within one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.remembered import (
    ACTORS,
    CONCEPTS,
    LINKS,
    PAST_CONCEPTS,
    PAST_LINKS,
    TOUCHED,
)
from recollect.model import LIVING


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
    parameters: dict[str, SqlValue] = {"group": group_id, "after": after}
    if after:
        touched = session.rows(TOUCHED, {**parameters, "until": until})
        parameters["ids"] = orjson.dumps([whole(one) for (one,) in touched]).decode()
    bare = {key: one for key, one in parameters.items() if key != "after"}
    is_some = after > 0
    for now, before in ((CONCEPTS, PAST_CONCEPTS), (LINKS, PAST_LINKS)):
        past = iter(session.rows(before[is_some], parameters))
        earlier = next(past, None)
        for row in session.rows(now[is_some], bare):
            element, term, first, last = whole(row[0]), whole(row[1]), row[2], whole(row[3])
            name, subject = (first, 0) if isinstance(first, str) else ("", whole(first))
            while earlier is not None and whole(earlier[0]) <= element:
                if earlier[0] == element:
                    yield Standing(element, term, name, subject, last, *_content(earlier[1:]))
                earlier = next(past, None)
            yield Standing(element, term, name, subject, last, *_content(row[4:]))


def _content(row: SqlRow) -> tuple[str, str, int, int, int, int]:
    begin, end, since, until = map(whole, row[2:])
    return text(row[0]), text(row[1]), begin, end, since, min(until, LIVING)


def actors(session: Session, group_id: int, after: int) -> dict[int, str]:
    """Return who wrote each transaction of a group after one, where that is known."""
    rows = session.rows(ACTORS, {"group": group_id, "after": after})
    return {whole(number): text(actor) for number, actor in rows}
