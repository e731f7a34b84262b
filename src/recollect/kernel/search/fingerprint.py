"""What the text index holds of a group, in one short value.

The rule: an index and the one that is made anew from the same rows have the same fingerprint.
"""

from __future__ import annotations

import hashlib
from contextlib import closing

import orjson

from recollect.kernel.search.partition import Partition
from recollect.kernel.store.cells import text
from recollect.kernel.store.port import Session, SqlValue

_AT_ONCE = 10_000  # terms read together

_OPEN = "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, text_index, instance)"
_CLOSE = "DROP TABLE temp.vocabulary"

# A rebuild renumbers superseded documents: their element and time stand for the number.
_TERMS = """
SELECT one.term, count(*),
  sum((31 * iif(one.doc > 0, one.doc, 31 * past.element + past.until) + one.offset) % 1000003)
FROM temp.vocabulary AS one
LEFT JOIN text_past AS past ON past.group_id = :group AND past.doc = -one.doc
WHERE one.term > :after AND one.term <= :last GROUP BY one.term LIMIT :most
"""


_SIZES = """
SELECT c.id, 0, s.sz FROM concept AS c
LEFT JOIN text_index_docsize AS s ON s.id = c.id WHERE c.group_id = :group
UNION ALL
SELECT k.id, 0, s.sz FROM link AS k
LEFT JOIN text_index_docsize AS s ON s.id = k.id WHERE k.group_id = :group
UNION ALL
SELECT past.element, past.until, s.sz FROM text_past AS past
LEFT JOIN text_index_docsize AS s ON s.id = -past.doc WHERE past.group_id = :group
ORDER BY 1, 2
"""


def size_fingerprint(session: Session, group_id: int) -> bytes:
    """Return a hash of how many words each document of a group has. Cost: all of them."""
    digest = hashlib.sha256()
    with closing(session.each(_SIZES, {"group": group_id})) as rows:
        for row in rows:
            digest.update(repr(row).encode())
    return digest.digest()


def holds_nothing(session: Session, group_id: int) -> bool:
    """Whether the index has no word of a group. Runs in a write transaction."""
    return fingerprint(session, group_id) == hashlib.sha256(4 * orjson.dumps([])).digest()


def fingerprint(session: Session, group_id: int) -> bytes:
    """Return a hash of the terms of a group, of where they stand and how often.

    Runs in a write transaction. Cost: the group's part of the index; memory: some thousand terms.
    """
    prefixes = sorted(
        Partition(group_id, is_link, is_living).prefix
        for is_link in (False, True)
        for is_living in (False, True)
    )
    digest = hashlib.sha256()
    session.rows(_OPEN)
    for prefix in prefixes:
        after, last = prefix, prefix + "\U0010ffff"
        while True:
            place: dict[str, SqlValue] = {"after": after, "last": last, "most": _AT_ONCE}
            rows = session.rows(_TERMS, {"group": group_id, **place})
            digest.update(orjson.dumps(rows))
            if len(rows) < _AT_ONCE:
                break
            after = text(rows[-1][0])
    session.rows(_CLOSE)
    return digest.digest()
