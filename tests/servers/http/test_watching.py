"""What a server counts and logs: how it went, and nothing of what it was about."""

from __future__ import annotations

import socket
import time

import httpx2
import pytest
from tests.faces.operations.pipeline.rig import rig
from tests.meanings import Meanings
from tests.servers.http.conftest import Ask

import recollect
from recollect.faces.operations import Operations
from recollect.servers.http.logs import log_examination
from recollect.servers.http.metrics import Metrics, observer, watcher
from recollect.servers.nightly import Examined

NAMES = {
    "ingestion_accepted_total", "ingestion_processed_total", "ingestion_failed_total",
    "parked_items_total", "extraction_failures_total", "embedding_failures_total",
    "upsert_conflicts_total", "search_latency_ms_count", "requests_open",
}  # fmt: skip
TIME = "2026-01-31T09:30:00Z"
BAD = {"source": "json", "body": '{"nodes": 7}', "reference_time": TIME}
TEXT = {"source": "text", "body": "a secret", "reference_time": TIME}


def counts(http: httpx2.Client) -> dict[str, float]:
    """The numbers of `/metrics` by name and labels."""
    answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def await_count(http: httpx2.Client, name: str, least: float) -> dict[str, float]:
    deadline = time.monotonic() + 30
    while (found := counts(http))[name] < least and time.monotonic() < deadline:
        pass
    assert found[name] >= least
    return found


def test_the_counts_have_the_names_of_the_specification(http: httpx2.Client) -> None:
    assert set(counts(http)) >= NAMES


def test_what_is_taken_in_is_counted_and_what_is_learnt_from(http: httpx2.Client, ask: Ask) -> None:
    ask("AddEpisodes", group_id="g", items=[TEXT, {**TEXT, "uuid": "e"}])
    found = await_count(http, "ingestion_processed_total", 2)
    assert found["ingestion_accepted_total"] == 2
    assert found["ingestion_failed_total"] == 0


def test_what_fails_is_counted(http: httpx2.Client, ask: Ask) -> None:
    ask("AddEpisodes", group_id="g", items=[BAD])
    found = await_count(http, "extraction_failures_total", 1)
    assert found["ingestion_failed_total"] >= 1
    assert found["ingestion_processed_total"] == 0


@pytest.mark.parametrize(
    ("body", "embedder", "name"),
    [
        ('{"nodes": 7}', None, "extraction_failures_total"),
        ('{"nodes": [{"name": "Ann"}]}', Meanings(is_away=True), "embedding_failures_total"),
        ('{"nodes": [{"uuid": "acme", "name": "Ann"}]}', None, "upsert_conflicts_total"),
    ],
    ids=["extraction", "embedding", "writing"],
)
def test_every_failure_of_a_step_is_counted_the_one_that_parks_too(
    metrics: Metrics, body: str, embedder: Meanings | None, name: str
) -> None:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        one = rig(nexus, watcher=watcher(metrics))
        one.service.add_entity_node(group_id="g", uuid="acme", name="Acme")
        one.add("g", {**TEXT, "source": "json", "body": body}, {**TEXT, "uuid": "e"})
        for failures in range(1, 5):
            one.drain()
            one.clock.pass_seconds(5)
            lines = metrics.text().decode().splitlines()
            assert f"{name} {failures}.0" in lines
            assert f"ingestion_failed_total {failures}.0" in lines
            assert f"parked_items_total {failures // 4}.0" in lines
    assert "ingestion_processed_total 1.0" in lines


def test_searches_are_timed(http: httpx2.Client, ask: Ask) -> None:
    for _ in range(3):
        ask("SearchFacts", group_ids=["g"], query="x")
    ask("Healthcheck")
    found = counts(http)
    assert found["search_latency_ms_count"] == 3
    quantiles = [found[f'search_latency_ms_recent{{quantile="{q}"}}'] for q in (0.5, 0.9, 0.99)]
    assert 0 < quantiles[0] <= quantiles[1] <= quantiles[2]


def test_operations_are_counted_by_outcome_and_no_text_is_a_label(
    http: httpx2.Client, ask: Ask
) -> None:
    ask("GetEntityEdge", uuid="none", group_id="a secret group")
    ask("a secret operation")
    http.post("/v1/operations/Healthcheck", content=b"{")
    found = counts(http)
    assert found['operations_total{code="NOT_FOUND",operation="GetEntityEdge",status="ERROR"}'] == 1
    assert found['operations_total{code="NOT_FOUND",operation="unknown",status="ERROR"}'] == 1
    assert found['requests_refused_total{code="INVALID_ARGUMENT"}'] == 1
    assert "secret" not in http.get("/metrics").text


def test_a_conflict_is_counted(http: httpx2.Client, ask: Ask) -> None:
    ask("AddEntityNode", group_id="g", uuid="a", name="Ann")
    assert ask("AddEntityNode", group_id="g", uuid="b", name="Ann").status_code == 409
    assert counts(http)["upsert_conflicts_total"] == 1


def test_what_goes_on_without_vectors_is_counted_and_logged(metrics: Metrics, log) -> None:
    with recollect.open(":memory:", embedder=Meanings(is_away=True)) as nexus:
        operations = Operations(nexus, observer=observer(metrics))
        operations.search_facts(group_ids=["g"], query="a secret")
        operations.add_entity_node(group_id="g", uuid="a", name="a secret")
        operations.get_episodes(group_id="g", last_n=1)
    assert "embedding_failures_total 2.0" in metrics.text().decode().splitlines()
    assert [line["embedding_failures"] for line in log()] == [1, 1, None]


def test_each_operation_is_a_line_without_what_it_was_about(ask: Ask, http, log) -> None:
    body = {"request_id": "r", "input": {"group_ids": ["g"], "query": "a secret"}}
    http.post("/v1/operations/SearchFacts", json=body)
    ask("AddEntityNode", group_id="g", uuid="n", name="a secret", colour="a secret")
    ask("SearchFacts", group_ids=["g", "h"], query="a secret")
    ask("a secret operation")
    lines = [line for line in log() if line["event"] == "operation"]
    keys = {"time", "level", "event", "request_id", "operation", "group_id", "status", "latency_ms",
            "error_code", "cause", "embedding_failures"}  # fmt: skip
    assert all(set(line) == keys for line in lines)
    seen = [(one["operation"], one["group_id"], one["status"], one["error_code"]) for one in lines]
    assert seen == [
        ("SearchFacts", "g", "OK", None),
        ("AddEntityNode", "g", "ERROR", "INVALID_ARGUMENT"),
        ("SearchFacts", ["g", "h"], "OK", None),
        (None, None, "ERROR", "NOT_FOUND"),
    ]
    assert lines[0]["request_id"] == "r"
    assert "secret" not in str(log())


def test_each_step_and_each_refusal_is_a_line(ask: Ask, http: httpx2.Client, log) -> None:
    ask("AddEpisodes", group_id="g", items=[TEXT])
    await_count(http, "ingestion_processed_total", 1)
    http.post("/v1/operations/Healthcheck", content=b"a secret")
    states = [line["state"] for line in log() if line["event"] == "step"]
    assert states == ["extracted", "embedded", "upserted", "completed"]
    (refusal,) = [line for line in log() if line["event"] == "refusal"]
    assert (refusal["http_status"], refusal["error_code"]) == (400, "INVALID_ARGUMENT")
    assert "secret" not in str(log())


def test_a_server_whose_memory_is_closed_lives_and_is_not_ready(http, service) -> None:
    assert http.get("/readyz").json() == {"status": "ready"}
    service.operations.close()
    assert http.get("/readyz").status_code == 503
    service.nexus.close()
    assert http.get("/readyz").status_code == 503
    assert http.get("/healthz").json() == {"status": "healthy"}


def test_who_goes_away_in_the_middle_is_no_failure(http: httpx2.Client, log) -> None:
    address = (http.base_url.host, http.base_url.port)
    head = f"POST /v1/operations/Healthcheck HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n"
    with socket.create_connection(address) as connection:
        connection.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        await_count(http, "requests_open", 2)
    deadline = time.monotonic() + 30
    while counts(http)["requests_open"] > 1 and time.monotonic() < deadline:
        pass
    assert counts(http)["requests_open"] == 1
    assert "failure" not in {line["event"] for line in log()}
    assert 'requests_refused_total{code="INTERNAL"}' not in counts(http)


def test_an_examination_is_a_line_with_counts_and_no_words(log) -> None:
    log_examination(Examined({"log": 2}, seconds=0.5))
    log_examination(Examined({}, "STORE_BUSY"))
    log_examination(Examined({}))
    assert [(one["level"], one["findings"], one["error_code"]) for one in log()] == [
        ("error", {"log": 2}, None),
        ("error", {}, "STORE_BUSY"),
        ("info", {}, None),
    ]
