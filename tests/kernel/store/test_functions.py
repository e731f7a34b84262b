from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.cells import element_id, public_id
from recollect.kernel.store.functions import canonical_json, compile_pattern
from recollect.kernel.store.sqlite.store import SqliteStore


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 1, "b": 2}', '{"b":2.0,"a":1e0}'),
        ("[1, [2]]", "[1.0,[2.0]]"),
        ("-0.0", "0"),
        ('"\\u00e9"', '"\u00e9"'),
        ("9007199254740992", "9007199254740992.0"),
    ],
)
def test_equal_values_have_one_canonical_text(one: str, other: str) -> None:
    assert canonical_json(one) == canonical_json(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "true"),
        ('"1"', "1"),
        ("null", "0"),
        ("[1,2]", "[2,1]"),
        ("0.1", "0.2"),
        ("1e300", "1e301"),
    ],
)
def test_unequal_values_have_two(one: str, other: str) -> None:
    assert canonical_json(one) != canonical_json(other)


def test_the_functions_can_be_called_from_sql() -> None:
    store = SqliteStore(":memory:")
    with store.reading() as session:
        row = session.row(
            "SELECT canonical_json('[2.0]'), canonical_json(NULL), re2_search('r.sk', 'a risk'),"
            " re2_search('^risk', 'a risk'), re2_search('x', NULL), re2_search('3', 3),"
            " public_id(?, 7)",
            (bytes(10),),
        )
    assert row == ("[2]", None, 1, 0, 0, 0, "00000000-0000-8000-8000-000000000007")
    store.close()


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", r"(a)\1", "[z-a]", "a{2000}"])
def test_a_bad_pattern_is_a_syntax_error_with_a_hint(pattern: str) -> None:
    store = SqliteStore(":memory:")
    for attempt in (
        lambda: compile_pattern(pattern),
        lambda: session.rows("SELECT re2_search(?, 'text')", (pattern,)),
    ):
        with store.reading() as session, pytest.raises(RecollectError) as caught:
            attempt()
        assert caught.value.code.code == "KIP_1001"
        assert "RE2" in caught.value.hint
    store.close()


def test_an_evil_pattern_takes_linear_time() -> None:
    assert compile_pattern("(a+)+$").search("a" * 50_000 + "b") is None


def test_public_ids_go_both_ways_and_never_into_another_group() -> None:
    ours, theirs = b"\x01" * 10, b"\xff" * 10
    for number in (0, 1, 2**20, 2**48 - 1):
        text = public_id(ours, number)
        assert element_id(ours, text) == number
        assert element_id(theirs, text) is None
        assert element_id(ours, text.upper()) in (None, number)
        assert text[14] == "8"
        assert text[19] in "89ab"


@pytest.mark.parametrize(
    "tail", ["", "00000000000g", "0000000000001", " 0000000000 ", "00000000_001"]
)
def test_what_only_looks_like_a_computed_id_is_none(tail: str) -> None:
    assert element_id(bytes(10), public_id(bytes(10), 5)[:-12] + tail) is None
