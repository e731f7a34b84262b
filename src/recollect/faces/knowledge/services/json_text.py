"""Values of JSON as text and back: what is kept by services, whatever keeps it.

The rule: what comes back equals what was given, so whatever JSON would turn into something else
(a tuple, a key that is a number, NaN) is refused.
"""

from __future__ import annotations

import json
import math
from typing import Final

from recollect.errors import RecollectError, refused
from recollect.faces.knowledge.model import Document, GraphEdge, GraphNode

_DEEPEST: Final = 100


def json_text(value: object) -> str:
    """Return the JSON of a value; INVALID_ARGUMENT for what JSON cannot say.

    >>> json_text({"team": ["aero", 1.5, None]})
    '{"team":["aero",1.5,null]}'
    """
    _check(value, 0)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise _refused("a number of it is too long") from error


def value_of(text: str | bytes) -> object:
    """Return the value that a JSON text says."""
    value: object = json.loads(text)
    return value


def document_text(document: Document) -> str:
    """Return a document as JSON."""
    return json_text(document.to_dict())


def document_of(text: str | bytes) -> Document:
    """Return the document that a JSON text says."""
    return Document.from_dict(json.loads(text))


def node_text(node: GraphNode) -> str:
    """Return a node as JSON."""
    return json_text(node.to_dict())


def node_of(text: str | bytes) -> GraphNode:
    """Return the node that a JSON text says."""
    return GraphNode.from_dict(json.loads(text))


def edge_text(edge: GraphEdge) -> str:
    """Return an edge as JSON."""
    return json_text(edge.to_dict())


def edge_of(text: str | bytes) -> GraphEdge:
    """Return the edge that a JSON text says."""
    return GraphEdge.from_dict(json.loads(text))


def _check(value: object, depth: int) -> None:
    if depth > _DEEPEST:
        raise _refused(f"it is nested deeper than {_DEEPEST}")
    match value:
        case None | bool() | int():
            pass
        case float():
            if not math.isfinite(value):
                raise _refused(f"JSON has no {value}")
        case str():
            if not value.isascii() and any("\ud800" <= one <= "\udfff" for one in value):
                raise _refused("it holds half of a surrogate pair")
        case list():
            for one in value:
                _check(one, depth + 1)
        case dict():
            for key, one in value.items():
                if not isinstance(key, str):
                    raise _refused(f"a key of it is a {type(key).__name__}")
                _check(key, depth + 1)
                _check(one, depth + 1)
        case _:
            raise _refused(f"JSON has no {type(value).__name__}")


def _refused(why: str) -> RecollectError:
    return refused(
        f"the value cannot be kept as JSON: {why}",
        "give null, booleans, numbers, strings, lists and objects",
    )
