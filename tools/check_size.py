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


def code_lines(node: ast.AST, source: list[str]) -> int:
    """Return how many lines of `node` hold code: no docstring, comment or blank line."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", len(source))
    prose: set[int] = set()
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)  # a list, save in a lambda or a conditional
        for statement in body if isinstance(body, list) else []:
            if is_text(statement):
                prose.update(range(statement.lineno, statement.end_lineno + 1))
    lines = (source[number - 1].strip() for number in range(first, last + 1) if number not in prose)
    return sum(bool(line) and not line.startswith("#") for line in lines)


def is_text(statement: object) -> bool:
    """Whether a statement is a bare string: a docstring, or one under an assignment."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def parts(path: str, tree: ast.Module) -> Iterator[tuple[str, str, ast.AST]]:
    """Yield the kind, name and tree of everything that has a limit."""
    yield "file", path, tree
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name):
                yield "class", f"{path}:{name}", node
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield "function", f"{path}:{name}", node


def over_budget(root: Path) -> list[str]:
    """Return one line for each file, class or function over its limit."""
    found = []
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        source, name = text.splitlines(), path.relative_to(root).as_posix()
        for kind, part, node in parts(name, ast.parse(text)):
            size = code_lines(node, source)
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
