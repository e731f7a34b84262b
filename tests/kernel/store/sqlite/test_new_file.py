"""A file gets its name when it is whole, and takes nobody's place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.new_file import new_file

WITHOUT_LINKS = """
import errno, sys
from pathlib import Path
from recollect.errors import RecollectError
from recollect.kernel.store.new_file import new_file

def refuse(event, _):
    if event == "os.link":
        raise OSError(errno.EPERM, "Operation not permitted")

sys.addaudithook(refuse)  # as a system that has no links
path, is_taken = Path(sys.argv[1]), sys.argv[2] == "taken"
try:
    with new_file(path) as part:
        part.write_bytes(b"ours")
        if is_taken:
            path.write_bytes(b"theirs")
except RecollectError as error:
    print(error.message)
"""

READ_ONLY = """
import errno, sys
from pathlib import Path
from recollect.errors import RecollectError
from recollect.kernel.store.new_file import new_file

def refuse(event, arguments):
    if event in ("open", "os.remove") and str(arguments[0]).endswith((".part", "-journal")):
        raise OSError(errno.EROFS, "Read-only file system")

sys.addaudithook(refuse)  # as a disk that is only read
try:
    with new_file(Path(sys.argv[1])) as part:
        part.write_bytes(b"ours")
except RecollectError as error:
    print(error.message)
"""


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    with pytest.raises(RecollectError) as caught, new_file(path) as part:
        part.write_bytes(b"ours")
        path.write_bytes(b"theirs")
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_file_has_its_name_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    with new_file(path) as part:
        part.write_bytes(b"ours")
        assert not path.exists()
    assert path.read_bytes() == b"ours"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("meanwhile", "held"), [("free", b"ours"), ("taken", b"theirs")])
def test_a_file_gets_its_name_where_there_are_no_links_and_overwrites_none(
    tmp_path: Path, meanwhile: str, held: bytes
) -> None:
    path = tmp_path / "copy.db"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LINKS, str(path), meanwhile],
        capture_output=True,
        text=True,
        check=True,
    )
    refused = f"{path} is there already, and nothing is overwritten\n"
    assert done.stdout == (refused if meanwhile == "taken" else "")
    assert path.read_bytes() == held
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_is_only_read_is_told_as_any_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{path} cannot be written: Read-only file system\n"


@pytest.mark.parametrize("error", [FileNotFoundError, FileExistsError])
def test_what_is_refused_of_another_file_is_told_of_that_file(
    tmp_path: Path, error: type[OSError]
) -> None:
    (tmp_path / "there").touch()
    mode, name = ("rb", "missing") if error is FileNotFoundError else ("xb", "there")
    with (
        pytest.raises(error, match=name),
        new_file(tmp_path / "copy.db") as part,
        (tmp_path / name).open(mode),
    ):
        part.touch()
    assert [one.name for one in tmp_path.iterdir()] == ["there"]
