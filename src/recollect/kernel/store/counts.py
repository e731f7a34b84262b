"""The counts in `tally`, which every writer keeps by difference."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.counts import ADD


def add_counts(session: Session, group_id: int, changes: Mapping[tuple[str, int], int]) -> None:
    """Add differences to a group's counts, by kind of tally and term."""
    changed = [(group_id, *key, change) for key, change in sorted(changes.items()) if change]
    if changed:
        session.execute_many(ADD, changed)
