"""A text that was asked before, answered outside of a block: often by one statement.

The rule: without a snapshot each statement sees the store as it stands then, so an answer counts
only if the version of the store was the same all along; else the text is asked anew.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.errors import RecollectError
from recollect.kernel.read.catalogs import GroupState
from recollect.kernel.read.prepared import MOST_CHARACTERS, SplitText
from recollect.kernel.read.reader import Reader
from recollect.kernel.store.port import Session
from recollect.model import Answer, AsOf, Limits, Value

_MOST_BYTES = 4 * MOST_CHARACTERS


def answer_prepared(
    session: Session,
    state: GroupState,
    text: str,
    values: Mapping[str, Value],
    as_of: AsOf | None,
    limits: Limits,
) -> Answer | None:
    """Return the answer to a text that was asked before; None if it must be parsed again.

    Raises KIP_4001, KIP_4002 and STORE_BUSY as the long way would.
    """
    split = SplitText.of(text) if limits.max_length >= _MOST_BYTES else None
    if split is None:
        return None
    with session.held():
        if session.depth:
            return None
        try:
            moment = state.moment(as_of)
            reader = Reader(session, state.catalog, limits, moment, state.counted)
            rows = reader.run_prepared(split, values)
            if rows is None or session.version() != state.version:
                return None
        except RecollectError as error:
            if error.code.category != "limit":
                return None
            raise error.at(text) from None
        finally:
            session.allow(None)
    return Answer((rows,), moment.notices)
