"""Server-sent events: what happens to claims, told once each, wherever a listener comes back."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest
from tests.servers.http.conftest import code_in
from tests.serving import SECONDS, Stage

import recollect
from recollect.kernel import Nexus
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.server import listen, make_server, url_of
from recollect.servers.service import ServedMemory, make_service

EVIDENCE = [{"kind": "file", "path": "src/saga.py"}]
SOON = 30  # seconds; far more than anything here takes


@dataclass(frozen=True)
class Told:
    id: str
    event: str
    body: dict


def told(lines: Iterator[str]) -> Iterator[Told]:
    """Read a stream as a browser does: a block with an id alone is no event."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
            continue
        if "event" in fields:
            yield Told(fields["id"], fields["event"], json.loads(fields["data"]))
        fields = {}


def some(http: httpx2.Client, count: int, last: str | None = None, **query: str) -> list[Told]:
    headers = {} if last is None else {"last-event-id": last}
    with http.stream("GET", "/v1/events", params=query, headers=headers, timeout=SOON) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = told(answer.iter_lines())
        return [next(stream) for _ in range(count)]


def write(http: httpx2.Client, *ids: str, **fields: object) -> None:
    claims = [{"id": one, "text": f"saga {one}", "evidence": EVIDENCE, **fields} for one in ids]
    assert http.post("/v1/claims", json={"claims": claims}).status_code == 200


def move(http: httpx2.Client, id: str, status: str) -> None:
    answer = http.post("/v1/claims/transition", json={"id": id, "status": status})
    assert answer.status_code == 200, answer.text


@pytest.fixture
def lived(http: httpx2.Client, nexus: Nexus) -> httpx2.Client:
    """A memory in which claims have lived, between other things."""
    write(http, "a", "b")
    nexus.write('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }')
    nexus.group("decoy").write('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }')
    move(http, "a", "verified")
    move(http, "a", "disputed")
    http.post("/v1/claims/supersede", json={"old_id": "a", "new_id": "b"})
    return http


def test_a_stream_tells_the_specified_events_with_their_claims(lived: httpx2.Client) -> None:
    all_events = some(lived, 7, "0.0")
    assert [one.event for one in all_events] == [
        "knowledge.created",
        "knowledge.created",
        "knowledge.verified",
        "knowledge.disputed",
        "attention.added",
        "knowledge.superseded",
        "attention.cleared",
    ]
    verified = all_events[2].body
    assert (verified["claim_id"], verified["change"]["to_status"]) == ("a", "verified")
    assert all_events[4].body["fingerprint"].startswith("claim:a:knowledge.disputed.")


def test_whoever_comes_back_misses_nothing_and_hears_nothing_twice(lived: httpx2.Client) -> None:
    all_events = some(lived, 7, "0.0")
    for place, one in enumerate(all_events[:-1]):
        assert some(lived, 6 - place, one.id) == all_events[place + 1 :]
    assert some(lived, 1, after=all_events[0].id) == all_events[1:2]


def test_a_listener_is_told_that_its_group_has_begun_anew(
    lived: httpx2.Client, nexus: Nexus
) -> None:
    with lived.stream("GET", "/v1/events", params={"after": "0.0"}, timeout=SOON) as answer:
        lines = answer.iter_lines()
        stream = told(lines)
        last = [next(stream) for _ in range(7)][-1].id
        nexus.drop_group("default")
        write(lived, "new")
        assert not any(one.startswith(":") for one in lines)  # it ends, and is not still there
    refused = lived.get("/v1/events", headers={"last-event-id": last})
    assert (refused.status_code, code_in(refused)) == (400, "INVALID_ARGUMENT")
    assert "0.0" in refused.json()["error"]["details"]["hint"]
    assert [one.body["claim_id"] for one in some(lived, 1, "0.0")] == ["new"]


def test_events_come_to_who_listens_from_now_on(lived: httpx2.Client) -> None:
    found: list[Told] = []
    is_listening = threading.Event()

    def listen_once() -> None:
        with lived.stream("GET", "/v1/events", timeout=SOON) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("id: ")  # it can come back although nothing happened
            is_listening.set()
            found.append(next(told(lines)))

    listener = threading.Thread(target=listen_once)
    listener.start()
    assert is_listening.wait(SOON)
    write(lived, "new")
    listener.join(SOON)
    assert [(one.event, one.body["claim_id"]) for one in found] == [("knowledge.created", "new")]


def test_a_large_batch_is_told_whole_and_in_order(http: httpx2.Client) -> None:
    names = [f"c{number}" for number in range(250)]  # more than are read at once
    write(http, *names)
    assert [one.body["claim_id"] for one in some(http, 250, "0.0")] == names


def test_silence_has_a_heartbeat(stage: Stage, service: ServedMemory) -> None:
    stage.app = make_app(service, Options(heartbeat_seconds=0.0))
    with httpx2.stream("GET", f"{stage.url}/v1/events", timeout=SOON) as answer:
        lines = answer.iter_lines()
        assert [next(lines) for _ in range(3)][2].startswith(":")


def test_every_change_of_a_claim_is_told_once(http: httpx2.Client) -> None:
    write(http, "a", "b")
    for id in ("a", "b"):
        move(http, id, "verified")
    brought = {"status": "disputed", "reason": "no", "evidence": [{"kind": "url", "url": "u"}]}
    with http.stream("GET", "/v1/events", timeout=SOON) as answer:
        live = told(answer.iter_lines())
        for id in ("a", "b"):
            http.post("/v1/claims/transition", json={"id": id, **brought})
        heard = [next(live) for _ in range(4)]
    said = [(one.event, one.body["claim_id"]) for one in heard]
    assert said == [
        (event, id) for id in ("a", "b") for event in ("knowledge.disputed", "attention.added")
    ]
    again = [some(http, 1, one.id)[0].id for one in heard[:-1]]
    assert again == [one.id for one in heard[1:]]


def test_only_so_many_listen_at_once(stage: Stage, service: ServedMemory) -> None:
    stage.app = make_app(service, Options(streams=1))
    with httpx2.Client(base_url=stage.url, timeout=SECONDS) as http:
        with http.stream("GET", "/v1/events", timeout=SOON) as answer:
            assert answer.status_code == 200
            busy = http.get("/v1/events")
            assert busy.json()["error"]["error_code"] == "UNAVAILABLE"
            assert busy.headers["retry-after"]
        until = time.monotonic() + SOON
        while time.monotonic() < until:  # the server notices soon that its listener has gone
            with http.stream("GET", "/v1/events", timeout=SOON) as answer:
                if answer.status_code == 200:
                    return
    raise AssertionError("the place of a listener who has gone stays taken")


def test_streams_end_when_the_server_does() -> None:
    with recollect.open(":memory:") as nexus, listen("127.0.0.1", 0) as listener:
        server = make_server(make_app(make_service(nexus, has_worker=False)), grace_seconds=SOON)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        started = time.monotonic()
        with httpx2.stream("GET", f"{url_of(listener)}/v1/events", timeout=SOON) as answer:
            lines = answer.iter_lines()
            next(lines)
            server.should_exit = True
            assert list(lines) == [""]  # a whole end, not a broken one
        thread.join(SOON)
        assert time.monotonic() - started < SOON
