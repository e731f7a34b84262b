"""What every embedder does alike, whatever its model gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from recollect.embeddings import Embedder
from recollect.errors import RecollectError


class Given(Embedder):
    """A model that gives what it is told to."""

    def __init__(self, rows: ArrayLike, dimension: int | None = None, batch: int = 64) -> None:
        super().__init__("given", dimension, batch)
        self.rows = rows
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> ArrayLike:
        self.batches.append(len(texts))
        return np.asarray(self.rows)[: len(texts)]


def test_vectors_have_length_one_and_four_bytes_a_number() -> None:
    (vector,) = Given([[3.0, 4.0]]).documents(["a"])
    assert np.frombuffer(vector, "<f4").tolist() == pytest.approx([0.6, 0.8])
    assert Given([[3.0, 4.0]]).question("a") == vector


def test_many_texts_go_in_batches() -> None:
    embedder = Given(np.ones((3, 2)), 2, batch=3)
    assert len(embedder.documents(["a"] * 8)) == 8
    assert embedder.batches == [3, 3, 2]


def test_the_first_answer_tells_the_dimension() -> None:
    embedder = Given([[1.0, 2.0, 3.0]])
    assert (embedder.dimension, embedder.batches) == (None, [])
    embedder.documents(["a"])
    assert (embedder.dimension, embedder.batches) == (3, [1])


@pytest.mark.parametrize("rows", [[[float("nan")]], [[]], [], [1.0]])
def test_an_answer_that_is_wrong_tells_no_dimension(rows: ArrayLike) -> None:
    embedder = Given(rows)
    with pytest.raises(RecollectError) as caught:
        embedder.documents(["a"])
    assert caught.value.code.code == "EMBEDDER_UNAVAILABLE"
    assert embedder.dimension is None


def test_a_vector_without_direction_is_near_nothing() -> None:
    embedder = Given([[0.0, 0.0]])
    space = embedder.space(2)
    space.put([1], embedder.documents(["a"]))
    assert [part for part in space.nearest(embedder.question("a"), 5) if part] == []


@pytest.mark.parametrize(
    "rows", [[[1.0, 2.0, 3.0]], [[float("nan"), 1.0]], [[float("inf"), 1.0]], [], [1.0]]
)
def test_what_is_no_vector_is_refused(rows: ArrayLike) -> None:
    with pytest.raises(RecollectError) as caught:
        Given(rows, 2).documents(["a"])
    assert caught.value.code.code == "EMBEDDER_UNAVAILABLE"
