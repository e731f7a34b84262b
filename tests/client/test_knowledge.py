"""A knowledge store on a server: what it sends, what it raises, and what it tries again."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterator

import pytest
from tests.client.test_transport import Scripted, http, serve
from tests.faces.operations.remote import ADMIN, ONLY_G, Server
from tests.serving import Stage, stage

import recollect
from recollect.client import RemoteKnowledgeStore
from recollect.errors import (
    INVALID_ARGUMENT,
    LIMIT_EXCEEDED,
    PERMISSION_DENIED,
    RESOURCE_NOT_FOUND,
    UNAUTHENTICATED,
    UNAVAILABLE,
    RecollectError,
)
from recollect.faces.claims import (
    Branch,
    Claim,
    DataLogger,
    KnowledgeStore,
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    Session,
    from_file,
)
from recollect.faces.operations import Operations
from recollect.kernel import Nexus

__all__ = ["serve", "stage"]

IDS = b'{"request_id":"r","status":"OK","output":{"ids":["c"]}}'
NONE = b'{"request_id":"r","status":"OK","output":{"claims":[]}}'

Open = Callable[..., RemoteKnowledgeStore]


def claim(**fields: object) -> Claim:
    return Claim(**{"text": "payments uses sagas", "evidence": [from_file("a.py")], **fields})


def code_of(call: Awaitable[object]) -> object:
    with pytest.raises(RecollectError) as caught:
        asyncio.run(call)  # type: ignore[arg-type]
    return caught.value.code


@pytest.fixture
def nexus(stage: Stage) -> Iterator[Nexus]:
    """A memory that a server serves."""
    with recollect.open(":memory:") as nexus:
        server = Server()
        server.serve(nexus, Operations(nexus))
        stage.app = server.app
        yield nexus


@pytest.fixture
def remote(stage: Stage, nexus: Nexus) -> Iterator[Open]:
    """Open a store on it, while it is served."""
    assert nexus.groups() == []
    opened: list[RemoteKnowledgeStore] = []

    def begin(token: str | None = ADMIN, **more: str) -> RemoteKnowledgeStore:
        opened.append(RemoteKnowledgeStore(stage.url, token, **more))
        return opened[-1]

    yield begin
    for one in opened:
        one.close()


def test_it_is_a_knowledge_store() -> None:
    with RemoteKnowledgeStore("http://127.0.0.1:9") as store:
        assert isinstance(store, KnowledgeStore)


def test_it_has_all_that_a_store_in_the_process_has_but_what_is_of_this_machine() -> None:
    here = {name for name in dir(NexusKnowledgeStore) if not name.startswith("_")}
    there = {name for name in dir(RemoteKnowledgeStore) if not name.startswith("_")}
    assert here - there == {"check"}
    assert there - here == {"close"}
    assert not {"delete", "forget", "purge"} & there


def test_a_token_brings_its_group_and_another_is_refused(remote: Open, nexus: Nexus) -> None:
    asyncio.run(remote(ONLY_G).write_claim(claim(id="c")))
    assert asyncio.run(NexusKnowledgeStore(nexus.group("g")).get("c")) is not None
    assert asyncio.run(remote(group="g").get("c")) is not None
    assert asyncio.run(remote(group="other").get("c")) is None
    assert code_of(remote(ONLY_G, group="other").get("c")) is PERMISSION_DENIED
    assert code_of(remote(None).list()) is UNAUTHENTICATED


@pytest.mark.usefixtures("nexus")
def test_an_address_that_the_server_does_not_have_is_no_absent_claim(stage: Stage) -> None:
    with RemoteKnowledgeStore(f"{stage.url}/prefix", ADMIN) as store:
        for call in (store.get("c"), store.list(), store.history("c")):
            assert code_of(call) is RESOURCE_NOT_FOUND


def test_more_claims_than_a_call_may_write_are_written_in_several(remote: Open) -> None:
    claims = [claim() for _ in range(1_001)]
    with pytest.raises(RecollectError) as caught:
        asyncio.run(remote().write_claims(claims))
    assert caught.value.code is INVALID_ARGUMENT
    assert caught.value.message == "claims has more than 1,000"
    assert caught.value.hint == "send them in several calls"
    assert asyncio.run(remote().count()) == 0
    assert len(asyncio.run(remote().write_claims(claims[:1_000]))) == 1_000


def test_who_acts_travels_along(remote: Open) -> None:
    branch = Branch(knowledge_store=remote(), actor="reviewer", run="run-1", show="show-1")

    async def live() -> tuple[str | None, list[str | None], int, int]:
        claim_id = await branch.learn("payments uses sagas", [from_file("a.py")])
        assert claim_id is not None
        await branch.verify(claim_id)
        events = await remote().history(claim_id)
        told = [one.actor_id for one in events]
        by_run, by_show = await remote().count(run="run-1"), await remote().count(show="show-1")
        return events[-1].branch_id, told, by_run, by_show

    assert asyncio.run(live()) == (branch.id, ["reviewer", "reviewer"], 1, 1)


def test_a_supersession_is_told_to_the_logger(remote: Open) -> None:
    store = remote()
    store.logger = DataLogger()
    for name in ("old", "new"):
        asyncio.run(store.write_claim(claim(id=name, scope_type="repo", scope_id="r")))
    asyncio.run(store.supersede("old", "new"))
    ((entry),) = store.logger.entries
    assert (entry["event"], entry["claim_id"]) == ("knowledge.supersede", "old")
    assert (entry["scope_id"], len(entry)) == ("r", 12)


def test_a_refused_claim_is_recorded_there(remote: Open) -> None:
    branch = Branch(knowledge_store=remote())
    with pytest.raises(ValueError, match="at least one EvidenceRef"):
        asyncio.run(branch.learn("trust me", []))
    (item,) = asyncio.run(remote().attention())
    assert (item.code, item.text) == ("knowledge.rejected.empty_evidence", "trust me")


def test_a_session_recalls_what_another_learnt(remote: Open) -> None:
    first, second = (Session(knowledge_store=remote(), project="p") for _ in range(2))
    learnt = "payments-service uses the saga pattern for transactions"
    asyncio.run(first.new_branch().learn(learnt, [from_file("a.py")]))
    question = "What patterns does this codebase use for transactions?"
    (found,) = asyncio.run(second.new_branch().recall(question))
    assert found.text == learnt


@pytest.mark.parametrize("id", ["a/b", "..", "a b?&=#%", "ø阿", "x" * 2_000])
def test_any_id_travels_whole(remote: Open, id: str) -> None:
    store = remote()
    asyncio.run(store.write_claim(claim(id=id)))
    found = asyncio.run(store.get(id))
    assert found is not None
    assert found.id == id
    assert asyncio.run(store.list(after=id)) == []


def test_what_is_too_long_for_an_address_or_a_page_is_refused(remote: Open) -> None:
    store = remote()
    assert asyncio.run(store.list(domain="x" * 14_000)) == []
    assert asyncio.run(store.list(limit=10_000)) == []
    for domain in ("x" * 16_000, "é" * 12_000):
        assert code_of(store.list(domain=domain)) is LIMIT_EXCEEDED
        assert code_of(store.count(domain=domain)) is LIMIT_EXCEEDED
    for limit in (10_001, 2**70):
        assert code_of(store.list(limit=limit)) is INVALID_ARGUMENT
        assert code_of(store.events(limit=limit)) is INVALID_ARGUMENT
        assert code_of(store.query("x", limit=limit)) is INVALID_ARGUMENT


def test_an_error_is_what_it_would_be_here(remote: Open) -> None:
    async def wrong(store: RemoteKnowledgeStore | MemoryKnowledgeStore) -> list[RecollectError]:
        await store.write_claim(claim(id="c"))
        caught: list[RecollectError] = []
        for call in (
            store.transition("c", "verifed"),
            store.transition("c", "observed"),
            store.transition("c", "verified", expected_status="disputed"),
            store.supersede("c", "c"),
            store.supersede("c", "nobody"),
            store.history("nobody"),
            store.dismiss("nothing"),
            store.write_claim(claim(id="c", text="another")),
            store.list(after="nobody", tag="t"),
            store.events("yesterday"),
        ):
            with pytest.raises(RecollectError) as told:
                await call
            caught.append(told.value)
        return caught

    with MemoryKnowledgeStore() as local:
        here, there = asyncio.run(wrong(local)), asyncio.run(wrong(remote()))
    for mine, theirs in zip(here, there, strict=True):
        assert (mine.code, mine.message, mine.hint) == (theirs.code, theirs.message, theirs.hint)
        assert (mine.known, dict(mine.details)) == (theirs.known, dict(theirs.details))


def test_a_server_that_is_not_there_raises_and_is_not_an_empty_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with RemoteKnowledgeStore(f"http://127.0.0.1:{port}") as store:
        for call in (store.query("saga"), store.get("c"), store.write_claim(claim())):
            assert code_of(call) is UNAVAILABLE


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"claims": []}'])
def test_what_is_no_envelope_comes_from_something_else(
    serve: Callable[..., Scripted], body: bytes
) -> None:
    server = serve(http("200 OK", body))
    with RemoteKnowledgeStore(server.url) as store:
        assert code_of(store.query("saga")) is UNAVAILABLE


def test_writing_a_claim_is_tried_again_with_the_same_bytes(
    serve: Callable[..., Scripted],
) -> None:
    server = serve(b"", http("503 Unavailable", b"<html>"), http("200 OK", IDS))
    with RemoteKnowledgeStore(server.url, "token") as store:
        assert asyncio.run(store.write_claim(claim(id="c"))) == "c"
    bodies = {one.partition(b"\r\n\r\n")[2] for one in server.requests}
    assert len(server.requests) == 3
    assert [one["id"] for one in json.loads(bodies.pop())["claims"]] == ["c"]
    assert not bodies


def test_a_read_is_tried_again(serve: Callable[..., Scripted]) -> None:
    server = serve(b"", http("200 OK", NONE))
    with RemoteKnowledgeStore(server.url, "token", group="g") as store:
        assert asyncio.run(store.list(status=[])) == []
    assert server.requests[1].startswith(b"GET /v1/claims?status=&limit=50&group_id=g ")
    assert b"authorization: Bearer token" in server.requests[1]


def test_a_transition_that_may_have_arrived_is_not_sent_again(
    serve: Callable[..., Scripted],
) -> None:
    server = serve(b"")
    with RemoteKnowledgeStore(server.url) as store:
        assert code_of(store.transition("c", "verified")) is UNAVAILABLE
    assert len(server.requests) == 1
