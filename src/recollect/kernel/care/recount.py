"""The counts that are kept, counted again from the rows.

The rule: they are what the writer keeps by difference in `tally`, or one of the two is wrong.
"""

from __future__ import annotations

from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.schema import (
    LINK_BIT,
    LIVING,
    TALLY_CONCEPTS,
    TALLY_DOCUMENTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
    TALLY_TOKENS,
)

Counts = dict[tuple[str, int], int]
"""Counts that are not zero, by kind and term code."""

_CONCEPTS = """
SELECT c.type, count(*) FROM concept AS c
WHERE c.group_id = :group AND c.expired_at = :living GROUP BY c.type
"""
_LINKS = """
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.expired_at = :living GROUP BY k.predicate
"""
_KEYED = """
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.key != '' GROUP BY k.predicate
"""
_LINK_SUBJECTS = """
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.subject & 1 = :link GROUP BY k.predicate
"""
_LINK_OBJECTS = """
SELECT k.predicate, count(*) FROM link AS k
WHERE k.group_id = :group AND k.object & 1 = :link GROUP BY k.predicate
"""
_COUNTED = {
    TALLY_CONCEPTS: _CONCEPTS,
    TALLY_LINKS: _LINKS,
    TALLY_KEYED: _KEYED,
    TALLY_LINK_SUBJECTS: _LINK_SUBJECTS,
    TALLY_LINK_OBJECTS: _LINK_OBJECTS,
}
_OF_TEXTS = (TALLY_DOCUMENTS, TALLY_TOKENS)  # `rebuild` counts these

_KEPT = """
SELECT y.kind, y.term, y.count FROM tally AS y
WHERE y.group_id = ? AND y.kind NOT IN (?, ?) AND y.count != 0
"""
_FORGET = "DELETE FROM tally WHERE group_id = ? AND kind NOT IN (?, ?)"
_PUT = "INSERT INTO tally (group_id, kind, term, count) VALUES (?, ?, ?, ?)"


def counted(session: Session, group_id: int) -> Counts:
    """Return the counts as the rows of a group give them. Cost: every row of the group."""
    values = {"group": group_id, "living": LIVING, "link": LINK_BIT}
    found: Counts = {}
    for kind, sql in _COUNTED.items():
        parameters = {key: value for key, value in values.items() if f":{key}" in sql}
        for term, count in session.rows(sql, parameters):
            found[kind, whole(term)] = whole(count)
    return found


def kept(session: Session, group_id: int) -> Counts:
    """Return the counts as the writer kept them."""
    rows = session.rows(_KEPT, (group_id, *_OF_TEXTS))
    return {(text(kind), whole(term)): whole(count) for kind, term, count in rows}


def recount(session: Session, group_id: int) -> None:
    """Put the counts of a group right, inside a write transaction."""
    session.execute_many(_FORGET, [(group_id, *_OF_TEXTS)])
    rows = [(group_id, *key, count) for key, count in sorted(counted(session, group_id).items())]
    session.execute_many(_PUT, rows)
