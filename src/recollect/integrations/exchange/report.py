"""What an import did, or would do: per type and predicate, what was skipped, what is new.

The rule: what was made and changed is counted from the memory's own log, so a dry run and the run
that follows it report the same but for `is_dry_run` and the ids that warnings tell.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any, Final, assert_never

from recollect.errors import Notice
from recollect.faces.kip.maintenance.reading import listed
from recollect.faces.operations.records import EPISODE
from recollect.integrations.exchange.records import (
    Account,
    Bad,
    Bond,
    ByName,
    Left,
    Mention,
    Record,
    StatementRecord,
    Thing,
)
from recollect.kernel import Nexus
from recollect.model import Key, Operation, Triple
from recollect.node import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class NamedCount:
    """What became of the records of one concept type, or of one predicate."""

    name: str
    records: int  # of the file that say something of it
    created: int
    updated: int
    is_new: bool  # whether the memory had nothing of it before


@dataclass(frozen=True, slots=True)
class Skip:
    """Records that were left out for one reason, and the first lines they stand on."""

    reason: str
    records: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What taking in one file did, or would do."""

    path: str
    format: str
    source: str  # what the records are said to come from
    is_dry_run: bool
    records: int  # that were read
    concepts: tuple[NamedCount, ...]
    links: tuple[NamedCount, ...]
    skipped: tuple[Skip, ...] = ()
    warnings: tuple[Notice, ...] = ()  # the first ten, and how many more there are

    @property
    def created(self) -> int:
        """How many elements are there now that were not."""
        return sum(one.created for one in (*self.concepts, *self.links))

    @property
    def updated(self) -> int:
        """How many elements say something else than before."""
        return sum(one.updated for one in (*self.concepts, *self.links))

    def to_wire(self) -> dict[str, Any]:
        """Return it as members of JSON."""
        return {
            "path": self.path,
            "format": self.format,
            "source": self.source,
            "dry_run": self.is_dry_run,
            "records": self.records,
            "created": self.created,
            "updated": self.updated,
            **{name: [asdict(one) for one in getattr(self, name)] for name in _LISTS},
            "warnings": [one.to_wire() for one in self.warnings],
        }


_LISTS: Final = ("concepts", "links", "skipped")
_MOST_LINES: Final = 10  # that a report names of one reason
_MOST_WARNINGS: Final = 10
_TRANSACTIONS: Final = 10  # read together


_Counts = tuple[Counter[str], Counter[str]]
"""Of types, and of predicates."""


@dataclass(slots=True)
class ImportTally:
    """The counts of one import, and what the memory held before it."""

    since: int  # the number of the last transaction before
    types: frozenset[str]
    predicates: frozenset[str]
    records: int = 0
    refused: Bad | None = None  # the first that could not be read or written
    notices: list[Notice] = field(default_factory=list)
    _useless: int = 0
    _said: _Counts = field(default_factory=lambda: (Counter(), Counter()))
    _created: _Counts = field(default_factory=lambda: (Counter(), Counter()))
    _updated: _Counts = field(default_factory=lambda: (Counter(), Counter()))
    _skipped: Counter[str] = field(default_factory=Counter)
    _lines: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, nexus: Nexus) -> ImportTally:
        """Return an empty tally of a group as it is now."""
        return cls(
            nexus.stats().transactions,
            frozenset(name for name, _ in listed(nexus, "CONCEPT TYPES")),
            frozenset(name for name, _ in listed(nexus, "PROPOSITION TYPES")),
        )

    def meet(self, record: Record) -> None:
        """Count what a record speaks of."""
        self.records += 1
        types, predicates = self._said
        match record:
            case Thing(type=type_):
                types[type_] += 1
            case Account():
                types[EPISODE] += 1
            case (
                StatementRecord(subject=subject, predicate=predicate, object=target)
                | Bond(subject=subject, predicate=predicate, object=target)
            ):
                predicates[predicate] += 1
                if isinstance(record, StatementRecord):
                    ends = {one for one in (subject, target) if isinstance(one, ByName)}
                    types.update(one.type for one in ends)
            case Mention() | Left() | Bad():
                return
            case _:
                assert_never(record)

    @property
    def is_useless(self) -> bool:
        """Whether nothing was read that a memory has a place for."""
        return self._useless == self.records

    def skip(self, record: Record, reason: str) -> None:
        """Count what is left out."""
        self._skipped[reason] += 1
        lines = self._lines.setdefault(reason, [])
        if len(lines) < _MOST_LINES:
            lines.append(record.line)
        self._useless += isinstance(record, Left | Bad)
        if isinstance(record, Bad):
            self.refused = self.refused or record

    def read_log(self, nexus: Nexus) -> None:
        """Count what the transactions since did."""
        while found := nexus.changes(self.since, _TRANSACTIONS):
            for one in found:
                for change in one.changes:
                    self._log(change.what, change.operation)
            self.since = found[-1].transaction.number

    def concepts(self) -> tuple[NamedCount, ...]:
        """Return the counts of each type, in the order of their names."""
        return self._counts(0, self.types)

    def links(self) -> tuple[NamedCount, ...]:
        """Return the counts of each predicate, in the order of their names."""
        return self._counts(1, self.predicates)

    def skipped(self) -> tuple[Skip, ...]:
        """Return what was left out, by reason."""
        return tuple(
            Skip(reason, count, tuple(self._lines[reason]))
            for reason, count in sorted(self._skipped.items())
        )

    def warnings(self) -> tuple[Notice, ...]:
        """Return the first warnings about what was written, the last with how many more."""
        told, more = self.notices[:_MOST_WARNINGS], len(self.notices) - _MOST_WARNINGS
        if more > 0:
            told[-1] = replace(told[-1], message=f"{told[-1].message}; and {more} more warnings")
        return tuple(told)

    def _log(self, what: Key | Triple | None, operation: Operation) -> None:
        counts = {Operation.CREATE: self._created, Operation.UPDATE: self._updated}.get(operation)
        if counts is None:
            return
        match what:
            case Key(type=name):
                counts[0][name] += 1
            case Triple(predicate=name):
                counts[1][name] += 1
            case None:
                return
            case _:
                assert_never(what)

    def _counts(self, kind: int, known: frozenset[str]) -> tuple[NamedCount, ...]:
        said, created, updated = self._said[kind], self._created[kind], self._updated[kind]
        return tuple(
            NamedCount(name, said[name], created[name], updated[name], name not in known)
            for name in sorted({*said, *created, *updated})
        )
