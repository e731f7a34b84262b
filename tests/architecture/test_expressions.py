"""Regular expressions mean the same in every Python that Recollect runs on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
LOOKING = re.compile(r"\(\?(?:=|!|<=|<!)")
POSSESSIVE = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")


def repeated_looks(line: str) -> Iterator[str]:
    """Each group of a line that is repeated possessively and looks behind or ahead."""
    for found in POSSESSIVE.finditer(line):
        depth = 1
        for at in range(found.start() - 1, -1, -1):
            depth += (line[at] == ")") - (line[at] == "(")
            if depth == 0:
                group = line[at : found.end()]
                if LOOKING.search(group):
                    yield group
                break


def test_no_group_that_looks_around_is_repeated_possessively() -> None:
    """Python before 3.11.5 goes on from where `(?:(?<=a)b)*+` looked, not from where it stood."""
    paths = sorted(SOURCE.rglob("*.py"))
    lines = ((path, line) for path in paths for line in path.read_text("utf-8").splitlines())
    found = [f"{path.name}: {one}" for path, line in lines for one in repeated_looks(line)]
    assert found == []


@pytest.mark.parametrize(
    ("line", "groups"),
    [
        (r"  | [0-9](?:[\w.]|(?<=[eE])[-+])*+", [r"(?:[\w.]|(?<=[eE])[-+])*+"]),
        (r"  | [0-9](?:[eE][-+]|[\w.])*+", []),
        (r"(?=a)(b)?+", []),
    ],
)
def test_a_group_that_looks_around_is_seen(line: str, groups: list[str]) -> None:
    assert list(repeated_looks(line)) == groups
