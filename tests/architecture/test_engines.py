"""What only one engine says stands in that engine's folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[2] / "src" / "recollect" / "kernel"
OF_A_FILE = re.compile(
    r"\b(SqliteStore|SqliteSession|SQLITE|sqlite_\w+|PRAGMA|rowid|jsonb?_each|unhex|iif|apsw|fts5)\b"
    r"|\bNOT INDEXED\b|\bINDEXED BY\b|\b(INSERT|UPDATE) OR\b",
)
OF_A_SERVER = re.compile(r"\b(PostgresStore|PostgresSession|POSTGRES|psycopg|pg_\w+)\b")
CHOOSES = "store/opening.py"
"""The one file that knows both."""


def said(of_an_engine: re.Pattern[str], folder: str) -> list[str]:
    """Return where words of an engine stand outside its folder."""
    return [
        f"{name}:{number}: {found[0]}"
        for path in sorted(KERNEL.rglob("*.py"))
        if not (name := path.relative_to(KERNEL).as_posix()).startswith(folder) and name != CHOOSES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (found := of_an_engine.search(line)) is not None
    ]


def test_what_only_a_file_says_stands_in_its_folder() -> None:
    there = said(OF_A_FILE, "store/sqlite/")
    assert [one for one in there if not one.startswith("store/postgres/")] == []


def test_what_only_a_server_says_stands_in_its_folder() -> None:
    assert said(OF_A_SERVER, "store/postgres/") == []


@pytest.mark.parametrize(
    "text", ["SELECT e.id FROM link AS e NOT INDEXED", "json_each(:ids) AS w", "INSERT OR IGNORE"]
)
def test_what_only_a_file_says_is_known(text: str) -> None:
    assert OF_A_FILE.search(text) is not None
