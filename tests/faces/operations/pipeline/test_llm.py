"""The extractor that asks a model, against a scripted server over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.faces.operations.calls import TIME, edge as edge_of, told
from tests.faces.operations.pipeline.model_server import ModelServer, Reply, says, serving
from tests.faces.operations.pipeline.rig import Rig, rig, says as structured_says, text

from recollect.faces.operations.naming import fact_uuid
from recollect.faces.operations.pipeline.llm import LlmExtractor
from recollect.kernel import Nexus
from recollect.llm.chat import LanguageModel, retry_after

KEY = "sk-not-to-be-shown"


def node(name: str, **more: Any) -> dict[str, Any]:
    return {"tmp_ref": name.lower(), "name": name, "summary": None} | more


def edge(
    fact: str, source: str = "ann", target: str = "acme", name: str = "WORKS_AT", **more: Any
) -> dict[str, Any]:
    ends = {"source_ref": source, "target_ref": target}
    return {"name": name, "fact": fact, "valid_at": None, "invalid_at": None} | ends | more


def works(fact: str = "Ann works at Acme", **more: Any) -> dict[str, Any]:
    return {"nodes": [node("Ann"), node("Acme")], "edges": [edge(fact, **more)]}


@contextmanager
def learning(nexus: Nexus, *script: Any, timeout: float = 10) -> Iterator[tuple[Rig, ModelServer]]:
    with serving(*script) as server:
        extractor = LlmExtractor(LanguageModel("stub", KEY, server.url, timeout))
        yield rig(nexus, extractor), server
        extractor.close()


def item(one: Rig, receipt: str) -> dict[str, Any]:
    (found,) = told(one.service.get_receipt(group_id="g", receipt_id=receipt))["items"]
    return dict(found)


def test_an_episode_without_contradictions_takes_one_call(nexus: Nexus) -> None:
    with learning(nexus, says(works(), tokens=(321, 45))) as (one, server):
        given = one.add("g", text("e1", "I work at Acme", source="message"))
        one.drain()
        assert one.facts("g") == ["Ann works at Acme"]
        found = item(one, given["receipt_id"])
    assert (found["state"], found["calls"]) == ("completed", 1)
    assert (found["input_tokens"], found["output_tokens"]) == (321, 45)
    (asked,) = server.asked
    assert asked["path"] == "/v1/chat/completions"
    assert asked["model"] == "stub"
    assert asked["response_format"]["type"] == "json_schema"
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert "I work at Acme" in asked["messages"][1]["content"]
    assert TIME[:10] in asked["messages"][1]["content"]
    assert server.keys == [f"Bearer {KEY}"]


def test_a_structured_episode_takes_no_call_and_neither_does_an_empty_one(nexus: Nexus) -> None:
    with learning(nexus) as (one, server):
        one.add("g", structured_says("e1"), text("e2", "  "))
        one.drain()
        assert one.facts("g") == ["Ann works at Acme"]
        assert one.states("e2")[-1] == "completed"
    assert server.asked == []


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("{nodes: ", "not JSON"),
        ("[]", "extraction"),
        ({"nodes": [], "edges": [], "thoughts": "hm"}, "thoughts"),
        ({"nodes": [node("x" * 257)], "edges": []}, "256 are allowed"),
        ({"nodes": [], "edges": [edge("Ann works")]}, 'edges[0].source_ref "ann"'),
        (works(valid_at="last year"), "valid_at"),
        (works(valid_at="2026-01-01T00:00:00"), "valid_at"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told_at_the_next_attempt(
    nexus: Nexus, bad: Any, complaint: str
) -> None:
    with learning(nexus, says(bad), says(works())) as (one, server):
        given = one.add("g", text("e1", "I work at Acme"))
        one.drain()
        failed = item(one, given["receipt_id"])
        assert failed["state"] == "extract_failed"
        assert complaint in failed["error"]
        assert one.facts("g") == []
        one.clock.pass_seconds(1)
        one.drain()
        found = item(one, given["receipt_id"])
    assert (found["state"], found["calls"], found["error"]) == ("completed", 2, None)
    assert (found["input_tokens"], found["output_tokens"]) == (200, 40)
    *_, answer, told_back = server.asked[1]["messages"]
    assert answer["role"] == "assistant"
    assert complaint in told_back["content"]
    assert one.facts("g") == ["Ann works at Acme"]


def test_a_model_that_never_mends_its_answer_parks_the_episode(nexus: Nexus) -> None:
    with learning(nexus, *[says("no")] * 9) as (one, server):
        given = one.add("g", text("e1"))
        for seconds in (0, 1, 2, 4, 100):
            one.clock.pass_seconds(seconds)
            one.drain()
        found = item(one, given["receipt_id"])
    assert (found["state"], found["attempts"], found["calls"]) == ("parked", 4, 4)
    assert len(server.asked) == 4
    assert told(one.service.search_nodes(group_ids=["g"], query="Ann"))["nodes"] == []


def test_too_many_requests_wait_as_long_as_they_are_told_to(nexus: Nexus) -> None:
    busy = Reply(429, b'{"error": {"message": "slow"}}', {"retry-after": "20"})
    with learning(nexus, busy, says(works())) as (one, server):
        one.add("g", text("e1"), text("e2", "other"))
        one.nexus.group("g").purge("e2")
        one.drain()
        one.clock.pass_seconds(19)
        assert one.drain() == 0
        assert len(server.asked) == 1  # the client itself does not try again
        one.clock.pass_seconds(1)
        one.drain()
        assert one.facts("g") == ["Ann works at Acme"]


def test_a_model_that_does_not_answer_in_time_is_asked_again(nexus: Nexus) -> None:
    with learning(nexus, Reply(waits=True), says(works()), timeout=0.2) as (one, server):
        given = one.add("g", text("e1"))
        one.drain()
        assert "within 0.2 s" in item(one, given["receipt_id"])["error"]
        server.closing.set()
        one.clock.pass_seconds(1)
        one.drain()
        assert item(one, given["receipt_id"])["state"] == "completed"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500, b"{}"),
        Reply(401, b'{"error": {"message": "bad key"}}'),
        Reply(200, b"{"),
        Reply(200, b"hello", {"content-type": "text/plain"}),
        Reply(200, b"{}"),
        Reply(200, b'{"choices": []}'),
        Reply(200, b'{"choices": [{"message": null}]}'),
        Reply(200, b'{"choices": {"0": 1}}'),
        Reply(200, b'{"choices": 7}'),
        Reply(200, b'{"choices": [], "usage": 7}'),
        Reply(200, b'{"choices": ' + b"[" * 5_000 + b"]" * 5_000 + b"}"),
        says("\ud800"),
        says("a\0b"),
        says('{"nodes": [{"name": "A", "a\\u0000b": 1}]}'),
        says('{"nodes": [{"name": "A", "attributes": {"a": ' + "[" * 252 + "]" * 252 + "}}]}"),
        Reply(200, b'{"choices": [{"message": {"content": 7}}], "usage": {}}'),
        says(""),
        says(works(), finish="length"),
    ],
)
def test_a_service_that_answers_otherwise_is_asked_again(nexus: Nexus, reply: Reply) -> None:
    with learning(nexus, reply, says(works())) as (one, _):
        given = one.add("g", text("e1"))
        one.drain()
        found = item(one, given["receipt_id"])
        assert (found["state"], found["calls"]) == ("extract_failed", 1)
        assert KEY not in found["error"]
        one.clock.pass_seconds(1)
        one.drain()
        assert item(one, given["receipt_id"])["state"] == "completed"


@pytest.mark.parametrize("used", [7, [1], {"prompt_tokens": "7"}, {"prompt_tokens": -7}, None])
def test_tokens_that_are_no_count_are_not_counted(nexus: Nexus, used: Any) -> None:
    body = json.loads(says(works()).body) | {"usage": used}
    with learning(nexus, Reply(body=json.dumps(body).encode())) as (one, _):
        given = one.add("g", text("e1"))
        one.drain()
        found = item(one, given["receipt_id"])
    assert (found["state"], found["calls"], found["input_tokens"]) == ("completed", 1, 0)


def test_a_service_that_is_away_is_asked_again(nexus: Nexus) -> None:
    with serving() as server:
        url = server.url
    extractor = LlmExtractor(LanguageModel("stub", KEY, url, 5))
    one = rig(nexus, extractor)
    given = one.add("g", text("e1"))
    one.drain()
    assert "cannot be reached" in item(one, given["receipt_id"])["error"]
    extractor.close()


def test_a_fact_that_contradicts_ends_the_one_before(nexus: Nexus) -> None:
    first = works("Ann works at Acme as an engineer")

    def second(request: dict[str, Any]) -> Reply:
        shown = request["messages"][1]["content"]
        assert "WORKS_AT" in shown
        assert "Ann works at Acme as an engineer" in shown
        return says(works("Ann works at Acme as a director"))

    with learning(nexus, says(first), second) as (one, server):
        one.add("g", text("e1", "Ann is an engineer at Acme"))
        later = "2026-06-01T00:00:00Z"
        one.add("g", text("e2", "Ann is a director at Acme", reference_time=later))
        one.drain()
        assert one.facts("g") == ["Ann works at Acme as a director"]
        assert len(server.asked) == 2
    old = edge_of(one.service, fact_uuid("e1", 0))
    assert old["invalid_at"] == "2026-06-01T00:00:00.000Z"
    assert old["expired_at"] is not None


def test_a_known_node_may_be_named_by_its_uuid(nexus: Nexus) -> None:
    answer = {"nodes": [node("Ann")], "edges": [edge("Ann works at Acme", target="acme-uuid")]}
    with learning(nexus, says(answer)) as (one, server):
        told(one.service.add_entity_node(group_id="g", uuid="acme-uuid", name="Acme"))
        told(one.service.add_entity_node(group_id="decoy", uuid="secret", name="Acme of another"))
        one.add("g", text("e1", "Ann works at Acme"))
        one.drain()
        assert one.facts("g") == ["Ann works at Acme"]
        shown = server.asked[0]["messages"][1]["content"]
    assert "acme-uuid" in shown
    assert "secret" not in shown


def test_the_key_is_in_no_text_of_the_settings() -> None:
    assert KEY not in repr(LanguageModel("stub", KEY))


def test_a_time_to_retry_may_be_a_date() -> None:
    assert retry_after("Sun, 06 Nov 2094 08:49:37 GMT") > 3000
    assert retry_after("Sun, 06 Nov 1994 08:49:37 GMT") == 0
    assert retry_after("inf") == retry_after("nan") == retry_after("-3") == 0
