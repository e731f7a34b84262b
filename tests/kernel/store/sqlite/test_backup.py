"""A backup is the whole store at one moment, and never takes the place of anything."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.kernel.write.ledger import verify
from tests.reference.copies import dumped

import recollect
from recollect.errors import RecollectError
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import PutConcept


def written(nexus: recollect.Nexus, number: int) -> None:
    nexus.write([PutConcept("T", f"{number} {place}", {"n": number}) for place in range(20)])


@pytest.mark.parametrize("address", ["file", ":memory:"])
def test_a_backup_opens_and_holds_every_group(tmp_path: Path, address: str) -> None:
    path = str(tmp_path / "one.db") if address == "file" else address
    with recollect.open(path) as nexus:
        written(nexus, 1)
        written(nexus.group("another"), 1)
        nexus.backup(tmp_path / "copy.db")
        with recollect.open(tmp_path / "copy.db") as copy:
            assert dumped(copy, all_groups=True) == dumped(nexus, all_groups=True)
            assert copy.doctor().findings == ()
            assert copy.group("another").verify().is_whole
            written(copy, 2)
        assert nexus.stats().concepts == 20
    store = SqliteStore(tmp_path / "copy.db")
    assert verify(store, 1) == 2
    store.close()


@pytest.mark.parametrize("address", ["file", ":memory:"])
def test_a_backup_and_a_mend_inside_a_transaction_are_refused(tmp_path: Path, address: str) -> None:
    path = str(tmp_path / "one.db") if address == "file" else address
    with recollect.open(path) as nexus:
        with nexus.transaction():
            written(nexus, 1)
            for call in (
                lambda: nexus.backup(tmp_path / "copy.db"),
                lambda: nexus.doctor(fix=True),
            ):
                with pytest.raises(RecollectError, match="inside a transaction") as raised:
                    call()
                assert raised.value.code.code == "INVALID_ARGUMENT"
        assert not (tmp_path / "copy.db").exists()
        assert nexus.stats().concepts == 20
        assert nexus.doctor(fix=True).is_well
        nexus.backup(tmp_path / "copy.db")


def test_a_backup_has_what_is_only_in_the_log_file(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "one.db") as nexus:
        written(nexus, 1)
        assert (tmp_path / "one.db-wal").stat().st_size > 0
        nexus.backup(tmp_path / "copy.db")
    with recollect.open(tmp_path / "copy.db") as copy:
        assert copy.stats().concepts == 20
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy.db", "one.db"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    path.write_text("mine")
    (tmp_path / "broken.db").symlink_to(tmp_path / "nowhere")
    with recollect.open(tmp_path / "one.db") as nexus:
        for taken in (path, tmp_path / "broken.db", tmp_path / "one.db", tmp_path):
            with pytest.raises(RecollectError) as caught:
                nexus.backup(taken)
            assert caught.value.code.code == "INVALID_ARGUMENT"
            assert caught.value.hint
        with pytest.raises(RecollectError):
            nexus.backup(tmp_path / "absent" / "copy.db")
    assert path.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert not list(tmp_path.glob("*.part"))


def test_a_backup_taken_while_others_write_is_one_moment(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "one.db", synchronous="normal") as nexus:
        written(nexus, 0)
        stop = threading.Event()

        def write() -> None:
            number = 1
            while not stop.is_set():
                written(nexus, number)
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                nexus.backup(tmp_path / f"copy {number}.db")
        finally:
            stop.set()
            writer.join()
    for number in range(3):
        with recollect.open(tmp_path / f"copy {number}.db") as copy:
            stats = copy.stats()
            assert stats.concepts == 20 * stats.transactions > 0
            assert copy.verify().is_whole


def test_a_backup_tells_its_pages_and_what_is_written_meanwhile_does_not_begin_it_anew(
    tmp_path: Path,
) -> None:
    path, told = tmp_path / "one.db", list[tuple[str, int, int]]()
    with (
        recollect.open(path, synchronous="normal") as nexus,
        recollect.open(path, synchronous="normal") as other,
    ):
        nexus.write([PutConcept("T", str(n), {"n": [*range(20_000)]}) for n in range(200)])

        def tell(step: str, done: int, total: int) -> None:
            told.append((step, done, total))
            written(other, done)

        nexus.backup(tmp_path / "copy.db", progress=tell)
    assert len(told) > 2
    assert {(step, total) for step, _, total in told} == {("pages", told[-1][1])}
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})
    with recollect.open(tmp_path / "copy.db") as copy:
        assert copy.stats().concepts == 200
        assert copy.doctor().findings == ()
