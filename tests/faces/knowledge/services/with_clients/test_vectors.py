"""What the services that rank by vectors do beside the rules of all; `make services` runs it."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from faces.knowledge.services.test_key_value import code_of
from recollect.faces.knowledge import Document
from recollect.faces.knowledge.services import ChromaRetrievalService, LanceDBRetrievalService
from recollect.faces.knowledge.services.vectors import floats_as_bytes

MADE = {
    "chroma": lambda folder, embedder=None: ChromaRetrievalService("knowledge", folder, embedder),
    "lancedb": lambda folder, embedder=None: LanceDBRetrievalService(folder, embedder),
}

pytestmark = pytest.mark.parametrize("backend", MADE)


class Letters:
    """An embedder by the letters a, b and c alone."""

    name = "letters"

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        return [self.question(text) for text in texts]

    def question(self, text: str) -> bytes:
        counts = [float(text.count(letter)) for letter in "abc"]
        length = sum(one * one for one in counts) ** 0.5 or 1.0
        return floats_as_bytes([one / length for one in counts])


def test_documents_outlive_their_service(backend: str, tmp_path: Path) -> None:
    with MADE[backend](tmp_path) as service:
        service.add(Document("mesh", "mesh quality", {"kind": "note"}), "space")
    with MADE[backend](tmp_path) as service:
        assert [one.doc_id for one, _ in service.search("mesh", {"kind": "note"}, "space")] == [
            "mesh"
        ]
        assert service.namespaces() == ["space"]


def test_two_services_see_what_either_writes(backend: str, tmp_path: Path) -> None:
    with MADE[backend](tmp_path) as one, MADE[backend](tmp_path) as other:
        one.add(Document("mesh", "mesh quality"))
        assert other.get_by_id("mesh") is not None
        assert code_of(other.add, Document("mesh", "mesh")) == "CONFLICT"
        assert other.remove("mesh")
        assert one.search("mesh") == []
        other.close()
        one.add(Document("again", "mesh"))
        assert one.size() == 1


def test_an_embedder_of_yours_says_what_is_near(backend: str, tmp_path: Path) -> None:
    with MADE[backend](tmp_path, Letters()) as service:
        for text in ("aaa", "aab", "bbc", "ccc"):
            service.add(Document(text, text))
        found = service.search("a", top_k=10)
        assert [one.doc_id for one, _ in found] == ["aaa", "aab"]
        assert found[0][1] == pytest.approx(1.0)
        assert service.search("x") == []


def test_vectors_of_two_embedders_are_never_mixed(backend: str, tmp_path: Path) -> None:
    MADE[backend](tmp_path, Letters()).close()
    assert code_of(MADE[backend], tmp_path) == "EMBEDDER_CHANGED"
    MADE[backend](tmp_path, Letters()).close()


def test_nothing_is_asked_of_the_network(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError(f"a connection to {given}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with MADE[backend](tmp_path) as service:
        service.add(Document("mesh", "mesh quality"))
        assert service.search("mesh")


@pytest.mark.parametrize("name", ["a b", "", "../x", "🐙"])
def test_a_name_that_the_client_refuses_is_told(backend: str, tmp_path: Path, name: str) -> None:
    with pytest.raises(Exception, match="INVALID_ARGUMENT"):
        if backend == "chroma":
            ChromaRetrievalService(name, tmp_path)
        else:
            LanceDBRetrievalService(tmp_path, None, name)


def test_a_place_that_cannot_be_written_is_told(backend: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert code_of(MADE[backend], tmp_path / "file" / "inside") == "UNAVAILABLE"


def test_many_writes_are_put_together_and_none_is_lost(backend: str, tmp_path: Path) -> None:
    with MADE[backend](tmp_path, Letters()) as service:
        for at in range(510):
            service.add(Document(f"{at:03}", "a" * (at % 7 + 1)))
        assert service.size() == len(service.search("a", top_k=1_000)) == 510
        assert [one.doc_id for one, _ in service.search("a", top_k=3)] == ["000", "001", "002"]
