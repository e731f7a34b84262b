"""The command that makes vectors, with an endpoint over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.endpoint import Endpoint, serving
from tests.servers.cli.conftest import Cli, answer


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


def settings(endpoint: Endpoint, model: str = "tiny") -> dict[str, str]:
    return {
        "RECOLLECT_EMBEDDER": "http",
        "RECOLLECT_EMBEDDER_MODEL": model,
        "RECOLLECT_EMBEDDER_URL": endpoint.url,
    }


def found(cli: Cli, memory: str, more: dict[str, str]) -> list[str]:
    result = cli("search", "aaa", "--mode", "semantic", "--db", memory, "--json", **more)
    return [one["name"] for one in answer(result)["result"]["hits"]]


def test_a_memory_is_embedded_and_then_searched_by_meaning(
    cli: Cli, memory: str, endpoint: Endpoint
) -> None:
    more = settings(endpoint)
    report = answer(cli("reindex", memory, "--json", **more))["result"]
    assert report == {"model": "tiny", "embedded": 3, "groups": {"default": 3}}
    assert cli("reindex", memory, **more).stdout == "embedded 0 elements of 1 group with tiny\n"
    assert found(cli, memory, more)[0] == "Headache"
    count = len(endpoint.asked)
    text = 'UPSERT { CONCEPT @n { {type: "Note", name: "aaaaaaa"} } }'
    assert cli("run", "-", "--db", memory, input=text, **more).exit_code == 0
    assert found(cli, memory, more)[0] == "aaaaaaa"
    assert len(endpoint.asked) > count


def test_another_model_is_refused_until_the_memory_is_embedded_anew(
    cli: Cli, memory: str, endpoint: Endpoint
) -> None:
    assert cli("reindex", memory, **settings(endpoint)).exit_code == 0
    other = settings(endpoint, "other")
    refused = cli("search", "aaa", "--mode", "semantic", "--db", memory, **other)
    assert refused.exit_code == 1
    assert "recollect reindex" in refused.stderr
    assert cli("reindex", memory, "--group", "default", **other).stdout == (
        "embedded 3 elements with other\n"
    )
    assert found(cli, memory, other)[0] == "Headache"


def test_without_an_embedder_it_says_what_to_set(cli: Cli, memory: str) -> None:
    refused = cli("reindex", memory)
    assert refused.exit_code == 1
    assert "RECOLLECT_EMBEDDER" in refused.stderr


def test_a_group_that_nobody_wrote_to_is_refused(cli: Cli, memory: str, endpoint: Endpoint) -> None:
    assert cli("reindex", memory, "--group", "nobody", **settings(endpoint)).exit_code == 1


def test_a_purge_counts_vectors(cli: Cli, memory: str, endpoint: Endpoint) -> None:
    more = settings(endpoint)
    cli("reindex", memory, **more)
    erased = cli("purge", "--type", "Drug", "--name", "Aspirin", "--yes", "--db", memory, **more)
    assert "1 vector" in erased.output, erased.output
