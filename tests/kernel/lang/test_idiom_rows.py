"""The rows of `idioms.txt`: each has a case, a text of the suites that it is found in."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from recollect.errors import RecollectError
from recollect.kernel.lang.cursor import Cursor
from recollect.kernel.lang.parser import statements_of
from recollect.kernel.lang.repair.rows import IdiomRow, Surroundings, rows
from recollect.kernel.lang.tokens import lex

HERE = Path(__file__).parent
BETWEEN = "\n\n----\n\n"


def texts() -> list[str]:
    """The texts of `messages/*.txt` and of `idioms.jsonl`."""
    lines = (HERE / "idioms.jsonl").read_bytes().splitlines()
    found = [orjson.loads(line)["text"] for line in lines]
    for path in sorted(HERE.glob("messages/*.txt")):
        entries = path.read_text(encoding="utf-8").split(BETWEEN)[1:]
        found += [entry.partition("\nKIP_")[0] for entry in entries]
    return found


def around(text: str) -> Surroundings:
    """What stands around the token that a text fails at."""
    cursor = Cursor(lex(text))
    with pytest.raises(RecollectError):
        statements_of(cursor)
    return Surroundings(cursor.tokens, cursor.at)


@pytest.fixture(scope="module")
def places() -> list[Surroundings]:
    return [around(text) for text in texts()]


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.message}: {row.seen}")
def test_a_row_is_found_in_a_text_of_the_suites(row: IdiomRow, places: list[Surroundings]) -> None:
    assert any(one.found(row) is not None for one in places)
