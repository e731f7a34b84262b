"""What is larger than the limits is rejected as a whole, and never cut."""

from __future__ import annotations

from typing import Any

import pytest
from tests.faces.operations.calls import TIME, Service, refused, told


def episode(**more: Any) -> dict[str, Any]:
    return {"source": "text", "body": "b", "reference_time": TIME} | more


def message(**more: Any) -> dict[str, Any]:
    return {"role_type": "user", "content": "c", "timestamp": TIME} | more


def fact(**more: Any) -> dict[str, Any]:
    given = {"name": "R", "fact": "f", "source_node_uuid": "ann", "target_node_uuid": "acme"}
    return given | more


@pytest.mark.parametrize(
    ("operation", "largest", "too_large"),
    [
        ("AddEpisodes", {"items": [episode()] * 100}, {"items": [episode()] * 101}),
        ("AddEpisodes", {"items": [episode(body="x" * 10_000)]}, {"items": [episode(body="x" * 10_001)]}),
        ("AddEpisodes", {"items": [episode(name="x" * 256)]}, {"items": [episode(name="x" * 257)]}),
        ("AddMessages", {"messages": [message()] * 100}, {"messages": [message()] * 101}),
        ("AddMessages", {"messages": [message(content="x" * 10_000)]}, {"messages": [message(content="x" * 10_001)]}),
        ("AddEntityNode", {"uuid": "n", "name": "x" * 256}, {"uuid": "m", "name": "x" * 257}),
        ("AddEntityNode", {"uuid": "n", "name": "n", "summary": "x" * 1000}, {"uuid": "m", "name": "m", "summary": "x" * 1001}),
        ("AddEntityNode", {"uuid": "n", "name": "n", "attributes": {"k": "x" * (2**14 - 8)}}, {"uuid": "m", "name": "m", "attributes": {"k": "x" * (2**14 - 7)}}),
        ("AddFact", fact(fact="x" * 2000), fact(fact="x" * 2001)),
        ("AddFact", fact(name="x" * 256), fact(name="x" * 257)),
        ("AddFacts", {"facts": [fact()] * 100}, {"facts": [fact()] * 101}),
    ],
)  # fmt: skip
def test_the_largest_is_taken_and_one_more_is_rejected(
    furnished: Service, operation: str, largest: dict[str, Any], too_large: dict[str, Any]
) -> None:
    told(furnished.call(operation, {"group_id": "g"} | largest))
    assert refused(furnished.call(operation, {"group_id": "g"} | too_large)) == "LIMIT_EXCEEDED"


def test_an_input_of_more_than_a_mebibyte_is_rejected(service: Service) -> None:
    long = {"body": "x" * 10_000, "name": "n" * 256, "source_description": "d" * 256}
    items = [episode(uuid=f"e{at}", **long) for at in range(100)]
    assert refused(service.add_episodes(group_id="g", items=items)) == "LIMIT_EXCEEDED"  # type: ignore[arg-type]
    assert told(service.get_episodes(group_id="g", last_n=1)) == {"episodes": []}


@pytest.mark.parametrize("most", [0, -1, 101, 2**70, 1.0, True, "10"])
def test_max_facts_is_1_to_100(furnished: Service, most: Any) -> None:
    answer = furnished.search_facts(group_ids=["g"], query="Ann", max_facts=most)
    assert refused(answer) == "INVALID_ARGUMENT"
    assert (
        refused(furnished.search_nodes(group_ids=["g"], query="Ann", max_nodes=most))
        == "INVALID_ARGUMENT"
    )


def test_nothing_is_too_little(service: Service) -> None:
    assert refused(service.search_facts(group_ids=[], query="x")) == "INVALID_ARGUMENT"
    assert refused(service.add_episodes(group_id="g", items=[])) == "INVALID_ARGUMENT"
    assert refused(service.add_entity_node(group_id="g", uuid="n", name=" ")) == "INVALID_ARGUMENT"
    assert refused(service.get_episodes(group_id="g", last_n=0)) == "INVALID_ARGUMENT"


def test_a_field_that_is_wrong_counts_before_one_that_is_too_large(service: Service) -> None:
    answer = service.add_entity_node(group_id="g", uuid="", name="x" * 257)
    assert refused(answer) == "INVALID_ARGUMENT"
    assert [one["field"] for one in answer["error"]["details"]["fields"]] == ["uuid", "name"]  # type: ignore[index, union-attr, call-overload]


def test_one_bad_item_keeps_all_others_out(furnished: Service) -> None:
    good, bad = fact(uuid="good"), fact(uuid="bad", target_node_uuid="nobody")
    assert refused(furnished.add_facts(group_id="g", facts=[good, bad])) == "NOT_FOUND"  # type: ignore[list-item]
    assert refused(furnished.get_entity_edge(uuid="good", group_id="g")) == "NOT_FOUND"


@pytest.mark.parametrize(
    "attributes",
    [{"summary": "x"}, {"_hidden": 1}, {"": 1}, {"k": 2**64}, {"k": "\0"}, {"k": [float("nan")]}],
)
def test_attributes_that_cannot_be_kept_are_refused(
    service: Service, attributes: dict[str, Any]
) -> None:
    answer = service.add_entity_node(group_id="g", uuid="n", name="N", attributes=attributes)
    assert refused(answer) == "INVALID_ARGUMENT"


def test_only_the_first_level_of_attributes_has_names_that_are_reserved(service: Service) -> None:
    attributes: Any = {"a": {"_b": 1, "summary": "x"}, "c_": 2}
    answer = service.add_entity_node(group_id="g", uuid="n", name="N", attributes=attributes)
    assert told(answer)["attributes"] == attributes
    refusal = service.add_entity_node(group_id="g", uuid="n", name="N", attributes={"_b": 1})
    assert (
        refusal["error"]["message"] == 'the key "_b" of attributes begins with _, which is reserved'
    )
    assert refusal["error"]["details"]["hint"] == 'use "b"'


def test_attributes_that_nest_too_deep_are_rejected(service: Service) -> None:
    value: Any = 1
    for _ in range(100):
        value = [value]
    answer = service.add_entity_node(group_id="g", uuid="n", name="N", attributes={"k": value})
    assert refused(answer) == "LIMIT_EXCEEDED"
