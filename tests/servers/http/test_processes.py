"""Several processes serve one memory as one would, and live and end together."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest
from tests.endpoint import serving
from tests.servers.http.started import SECONDS, Started, await_that
from tests.servers.http.test_watching import counts

from recollect.servers.http.tokens import new_token

Start = Callable[..., Started]

EVIDENCE = [{"kind": "file", "path": "src/saga.py"}]
TIME = "2026-01-31T09:30:00Z"


@pytest.fixture
def server(start: Start) -> Started:
    return start("--processes", "2")


@pytest.fixture
def two(server: Started) -> Iterator[list[httpx2.Client]]:
    """A connection to each process."""
    with server.connected() as two:
        yield two


def asked(http: httpx2.Client, name: str, key: str | None = None, /, **given: object) -> dict:
    """What an operation answers."""
    body = {"input": given} | ({} if key is None else {"idempotency_key": key})
    answer = http.post(f"/v1/operations/{name}", json=body).json()
    assert answer["status"] in ("OK", "ACCEPTED"), answer
    return answer["output"]


def kip(http: httpx2.Client, command: str) -> dict:
    answer = http.post("/v1/kip", json={"command": command, "group_id": "g"})
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def add_fact(http: httpx2.Client, group: str, text: str) -> None:
    for node in ("ann", "acme"):
        asked(http, "AddEntityNode", group_id=group, uuid=f"{group}-{node}", name=node)
    ends = {"source_node_uuid": f"{group}-ann", "target_node_uuid": f"{group}-acme"}
    asked(http, "AddFact", group_id=group, name="KNOWS", fact=text, **ends)


def facts(http: httpx2.Client, query: str, *groups: str) -> list[str]:
    return [
        one["fact"] for one in asked(http, "SearchFacts", group_ids=groups, query=query)["facts"]
    ]


def test_what_one_writes_the_other_reads_at_once(two: list[httpx2.Client]) -> None:
    for at in range(20):
        writer, reader = two[at % 2], two[1 - at % 2]
        name = f"person{at}"
        asked(writer, "AddEntityNode", group_id="g", uuid=name, name=name)
        found = asked(reader, "SearchNodes", group_ids=["g"], query=name)["nodes"]
        assert [one["uuid"] for one in found][:1] == [name]
        kip(writer, f'UPSERT {{ CONCEPT {{ {{type: "Kind{at}", name: "{name}"}} }} }}')
        rows = kip(reader, f'FIND(?n) WHERE {{ ?d {{type: "Kind{at}"}} ATTR(?d, "name", ?n) }}')
        assert rows["rows"] == [[name]]


def test_what_one_erases_the_other_does_not_find(two: list[httpx2.Client]) -> None:
    one, other = two
    for writer, eraser in ((one, other), (other, one)):
        add_fact(writer, "g", "Ann works at Acme")
        add_fact(writer, "h", "Ann works at Acme too")
        assert [len(facts(each, "works", "g", "h")) for each in two] == [2, 2]
        asked(eraser, "DeleteGroup", group_id="g")
        assert [facts(each, "works", "g", "h") for each in two] == [["Ann works at Acme too"]] * 2
        asked(eraser, "ClearAll")
        assert [facts(each, "works", "g", "h") for each in two] == [[], []]


def test_meanings_that_one_writes_or_erases_are_those_of_the_other(start: Start) -> None:
    with serving() as endpoint, ExitStack() as stack:
        server = start(
            "--processes",
            "2",
            RECOLLECT_EMBEDDER="http",
            RECOLLECT_EMBEDDER_MODEL="tiny",
            RECOLLECT_EMBEDDER_URL=endpoint.url,
            RECOLLECT_SEARCH_MODE="hybrid",
        )
        one, other = stack.enter_context(server.connected())
        for writer, reader in ((one, other), (other, one)):
            add_fact(writer, "g", "aaaa")
            assert facts(reader, "aa", "g") == ["aaaa"]  # no word of it: found by its vector
            add_fact(writer, "h", "bbbb")
            assert set(facts(reader, "bb", "g", "h")) == {"aaaa", "bbbb"}
            asked(writer, "ClearAll")
            assert facts(reader, "aa", "g", "h") == []


def test_a_key_means_the_same_to_all(two: list[httpx2.Client]) -> None:
    items = [{"source": "text", "body": "x", "reference_time": TIME}]
    both = threading.Barrier(2)

    def answers(http: httpx2.Client) -> list[dict]:
        told = []
        for at in range(10):
            both.wait(SECONDS)
            told.append(asked(http, "AddEpisodes", f"key{at}", group_id="g", items=items))
        return told

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(answers, two)
    assert one == other
    others = [{**items[0], "body": "y"}]
    body = {"input": {"group_id": "g", "items": others}, "idempotency_key": "key0"}
    for each in two:
        assert each.post("/v1/operations/AddEpisodes", json=body).status_code == 409


def test_a_listener_hears_what_another_process_writes_and_comes_back_to_any(
    server: Started, two: list[httpx2.Client]
) -> None:
    def write(http: httpx2.Client, name: str) -> None:
        claim = {"id": name, "text": name, "evidence": EVIDENCE}
        assert http.post("/v1/claims", json={"claims": [claim]}).status_code == 200

    def ids(http: httpx2.Client, after: str, count: int) -> list[str]:
        headers = {"last-event-id": after}
        with http.stream("GET", "/v1/events", headers=headers, timeout=SECONDS) as answer:
            begun = (line for line in answer.iter_lines() if line.startswith("id: "))
            return [next(begun)[4:] for _ in range(count + 1)][1:]

    write(two[0], "a")
    with server.connected() as listening:
        heard: list[str] = []
        listener = threading.Thread(target=lambda: heard.extend(ids(listening[0], "0.0", 2)))
        listener.start()
        write(two[1], "b")
        listener.join(SECONDS)
        assert len(heard) == 2
    write(two[0], "c")
    with server.connected() as back:
        assert ids(back[1], heard[0], 2)[0] == heard[1]


def test_what_is_put_aside_through_one_is_aside_for_the_other(two: list[httpx2.Client]) -> None:
    one, other = two
    claim = {"id": "c", "text": "payments uses sagas", "evidence": EVIDENCE}
    one.post("/v1/claims", json={"claims": [claim]})
    for status in ("verified", "disputed"):
        other.post("/v1/claims/transition", json={"id": "c", "status": status})
    (item,) = one.get("/v1/attention").json()["output"]["items"]
    other.post("/v1/attention/dismiss", json={"fingerprint": item["fingerprint"]})
    assert one.get("/v1/attention").json()["output"]["items"] == []


def test_all_let_the_same_bearers_in(start: Start, tmp_path: Path) -> None:
    token, row = new_token(["g"])
    (tmp_path / "tokens").write_text(row.line() + "\n", encoding="utf-8")
    server = start("--processes", "2", "--tokens", str(tmp_path / "tokens"))
    body = {"input": {"group_id": "g", "last_n": 1}}
    with server.connected() as two:
        for one in two:
            headers = {"authorization": f"Bearer {token}"}
            known = one.post("/v1/operations/GetEpisodes", json=body, headers=headers)
            assert known.status_code == 200
            assert one.post("/v1/operations/GetEpisodes", json=body).status_code == 401


def test_episodes_of_a_group_are_learnt_in_order_whoever_took_them(
    server: Started, two: list[httpx2.Client]
) -> None:
    names = [f"e{at}" for at in range(40)]
    for at, name in enumerate(names):
        item = {"uuid": name, "source": "text", "body": name, "reference_time": TIME}
        asked(two[at % 2], "AddEpisodes", group_id="g", items=[item])

    def completed() -> list[str]:
        steps = [one for one in server.events("step") if one["state"] == "completed"]
        return [one["episode_uuid"] for one in steps]

    await_that(lambda: len(completed()) >= len(names))
    assert completed() == names
    assert counts(two[0])["ingestion_processed_total"] == len(names)


def test_each_tells_the_counts_of_all_also_of_one_that_has_ended(server: Started) -> None:
    latency = "search_latency_ms_count"

    def quantiles(found: dict[str, float]) -> list[float]:
        return [value for name, value in found.items() if name.startswith("search_latency_ms_rec")]

    with server.connected() as two:
        for one, times in zip(two, (3, 2), strict=True):
            for _ in range(times):
                facts(one, "x", "g")
            one.post("/v1/operations/Healthcheck", content=b"{")
        told = [counts(one) for one in two]
    assert [one[latency] for one in told] == [5, 5]
    assert [one['requests_refused_total{code="INVALID_ARGUMENT"}'] for one in told] == [2, 2]
    assert [one["requests_open"] for one in told] == [1, 1]
    assert quantiles(told[0]) == quantiles(told[1]) != []
    first = server.processes[0]
    os.kill(first, signal.SIGKILL)
    await_that(lambda: first not in server.processes and len(server.processes) == 2)
    with server.connected() as two:
        found = [counts(one) for one in two]
        # A request counts as open until a moment after it was answered.
        await_that(lambda: [counts(one)["requests_open"] for one in two] == [1, 1])
    assert [one[latency] for one in found] == [5, 5]
    assert quantiles(found[0]) == quantiles(told[0])


def test_a_process_that_ends_is_begun_again(server: Started) -> None:
    with server.connected() as two:
        asked(two[0], "AddEntityNode", group_id="g", uuid="ann", name="Ann")
    for how in (signal.SIGKILL, signal.SIGTERM):
        before = server.processes
        os.kill(before[0], how)
        await_that(lambda before=before: len(set(server.processes) - set(before)) == 1)
        with server.connected() as two:
            found = [asked(one, "SearchNodes", group_ids=["g"], query="ann") for one in two]
        assert [one["nodes"][0]["uuid"] for one in found] == ["ann", "ann"]
    assert [one["exit_code"] for one in server.events("process_ended")] == [-signal.SIGKILL, 0]


def test_all_end_where_one_ends_again_and_again(server: Started) -> None:
    for _ in range(5):
        await_that(lambda: len(server.processes) == 2 or server.process.poll() is not None)
        os.kill(server.processes[-1], signal.SIGKILL)
        ends = len(server.events("process_ended"))
        await_that(lambda ends=ends: len(server.events("process_ended")) > ends or ends == 5)
    assert server.process.wait(SECONDS) == 1
    assert '"UNAVAILABLE"' in server.process.stdout.read()
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(server.url)


def test_none_outlives_the_one_that_watches(server: Started) -> None:
    server.process.kill()

    def is_refused() -> bool:
        try:
            httpx2.get(f"{server.url}/healthz")
        except httpx2.ConnectError:
            return True
        except httpx2.HTTPError:
            return False
        return False

    await_that(is_refused)
    server.reader.join(SECONDS)  # nobody holds its standard error any more
    assert not server.reader.is_alive()


def test_one_serves_where_nobody_says_how_many(start: Start) -> None:
    assert start().first["result"]["processes"] == 1
