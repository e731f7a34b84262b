"""The columns of groups in memory, shared by all who recall; safe to share between threads.

The rule: none outlives a purge, and together they take a bounded share of memory, the longest
unused go first. What a write sees before it is committed is in a copy of its own.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import Final

from recollect.kernel.recall.columns import Columns, empty
from recollect.kernel.recall.growing import caught_up
from recollect.kernel.store.group import last_transaction, purges
from recollect.kernel.store.port import Session
from recollect.kernel.store.sharing import Shared
from recollect.kernel.store.terms import Terms
from recollect.model import Progress, silent

_MOST_BYTES: Final = 1 << 30


class _GroupColumns:
    """The columns of one group."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.columns = empty()


class HeldColumns(Shared):
    """The columns of the groups of a store."""

    def part(self) -> None:
        """Begin anew in a forked child: a thread may have been changing what is held."""
        super().part()
        self._groups: OrderedDict[tuple[int, int], _GroupColumns] = (
            OrderedDict()
        )  # by purges, and group

    def holds(self, session: Session, group_id: int) -> bool:
        """Whether anything of a group is in memory."""
        held = self._groups.get((purges(session), group_id))
        return held is not None and held.columns.number > 0

    def of(
        self, session: Session, group_id: int, terms: Terms, progress: Progress = silent
    ) -> Columns:
        """Return the columns of a group, at least as of the snapshot of a session.

        Cost: what was written since the last time; at first, every content of the group.
        """
        held = self._held(purges(session), group_id)
        number = last_transaction(session, group_id)
        with held.lock:
            columns = held.columns
            if columns.number >= number:
                return columns
            names = {code: name for name, code in terms.all(session).items()}
            if session.is_writing:
                own = replace(columns, known=columns.known.apart())
                return caught_up(session, group_id, names, own, number, progress)
            columns = caught_up(session, group_id, names, columns, number, progress)
            held.columns = columns
        self._keep_within_bounds()
        return columns

    def forget(self) -> None:
        """Drop everything that is in memory, as a purge demands."""
        with self._lock:
            self._groups.clear()

    def _held(self, epoch: int, group_id: int) -> _GroupColumns:
        with self._lock:
            for stale in [one for one in self._groups if one[0] < epoch]:
                del self._groups[stale]
            held = self._groups.setdefault((epoch, group_id), _GroupColumns())
            self._groups.move_to_end((epoch, group_id))
            return held

    def _keep_within_bounds(self) -> None:
        with self._lock:
            total = sum(one.columns.nbytes for one in self._groups.values())
            while total > _MOST_BYTES and self._groups:
                _, dropped = self._groups.popitem(last=False)
                total -= dropped.columns.nbytes
