"""The uniform envelope: inputs checked, answers and failures in one form.

The rule: whatever is sent, an envelope comes back, and an error reveals nothing about the inside.
Specification 004, section 3.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import orjson
from pydantic import JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from recollect.errors import (
    CODES,
    CONFLICT,
    DUPLICATE_EXISTS,
    EMBEDDER_CHANGED,
    EMBEDDER_UNAVAILABLE,
    EXECUTION_TIMEOUT,
    IMMUTABLE_TARGET,
    INDEX_PENDING,
    INTERNAL,
    INVALID_ARGUMENT,
    LIMIT_EXCEEDED,
    MARKUP,
    NOT_FOUND,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    RESOURCE_NOT_FOUND,
    STORE_BUSY,
    STORE_CLOSED,
    STORE_UNAVAILABLE,
    UNAUTHENTICATED,
    UNAVAILABLE,
    VERSION_CONFLICT,
    Code,
    RecollectError,
    is_slip,
    nearest,
    refused,
)
from recollect.faces.operations import limits
from recollect.faces.operations.inputs import TOO_LARGE
from recollect.faces.operations.outputs import Envelope, Error, Status
from recollect.node import dataclass

_SHOWN = 10  # fields of one input
_IS_NOT = "is not "

OWN_CODES = (
    INVALID_ARGUMENT,
    RESOURCE_NOT_FOUND,
    CONFLICT,
    PERMISSION_DENIED,
    UNAUTHENTICATED,
    LIMIT_EXCEEDED,
    UNAVAILABLE,
    INTERNAL,
)
"""The error codes that an operation answers with."""

_TRANSLATED: Mapping[Code, Code] = {
    NOT_FOUND: RESOURCE_NOT_FOUND,
    DUPLICATE_EXISTS: CONFLICT,
    VERSION_CONFLICT: CONFLICT,
    IMMUTABLE_TARGET: PERMISSION_DENIED,
    EXECUTION_TIMEOUT: LIMIT_EXCEEDED,
    RESOURCE_EXHAUSTED: LIMIT_EXCEEDED,
    STORE_BUSY: UNAVAILABLE,
    EMBEDDER_UNAVAILABLE: UNAVAILABLE,
    EMBEDDER_CHANGED: CONFLICT,
    INDEX_PENDING: CONFLICT,
    STORE_CLOSED: UNAVAILABLE,
    STORE_UNAVAILABLE: UNAVAILABLE,
}
_CALLERS_FAULT = ("syntax", "schema", "data")


def success(request_id: str, status: Status, output: Mapping[str, object]) -> Envelope:
    """Return the envelope of what an operation answers."""
    return Envelope(
        request_id=request_id, status=status, output=cast("dict[str, JsonValue]", dict(output))
    )


def envelope_error(error: Error) -> RecollectError:
    """Return the error of an envelope as an exception: for a face that calls an operation."""
    details = dict(error.get("details", {}))
    hint, _ = details.pop("hint", ""), details.pop("retry", None)
    return RecollectError(
        CODES[error["error_code"]], error["message"], hint=str(hint), details=details
    )


def failure(request_id: str, error: RecollectError) -> Envelope:
    """Return the envelope of an error; what is not the caller's to mend is INTERNAL, and mute."""
    code = code_of(error)
    if code is INTERNAL:
        return Envelope(
            request_id=request_id,
            status="ERROR",
            error=Error(
                error_code=code.code,
                message="the service failed, and nothing was changed",
                details={"retry": code.retry, "hint": "report it with the request_id"},
            ),
        )
    details: dict[str, object] = {"retry": code.retry}
    if error.hint:
        details["hint"] = error.hint
    if error.known:
        details["known"] = list(error.known)
    if error.span is not None and code.spec == MARKUP:
        wire = error.to_wire()
        details |= {name: wire[name] for name in ("line", "column", "fix") if name in wire}
    details |= error.details
    return Envelope(
        request_id=request_id,
        status="ERROR",
        error=Error(
            error_code=code.code,
            message=error.message,
            details=cast("dict[str, JsonValue]", details),
        ),
    )


def code_of(error: RecollectError) -> Code:
    """Return the operations' own code for an error of any layer."""
    return own_code(error.code)


def own_code(code: Code) -> Code:
    """Return the operations' own code for a code of any layer."""
    if code in OWN_CODES or code.spec == MARKUP:
        return code
    if code in _TRANSLATED:
        return _TRANSLATED[code]
    return INVALID_ARGUMENT if code.category in _CALLERS_FAULT else INTERNAL


def named_request(given: object) -> str:
    """Return the id of a request, made where none was given; INVALID_ARGUMENT for a bad one."""
    if given is None:
        return str(uuid.uuid4())
    return _short_name("request_id", given)


def named_key(given: object) -> str | None:
    """Return an idempotency key, if one was given; INVALID_ARGUMENT for a bad one."""
    return None if given is None else _short_name("idempotency_key", given)


def checked(adapter: TypeAdapter[object], given: Mapping[str, object]) -> object:
    """Return an input with every field checked.

    INVALID_ARGUMENT for fields that do not fit the schema, LIMIT_EXCEEDED for those too large.
    """
    try:
        size = len(orjson.dumps(given))
    except TypeError as error:
        raise refused("the input is not JSON", "send values that JSON can carry") from error
    if size > limits.REQUEST_BYTES:
        raise LIMIT_EXCEEDED.error(
            f"the input takes {size} bytes, and {limits.REQUEST_BYTES} are allowed",
            "send it in several calls",
        )
    try:
        return adapter.validate_python(given)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise _refused(_fields(faults, given), adapter) from error


@dataclass(frozen=True, slots=True)
class _Field:
    """A field that is wrong, by its path as the caller wrote it, and all that is wrong with it."""

    path: str
    faults: tuple[ErrorDetails, ...]

    @property
    def at(self) -> tuple[int | str, ...]:
        return self.faults[0]["loc"]

    @property
    def fault(self) -> str:
        return self.faults[0]["type"] if len(self.faults) == 1 else ""

    @property
    def is_too_large(self) -> bool:
        return all(one["type"] == TOO_LARGE for one in self.faults)

    @property
    def problem(self) -> str:
        """What is wrong, as the end of a sentence about the field."""
        problems = dict.fromkeys(map(_problem, self.faults))
        others = [one for one in problems if not one.startswith(_IS_NOT)]
        if others:  # it is of one of the forms, and wrong as such
            return " and ".join(others)
        *before, last = [one.removeprefix(_IS_NOT) for one in problems]
        return f"{_IS_NOT}{', '.join(before)} or {last}" if before else f"{_IS_NOT}{last}"


def _refused(fields: Sequence[_Field], adapter: TypeAdapter[object]) -> RecollectError:
    """Return the error for the faults of an input: a limit only where nothing else is wrong.

    What is missing and what is not known are told together, for one may be meant by the other.
    """
    wrong = [one for one in fields if not one.is_too_large]
    first, *_ = wrong or fields
    hints = {"too_long": "send them in several calls", "literal_error": "use one of those"}
    told, hint, schema = [first], hints.get(first.fault, ""), adapter.json_schema()
    if first.fault.endswith("_type"):
        hint = f"pass {first.path or 'it'} as {first.problem.removeprefix(_IS_NOT)}"
        items = schema.get("properties", {}).get(first.path, {}).get("items", {})
        of = schema.get("$defs", {}).get(items.get("$ref", "").rpartition("/")[2], {})
        names = ", ".join(f'"{one}": ...' for one in [*of.get("properties", ())][:3])
        hint += f" such as [{{{names}}}]" if names else ""
    unknown = next((one for one in wrong if one.fault == "extra_forbidden"), None)
    if unknown is not None and first.fault in ("missing", unknown.fault):
        told = [first] if first is unknown else [first, unknown]
        absent = [one.at[-1] for one in wrong if one.fault == "missing" and one.at]
        where = [*schema.get("$defs", {}).values()] if len(unknown.at) > 1 else [schema]
        of = [*where[0].get("properties", ())] if len(where) == 1 else []
        near = nearest(name := str(unknown.at[-1]), of)
        meant = near[:1] if is_slip(name, near) else absent if len(absent) == 1 else ()
        others = ", ".join(dict.fromkeys((*near, *of)))
        hint = f"use {meant[0]}" if meant else f"use one of {others}" if of else hint
    shown: list[object] = [{"field": one.path, "problem": one.problem} for one in fields[:_SHOWN]]
    return RecollectError(
        INVALID_ARGUMENT if wrong else LIMIT_EXCEEDED,
        ", and ".join(f"{one.path or 'the input'} {one.problem}" for one in told),
        hint=hint,
        details={"fields": shown},
    )


def _fields(faults: Iterable[ErrorDetails], given: object) -> list[_Field]:
    """Return the fields with faults; of what may be one of several, the nearest that it is not."""
    found: dict[str, list[ErrorDetails]] = {}
    alternatives: set[str] = set()
    for fault in faults:
        path, is_alternative = _path(fault, given)
        found.setdefault(path, []).append(fault)
        if is_alternative:
            alternatives.add(path)
    inside = {
        path
        for path in alternatives
        if any(other != path and other.startswith((f"{path}.", f"{path}[")) for other in found)
    }
    return [_Field(path, tuple(those)) for path, those in found.items() if path not in inside]


def _path(fault: ErrorDetails, given: object) -> tuple[str, bool]:
    """Return where a fault is, such as `items[0].body`, and whether of one of several forms."""
    path, held, is_alternative = "", given, False
    for part in fault["loc"]:
        match held:
            case Mapping() if part in held:
                held = held[part]
            case list() if isinstance(part, int) and part < len(held):
                held = held[part]
            case Mapping() if fault["type"] == "missing" and part == fault["loc"][-1]:
                held = None
            case _:
                is_alternative = True  # it names the form that was tried
                continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path, is_alternative


def _problem(fault: ErrorDetails) -> str:
    """Return what is wrong in a fault, as the end of a sentence about its field."""
    of = fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not a field of this operation"
        case "string_type" | "string_unicode":
            return "is not a string"
        case "string_too_short":
            return (
                "is empty" if of["min_length"] == 1 else f"is under {of['min_length']} characters"
            )
        case "string_too_long":
            return f"is over {of['max_length']} characters"
        case "int_type" | "int_from_float" | "int_parsing" | "int_parsing_size":
            return "is not a whole number"
        case "float_type" | "float_parsing" | "finite_number":
            return "is not a number"
        case "bool_type" | "bool_parsing":
            return "is not true or false"
        case "list_type":
            return "is not a list"
        case "too_short":
            return "is empty" if of["min_length"] == 1 else f"has fewer than {of['min_length']}"
        case "too_long":
            return f"has more than {of['max_length']:,}"
        case "dict_type":
            return "is not an object"
        case "greater_than_equal":
            return f"is less than {of['ge']}"
        case "less_than_equal":
            return f"is more than {of['le']}"
        case "literal_error":
            return f"is not one of {of['expected']}"
        case _:
            return fault["msg"]


def _short_name(what: str, given: object) -> str:
    if isinstance(given, str) and 1 <= len(given) <= limits.UUID and given.isprintable():
        return given
    raise refused(
        f"{what} is not 1 to {limits.UUID} printable characters", "leave it out, or send a UUID"
    )


def unknown_operation(name: object, known: Iterable[str]) -> RecollectError:
    """Return the error for an operation that does not exist."""
    near = nearest(str(name), known)
    return RESOURCE_NOT_FOUND.error(
        f'there is no operation "{name}"', f"use {near[0]}" if near else "", known=near
    )
