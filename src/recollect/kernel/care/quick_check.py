"""What is looked at when a memory is opened with a check: little, and what breaks most.

The rule: the time it takes does not grow with the memory, so that it can be done at every opening.
What was written long ago is for the doctor.
"""

from __future__ import annotations

from typing import Final, Literal

from recollect.errors import STORE_CORRUPT, RecollectError, refused
from recollect.kernel.care.audit import audit_newest
from recollect.kernel.store.group import all_groups
from recollect.kernel.store.port import Store

_MOST: Final = 1_000  # of a group's newest changes


def opened_sound(store: Store, check: Literal["quick"] | None) -> Store:
    """Return an open store that passes the check that is asked for, or close it and raise."""
    match check:
        case None:
            return store
        case "quick":
            try:
                _refuse_broken(store)
            except BaseException:
                store.close()
                raise
            return store
        case other:
            store.close()
            raise refused(f"check is {other!r}, which names no check", 'pass "quick"')


def _refuse_broken(store: Store) -> None:
    """Raise STORE_CORRUPT where a part is not there or the end of a group's log does not hold.

    The newest thousand changes of each group are compared with what they wrote, and with the chain.
    """
    store.refuse_wall("a check")
    with store.reading() as session:
        for part in store.upkeep(session).missing_parts():
            raise _broken(f"{part} is not there")
        for group in all_groups(session):
            breach = audit_newest(session, group, _MOST)
            if breach is not None:
                raise _broken(f"transaction {breach.transaction}: {breach.problem}")


def _broken(problem: str) -> RecollectError:
    return STORE_CORRUPT.error(problem, "recollect doctor")
