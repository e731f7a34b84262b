"""Every operation by its name: what it takes, what it answers, and what runs it.

The rule: this is the only list of operations; faces, servers and clients use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from recollect.faces.operations import deletion, facts, inputs, intake, outputs, search
from recollect.faces.operations.context import Context
from recollect.faces.operations.outputs import Answered, Status
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class ServiceOperation:
    """One operation; `method` is its name in Python."""

    name: str
    method: str
    summary: str
    input: type
    output: type
    adapter: TypeAdapter[object]
    run: Callable[[Context, Any], Answered]
    is_write: bool
    example: Mapping[str, object]


def _healthcheck(context: Context, given: inputs.Empty) -> outputs.Health:
    """Answer that the service is there: the store can be read."""
    del given
    context.nexus.groups()
    return outputs.Health(status="healthy")


def _operation(
    name: str,
    input: type,
    output: type,
    run: Callable[[Context, Any], Any],
    example: Mapping[str, object],
    *,
    is_write: bool = False,
    status: Status | None = "OK",
) -> ServiceOperation:
    """Return an operation; without a status its function answers with one itself."""

    def answered(context: Context, given: Any) -> Answered:  # noqa: ANN401 - one of `input`
        if status is None:
            return cast(Answered, run(context, given))
        return status, run(context, given)

    method = "".join(f"_{one.lower()}" if one.isupper() else one for one in name).lstrip("_")
    summary = (run.__doc__ or "").split("\n")[0].strip()
    return ServiceOperation(
        name, method, summary, input, output, TypeAdapter(input), answered, is_write, example
    )


_TIME = "2026-01-31T09:30:00Z"
_MESSAGE = {"role_type": "user", "role": "Ann", "content": "I work at Acme.", "timestamp": _TIME}
_FACT = {
    "name": "WORKS_AT",
    "fact": "Ann works at Acme",
    "source_node_uuid": "ann",
    "target_node_uuid": "acme",
    "valid_at": "2021-01-01T00:00:00Z",
}
_QUESTION = {"group_ids": ["team"], "query": "Where does Ann work?", "max_facts": 5}

_ALL = (
    _operation("Healthcheck", inputs.Empty, outputs.Health, _healthcheck, {}),
    _operation(
        "AddMessages",
        inputs.AddMessages,
        outputs.AcceptedMessages,
        intake.add_messages,
        {"group_id": "team", "messages": [_MESSAGE]},
        is_write=True,
        status="ACCEPTED",
    ),
    _operation(
        "AddEpisodes",
        inputs.AddEpisodes,
        outputs.Accepted,
        intake.add_episodes,
        {
            "group_id": "team",
            "items": [{"source": "text", "body": "Ann works at Acme.", "reference_time": _TIME}],
        },
        is_write=True,
        status="ACCEPTED",
    ),
    _operation(
        "GetReceipt",
        inputs.ReceiptInput,
        outputs.ReceiptState,
        intake.get_receipt,
        {"group_id": "team", "receipt_id": "r1"},
        status=None,
    ),
    _operation(
        "ListParked", inputs.ListParked, outputs.ItemList, intake.list_parked, {"group_id": "team"}
    ),
    _operation(
        "RetryParked",
        inputs.RetryParked,
        outputs.Retried,
        intake.retry_parked,
        {"group_id": "team"},
        is_write=True,
    ),
    _operation(
        "AddEntityNode",
        inputs.AddEntityNode,
        outputs.EntityNode,
        facts.add_entity_node,
        {"group_id": "team", "uuid": "ann", "name": "Ann", "summary": "An engineer"},
        is_write=True,
    ),
    _operation(
        "AddFact",
        inputs.AddFact,
        outputs.FactResult,
        facts.add_fact,
        {"group_id": "team", **_FACT},
        is_write=True,
    ),
    _operation(
        "AddFacts",
        inputs.AddFacts,
        outputs.Facts,
        facts.add_facts,
        {"group_id": "team", "facts": [_FACT]},
        is_write=True,
    ),
    _operation("SearchFacts", inputs.SearchFacts, outputs.Facts, search.search_facts, _QUESTION),
    _operation(
        "SearchNodes",
        inputs.SearchNodes,
        outputs.Nodes,
        search.search_nodes,
        {"group_ids": ["team"], "query": "engineer"},
    ),
    _operation(
        "GetEntityEdge",
        inputs.GetEntityEdge,
        outputs.FactResult,
        facts.get_entity_edge,
        {"uuid": "f1", "group_id": "team"},
    ),
    _operation(
        "GetEpisodes",
        inputs.GetEpisodes,
        outputs.Episodes,
        intake.get_episodes,
        {"group_id": "team", "last_n": 5},
    ),
    _operation(
        "GetMemory",
        inputs.GetMemory,
        outputs.Facts,
        search.get_memory,
        {"group_id": "team", "messages": [_MESSAGE]},
    ),
    _operation(
        "DeleteEntityEdge",
        inputs.DeleteInput,
        outputs.Done,
        deletion.delete_entity_edge,
        {"uuid": "f1", "group_id": "team"},
    ),
    _operation(
        "DeleteEpisode",
        inputs.DeleteInput,
        outputs.Done,
        deletion.delete_episode,
        {"uuid": "e1", "group_id": "team"},
    ),
    _operation(
        "DeleteGroup", inputs.DeleteGroup, outputs.Done, deletion.delete_group, {"group_id": "team"}
    ),
    _operation("ClearAll", inputs.Empty, outputs.Done, deletion.clear_all, {}),
)

OPERATIONS: Mapping[str, ServiceOperation] = {one.name: one for one in _ALL}
"""The operations by name."""
