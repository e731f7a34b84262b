"""The runnable blocks of a Markdown document, and how an answer compares with one.

The convention is stated for readers in docs/kip/README.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recollect.faces.kip import Response, execute_kip
from recollect.kernel import Nexus

ANYTHING = "…"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ARGUMENT = re.compile(r"// (parameters|as_of|format|dry_run|on_missing): (.*)")


@dataclass(frozen=True, slots=True)
class Example:
    """A KIP block, the arguments in its head, and the block that says what it answers."""

    line: int
    command: str
    arguments: Mapping[str, object]
    kind: str  # "text", "json", or "" if nothing follows
    expected: str

    def run(self, nexus: Nexus) -> Response:
        """Return the response to the block."""
        return execute_kip(nexus, self.command, **self.arguments)


def read_examples(path: Path) -> list[Example]:
    """Return the KIP blocks of a document, in order."""
    text = path.read_text("utf-8")
    blocks = list(_FENCE.finditer(text))
    examples = []
    for at, block in enumerate(blocks):
        if block[1] != "kip":
            continue
        after = blocks[at + 1] if at + 1 < len(blocks) else None
        follows = after is not None and not text[block.end() : after.start()].strip()
        answer = after if follows and after[1] in {"text", "json"} else None
        examples.append(
            Example(
                line=text.count("\n", 0, block.start()) + 1,
                command=block[2],
                arguments=_arguments(block[2]),
                kind=answer[1] if answer else "",
                expected=answer[2] if answer else "",
            )
        )
    return examples


def _arguments(command: str) -> dict[str, object]:
    found = {}
    for line in command.splitlines():
        argument = _ARGUMENT.fullmatch(line)
        if argument is None:
            break
        found[argument[1]] = json.loads(argument[2])
    return found


def check(example: Example, response: Response) -> None:
    """Assert that the response is what the document says it is."""
    match example.kind:
        case "text":
            assert "warnings" not in response, response
            assert table(response) == read_table(example.expected)
        case "json":
            expected = json.loads(example.expected)
            assert_like(as_shown(response, expected), expected)
        case _:
            assert set(response) == {"result"}, response


def as_shown(response: Response, expected: Response) -> Response:
    """Return the response with only the shown members of its error or warnings."""
    shown = dict(response)
    if "error" in shown and "error" in expected:
        shown["error"] = _only(shown["error"], expected["error"])
    if "warnings" in shown and len(shown["warnings"]) == len(expected.get("warnings", ())):
        pairs = zip(shown["warnings"], expected["warnings"], strict=True)
        shown["warnings"] = [_only(warning, wanted) for warning, wanted in pairs]
    return shown


def _only(found: Mapping[str, object], wanted: Mapping[str, object]) -> dict[str, object]:
    return {name: found[name] for name in wanted if name in found}


def table(response: Response) -> list[list[str]]:
    """Return a FIND's columns and rows as the words of a table."""
    assert "result" in response, response
    rows = response["result"]["rows"]
    return [response["result"]["columns"], *([_word(cell) for cell in row] for row in rows)]


def _word(cell: object) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def read_table(text: str) -> list[list[str]]:
    """Return the words of a table written with bars and a rule under its head."""
    head, rule, *rows = text.splitlines()
    assert set(rule) <= set("-+"), f"the second line of a table is a rule, not {rule!r}"
    return [[word.strip() for word in line.split("|")] for line in (head, *rows)]


def assert_like(found: object, expected: object) -> None:
    """Assert that two JSON values are equal, where `"…"` equals anything."""
    if expected == ANYTHING:
        return
    match expected:
        case dict():
            assert isinstance(found, dict), found
            assert list(found) == list(expected)
            for name, value in expected.items():
                assert_like(found[name], value)
        case list():
            assert isinstance(found, list), found
            assert len(found) == len(expected), found
            for one, value in zip(found, expected, strict=True):
                assert_like(one, value)
        case _:
            assert found == expected
            assert type(found) is type(expected)
