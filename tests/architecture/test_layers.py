"""The layers hold, and so do the rules about imports that no contract can say."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter import cli

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "recollect"
MODULES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
VAGUE = {"common", "helper", "helpers", "manager", "misc", "util", "utils"}
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv"}


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def has_inner_import(tree: ast.Module) -> bool:
    functions = (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(any(imports(function)) for function in functions)


def reads_environment(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT for node in ast.walk(tree)
    ) or any(
        alias.name in ENVIRONMENT
        for node in imports(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def test_every_import_contract_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    status = cli.lint_imports(no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_only_a_command_imports_inside_a_function() -> None:
    inner = [name for name, tree in MODULES.items() if has_inner_import(tree)]
    assert [name for name in inner if not name.startswith("servers/cli/")] == []


def test_every_import_is_absolute() -> None:
    relative = [
        name
        for name, tree in MODULES.items()
        if any(isinstance(node, ast.ImportFrom) and node.level for node in imports(tree))
    ]
    assert relative == []


def test_only_settings_reads_the_environment() -> None:
    readers = [name for name, tree in MODULES.items() if reads_environment(tree)]
    assert set(readers) <= {"servers/settings.py"}


def test_a_module_is_named_after_what_it_holds() -> None:
    names = [Path(name).with_suffix("").parts for name in MODULES]
    assert [parts for parts in names if VAGUE & set(parts)] == []


def test_a_module_says_what_it_holds() -> None:
    assert [name for name, tree in MODULES.items() if not ast.get_docstring(tree)] == []
