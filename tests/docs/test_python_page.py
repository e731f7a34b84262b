"""docs/python.md tells every parameter of every method, and every field of every answer."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

import recollect
from recollect import model

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
CLASSES = PAGE.split("## Answers and changes\n")[1].split("\n## ")[0]
METHODS = [
    name
    for name, member in vars(recollect.Nexus).items()
    if not name.startswith("_") and not isinstance(member, property)
]
TYPES = (
    "Answer", "Rows", "Hits", "Hit", "Description", "UpsertReport", "Skipped", "DeleteReport",
    "UpdateReport", "MergeReport", "Exported", "Merge",
    "BatchReport", "AsOf", "Dated", "Ranked", "PutConcept", "PutLink", "PutFact", "RemoveKeys", "Delete", "Key", "Local",
)  # fmt: skip


class Word(str):
    """A text that a signature shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def signature(name: str, of: type[object]) -> str:
    """How a method is called, with its types as the source spells them."""
    told = inspect.signature(getattr(of, name))
    parameters = [
        one.replace(
            annotation=Word(one.annotation),
            default=Word(one.default.__name__) if inspect.isfunction(one.default) else one.default,
        )
        for one in told.parameters.values()
        if one.name != "self"
    ]
    shown = inspect.Signature(parameters, return_annotation=Word(told.return_annotation))
    return f"{name}{shown}"


@pytest.mark.parametrize("name", METHODS)
def test_the_page_tells_how_a_method_is_called(name: str):
    assert f"\n{signature(name, recollect.Nexus)}\n" in PAGE


@pytest.mark.parametrize("part", ["elements", "declared"])
def test_the_page_tells_how_the_methods_of_a_part_are_called(part: str):
    with recollect.open(":memory:") as nexus:
        of = type(getattr(nexus, part))
    methods = [name for name in vars(of) if not name.startswith("_")]
    for name in methods:
        assert f"\n{part}.{signature(name, of)}\n" in PAGE
        assert f"\n| `{name}` |" in PAGE
    assert PAGE.count(f"\n{part}.") == len(methods)


@pytest.mark.parametrize("name", TYPES)
def test_the_page_tells_what_a_type_holds(name: str):
    (row,) = re.findall(rf"^\| `{name}` \| (.+?) \|", CLASSES, re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == [field.name for field in fields(getattr(model, name))]
