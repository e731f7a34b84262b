"""What the tests of the operations say often."""

from __future__ import annotations

from typing import Any

from recollect.faces.operations import Operations

Service = Operations
TIME = "2026-01-31T09:30:00Z"


def told(envelope: Any) -> Any:
    """The output of an envelope that has one."""
    assert envelope["status"] != "ERROR", envelope
    assert set(envelope) == {"request_id", "status", "output"}
    return envelope["output"]


def refused(envelope: Any) -> str:
    """The error code of an envelope that has one."""
    assert envelope["status"] == "ERROR", envelope
    assert set(envelope) == {"request_id", "status", "error"}
    assert set(envelope["error"]) <= {"error_code", "message", "details"}
    return str(envelope["error"]["error_code"])


def fact_item(short: dict[str, Any]) -> dict[str, Any]:
    item = {key: value for key, value in short.items() if key not in ("from", "to")}
    return item | {"source_node_uuid": short["from"], "target_node_uuid": short["to"]}


def added_facts(service: Service, group: str, *items: dict[str, Any]) -> list[dict[str, Any]]:
    """Add facts; `from` and `to` name their nodes."""
    facts = [fact_item(one) for one in items]
    return list(told(service.add_facts(group_id=group, facts=facts))["facts"])  # type: ignore[arg-type]


def found(service: Service, query: str, **more: Any) -> list[str]:
    """The uuids of the facts a search of the group `g` finds, in order."""
    asked = {"group_ids": ["g"], "query": query} | more
    return [fact["uuid"] for fact in told(service.search_facts(**asked))["facts"]]


def edge(service: Service, uuid: str, **more: Any) -> dict[str, Any]:
    """A fact of the group `g`."""
    return dict(told(service.get_entity_edge(uuid=uuid, group_id="g", **more)))
