"""The examples in Markdown pages run: `pycon` blocks print what they show, `python` blocks pass."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int  # of the page, from 0, where the code begins


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        yield Block(found[1], found[2], text.count("\n", 0, found.start(2)))


def run_python(block: Block, page: Path, names: dict[str, object]) -> None:
    code = "\n" * block.line + block.code  # so that a traceback names the line of the page
    exec(compile(code, str(page), "exec"), names)  # the page is ours


def run_pycon(block: Block, page: Path, names: dict[str, object]) -> None:
    example = doctest.DocTestParser().get_doctest(
        block.code, names, page.name, str(page), block.line
    )
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example, out=report.append, clear_globs=False)
    names.update(example.globs)  # the parser works on a copy
    assert not runner.failures, "".join(report)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [one for one in PAGES if any(blocks(one))], ids=name_of)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__page__"}
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page, names)
        else:
            run_pycon(block, page, names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = re.findall(r"(?:`|^)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets
