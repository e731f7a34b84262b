"""Records of what was ingested: the text, what was made of it, and its files. Specification 003.

The rule: a record that can be seen is whole. It is made in a hidden folder beside its place,
flushed, and renamed; its name is the time and random letters, and nothing of the text.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import orjson

from recollect.faces.knowledge.model import refused
from recollect.node import dataclass

_LOG: Final = logging.getLogger("recollect.knowledge")
_INDENTED: Final = orjson.OPT_INDENT_2


@dataclass(frozen=True, slots=True)
class CheckIn:
    """What a record holds."""

    text: str
    structured: Mapping[str, Any]
    report: Mapping[str, Any]
    artifacts: Sequence[Path] = ()


def new_name(moment: datetime) -> str:
    """Return the name of a record made at a moment."""
    return f"{moment.strftime('%Y%m%dT%H%M%S.%f')[:-3]}Z-{secrets.token_hex(4)}"


def write_record(folder: Path, name: str, record: CheckIn) -> Path:
    """Write a record, and return its folder; INVALID_ARGUMENT where that cannot be done."""
    hidden = folder / f".{name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hidden.mkdir()
        try:
            _write(hidden / "raw_input.txt", record.text.encode("utf-8", "replace"))
            _write(hidden / "structured.json", orjson.dumps(record.structured, option=_INDENTED))
            _write(hidden / "report.json", orjson.dumps(record.report, option=_INDENTED))
            _copy(record.artifacts, hidden / "artifacts")
            _flush(hidden)
            hidden.rename(folder / name)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            raise
        _flush(folder)
    except OSError as error:
        raise refused(
            f"no record can be written to {folder}: {error.strerror}", "name another folder"
        ) from error
    return folder / name


def remove_record(folder: Path, name: str) -> None:
    """Remove a record of what was not stored after all."""
    shutil.rmtree(folder / name)


def _copy(artifacts: Sequence[Path], folder: Path) -> None:
    """Copy files under their last names, numbered where two have the same."""
    folder.mkdir()
    taken: set[str] = set()
    for path in artifacts:
        try:
            source = path.open("rb")
        except (OSError, ValueError):
            _LOG.warning("the artifact %s is no file that can be read", path.name)
            continue
        name, number = path.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{path.stem}-{number}{path.suffix}"
        taken.add(name.casefold())
        with source, (folder / name).open("xb") as copy:
            shutil.copyfileobj(source, copy)
        _flush(folder / name)
    _flush(folder)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
