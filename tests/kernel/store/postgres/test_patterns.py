"""What a server finds by a translated expression is what RE2 finds."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given, note, settings, strategies as st

from recollect.errors import RecollectError
from recollect.kernel.store.functions import compile_pattern
from recollect.kernel.store.postgres.patterns import translated

EXAMPLES = settings.default.max_examples if settings.default else 100
ATOMS = (
    *("a", "b", "A", "k", "s", "ß", "é", "_", "1", "-", " ", ".", "^", "$", "{", "}", "]"),
    *(r"\n", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\A", r"\z", r"\.", r"\t"),
    *("[a-c]", "[^a]", "[[:alpha:]_]", "[^[:digit:]]", "[]a]", r"[\d\-]", "[k-s]", r"\141"),
    *(r"\pL", r"\PL", r"\p{Greek}", r"\x{3b1}", r"\x41", r"\Qa.\E"),
    *("(?i)", "(?m)", "(?s)", "(?-i)", "(?i:k)", "a{300}", "a|", "|b"),
)
TIMES = ("*", "+", "?", "{2}", "{0,1}", "{1,3}", "{2,}", "*?", "+?", "??", "{0}", "{1,2}?")
GROUPS = ("(", "(?:", "(?P<one>", "(?i:", "(?s:", "(?m:")


def longer(shorter: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(shorter, min_size=2, max_size=3).map("".join),
        st.tuples(shorter, shorter).map("|".join),
        st.tuples(st.sampled_from(GROUPS), shorter).map(lambda parts: "".join(parts) + ")"),
        st.tuples(shorter, st.sampled_from(TIMES)).map("".join),
    )


patterns = st.recursive(st.sampled_from(ATOMS), longer, max_leaves=6)
texts = st.lists(st.text("aabbAkK\u212asſßéΑα_1- \n.\u0301𝒜", max_size=8), min_size=30, max_size=30)


@pytest.fixture(scope="module")
def connection(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


@settings(max_examples=8 * EXAMPLES)
@given(patterns, texts)
def test_a_server_finds_what_the_expression_finds(
    connection: psycopg.Connection, pattern: str, texts: list[str]
) -> None:
    try:
        compiled = compile_pattern(pattern)
    except RecollectError:  # what is no expression of RE2 is refused before it is translated
        return
    own = translated(pattern)
    note(own)
    of_each = "unnest(%s::text[]) WITH ORDINALITY AS one(value, place)"
    asked = f"SELECT one.value ~ %s FROM {of_each} ORDER BY one.place"
    found = [row[0] for row in connection.execute(asked.encode(), (own, texts))]
    assert found == [compiled.search(text) is not None for text in texts]


def test_a_single_byte_is_refused() -> None:
    with pytest.raises(RecollectError, match="single byte"):
        translated(r"a\C")


def test_an_expression_that_is_too_long_for_the_server_is_refused() -> None:
    with pytest.raises(RecollectError, match="too long for the server"):
        translated(r"\pL\PL" * 150)
