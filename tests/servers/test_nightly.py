"""A server examines its memory by itself, once a day, at the time it is told."""

from __future__ import annotations

import queue
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

import behind
import recollect
from recollect.errors import STORE_BUSY, RecollectError
from recollect.kernel import Nexus
from recollect.model import PutConcept
from recollect.servers.http.serving import ServingPlan
from recollect.servers.nightly import Examined, examine, examined_nightly, next_at
from recollect.servers.settings import Settings

EVENING = datetime(2026, 1, 31, 22, 0, tzinfo=UTC)
AT = time(3)


@dataclass(slots=True)
class HandClock:
    now: datetime = EVENING

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def nexus(tmp_path: Path):
    with recollect.open(tmp_path / "m.db", busy_seconds=0.05) as nexus:
        nexus.write([PutConcept("Person", "Ann")])
        yield nexus


def damage(path: Path) -> None:
    behind.tampered(path / "m.db", "UPDATE concept SET attributes = '{\"age\":9}'")


def test_it_is_examined_at_its_time_every_day(nexus: Nexus, tmp_path: Path) -> None:
    told, clock = queue.Queue[Examined](), HandClock()
    with examined_nightly(nexus, AT, told.put, clock=clock, pause_seconds=0.01):
        clock.now = EVENING + timedelta(hours=4)
        with pytest.raises(queue.Empty):
            told.get(timeout=0.2)
        clock.now = EVENING + timedelta(hours=5)
        assert told.get(timeout=20).findings == {}
        with pytest.raises(queue.Empty):
            told.get(timeout=0.2)
        damage(tmp_path)
        clock.now = EVENING + timedelta(days=1, hours=6)
        assert "log" in told.get(timeout=20).findings


def test_it_is_examined_by_nobody_unless_that_is_asked_for(nexus: Nexus) -> None:
    told, clock = queue.Queue[Examined](), HandClock()
    with examined_nightly(nexus, None, told.put, clock=clock, pause_seconds=0.01):
        clock.now = EVENING + timedelta(days=2)
        with pytest.raises(queue.Empty):
            told.get(timeout=0.2)


def test_of_several_processes_one_examines_it(nexus: Nexus, tmp_path: Path) -> None:
    told, clock, plan = queue.Queue[Examined](), HandClock(), ServingPlan(counts=tmp_path)
    with (
        examined_nightly(
            nexus, AT, told.put, clock=clock, pause_seconds=0.01, is_ours=plan.takes_day
        ),
        examined_nightly(
            nexus, AT, told.put, clock=clock, pause_seconds=0.01, is_ours=plan.takes_day
        ),
    ):
        for days in (1, 2):
            clock.now = EVENING + timedelta(days=days)
            told.get(timeout=20)
            with pytest.raises(queue.Empty):
                told.get(timeout=0.2)


def test_why_it_could_not_be_examined_is_told(nexus: Nexus, tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as other, other.transaction():
        other.write([PutConcept("Person", "Bob")])
        assert examine(nexus).error_code == STORE_BUSY.code
    assert examine(nexus).error_code is None


def test_a_memory_that_is_closed_is_examined_no_more(tmp_path: Path) -> None:
    told, clock = queue.Queue[Examined](), HandClock()
    nexus = recollect.open(tmp_path / "m.db")
    with examined_nightly(nexus, AT, told.put, clock=clock, pause_seconds=0.01):
        nexus.close()
        clock.now = EVENING + timedelta(days=1)
        with pytest.raises(queue.Empty):
            told.get(timeout=0.2)


def test_the_next_time_is_later_than_now() -> None:
    assert next_at(AT, EVENING) == EVENING + timedelta(hours=5)
    assert next_at(AT, EVENING + timedelta(hours=5)) == EVENING + timedelta(hours=29)


def test_the_time_is_given_or_named_or_never() -> None:
    named = Settings({"RECOLLECT_CHECK_AT": "03:30"})
    assert (named.check_at(), named.check_at("4:05")) == (time(3, 30), time(4, 5))
    assert Settings({}).check_at() is None
    for wrong in ("nightly", "25:00", "03:30:00", "03:30Z"):
        with pytest.raises(RecollectError, match="not a time of day"):
            named.check_at(wrong)
