"""A file that is deleted, moved or replaced under an open memory, and a log of another file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import recollect
from recollect import Nexus, RecollectError
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import Key, PutConcept

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="an open file cannot be taken away there"
)


def names(nexus: Nexus) -> list[str]:
    (found,) = nexus.read('FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) }').results
    return [str(row[0]) for row in found.rows]  # type: ignore[union-attr]


def made(path: Path, *given: str) -> Path:
    with recollect.open(path) as nexus:
        for name in given:
            nexus.write([PutConcept("T", name)])
    return path


def left(folder: Path, path: Path) -> Path:
    """Return a copy of a file and its log as a crash at this moment would leave them."""
    folder.mkdir()
    for one in (path, path.with_name(f"{path.name}-wal")):
        shutil.copyfile(one, folder / one.name)
    return folder / path.name


def refuses(action: Callable[[], object], code: str = "STORE_UNAVAILABLE") -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        action()
    assert caught.value.code.code == code
    assert caught.value.hint
    return caught.value


def delete(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    made(path.with_name("other.db"), "other").replace(path)


def replace_by_its_copy(path: Path) -> None:
    with recollect.open(path) as nexus:
        nexus.backup(path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


@pytest.mark.parametrize("change", [delete, move, replace, replace_by_its_copy])
def test_a_write_sees_that_its_file_is_not_in_its_place(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "before")])
        assert names(nexus) == ["before"]  # this thread reads by a connection of its own
        change(path)
        there = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
        for _ in range(2):
            refuses(lambda: nexus.write([PutConcept("T", "after")]))
            refuses(lambda: nexus.purge(Key("T", "before")))
        assert names(nexus) == ["before"]
    after = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    for name, held in there.items():
        if not name.endswith(("-shm", "-wal")):
            assert after[name] == held


def test_a_write_sees_that_its_log_was_deleted_and_closing_saves_what_was_in_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "before")])
        (tmp_path / "memory.db-wal").unlink()
        for _ in range(2):
            error = refuses(lambda: nexus.write([PutConcept("T", "after")]))
            assert "memory.db-wal" in error.message
    assert opened(path) == ["before"]


def test_what_a_transaction_wrote_is_undone_when_its_file_goes_meanwhile(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "memory.db", tmp_path / "elsewhere.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "before")])
        assert names(nexus) == ["before"]

        def move_inside() -> None:
            with nexus.transaction():
                nexus.write([PutConcept("T", "after")])
                path.rename(elsewhere)

        refuses(move_inside)
        assert names(nexus) == ["before"]


def test_a_file_that_is_back_in_its_place_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "one")])
        path.rename(tmp_path / "elsewhere.db")
        refuses(lambda: nexus.write([PutConcept("T", "two")]))
        (tmp_path / "elsewhere.db").rename(path)
        nexus.write([PutConcept("T", "three")])
        assert names(nexus) == ["one", "three"]


def test_a_thread_does_not_open_the_file_that_stands_there_now(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "before")])
        replace(path)
        caught: list[RecollectError] = []

        def read() -> None:
            caught.append(refuses(lambda: names(nexus)))

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        assert len(caught) == 1


def test_closing_leaves_a_file_alone_that_has_come_into_the_place(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first = recollect.open(path)
    first.write([PutConcept("T", "first")])
    for one in (path, tmp_path / "memory.db-wal", tmp_path / "memory.db-shm"):
        one.rename(tmp_path / f"old-{one.name}")
    second = recollect.open(path)
    second.write([PutConcept("T", "second")])
    first.close()
    second.write([PutConcept("T", "third")])
    second.close()
    with recollect.open(path) as nexus:
        assert names(nexus) == ["second", "third"]


def stale(tmp_path: Path, file: Path) -> Path:
    """Put a file beside the log that a crash left of another one, with three writes."""
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        for name in ("one", "two", "three"):
            nexus.write([PutConcept("T", name)])
        crashed = left(tmp_path / "crashed", path)
    shutil.copyfile(file, crashed)
    return crashed


def opened(path: Path) -> list[str]:
    with recollect.open(path) as nexus:
        assert not nexus.doctor().findings
        return names(nexus)


def test_a_log_beside_another_memory_is_refused_and_not_replayed(tmp_path: Path) -> None:
    other = made(tmp_path / "other.db", "other")
    path = stale(tmp_path, other)
    log = path.with_name("memory.db-wal")
    before = log.read_bytes()
    error = refuses(lambda: recollect.open(path))
    assert "memory.db-wal" in error.message
    assert "mv" in error.hint
    assert (path.read_bytes(), log.read_bytes()) == (other.read_bytes(), before)
    log.rename(tmp_path / "kept.wal")
    assert opened(path) == ["other"]


def test_a_log_beside_an_older_backup_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "memory.db", "one")
    with recollect.open(path) as nexus:
        nexus.backup(tmp_path / "backup.db")
    made(path, "two")
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "three")])
        crashed = left(tmp_path / "crashed", path)
    assert opened(left_again := shutil.copytree(crashed.parent, tmp_path / "again") / "memory.db")
    assert left_again.exists()
    shutil.copyfile(tmp_path / "backup.db", crashed)
    refuses(lambda: recollect.open(crashed))


def test_a_log_beside_a_newer_backup_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "one")])
        crashed = left(tmp_path / "crashed", path)
        nexus.write([PutConcept("T", "two")])
        nexus.backup(tmp_path / "backup.db")
    shutil.copyfile(tmp_path / "backup.db", crashed)
    refuses(lambda: recollect.open(crashed))


def test_a_log_beside_the_same_memory_before_a_purge_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "memory.db", "one", "two")
    shutil.copyfile(path, tmp_path / "backup.db")
    with recollect.open(path) as nexus:
        nexus.purge(Key("T", "one"))
        nexus.write([PutConcept("T", "three")])
        crashed = left(tmp_path / "crashed", path)
    shutil.copyfile(tmp_path / "backup.db", crashed)
    refuses(lambda: recollect.open(crashed))


@pytest.mark.parametrize("is_copied", [False, True], ids=["as it began", "copied half-way"])
def test_a_log_that_a_crash_left_is_replayed(tmp_path: Path, is_copied: bool) -> None:
    path = made(tmp_path / "memory.db", "one")
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "two")])
        if is_copied:
            other = apsw.Connection(str(path))
            other.wal_checkpoint(None, apsw.SQLITE_CHECKPOINT_PASSIVE)
            other.close()
        nexus.write([PutConcept("T", "three")])
        crashed = left(tmp_path / "crashed", path)
    assert opened(crashed) == ["one", "two", "three"]


def test_a_log_that_began_anew_is_replayed(tmp_path: Path) -> None:
    """Behind its last line stand lines of before, which are no part of it."""
    path = tmp_path / "memory.db"
    store = SqliteStore(path)
    with recollect.open(path) as nexus:
        for at in range(5):
            nexus.write([PutConcept("T", f"{at}")])
        other = apsw.Connection(str(path))
        other.wal_checkpoint(None, apsw.SQLITE_CHECKPOINT_RESTART)
        other.close()
        nexus.write([PutConcept("T", "last")])
        crashed = left(tmp_path / "crashed", path)
    store.close()
    assert opened(crashed)[-1] == "last"


def test_what_a_power_cut_tore_out_of_a_log_does_not_make_it_another_files(tmp_path: Path) -> None:
    path = made(tmp_path / "memory.db", "one")
    with recollect.open(path) as nexus:
        for name in ("two", "three", "four"):
            nexus.write([PutConcept("T", name)])
        crashed = left(tmp_path / "crashed", path)
    log = crashed.with_name("memory.db-wal")
    held = bytearray(log.read_bytes())
    size = len(held) - 32
    for at in range(32, 32 + size // 3, 4096 + 24):
        held[at + 24 : at + 24 + 4096] = bytes(4096)  # the pages of the first write
    log.write_bytes(held)
    assert opened(crashed) == ["one"]


def test_a_write_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "one")])
        log = tmp_path / "memory.db-wal"
        before = log.read_bytes()
        nexus.write([PutConcept("T", "one")])
        nexus.write([PutConcept("T", "two")], dry_run=True)
        assert log.read_bytes() == before


TRUNCATED = """
import os, sys
import recollect
from recollect import RecollectError
from recollect.model import PutConcept

path = sys.argv[1]
nexus = recollect.open(path)
nexus.read('FIND(?n) WHERE { ?x {type: "T", name: "1"} ATTR(?x, "note", ?n) }')
os.truncate(path, 4096)
try:
    nexus.read('FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "note", ?n) }')
except RecollectError as error:
    print(error.code.code)
"""


def test_a_file_that_is_cut_off_while_it_is_open_is_an_error_and_no_signal(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", f"{at}", {"note": "x" * 2_000}) for at in range(2_000)])
    found = subprocess.run(
        [sys.executable, "-c", TRUNCATED, str(path)], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout.strip()) == (0, "STORE_CORRUPT"), found.stderr


def test_no_file_is_mapped_into_memory(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "memory.db", StoreSettings())
    with store.reading() as session:
        assert session.rows("PRAGMA mmap_size") == [(0,)]
    store.close()


SHORT = """
import resource, sys
import recollect
from recollect import RecollectError
from recollect.model import PutConcept

nexus = recollect.open(":memory:")
nexus.write([PutConcept("T", "large", {"note": "x" * 24_000_000})])
held = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (held + int(sys.argv[1]), resource.RLIM_INFINITY))
try:
    nexus.read('FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "note", ?n) }')
except RecollectError as error:
    print(error.code.code)
else:
    print("read")
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is counted by Linux")
@pytest.mark.parametrize("megabytes", [5, 30, 55, 80, 105])
def test_a_lack_of_memory_is_a_registered_error(megabytes: int) -> None:
    found = subprocess.run(
        [sys.executable, "-c", SHORT, str(megabytes * 10**6)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() in ("KIP_4002", "read")
