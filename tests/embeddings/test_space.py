"""The nearest of many vectors: exact, the same whatever the way they came in, and never torn."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, strategies as st

from recollect.embeddings.embedder import NumpySpace

DIMENSION = 7  # no multiple of what a processor takes at once


def vectors(count: int, seed: int = 0) -> list[bytes]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype("<f4")
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return [one.tobytes() for one in units.astype("<f4")]


def cosine(one: bytes, other: bytes) -> float:
    return float(
        np.dot(
            np.frombuffer(one, "<f4").astype(np.float64), np.frombuffer(other, "<f4").astype(float)
        )
    )


def ranked(space: NumpySpace, asked: bytes, at_once: int = 3) -> list[tuple[int, float]]:
    return list(chain.from_iterable(space.nearest(asked, at_once)))


@given(st.integers(0, 300), st.integers(1, 40), st.integers(0, 50))
def test_everything_that_is_near_comes_in_the_order_of_its_cosine(
    count: int, at_once: int, seed: int
) -> None:
    asked, *rows = vectors(count + 1, seed)
    space = NumpySpace(DIMENSION)
    space.put(range(count), rows)
    found = ranked(space, asked, at_once)
    near = {at: cosine(asked, row) for at, row in enumerate(rows)}
    assert {one for one, _ in found} == {one for one, score in near.items() if score > 0}
    assert [score for _, score in found] == pytest.approx(
        sorted((one for one in near.values() if one > 0), reverse=True), abs=1e-6
    )


@given(st.permutations(range(40)), st.integers(1, 50))
def test_equal_vectors_are_in_the_order_of_their_elements_wherever_they_lie(
    order: list[int], at_once: int
) -> None:
    asked, *rows = vectors(11)
    space = NumpySpace(DIMENSION)
    space.put(order, [rows[one % 10] for one in order])
    found = ranked(space, asked, at_once)
    assert found == sorted(found, key=lambda one: (-one[1], one[0]))
    assert all(len({score for one, score in found if one % 10 == at}) <= 1 for at in range(10))


def test_equals_are_never_parted() -> None:
    asked, row = vectors(2)
    if cosine(asked, row) < 0:
        asked = row
    space = NumpySpace(DIMENSION)
    space.put(range(50), [row] * 50)
    first = next(iter(space.nearest(asked, 2)))
    assert [one for one, _ in first] == list(range(50))


def test_the_last_vector_of_an_element_counts_and_none_takes_it_away() -> None:
    one, other = vectors(2)
    space = NumpySpace(DIMENSION)
    space.put([1, 2, 1], [one, one, other])
    assert dict(ranked(space, other))[1] == pytest.approx(1.0)
    space.put([1], [None])
    assert 1 not in dict(ranked(space, other))
    assert dict(ranked(space, one))[2] == pytest.approx(1.0)


def test_a_search_that_began_sees_nothing_of_what_is_put_meanwhile() -> None:
    rows = vectors(60)
    space = NumpySpace(DIMENSION)
    space.put(range(10), rows[:10])
    before = ranked(space, rows[0])
    going_on = space.nearest(rows[0], 3)
    first = next(going_on)
    space.put(range(10, 60), rows[10:])
    assert [*first, *chain.from_iterable(going_on)] == before
    assert len(ranked(space, rows[0])) > len(before)


def test_an_empty_space_has_nothing_near_and_takes_no_room() -> None:
    space = NumpySpace(DIMENSION)
    assert ranked(space, vectors(1)[0]) == []
    assert space.size == 0


def test_what_was_replaced_often_takes_no_more_room() -> None:
    rows = vectors(100)
    space = NumpySpace(DIMENSION)
    space.put(range(100), rows)
    size = space.size
    for _ in range(20):
        space.put(range(100), rows)
    assert space.size <= 2 * size + 1_000
