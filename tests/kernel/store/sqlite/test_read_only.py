"""A memory that may be read and not written: it is answered from, and nothing is left beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kernel.store.sqlite.test_migrations import older

from recollect.kernel import Nexus
from recollect.kernel.store.sqlite.migrations import VERSION
from recollect.model import PutConcept

READ = """
import sys
from recollect.errors import RecollectError
from recollect.kernel import Nexus
try:
    with Nexus.open(sys.argv[1]) as nexus:
        print(nexus.read('FIND(COUNT(?x) AS ?n) WHERE { ?x {type: "T"} }').results[0].rows[0][0])
        nexus.write('UPSERT { CONCEPT { {type: "T", name: "y"} } }')
except RecollectError as error:
    print(error.code.code, error.message, error.hint, sep="\\n")
"""
POWERLESS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
"""A root without the right to write what is read-only."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "kept"
    folder.mkdir()
    path = folder / "m.db"
    with Nexus.open(path) as nexus:
        nexus.write([PutConcept("T", "x")])
    yield path
    folder.chmod(0o700)


def read(path: Path) -> list[str]:
    command = [*POWERLESS, sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def names(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


def test_a_read_only_file_is_read_and_nothing_is_left_beside_it(memory: Path) -> None:
    memory.chmod(0o444)
    count, code, message, hint = read(memory)
    assert (count, code) == ("1", "STORE_UNAVAILABLE")
    assert message == f"{memory} is read-only, so the memory can only be read"
    assert hint == f"make it writable: chmod u+w {memory}"
    assert names(memory) == ["m.db"]
    memory.chmod(0o644)
    with Nexus.open(memory) as nexus:
        nexus.write([PutConcept("T", "y")])


def test_a_file_in_a_read_only_folder_is_read(memory: Path) -> None:
    memory.parent.chmod(0o555)
    count, code, message, hint = read(memory)
    assert (count, code) == ("1", "STORE_UNAVAILABLE")
    assert message == f"{memory.parent} is read-only, so the memory can only be read"
    assert hint == f"make it writable: chmod u+w {memory.parent}"
    assert names(memory) == ["m.db"]


def test_a_read_only_file_of_an_older_version_is_told_apart(memory: Path) -> None:
    memory.unlink()
    older(memory, VERSION - 1)
    memory.chmod(0o444)
    code, message, hint = read(memory)
    assert code == "STORE_UNAVAILABLE"
    assert message == f"{memory} is read-only, so its older tables cannot be brought up to date"
    assert hint == f"make it writable: chmod u+w {memory}"


def test_a_file_on_a_read_only_file_system_is_read_and_has_to_be_copied(memory: Path) -> None:
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(memory.parent)]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("only where anyone may mount")
    command = [*alone, sys.executable, "-c", READ, str(memory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, code, message, hint = done.stdout.splitlines()
    assert (count, code) == ("1", "STORE_UNAVAILABLE")
    assert message == f"{memory} is on a read-only file system, so the memory can only be read"
    assert hint == "copy it to a file system that can be written"


def test_a_reader_without_rights_sees_what_a_writer_with_them_has_just_written(
    memory: Path,
) -> None:
    with Nexus.open(memory) as nexus:
        nexus.write([PutConcept("T", "y")])
        memory.chmod(0o444)
        before = names(memory)
        assert read(memory)[:2] == ["2", "STORE_UNAVAILABLE"]
        assert names(memory) == before
        memory.chmod(0o644)


def test_a_log_that_may_not_be_moved_into_its_file_is_named(memory: Path) -> None:
    with Nexus.open(memory) as nexus:
        nexus.write([PutConcept("T", "y")])
        log = memory.with_name("m.db-wal").read_bytes()
    memory.with_name("m.db-wal").write_bytes(log)
    memory.parent.chmod(0o555)
    code, message, _ = read(memory)
    assert code == "STORE_UNAVAILABLE"
    assert (
        message
        == "m.db-wal holds changes that are not in the file yet, and the file cannot be written"
    )


STAY = """
import sys
from recollect.errors import RecollectError
from recollect.kernel import Nexus
with Nexus.open(sys.argv[1]) as nexus:
    for _ in range(2):
        try:
            answer = nexus.read('FIND(COUNT(?x) AS ?n) WHERE { ?x {type: "T"} }')
            print(answer.results[0].rows[0][0], flush=True)
        except RecollectError as error:
            print(error.message, error.hint, sep=": ", flush=True)
        sys.stdin.readline()
"""


def test_a_file_that_is_written_after_all_is_not_answered_from_as_it_was(memory: Path) -> None:
    memory.chmod(0o444)
    command = [*POWERLESS, sys.executable, "-c", STAY, str(memory)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "1\n"
        memory.chmod(0o644)
        with Nexus.open(memory) as nexus:
            nexus.write([PutConcept("T", "y")])
        reader.stdin.write("\n\n")
        reader.stdin.flush()
        changed = "the file has been written since it was opened: open it again\n"
        assert reader.stdout.readline() == changed
