"""Links that are true beside others: of the same subject and predicate, to another object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import orjson

from recollect.kernel.store.cells import whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.meant import BESIDE
from recollect.model import LIVING


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
        BESIDE,
        {
            "group": group_id,
            "stays": orjson.dumps([[*one] for one in stays]).decode(),
            "living": LIVING,
            "now": now,
            "most": most,
        },
    )
    return [whole(one) for (one,) in rows]
