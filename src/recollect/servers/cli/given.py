"""What a person hands to a command: texts in files or on standard input, and parameters."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from recollect.errors import refused
from recollect.model import Value
from recollect.servers.cli.safe_text import one_line

STANDARD_INPUT = "-"
STANDARD_OUTPUT = "-"
_LIKE_JSON = ("{", "[", '"')


def text_of(file: str, wanted: str = "a KIP text") -> str:
    """Return the text of a file, or of standard input for `-`, without a byte order mark."""
    name = "standard input" if file == STANDARD_INPUT else file
    try:
        raw = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise refused(f"{name}: {reason}", f"name {wanted}, or - for standard input") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refused(
            f"{name} is not UTF-8 text (byte {error.start + 1})", "save it as UTF-8"
        ) from error


def whole_text(text: str) -> str:
    """Return a text as it is typed, or what standard input holds for `-`."""
    return text_of(text) if text == STANDARD_INPUT else text


def refuse_json_beside(path: str, *, as_json: bool) -> None:
    """Refuse --json where standard output holds what is written, which one JSON text is not."""
    if as_json and path == STANDARD_OUTPUT:
        raise typer.BadParameter(
            "it tells what was written to a file: name one, or leave it out", param_hint="--json"
        )


def is_comment(text: str) -> bool:
    """Whether a text says something, and all of it in comments: there is nothing to run.

    >>> is_comment("// nothing is due"), is_comment("")
    (True, False)
    """
    lines = text.split("\n")
    said = [line for line in map(str.strip, lines) if line]
    return bool(said) and all(line.startswith("//") for line in said)


def parameters_of(given: Sequence[str]) -> dict[str, Value]:
    """Return the parameters given as NAME=VALUE, the value JSON or else text.

    >>> parameters_of(["limit=5", "name=Aspirin", 'code="007"'])
    {'limit': 5, 'name': 'Aspirin', 'code': '007'}
    """
    parameters: dict[str, Value] = {}
    for one in given:
        name, equals, text = one.partition("=")
        name = name.removeprefix("$")
        if not equals or not name:
            raise typer.BadParameter(f"{one!r} is not NAME=VALUE", param_hint="--param")
        parameters[name] = _value(name, text)
    return parameters


def parameters_of_query(given: Sequence[str], query: str | None) -> dict[str, Value]:
    """Return the parameters of a query; without one they would mean nothing, and are refused."""
    if given and query is None:
        raise typer.BadParameter("it is of no use without --query", param_hint="--param")
    return parameters_of(given)


def _value(name: str, text: str) -> Value:
    """Return what a value means; one that begins like JSON but is not JSON is doubtful text."""
    try:
        value: Value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        if text.startswith(_LIKE_JSON):
            typer.echo(one_line(f"warning: ${name} is passed as text: as JSON, {error}"), err=True)
        return text
    except (RecursionError, ValueError):
        raise typer.BadParameter(
            f"the value of {name} is nested too deep, or a number of too many digits",
            param_hint="--param",
        ) from None
    return value


def _no_constant(name: str) -> Value:
    """Refuse NaN and Infinity, which are not JSON: on a command line they are words."""
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)
