"""The kept counts of a group: for the planner, when the group has changed, and for people."""

from __future__ import annotations

from collections import defaultdict

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel.plan.determined import Statistics, coarse
from recollect.kernel.read.history import transactions as transactions_of
from recollect.kernel.store.cells import (
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
    whole,
)
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session, SqlValue, Store
from recollect.kernel.store.statements.counts import COUNTS, GROWTH, TALLIES
from recollect.model import Grown, Instant, Stats
from recollect.node import dataclass, field

MOST_MARKS = 1_000
"""Stretches of the log that growth is told in."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The statistics of one snapshot, and the group's last transaction in it."""

    number: int
    statistics: Statistics
    ends: dict[tuple[int, str, tuple[str, ...]], tuple[int, int]] = field(default_factory=dict)
    """How many links end at elements, as `counted_at` found it where they are many."""


class GroupStatistics:
    """The statistics of one group; they keep their epoch while the coarse counts stand."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._last = Counted(-1, Statistics())

    def as_of(self, session: Session, number: int) -> Counted:
        """Return the statistics as of the last transaction; inside a write they promise nothing."""
        last = self._last
        if number != last.number:
            last = self._last = Counted(number, self._load(session))  # at once, for other threads
        return Counted(number, last.statistics.uncertain()) if session.is_writing else last

    def _load(self, session: Session) -> Statistics:
        found: dict[str, dict[str, int]] = defaultdict(dict)
        parameters: dict[str, SqlValue] = {
            "group": self._group.group_id,
            "concepts": TALLY_CONCEPTS,
            "links": TALLY_LINKS,
            "keyed": TALLY_KEYED,
            "link_subjects": TALLY_LINK_SUBJECTS,
            "link_objects": TALLY_LINK_OBJECTS,
            "bounded_concepts": TALLY_BOUNDED_CONCEPTS,
            "bounded_links": TALLY_BOUNDED_LINKS,
        }
        for kind, term, count in session.rows(TALLIES, parameters):
            found[str(kind)][str(term)] = coarse(int(str(count)))
        return Statistics(
            concepts=found[TALLY_CONCEPTS],
            links=found[TALLY_LINKS],
            keyed=frozenset(found[TALLY_KEYED]),
            link_subjects=frozenset(found[TALLY_LINK_SUBJECTS]),
            link_objects=frozenset(found[TALLY_LINK_OBJECTS]),
            bounded_types=frozenset(found[TALLY_BOUNDED_CONCEPTS]),
            bounded_links=frozenset(found[TALLY_BOUNDED_LINKS]),
        ).counted()


def stats_of(store: Store, session: Session, group: Group, marks: int) -> Stats:
    """Return the counts of a group and the size of the store; with marks, how it grew.

    Cost: a few rows; with marks its whole log, a fifth of a second for a million elements.
    """
    if type(marks) is not int or not 0 <= marks <= MOST_MARKS:  # whatever the caller's types say
        raise RecollectError(
            INVALID_ARGUMENT,
            f"marks is not a whole number from 0 to {MOST_MARKS:,}",
            hint="use marks=24",
        )
    counts = session.rows(COUNTS, {"group": group.group_id})[0]
    concepts, links, types, predicates, documents, transactions, at, groups = map(whole, counts)
    upkeep, path = store.upkeep(session), store.path
    size = upkeep.size(path)
    return Stats(
        path=size.place if path is None else str(path),
        size_bytes=size.file_bytes,
        log_bytes=size.log_bytes,
        free_bytes=size.free_bytes,
        group=group.name,
        groups=groups,
        concepts=concepts,
        links=links,
        types=types,
        predicates=predicates,
        documents=documents,
        transactions=transactions,
        last_at=Instant(at) if transactions else None,
        engine=upkeep.engine,
        relations=size.relations,
        growth=_growth(session, group, marks, transactions) if marks else (),
    )


def _growth(session: Session, group: Group, marks: int, last: int) -> tuple[Grown, ...]:
    """Return what had been made at the end of so many stretches of the log, of equal length."""
    found = session.rows(GROWTH, {"group": group.group_id, "marks": marks, "last": last})
    ends = transactions_of(session, group, [whole(end) for end, _, _ in found])
    grown, concepts, links = [], 0, 0
    for end, more_links, more in found:
        links += whole(more_links)
        concepts += whole(more) - whole(more_links)
        grown.append(Grown(whole(end), ends[whole(end)].at, concepts, links))
    return tuple(grown)
