"""A memory with a clock of its own, beside a decoy group with the same names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import recollect
from recollect.kernel import Nexus
from recollect.model import ConceptRecord, Instant, LinkRecord, Record

DAY = timedelta(days=1)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> Instant:
        return Instant(int(self.at.timestamp() * 1000))

    def move(self, by: timedelta) -> None:
        self.at += by


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def nexus(clock: Clock) -> Iterator[Nexus]:
    """Return an empty group, whose neighbour holds what would expire, fade and be merged."""
    with recollect.open(":memory:", clock=clock) as opened:
        opened.group("decoy").write(DECOY)
        before = contents(opened.group("decoy"))
        yield opened
        assert contents(opened.group("decoy")) == before


DECOY = """
UPSERT {
  CONCEPT @event { {type: "Event", name: "talk"} } WITH METADATA { expires_at: "2020" }
  CONCEPT @one { {type: "Drug", name: "Aspirin"} } WITH METADATA { confidence: 0.8, observed_at: "2020" }
  CONCEPT @two { {type: "Drug", name: "ASPIRIN"} SET PROPOSITIONS { ("treats", @one) } }
}
"""


def contents(nexus: Nexus) -> dict[str, object]:
    """Every living element of a group by its id, with all that it says."""
    return {one.id: one for one in (_element(record) for record in nexus.elements.records())}


def twin(nexus: Nexus, clock: Clock) -> Nexus:
    """Another memory that holds the same group, under the same ids."""
    dumped = io.BytesIO()
    nexus.dump(dumped)
    dumped.seek(0)
    other = recollect.open(":memory:", clock=clock)
    other.restore(dumped)
    return other


def _element(record: Record) -> recollect.Concept | recollect.Link:
    match record:
        case ConceptRecord(concept):
            return concept
        case LinkRecord(link):
            return link
