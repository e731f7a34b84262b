"""docs/errors.md names every error and warning, and tells the truth about each."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from recollect.errors import CODES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
SECTION = re.compile(
    r"^### (?P<code>\w+) (?P<name>\w+)\n\n`(?P<retry>\w+)` · HTTP (?P<http>\d+)\n\n(?P<prose>.+)$",
    re.MULTILINE,
)


def test_every_code_is_documented_and_no_other() -> None:
    assert [section["code"] for section in SECTION.finditer(PAGE)] == list(CODES)


def test_each_section_names_what_the_registry_says() -> None:
    documented = {
        section["code"]: (section["name"], section["retry"], int(section["http"]))
        for section in SECTION.finditer(PAGE)
    }
    assert documented == {code: (row.name, row.retry, row.http) for code, row in CODES.items()}


def test_each_section_says_what_to_do() -> None:
    for section in SECTION.finditer(PAGE):
        assert re.search(r"\*Do:\* .+\.$", section["prose"]), section["code"]


def test_every_warning_is_documented() -> None:
    documented = set(re.findall(r"^\| `(\w+)` \|", PAGE.split("## Warnings\n")[1], re.MULTILINE))
    calls = [
        node
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    codes = {
        call.args[0].value
        for call in calls
        if call.func.id == "Notice" and isinstance(call.args[0], ast.Constant)
    }
    assert codes - documented == set()
