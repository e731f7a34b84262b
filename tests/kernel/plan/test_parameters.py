"""What may be passed as a parameter: JSON that every store can hold."""

from __future__ import annotations

import math

import pytest

from recollect import RecollectError
from recollect.kernel.store.cells import check_parameters


@pytest.mark.parametrize(
    "value",
    [None, True, -(2**63), 2**63 - 1, 0.1, "", "阿司匹林", [1, ["a"]], {"a": {"b": None}}],
)
def test_json_passes(value: object) -> None:
    check_parameters({"value": value}, max_depth=4)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (2**63, "a whole number beyond 64 bits"),
        (-(2**63) - 1, "a whole number beyond 64 bits"),
        (math.nan, "a number that is not finite"),
        (math.inf, "a number that is not finite"),
        ("a\0b", "the character NUL"),
        ("\ud800", "the lone surrogate U+D800"),
        (b"a", "a Python bytes"),
        ((1, 2), "a Python tuple"),
        ({1: 2}, "an object with a key that is not text"),
        ({"a": [{"\0": 1}]}, "the character NUL"),
    ],
)
def test_what_json_cannot_hold_is_named(value: object, what: str) -> None:
    with pytest.raises(RecollectError) as caught:
        check_parameters({"value": value}, max_depth=64)
    assert caught.value.code.code == "KIP_2003"
    assert caught.value.message == f"parameter value holds {what}"


def test_a_name_is_checked_like_a_value() -> None:
    with pytest.raises(RecollectError) as caught:
        check_parameters({"\ud800": 1}, max_depth=64)
    assert caught.value.message == "parameter ? holds the lone surrogate U+D800"


def test_nesting_is_bounded() -> None:
    check_parameters({"value": [[1]]}, max_depth=2)
    with pytest.raises(RecollectError) as caught:
        check_parameters({"value": [[[1]]]}, max_depth=2)
    assert caught.value.code.code == "KIP_4002"
