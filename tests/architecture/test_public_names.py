"""What is public is documented in docs/python.md, and what is documented is public."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import recollect
import recollect.kernel

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "recollect"
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def documented(heading: str) -> set[str]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))


def test_the_public_names_are_the_documented_ones() -> None:
    assert documented("Names") == set(recollect.__all__)


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in recollect.__all__ if not hasattr(recollect, name)] == []


def test_the_methods_of_a_nexus_are_the_documented_ones() -> None:
    public = {name for name in vars(recollect.Nexus) if not name.startswith("_")}
    assert documented("Nexus") == public


def test_the_parts_of_a_nexus_are_the_documented_ones() -> None:
    with recollect.open(":memory:") as nexus:
        public = {name for name in vars(nexus) if not name.startswith("_")}
    parts = PAGE.split("## Parts of a Nexus\n")[1].split("\n### ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", parts, re.MULTILINE)) == public


def test_the_names_of_the_kernel_are_those_that_the_architecture_lists() -> None:
    listed = ARCHITECTURE.split("through `recollect.kernel` alone:")[1].split(". ")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(recollect.kernel.__all__)


def test_the_architecture_lists_every_folder() -> None:
    listed = set(re.findall(r"^\| `([\w/]+)` \|", ARCHITECTURE, re.MULTILINE))
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*/__init__.py")}
    deep = {one for one in folders if one.count("/") > 1}
    holders = {one for one in folders if any(other.startswith(f"{one}/") for other in folders)}
    assert listed >= folders - deep - holders


def test_the_fields_of_limits_are_the_documented_ones() -> None:
    assert documented("Limits") == {field.name for field in fields(recollect.Limits)}
