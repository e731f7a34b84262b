"""Read the parts of a KIP response, whatever it holds.

Responses are JSON objects: `{"result": {...}}` or `{"error": {...}}`, with warnings beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Response = Mapping[str, object]
Names = Mapping[str, str]
"""What to call the element with an id, for people: `Drug "Aspirin"`."""

ELEMENT_CONCEPT = frozenset({"id", "type", "name", "attributes", "metadata"})
ELEMENT_LINK = frozenset({"id", "subject", "predicate", "object", "attributes", "metadata"})


PLACES = frozenset({"span", "line", "column", "fix"})
"""The members of an error that point into the text."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning as people read it."""

    message: str
    hint: str


def result_of(response: Response) -> Mapping[str, object] | None:
    """Return the result of a response, if it has one."""
    match response.get("result"):
        case dict() as result:
            return result
    return None


def error_of(response: Response) -> Mapping[str, object] | None:
    """Return the error of a response, or of the first command of it that failed."""
    match response.get("error"):
        case dict() as error:
            return error
    for one in parts_of(response, "commands"):
        if (inner := error_of(one)) is not None:
            return inner
    return None


def parts_of(response: Response, name: str) -> Iterator[Mapping[str, object]]:
    """Yield the objects in the list `name` of the result; nothing if there is no such list."""
    result = result_of(response)
    match result.get(name) if result is not None else None:
        case list() as items:
            yield from (item for item in items if isinstance(item, dict))


def warnings_of(response: Response) -> Iterator[Warned]:
    """Yield the warnings of a response."""
    match response.get("warnings"):
        case list() as warnings:
            for warning in warnings:
                if isinstance(warning, dict):
                    yield Warned(str(warning.get("message", "")), str(warning.get("hint") or ""))


def without_places(response: Response) -> Response:
    """Return the response with no place in its text: for a text that no person wrote."""
    match response:
        case {"error": dict() as error}:
            kept = {key: value for key, value in error.items() if key not in PLACES}
            return {**response, "error": kept}
    return response


def is_concept(value: object) -> bool:
    """Whether a value has the keys of a concept."""
    return isinstance(value, Mapping) and value.keys() >= ELEMENT_CONCEPT


def is_link(value: object) -> bool:
    """Whether a value has the keys of a link."""
    return isinstance(value, Mapping) and value.keys() >= ELEMENT_LINK


def ends_of(value: object) -> Iterator[str]:
    """Yield the ids that the links anywhere inside a value end in."""
    match value:
        case Mapping() as members:
            if is_link(members):
                yield str(members["subject"])
                yield str(members["object"])
            for member in members.values():
                yield from ends_of(member)
        case str() | bytes():
            return
        case Sequence() as items:
            for item in items:
                yield from ends_of(item)


def without_cursors(response: Response) -> Response:
    """Return a response to show whose cursors say only that there is more: they are empty."""
    result = result_of(response)
    if result is None:
        return response
    shown = dict(result)
    if "next_cursor" in shown:
        shown["next_cursor"] = ""
    if isinstance(parts := shown.get("statements"), list):
        shown["statements"] = [
            {**one, "next_cursor": ""} if isinstance(one, Mapping) and "next_cursor" in one else one
            for one in parts
        ]
    return {**response, "result": shown}
