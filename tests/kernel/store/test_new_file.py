"""A file gets its name when it is whole, and takes nobody's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.new_file import new_file


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
