"""The examples in docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


TOO_HEAVY = {"fastembed", "minilm", "sentence_transformers"}
"""Modules that need a package of their name, which no work on Recollect installs."""

MODULES = [
    module_name(path)
    for path in sorted(SOURCE.rglob("*.py"))
    if path.stem not in TOO_HEAVY | {"__main__"}
]


@pytest.mark.parametrize("name", MODULES)
def test_the_doctests_of_a_module_pass(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert not failures, capsys.readouterr().out
