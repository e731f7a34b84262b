"""Every line of docs/security.md that promises something names a test, and the test is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "security.md"
TEXT = PAGE.read_text(encoding="utf-8")
NAMED = re.findall(r"\[(test_\w+)\]\(([^)]+)\)", TEXT)


@pytest.mark.parametrize(("name", "place"), NAMED, ids=lambda one: Path(one).name)
def test_a_test_that_the_page_names_is_there(name: str, place: str) -> None:
    source = (PAGE.parent / place).read_text(encoding="utf-8")
    assert re.search(rf"^\s*(async )?def {name}\(", source, re.MULTILINE)


def test_every_threat_has_a_test_or_an_example() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and "| test |" not in line]
    assert len(rows) > 15
    assert [row for row in rows if "[test_" not in row and "example below" not in row] == []
