"""The embedder that hashes words: the same everywhere, near where words are shared."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from faces.knowledge.services.test_key_value import code_of
from recollect.faces.knowledge.services import WordHashEmbedder
from recollect.faces.knowledge.services.vectors import floats_as_bytes, floats_of

EMBEDDER = WordHashEmbedder()


def nearness(one: bytes, other: bytes) -> float:
    return math.fsum(a * b for a, b in zip(floats_of(one), floats_of(other), strict=True))


def test_a_text_has_the_same_vector_on_every_machine() -> None:
    (vector,) = WordHashEmbedder(8).documents(["mesh quality mesh"])
    assert [round(one, 3) for one in floats_of(vector)] == [0.0] * 4 + [0.861, 0.0, 0.0, 0.509]


@given(st.text(max_size=200), st.text(max_size=200))
def test_texts_that_share_a_word_are_near(one: str, other: str) -> None:
    vectors = EMBEDDER.documents([one + " mesh", other + " mesh"])
    assert 0 < nearness(*vectors) <= 1.0001
    assert EMBEDDER.shares("mesh", one + " mesh")


def test_stop_words_count_only_where_there_are_no_others() -> None:
    one, other = EMBEDDER.documents(["the mesh is in a box", "mesh box"])
    assert one == other
    assert any(floats_of(EMBEDDER.question("to be or not to be")))


def test_a_text_without_words_points_nowhere() -> None:
    assert not any(floats_of(EMBEDDER.question("?!")))


def test_numbers_come_back_from_bytes() -> None:
    assert floats_of(floats_as_bytes([1.0, -0.5, 0.0])) == [1.0, -0.5, 0.0]
    assert floats_as_bytes([1.0]) == b"\0\0\x80?"


@pytest.mark.parametrize("dimension", [0, -1, True, "8"])
def test_a_dimension_is_a_positive_number(dimension: object) -> None:
    assert code_of(WordHashEmbedder, dimension) == "INVALID_ARGUMENT"
