"""What is said of calls in the words of OpenAPI, made from the types that check them.

The rule: what a class already says is not repeated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from pydantic import TypeAdapter

from recollect.faces import calls
from recollect.faces.operations.envelope import OWN_CODES

Schema = dict[str, Any]

PLACE: Final = "#/components/schemas/{model}"
MEANINGS: Final = {
    400: "The input is not as the schema says",
    401: "The server wants a token",
    403: "The group is not open to the bearer of the token",
    404: "There is no such thing",
    409: "A uuid, a name or a key belongs to something else",
    413: "The body or a field is too large",
    500: "The service failed",
    503: "The service cannot do this just now",
}
_ID: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 128}


def parameter(
    name: str, description: str, example: object, *, place: str = "query", type: str = "string"
) -> Schema:
    """Return a parameter that may be left out."""
    return {
        "name": name,
        "in": place,
        "required": False,
        "description": description,
        "schema": {"type": type},
        "example": example,
    }


GROUP: Final = parameter(
    "group_id", "The group; that of the token, if there is one, when it is left out", "team"
)


def reference(name: str) -> Schema:
    """Return the reference to a schema."""
    return {"$ref": PLACE.format(model=name)}


def whole(members: Mapping[str, object]) -> Schema:
    """Return the schema of an object with exactly these members."""
    return {
        "type": "object",
        "properties": dict(members),
        "required": list(members),
        "additionalProperties": False,
    }


def enveloped(output: Schema) -> Schema:
    """Return the schema of the envelope that carries an output."""
    return whole({"request_id": _ID, "status": {"const": "OK"}, "output": output})


def answered_by(name: str) -> dict[int | str, Schema]:
    """Return what a route says of its answers; `name` is the schema of the good one."""
    answers: dict[int | str, Schema] = {200: {"description": "Done", "content": _json(name)}}
    for status in sorted({code.http for code in OWN_CODES}):
        answers[status] = {"description": MEANINGS[status], "content": _json("ErrorResponse")}
    return answers


def parameters(
    adapter: TypeAdapter[object], example: Mapping[str, object], placed: tuple[str, ...] = ()
) -> list[Schema]:
    """Return the fields of an input as parameters: of a query, but for those in the path."""
    given = input_schema(adapter)
    found: list[Schema] = []
    for name, schema in given["properties"].items():
        one: Schema = {
            "name": name,
            "in": "path" if name in placed else "query",
            "required": name in given.get("required", ()),
            "schema": schema,
        }
        if name in example:
            one["example"] = example[name]
        found.append(one)
    return found


def input_schema(adapter: TypeAdapter[object]) -> Schema:
    """Return the schema of an input, in one piece."""
    made = adapter.json_schema()
    defined = made.pop("$defs", {})

    def resolved(node: Any) -> Any:  # noqa: ANN401
        match node:
            case {calls.NAMED: str() as name}:
                return reference(name)
            case {"$ref": str() as place}:
                return resolved(defined[place.rpartition("/")[2]])
            case dict():
                return {key: resolved(value) for key, value in node.items()}
            case list():
                return [resolved(one) for one in node]
        return node

    return cast("Schema", resolved(made))


def value_schemas(*kinds: type) -> dict[str, Schema]:
    """Return the schemas of classes by name, and of those in their fields; they hold no more."""
    made: dict[str, Schema] = {}
    for kind in kinds:
        one: Schema = TypeAdapter(kind).json_schema(ref_template=PLACE)
        made |= one.pop("$defs", {})
        made[kind.__name__] = one
    for one in made.values():
        if one.get("type") == "object":
            one["additionalProperties"] = False
    return made


def _json(name: str) -> Schema:
    return {"application/json": {"schema": reference(name)}}
