"""Fail when a file, class or function holds more code than one idea should need.

Code lines are counted without docstrings, comments and blank lines, so that good
documentation never costs anything. There is no lower limit.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "tools", "bench")
LIMITS = {"file": 500, "class": 350, "function": 60}
EXEMPT: dict[str, str] = {}
"""`path` or `path:name` -> the decision record that allows it."""


def lines_of_code(tree: ast.AST, source: list[str]) -> list[bool]:
    """Return of each line whether it holds code: no docstring, comment or blank line."""
    prose: set[int] = set()
    for inner in ast.walk(tree):
        body = getattr(inner, "body", None)  # a list, save in a lambda or a conditional
        for statement in body if isinstance(body, list) else []:
            if is_text(statement):
                prose.update(range(statement.lineno, statement.end_lineno + 1))
    lines = enumerate(map(str.strip, source), 1)
    return [bool(line) and line[0] != "#" and number not in prose for number, line in lines]


def is_text(statement: object) -> bool:
    """Whether a statement is a bare string: a docstring, or one under an assignment."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def parts(path: str, tree: ast.Module, lines: list[bool]) -> Iterator[tuple[str, str, int]]:
    """Yield the kind, name and lines of code of everything that has a limit."""
    yield "file", path, sum(lines)
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name):
                kind = "class"
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                kind = "function"
            case _:
                continue
        yield kind, f"{path}:{name}", sum(lines[node.lineno - 1 : node.end_lineno])


def over_budget(root: Path) -> list[str]:
    """Return one line for each file, class or function over its limit."""
    found = []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree, name = ast.parse(text), path.relative_to(root).as_posix()
        for kind, part, size in parts(name, tree, lines_of_code(tree, text.splitlines())):
            if size > LIMITS[kind] and part not in EXEMPT:
                found.append(f"{part}: {kind} of {size} code lines, limit {LIMITS[kind]}")
    return found


def main() -> int:
    """Print what is over its limit; return the exit status."""
    problems = over_budget(ROOT)
    print("\n".join(problems) or "Sizes: every file, class and function is within its limit")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
