"""No file, class or function outgrows one idea."""

from __future__ import annotations

import ast
from pathlib import Path

from check_size import ROOT, lines_of_code, over_budget


def test_everything_is_within_its_limit() -> None:
    assert over_budget(ROOT) == []


def test_prose_and_blank_lines_cost_nothing() -> None:
    text = '"""A page."""\n\n# why\nLIMIT = 3\n"""What it bounds."""\n\n\ndef f():\n    """Say."""\n    return 1\n'
    assert sum(lines_of_code(ast.parse(text), text.splitlines())) == 3


def test_a_function_that_outgrows_its_limit_is_named(tmp_path: Path) -> None:
    module = tmp_path / "src" / "long.py"
    module.parent.mkdir()
    module.write_text("def grown():\n" + "    print()\n" * 60, encoding="utf-8")
    assert over_budget(tmp_path) == ["src/long.py:grown: function of 61 code lines, limit 60"]
