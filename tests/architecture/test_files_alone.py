"""What is left out of a run on a server is bounded: each mark says why, and there are few."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
MOST = 45
"""Lower it when a test can run on a server after all; never the other way round."""


def marks() -> list[tuple[Path, ast.Call]]:
    return [
        (path, node)
        for path in sorted(TESTS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sqlite_only"
    ]


def test_few_tests_are_of_files_alone_and_each_says_why() -> None:
    found = marks()
    assert 0 < len(found) <= MOST
    for path, mark in found:
        (reason,) = mark.args
        assert isinstance(reason, ast.Constant), path
        assert len(str(reason.value)) > 8, path
