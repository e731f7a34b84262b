"""The pages of the documentation and the blocks in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int  # of the page, from 0, where the code begins


@dataclass(frozen=True)
class Command:
    """A line for a terminal; what it prints, where the page shows that."""

    text: str
    output: str
    line: int


def name_of(page: Path) -> str:
    return page.as_posix().removeprefix(f"{ROOT.as_posix()}/")


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield Block(found[1], found[2], text.count("\n", 0, found.start(2)))


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block: each line of `sh`, each `$` line of `console`; `\\` goes on."""
    text, output, begun = "", "", 0
    goes_on = False
    for number, line in enumerate(block.code.splitlines(), block.line + 1):
        if goes_on:
            text += "\n" + line
        elif block.language == "sh" or line.startswith("$ "):
            if text:
                yield Command(text, output, begun)
            text, output, begun = line.removeprefix("$ "), "", number
        else:
            output += line + "\n"
        goes_on = text.endswith("\\") and not output
    if text:
        yield Command(text, output, begun)
