"""The counts that are kept, counted again from the rows.

The rule: they are what the writer keeps by difference in `tally`, or one of the two is wrong.
"""

from __future__ import annotations

import orjson

from recollect.kernel.store.cells import (
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_DOCUMENTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
    TALLY_TOKENS,
    text,
    whole,
)
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.counts import (
    BOUNDED_CONCEPTS,
    BOUNDED_LINKS,
    CONCEPTS,
    FORGET,
    KEPT,
    KEYED,
    LINK_OBJECTS,
    LINK_SUBJECTS,
    LINKS,
    PUT,
)
from recollect.model import BEGINNING, FOREVER, LINK_BIT, LIVING

Counts = dict[tuple[str, int], int]
"""Counts that are not zero, by kind and term code."""

COUNTED = {
    TALLY_CONCEPTS: CONCEPTS,
    TALLY_LINKS: LINKS,
    TALLY_KEYED: KEYED,
    TALLY_LINK_SUBJECTS: LINK_SUBJECTS,
    TALLY_LINK_OBJECTS: LINK_OBJECTS,
    TALLY_BOUNDED_CONCEPTS: BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS: BOUNDED_LINKS,
}
"""How the kinds are counted whose term is a type or a predicate."""

_OF_TEXTS = orjson.dumps([TALLY_DOCUMENTS, TALLY_TOKENS]).decode()  # `rebuild` counts these


def counted(session: Session, group_id: int) -> Counts:
    """Return the counts as the rows of a group give them. Cost: every row of the group."""
    values = {
        "group": group_id,
        "living": LIVING,
        "link": LINK_BIT,
        "beginning": BEGINNING,
        "forever": FOREVER,
    }
    found: Counts = {}
    for kind, statement in COUNTED.items():
        for term, count in session.rows(statement, values):
            found[kind, whole(term)] = whole(count)
    return found


def kept(session: Session, group_id: int) -> Counts:
    """Return the counts as the writer kept them."""
    rows = session.rows(KEPT, {"group": group_id, "others": _OF_TEXTS})
    return {(text(kind), whole(term)): whole(count) for kind, term, count in rows}


def recount(session: Session, group_id: int) -> None:
    """Put the counts of a group right, inside a write transaction."""
    session.execute_many(FORGET, [{"group": group_id, "others": _OF_TEXTS}])
    rows = [(group_id, *key, count) for key, count in sorted(counted(session, group_id).items())]
    session.execute_many(PUT, rows)
