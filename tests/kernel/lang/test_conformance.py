"""The commands of the conformance cases, as far as the parser alone can judge them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.errors import RecollectError
from recollect.kernel.lang import parse, print_text

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "conformance" / "kip_draft3.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
# Refused for what they mean, not for how they are written.
MEANING = {"d3-del-attr-ambiguous"}


def is_refused(case):
    return case["expectation"].get("code") == "KIP_1001" and case["id"] not in MEANING


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_command_is_accepted_or_refused_as_the_case_says(case):
    if is_refused(case):
        with pytest.raises(RecollectError) as refused:
            parse(case["command"])
        assert refused.value.code.code == "KIP_1001"
    else:
        tree = parse(case["command"])
        assert parse(print_text(tree)) == tree


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_setup_and_the_checks_of_a_case_parse(case):
    checks = [check["command"] for check in case.get("check", ())]
    for text in (*case["setup"], *checks):
        assert parse(text).statements
