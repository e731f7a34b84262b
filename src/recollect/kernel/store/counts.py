"""The counts in `tally`, which every writer keeps by difference."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.kernel.store.port import Session

_ADD = """
INSERT INTO tally (group_id, kind, term, count) VALUES (?, ?, ?, ?)
ON CONFLICT (group_id, kind, term) DO UPDATE SET count = count + excluded.count
"""


def add_counts(session: Session, group_id: int, changes: Mapping[tuple[str, int], int]) -> None:
    """Add differences to a group's counts, by kind of tally and term."""
    changed = [(group_id, *key, change) for key, change in sorted(changes.items()) if change]
    if changed:
        session.execute_many(_ADD, changed)
