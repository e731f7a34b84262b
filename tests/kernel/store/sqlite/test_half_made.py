"""A file that another process is making at this moment."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw

import recollect


def test_a_file_that_is_long_before_it_is_written_is_one_being_made(tmp_path: Path) -> None:
    whole, half = tmp_path / "whole.db", tmp_path / "half.db"
    connection = apsw.Connection(str(whole))
    connection.execute("PRAGMA cache_size = 1; BEGIN; CREATE TABLE t (x)")
    connection.executemany("INSERT INTO t VALUES (?)", [("x" * 3_000,)] * 50)  # spills to disk
    shutil.copyfile(f"{whole}-journal", f"{half}-journal")
    half.write_bytes(bytes(whole.stat().st_size))
    connection.close()
    with recollect.open(half) as nexus:
        assert nexus.write('UPSERT { CONCEPT @a { {type: "T", name: "a"} } }').results
