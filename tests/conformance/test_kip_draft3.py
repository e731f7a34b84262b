"""Every conformance case through the request face."""

from __future__ import annotations

import pytest
from tests.conformance.cases import Case, comparable, load

import recollect
from recollect.errors import RecollectError
from recollect.faces.kip import execute_kip
from recollect.kernel.lang import parse

CASES = load()


def named(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=case.id) for case in cases]


@pytest.mark.parametrize("case", named([one for one in CASES if not one.is_parse]))
def test_the_face_answers_as_the_case_expects(case: Case) -> None:
    with recollect.open(":memory:") as nexus:
        decoy = nexus.group("decoy")
        for text in case.setup:
            assert "result" in execute_kip(decoy, text)
        for text in case.setup:
            assert "result" in execute_kip(nexus, text)
        answer = execute_kip(nexus, case.command, parameters=case.parameters)
        if case.code:
            assert answer["error"]["code"] == case.code
        else:
            result = answer["result"]
            if case.rows is not None:
                assert comparable(result["rows"], is_ordered=case.is_ordered) == comparable(
                    case.rows, is_ordered=case.is_ordered
                )
            assert {name: result[name] for name in case.report} == case.report
        for check in case.checks:
            rows = execute_kip(nexus, check.command)["result"]["rows"]
            assert comparable(rows) == comparable(check.rows)


@pytest.mark.parametrize("case", named([one for one in CASES if one.is_parse]))
def test_the_parser_judges_as_the_case_expects(case: Case) -> None:
    if not case.code:
        assert parse(case.command).statements
        return
    with pytest.raises(RecollectError) as caught:
        parse(case.command)
    assert caught.value.code.code == case.code
