"""A memory that is opened with a check is compared with the end of its log, however large it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import behind
import recollect
from recollect.errors import INVALID_ARGUMENT, STORE_CORRUPT, RecollectError
from recollect.model import Key, PutConcept

DAMAGE = {
    "a content": "UPDATE concept SET attributes = '{\"n\":99}' WHERE name = 'new 0'",
    "a digest": "UPDATE change SET digest = zeroblob(32) WHERE tx = (SELECT max(tx) FROM change)",
    "an actor": "UPDATE tx SET actor = 'eve' WHERE number = (SELECT max(number) FROM tx)",
    "the head": "UPDATE grp SET chain = zeroblob(32)",
    "a transaction": "DELETE FROM tx WHERE number = (SELECT max(number) FROM tx)",
    "an index": "DROP INDEX concept_name",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with recollect.open(path, group="decoy") as nexus:
        nexus.write([PutConcept("Step", f"old {at}", {"n": at}) for at in range(1_500)])
        nexus.group("g").write([PutConcept("Step", "old", {"n": 0})])
        nexus.group("g").write([PutConcept("Step", f"more {at}") for at in range(1_100)])
        nexus.group("g").write([PutConcept("Step", f"new {at}", {"n": at}) for at in range(3)])
        nexus.group("g").purge(Key("Step", "new 2"))
    return path


def run(path: Path, sql: str) -> None:
    behind.changed(path, sql)


def test_a_sound_memory_is_opened(path: Path, tmp_path: Path) -> None:
    for place in (path, tmp_path / "new.db", ":memory:"):
        with recollect.open(place, check="quick") as nexus:
            assert nexus.doctor().findings == ()


@pytest.mark.parametrize("name", DAMAGE)
def test_what_was_changed_lately_is_seen_on_opening(path: Path, name: str) -> None:
    run(path, DAMAGE[name])
    with pytest.raises(RecollectError) as caught:
        recollect.open(path, check="quick")
    assert caught.value.code is STORE_CORRUPT
    assert caught.value.hint == "recollect doctor"
    recollect.open(path).close()


def test_what_was_written_long_ago_is_for_the_doctor(path: Path) -> None:
    run(path, "UPDATE concept SET attributes = '{\"n\":99}' WHERE name = 'old'")
    with recollect.open(path, check="quick") as nexus:
        assert [one.check for one in nexus.doctor().findings] != []


def test_another_word_than_quick_is_no_check(path: Path) -> None:
    with pytest.raises(RecollectError, match="names no check") as caught:
        recollect.open(path, check="slow")  # type: ignore[arg-type]
    assert caught.value.code is INVALID_ARGUMENT
