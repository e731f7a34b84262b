"""What an extractor finds in an episode: nodes, and facts between them.

The rule: the wire form is checked whole before anything is made of it, and a reference that
names nothing is a fault of all of it. Specification 004, section 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NotRequired

import orjson
from pydantic import TypeAdapter, ValidationError, with_config
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict

from recollect.errors import RecollectError, refused
from recollect.faces.kinds import ALL_KINDS
from recollect.faces.operations.inputs import (
    STRICT,
    Attributes,
    Fact,
    Name,
    Summary,
    ToldTime,
    Uuid,
)
from recollect.model import normal_text

_SHOWN = 10  # faults of one extraction


@with_config(STRICT)
class Node(TypedDict):
    """A node that an episode speaks of; `tmp_ref` is its name inside the extraction."""

    tmp_ref: NotRequired[Uuid | None]
    uuid: NotRequired[Uuid | None]
    name: Name
    summary: NotRequired[Summary | None]
    attributes: NotRequired[Attributes | None]


@with_config(STRICT)
class Edge(TypedDict):
    """A fact that an episode states; a ref is a tmp_ref first, else a uuid of the group.

    `quote` has the words of the episode that it is inferred from.
    """

    name: Name
    fact: Fact
    source_ref: Uuid
    target_ref: Uuid
    valid_at: NotRequired[ToldTime | None]
    invalid_at: NotRequired[ToldTime | None]
    qualifiers: NotRequired[Attributes | None]
    quote: NotRequired[Fact | None]


@with_config(STRICT)
class Extraction(TypedDict):
    """All that an episode says; what is left out is empty."""

    nodes: NotRequired[list[Node] | None]
    edges: NotRequired[list[Edge] | None]


_ADAPTER: TypeAdapter[Extraction] = TypeAdapter(Extraction)
ENDS: Final = ("source_ref", "target_ref")
"""The fields of a fact that name its nodes."""

NOTHING: Extraction = {"nodes": [], "edges": []}


def checked_extraction(given: object) -> Extraction:
    """Return an extraction with every field checked, or INVALID_ARGUMENT naming the faults.

    >>> checked_extraction({"nodes": [{"name": "Ann"}]})["nodes"]
    [{'name': 'Ann'}]
    """
    try:
        orjson.dumps(given)  # what can be read may be too deep to be written
    except TypeError as error:
        raise _faulty(["the extraction nests too deep"]) from error
    try:
        extraction = _ADAPTER.validate_python(given)
    except ValidationError as error:
        raise _faulty(_problems(error.errors(include_url=False, include_input=False))) from error
    faults = [*_repeated(extraction), *_backwards(extraction)]
    if faults:
        raise _faulty(faults)
    return extraction


def tmp_refs(extraction: Extraction) -> Mapping[str, int]:
    """Return the places of the nodes by their tmp_refs."""
    nodes = extraction.get("nodes") or []
    return {ref: at for at, node in enumerate(nodes) if (ref := node.get("tmp_ref")) is not None}


def outside_refs(extraction: Extraction) -> set[str]:
    """Return the refs of the facts that are not a tmp_ref, so the group must have them."""
    known = tmp_refs(extraction)
    ends = {edge[end] for edge in extraction.get("edges") or [] for end in ENDS}
    return {one for one in ends if one not in known}


def check_refs(extraction: Extraction, nodes: Mapping[str, str]) -> None:
    """Raise INVALID_ARGUMENT for refs that name nothing, and for links that a call alone writes.

    `nodes` are the types of the nodes that the group has, by uuid.
    """
    own = {*tmp_refs(extraction), *own_uuids(extraction)}
    edges = extraction.get("edges") or []
    faults = [
        f'edges[{at}].{end} "{edge[end]}" is not a tmp_ref of these nodes or a uuid of the group'
        for at, edge in enumerate(edges)
        for end in ENDS
        if edge[end] not in own and edge[end] not in nodes
    ]
    faults += [
        f'edges[{at}].name "{edge["name"]}" is not told of a {nodes[source]} as a fact'
        for at, edge in enumerate(edges)
        if (source := edge["source_ref"]) in nodes
        and ALL_KINDS.is_owned_link(nodes[source], normal_text(edge["name"]))
    ]
    if faults:
        raise _faulty(faults)


def own_uuids(extraction: Extraction) -> Mapping[str, int]:
    """Return the places of the nodes by the uuids that they are given."""
    nodes = extraction.get("nodes") or []
    return {uuid: at for at, node in enumerate(nodes) if (uuid := node.get("uuid")) is not None}


def _repeated(extraction: Extraction) -> list[str]:
    """Return the tmp_refs that two nodes have."""
    met: set[str] = set()
    faults = []
    for at, node in enumerate(extraction.get("nodes") or []):
        ref = node.get("tmp_ref")
        if ref is not None and ref in met:
            faults.append(f'nodes[{at}].tmp_ref "{ref}" belongs to another node')
        if ref is not None:
            met.add(ref)
    return faults


def _backwards(extraction: Extraction) -> list[str]:
    """Return the facts that end before they begin."""
    faults = []
    for at, edge in enumerate(extraction.get("edges") or []):
        begin, end = edge.get("valid_at"), edge.get("invalid_at")
        if begin is not None and end is not None and begin >= end:
            faults.append(f"edges[{at}].valid_at {begin} is not before invalid_at {end}")
    return faults


def _problems(faults: Iterable[ErrorDetails]) -> list[str]:
    told = []
    for fault in faults:
        path = ""
        for part in fault["loc"]:
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
        told.append(f"{path or 'the extraction'}: {fault['msg']}")
    return told


def _faulty(faults: list[str]) -> RecollectError:
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return refused("; ".join(faults[:_SHOWN]) + more)
