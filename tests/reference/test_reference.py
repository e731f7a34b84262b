"""The reference itself, held to the conformance cases: an oracle must be right first."""

from __future__ import annotations

import pytest
from tests.conformance.cases import Case, comparable, load
from tests.reference.run import Reference

from recollect.errors import RecollectError


@pytest.mark.parametrize("case", load(), ids=lambda case: case.id)
def test_the_reference_answers_as_the_case_expects(case: Case) -> None:
    reference = Reference()
    for text in case.setup:
        reference.run(text)
    if case.code:
        with pytest.raises(RecollectError) as caught:
            reference.run(case.command, case.parameters)
        assert caught.value.code.code == case.code
    else:
        (outcome,) = reference.run(case.command, case.parameters)
        if case.rows is not None:
            assert isinstance(outcome, list)
            assert comparable(outcome, is_ordered=case.is_ordered) == comparable(
                case.rows, is_ordered=case.is_ordered
            )
        if case.report:
            assert case.report == outcome
    for check in case.checks:
        (rows,) = reference.run(check.command)
        assert comparable(rows) == comparable(check.rows)
