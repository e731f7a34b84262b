"""The embedder that asks an endpoint, over real HTTP to a server of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tests.endpoint import Answer, Endpoint, letters, serving

import recollect
from recollect.embeddings.http import HttpEmbedder
from recollect.errors import RecollectError
from recollect.model import ElementKind, PutConcept, PutFact

KEY = "sk-very-secret"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def embedder(endpoint: Endpoint) -> Iterator[HttpEmbedder]:
    embedder = HttpEmbedder("tiny", key=KEY, url=endpoint.url, batch=2)
    yield embedder
    embedder.close()


def answering(status: int, content: bytes = b"{}", **headers: str) -> Callable[..., Answer]:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (status, names, content)


def refused(embedder: HttpEmbedder) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        embedder.documents(["a"])
    assert caught.value.code.code == "EMBEDDER_UNAVAILABLE"
    assert KEY not in str(caught.value)
    return caught.value


def test_texts_go_in_batches_and_come_back_in_order(
    endpoint: Endpoint, embedder: HttpEmbedder
) -> None:
    texts = ["aaa", "bbb", "ccc", "abc", "b"]
    vectors = [np.frombuffer(one, "<f4") for one in embedder.documents(texts)]
    for text, vector in zip(texts, vectors, strict=True):
        expected = np.array(letters(text)) / np.linalg.norm(letters(text))
        assert vector.tolist() == pytest.approx(expected.tolist(), abs=1e-6)
    sent = [one["input"] for one in endpoint.asked if one["input"] != ["dimension"]]
    assert sent == [["aaa", "bbb"], ["ccc", "abc"], ["b"]]
    assert {one["path"] for one in endpoint.asked} == {"/v1/embeddings"}
    assert set(endpoint.keys) == {f"Bearer {KEY}"}


def test_a_dimension_is_asked_for_only_where_one_is_given(endpoint: Endpoint) -> None:
    embedder = HttpEmbedder("tiny", url=endpoint.url, dimension=3)
    embedder.documents(["a"])
    assert endpoint.asked[-1]["dimensions"] == 3
    other = HttpEmbedder("tiny", url=endpoint.url)
    other.documents(["a"])
    assert other.dimension == 3
    assert "dimensions" not in endpoint.asked[-1]
    embedder.close()
    other.close()


def test_too_many_requests_are_tried_again_when_the_endpoint_says(
    endpoint: Endpoint, embedder: HttpEmbedder
) -> None:
    endpoint.script = [answering(429, retry_after_ms="1"), answering(503, retry_after_ms="1")]
    embedder.documents(["a"])
    assert len(endpoint.asked) == 3


def test_an_endpoint_that_goes_on_refusing_is_away(
    endpoint: Endpoint, embedder: HttpEmbedder
) -> None:
    endpoint.script = [answering(429, retry_after_ms="1")] * 3
    assert "429" in refused(embedder).message
    endpoint.script = [answering(401)]
    assert "401" in refused(embedder).message


@pytest.mark.parametrize(
    "content", [b"<html>", b"{}", b'{"data": [{"index": 0, "embedding": "?"}]}', b'{"data": []}']
)
def test_an_answer_that_is_none_is_told(
    endpoint: Endpoint, embedder: HttpEmbedder, content: bytes
) -> None:
    endpoint.script = [answering(200, content)]
    refused(embedder)


def test_an_endpoint_that_does_not_answer_in_time_is_away(endpoint: Endpoint) -> None:
    endpoint.script = [endpoint.late]
    embedder = HttpEmbedder("tiny", url=endpoint.url, timeout_seconds=0.2, retries=0)
    assert "0.2 s" in refused(embedder).message
    embedder.close()


def test_nothing_that_listens_is_away() -> None:
    embedder = HttpEmbedder("tiny", url="http://127.0.0.1:9/v1", retries=0)
    assert "reached" in refused(embedder).message
    embedder.close()


def test_a_memory_is_embedded_and_searched_through_it(embedder: HttpEmbedder) -> None:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.write(
            [
                PutConcept("Entity", "aaaa", id="a"),
                PutConcept("Entity", "bbbb", id="b"),
                PutFact("a", "is", "b", "cccc", id="fact"),
            ]
        )
        nearest = nexus.vectors.nearest("aa", ElementKind.CONCEPT)
        assert [one.id for one in nearest] == ["a", "b"]
        assert [one.id for one in nexus.vectors.nearest("c", ElementKind.LINK)] == ["fact"]
