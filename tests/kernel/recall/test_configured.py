"""Recall with an embedder: it compares too, and no question is refused where it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.meanings import Meanings

import recollect
from recollect import Nexus
from recollect.embeddings import Embedder
from recollect.faces.operations import Operations
from recollect.model import AsOf, PutConcept

NOTES = [
    PutConcept("Note", name, {"summary": f"green {other}"})
    for name, other in (("quux", "vosk"), ("zorb", "tarn"), ("morp", "kelt"))
]


class Topics(Meanings):
    """Knows that a flib is a zorb, which nobody else does."""

    def _sum(self, text: str) -> np.typing.NDArray[np.float32]:
        return super()._sum(text.lower().replace("flib", "zorb").strip("?."))


@pytest.fixture
def embedder() -> Topics:
    return Topics("topics")


@pytest.fixture
def nexus(embedder: Topics) -> Iterator[Nexus]:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.write(NOTES)
        nexus.group("decoy").write([PutConcept("Note", "flib", {"summary": "green flib"})])
        yield nexus


def names(found: recollect.kernel.Recollection) -> list[str]:
    return [one.element.element.name for one in found.memories]  # type: ignore[union-attr]


def test_what_only_the_embedder_knows_to_be_near_stands_first(nexus: Nexus) -> None:
    found = nexus.recall("green flib")
    assert names(found)[0] == "zorb"
    with recollect.open(":memory:") as plain:
        plain.write(NOTES)
        assert names(plain.recall("green flib"))[0] != "zorb"
    assert found.mode == "words and meaning, by topics too"
    assert found.memories[0].why["meaning"].points > 0


def test_turns_of_a_conversation_are_compared_by_it_too(embedder: Topics) -> None:
    said = ("A quux is green.", "The zorb is green.")
    with recollect.open(":memory:", "talk", embedder=embedder) as nexus:
        with Operations(nexus, worker=False) as operations:
            messages = [
                {
                    "role_type": "user",
                    "role": "Ann",
                    "content": text,
                    "timestamp": f"2026-01-0{day}T10:00:00Z",
                    "source_description": f"day {day}",
                }
                for day, text in enumerate(said, 1)
            ]
            operations.add_messages(group_id="talk", messages=messages)  # type: ignore[arg-type]
        assert nexus.recall("green flib").memories[0].passage.endswith(said[1])


def test_without_the_model_the_rest_of_recall_answers_and_says_so(
    nexus: Nexus, embedder: Topics
) -> None:
    embedder.is_away = True
    found = nexus.recall("green flib")
    assert len(found.memories) == 3
    assert found.mode == "words and meaning"
    assert [one.code for one in found.notices] == ["compared_without_model"]
    assert "the embedder is away" in found.notices[0].message


def test_vectors_of_another_model_are_not_compared(tmp_path: Path, embedder: Topics) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=embedder) as nexus:
        nexus.write([PutConcept("Note", "zorb", {"summary": "green"})])
    other: Embedder = Topics("other", 8)
    with recollect.open(path, embedder=other) as nexus:
        found = nexus.recall("green flib")
        assert (names(found), found.mode) == (["zorb"], "words and meaning")
        assert "recollect reindex" in found.notices[0].hint
        nexus.vectors.reindex()
        assert nexus.recall("green flib").mode == "words and meaning, by other too"


def test_a_memory_that_nobody_embedded_is_compared_by_words(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("Note", "zorb", {"summary": "green"})])
    with recollect.open(path, embedder=Topics("topics")) as nexus:
        assert nexus.recall("green zorb").mode == "words and meaning"


def test_an_earlier_moment_compares_what_has_not_changed_since(nexus: Nexus) -> None:
    before = nexus.recall("green flib").as_of
    nexus.write([PutConcept("Note", "morp", {"summary": "green flib"})])
    found = nexus.recall("green flib", as_of=AsOf(transaction=before.transaction))
    means = {one.element.element.name: one.why.get("meaning") for one in found.memories}  # type: ignore[union-attr]
    assert means["zorb"] is not None
    assert means["zorb"].points > 0
    assert names(nexus.recall("green flib"))[0] == "morp"
