"""Ninety-one commands as another language says them, with what each means here, if KIP can say it.

The rule: where a text has one meaning here, one edit gives it; where it has none or several, the
error says so and edits nothing. A line of `idioms.jsonl` has an idiom, a text and what is meant.
"""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from recollect.errors import RecollectError
from recollect.kernel import parse

LINES = (Path(__file__).parent / "idioms.jsonl").read_bytes().splitlines()
COMMANDS = [orjson.loads(line) for line in LINES]
MEANT = [one for one in COMMANDS if one["meant"] is not None]
TOLD = [one for one in COMMANDS if one["meant"] is None]


def refused(text: str) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        parse(text)
    return caught.value


def named(commands: list[dict[str, str]]) -> list[object]:
    return [pytest.param(one, id=f"{one['idiom']}: {one['text']}") for one in commands]


@pytest.mark.parametrize("command", named(MEANT))
def test_one_edit_gives_what_a_command_means(command: dict[str, str]) -> None:
    error = refused(command["text"])
    assert error.hint
    assert error.fix is not None, error
    mended = parse(error.fix.apply(command["text"]))
    assert mended.statements == parse(command["meant"]).statements


@pytest.mark.parametrize("command", named(TOLD))
def test_what_has_no_one_meaning_here_is_told_and_not_edited(command: dict[str, str]) -> None:
    error = refused(command["text"])
    assert error.hint
    assert error.fix is None


def test_most_commands_have_an_edit() -> None:
    assert len({one["text"] for one in COMMANDS}) == len(COMMANDS) == 91
    assert len(MEANT) >= 75
