"""JSON: a document as it is, with ids, kinds, states and all fields; nothing is left out."""

from __future__ import annotations

import json
from typing import TypeGuard

from recollect.errors import MARKUP_LIMIT, RecollectError, refused
from recollect.faces.markup.model import EXTENSIONS, SPACE_KINDS, STATES, Document, Id, Node, Space
from recollect.faces.markup.outlines.outline_tree import Converted
from recollect.faces.markup.text import MOST_ID, MOST_LEVELS


def write_json(document: Document) -> Converted[str]:
    """Return a document as JSON, indented."""
    sections = [_section(one) for one in document.sections]
    return Converted(json.dumps({"sections": sections}, ensure_ascii=False, indent=2) + "\n")


def _section(space: Space) -> dict[str, object]:
    said: dict[str, object] = {"kind": space.kind} if space.kind else {}
    return {**said, **_described(space.id, space), "nodes": [_node(one) for one in space.nodes]}


def _node(node: Node) -> dict[str, object]:
    said: dict[str, object] = {"kind": node.kind} if node.kind else {}
    below = {"nodes": [_node(one) for one in node.nodes]} if node.nodes else {}
    return {**said, **_described(node.id, node), **below}


def _described(id: Id | None, one: Node | Space) -> dict[str, object]:
    said: dict[str, object] = {}
    if id is not None:
        said["id"] = id.text
        if id.is_temporary:
            said["is_temporary"] = True
    if one.states:
        said["states"] = list(one.states)
    if one.fields:
        said["fields"] = dict(one.fields)
    return said


def read_json(text: str) -> Converted[Document]:
    """Return the document that a JSON text says; INVALID_ARGUMENT for what is none."""
    try:
        given = json.loads(text)
    except RecursionError as error:
        told = f"the outline has more than {MOST_LEVELS} levels"
        raise MARKUP_LIMIT.error(told, "split it") from error
    except ValueError as error:
        raise _refused("the text is not JSON") from error
    if not isinstance(given, dict) or not isinstance(given.get("sections"), list):
        raise _refused("the outline has no list of sections")
    return Converted(Document(tuple(_read_section(one) for one in given["sections"])))


def _read_section(given: object) -> Space:
    members = _object(given, "a section")
    id = None if members.get("id") is None else _read_id(members)
    kind = _one_of(members.get("kind"), SPACE_KINDS, "kind of spaces")
    nodes = tuple(_read_node(one, 1) for one in _list(members.get("nodes")))
    return Space(kind, id, _read_states(members), _read_fields(members), nodes)


def _read_node(given: object, level: int) -> Node:
    members = _object(given, "a node")
    if level > MOST_LEVELS:
        told = f"the outline has more than {MOST_LEVELS} levels"
        raise MARKUP_LIMIT.error(told, "split it")
    kind = _one_of(members.get("kind"), EXTENSIONS, "kind of nodes")
    nodes = tuple(_read_node(one, level + 1) for one in _list(members.get("nodes")))
    return Node(_read_id(members), kind, _read_states(members), _read_fields(members), nodes)


def _read_id(members: dict[str, object]) -> Id:
    id = members.get("id")
    if not isinstance(id, str) or not id.strip() or len(id) > MOST_ID:
        raise _refused("an id is no text of 1 to 200 characters")
    return Id(id, members.get("is_temporary") is True)


def _read_states(members: dict[str, object]) -> tuple[str, ...]:
    found = (_one_of(one, STATES, "state") for one in _list(members.get("states")))
    return tuple(one for one in found if one is not None)


def _read_fields(members: dict[str, object]) -> dict[str, str]:
    fields = members.get("fields", {})
    if not _are_texts(fields):
        raise _refused("fields are an object of texts")
    return fields


def _are_texts(given: object) -> TypeGuard[dict[str, str]]:
    return isinstance(given, dict) and all(isinstance(one, str) for one in given.values())


def _object(given: object, what: str) -> dict[str, object]:
    if not isinstance(given, dict):
        raise _refused(f"{what} is no object")
    return given


def _list(given: object) -> list[object]:
    if given is None:
        return []
    if not isinstance(given, list):
        raise _refused("nodes and states are lists")
    return given


def _one_of(given: object, known: tuple[str, ...], what: str) -> str | None:
    if given is not None and given not in known:
        raise refused(f"there is no {what} {given!r}"[:80], known=known)
    return None if given is None else str(given)


def _refused(message: str) -> RecollectError:
    return refused(message, 'write {"sections": [{"nodes": [...]}]}')
