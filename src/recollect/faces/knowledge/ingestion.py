"""Free text of an expert, structured by a model, recorded and loaded. Specification 003, path A.

The rule: secrets are taken out before a model or a record sees the text, and nothing is stored
until the whole answer is well formed. A model is told how to structure a text, asked once, and
again at most `max_retries` times, with what was wrong. A record of what was ingested, the text,
what was made of it and its files, is whole once it can be seen: it is made in a hidden folder
beside its place, flushed, and renamed; its name is the time and random letters.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, Final

import orjson

from recollect.errors import LIMIT_EXCEEDED, UNAVAILABLE, RecollectError, refused
from recollect.faces.knowledge.base import KnowledgeBase
from recollect.faces.knowledge.loading import (
    KnowledgeDataLoader,
    LoadReport,
    check_document,
    read_items,
)
from recollect.faces.knowledge.model import KnowledgeType, checked_as, checked_list, now
from recollect.faces.knowledge.secrets import Secrets
from recollect.llm import Completion, may_help_again
from recollect.node import dataclass

_WRONG: Final = """
Your last answer could not be used: {fault}. Answer again, with one JSON object of the schema.
"""


def structuring_prompt(text: str, fault: str | None = None) -> str:
    """Return the prompt for a text; with what was wrong about the last answer, if it was."""
    fence = f"=== {secrets.token_hex(8)} ==="
    prompt = files("recollect.faces.knowledge").joinpath("structuring.txt").read_text("utf-8")
    told = prompt.replace("{fence}", fence).replace("{text}", text)
    return told if fault is None else told + _WRONG.replace("{fault}", fault)


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


MOST_TEXT: Final = 100_000
"""Characters of a text."""

MOST_WAIT: Final = 60.0
"""Seconds that a model may ask to wait for it, unless it has a timeout."""

Llm = Callable[[str], str | Completion]


@dataclass(frozen=True, slots=True)
class Structured:
    """A text without secrets, and the document that a model made of it in so many attempts."""

    text: str
    document: Mapping[str, Any]
    attempts: int


class KnowledgeIngestionCLI:
    """Turns free text into knowledge.

    `llm` is a callable that answers a prompt with a text; `recollect.faces.knowledge.llm` has
    one for any OpenAI-compatible endpoint. With `check_in_dir` each ingestion leaves a record.
    """

    def __init__(
        self, llm: Llm, *, max_retries: int = 3, check_in_dir: str | PathLike[str] | None = None
    ) -> None:
        if type(max_retries) is not int or max_retries < 0:
            raise refused("max_retries is no number from 0", "use max_retries=3")
        if not callable(llm):
            raise refused("the llm is not callable", "give a callable(prompt) -> text")
        self._llm = llm
        self._max_retries = max_retries
        self._folder = None if check_in_dir is None else _path(check_in_dir)

    def ingest(
        self,
        text: str,
        kb: KnowledgeBase,
        artifacts: Sequence[str | PathLike[str]] | None = None,
        *,
        dry_run: bool = False,
    ) -> LoadReport:
        """Structure a text and load it; `dry_run` asks the model, and stores nothing.

        Raises as `structure` does.
        """
        structured = self.structure(text, checked_as(KnowledgeBase, kb).secrets)
        return self.keep(structured, kb, artifacts, dry_run=dry_run)

    def structure(self, text: str, secrets: Secrets) -> Structured:
        """Return what the model makes of a text; nothing is stored.

        Raises INVALID_ARGUMENT or LIMIT_EXCEEDED for the text, and UNAVAILABLE with the last
        fault and the number of `attempts` in its details where no answer was well formed.
        """
        if not checked_as(str, text).strip():
            raise refused("the text is blank", "give a text")
        if len(text) > MOST_TEXT:
            raise LIMIT_EXCEEDED.error(
                f"the text is longer than {MOST_TEXT} characters", "ingest it in parts"
            )
        shown = secrets.redacted(text)
        fault: RecollectError | None = None
        for attempt in range(1, self._max_retries + 2):
            try:
                prompt = structuring_prompt(shown, fault.message if fault else None)
                return Structured(shown, read_answer(self._asked(prompt)), attempt)
            except RecollectError as error:
                fault = error
                if error.code is UNAVAILABLE and not may_help_again(error):
                    raise _failed(error, attempt) from error
                if attempt <= self._max_retries:
                    _wait(error, getattr(self._llm, "timeout_seconds", MOST_WAIT))
        assert fault is not None
        raise _failed(fault, self._max_retries + 1) from fault

    def keep(
        self,
        structured: Structured,
        kb: KnowledgeBase,
        artifacts: Sequence[str | PathLike[str]] | None = None,
        *,
        dry_run: bool = False,
    ) -> LoadReport:
        """Load what a model made of a text; what is in the memory then has its record."""
        files = [_path(one) for one in checked_list("artifacts", artifacts or [])]
        if dry_run or self._folder is None:
            return KnowledgeDataLoader().load(kb, structured.document, dry_run=dry_run)
        name = new_name(now())
        sourced = _sourced(structured.document, f"check-in:{name}")
        read = read_items(kb, sourced)
        told = read.report.to_dict()
        skipped = told.pop("skipped")
        report = {
            "counts": told,
            "skipped": skipped,
            "attempts": structured.attempts,
            "model": getattr(self._llm, "model", None),
        }
        record = CheckIn(structured.text, kb.secrets.redacted_in(sourced), report, files)
        write_record(self._folder, name, record)
        try:
            read.store(kb)
        except BaseException:
            remove_record(self._folder, name)
            raise
        return read.report

    def _asked(self, prompt: str) -> str:
        try:
            answer = self._llm(prompt)
        except RecollectError:
            raise
        except Exception as error:
            raise UNAVAILABLE.error(
                f"the model raised {type(error).__name__}", "ask again later"
            ) from error
        if isinstance(answer, Completion):
            if not answer.is_complete:
                raise _malformed("the answer was cut off")
            return answer.text
        if not isinstance(answer, str):
            raise _malformed("the answer is no text")
        return answer


def read_answer(answer: str) -> Mapping[str, Any]:
    """Return the document in a model's answer; INVALID_ARGUMENT where there is none.

    >>> read_answer('Here it is: {"pieces": []}')
    {'pieces': []}
    """
    document = _object_in(answer.removeprefix("\ufeff"))
    try:
        check_document(document)
        orjson.dumps(document)
    except RecollectError as error:
        raise _malformed(error.message) from error
    except (RecursionError, orjson.JSONEncodeError) as error:
        raise _malformed(f"the document is no JSON that can be kept: {error}") from error
    for place, piece in enumerate(document.get("pieces") or []):
        _check_piece(place, piece)
    for entity, profile in (document.get("metadata") or {}).items():
        kind = profile.get("entity_type") if isinstance(profile, Mapping) else None
        if not isinstance(kind, str) or not kind.strip():
            raise _malformed(f'metadata "{entity[:60]}" has no entity_type')
    return document


def _check_piece(place: int, piece: object) -> None:
    for name in ("piece_id", "content", "knowledge_type", "info_type"):
        found = piece.get(name) if isinstance(piece, Mapping) else None
        if not isinstance(found, str) or not found.strip():
            raise _malformed(f"pieces[{place}] has no {name}")
    assert isinstance(piece, Mapping)
    try:
        KnowledgeType(piece["knowledge_type"])
    except RecollectError as error:
        raise _malformed(f"pieces[{place}]: {error.message}") from error


def _object_in(text: str) -> dict[str, Any]:
    """Return the first JSON object in a text that has a section, else the first one."""
    decoder = json.JSONDecoder()
    first: dict[str, Any] | None = None
    at = text.find("{")
    while at != -1:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict):
            if found.keys() & {"metadata", "pieces", "graph"}:
                return found
            first = first or found
        at = text.find("{", end)
    if first is None:
        raise _malformed("the answer holds no JSON object")
    return first


def _sourced(structured: Mapping[str, Any], source: str) -> Mapping[str, Any]:
    """Return a document whose pieces tell where they come from."""
    pieces = [
        {**one, "source": one.get("source") or source} if isinstance(one, Mapping) else one
        for one in structured.get("pieces") or []
    ]
    return {**structured, "pieces": pieces}


def _path(given: object) -> Path:
    if not isinstance(given, str | PathLike):
        raise refused(f"a {type(given).__name__} is no path", "give a path")
    return Path(given)


def _wait(error: RecollectError, most: float) -> None:
    seconds = error.details.get("retry_seconds")
    if isinstance(seconds, int | float) and seconds > 0:
        time.sleep(min(float(seconds), most))


def _malformed(fault: str) -> RecollectError:
    return refused(fault, "answer with one JSON object")


def _failed(error: RecollectError, attempts: int) -> RecollectError:
    times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    return UNAVAILABLE.error(
        f"the text was not structured in {times}: {error.message}",
        error.hint if error.code is UNAVAILABLE else "load the knowledge as JSON",
        details={**error.details, "attempts": attempts},
    )
