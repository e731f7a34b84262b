"""Copying, carrying and migrating, killed at any moment, leave all of it or nothing."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.reference.copies import dumped, living

import recollect
from recollect.faces.kip import export_capsules, write_capsules
from recollect.kernel.store.sqlite.migrations import MIGRATIONS
from recollect.model import Key, PutConcept, PutLink

KEEPER = Path(__file__).with_name("keeper.py")
SOURCES = Path(recollect.__file__).parents[1]
STEPS = 400
CAPSULE = 100


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with a past, its dump and its capsules."""
    folder = tmp_path_factory.mktemp("original")
    with recollect.open(folder / "memory.db", synchronous="normal") as nexus:
        nexus.write([PutConcept("Step", f"{n}", {"number": n}) for n in range(STEPS)])
        follows = (
            PutLink(Key("Step", f"{n}"), "follows", Key("Step", f"{n - 1}"))
            for n in range(1, STEPS)
        )
        nexus.write(list(follows))
        nexus.write([PutConcept("Step", f"{n}", {"number": -n}) for n in range(STEPS)])
        nexus.dump(folder / "dump.jsonl")
        with (folder / "all.kip").open("w", encoding="utf-8") as stream:
            for _ in write_capsules(export_capsules(nexus, most_elements=CAPSULE), stream):
                pass
    return folder


def killed(work: str, source: Path, target: Path, seconds: float) -> bool:
    """Run the child, kill it so long after it begins, and return whether it was done."""
    child = subprocess.Popen(
        [sys.executable, str(KEEPER), work, str(source), str(target)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
    rest = child.stdout.read()
    child.wait()
    child.stdout.close()
    return rest == "done\n"


def moments(work: str, source: Path, target: Path, is_long: bool) -> Iterator[float]:
    """Yield moments all over the time that the work takes, the first of them with it done."""
    began = time.monotonic()
    assert killed(work, source, target, 60)
    taken = time.monotonic() - began
    chance = random.Random(work)
    for _ in range(40 if is_long else 4):
        yield chance.uniform(0, taken)


def test_a_killed_restore_leaves_all_or_nothing(
    original: Path, tmp_path: Path, is_long: bool
) -> None:
    source, first = original / "dump.jsonl", tmp_path / "first.db"
    for place, moment in enumerate(moments("restore", source, first, is_long)):
        target = tmp_path / f"{place}.db"
        is_done = killed("restore", source, target, moment)
        with recollect.open(target) as nexus:
            assert nexus.doctor().findings == ()
            if nexus.groups() == []:
                assert not is_done
                nexus.restore(source)
            assert dumped(nexus) == source.read_bytes()


def test_a_killed_import_leaves_whole_capsules_and_can_be_run_again(
    original: Path, tmp_path: Path, is_long: bool
) -> None:
    source, first = original / "all.kip", tmp_path / "first.db"
    with recollect.open(original / "memory.db") as nexus:
        whole = living(nexus)
    for place, moment in enumerate(moments("import", source, first, is_long)):
        target = tmp_path / f"{place}.db"
        killed("import", source, target, moment)
        with recollect.open(target) as nexus:
            stats = nexus.stats()
            assert nexus.doctor().findings == ()
            assert (stats.concepts + stats.links + 1) % CAPSULE in (0, 1)
            assert stats.transactions == -(-(stats.concepts + stats.links) // CAPSULE)
        assert killed("import", source, target, 60)
        with recollect.open(target) as nexus:
            assert living(nexus) == whole


def test_a_killed_backup_is_there_whole_or_not_at_all(
    original: Path, tmp_path: Path, is_long: bool
) -> None:
    source = tmp_path / "memory.db"
    shutil.copy(original / "memory.db", source)
    for place, moment in enumerate(moments("backup", tmp_path / "first.db", source, is_long)):
        copy = tmp_path / f"{place}.db"
        is_done = killed("backup", copy, source, moment)
        assert copy.exists() or not is_done
        if copy.exists():
            with recollect.open(copy) as nexus:
                assert dumped(nexus) == (original / "dump.jsonl").read_bytes()


def test_a_killed_index_is_declared_and_built_or_neither(
    original: Path, tmp_path: Path, is_long: bool
) -> None:
    first = tmp_path / "first.db"
    shutil.copy(original / "memory.db", first)
    for place, moment in enumerate(moments("index", first, first, is_long)):
        target = tmp_path / f"{place}.db"
        shutil.copy(original / "memory.db", target)
        is_done = killed("index", target, target, moment)
        with recollect.open(target) as nexus:
            assert len(nexus.declared.indexes()) == 1 or not is_done
            assert nexus.doctor().findings == ()


def oldest(path: Path) -> None:
    """Make a file as the first version of the program made it, with something in it."""
    connection = apsw.Connection(str(path))
    connection.execute("BEGIN")
    connection.execute(
        "CREATE TABLE migration (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)"
    )
    connection.execute(MIGRATIONS[0].sql)
    connection.execute("INSERT INTO migration VALUES (?, 0)", (MIGRATIONS[0].name,))
    connection.execute("PRAGMA application_id = 0x52434C54")
    connection.execute("PRAGMA user_version = 1")
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
    connection.execute(f"{rows} INSERT INTO term SELECT 1, i, 'term ' || i FROM n")
    connection.execute("COMMIT")
    connection.close()


def test_a_killed_migration_leaves_the_older_file_or_the_newer(
    tmp_path: Path, is_long: bool
) -> None:
    opener = "import recollect, sys; print(flush=True); recollect.open(sys.argv[1]).close()"
    chance = random.Random("migration")
    for place in range(40 if is_long else 6):
        path = tmp_path / f"{place}.db"
        oldest(path)
        command = [sys.executable, "-c", opener, str(path)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": str(SOURCES)})
        assert child.stdout is not None
        child.stdout.readline()
        try:
            child.wait(chance.uniform(0, 0.03))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        child.stdout.close()
        connection = apsw.Connection(str(path))
        applied = [name for (name,) in connection.execute("SELECT name FROM migration ORDER BY 1")]
        version = connection.pragma("user_version")
        connection.close()
        assert len(applied) == version
        assert len(applied) in (1, len(MIGRATIONS))
        with recollect.open(path) as nexus:
            nexus.write([PutConcept("T", "a")])
            assert nexus.verify().is_whole
