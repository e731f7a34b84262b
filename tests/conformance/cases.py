"""The conformance cases: KIP draft-3 as this project decided its open points.

Each line of `kip_draft3.jsonl` is one case: commands to run first on an empty graph, one
command, what is expected of it, and queries to run afterwards. Ids the engine makes are not
compared. A case of kind `parse` judges only whether the text is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from recollect.model import Value

FILE = Path(__file__).with_name("kip_draft3.jsonl")

Row = Sequence[Value]


@dataclass(frozen=True, slots=True)
class Check:
    """A query to run after the command, and its rows in any order."""

    command: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Case:
    """One case; `code` is empty when the command succeeds."""

    id: str
    is_parse: bool
    setup: Sequence[str]
    command: str
    parameters: Mapping[str, Value]
    code: str
    rows: Sequence[Row] | None
    is_ordered: bool
    report: Mapping[str, Value]
    checks: Sequence[Check]


def load() -> list[Case]:
    """Return every case of the file."""
    return [_case(orjson.loads(line)) for line in FILE.read_bytes().splitlines()]


def _case(line: dict) -> Case:
    expected = line["expectation"]
    known = {"id", "about", "kind", "setup", "command", "parameters", "expectation", "check"}
    assert line.keys() <= known
    assert expected.keys() <= {"status", "code", "rows", "ordered", "report"}
    return Case(
        id=line["id"],
        is_parse=line["kind"] == "parse",
        setup=line["setup"],
        command=line["command"],
        parameters=line.get("parameters", {}),
        code=expected["code"] if expected["status"] == "err" else "",
        rows=expected.get("rows"),
        is_ordered=expected.get("ordered", False),
        report=expected.get("report", {}),
        checks=[Check(one["command"], one["rows"]) for one in line.get("check", [])],
    )


def comparable(rows: Sequence[Row], *, is_ordered: bool = False) -> list[str]:
    """Return rows as texts that are equal when the rows are; sorted unless order matters."""
    texts = [orjson.dumps(list(row), option=orjson.OPT_SORT_KEYS).decode() for row in rows]
    return texts if is_ordered else sorted(texts)
