"""Which embedder a memory has, by its settings, and what the command line does with it."""

from __future__ import annotations

import sys

import pytest

from recollect.embeddings.http import HttpEmbedder
from recollect.errors import INVALID_ARGUMENT, UNAVAILABLE, RecollectError
from recollect.servers.settings import EmbeddingSettings, Settings
from recollect.servers.wiring import make_embedder

HTTP = {"RECOLLECT_EMBEDDER": "http", "RECOLLECT_EMBEDDER_MODEL": "tiny"}
KEY = "sk-secret"


def embedding(**environment: str) -> EmbeddingSettings | None:
    return Settings(environment, "linux").embedding()


def test_without_settings_there_is_no_embedder() -> None:
    assert embedding(RECOLLECT_EMBEDDER_KEY=KEY, RECOLLECT_SEARCH_MODE="hybrid") is None


def test_an_endpoint_is_asked_for_what_the_settings_say() -> None:
    more = {"RECOLLECT_EMBEDDER_DIMENSION": "256", "RECOLLECT_SEARCH_MODE": "hybrid"}
    found = embedding(**HTTP, **more, RECOLLECT_EMBEDDER_KEY=KEY)
    assert found is not None
    assert (found.search_mode, found.timeout_seconds) == ("hybrid", 30.0)
    embedder = make_embedder(found)
    assert isinstance(embedder, HttpEmbedder)
    assert (embedder.name, embedder.dimension) == ("tiny", 256)
    assert KEY not in repr(found)
    embedder.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"RECOLLECT_EMBEDDER": "htpt"},
        {"RECOLLECT_EMBEDDER": "http"},
        HTTP | {"RECOLLECT_EMBEDDER_DIMENSION": "0"},
        HTTP | {"RECOLLECT_EMBEDDER_DIMENSION": "many"},
        HTTP | {"RECOLLECT_EMBEDDER_SECONDS": "soon"},
        HTTP | {"RECOLLECT_SEARCH_MODE": "fuzzy"},
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(RecollectError) as caught:
        found = embedding(**wrong, RECOLLECT_EMBEDDER_KEY=KEY)
        assert found is not None
        make_embedder(found)
    assert caught.value.code is INVALID_ARGUMENT
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("name", ["fastembed", "sentence-transformers"])
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = name.replace("-", "_")
    monkeypatch.delitem(sys.modules, f"recollect.embeddings.{package}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RecollectError) as caught:
        make_embedder(EmbeddingSettings(name, "m"))
    assert caught.value.code is UNAVAILABLE
    assert caught.value.hint == f'in a clone of Recollect: pip install ".[{name}]"'
