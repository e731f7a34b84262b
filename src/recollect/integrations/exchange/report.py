"""What an import did, or would do: per type and predicate, what was skipped, what is new.

The rule: a dry run and the run that follows it report the same but for `is_dry_run`.
"""

from __future__ import annotations

from typing import TypedDict

from recollect.node import dataclass


class NamedCountMembers(TypedDict):
    """`NamedCount` as JSON."""

    name: str
    records: int
    created: int
    updated: int
    is_new: bool


class SkipMembers(TypedDict):
    """`Skip` as JSON."""

    reason: str
    records: int
    lines: list[int]


class ReportMembers(TypedDict):
    """`ImportReport` as JSON."""

    path: str
    format: str
    source: str
    dry_run: bool
    records: int
    created: int
    updated: int
    concepts: list[NamedCountMembers]
    links: list[NamedCountMembers]
    skipped: list[SkipMembers]


@dataclass(frozen=True, slots=True)
class NamedCount:
    """What became of the records of one concept type, or of one predicate."""

    name: str
    records: int  # of the file that say something of it
    created: int
    updated: int
    is_new: bool  # whether the memory had nothing of it before

    def to_wire(self) -> NamedCountMembers:
        """Return it as members of JSON."""
        return NamedCountMembers(
            name=self.name,
            records=self.records,
            created=self.created,
            updated=self.updated,
            is_new=self.is_new,
        )


@dataclass(frozen=True, slots=True)
class Skip:
    """Records that were left out for one reason, and the first lines they stand on."""

    reason: str
    records: int
    lines: tuple[int, ...]

    def to_wire(self) -> SkipMembers:
        """Return it as members of JSON."""
        return SkipMembers(reason=self.reason, records=self.records, lines=list(self.lines))


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

    @property
    def created(self) -> int:
        """How many elements are there now that were not."""
        return sum(one.created for one in (*self.concepts, *self.links))

    @property
    def updated(self) -> int:
        """How many elements say something else than before."""
        return sum(one.updated for one in (*self.concepts, *self.links))

    def to_wire(self) -> ReportMembers:
        """Return it as members of JSON."""
        return ReportMembers(
            path=self.path,
            format=self.format,
            source=self.source,
            dry_run=self.is_dry_run,
            records=self.records,
            created=self.created,
            updated=self.updated,
            concepts=[one.to_wire() for one in self.concepts],
            links=[one.to_wire() for one in self.links],
            skipped=[one.to_wire() for one in self.skipped],
        )
