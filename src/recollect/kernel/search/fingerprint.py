"""What the text index holds of a group, in one short value.

The rule: an index and the one that is made anew from the same rows have the same fingerprint.
"""

from __future__ import annotations

import hashlib

import orjson

from recollect.kernel.search.partition import Partition
from recollect.kernel.store.cells import text
from recollect.kernel.store.protocol import Session, SqlValue

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
