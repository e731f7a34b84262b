"""What is public is documented in docs/python.md, and what is documented is public."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import recollect
import recollect.kernel

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


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


def test_the_kernel_has_one_door() -> None:
    doors = {
        "Capsule",
        "Nexus",
        "check_as_of",
        "new_file",
        "parse_address",
        "parse_instant",
    }
    language = {"check", "format_text", "meaning_of", "parse", "place_at", "print_text"}
    answers = {"Diagnostic", "Meaning", "Place", "Severity", "Wanted"}
    assert set(recollect.kernel.__all__) <= doors | language | answers


def test_the_fields_of_limits_are_the_documented_ones() -> None:
    assert documented("Limits") == {field.name for field in fields(recollect.Limits)}
