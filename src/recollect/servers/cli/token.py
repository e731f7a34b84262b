"""The command that makes bearer tokens; it opens no memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect.errors import STORE_UNAVAILABLE, RecollectError
from recollect.servers.cli.output import Output, output
from recollect.servers.http.tokens import Row, new_token


def make_token(
    groups: Sequence[str],
    tokens_file: Path | None,
    *,
    name: str | None,
    is_admin: bool,
    as_json: bool,
) -> None:
    """Print a new token, once, and the row to keep, or add the row to a file of tokens."""
    with output(as_json=as_json) as out:
        token, row = new_token(groups, is_admin=is_admin, name=name)
        if tokens_file is not None:
            _append(tokens_file, row)
        if out.as_json:
            kept = None if tokens_file is None else str(tokens_file)
            out.json({"result": {"token": token, "row": row.line(), "kept_in": kept}})
            return
        out.say(token, "bold")
        _tell_row(out, row, tokens_file)


def _tell_row(out: Output, row: Row, tokens_file: Path | None) -> None:
    if tokens_file is None:
        out.say(row.line())
        return
    out.say(f"kept in {tokens_file}; the token itself is not kept anywhere", "dim")


def _append(path: Path, row: Row) -> None:
    """Add a row to a file that only its owner reads."""
    try:
        path.touch(mode=0o600, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{row.line()}\n")
    except OSError as error:
        raise RecollectError(
            STORE_UNAVAILABLE, f"{path} cannot be written: {error.strerror}"
        ) from error
