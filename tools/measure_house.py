"""Print how the house stands: what a reader has to open, and where what is not in its place lies.

Each figure has a target and a bound, in `house.toml` beside this file. The run fails only where a
figure is worse than its bound; whoever makes a figure better lowers its bound.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from check_size import lines_of_code
from measure_calls import crossings

ROOT = Path(__file__).resolve().parent.parent
SQL = re.compile(
    r"\bSELECT\b.+?\bFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+[a-z_]\w*.+?\bSET\s+[a-z_{]\w*\s*="
    r"|\bDELETE\s+FROM\s+[a-z_{]|\b(CREATE|DROP)\s+(UNIQUE\s+|TEMP\s+|VIRTUAL\s+)?(TABLE|INDEX|VIEW)"
    r"|\bPRAGMA\s+\w|\b(FROM|JOIN)\s+[a-z_{]\S*\s+AS\b|^\s*WITH\s+\w+(\(.*?\))?\s+AS\b",
    re.DOTALL,
)
"""SQL as this house writes it: its words in capitals, its names small, as no KIP text is."""

ENGINE = re.compile(r"sqlite|apsw|fts5|rowid", re.IGNORECASE)
PRESCRIBED = re.compile(r"SQLite(KnowledgeStore|FTS5RetrievalService|KeyValueService)")
STATEMENTS_LIVE = ("kernel/sql/", "kernel/store/", "faces/knowledge/services/")
ENGINE_LIVES = (
    *("kernel/store/sqlite/", "kernel/store/address.py", "kernel/store/opening.py"),
    "faces/knowledge/services/",
)
SECOND_ENGINE = "kernel/store/postgres/"
SMALL = 25
MOST_PARAMETERS = 6


@dataclass(frozen=True)
class Module:
    """One source file: its path below the package, and its tree."""

    name: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All of its tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def size(self) -> int:
        """Its code lines: no blank line, comment or docstring."""
        return sum(lines_of_code(self.tree, self.text.splitlines()))


def modules(source: Path) -> list[Module]:
    """Return every module of the package, in order."""
    found = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(source).as_posix(), text, ast.parse(text)))
    return found


def statements(module: Module) -> int:
    """Count the texts in a module that are SQL; an f-string counts as one, a docstring not."""
    whole = [node for node in module.nodes if isinstance(node, ast.JoinedStr)]
    inside = {id(part) for node in whole for part in ast.walk(node)}
    prose = {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}
    texts = ["".join(map(piece, node.values)) for node in whole]
    apart = inside | prose
    texts += [piece(node) for node in module.nodes if id(node) not in apart]
    return sum(bool(SQL.search(text)) for text in texts)


def piece(node: ast.AST) -> str:
    """Return a constant text, or what stands for what is only known when it runs."""
    if not isinstance(node, ast.Constant):
        return "{}" if isinstance(node, ast.FormattedValue) else ""
    return node.value if isinstance(node.value, str) else ""


def classes(module: Module) -> Iterator[str]:
    """Yield the names of the classes that a module defines outside of others."""
    return (node.name for node in module.tree.body if isinstance(node, ast.ClassDef))


def repeated(all_of: list[Module]) -> int:
    """Count the class names that stand in two files or more."""
    return sum(
        files > 1 for files in Counter(name for one in all_of for name in classes(one)).values()
    )


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method of a module."""
    return (
        node for node in module.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count what a caller may pass; what a method is called on is not counted."""
    given = node.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def public_members(module: Module, name: str) -> int:
    """Count the public methods and properties of a class, and not the parts that it holds."""
    (found,) = (
        node for node in module.tree.body if isinstance(node, ast.ClassDef) and node.name == name
    )
    members = {node.name for node in found.body if isinstance(node, ast.FunctionDef)}
    return sum(not member.startswith("_") for member in members)


def comments_a_thousand(some: list[Module]) -> float:
    """Return the comments with a line of their own, in a thousand code lines."""
    lines = (line.strip() for module in some for line in module.text.splitlines())
    return round(
        1000 * sum(line.startswith("# ") for line in lines) / sum(one.size for one in some), 1
    )


def measure(source: Path, hard: list[str]) -> dict[str, float]:
    """Return every figure that the text of the sources tells, by name."""
    all_of = modules(source)
    kernel = [one for one in all_of if one.name.startswith("kernel/")]
    by_name = {one.name: one for one in all_of}
    apart = [one for one in all_of if not one.name.startswith(STATEMENTS_LIVE)]
    strangers = [one for one in all_of if not one.name.startswith(ENGINE_LIVES)]
    small = [one for one in all_of if one.size < SMALL and not one.name.endswith("__init__.py")]
    return {
        "SQL texts outside their places": sum(map(statements, apart)),
        "files with SQL outside its places": sum(statements(one) > 0 for one in apart),
        "files that name the engine": sum(
            bool(ENGINE.search(PRESCRIBED.sub("", one.text))) for one in strangers
        ),
        "code lines": sum(one.size for one in all_of if not one.name.startswith(SECOND_ENGINE)),
        "code lines of the second engine": sum(
            one.size for one in all_of if one.name.startswith(SECOND_ENGINE)
        ),
        f"files under {SMALL} code lines": len(small),
        "class names in two files or more, kernel": repeated(kernel),
        "class names in two files or more, whole": repeated(all_of),
        f"functions with more than {MOST_PARAMETERS} parameters": sum(
            parameters(node) > MOST_PARAMETERS for one in all_of for node in functions(one)
        ),
        "public members of Nexus": public_members(by_name["kernel/nexus.py"], "Nexus"),
        "comments a 1,000 lines, hard algorithms": comments_a_thousand(
            [by_name[name] for name in hard]
        ),
    }


@dataclass(frozen=True)
class Bound:
    """What a figure is to reach, and the worst that it may be."""

    name: str
    target: float
    bound: float
    is_to_rise: bool = False

    def is_broken_by(self, figure: float) -> bool:
        """Whether a figure is worse than the bound."""
        return figure < self.bound if self.is_to_rise else figure > self.bound


def bounds(root: Path) -> tuple[list[Bound], list[str]]:
    """Return the bounds, in order, and the files of the hard algorithms."""
    told = tomllib.loads((root / "tools" / "house.toml").read_text(encoding="utf-8"))
    found = [
        Bound(one["name"], one["target"], one["bound"], one.get("is_to_rise", False))
        for one in told["figure"]
    ]
    return found, told["hard"]


def main() -> int:
    """Print each figure with its target; return 1 where one is worse than its bound."""
    known, hard = bounds(ROOT)
    figures = measure(ROOT / "src" / "recollect", hard) | crossings()
    broken = [one for one in known if one.is_broken_by(figures[one.name])]
    width = max(len(one.name) for one in known)
    print(f"{'The house':{width}}  {'now':>8}{'to reach':>10}{'bound':>8}")
    for one in known:
        print(f"{one.name:{width}}  {figures[one.name]:8,g}{one.target:10,g}{one.bound:8,g}")
    for one in broken:
        print(f"{one.name}: {figures[one.name]:,g} is worse than the bound {one.bound:,g}")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
