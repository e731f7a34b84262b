"""Links that are true beside others: of the same subject and predicate, to another object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.schema import LIVING

_BESIDE = """
SELECT DISTINCT e.id FROM json_each(:stays) AS w CROSS JOIN link AS e
WHERE e.group_id = :group AND e.subject = w.value ->> 0 AND e.predicate = w.value ->> 1
  AND e.expired_at = :living AND e.object != w.value ->> 2
  AND e.invalid_at > max(:now, w.value ->> 3) AND e.valid_at < w.value ->> 4
LIMIT :most
"""


class Stay(NamedTuple):
    """A link, and the time in which it is true."""

    subject: int
    predicate: int
    object: int
    valid_at: int
    invalid_at: int


def held_beside(
    session: Session, group_id: int, stays: Sequence[Stay], now: int, most: int
) -> list[int]:
    """Return links that are true from now on beside those given, at a time that both share."""
    rows = session.rows(
        _BESIDE,
        {
            "group": group_id,
            "stays": orjson.dumps([[*one] for one in stays]).decode(),
            "living": LIVING,
            "now": now,
            "most": most,
        },
    )
    return [whole(one) for (one,) in rows]
