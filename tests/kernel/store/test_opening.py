from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.address import parse_address
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.inspection import refuse_unusable
from recollect.kernel.store.sqlite.store import SqliteStore


def contents(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir())}


def refused(folder: Path, path: Path, code: str) -> RecollectError:
    """Open the file, which must fail and leave the folder as it was, to the byte."""
    before = contents(folder)
    with pytest.raises(RecollectError) as caught:
        SqliteStore(path)
    assert caught.value.code.code == code
    assert caught.value.hint
    assert contents(folder) == before
    return caught.value


def make(path: Path, rows: int = 0) -> Path:
    store = SqliteStore(path)
    with store.writing() as session:
        for number in range(rows):
            session.execute_many("INSERT INTO term VALUES (1, ?, ?)", [(number, f"{number} " * 50)])
    store.close()
    return path


def terms(path: Path) -> int:
    """Return how many rows of those that `make` puts a store has."""
    store = SqliteStore(path)
    with store.reading() as session:
        rows = session.rows("SELECT text FROM term")
    store.close()
    return len(rows)


def alter(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("Dear diary, " * 1000)
    refused(tmp_path, path, "STORE_FOREIGN")


def test_a_short_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(b"\0")
    refused(tmp_path, path, "STORE_FOREIGN")


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("application_id", [0, 42])
def test_another_programs_database_is_refused(
    tmp_path: Path, journal: str, application_id: int
) -> None:
    path = tmp_path / "other.db"
    alter(
        path,
        f"PRAGMA journal_mode = {journal}",
        f"PRAGMA application_id = {application_id}",
        "CREATE TABLE address_book (name)",
    )
    refused(tmp_path, path, "STORE_FOREIGN")


def test_another_programs_open_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    alter(path, "PRAGMA journal_mode = wal")
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE address_book (name)")
    before = contents(tmp_path)
    with pytest.raises(RecollectError) as caught:
        SqliteStore(path)
    assert caught.value.code.code == "STORE_FOREIGN"
    after = contents(tmp_path)
    del before["other.db-shm"], after["other.db-shm"]  # its locks are for all who read
    assert after == before
    other.close()


def test_a_crashed_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    alter(path, "PRAGMA journal_mode = wal")
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE address_book (name)")
    left = {name: held for name, held in contents(tmp_path).items() if not name.endswith("shm")}
    other.close()
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name, held in left.items():
        (crashed / name).write_bytes(held)
    with pytest.raises(RecollectError) as caught:
        SqliteStore(crashed / "other.db")
    assert caught.value.code.code == "STORE_FOREIGN"
    assert {name: held for name, held in contents(crashed).items() if name in left} == left


def crash(folder: Path, path: Path, *statements: str) -> Path:
    """Return a copy of a database and what stood beside it at the end of the statements."""
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    left = contents(path.parent)
    crashed = folder / "crashed"
    crashed.mkdir()
    for name, held in left.items():
        if not name.endswith("-shm"):
            (crashed / name).write_bytes(held)
    connection.close()
    return crashed / path.name


@pytest.mark.parametrize(
    "statements",
    [
        ("PRAGMA journal_mode = wal", "CREATE TABLE address_book (name)"),
        (
            "CREATE TABLE address_book (name)",
            "INSERT INTO address_book WITH RECURSIVE n(i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT randomblob(900) FROM n",
            "PRAGMA cache_size = 1",
            "BEGIN",
            "UPDATE address_book SET name = randomblob(900)",
        ),
    ],
    ids=["log", "journal"],
)
def test_what_a_crashed_program_left_is_refused_untouched(
    tmp_path: Path, statements: tuple[str, ...]
) -> None:
    path = crash(tmp_path, tmp_path / "other.db", *statements)
    assert len(contents(path.parent)) == 2
    refused(path.parent, path, "STORE_FOREIGN")


def test_a_store_that_crashed_is_opened_through_a_link(tmp_path: Path) -> None:
    path = crash(tmp_path, make(tmp_path / "memory.db"), "INSERT INTO term VALUES (1, 1, 'kept')")
    assert path.with_name("memory.db-wal").exists()
    link = tmp_path / "link.db"
    link.symlink_to(path)
    store = SqliteStore(link)
    with store.reading() as session:
        assert session.rows("SELECT text FROM term") == [("kept",)]
    assert store.path == path.resolve()
    store.close()
    assert not (tmp_path / "link.db-wal").exists()


def test_a_store_is_opened_while_others_write_and_close_it(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db")
    is_over = threading.Event()

    def grow() -> None:
        while not is_over.is_set():
            make(path, rows=0)
            store = SqliteStore(path)
            with store.writing() as session:
                session.execute_many(
                    "INSERT INTO term SELECT 1, 1 + count(*), count(*) || hex(randomblob(900))"
                    " FROM term",
                    [()],
                )
            store.close()

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for _ in range(100):
            refuse_unusable(path)
    finally:
        is_over.set()
        writer.join()
    assert terms(path) > 0


@pytest.mark.skipif(sys.platform == "win32", reason="locks of files are POSIX's")
def test_a_second_memory_on_a_file_leaves_the_first_one_its_lock(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db")
    link = tmp_path / "link.db"
    link.symlink_to(path)
    first = SqliteStore(path)
    assert is_locked(path)
    for name in (path, link):
        SqliteStore(name).close()
        assert is_locked(path)
    first.close()
    assert not is_locked(path)


@pytest.mark.skipif(sys.platform == "win32", reason="locks of files are POSIX's")
def test_memories_that_are_opened_at_once_have_their_lock(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db")
    for _ in range(20):
        together = threading.Barrier(4)

        def opened(together: threading.Barrier = together) -> SqliteStore:
            together.wait()
            return SqliteStore(path)

        with ThreadPoolExecutor(4) as pool:
            stores = [one.result() for one in [pool.submit(opened) for _ in range(4)]]
        assert is_locked(path)
        for store in stores:
            store.close()


LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # SQLite's shared range
    except BlockingIOError:
        print("locked")
"""


def is_locked(path: Path) -> bool:
    """Whether another process would find the file in use."""
    asked = subprocess.run(
        [sys.executable, "-c", LOCK, str(path)], capture_output=True, text=True, check=True
    )
    return asked.stdout == "locked\n"


def test_an_empty_database_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    alter(path, "PRAGMA user_version = 0", "VACUUM")
    assert terms(make(path, rows=2)) == terms(make(path)) == 2


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    assert terms(make(path, rows=2)) == 2


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db")
    alter(path, "PRAGMA user_version = 99")
    assert "upgrade" in refused(tmp_path, path, "STORE_NEWER").hint


def test_a_file_with_an_unknown_migration_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db")
    alter(path, "INSERT INTO migration VALUES ('m999_future', 0)")
    error = refused(tmp_path, path, "STORE_NEWER")
    assert error.details["unknown_migrations"] == ["m999_future"]


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db", rows=200)
    size = path.stat().st_size
    for kept in (size // 2, 4096, 50, size - 1):
        path.write_bytes(path.read_bytes()[:kept])
        refused(tmp_path, path, "STORE_CORRUPT")


@pytest.mark.parametrize("start", [100, 4096, 3 * 4096, -4096])
def test_a_damaged_file_is_refused(tmp_path: Path, start: int) -> None:
    path = make(tmp_path / "memory.db", rows=200)
    damaged = bytearray(path.read_bytes())
    place = start % len(damaged)
    damaged[place : place + 600] = b"\xff" * 600
    path.write_bytes(damaged)
    refused(tmp_path, path, "STORE_CORRUPT")


def test_damage_found_while_reading_is_reported_as_such(tmp_path: Path) -> None:
    path = make(tmp_path / "memory.db", rows=200)
    store = SqliteStore(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(RecollectError) as caught, store.reading() as session:
        session.rows("SELECT * FROM term")
    assert caught.value.code.code == "STORE_CORRUPT"
    store.close()


@pytest.mark.parametrize("address", ["", "postgresql://host/db", "missing/memory.db", ".", "a\0b"])
def test_an_address_where_no_file_can_be_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(tmp_path, address, "INVALID_ARGUMENT")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("memory.db", "memory.db"),
        ("/tmp/memory.db", "/tmp/memory.db"),
        ("sqlite:///memory.db", "memory.db"),
        ("sqlite:////tmp/memory.db", "/tmp/memory.db"),
        ("sqlite:///a%20b.db", "a b.db"),
        (Path("memory.db"), "memory.db"),
        (":memory:", None),
        ("sqlite://", None),
        ("sqlite:///:memory:", None),
    ],
)
def test_addresses_name_files_or_memory(address: str | Path, path: str | None) -> None:
    assert parse_address(address).path == (None if path is None else Path(path))


def test_names_that_mean_something_to_the_engine_are_only_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["file:x?mode=memory", "a b%20?#.db", "\u8bb0\u5fc6.db", "-wal"]
    for name in names:
        make(Path(name))
        make(Path(name))
    assert {one.name for one in tmp_path.iterdir()} == set(names)


def test_a_store_another_one_has_open_can_be_opened(tmp_path: Path) -> None:
    one = SqliteStore(tmp_path / "memory.db")
    with one.writing() as session:
        session.rows("UPDATE counter SET last_n = 5")
    two = SqliteStore(tmp_path / "memory.db", StoreSettings(busy_seconds=0.05))
    with one.writing():
        SqliteStore(tmp_path / "memory.db", StoreSettings(busy_seconds=0.05)).close()
    with two.reading() as session:
        assert session.rows("SELECT last_n FROM counter") == [(5,)]
    one.close()
    two.close()


LIMITED = """
import resource, sys
from recollect.kernel.store.sqlite.store import SqliteStore

resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))
SqliteStore(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_store_beside_which_no_file_can_be_written_says_what_is_to_be_done(
    tmp_path: Path,
) -> None:
    path = make(tmp_path / "memory.db", rows=100)
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=False
    )
    told = "the disk is full, or files may not grow so large"
    assert told in ran.stderr
