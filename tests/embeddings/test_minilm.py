"""The sentence model that is a package: what it gives, and a memory that is opened with it."""

from __future__ import annotations

import numpy as np
import pytest

import recollect
from recollect.embeddings.minilm import DIMENSION, MiniLmEmbedder
from recollect.servers.settings import Settings
from recollect.servers.wiring import make_embedder


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    made = make_embedder(Settings({"RECOLLECT_EMBEDDER": "minilm"}, "linux").embedding())  # type: ignore[arg-type]
    assert isinstance(made, MiniLmEmbedder)
    return made


def test_texts_that_say_the_same_in_other_words_are_near(embedder: MiniLmEmbedder) -> None:
    texts = ["Ann is employed by Acme", "The ship sails at noon", "word " * 2_000]
    rows = np.stack([np.frombuffer(one, "<f4") for one in embedder.documents(texts)])
    assert rows.shape == (3, DIMENSION)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    near = rows @ np.frombuffer(embedder.question("Where does Ann work?"), "<f4")
    assert near[0] > 0.5 > near[1]


def test_recall_compares_by_it(embedder: MiniLmEmbedder) -> None:
    with recollect.memory(":memory:", embedder=embedder) as memory:
        fact = {"subject": "Ann", "predicate": "does", "object": "gigs", "text": "Ann plays gigs"}
        memory.remember(facts=[fact])
        found = memory.recall("Is Ann a musician?")
        assert (found.memories[0].memory.text, "MiniLM" in found.mode) == ("Ann plays gigs", True)
