"""The knowledge base over HTTP, and through both clients: the same values as in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest
from tests.endpoint import serving
from tests.faces.knowledge.conftest import DECOY, QUESTION, TRACE, piece
from tests.faces.knowledge.test_ingestion import GOOD, said, status

from recollect import RecollectError, client
from recollect.faces.knowledge import (
    KnowledgeBase,
    KnowledgeDataLoader,
    KnowledgeProvider,
    PromptBasedAgent,
)
from recollect.kernel import Nexus
from recollect.model import AsOf

ASKED = {"query": QUESTION, "entity_id": "user:alice"}


@pytest.fixture
def here(nexus: Nexus) -> Iterator[KnowledgeBase]:
    with KnowledgeBase(nexus=nexus.group("decoy")) as other:
        KnowledgeDataLoader().load(other, DECOY)
    with KnowledgeBase(nexus=nexus, active_entity_id="user:alice") as kb:
        yield kb


@pytest.fixture
def there(http, stage, here) -> Iterator[client.Knowledge]:
    del http, here  # the server is up, and has its decoy
    with client.Knowledge(stage.url) as knowledge:
        yield knowledge


def test_a_client_has_the_methods_and_the_values_of_the_face(there, here) -> None:
    assert there.load(TRACE)["pieces"] == 1
    found = there.retrieve(QUESTION, "user:alice")
    assert found == here.retrieve(QUESTION)
    assert there.provide(QUESTION, entity_id="user:alice") == KnowledgeProvider(here)(QUESTION)
    assert there.get_piece("les-rans-init") == here.get_piece("les-rans-init")
    assert there.get_piece("nothing") is None
    changed = piece("LES in other words", "les-rans-init")
    assert there.update_piece(changed)
    assert here.get_piece("les-rans-init").content == changed.content
    assert not there.update_piece(piece("x", "nothing"))
    assert there.remove_piece("les-rans-init")
    assert not there.remove_piece("les-rans-init")


def test_another_time_is_asked_about_as_in_kip(there, nexus, stage) -> None:
    there.load(TRACE)
    then = nexus.stats().transactions
    before = there.provide(QUESTION, entity_id="user:alice")
    there.remove_piece("les-rans-init")
    assert there.provide(QUESTION, entity_id="user:alice") != before
    assert there.at({"known": then}).provide(QUESTION, entity_id="user:alice") == before
    past = there.at(AsOf(transaction=then))
    assert past.provide(QUESTION, entity_id="user:alice") == before
    found = past.retrieve(QUESTION, "user:alice").pieces
    assert [one.piece_id for one, _ in found] == ["les-rans-init"]

    async def ask() -> dict[str, str]:
        async with client.AsyncKnowledge(stage.url) as knowledge:
            return await knowledge.at({"known": then}).provide(QUESTION, entity_id="user:alice")

    assert asyncio.run(ask()) == before


def test_what_is_skipped_comes_back_with_the_counts(there) -> None:
    report = there.load({"pieces": [{"content": ""}, {"content": "x"}]}, dry_run=True)
    assert (report["pieces"], report.skipped[0].key) == (1, "0")


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a b", "?x=1", "user:é", "%2e"])
def test_any_id_goes_and_comes(there, name: str) -> None:
    assert there.add_piece(piece("x", name)) == name
    assert there.get_piece(name).piece_id == name
    assert there.update_piece(piece("y", name))
    assert there.get_piece(name).content == "y"
    assert there.remove_piece(name)
    assert not there.update_piece(piece("z", name))
    assert there.get_piece(name) is None


def test_an_id_that_is_there_is_a_conflict(there) -> None:
    there.add_piece(piece())
    with pytest.raises(RecollectError) as caught:
        there.add_piece(piece())
    assert caught.value.code.code == "CONFLICT"


def test_a_client_is_the_provider_of_an_agent(there) -> None:
    there.load({"pieces": [{"content": "LES starts from RANS.", "info_type": "instructions"}]})
    agent = PromptBasedAgent(str, knowledge_provider=there)
    assert "[fact] LES starts from RANS." in agent("LES")


def test_one_to_be_awaited_does_the_same(there, stage) -> None:
    async def ask() -> dict[str, str]:
        async with client.AsyncKnowledge(stage.url) as knowledge:
            await knowledge.load(TRACE)
            assert await knowledge.get_piece("les-rans-init")
            await knowledge.add_piece(piece("x", ".."))
            assert await knowledge.update_piece(piece("y", ".."))
            assert await knowledge.remove_piece("..")
            return await knowledge.provide(QUESTION, entity_id="user:alice")

    assert asyncio.run(ask()) == there.provide(QUESTION, entity_id="user:alice")


def test_the_answers_are_in_the_usual_envelope(http, here) -> None:
    here.add_piece(piece())
    for method, path, body, code in (
        ("POST", "pieces", piece("y", "p2").to_dict(), 200),
        ("POST", "pieces", piece("y", "p2").to_dict(), 409),
        ("POST", "pieces", {"content": ""}, 400),
        ("POST", "pieces", {"contents": "x"}, 400),
        ("GET", "pieces/p1", None, 200),
        ("GET", "pieces/p9", None, 404),
        ("PUT", "pieces/p1", {"content": "z"}, 200),
        ("PUT", "pieces/p1", {"content": "z", "piece_id": "p3"}, 400),
        ("PUT", "pieces/p9", {"content": "z"}, 404),
        ("PUT", "pieces", {"content": "z", "piece_id": "p1"}, 200),
        ("PUT", "pieces", {"content": "z", "piece_id": "p9"}, 404),
        ("PUT", "pieces", {"content": "z"}, 400),
        ("GET", "pieces?id=p1", None, 200),
        ("DELETE", "pieces/p1", None, 200),
        ("POST", "retrieve", {**ASKED, "top_k": 0}, 400),
        ("POST", "provide", ASKED, 200),
        ("POST", "ingest", {"text": "x"}, 400),  # no model is named
        ("POST", "load", {"data": {"other": 1}}, 400),
        ("POST", "load", {"data": {"pieces": []}, "dry_run": "yes"}, 400),
        ("POST", "retrieve", {**ASKED, "top_k": "5"}, 400),
        ("POST", "retrieve", {**ASKED, "tags": "les"}, 400),
    ):
        answer = http.request(
            method, f"/v1/knowledge/{path}", content=None if body is None else json.dumps(body)
        )
        assert answer.status_code == code, (method, path, answer.text)
        assert ("output" if code == 200 else "error") in answer.json()


def test_a_text_is_ingested_by_the_model_of_the_settings(
    http, here, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as endpoint:
        endpoint.script = [status(503), said("prose"), said(GOOD), *[status(401)] * 2]
        monkeypatch.setenv("RECOLLECT_LLM_MODEL", "m")
        monkeypatch.setenv("RECOLLECT_LLM_URL", endpoint.url)
        asked = {"text": "LES starts from RANS. password: hunter2"}
        told = http.post("/v1/knowledge/ingest", json=asked).json()["output"]
        assert (told["pieces"], told["graph_edges"], told["skipped"]) == (1, 1, [])
        assert "hunter2" not in json.dumps(endpoint.asked)
        refused = http.post("/v1/knowledge/ingest", json=asked)
    assert refused.json()["error"]["error_code"] == "UNAVAILABLE"
    assert "RECOLLECT_LLM_KEY" in refused.text
    assert here.get_piece("les-rans-init") is not None


def test_a_piece_of_another_group_is_not_there(there) -> None:
    assert there.get_piece("les-rans-init") is None


def test_the_search_box_finds_pieces(http, here) -> None:
    here.add_piece(piece("Check the mesh.", "mesh", entity_id="user:alice"))
    found = http.get("/api/search", params={"q": "mesh", "type": "pieces"}).json()
    (result,) = found["results"]
    assert (result["id"], result["text"], result["entity_id"]) == (
        *("mesh", "Check the mesh.", "user:alice"),
    )
    for place in ({}, {"type": "all"}):
        found = http.get("/api/search", params={"q": "mesh", **place}).json()
        assert found["type"] == "all"
        assert [{**one, "score": 0} for one in found["results"]] == [{**result, "score": 0}]
    for place in ({"type": "knowledge"}, {"status": "observed"}):
        found = http.get("/api/search", params={"q": "mesh", **place}).json()
        assert (found["type"], found["results"]) == ("knowledge", [])
