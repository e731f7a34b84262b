"""docs/kip/words.md is the table of words; `pytest --update` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.kernel import WORDS

PAGE = Path(__file__).parents[2] / "docs" / "kip" / "words.md"
HEAD = "| Word | How it is written | What it means | Since |\n|---|---|---|---|\n"


def test_the_page_is_the_table_of_words(pytestconfig: pytest.Config) -> None:
    rows = sorted(f"| `{one.word}` | `{one.form}` | {one.text} | {one.since} |" for one in WORDS)
    page = PAGE.read_text(encoding="utf-8")
    before, mark, _ = page.partition("| Word |")
    assert mark
    made = before + HEAD + "\n".join(rows) + "\n"
    if pytestconfig.getoption("--update"):
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made
