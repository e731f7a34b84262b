"""The log of a server: one line for each operation, each refusal and each failure.

The rule: a line has the name of the operation and how it ended, never its contents: no query, no
name, and no error message that may quote them.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import PurePath
from typing import TextIO

import orjson

from recollect.errors import INTERNAL
from recollect.faces.calls import calls_of
from recollect.faces.claims.calls import AttentionCalls, ClaimCalls
from recollect.faces.knowledge.calls import KnowledgeCalls
from recollect.faces.markup.calls import MarkupCalls
from recollect.faces.operations import OPERATIONS, Observation
from recollect.faces.operations.pipeline import Transition
from recollect.servers.http.kip_schemas import KIP_NAMES
from recollect.servers.nightly import Examined


class Form(StrEnum):
    """How the log is written."""

    JSON = "json"
    TEXT = "text"
    NONE = "none"


_LOG = logging.getLogger("recollect.http")
_SERVER = logging.getLogger("uvicorn")
_ROOT = logging.getLogger()
_FIELDS = "recollect_fields"
_FACES = (ClaimCalls, AttentionCalls, MarkupCalls, KnowledgeCalls)
KNOWN = OPERATIONS.keys() | {"Search"} | KIP_NAMES
KNOWN |= {one.name for face in _FACES for one in calls_of(face)}
"""The names of all that can be asked: others are not repeated."""


def begin_log(form: Form, stream: TextIO) -> None:
    """Write the log to a stream from now on: what libraries warn of, too."""
    logging.captureWarnings(form is not Form.NONE)
    for logger in (_ROOT, _LOG, _SERVER):
        logger.handlers.clear()
        logger.propagate = False
        logger.disabled = False  # whoever configured logging before may have switched it off
        logger.setLevel(logging.INFO if logger is _LOG else logging.WARNING)
        if form is Form.NONE:
            logger.addHandler(logging.NullHandler())
            continue
        handler = logging.StreamHandler(stream)
        handler.setFormatter(LogLines(is_json=form is Form.JSON))
        logger.addHandler(handler)


def log_operation(observation: Observation) -> None:
    """Tell of an operation that has ended."""
    groups = observation.groups
    _tell(
        logging.ERROR if observation.error_code == INTERNAL.code else logging.INFO,
        "operation",
        None,
        request_id=observation.request_id,
        operation=observation.operation if observation.operation in KNOWN else None,
        group_id=groups[0] if len(groups) == 1 else list(groups) or None,
        status=observation.status,
        latency_ms=round(observation.seconds * 1_000, 3),
        error_code=observation.error_code,
        cause=observation.cause,
        embedding_failures=observation.embedding_failures or None,
    )


def log_step(transition: Transition) -> None:
    """Log a step of the pipeline; ListParked has the reason of a failure."""
    _tell(
        logging.INFO if transition.failed is None else logging.WARNING,
        "step",
        None,
        group_id=transition.group,
        episode_uuid=transition.episode_uuid,
        state=transition.state,
        attempts=transition.attempts,
        latency_ms=round(transition.seconds * 1_000, 3),
    )


def log_examination(examined: Examined) -> None:
    """Tell how many findings of which checks there are, and nothing that they quote."""
    is_well = not examined.findings and examined.error_code is None
    _tell(
        logging.INFO if is_well else logging.ERROR,
        "examined",
        None,
        findings=dict(examined.findings),
        latency_ms=round(examined.seconds * 1_000, 3),
        error_code=examined.error_code,
    )


def log_refusal(request_id: str, method: str, status: int, error_code: str) -> None:
    """Tell of a request that reached no operation."""
    _tell(
        logging.INFO,
        "refusal",
        None,
        request_id=request_id,
        method=method,
        http_status=status,
        error_code=error_code,
    )


def log_failure(request_id: str, error: BaseException) -> None:
    """Tell where the server itself is at fault."""
    _tell(logging.ERROR, "failure", error, request_id=request_id)


def log_event(event: str, **fields: object) -> None:
    """Tell of the server itself."""
    _tell(logging.INFO, event, None, **fields)


def log_warning(message: str, **fields: object) -> None:
    """Tell of something that a person may want otherwise."""
    _tell(logging.WARNING, message, None, **fields)


class LogLines(logging.Formatter):
    """One line for each record; of an exception its class and its places, not its words."""

    def __init__(self, *, is_json: bool) -> None:
        super().__init__()
        self._is_json = is_json

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line."""
        fields: Mapping[str, object] = getattr(record, _FIELDS, {})
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **fields,
        }
        if record.exc_info is not None and record.exc_info[1] is not None:
            line |= _places(record.exc_info[1])
        if self._is_json:
            return _unturned(orjson.dumps(line).decode())
        return " ".join(
            _unturned(f"{key}={value}" if key in fields else str(value))
            for key, value in line.items()
            if value is not None
        )


def _unturned(text: str) -> str:
    """Return a line in which a terminal obeys and hides nothing: escapes as those of JSON."""
    return text if text.isprintable() else "".join(map(_seen, text))


def _seen(character: str) -> str:
    return character if character.isprintable() else json.dumps(character)[1:-1]


def _tell(level: int, event: str, error: BaseException | None, /, **fields: object) -> None:
    _LOG.log(level, event, exc_info=error, extra={_FIELDS: fields})


def _places(error: BaseException) -> dict[str, object]:
    """Return the class of an error and where it was raised; its message may quote anything."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{PurePath(one.filename).name}:{one.lineno} {one.name}" for one in frames]
    return {"exception": type(error).__qualname__, "at": places}
