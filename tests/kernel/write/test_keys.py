from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel.write.validation import members


class Disguised(str):
    """A key that tells another text than its own."""

    def __str__(self) -> str:
        return "_merged_from"


class Equal:
    """No text, but equal to one."""

    def __hash__(self) -> int:
        return hash("risk_level")

    def __eq__(self, other: object) -> bool:
        return other == "risk_level"


def refused(values: object) -> str:
    with pytest.raises(RecollectError) as caught:
        members(values, "metadata")
    return caught.value.code.code


def test_a_key_is_taken_for_what_it_is_and_not_for_what_it_tells() -> None:
    members({Disguised("risk_level"): 1}, "metadata")
    assert refused({"_merged_from": 1}) == "KIP_2002"


def test_what_is_equal_to_a_known_key_is_no_key() -> None:
    members({"risk_level": 1}, "metadata")
    assert refused({Equal(): 1}) == "KIP_2003"


def test_a_key_is_refused_each_time_it_is_given() -> None:
    for _ in range(2):
        assert refused({"": 1}) == "KIP_2003"
        assert refused({"nul\0": 1}) == "KIP_2003"
        assert refused({"_mine": 1}) == "KIP_2002"
