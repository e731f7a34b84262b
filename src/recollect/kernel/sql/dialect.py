"""What differs between SQL engines: a table of functions and a few renderings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Part(StrEnum):
    """What to take of a JSON value: its type's name, its JSON text, or its SQL value."""

    TYPE = "type"
    JSON = "json"
    VALUE = "value"


class RenderJson(Protocol):
    """Renders a part of a JSON document whose SQL text is given."""

    def __call__(self, part: Part, document: str, key: str | None) -> str:
        """Return the SQL text."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One engine's spelling of the SQL tree."""

    name: str
    functions: Mapping[str, str]
    inner_join: str  # a join whose order the engine keeps
    render_json: RenderJson
    apart: str  # what ends a subquery that must not be merged into the query around it
    parameter: str  # what a bound parameter begins with: ":"
