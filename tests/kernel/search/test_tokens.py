from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from recollect.kernel.search.tokens import LONGEST, folded, terms, tokens
from recollect.kernel.store.port import Partition, Term
from recollect.kernel.store.sqlite.text_index import body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ...!?\x00\n", []),
        ("Aspirin-C, 500mg", ["aspirin", "c", "500mg"]),
        ("is_class_of", ["is", "class", "of"]),
        ("Straße \uff21\uff22\uff23 ﬁne", ["strasse", "abc", "fine"]),
        ("co\u00adop cafe\u0301", ["coop", "cafe"]),
        ("阿司匹林", ["阿司", "司匹", "匹林", "林"]),
        ("用iPhone15拍", ["用", "iphone15", "拍"]),
        ("ガラス", ["ガラ", "ラス", "ス"]),
        ("한국어", ["한국", "국어", "어"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("x" * 100, ["x" * LONGEST]),
    ],
)
def test_a_text_becomes_its_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_a_run_of_a_query_is_its_pairs_and_one_character_alone_a_prefix() -> None:
    assert terms("阿司匹林") == [Term("阿司"), Term("司匹"), Term("匹林")]
    assert terms("林") == [Term("林", is_prefix=True)]


def test_a_word_asked_twice_is_one_term() -> None:
    assert terms("pain, Pain; PAIN") == [Term("pain")]


@given(st.text())
def test_every_text_has_tokens_of_letters_and_digits_only(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not token.isspace()
        assert not set(token) & set('"*()^:+-{}\x00')


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(st.text())
def test_every_term_of_a_text_is_found_among_its_tokens(text: str) -> None:
    found = tokens(text)
    for term in terms(text):
        if term.is_prefix:
            assert any(one.startswith(term.text) for one in found)
        else:
            assert term.text in found


@given(
    st.integers(1, 999),
    st.integers(1, 999),
    st.text("0123456789bcdfxyz", max_size=4),
    st.text("0123456789bcdfxyz", max_size=4),
)
def test_tokens_of_two_partitions_never_coincide(
    one: int, other: int, word: str, other_word: str
) -> None:
    partitions = [
        Partition(group, is_link, is_living)
        for group in (one, other)
        for is_link in (False, True)
        for is_living in (False, True)
    ]
    for left in partitions:
        for right in partitions:
            if left != right:
                said = body(left.prefix, [word])
                assert said != body(right.prefix, [other_word])
                assert not said.startswith(right.prefix)
